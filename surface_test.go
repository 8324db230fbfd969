package gram_test

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/rule"
)

// surfaceWriter writes random programs in the source language.
type surfaceWriter struct {
	r       *rand.Rand
	numbers []string // names of type R
	vectors []string // of type R^k
	indices []string // below k
	inside  int      // how many comprehensions are around what is written
	names   int
}

const surfaceHead = `input x : R^k = vec i < k -> sin (i + 1)
input y : R^k = vec i < k -> cos i
input A : R^k^k = vec i < k -> vec j < k -> 0.3 * sin (1 + i*k + j)
input B : R^k^k = vec i < k -> vec j < k -> 0.3 * cos (2 + i - j*k)
input s = 0.7
input t = -0.4
data  l : List R = list i < 3 -> 0.4 * i - 0.3
data  m : List R^k = list i < 2 -> vec j < k -> 0.2 * cos (i + j)
`

// program writes a program with vectors of k numbers, beside a large sum if large.
func (w *surfaceWriter) program(k int, large bool) string {
	var text strings.Builder
	fmt.Fprintf(&text, "param k = %d\n%s", k, surfaceHead)
	w.numbers, w.vectors = []string{"s", "t"}, []string{"x", "y"}
	// Functions that are bound outside of what applies them.
	w.numbers = append(w.numbers, "u", "v")
	fmt.Fprintf(&text, "let f = fun u v -> %s in\n", w.number(2))
	w.numbers = w.numbers[:2]
	w.vectors = append(w.vectors, "q")
	fmt.Fprintf(&text, "let g = fun (q : R^k) -> %s in\n", w.number(2))
	w.vectors = w.vectors[:2]
	w.numbers = append(w.numbers, "u")
	fmt.Fprintf(&text, "let rec h n u = if n < 1 then %s else tanh (h (n - 1) %s) * %s in\n", w.number(1), w.number(1), w.number(0))
	w.numbers = w.numbers[:2]
	for range w.r.IntN(3) {
		name := w.name("v")
		fmt.Fprintf(&text, "let %s = %s in\n", name, w.vector(2))
		w.vectors = append(w.vectors, name)
	}
	text.WriteString(w.calling(3))
	if large {
		text.WriteString(" + 0.001 * (sum i < 400 -> sin (x.(0) * i))")
	}
	if w.r.IntN(6) == 0 {
		return strings.Replace(text.String()+"\n", w.lastLine(text.String()), "vec o < k -> x.(o) * ("+w.lastLine(text.String())+")", 1)
	}
	return text.String() + "\n"
}

func (w *surfaceWriter) lastLine(text string) string { return text[strings.LastIndex(text, "\n")+1:] }

func (w *surfaceWriter) pick(of []string) string { return of[w.r.IntN(len(of))] }

func (w *surfaceWriter) name(letter string) string {
	w.names++
	return letter + strconv.Itoa(w.names)
}

func (w *surfaceWriter) index() string {
	if len(w.indices) == 0 || w.r.IntN(6) == 0 {
		return strconv.Itoa(w.r.IntN(2))
	}
	i := w.pick(w.indices)
	if w.r.IntN(4) > 0 {
		return i
	}
	return "(k - 1 - " + i + ")"
}

// with writes what is in the scope of an index.
func (w *surfaceWriter) with(format string, write func() string) string {
	i := w.name("i")
	w.indices = append(w.indices, i)
	w.inside++
	text := write()
	w.inside--
	w.indices = w.indices[:len(w.indices)-1]
	return fmt.Sprintf(format, i, text)
}

// bound writes what is in the scope of names of numbers.
func (w *surfaceWriter) bound(names []string, write func() string) string {
	n := len(w.numbers)
	w.numbers = append(w.numbers, names...)
	text := write()
	w.numbers = w.numbers[:n]
	return text
}

func (w *surfaceWriter) numeral() string { return w.pick([]string{"0.5", "1", "0", "2"}) }

func (w *surfaceWriter) leaf() string {
	switch w.r.IntN(7) {
	case 0, 1:
		return w.pick(w.numbers)
	case 2:
		return w.numeral()
	case 3:
		return "(0.1 * " + w.index() + ")"
	case 4:
		return []string{"A", "B"}[w.r.IntN(2)] + ".(" + w.index() + ").(" + w.index() + ")"
	}
	return w.pick(w.vectors) + ".(" + w.index() + ")"
}

// number writes an expression of type R.
func (w *surfaceWriter) number(depth int) string {
	if depth == 0 {
		return w.leaf()
	}
	next := func() string { return w.number(depth - 1) }
	switch w.r.IntN(19) {
	case 0:
		return w.leaf()
	case 16:
		c := w.name("c")
		return "(let " + c + " = " + w.numeral() + " in " + w.bound([]string{c, c, c}, next) + ")"
	case 17:
		c, d := w.name("c"), w.name("d")
		pair := []string{"(" + w.numeral() + ", " + next() + ")", "(" + w.numeral() + ", " + w.numeral() + ")"}[w.r.IntN(2)]
		return "(let (" + c + ", " + d + ") = " + pair + " in " + w.bound([]string{c, c, d}, next) + ")"
	case 18:
		v := w.name("v")
		size := w.with("(vec %s < k -> %s)", func() string {
			return w.pick([]string{w.numeral(), w.index(), "if " + w.leaf() + " < 0.5 then " + w.leaf() + " else " + w.numeral()})
		})
		text := "(let " + v + " = " + size + " in "
		w.vectors = append(w.vectors, v, v)
		text += next() + ")"
		w.vectors = w.vectors[:len(w.vectors)-2]
		return text
	case 1:
		return "(" + next() + " + " + next() + ")"
	case 2:
		return "(" + next() + " - " + next() + ")"
	case 3, 4:
		return "(" + next() + " * " + next() + ")"
	case 5:
		return "(" + []string{"sin", "tanh", "sigmoid", "cos"}[w.r.IntN(4)] + " (" + next() + "))"
	case 6:
		a := w.name("a")
		return "(let " + a + " = " + next() + " in " + w.bound([]string{a}, next) + ")"
	case 7:
		a, b := w.name("a"), w.name("b")
		return "(let (" + a + ", " + b + ") = (" + next() + ", " + next() + ") in " + w.bound([]string{a, b}, next) + ")"
	case 8, 9:
		return w.with("(sum %s < k -> %s)", next)
	case 10:
		return "(if " + next() + w.pick([]string{" < ", " > ", " <= ", " >= "}) + w.leaf() + " then " + next() + " else " + next() + ")"
	case 11, 12:
		return w.fold(depth)
	case 13:
		v := w.name("v")
		text := "(let " + v + " = " + w.vector(depth-1) + " in "
		w.vectors = append(w.vectors, v)
		text += next() + ")"
		w.vectors = w.vectors[:len(w.vectors)-1]
		return text
	case 14:
		return "(dot " + w.pick(w.vectors) + " " + w.pick(w.vectors) + ")"
	}
	r := w.name("r")
	return "(iter #" + strconv.Itoa(1+w.r.IntN(3)) + " (fun " + r + " -> tanh (" + w.bound([]string{r}, next) + ")) " + w.leaf() + ")"
}

// calling writes an expression of type R in which the functions of the program are applied.
func (w *surfaceWriter) calling(depth int) string {
	n := func() string { return w.number(depth - 1) }
	v := func() string { return w.pick(w.vectors) }
	parts := []func() string{
		n,
		func() string { return "f (" + n() + ") (" + n() + ")" },
		func() string { return "g " + v() },
		func() string { return "h " + strconv.Itoa(w.r.IntN(4)) + " (" + n() + ")" },
		func() string {
			return w.with("(sum %s < k -> %s)", func() string { return "f " + w.leaf() + " (" + n() + ")" })
		},
		func() string {
			return w.with("(sum %s < k -> %s)", func() string { return "h 1 " + w.leaf() + " * g " + v() })
		},
		func() string {
			a := w.name("a")
			return "(jvp (fun " + a + " -> " + w.bound([]string{a}, n) + ") " + w.leaf() + " " + w.leaf() + ")"
		},
		func() string { return "(jvp (fun (q : R^k) -> g q * q.(0)) " + v() + " " + v() + ")" },
		func() string { return "(dot (matvec A " + v() + ") " + v() + ")" },
	}
	text := parts[w.r.IntN(len(parts))]()
	for range 1 + w.r.IntN(3) {
		text += " + " + parts[w.r.IntN(len(parts))]()
	}
	return text
}

// fold writes a fold over a list of numbers, pairs or vectors: data, a literal or one over an index.
func (w *surfaceWriter) fold(depth int) string {
	next := func() string { return w.number(depth - 1) }
	a, b, r := w.name("a"), w.name("b"), w.name("r")
	size := strconv.Itoa(1 + w.r.IntN(3))
	body := func(names ...string) string {
		return "tanh (" + w.bound(append(names, r), next) + ")"
	}
	switch w.r.IntN(6) {
	case 0:
		return "(fold (fun " + a + " " + r + " -> " + body(a) + ") " + w.leaf() + " l)"
	case 1:
		return "(foldl (fun " + r + " " + a + " -> " + body(a) + ") " + w.leaf() + " [" + next() + "; " + next() + "])"
	case 2:
		return "(fold (fun " + a + " " + r + " -> " + body(a) + ") " + w.leaf() + " " +
			w.with("(list %s < "+size+" -> %s)", next) + ")"
	case 3:
		return "(fold (fun (" + a + ", " + b + ") " + r + " -> " + body(a, b) + ") " + w.leaf() + " " +
			w.with("(list %s < "+size+" -> %s)", func() string { return "(" + next() + ", " + next() + ")" }) + ")"
	case 4:
		return "(fold (fun " + a + " " + r + " -> " + body(a) + ") " + w.leaf() + " (map (fun " + b + " -> " + w.bound([]string{b}, next) + ") l))"
	}
	v := w.name("v")
	w.vectors = append(w.vectors, v)
	text := body()
	w.vectors = w.vectors[:len(w.vectors)-1]
	list := "m"
	if w.r.IntN(2) == 0 {
		list = w.with("(list %s < "+size+" -> %s)", func() string { return w.vector(depth - 1) })
	}
	return "(fold (fun " + v + " " + r + " -> " + text + ") " + w.leaf() + " " + list + ")"
}

// vector writes an expression of type R^k.
func (w *surfaceWriter) vector(depth int) string {
	switch w.r.IntN(5) {
	case 0:
		return w.pick(w.vectors)
	case 1:
		return "(matvec " + []string{"A", "B"}[w.r.IntN(2)] + " " + w.pick(w.vectors) + ")"
	}
	return w.with("(vec %s < k -> %s)", func() string { return w.number(depth) })
}

// randomPrograms is how many programs TestRandomPrograms draws, times the environment's RANDOM_PROGRAMS; the first seed is the
// environment's RANDOM_SEED.
const randomPrograms = 200

// TestRandomPrograms: all forms of random programs in the source language make the same steps by rule and have the same m and |G|, and
// numbers that agree to rounding with each other, with forward mode and with central differences. One evaluator gives at several points,
// also after a run that has been cancelled or has reached a limit, what a new one gives.
func TestRandomPrograms(t *testing.T) {
	times, first := 1, 0
	if s := os.Getenv("RANDOM_PROGRAMS"); s != "" {
		var err error
		times, err = strconv.Atoi(s)
		require.NoError(t, err)
	}
	if s := os.Getenv("RANDOM_SEED"); s != "" {
		var err error
		first, err = strconv.Atoi(s)
		require.NoError(t, err)
	}
	finite := 0
	for seed := first; seed < first+times*randomPrograms; seed++ {
		w := &surfaceWriter{r: rand.New(rand.NewPCG(uint64(seed), 11))}
		k := 3 + seed%3
		if seed%50 == 49 {
			k = 33
		}
		if compareSurface(t, w.program(k, seed%3 == 0), seed) {
			finite++
		}
	}
	t.Logf("%d programs, %d with finite gradients", times*randomPrograms, finite)
	require.Greater(t, finite, times*randomPrograms*9/10)
}

// compareSurface compares the forms of a program, and reports whether its gradient is finite.
func compareSurface(t *testing.T, src string, seed int) bool {
	t.Helper()
	failed := func(what string) string { return fmt.Sprintf("seed %d, %s:\n%s", seed, what, src) }
	p, err := gram.Load(t.Context(), "t.gram", []byte(src), gram.Options{})
	require.NoError(t, err, failed("load"))
	want, err := p.Gradient(t.Context(), gram.EvalOptions{Literal: true})
	require.NoError(t, err, failed("literal"))
	value, err := p.Value(t.Context(), gram.EvalOptions{Literal: true})
	require.NoError(t, err, failed("literal"))
	scale := 1.0
	for _, x := range append(want.Values, want.Jacobian...) {
		scale = max(scale, math.Abs(x))
	}
	finite := scale < 1e8
	near := func(x, y []float64, bound float64, what string) {
		t.Helper()
		require.Len(t, y, len(x), failed(what))
		for i := range x {
			if finite && !(math.Abs(x[i]-y[i]) <= bound*scale) {
				require.Failf(t, "numbers differ", "%v and %v at %d, %s", x[i], y[i], i, failed(what))
			}
		}
	}
	for name, opt := range allForms {
		res, err := p.Gradient(t.Context(), opt)
		require.NoError(t, err, failed(name))
		require.Equal(t, want.Cost.Steps, res.Cost.Steps, failed(name))
		near(want.Values, res.Values, 1e-11, name)
		near(want.Jacobian, res.Jacobian, 1e-11, name)
		res, err = p.Value(t.Context(), opt)
		require.NoError(t, err, failed(name))
		require.Equal(t, value.Cost.Steps, res.Cost.Steps, failed(name))
		near(value.Values, res.Values, 1e-11, name)
	}
	arrays, err := p.Bound(t.Context(), gram.EvalOptions{})
	require.NoError(t, err, failed("m and |G|"))
	nodes, err := p.Bound(t.Context(), gram.EvalOptions{NoFuse: true})
	require.NoError(t, err, failed("m and |G|"))
	require.Equal(t, nodes, arrays, failed("m and |G|"))

	// Forward mode along one direction, and central differences along all.
	r := rand.New(rand.NewPCG(uint64(seed), 12))
	point := make([]denote.Dual, len(p.Point()))
	along := make([]float64, len(want.Values))
	for i, x := range p.Point() {
		point[i] = denote.Dual{V: x, T: r.Float64() - 0.5}
		for j := range along {
			along[j] += want.Jacobian[j*len(point)+i] * point[i].T
		}
	}
	values, slopes := make([]float64, len(along)), make([]float64, len(along))
	for j, d := range denote.Eval(p.Term(), p.ScalarInputs(), point) {
		values[j], slopes[j] = d.V, d.T
	}
	near(values, want.Values, 1e-10, "forward mode")
	near(slopes, along, 1e-8, "forward mode")
	if seed%20 == 0 && finite && !p.Branches() {
		near(denote.Differences(p.Term(), p.ScalarInputs(), p.Point()), want.Jacobian, 1e-3, "central differences")
	}
	if seed%10 == 1 {
		compareReuse(t, p, want.Cost.Steps, failed("one evaluator"))
	}
	return finite
}

// compareReuse runs one evaluator at several points, and after runs that have ended early.
func compareReuse(t *testing.T, p *gram.Program, steps rule.Counts, failed string) {
	t.Helper()
	e, err := p.NewGradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err, failed)
	defer func() { require.NoError(t, e.Close()) }()
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	for i := range 4 {
		point := p.Point()
		for j := range point {
			point[j] *= []float64{1, -1.3, 0.1, 1}[i]
		}
		if i == 2 {
			_, err := e.Gradient(ended, point)
			require.Error(t, err, failed)
		}
		res, err := e.Gradient(t.Context(), point)
		require.NoError(t, err, failed)
		got, counts := append(append([]float64{}, res.Values...), res.Jacobian...), res.Cost.Steps
		fresh, err := p.NewGradient(t.Context(), gram.EvalOptions{Literal: true})
		require.NoError(t, err, failed)
		want, err := fresh.Gradient(t.Context(), point)
		require.NoError(t, err, failed)
		require.Equal(t, want.Cost.Steps, counts, failed)
		for j, x := range append(append([]float64{}, want.Values...), want.Jacobian...) {
			if math.Abs(x) < 1e8 && !(math.Abs(x-got[j]) <= 1e-9*max(1, math.Abs(x))) {
				require.Failf(t, "numbers differ", "%v and %v, %s", x, got[j], failed)
			}
		}
		require.NoError(t, fresh.Close())
	}
	var limit *gram.LimitError
	_, err = p.Gradient(t.Context(), gram.EvalOptions{MaxSteps: max(1, steps.Total()/2)})
	require.ErrorAs(t, err, &limit, failed)
}
