package gram

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

const listHead = `param n = 40
input w = 0.3
input u : R^3 = [| 0.5, -0.2, 0.7 |]
input v : R^(2 * n + 4) = vec i < 2 * n + 4 -> cos (i + 1)
data  d : List R = list i < 20 -> cos i
`

// compareForms compares the value and the gradient of a program with those of the literal machine, which runs its expansion: the steps by rule,
// and the numbers to rounding.
func compareForms(t *testing.T, src string, opt EvalOptions, params ...string) {
	t.Helper()
	p, err := Load(t.Context(), "t.gram", []byte(src), Options{Params: params})
	require.NoError(t, err, src)
	close := func(want, got []float64) {
		t.Helper()
		require.Len(t, got, len(want))
		most := 0.0
		for _, x := range want {
			most = max(most, math.Abs(x))
		}
		for i := range want {
			if want[i] != got[i] && !(math.IsNaN(want[i]) && math.IsNaN(got[i])) {
				require.InDelta(t, want[i], got[i], 1e-9*most+1e-13, "%s %v, number %d", src, params, i)
			}
		}
	}
	for _, run := range []func(EvalOptions) (*Result, error){
		func(o EvalOptions) (*Result, error) { return p.Value(t.Context(), o) },
		func(o EvalOptions) (*Result, error) { return p.Gradient(t.Context(), o) },
	} {
		got, err := run(opt)
		require.NoError(t, err, src)
		want, err := run(EvalOptions{Literal: true})
		require.NoError(t, err, src)
		close(want.Values, got.Values)
		close(want.Jacobian, got.Jacobian)
		require.Equal(t, want.Cost.Steps, got.Cost.Steps, "%s %v", src, params)
	}
}

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

// TestListLoops: a list over an index runs as a loop, and a fold over it, with the counts of its expansion.
func TestListLoops(t *testing.T) {
	for _, q := range listElements {
		for _, body := range []string{
			"fold (fun x s -> %[2]s) 0.25 (list i < n -> %[1]s)",
			"let l = list i < n -> %[1]s in let f = fun x s -> %[2]s in fold f w l + fold f (fold f 1 l) l",
			"fold (fun e t -> t * 0.5 + e * fold (fun x s -> %[2]s) t (list i < n -> %[1]s)) 0.5 d",
			"let l = list i < n -> %[1]s in [| fold (fun x s -> %[2]s) 0.25 l, fold (fun x s -> %[2]s) w l |]",
		} {
			src := listHead + fmt.Sprintf(body, q.element, q.fold) + "\n"
			compareForms(t, src, EvalOptions{}, "n=70")
			compareForms(t, src, EvalOptions{}, "n=2")
		}
	}
}

// TestLongLists: so it is where the loops become machine code, and where a loop over a list keeps no rows.
func TestLongLists(t *testing.T) {
	for _, q := range listElements {
		src := listHead + fmt.Sprintf("fold (fun x s -> %[2]s) 0.25 (list i < n -> %[1]s)\n", q.element, q.fold)
		for _, opt := range []EvalOptions{{}, {NoNative: true}, {RowsMemory: 1 << 12}, {Schedule: Parallel, Workers: 3}} {
			compareForms(t, src, opt, fmt.Sprint("n=", 1_000))
		}
	}
}

// TestListsOfVectors: so it is where the elements, the function of the fold, or both, have arrays, in which the indices of the list and of a
// vector meet.
func TestListsOfVectors(t *testing.T) {
	elements := []string{"vec j < k -> sin (i*k + j) * w", "vec j < k -> w * (j - i / 3)", "let y = sin (w * i) in vec j < k -> y * cos j", "vec j < k -> sum l < 3 -> u.(l) * (i + l * j)"}
	for _, element := range elements {
		for _, fold := range []string{
			"vec j < k -> tanh (x.(j) * w + s.(j))",
			"let y = sum j < k -> x.(j) * s.(j) in vec j < k -> tanh (y + s.(j))",
			"vec j < k -> sin s.(j) + x.(k - 1 - j) * x.(j)",
			"vec j < k -> tanh s.(j) + x.(0)", // one component is reached
		} {
			for _, params := range [][]string{{"k=5", "n=9"}, {"k=70", "n=4"}, {"k=9", "n=300"}} {
				src := "param k = 2\n" + listHead + fmt.Sprintf("sum (fold (fun x s -> %s) (vec j < k -> w * j) (list i < n -> %s))\n", fold, element)
				compareForms(t, src, EvalOptions{}, params...)
			}
		}
	}
}

// TestPropertyLists: random elements, and random functions of a fold.
func TestPropertyLists(t *testing.T) {
	for seed := range 60 {
		r := rand.New(rand.NewPCG(uint64(seed), 3))
		src := listHead + fmt.Sprintf("let l = list i < n -> (sin (%s), w * %s) in\nfold (fun (x, y) (s, h) -> (%s, %s)) (w, 0.5) l\n",
			writeNumber(r, 3, "i", "v.(i)"), writeNumber(r, 2, "i", "u.(0)"), writeNumber(r, 3, "x", "y", "s", "h"), writeNumber(r, 3, "x", "y", "s", "h"))
		src = src[:len(src)-1]
		at := len(listHead)
		src = src[:at] + "let (a, b) = " + src[at:] + " in a * b + a\n"
		compareForms(t, src, EvalOptions{}, fmt.Sprint("n=", 2+seed%100))
	}
}

// writeNumber writes a number of the inputs and of the variables.
func writeNumber(r *rand.Rand, depth int, vars ...string) string {
	if depth == 0 || r.IntN(6) == 0 {
		leaves := append([]string{"w", "0.25", "u.(1)"}, vars...)
		return leaves[r.IntN(len(leaves))]
	}
	a := func() string { return writeNumber(r, depth-1, vars...) }
	switch r.IntN(8) {
	case 0, 1:
		return "(" + a() + " + " + a() + ")"
	case 2, 3:
		return "(" + a() + " * " + a() + ")"
	case 4:
		return "sin (" + a() + ")"
	case 5:
		return "(let z = " + a() + " in z - z * tanh z)"
	case 6:
		if len(vars) > 1 {
			return "(if " + a() + " < " + a() + " then " + a() + " else " + a() + ")"
		}
	}
	return "sigmoid (" + a() + ")"
}
