package gram

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/optimize"

	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/rule"
)

// params makes the large examples small enough for the oracles.
var params = map[string][]string{
	"w1": {"n=100"}, "w2": {"n=100", "k=4"}, "w3": {"n=100"}, "w4": {"n=100"}, "w5": {"n=10", "k=3"},
}

// loadExample loads an example; of its data, the first rows.
func loadExample(t testing.TB, name string) *Program {
	t.Helper()
	return loadExampleBy(t, name, Options{Open: testprogram.FirstRows})
}

// loadWholeExample loads an example with all of its data.
func loadWholeExample(t testing.TB, name string) *Program {
	t.Helper()
	return loadExampleBy(t, name, Options{})
}

func loadExampleBy(t testing.TB, name string, opt Options) *Program {
	t.Helper()
	opt.Params = params[name]
	p, err := LoadFile(context.Background(), filepath.Join("examples", name+".gram"), opt)
	require.NoError(t, err)
	return p
}

// exampleNames are the examples but for the largest.
func exampleNames(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("examples/*.gram")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 10)
	var names []string
	for _, f := range files {
		if name := filepath.Base(f[:len(f)-len(".gram")]); !slices.Contains([]string{"phylogeny", "molecules", "newton",
			"characters", "bigram"}, name) {
			names = append(names, name)
		}
	}
	return names
}

// differentiable are the examples without dual λs of their own.
func differentiable(t testing.TB) []string {
	return slices.DeleteFunc(exampleNames(t), func(name string) bool { return name == "backpropagators" })
}

// TestExamples holds each example against the oracles, in all forms, strategies and modes.
func TestExamples(t *testing.T) {
	for _, name := range exampleNames(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := loadExample(t, name)
			value, res := checkForms(t, p, 0, allForms...)
			if res == nil {
				return
			}
			require.Equal(t, value.Values, res.Values)
			for _, r := range []*Result{res, value} {
				require.Zero(t, r.Cost.Steps[rule.PlusPair], "(7)")
				require.Zero(t, r.Cost.Steps[rule.EtaLambda], "(9)")
				require.Zero(t, r.Cost.Steps[rule.EtaPair], "(10)")
			}
			values, jacobian := denote.Jacobian(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
			requireClose(t, values, res.Values, 1e-10)
			requireClose(t, jacobian, res.Jacobian, 1e-10)
			for i, d := range denote.Differences(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point()) {
				if !property.Close(d, res.Jacobian[i], 1e-4) {
					require.InDelta(t, d, res.Jacobian[i], 1e-6, "central difference of partial derivative %d", i)
				}
			}
			checkRepeated(t, p)
			checkStrategies(t, p, res)
			bound := checkBound(t, p)
			checkModes(t, p, res, bound)
			checkGround(t, p, res, bound)
		})
	}
}

// checkRepeated asserts that two runs cost the same, and make no more nodes than steps.
func checkRepeated(t *testing.T, p *Program) {
	want, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	again, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, exact(want.Cost), exact(again.Cost))
	require.LessOrEqual(t, want.Cost.Overhead.Instantiate, want.Cost.Steps.Total())
}

// checkStrategies asserts that a program has the same gradient by each strategy, in steps that do not depend on passes
// or workers.
func checkStrategies(t *testing.T, p *Program, want *Result) {
	for _, s := range []Strategy{Direct, Unfold, Modular} {
		var steps rule.Counts
		for i, opt := range []EvalOptions{{}, {NoFuse: true}, {Schedule: Parallel, Workers: 3}} {
			opt.Strategy = s
			got, err := p.Gradient(t.Context(), opt)
			require.NoError(t, err, s)
			requireClose(t, want.Values, got.Values, 1e-12)
			requireClose(t, want.Jacobian, got.Jacobian, 1e-10)
			if i == 0 {
				steps = got.Cost.Steps
			}
			require.Equal(t, steps, got.Cost.Steps, s)
		}
	}
}

// checkBound asserts that m and |G| don't depend on the schedule, and that the reduction of Theorem 1 takes O(m + |G|)
// steps.
func checkBound(t *testing.T, p *Program) Bound {
	want, err := p.Bound(t.Context(), EvalOptions{})
	require.NoError(t, err)
	for _, schedule := range []Schedule{LIFO, Random} {
		got, err := p.Bound(t.Context(), EvalOptions{Literal: true, Schedule: schedule, Seed: 3})
		require.NoError(t, err)
		if got.Theorem != nil {
			by := got.M + got.Graph + uint64(len(p.Point())) + 1
			require.LessOrEqual(t, got.Theorem.Steps.Total(), 5*by)
			require.LessOrEqual(t, got.Theorem.Units, 12*by)
		}
		got.Theorem = nil
		require.Equal(t, want, got)
	}
	return want
}

// checkModes asserts that the modes find the same values and derivatives, on the graph of Bound.
func checkModes(t *testing.T, p *Program, want *Result, bound Bound) {
	for _, mode := range []Mode{Forward, Tape} {
		res, err := p.Gradient(t.Context(), EvalOptions{Mode: mode})
		require.NoError(t, err)
		requireClose(t, want.Values, res.Values, 1e-12)
		requireClose(t, want.Jacobian, res.Jacobian, 1e-9)
		require.Equal(t, want.Cost.Inputs, res.Cost.Inputs)
		require.Zero(t, res.Cost.Steps)
		require.Zero(t, res.Cost.Overhead)
		require.GreaterOrEqual(t, res.Cost.Nodes.Allocated, bound.Operations)
		require.Positive(t, res.Cost.Operations)
		random, err := p.Gradient(t.Context(), EvalOptions{Mode: mode, Schedule: Random, Seed: 3})
		require.NoError(t, err)
		require.Equal(t, exact(res.Cost), exact(random.Cost))
		requireClose(t, res.Jacobian, random.Jacobian, 1e-9)
	}
}

// groundText prints the graph of a program.
func groundText(t *testing.T, p *Program) string {
	t.Helper()
	m, err := bridge.Of(p).Graph(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer m.Close()
	g, err := stage.NewGround(bridge.Of(p).Source(), m, nil, func() error { return nil })
	require.NoError(t, err)
	var text strings.Builder
	require.NoError(t, g.Write(&text, nil, nil))
	return text.String()
}

// checkGround asserts that the graph G is a program: it is its own graph, and has the same value and gradient.
func checkGround(t *testing.T, p *Program, want *Result, bound Bound) {
	first := groundText(t, p)
	g := mustLoad(t, first)
	require.Equal(t, first, groundText(t, g))
	got, err := g.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, want.Values, got.Values)
	requireClose(t, want.Jacobian, got.Jacobian, 1e-9)
	again, err := g.Bound(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, bound.Graph, again.Graph)
}

// TestWorkloads: forms compute the same values, to the bit, and gradients to rounding, of the workloads. With
// FULL_SIZE, the literal machine and the default make some 10⁸ steps of each.
func TestWorkloads(t *testing.T) {
	long := fmt.Sprint("n=", property.Size(70_000))
	used := slices.DeleteFunc(slices.Clone(allForms), func(f form) bool { return f.opt.Schedule == Random })
	for name, sizes := range map[string][][]string{"w1": {{long}, {"n=1e6"}}, "w2": {{"n=50", "k=16"}, {"n=1000", "k=16"}},
		"w3": {{long}, {"n=1e6"}}, "w4": {{long}, {"n=1e6"}}, "batch": {{"n=3000"}}} {
		for i, params := range sizes {
			if i == 1 && !property.Full() {
				break
			}
			p, err := LoadFile(t.Context(), filepath.Join("examples", name+".gram"), Options{Params: params})
			require.NoError(t, err)
			checkForms(t, p, 0, [][]form{used, forms[:2]}[i]...)
		}
	}
}

// TestBackpropagators: Figure 1's backpropagators by hand give what D gives.
func TestBackpropagators(t *testing.T) {
	ctx := context.Background()
	byHand, err := loadExample(t, "backpropagators").Value(ctx, EvalOptions{})
	require.NoError(t, err)
	res, err := loadExample(t, "figure1").Gradient(ctx, EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, append(res.Values, res.Jacobian...), byHand.Values)
	_, err = loadExample(t, "backpropagators").Gradient(ctx, EvalOptions{})
	require.ErrorContains(t, err, "backpropagators.gram:4:11")
}

func requireClose(t *testing.T, want, got []float64, tolerance float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if !property.Close(want[i], got[i], tolerance) {
			require.InDelta(t, want[i], got[i], tolerance, "number %d", i)
		}
	}
}

// TestReferenceValues holds the workloads at full size against the values of C by
// hand, to a relative 1e-9.
func TestReferenceValues(t *testing.T) {
	page, err := os.ReadFile("docs/performance.md")
	require.NoError(t, err)
	onPage := map[float64]bool{}
	for _, text := range regexp.MustCompile(`[−\d][\d.]*(e−\d+)?`).FindAllString(string(page), -1) {
		x, _ := strconv.ParseFloat(strings.ReplaceAll(text, "−", "-"), 64)
		onPage[x] = true
	}
	for _, w := range []struct {
		name     string
		params   []string
		value    float64
		gradient []float64 // the first of its numbers
		sum      float64   // of the absolute values of all; 0: not known
	}{
		{"w1", []string{"n=1e3"}, 0.597689327679, []float64{-0.0631397027222, 0.147126782473}, 0},
		{"w1", []string{"n=1e6"}, 0.449411096880, []float64{-0.277085974651, 0.180806205797}, 0},
		{"w2", []string{"n=1e3", "k=16"}, 7.91896516271, []float64{-0.102620606561, 0.136214147095, 0.249814242095},
			67.4210056883},
		{"w3", []string{"n=1e5"}, -9.99861661146e-06, []float64{6.91512684187e-10}, 0},
		{"w4", []string{"n=1e6"}, 1100, []float64{1100000, 1000}, 0},
		{"w5", []string{"n=100", "k=16"}, -0.969970334547, []float64{-0.0465711358453}, 53.5855403331},
		{"w5", []string{"n=100", "k=64"}, -24.7623126052, []float64{0.0286906700062, -0.0582210539270, -0.0916046093798},
			822.081323022},
	} {
		p, err := LoadFile(context.Background(), filepath.Join("examples", w.name+".gram"), Options{Params: w.params})
		require.NoError(t, err)
		res, err := p.Gradient(context.Background(), EvalOptions{})
		require.NoError(t, err)
		require.InEpsilon(t, w.value, res.Values[0], 1e-9, w.name)
		require.InEpsilonSlice(t, w.gradient, res.Jacobian[:len(w.gradient)], 1e-9, w.name)
		for _, x := range append(w.gradient, w.value, w.sum) {
			require.True(t, x == 0 || onPage[x], "docs/performance.md does not have %v", x)
		}
		if w.sum > 0 {
			sum := 0.0
			for _, g := range res.Jacobian {
				sum += max(g, -g)
			}
			require.InEpsilon(t, w.sum, sum, 1e-9, w.name)
		}
	}
}

// TestCharacters: the gradients of the language models of characters, with families as arrays, are those of
// differences, and the expansion has the same bits and steps.
func TestCharacters(t *testing.T) {
	text := make([]float64, 66)
	for i, c := range []byte("Two\nrows of 33 characters, the second ends with the\nline's end.  \n") {
		text[i] = float64(c)
	}
	for name, params := range map[string][]string{"characters": {"hidden=2", "length=5"}, "bigram": {"length=5"}} {
		p, err := LoadFile(t.Context(), "examples/"+name+".gram",
			Options{Params: params, Values: map[string][]float64{"text": text}})
		require.NoError(t, err)
		res, err := p.Gradient(t.Context(), EvalOptions{})
		require.NoError(t, err)
		require.Greater(t, res.Values[0], 6.5) // bits for one of 96 characters
		e, err := p.NewValue(t.Context(), EvalOptions{})
		require.NoError(t, err)
		defer e.Close()
		var inputs []int
		for i, d := range res.Jacobian {
			if d > 1e-3 || d < -1e-3 {
				inputs = append(inputs, i)
			}
		}
		require.Greater(t, len(inputs), 8)
		requireDifferences(t, e, p.Point(), res.Jacobian, inputs[:8])
		expanded, err := p.Gradient(t.Context(), EvalOptions{NoFuse: true})
		require.NoError(t, err)
		require.Equal(t, res.Values, expanded.Values)
		require.InDeltaSlice(t, res.Jacobian, expanded.Jacobian, 1e-13) // other forms round otherwise
		require.Equal(t, res.Cost.Steps, expanded.Cost.Steps)
	}
}

// TestPhylogeny: the likelihood of the tree is what PhyML 3.3 computes for it (phyml -m K80 -t 4.24178 -c 1 -o n), its
// gradient is that of differences, and the literal machine has the same value and steps.
func TestPhylogeny(t *testing.T) {
	p := loadExample(t, "phylogeny")
	res, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.InDelta(t, 4252.55611, res.Values[0], 5e-6)

	e, err := p.NewValue(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	requireDifferences(t, e, p.Point(), res.Jacobian, []int{0, 1, 7, 20, 45}) // branches that are longer than h, and kappa

	literal, err := p.Gradient(t.Context(), EvalOptions{Literal: true})
	require.NoError(t, err)
	require.Equal(t, res.Values, literal.Values)
	require.Equal(t, res.Cost.Steps, literal.Cost.Steps)
}

// TestMolecules: a network over the trees of molecules predicts the boiling points of those that are held out better
// than a bag of their atoms does, after 30 iterations each. Its gradient is that of differences, and the literal
// machine has the same value and steps.
func TestMolecules(t *testing.T) {
	load := func(sets ...string) *Program {
		p, err := LoadFile(t.Context(), "examples/molecules.gram", Options{Params: []string{"k=4", sets[0]}, Sets: sets[1:]})
		require.NoError(t, err)
		return p
	}
	const heldOut = "molecules=@examples/molecules-held-out.json"
	failed := map[string]float64{} // the mean squared errors
	for _, form := range []string{"context=0", "context=1"} {
		p := load(form)
		o, err := p.NewObjective(t.Context(), EvalOptions{})
		require.NoError(t, err)
		defer o.Close()
		fitted, err := optimize.Minimize(optimize.Problem{Func: o.Func, Grad: o.Grad}, p.Point(),
			&optimize.Settings{MajorIterations: 30}, &optimize.LBFGS{})
		if err != nil { // near a minimum rounding may end a line search
			require.ErrorContains(t, err, "linesearch")
		}
		e, err := load(form, heldOut).NewValue(t.Context(), EvalOptions{})
		require.NoError(t, err)
		defer e.Close()
		res, err := e.Value(t.Context(), fitted.X)
		require.NoError(t, err)
		failed[form] = res.Values[0]
	}
	require.Less(t, failed["context=1"], 0.6*failed["context=0"])

	p := load("context=1", heldOut)
	res, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	e, err := p.NewValue(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	requireDifferences(t, e, p.Point(), res.Jacobian, []int{0, 11, 12, 30, 36})
	literal, err := p.Gradient(t.Context(), EvalOptions{Literal: true})
	require.NoError(t, err)
	require.Equal(t, res.Values, literal.Values)
	require.Equal(t, res.Cost.Steps, literal.Cost.Steps)
}

// requireDifferences holds a gradient against central differences of the value.
func requireDifferences(t *testing.T, e *Evaluator, point, gradient []float64, inputs []int) {
	const h = 1e-6
	at := func(i int, h float64) float64 {
		moved := slices.Clone(point)
		moved[i] += h
		res, err := e.Value(t.Context(), moved)
		require.NoError(t, err)
		return res.Values[0]
	}
	for _, i := range inputs {
		require.InEpsilon(t, (at(i, h)-at(i, -h))/(2*h), gradient[i], 1e-4, i)
	}
}

// TestNewton: the distance of Newton's method from the minimum is squared in each step, in both machines, where
// curvatures differ by a factor of 10^6; and the derivative of the minimum by the input is exact.
func TestNewton(t *testing.T) {
	p := loadExample(t, "newton")
	res, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	last := len(res.Values) - 1
	for i, d := range res.Values[:last] {
		require.Less(t, res.Values[i+1], math.Max(d*d, 1e-15))
	}
	require.Less(t, res.Values[last], 1e-15)
	require.InDelta(t, 0, res.Jacobian[last], 1e-14)
	literal, err := p.Value(t.Context(), EvalOptions{Literal: true})
	require.NoError(t, err)
	require.Equal(t, res.Values, literal.Values)
}

// TestCountsArePinned: the steps by rule of every example, W1–W5 among them, under each
// strategy are those of testdata/counts.txt. A change of them needs a line in
// CHANGELOG.md.
func TestCountsArePinned(t *testing.T) {
	ctx := context.Background()
	var out strings.Builder
	for _, name := range exampleNames(t) {
		p := loadWholeExample(t, name)
		line := func(what string, res *Result, err error) {
			require.NoError(t, err)
			fmt.Fprintf(&out, "%-16s %-8s %8d steps:", name, what, res.Cost.Steps.Total())
			for r, n := range res.Cost.Steps {
				if n > 0 {
					fmt.Fprintf(&out, " %s=%d", rule.Rule(r), n)
				}
			}
			out.WriteString("\n")
		}
		res, err := p.Value(ctx, EvalOptions{})
		line("value", res, err)
		if name == "backpropagators" {
			continue
		}
		for _, s := range []Strategy{Direct, Unfold, Modular} {
			res, err := p.Gradient(ctx, EvalOptions{Strategy: s})
			line(s.String(), res, err)
		}
	}
	const file = "testdata/counts.txt"
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), out.String())
}
