package gram_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/gonum/optimize"

	"github.com/gram-machine/gram"
)

// TestPhylogeny: the likelihood of the tree is what PhyML 3.3 computes for it (phyml -m K80 -t 4.24178 -c 1 -o n), its gradient is that of
// differences, and the literal machine has the same value and steps.
func TestPhylogeny(t *testing.T) {
	p := loadExample(t, "phylogeny")
	res, err := p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.InDelta(t, 4252.55611, res.Values[0], 5e-6)

	e, err := p.NewValue(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	requireDifferences(t, e, p.Point(), res.Jacobian, []int{0, 1, 7, 20, 45}) // branches that are longer than h, and kappa

	literal, err := p.Gradient(t.Context(), gram.EvalOptions{Literal: true})
	require.NoError(t, err)
	require.Equal(t, res.Values, literal.Values)
	require.Equal(t, res.Cost.Steps, literal.Cost.Steps)
}

// TestMolecules: a network over the trees of molecules predicts the boiling points of those that are held out better than a bag of their atoms
// does, after 30 iterations each. Its gradient is that of differences, and the literal machine has the same value and steps.
func TestMolecules(t *testing.T) {
	load := func(sets ...string) *gram.Program {
		p, err := gram.LoadFile(t.Context(), "examples/molecules.gram", gram.Options{Params: []string{"k=4", sets[0]}, Sets: sets[1:]})
		require.NoError(t, err)
		return p
	}
	const heldOut = "molecules=@examples/molecules-held-out.json"
	failed := map[string]float64{} // the mean squared errors
	for _, form := range []string{"context=0", "context=1"} {
		p := load(form)
		o, err := p.NewObjective(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		defer o.Close()
		fitted, err := optimize.Minimize(optimize.Problem{Func: o.Func, Grad: o.Grad}, p.Point(), &optimize.Settings{MajorIterations: 30}, &optimize.LBFGS{})
		if err != nil { // near a minimum rounding may end a line search
			require.ErrorContains(t, err, "linesearch")
		}
		e, err := load(form, heldOut).NewValue(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		defer e.Close()
		res, err := e.Value(t.Context(), fitted.X)
		require.NoError(t, err)
		failed[form] = res.Values[0]
	}
	require.Less(t, failed["context=1"], 0.6*failed["context=0"])

	p := load("context=1", heldOut)
	res, err := p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	e, err := p.NewValue(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	requireDifferences(t, e, p.Point(), res.Jacobian, []int{0, 11, 12, 30, 36})
	literal, err := p.Gradient(t.Context(), gram.EvalOptions{Literal: true})
	require.NoError(t, err)
	require.Equal(t, res.Values, literal.Values)
	require.Equal(t, res.Cost.Steps, literal.Cost.Steps)
}

// requireDifferences holds a gradient against central differences of the value.
func requireDifferences(t *testing.T, e *gram.Evaluator, point, gradient []float64, inputs []int) {
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

// TestModularRecursion: recursive functions inside the functions that modular normalises change no gradient. They stay folded there.
func TestModularRecursion(t *testing.T) {
	p := load(t, `type stream = Nil | Cons of R * stream
input x = 2
input w = 0.5
let g = fun y -> (let rec f z = if z < 1 then sin (y * z) else f (z / 2) * y in f (y * 3)) in
let rec total s = match s with | Nil -> 0 | Cons (a, r) -> g a * w + total r in
let h = fun s -> total (Cons (x, s)) in
h (Cons (w, Nil)) + g x + h Nil
`)
	want, err := p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	for _, strategy := range []gram.Strategy{gram.Modular, gram.Unfold} {
		got, err := p.Gradient(t.Context(), gram.EvalOptions{Strategy: strategy})
		require.NoError(t, err)
		require.Equal(t, want.Values, got.Values)
		require.InDeltaSlice(t, want.Jacobian, got.Jacobian, 1e-12)
	}
}

// TestOrderOfComponents: the variables of a pattern are numbered as the body mentions them, not as they stand in the pattern.
func TestOrderOfComponents(t *testing.T) {
	p := load(t, `type sites = End | Site of R^4 * sites
input x : R^4 = [| 1, 2, 3, 4 |]
def up [| a, c, g, t |] = [| 2 * a + g, c + 3 * t, a, t |]
def rec each u = match u with | Site (a, u) -> Site (up a, each u) | End -> End
def rec total u = match u with | Site (a, u) -> dot a x + total u | End -> 0
total (each (Site (x, Site (2 * x, End))))
`)
	for _, opt := range []gram.EvalOptions{{}, {NoFuse: true}, {Literal: true}} {
		res, err := p.Gradient(t.Context(), opt)
		require.NoError(t, err)
		require.Equal(t, []float64{3 * (5 + 28 + 3 + 16)}, res.Values)
		require.Equal(t, []float64{30, 48, 6, 42}, res.Jacobian)
	}
}

// TestStatementsInSequence: one vector statement ends where the next one begins. The numbers that the next one reads are set
// before it, whichever way leads there.
func TestStatementsInSequence(t *testing.T) {
	p := load(t, `param k = 17
input x : R^k = vec i < k -> sin (i + 1)
input y : R^k = vec i < k -> cos i
input t = -0.4
max (logsumexp ((fun (a : R -> R) -> y) (fun z -> z))) t + t + x.(1)
`)
	want, err := p.Gradient(t.Context(), gram.EvalOptions{Literal: true})
	require.NoError(t, err)
	got, err := p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.InDeltaSlice(t, want.Values, got.Values, 1e-12)
	require.InDeltaSlice(t, want.Jacobian, got.Jacobian, 1e-12)
	require.Equal(t, want.Cost.Steps, got.Cost.Steps)
}
