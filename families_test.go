package gram

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/rule"
)

// familyHead declares what programs with families read: vectors of size k, and lists of n.
const familyHead = `param n = 5
param k = 12
input E : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
input W : R^k^k = vec i < k -> vec j < k -> 0.1 * cos (1 + i*k + j)
input b : R^k = vec i < k -> 0.01 * i
input s = 0.3
data  a : List R^k = list t < n -> vec j < k -> sin ((n - 1 - t)*k + j)
def   start = vec i < k -> 0.1 * i
`

// families are programs with families: BODY stands for one of the bodies, RESULT for what is behind =>. With FULL_SIZE
// they run at more sizes.
var families = []struct {
	name, program string
	sizes, full   []string
	bodies        []string
}{
	{"the function of a fold", familyHead + "def cell x h = BODY\nlet h = fold cell start a in RESULT\n",
		[]string{"", "k=7"}, nil, []string{
			"vec i < k -> sigmoid ((sum j < k -> E.(i).(j) * x.(j)) + (sum j < k -> W.(i).(j) * h.(j)))",
			"vec i < k -> tanh (dot E.(i) x + dot W.(i) h + b.(i)) => sum i < k -> h.(i) * h.(i)",
			"let y = matvec W h in vec i < k -> sin (y.(i) + x.(i)) * y.(i)",
			"vec i < k -> s * h.(k - 1 - i) + 0.1 * i * x.(i)",
			"vec i < k -> exp (0.01 * h.(i)) - s",
			"vec i < k -> sum j < 5 -> W.(i).(j + 2) * h.(j) * x.(i) => sum i < 5 -> h.(i)",
			"let m = vec i < k -> vec j < k -> E.(i).(j) * h.(j) in vec i < k -> sum j < k -> m.(j).(i) * s",
			"let m = vec i < k -> vec j < k -> E.(j).(i) + s in vec i < k -> sin (dot m.(i) h)",
			"vec i < k -> tanh (dot E.(i) h) * tanh (dot W.(i) h)",
			"vec i < k -> (sum j < k -> h.(j)) * x.(i)",
			"let m = maximum h in vec i < k -> exp (h.(i) - m) * x.(i) => logsumexp h",
			"vec i < k -> maximum (vec j < k -> x.(j) - W.(i).(j) * h.(j)) => maximum (sin h)",
			"vec i < k -> dot W.(i) h => h.(0)", // one component is reached
			// Where a result is a numeral in some instances, nobody knows how many applications arrive there.
			"vec i < k -> if h.(i) < 0 then x.(i) else s * h.(i)",
			"vec i < k -> if h.(i) < 0 then 0 else sum j < 3 -> W.(i).(2 * j) * x.(2 * j) + h.(2 * j) => h.(3) + h.(5)",
			"vec i < k -> sin (if h.(i) < 0 then x.(i) else s * h.(i))", // not all components of x are reached
			"vec i < k -> sin (if h.(i) < 0 then 0 else sum j < 3 -> W.(i).(2 * j) * x.(2 * j) + h.(2 * j)) => h.(3) + h.(5)",
			"vec i < k -> let z = dot W.(i) h in if z < 0 then 0.1 * z else z",
			"let v = vec i < k -> if h.(i) < x.(i) then sin h.(i) else 2 * h.(i) in vec i < k -> tanh (dot W.(i) v)",
			"vec i < k -> let z = h.(i) + x.(i) in if z < 0 then (if z < 0 - 1 then cos z else z * z) else exp z",
			"vec i < k -> if h.(i) < 0 then dot W.(i) h else s",
		}},
	{"folds over data", `param n = 5
param k = 12
input W : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
input x : R^k = vec i < k -> sin i
input h : R^k = vec i < k -> cos i
input s = 0.3
data  l : List R = list t < n -> 0.4 * t - 0.3
data  a : List R^2 = list t < n -> [| 0.3 * t, 0.5 |]
` + "BODY\n", []string{"k=3", "k=11 n=2"}, nil, []string{
		"sum i < k -> fold (fun e r -> tanh (r * x.(i) + e.(0) * e.(1))) (h.(i) * s) a",
		"sum i < k -> fold (fun e r -> r * x.(i) + e.(0)) 0 a",
		"sum i < k -> let z = x.(i) in if z < 0 then fold (fun e r -> sin (r + e.(0))) z a else fold (fun e r -> cos (r * " +
			"e)) z l",
		"sum i < k -> let (u, v) = fold (fun e (u, v) -> (u * e.(0), v + x.(i))) (s, h.(i)) a in u * v",
		"def cell e g = vec i < k -> fold (fun d r -> tanh (r + d * e)) g.(i) l\nlet r = fold cell x l in sum i < k -> r.(i)",
		"def cell e g = vec i < k -> fold (fun d r -> tanh (r + d.(0) * d.(1) * e.(1))) g.(i) a\nlet r = fold cell x a in " +
			"sum i < k -> r.(i)",
		"def f e r = r * e + 1\nsum i < k -> fold f x.(i) l + fold f h.(i) l",
		"sum i < k -> fold (fun e r -> fold (fun d q -> q * r + d * e.(1)) r [0.5; 0.25]) x.(i) a",
		// Of this, only the value runs as arrays.
		"sum i < k -> let z = x.(i) in if z < 0 then fold (fun e r -> if r < e.(0) then sin (r * fold (fun u v -> v * z + " +
			"u.(1)) z a) else r) z a else z",
	}},
	{"lists and functions", `param n = 5
input x : R^n = vec i < n -> sin i
input A : R^n^n = vec i < n -> vec j < n -> sin (i*n + j)
input B : R^n^n = vec i < n -> vec j < n -> cos (i + j*n)
input s = 0.7
data  d : List R = list i < 4 -> 0.3 * i - 0.5
data  r : List R^2 = list i < 3 -> [| 0.3 * i, cos i |]
` + "BODY\n", []string{"n=3", "n=5"}, []string{"n=13"}, []string{
		"sum i < n -> let l = [x.(i); s] in fold (fun e r -> e * r) 1 l",
		"sum i < n -> fold (fun e r -> e * r) 1 [x.(i); x.(i) * x.(i); sin x.(i)]",
		"sum i < n -> let y = sin x.(i) in let z = cos A.(i).(0) in fold (fun e r -> tanh (e + y * r)) z [y; z * y; 3 * i; " +
			"exp z]",
		"sum i < n -> fold (fun e r -> tanh (e + r)) 0.5 (list j < n -> x.(i) * A.(i).(j))",
		"sum i < n -> fold (fun e r -> r + e) 0 (list j < n -> x.(j) * A.(j).(i))",
		"sum i < n -> fold (fun e r -> e * r + x.(i)) 1 (list j < 6 -> j + i)",
		"sum i < n -> let (u, v) = fold (fun (a, b) (u, v) -> (a * u, b + v)) (1, x.(i)) [(x.(i), A.(i).(1)); (A.(i).(0), " +
			"3)] in u * v",
		"sum i < n -> iter #4 (fun r -> sin (r * x.(i)) + r) A.(i).(0)",
		"sum i < n -> iter #0 (fun r -> sin (r * x.(i)) + r) A.(i).(0)",
		"sum i < n -> foldl (fun r e -> tanh (r * x.(i) + e)) s [x.(i); sin x.(i); 2]",
		"sum i < n -> foldl (fun r e -> tanh (r * x.(i) + e)) s d",
		"sum i < n -> length (filter (fun e -> e - 0.1) (map (fun e -> e * 2) d)) * x.(i)",
		"sum i < n -> let f = fun u v -> u * sin v in f (f x.(i) A.(i).(0)) A.(i).(1)",
		"sum i < n -> let f = fun u -> fun v -> u * sin v in let g = f x.(i) in g A.(i).(0) * g A.(i).(1)",
		"sum i < n -> fold (fun v r -> v.(0) * r + v.(1) * x.(i)) 1 r",
		"sum i < n -> fold (fun v r -> sum v * r) x.(i) [vec l < n -> A.(i).(l) * i; vec l < n -> sin B.(i).(l)]",
		"sum i < n -> fold (fun e r -> if r < e then sin r * e else e * r) x.(i) [A.(i).(0); A.(i).(1); A.(i).(0) * " +
			"A.(i).(1)]",
		"sum i < n -> fold (fun e r -> fold (fun f q -> f * q + e) r [x.(i); e]) x.(i) [A.(i).(0); A.(i).(1)]",
		"sum i < n -> (sum j < n -> fold (fun e r -> tanh (e + r)) 0.5 [x.(i); A.(i).(j); A.(i).(j) * B.(j).(i)])",
		"let y = matvec A x in logsumexp (matvec B (vec i < n -> foldl (fun r e -> tanh (r * y.(i) + e)) s (list j < 3 -> " +
			"y.(i) * j)))",
		"let y = vec i < n -> foldl (fun r e -> tanh (r * x.(i) + e)) 0.1 (list j < 3 -> A.(i).(j)) in sum i < n -> y.(i) " +
			"* y.(i)",
		"sum i < n -> fold (fun e r -> e * r) 1 (list j < i + 1 -> x.(j))", // its length depends on an index
	}},
	{"whole programs", "param n = 5\ninput x : R^n = vec i < n -> sin i\ninput s = 0.7\n" +
		"input A : R^n^n = vec i < n -> vec j < n -> sin (i*n + j)\ninput B : R^n^n = vec i < n -> vec j < n -> cos (i + " +
		"j*n)\n" + "BODY\n", []string{"n=3", "n=5"}, []string{"n=13", "n=33"}, []string{
		"log (sum i < n -> exp x.(i))",
		"let e = vec i < n -> exp (s * x.(i)) in log (sum i < n -> e.(i)) + sum i < n -> e.(i) * x.(i)",
		"sum i < n -> sum j < n -> (sum k < n -> A.(i).(k) * B.(k).(j))^2",
		"let C = vec i < n -> vec j < n -> sum k < n -> A.(i).(k) * B.(k).(j) in sum i < n -> tanh (dot C.(i) x)",
		"sum i < n -> x.(i) * A.(1).(2)",
		"maximum x",
		"logsumexp x",
		"maximum (vec i < n -> s)",
		"sum i < n -> maximum (vec j < n -> A.(i).(j) * x.(j)) * s",
		"logsumexp (vec i < n -> 3 - maximum (vec j < n -> (A.(j).(i) - x.(j))^2))",
		"sum i < n -> let v = [| s * x.(i) |] in let w = (v, 2 * v.(0)) in let (u, z) = w in u.(0) * z",
		"sum i < n -> let p = scan j < n with p = 1 -> p * x.(i) in (sum j < n -> x.(j) * p.(j))^2",
		"sum i < n -> let p = scan j < n with p = 1 -> p * x.(i) in (sum j < n -> A.(i).(j) * p.(j))^2",
		"let p = scan j < n with p = s -> p * x.(j) in sum i < n -> sum j < n -> A.(i).(j) * p.(j)",
		"let y = scan t < 4 with y = x -> vec i < n -> x.(i) * y.(i) in sum i < n -> y.(2).(i) * y.(3).(i)",
		"let y = scan t < 4 with y = x -> vec i < n -> tanh (dot A.(i) y) in sum t < 4 -> let v = y.(t) in sum i < n -> " +
			"v.(i) * v.(i)",
		"let y = scan t < 4 with (h, c) = (x, x) -> (vec i < n -> tanh (dot A.(i) h), vec i < n -> s * h.(i) + c.(i)) in " +
			"sum t < 4 -> let (h, c) = y.(t) in logsumexp h + dot (matvec B h) c",
		// arrivals of several iterations, in turns
		"let p = scan j < n + 1 with p = s -> p * sin j in sum i < n -> p.(i) * p.(i + 1) * p.(i)",
		"let p = scan j < n + 1 with p = s -> p * sin j in sum i < n -> let q = p.(i) * p.(i + 1) in q * p.(i) * p.(i + 1)",
		"let p = pick A 2 in (sum i < n -> p.(i)) * pick x 1",
		"sum i < n -> x.(i) * x.(0)",
		"vec i < n -> sigmoid (dot A.(i) x)", // so it is for each row of the Jacobian
		"(vec i < n -> s * x.(i)).(2)",       // only one component is reached
		"sum i < n -> if x.(i) < 0 then x.(i) else s",
		"sum i < n -> if x.(i) < 0 then s * x.(i) else tanh x.(i)", // not in all runs something arrives at s
		"let y = matvec A x in let z = vec i < n -> if y.(i) < 0 then 0.1 * y.(i) else y.(i) in logsumexp (matvec B z)",
		"sum i < n -> if x.(i) < 0.2 then x.(i)^2 else 2 * x.(i)",
		"sum i < n -> fold (fun e r -> tanh (r * x.(i) + e)) (x.(i) * x.(i)) [0.1; 0.2; 0.3]",
		// not all numbers of the list are reached
		"sum i < n -> fold (fun e r -> if r < e then sin r else e * r) (x.(i) * s) [0.1; 0.2; 0.3]",
		"let y = matvec A x in logsumexp (matvec B (vec i < n -> fold (fun e r -> tanh (r * y.(i) + e)) s [1; 2]))",
		"let y = matvec A x in logsumexp (matvec B (vec i < n -> fold (fun e r -> tanh (r * y.(i) + e)) 0 [1; 2]))",
	}},
	{"data vectors", "param n = 5\ndata d : R^n = vec i < n -> sin (3 * i)\ndata D : R^n^n = vec i < n -> vec j < n -> " +
		"cos (i + j*n)\n" +
		"data p : (R * R)^n = vec i < n -> (sin i, i)\ndata c = 0.3\ninput x : R^n = vec i < n -> sin i\ninput s = 0.7\n" +
		"BODY\n", []string{"n=2", "n=5", "n=33"}, nil, []string{
		"dot d x",
		"c * dot d x + s",
		"sum (d * d) * s",
		"sum i < n -> (d.(i) - x.(i))^2 / n",
		"sum (matvec D x)",
		"let y = tanh (matvec D x) in logsumexp (matvec D y)",
		"sum i < n -> sum j < n -> D.(j).(i) * x.(i) * x.(j)",
		"sum i < n -> let (a, b) = p.(i) in (a - s * b)^2",
		"sum i < n -> d.(n - 1 - i) * x.(i) + d.(0) * s",
		"sum i < n -> if d.(i) < 0 then 2 * x.(i) else x.(i)",
		"let m = maximum d in sum i < n -> exp (d.(i) - m) * x.(i)",
		"vec i < n -> d.(i) * s",
		"let f = fun y -> y * s in f (dot d x)",
	}},
	{"arrivals at a matrix in many runs", familyHead + "def cell x h = vec i < k -> tanh (BODY)\nlet h = fold cell (vec " +
		"i < k -> 0) a in\nsum i < k -> h.(i)\n",
		[]string{"k=5 n=3", "k=7 n=66"}, []string{"k=17 n=131"}, []string{
			"dot E.(i) x + dot W.(i) h",
			"sum j < k -> E.(j).(i) * x.(j) + W.(j).(i) * h.(j)",
			"sum j < k -> E.(i).(j) * (W.(i).(j) * x.(j) + h.(j))",
			"dot E.(i) x + W.(i).(0) * h.(i)",
		}},
}

// TestFamilies: programs with families compute what their expansions do on the literal machine, in as many steps.
func TestFamilies(t *testing.T) {
	for _, f := range families {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			sizes := f.sizes
			if property.Full() {
				sizes = append(sizes, f.full...)
			}
			for _, body := range f.bodies {
				body, result, found := strings.Cut(body, " => ")
				if !found {
					result = "sum i < k -> h.(i)"
				}
				for _, size := range sizes {
					src := strings.NewReplacer("BODY", body, "RESULT", result).Replace(f.program)
					checkForms(t, mustLoad(t, src, strings.Fields(size)...), 1e-10, forms[:2]...)
				}
			}
		})
	}
	for name, params := range map[string][]string{"w2": {"n=200", "k=20"}, "w5": {"n=7", "k=9"}} {
		p, err := LoadFile(t.Context(), "examples/"+name+".gram", Options{Params: params})
		require.NoError(t, err)
		checkForms(t, p, 1e-10, forms[:2]...)
	}
}

const listHead = `param n = 40
input w = 0.3
input u : R^3 = [| 0.5, -0.2, 0.7 |]
input v : R^(2 * n + 4) = vec i < 2 * n + 4 -> cos (i + 1)
data  d : List R = list i < 20 -> cos i
`

// listElements are elements of lists over an index, with a fold of numbers that takes them.
var listElements = []struct {
	element, fold string
}{
	{"sin i * w", "w * s + x"},
	{"sin (0.5 - i / 4) * w + u.(1)", "sin (s * x) + x"},
	{"let y = w * i in y * y", "tanh (x * w + s)"},
	{"w * u.(0)", "x"},
	{"w * i", "s"},
	{"w * i", "if x < 1 then s else x * s"},
	{"sin (w * i)", "if x < 0 then s * 0.9 else if x < 0.5 then x else s * x + w"},
	{"exp (sin i * w)", "max s x"},
	{"i", "w * s + x"},
	{"3 * i - 1", "if x < 5 then s * w else x - s"},
	{"2.5", "w * s + x"},
	{"(w * i, sin w)", "let (a, b) = x in a * s + b"},
	{"(w * i, sin w)", "let (a, b) = x in if b < s then a else s * w"},
	{"[| w * i, u.(2) - i, u.(0) * u.(1) |]", "x.(0) * s + x.(1) * x.(2) - w"},
	{"(0.1 * i, [| w * i, cos w |])", "let (a, v) = x in a * s + v.(0) * v.(1)"},
	{"w", "w * s + x"},                               // the dual is that of the input
	{"let y = w * i in (y, y)", "fst x + snd x * s"}, // two duals are one
	{"if i < 3 then w else w * i", "x * s"},
	{"if w * i < 2 then u.(1) * i else (if sin i < 0 then w else u.(2))", "x * s + w"},
	{"(fun y -> y * i) (sin w)", "x * s + 1"},
	{"let f = fun y -> sin (y * i) * w in f (f u.(1)) + (if f i < 0 then f 2 else 3)", "x * s + 1"},
	{"v.(i)", "x * s + w"},
	{"v.(n - 1 - i) * v.(2 * i + 1)", "tanh (x * s) + v.(3)"},
	{"fold (fun e r -> e * r + i) w d", "x * s + 1"},
	{"fun y -> y * i + w", "x s"},
}

// TestLists: a list over an index runs as a loop, and a fold over it, with the counts of its expansion. With FULL_SIZE
// it is long.
func TestLists(t *testing.T) {
	most := append(slices.Clone(forms[:5]), form{"rows made again", EvalOptions{RowsMemory: 1}, false},
		form{"three workers", EvalOptions{Schedule: Parallel, Workers: 3}, false})
	for _, q := range listElements {
		for i, body := range []string{
			"fold (fun x s -> %[2]s) 0.25 (list i < n -> %[1]s)",
			"let l = list i < n -> %[1]s in let f = fun x s -> %[2]s in fold f w l + fold f (fold f 1 l) l",
			"fold (fun e t -> t * 0.5 + e * fold (fun x s -> %[2]s) t (list i < n -> %[1]s)) 0.5 d",
			"let l = list i < n -> %[1]s in [| fold (fun x s -> %[2]s) 0.25 l, fold (fun x s -> %[2]s) w l |]",
		} {
			used, sizes := forms[:2], []string{"n=2", "n=70"}
			if i == 0 {
				used = most
				if property.Full() {
					sizes = append(sizes, "n=1000")
				}
			}
			for _, n := range sizes {
				checkForms(t, mustLoad(t, listHead+fmt.Sprintf(body, q.element, q.fold)+"\n", n), 1e-10, used...)
			}
		}
	}
}

// TestListsOfVectors: so it is where the elements, the function of the fold, or both, have arrays, in which the indices
// of the list and of a vector meet.
func TestListsOfVectors(t *testing.T) {
	sizes := []string{"k=5 n=9", "k=70 n=4"}
	if property.Full() {
		sizes = append(sizes, "k=9 n=300")
	}
	for _, element := range []string{"vec j < k -> sin (i*k + j) * w", "vec j < k -> w * (j - i / 3)",
		"let y = sin (w * i) in vec j < k -> y * cos j", "vec j < k -> sum l < 3 -> u.(l) * (i + l * j)"} {
		for _, fold := range []string{
			"vec j < k -> tanh (x.(j) * w + s.(j))",
			"let y = sum j < k -> x.(j) * s.(j) in vec j < k -> tanh (y + s.(j))",
			"vec j < k -> sin s.(j) + x.(k - 1 - j) * x.(j)",
			"vec j < k -> tanh s.(j) + x.(0)", // one component is reached
		} {
			for _, size := range sizes {
				src := "param k = 2\n" + listHead + fmt.Sprintf("sum (fold (fun x s -> %s) (vec j < k -> w * j) (list i < n -> "+
					"%s))\n", fold, element)
				checkForms(t, mustLoad(t, src, strings.Fields(size)...), 1e-10, forms[:2]...)
			}
		}
	}
}

// TestParallel: workers share the products of matrices and vectors; results have the same bits and counts with any
// number of them.
func TestParallel(t *testing.T) {
	const head = "param n = 300\ninput A : R^n^n = vec i < n -> vec j < n -> sin (i*n + j)\n" +
		"input B : R^n^n = vec i < n -> vec j < n -> cos (i + j*n)\ninput x : R^n = vec i < n -> sin i\n"
	for _, body := range []string{
		"let C = vec i < n -> vec j < n -> sum k < n -> A.(i).(k) * B.(k).(j) in sum i < n -> sum j < n -> tanh C.(i).(j)",
		"let y = #5 (fun y -> vec i < n -> tanh (dot A.(i) y)) x in sum i < n -> y.(i)",
		"let y = vec j < n -> sum i < n -> x.(i) * A.(i).(j) in dot y (matvec B x)",
	} {
		p, err := Load(t.Context(), "t.gram", []byte(head+body+"\n"), Options{})
		require.NoError(t, err)
		want, err := p.Gradient(t.Context(), EvalOptions{})
		require.NoError(t, err)
		for _, workers := range []int{0, 1, 2, 5} {
			got, err := p.Gradient(t.Context(), EvalOptions{Schedule: Parallel, Workers: workers})
			require.NoError(t, err)
			require.Equal(t, want.Values, got.Values)
			require.Equal(t, want.Jacobian, got.Jacobian, body)
			require.Equal(t, want.Cost.Steps, got.Cost.Steps)
		}
	}
}

// TestWithoutExpansion: a profile of the gradient of a product of matrices that is too large to be expanded, as m, |G|
// and the span need it.
func TestWithoutExpansion(t *testing.T) {
	p, err := Load(t.Context(), "t.gram", []byte("param n = 170\ninput A : R^n^n = vec i < n -> vec j < n -> i - j\n"+
		"input B : R^n^n = vec i < n -> vec j < n -> i + j\nsum i < n -> sum j < n -> sum k < n -> A.(i).(k) * B.(k).(j)\n"),
		Options{})
	require.NoError(t, err)
	_, err = p.Bound(t.Context(), EvalOptions{})
	require.ErrorContains(t, err, "the expanded program is too large")
	_, err = p.Span(t.Context(), true, false)
	var unknown *span.UnknownError
	require.ErrorAs(t, err, &unknown)
	var total rule.Counts
	res, err := p.Gradient(t.Context(), EvalOptions{hooks: bridge.Hooks{Samples: func(s calls.Sample) { total.AddTimes(&s.Counts, 1) }}})
	require.NoError(t, err)
	require.Equal(t, res.Cost.Steps, total)
	require.Nil(t, bridge.Of(p).Term(), "it is too large to be expanded")
}

// TestLargeBranches: layers whose components are conditionals or folds take no nodes for what is in their families.
func TestLargeBranches(t *testing.T) {
	const k, n = 512, 3
	w5, err := os.ReadFile("examples/w5.gram")
	require.NoError(t, err)
	cell := strings.Replace(string(w5), "o.(q) * tanh c2.(q)",
		"let z = o.(q) * tanh c2.(q) in if z < 0 then 0.1 * z else z", 1)
	layer := "param k = 4\nparam n = 1\ninput W : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (i*k + j)\ninput x : R^k " +
		"= vec i < k -> sin i\n" +
		"let y = matvec W x in sum i < k -> let z = y.(i) in (if z < 0 then 0.1 * z else z)^2\n"
	fold := strings.Replace(layer, "if z < 0 then 0.1 * z else z",
		"fold (fun e r -> tanh (e + r * z)) 0 [0.1; 0.2; 0.3; 0.4]", 1)
	list := strings.Replace(fold, "[0.1; 0.2; 0.3; 0.4]", "[z; 0.2; sin z]", 1)
	iteration := strings.Replace(layer, "if z < 0 then 0.1 * z else z",
		"foldl (fun r e -> tanh (e + iter #3 (fun q -> q * z) r)) z (list j < 3 -> z * j)", 1)
	for src, steps := range map[string]uint64{cell: n * k, layer: k, fold: 0, list: 0, iteration: 0} {
		p, err := Load(t.Context(), "t.gram", []byte(src),
			Options{Params: []string{fmt.Sprint("k=", k), fmt.Sprint("n=", n)}})
		require.NoError(t, err)
		res, err := p.Gradient(t.Context(), EvalOptions{})
		require.NoError(t, err)
		require.Equal(t, steps, res.Cost.Steps[rule.Branch])
		require.Less(t, res.Cost.Nodes.Allocated, uint64(2*len(p.inputs)))
	}
}

// TestFamiliesOfLists: a function that makes the elements of a list runs when the list is read, and has families.
func TestFamiliesOfLists(t *testing.T) {
	const src = "input x : R^3 = vec i < 3 -> i\ndata l : List R^3 = list i < 2 -> vec j < 3 -> i + j\nmap (fun e -> " +
		"vec i < 3 -> e.(i) * x.(i)) l\n"
	p, err := Load(t.Context(), "t.gram", []byte(src), Options{})
	require.NoError(t, err)
	e, err := p.NewValue(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	for range 2 {
		res, err := e.Value(t.Context(), p.Point())
		require.NoError(t, err)
		require.Equal(t, []float64{0, 1, 4, 0, 2, 6}, res.Values)
	}
}
