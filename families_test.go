package gram

import (
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

const familyHead = `param n = 5
param k = 12
input E : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
input W : R^k^k = vec i < k -> vec j < k -> 0.1 * cos (1 + i*k + j)
input b : R^k = vec i < k -> 0.01 * i
input s = 0.3
data  a : List R^k = list t < n -> vec j < k -> sin ((n - 1 - t)*k + j)
def   start = vec i < k -> 0.1 * i
`

// familyPrograms are bodies of folds, with what is read of the result, and whether their families run as arrays.
var familyPrograms = []struct {
	cell, result string
	arrays       bool
}{
	{"vec i < k -> sigmoid ((sum j < k -> E.(i).(j) * x.(j)) + (sum j < k -> W.(i).(j) * h.(j)))", "sum i < k -> h.(i)", true},
	{"vec i < k -> tanh (dot E.(i) x + dot W.(i) h + b.(i))", "sum i < k -> h.(i) * h.(i)", true},
	{"let y = matvec W h in vec i < k -> sin (y.(i) + x.(i)) * y.(i)", "sum i < k -> h.(i)", true},
	{"vec i < k -> s * h.(k - 1 - i) + 0.1 * i * x.(i)", "sum i < k -> h.(i)", true},
	{"vec i < k -> exp (0.01 * h.(i)) - s", "sum i < k -> h.(i)", true},
	{"vec i < k -> sum j < 5 -> W.(i).(j + 2) * h.(j) * x.(i)", "sum i < 5 -> h.(i)", true},
	{"let m = vec i < k -> vec j < k -> E.(i).(j) * h.(j) in vec i < k -> sum j < k -> m.(j).(i) * s", "sum i < k -> h.(i)", true},
	{"let m = vec i < k -> vec j < k -> E.(j).(i) + s in vec i < k -> sin (dot m.(i) h)", "sum i < k -> h.(i)", true},
	{"vec i < k -> tanh (dot E.(i) h) * tanh (dot W.(i) h)", "sum i < k -> h.(i)", true},
	{"vec i < k -> (sum j < k -> h.(j)) * x.(i)", "sum i < k -> h.(i)", true},
	{"let m = maximum h in vec i < k -> exp (h.(i) - m) * x.(i)", "logsumexp h", true},
	{"vec i < k -> maximum (vec j < k -> x.(j) - W.(i).(j) * h.(j))", "maximum (sin h)", true},
	{"vec i < k -> dot W.(i) h", "h.(0)", true}, // one component is reached
	// Where a result is a numeral in some instances, nobody knows how many applications arrive there.
	{"vec i < k -> if h.(i) < 0 then x.(i) else s * h.(i)", "sum i < k -> h.(i)", false},
	{"vec i < k -> if h.(i) < 0 then 0 else sum j < 3 -> W.(i).(2 * j) * x.(2 * j) + h.(2 * j)", "h.(3) + h.(5)", false},
	{"vec i < k -> sin (if h.(i) < 0 then x.(i) else s * h.(i))", "sum i < k -> h.(i)", true}, // not all components of x are reached
	{"vec i < k -> sin (if h.(i) < 0 then 0 else sum j < 3 -> W.(i).(2 * j) * x.(2 * j) + h.(2 * j))", "h.(3) + h.(5)", true},
	{"vec i < k -> let z = dot W.(i) h in if z < 0 then 0.1 * z else z", "sum i < k -> h.(i)", true},
	{"let v = vec i < k -> if h.(i) < x.(i) then sin h.(i) else 2 * h.(i) in vec i < k -> tanh (dot W.(i) v)", "sum i < k -> h.(i)", true},
	{"vec i < k -> let z = h.(i) + x.(i) in if z < 0 then (if z < 0 - 1 then cos z else z * z) else exp z", "sum i < k -> h.(i)", true},
	{"vec i < k -> if h.(i) < 0 then dot W.(i) h else s", "sum i < k -> h.(i)", false},
}

// cellWriter writes random bodies of folds.
type cellWriter struct {
	r        *rand.Rand
	indices  []string
	vectors  []string // of type R^k
	picks    bool     // the components of x are numbers of components
	branches bool
	folds    bool
	lists    bool // not of data alone
	pairs    bool
	names    int
}

func (w *cellWriter) index() string {
	if len(w.indices) == 0 || w.r.IntN(8) == 0 {
		return strconv.Itoa(w.r.IntN(2))
	}
	i := w.indices[w.r.IntN(len(w.indices))]
	if w.r.IntN(4) == 0 {
		return "(k - 1 - " + i + ")"
	}
	return i
}

// number writes an expression of type R.
func (w *cellWriter) number(depth int) string {
	if depth == 0 || w.r.IntN(6) == 0 {
		switch w.r.IntN(8) {
		case 0:
			return "s"
		case 1:
			return "0.25"
		case 2:
			return "(0.1 * " + w.index() + ")"
		case 3:
			return "E.(" + w.index() + ").(" + w.index() + ")"
		case 4:
			return "W.(" + w.index() + ").(" + w.index() + ")"
		}
		return w.vectors[w.r.IntN(len(w.vectors))] + ".(" + w.index() + ")"
	}
	if w.picks && w.r.IntN(3) == 0 {
		x := " x.(" + w.index() + ")"
		switch w.r.IntN(3) {
		case 0:
			return "(pick " + w.vectors[w.r.IntN(len(w.vectors))] + x + ")"
		case 1:
			return "(pick W" + x + ").(" + w.index() + ")"
		}
		return "(pick Z" + x + ").(" + w.index() + ")"
	}
	if w.pairs && w.r.IntN(4) == 0 {
		y, z := w.name("y"), w.name("z")
		return "(let (" + y + ", " + z + ") = " + w.pair(depth) + " in " + y + " - 2 * " + z + ")"
	}
	if w.folds && w.r.IntN(4) == 0 {
		return w.fold(depth)
	}
	if w.branches && w.r.IntN(4) == 0 {
		return w.branch(depth)
	}
	switch w.r.IntN(11) {
	case 0:
		return "(" + w.number(depth-1) + " + " + w.number(depth-1) + ")"
	case 1:
		return "(" + w.number(depth-1) + " - " + w.number(depth-1) + ")"
	case 2, 3:
		return "(" + w.number(depth-1) + " * " + w.number(depth-1) + ")"
	case 4:
		return []string{"sin", "tanh", "sigmoid", "cos"}[w.r.IntN(4)] + " (" + w.number(depth-1) + ")"
	case 5:
		y := w.name("y")
		return "(let " + y + " = " + w.number(depth-1) + " in " + y + " * " + y + ")"
	case 6:
		p, y, z := w.name("p"), w.name("y"), w.name("z")
		return "(let " + p + " = (" + w.number(depth-1) + ", " + w.number(depth-1) + ") in let (" + y + ", " + z + ") = " + p + " in " + y + " - " + z + ")"
	case 7:
		v := w.name("v")
		return "(let " + v + " = " + w.vector(depth-1) + " in " + v + ".(" + w.index() + "))"
	}
	j := w.name("j")
	w.indices = append(w.indices, j)
	text := "(sum " + j + " < k -> " + w.number(depth-1) + ")"
	w.indices = w.indices[:len(w.indices)-1]
	return text
}

// fold writes a fold over data, or over another list, or an iteration.
func (w *cellWriter) fold(depth int) string {
	list := "l"
	e, r, v := w.name("e"), w.name("r"), w.number(0)
	body := []string{r + " * " + v + " + " + e, "tanh (" + r + " + " + e + " * " + v + ")", "if " + r + " < " + e + " then " + v + " * " + r + " else sin " + r,
		"sin (" + r + ") * " + r, r + " * " + w.number(depth-1)}[w.r.IntN(5)]
	start := []string{"0.5", "(" + w.number(depth-1) + ")"}[w.r.IntN(2)]
	if w.lists {
		switch w.r.IntN(6) {
		case 0, 1:
			list = "[" + w.number(depth-1) + "; " + w.number(depth-1) + "; " + w.number(0) + "]"
		case 2, 3:
			j := w.name("j")
			w.indices = append(w.indices, j)
			list = "(list " + j + " < 2 -> " + w.number(depth-1) + ")"
			w.indices = w.indices[:len(w.indices)-1]
		case 4:
			return "(let " + e + " = " + w.number(depth-1) + " in iter #3 (fun " + r + " -> " + body + ") " + start + ")"
		}
		switch w.r.IntN(4) {
		case 0:
			return "(foldl (fun " + r + " " + e + " -> " + body + ") " + start + " " + list + ")"
		case 1:
			g, m := w.name("g"), w.name("m")
			return "(let " + m + " = " + list + " in let " + g + " = fun " + e + " " + r + " -> " + body + " in fold " + g + " " + start + " " + m + ")"
		}
	}
	return "(fold (fun " + e + " " + r + " -> " + body + ") " + start + " " + list + ")"
}

// branch writes a conditional.
func (w *cellWriter) branch(depth int) string {
	less := []string{"<", ">", "<=", ">="}[w.r.IntN(4)]
	text := func(test, yes, no string) string { return "(if " + test + " then " + yes + " else " + no + ")" }
	if w.r.IntN(2) == 0 {
		y := w.name("y")
		slope := []string{"0.25 * " + y, "s * " + y, "sin " + y, y + " * " + y, w.number(0), "0"}[w.r.IntN(6)]
		return "(let " + y + " = " + w.number(depth-1) + " in " + text(y+" "+less+" 0.1", slope, y) + ")"
	}
	return text(w.number(depth-1)+" "+less+" "+w.number(0), w.number(depth-1), w.number(depth-1))
}

// name returns a new name.
func (w *cellWriter) name(letter string) string {
	w.names++
	return letter + strconv.Itoa(w.names)
}

// vector writes an expression of type R^k.
func (w *cellWriter) vector(depth int) string {
	i := w.name("i")
	w.indices = append(w.indices, i)
	text := "vec " + i + " < k -> 0.3 * " + w.number(depth)
	w.indices = w.indices[:len(w.indices)-1]
	return text
}

func (w *cellWriter) cell() string {
	text := ""
	for range w.r.IntN(3) {
		v := w.name("v")
		text += "let " + v + " = " + w.vector(2) + " in "
		w.vectors = append(w.vectors, v)
	}
	return text + w.vector(3)
}

// TestPropertyFamilyBlocks: so it is for random bodies of folds, where their families run as arrays.
func TestPropertyFamilyBlocks(t *testing.T) {
	compareRandom(t, func(cell string) string {
		return "def cell x h = " + cell + "\nlet h = fold cell start a in\nsum i < k -> h.(i)\n"
	})
}

// TestPropertyFamilyBodies: so it is for random programs that are families as a whole.
func TestPropertyFamilyBodies(t *testing.T) {
	compareRandom(t, func(cell string) string {
		return "input x : R^k = vec i < k -> sin i\ninput h : R^k = vec i < k -> cos i\nlet r = " + cell + " in\nsum i < k -> r.(i)\n"
	})
}

// TestPropertyDataBodies: so it is for those with data vectors.
func TestPropertyDataBodies(t *testing.T) {
	compareRandom(t, func(cell string) string {
		return "data x : R^k = vec i < k -> sin i\ninput h : R^k = vec i < k -> cos i\ndata w : R^k^k = vec i < k -> vec j < k -> 0.1 * cos (i - j)\n" +
			"let r = " + strings.ReplaceAll(cell, "W.", "w.") + " in\nsum i < k -> r.(i)\n"
	})
}

// TestPropertyFamilyBranches: so it is where components are conditionals, and what is computed of them.
func TestPropertyFamilyBranches(t *testing.T) {
	const inputs = "input h : R^k = vec i < k -> cos i\n"
	for _, program := range []func(cell string) string{
		func(cell string) string {
			return "def cell x h = " + cell + "\nlet h = fold cell start a in sum i < k -> h.(i)\n"
		},
		func(cell string) string {
			return "def cell x h = " + cell + "\nlet h = fold (fun x h -> let q = cell x h in vec i < k -> (let z = dot W.(i) q in " +
				"if z < 0 then sin z else z)) start a in sum i < k -> h.(i)\n"
		},
		func(cell string) string {
			return inputs + "input x : R^k = vec i < k -> sin i\nlet r = " + cell + " in let q = vec i < k -> (let z = dot W.(i) r in " +
				"if z < 0 then 0.1 * z else z) in let u = matvec E q in sum i < k -> if u.(i) < 0.1 then u.(i)^2 else u.(i)\n"
		},
		func(cell string) string { // the first state has duals that are cells
			return "def cell x h = " + cell + "\nlet h = fold (fun x h -> let q = cell x h in vec i < k -> s * (if q.(i) + h.(i) > 0 then q.(i) * h.(i) else 0)) " +
				"(vec i < k -> if i < 2 then s * s + b.(i) else sin b.(i)) a in sum i < k -> h.(i)\n"
		},
		func(cell string) string {
			return inputs + "sum t < 2 -> let x = vec i < k -> s * h.(i) * t in let r = " + cell + " in sum i < k -> r.(i)\n"
		},
	} {
		compareDraws(t, 40, func(seed, _ int) (string, int) {
			w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 3)), vectors: []string{"x", "h"}, branches: true}
			return familyHead + program(w.cell()), 3
		})
	}
}

// TestPropertyFamilyFolds: so it is where components are folds.
func TestPropertyFamilyFolds(t *testing.T) {
	compareDraws(t, 80, func(seed, _ int) (string, int) {
		w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 5)), vectors: []string{"x", "h"}, folds: true, branches: seed%2 == 0}
		return familyHead + "data l : List R = list t < n -> 0.4 * t - 0.3\ninput h : R^k = vec i < k -> cos i\ninput x : R^k = vec i < k -> sin i\n" +
			"let r = " + w.cell() + " in sum i < k -> r.(i)\n", seed % 4
	})
}

// TestPropertyFamilyLists: so it is where components are folds over lists of what is computed there, and iterations.
func TestPropertyFamilyLists(t *testing.T) {
	compareDraws(t, 80, func(seed, _ int) (string, int) {
		w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 7)), vectors: []string{"x", "h"}, folds: true, lists: true, branches: seed%2 == 0}
		return familyHead + "data l : List R = list t < n -> 0.4 * t - 0.3\ninput h : R^k = vec i < k -> cos i\ninput x : R^k = vec i < k -> sin i\n" +
			"let r = " + w.cell() + " in sum i < k -> r.(i)\n", seed % 4
	})
}

// TestPropertyFamilyMixtures: so it is where some components are numbers and others depend on inputs.
func TestPropertyFamilyMixtures(t *testing.T) {
	compareDraws(t, 40, func(seed, k int) (string, int) {
		w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 1)), vectors: []string{"x", "h", "m"}}
		return familyHead + "def cell x m h = " + w.cell() + "\nlet (h, m) = fold (fun x (h, m) -> (cell x m h, m)) (start, [| 0, 0.5" +
			strings.Repeat(", s", k-2) + " |]) a in sum i < k -> h.(i)\n", 3
	})
}

// TestPropertyFamilyChains: so it is where the function of a fold applies another, which has the families.
func TestPropertyFamilyChains(t *testing.T) {
	for _, loop := range []string{"foldl (fun h x -> cell x h) start a", "let f = fun x -> fun h -> cell x h in fold (fun x h -> f x (f x h)) start a"} {
		for _, branches := range []bool{false, true} {
			compareDraws(t, 30, func(seed, _ int) (string, int) {
				w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 1)), vectors: []string{"x", "h"}, branches: branches}
				return familyHead + "def cell x h = " + w.cell() + "\nlet h = " + loop + " in\nsum i < k -> h.(i)\n", 3
			})
		}
	}
}

// TestPropertyFamilyPicks: so it is where data select components, of which some are 0 and −0.
func TestPropertyFamilyPicks(t *testing.T) {
	const head = `param n = 3
param k = 5
input E : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
input W : R^k^k = vec i < k -> vec j < k -> 0.1 * cos (1 + i*k + j)
input Z : R^k^k = vec i < k -> vec j < k -> (if j < 2 then 0 else 1) * (0.3 - 0.2 * i)
input s = 0.3
data  a : List R^k = list t < n -> vec j < k -> if j + t < k then j + t else if j + t < 2 * k then j + t - k else 0
`
	compareDraws(t, 20, func(seed, _ int) (string, int) {
		w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 2)), vectors: []string{"h"}, picks: true}
		text := "let p = pick W x.(0) in let z = pick Z x.(1) in "
		w.vectors = append(w.vectors, "p", "z")
		return head + "def cell x h = " + text + w.cell() + "\nlet h = fold cell (vec i < k -> 0.1 * i) a in\nsum i < k -> h.(i)\n", 3
	})
}

// compareRandom compares the forms of random programs. Some run as arrays.
func compareRandom(t *testing.T, program func(cell string) string, vectors ...string) {
	t.Helper()
	compareDraws(t, 40, func(seed, _ int) (string, int) {
		w := &cellWriter{r: rand.New(rand.NewPCG(uint64(seed), 1)), vectors: append([]string{"x", "h"}, vectors...)}
		return familyHead + program(w.cell()), 3
	})
}

// compareDraws compares the forms of a program for each seed and size k of its vectors; n is its parameter n.
func compareDraws(t *testing.T, draws int, program func(seed, k int) (src string, n int)) {
	t.Helper()
	for seed := range draws {
		k := 2 + seed%11
		if seed%40 == 39 {
			k = term.Many + 1
		}
		src, n := program(seed, k)
		compareForms(t, src, EvalOptions{}, "k="+strconv.Itoa(k), "n="+strconv.Itoa(n))
	}
}

// TestParallel: workers share the products of matrices and vectors; results have the same bits and counts with any number of them.
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

// TestFamilyBodies: so it is for programs that are families as a whole.
func TestFamilyBodies(t *testing.T) {
	const head = "param n = 5\ninput x : R^n = vec i < n -> sin i\ninput s = 0.7\n" +
		"input A : R^n^n = vec i < n -> vec j < n -> sin (i*n + j)\ninput B : R^n^n = vec i < n -> vec j < n -> cos (i + j*n)\n"
	for _, q := range []struct {
		body   string
		arrays bool
	}{
		{"log (sum i < n -> exp x.(i))", true},
		{"let e = vec i < n -> exp (s * x.(i)) in log (sum i < n -> e.(i)) + sum i < n -> e.(i) * x.(i)", true},
		{"sum i < n -> sum j < n -> (sum k < n -> A.(i).(k) * B.(k).(j))^2", true},
		{"let C = vec i < n -> vec j < n -> sum k < n -> A.(i).(k) * B.(k).(j) in sum i < n -> tanh (dot C.(i) x)", true},
		{"sum i < n -> x.(i) * A.(1).(2)", true},
		{"maximum x", true},
		{"logsumexp x", true},
		{"maximum (vec i < n -> s)", true},
		{"sum i < n -> maximum (vec j < n -> A.(i).(j) * x.(j)) * s", true},
		{"logsumexp (vec i < n -> 3 - maximum (vec j < n -> (A.(j).(i) - x.(j))^2))", true},
		{"sum i < n -> let v = [| s * x.(i) |] in let w = (v, 2 * v.(0)) in let (u, z) = w in u.(0) * z", true},
		{"sum i < n -> let p = scan j < n with p = 1 -> p * x.(i) in (sum j < n -> x.(j) * p.(j))^2", true},
		{"sum i < n -> let p = scan j < n with p = 1 -> p * x.(i) in (sum j < n -> A.(i).(j) * p.(j))^2", true},
		{"let p = scan j < n with p = s -> p * x.(j) in sum i < n -> sum j < n -> A.(i).(j) * p.(j)", true},
		{"let y = scan t < 4 with y = x -> vec i < n -> x.(i) * y.(i) in sum i < n -> y.(2).(i) * y.(3).(i)", true},
		{"let y = scan t < 4 with y = x -> vec i < n -> tanh (dot A.(i) y) in sum t < 4 -> let v = y.(t) in sum i < n -> v.(i) * v.(i)", true},
		{"let y = scan t < 4 with (h, c) = (x, x) -> (vec i < n -> tanh (dot A.(i) h), vec i < n -> s * h.(i) + c.(i)) in sum t < 4 -> let (h, c) = y.(t) in " +
			"logsumexp h + dot (matvec B h) c", true},
		{"let p = scan j < n + 1 with p = s -> p * sin j in sum i < n -> p.(i) * p.(i + 1) * p.(i)", false}, // arrivals of several iterations, in turns
		{"let p = scan j < n + 1 with p = s -> p * sin j in sum i < n -> let q = p.(i) * p.(i + 1) in q * p.(i) * p.(i + 1)", false},
		{"let p = pick A 2 in (sum i < n -> p.(i)) * pick x 1", true},
		{"sum i < n -> x.(i) * x.(0)", true},
		{"vec i < n -> sigmoid (dot A.(i) x)", true}, // so it is for each row of the Jacobian
		{"(vec i < n -> s * x.(i)).(2)", true},       // only one component is reached
		{"sum i < n -> if x.(i) < 0 then x.(i) else s", true},
		{"sum i < n -> if x.(i) < 0 then s * x.(i) else tanh x.(i)", true}, // not in all runs something arrives at s
		{"let y = matvec A x in let z = vec i < n -> if y.(i) < 0 then 0.1 * y.(i) else y.(i) in logsumexp (matvec B z)", true},
		{"sum i < n -> if x.(i) < 0.2 then x.(i)^2 else 2 * x.(i)", true},
		{"sum i < n -> fold (fun e r -> tanh (r * x.(i) + e)) (x.(i) * x.(i)) [0.1; 0.2; 0.3]", true},
		{"sum i < n -> fold (fun e r -> if r < e then sin r else e * r) (x.(i) * s) [0.1; 0.2; 0.3]", true}, // not all numbers of the list are reached
		{"let y = matvec A x in logsumexp (matvec B (vec i < n -> fold (fun e r -> tanh (r * y.(i) + e)) s [1; 2]))", true},
		{"let y = matvec A x in logsumexp (matvec B (vec i < n -> fold (fun e r -> tanh (r * y.(i) + e)) 0 [1; 2]))", true},
	} {
		for _, n := range []string{"n=3", "n=5", "n=13", "n=33"} {
			compareForms(t, head+q.body+"\n", EvalOptions{}, []string{n}...)
		}
	}
}

// TestDataVectors: so it is for programs with data that are vectors.
func TestDataVectors(t *testing.T) {
	const head = "param n = 5\ndata d : R^n = vec i < n -> sin (3 * i)\ndata D : R^n^n = vec i < n -> vec j < n -> cos (i + j*n)\n" +
		"data p : (R * R)^n = vec i < n -> (sin i, i)\ndata c = 0.3\ninput x : R^n = vec i < n -> sin i\ninput s = 0.7\n"
	for _, q := range []struct {
		body   string
		arrays bool
	}{
		{"dot d x", true},
		{"c * dot d x + s", true},
		{"sum (d * d) * s", true},
		{"sum i < n -> (d.(i) - x.(i))^2 / n", true},
		{"sum (matvec D x)", true},
		{"let y = tanh (matvec D x) in logsumexp (matvec D y)", true},
		{"sum i < n -> sum j < n -> D.(j).(i) * x.(i) * x.(j)", true},
		{"sum i < n -> let (a, b) = p.(i) in (a - s * b)^2", true},
		{"sum i < n -> d.(n - 1 - i) * x.(i) + d.(0) * s", true},
		{"sum i < n -> if d.(i) < 0 then 2 * x.(i) else x.(i)", true},
		{"let m = maximum d in sum i < n -> exp (d.(i) - m) * x.(i)", true},
		{"vec i < n -> d.(i) * s", true},
		{"let f = fun y -> y * s in f (dot d x)", false},
	} {
		for _, n := range []string{"n=2", "n=5", "n=33"} {
			compareForms(t, head+q.body+"\n", EvalOptions{}, []string{n}...)
		}
	}
}

// TestWithoutExpansion: a profile of the gradient of a product of matrices that is too large to be expanded, as m, |G| and the span need it.
func TestWithoutExpansion(t *testing.T) {
	p, err := Load(t.Context(), "t.gram", []byte("param n = 170\ninput A : R^n^n = vec i < n -> vec j < n -> i - j\n"+
		"input B : R^n^n = vec i < n -> vec j < n -> i + j\nsum i < n -> sum j < n -> sum k < n -> A.(i).(k) * B.(k).(j)\n"), Options{})
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

// TestFamilyBlocks: a program whose families run as arrays has the value, the gradient and the counts of its expansion,
// to the bit.
func TestFamilyBlocks(t *testing.T) {
	for _, q := range familyPrograms {
		for _, params := range [][]string{nil, {"k=7"}} {
			src := familyHead + "def cell x h = " + q.cell + "\nlet h = fold cell start a in\n" + q.result + "\n"
			compareForms(t, src, EvalOptions{}, params...)
		}
	}
	for name, params := range map[string][]string{"w2.gram": {"n=200", "k=20"}, "w5.gram": {"n=7", "k=9"}} {
		src, err := os.ReadFile("examples/" + name)
		require.NoError(t, err)
		compareForms(t, string(src), EvalOptions{}, params...)
	}
}

// TestLargeBranches: layers whose components are conditionals or folds take no nodes for what is in their families.
func TestLargeBranches(t *testing.T) {
	const k, n = 512, 3
	w5, err := os.ReadFile("examples/w5.gram")
	require.NoError(t, err)
	cell := strings.Replace(string(w5), "o.(q) * tanh c2.(q)", "let z = o.(q) * tanh c2.(q) in if z < 0 then 0.1 * z else z", 1)
	layer := "param k = 4\nparam n = 1\ninput W : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (i*k + j)\ninput x : R^k = vec i < k -> sin i\n" +
		"let y = matvec W x in sum i < k -> let z = y.(i) in (if z < 0 then 0.1 * z else z)^2\n"
	fold := strings.Replace(layer, "if z < 0 then 0.1 * z else z", "fold (fun e r -> tanh (e + r * z)) 0 [0.1; 0.2; 0.3; 0.4]", 1)
	list := strings.Replace(fold, "[0.1; 0.2; 0.3; 0.4]", "[z; 0.2; sin z]", 1)
	iteration := strings.Replace(layer, "if z < 0 then 0.1 * z else z", "foldl (fun r e -> tanh (e + iter #3 (fun q -> q * z) r)) z (list j < 3 -> z * j)", 1)
	for src, steps := range map[string]uint64{cell: n * k, layer: k, fold: 0, list: 0, iteration: 0} {
		p, err := Load(t.Context(), "t.gram", []byte(src), Options{Params: []string{fmt.Sprint("k=", k), fmt.Sprint("n=", n)}})
		require.NoError(t, err)
		res, err := p.Gradient(t.Context(), EvalOptions{})
		require.NoError(t, err)
		require.Equal(t, steps, res.Cost.Steps[rule.Branch])
		require.Less(t, res.Cost.Nodes.Allocated, uint64(2*len(p.inputs)))
	}
}

// TestDeferredArrivals: what arrives at a matrix in many runs of a loop is added at once, where nothing else arrives there.
func TestDeferredArrivals(t *testing.T) {
	for _, sum := range []string{
		"dot E.(i) x + dot W.(i) h",
		"sum j < k -> E.(j).(i) * x.(j) + W.(j).(i) * h.(j)",
		"sum j < k -> E.(i).(j) * (W.(i).(j) * x.(j) + h.(j))",
		"dot E.(i) x + W.(i).(0) * h.(i)",
	} {
		src := familyHead + "def cell x h = vec i < k -> tanh (" + sum + ")\nlet h = fold cell (vec i < k -> 0) a in\nsum i < k -> h.(i)\n"
		for _, params := range [][]string{{"k=5", "n=3"}, {"k=7", "n=66"}, {"k=17", "n=131"}} {
			compareForms(t, src, EvalOptions{}, params...)
		}
	}
}

// TestListInFunction: a list that a comprehension makes in a function is expanded with it.
func TestListInFunction(t *testing.T) {
	p, err := Load(t.Context(), "t.gram", []byte("input x = 2\nlet f = fun y -> fold (fun a s -> a * s + 1) 0 (list i < 3 -> y * i) in f x\n"), Options{})
	require.NoError(t, err)
	res, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, []float64{1}, res.Values)
	require.Equal(t, []float64{0}, res.Jacobian)
}

// TestFamiliesOfLists: a function that makes the elements of a list runs when the list is read, and has families.
func TestFamiliesOfLists(t *testing.T) {
	const src = "input x : R^3 = vec i < 3 -> i\ndata l : List R^3 = list i < 2 -> vec j < 3 -> i + j\nmap (fun e -> vec i < 3 -> e.(i) * x.(i)) l\n"
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

// TestFamilySymbols: a symbol of three parameters in a family is its operations on lanes.
func TestFamilySymbols(t *testing.T) {
	compareForms(t, "symbol gate x y z = x * sigmoid y + z with sigmoid y, x * sigmoid' y, 1\n"+familyHead+
		"sum (fold (fun x h -> vec i < k -> gate (dot W.(i) h) x.(i) b.(i)) start a)\n", EvalOptions{})
}
