package revgrad

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/term"
)

func graphOf(t require.TestingT, q *term.Term, inputs ...term.Var) *hypergraph.Graph {
	g, err := hypergraph.FromTerm(q, inputs, nil)
	require.NoError(t, err)
	return g
}

// scale returns the greatest number that forward mode makes at the point, and +Inf if
// one of them is none: derivatives then lose their digits, or have no meaning.
func scale(t require.TestingT, g *hypergraph.Graph, point []float64) float64 {
	m := hypergraph.NewMemory(g, nil)
	s := 1.0
	for j := range point {
		require.NoError(t, m.Forward(point, j))
		for w := range g.Len() {
			for _, v := range []float64{m.Value(hypergraph.Node(w)), m.Second(hypergraph.Node(w))} {
				if math.IsNaN(v) {
					return math.Inf(1)
				}
				s = max(s, math.Abs(v))
			}
		}
	}
	return s
}

// requireClose holds derivatives against each other; those of a polynomial are equal.
func requireClose(t require.TestingT, want, got []float64, scale float64, exact bool) {
	require.Len(t, got, len(want))
	switch {
	case exact && scale < 1<<40:
		for i := range want {
			require.True(t, want[i] == got[i], "%v and %v", want, got)
		}
	case scale < 1e9:
		for i := range want {
			require.InDelta(t, want[i], got[i], 1e-11*scale*math.Max(1, math.Abs(want[i])))
		}
	}
}

// checkModes holds everything that computes derivatives of a ground term at a point
// against the values and the Jacobian that it should have.
func checkModes(t require.TestingT, g *groundTerm, values, gradient []float64) {
	h := graphOf(t, g.t, g.inputs...)
	n := len(g.inputs)
	s := scale(t, h, g.point)

	m := hypergraph.NewMemory(h, nil)
	fwd, err := m.ForwardMode(g.point)
	require.NoError(t, err)
	requireSame(t, values, fwd.Values)
	requireSame(t, gradient, fwd.Jacobian)
	back, err := m.Backpropagation(g.point)
	require.NoError(t, err)
	requireSame(t, values, back.Values)
	requireClose(t, gradient, back.Jacobian, s, g.exact)
	// Edges and operations bound what the modes do: 2.2 and 2.4.
	require.LessOrEqual(t, fwd.Operations, uint64(n*(4*h.Size().Operations+2*h.Size().Edges)))
	require.LessOrEqual(t, back.Operations, uint64(h.Size().Operations+3*h.Size().Edges))

	checkForward(t, g, values, gradient)
	checkBP(t, g, values, gradient, s)
}

// seeded is let x1 = ⟨y1,b1⟩ in … Fwd(G), with free variables y1,b1,…: the context of
// Proposition Fwd.
func seeded(fwd *term.Term, inputs []term.Var) []term.Var {
	var seeds []term.Var
	for _, x := range inputs {
		y := fwd.NewVar(term.VarInfo{Name: "y", Type: term.R})
		b := fwd.NewVar(term.VarInfo{Name: "b", Type: term.R})
		fwd.Root = fwd.Let(0, x, fwd.Pair(0, fwd.Variable(0, y), fwd.Variable(0, b)), fwd.Root)
		seeds = append(seeds, y, b)
	}
	return seeds
}

// checkForward is Proposition Fwd, with Lemma |Fwd G| = O(|G|).
func checkForward(t require.TestingT, g *groundTerm, values, gradient []float64) {
	fwd, err := Forward(g.t, g.inputs, nil)
	require.NoError(t, err)
	typ, err := fwd.Check()
	require.NoError(t, err)
	require.Equal(t, g.t.Types.Prod(term.R, term.R), typ)
	require.Subset(t, g.inputs, fwd.FreeVars())
	require.LessOrEqual(t, fwd.Size(), forwardConstant*g.t.Size())
	forwardMost.Measure(float64(fwd.Size())/float64(g.t.Size()), g.t)

	// Fwd(G) has 2n inputs and 2 outputs.
	for j := range g.inputs {
		fwd, err := Forward(g.t, g.inputs[j:j+1], nil)
		require.NoError(t, err)
		m := hypergraph.NewMemory(graphOf(t, fwd, g.inputs...), nil)
		seeds := seeded(fwd, g.inputs)
		point := make([]float64, 0, 2*len(g.inputs))
		duals := make([]denote.Dual, 0, 2*len(g.inputs))
		for i, r := range g.point {
			a := 0.0
			if i == j {
				a = 1
			}
			point = append(point, r, a)
			duals = append(duals, denote.Dual{V: r}, denote.Dual{V: a})
		}
		res, err := m.Values(point)
		require.NoError(t, err)
		requireSame(t, []float64{values[0], gradient[j]}, res.Values)
		out := denote.Eval(fwd, seeds, duals)
		requireSame(t, res.Values, []float64{out[0].V, out[1].V})
	}
}

// checkBP is Proposition backprop_sound, with Lemma backprop_size.
func checkBP(t require.TestingT, g *groundTerm, values, gradient []float64, scale float64) {
	q, a, err := BP(g.t, g.inputs, nil)
	require.NoError(t, err)
	typ, err := q.Check()
	require.NoError(t, err)
	n := len(g.inputs)
	require.Equal(t, q.Types.Prod(term.R, q.Types.Vec(n, term.R)), typ)
	require.Subset(t, append([]term.Var{a}, g.inputs...), q.FreeVars())
	rest := 2*int64(n) + 1 // the tuple, of zeros
	require.LessOrEqual(t, q.Size(), bpConstant*g.t.Size()+rest)
	bpMost.Measure(float64(q.Size()-rest)/float64(g.t.Size()), g.t)

	// bp(G) has n+1 inputs and 1+n outputs.
	inputs := append(append([]term.Var{}, g.inputs...), a)
	for _, seed := range []float64{1, -2} {
		point := append(append([]float64{}, g.point...), seed)
		want := make([]float64, n)
		duals := make([]denote.Dual, n+1)
		for i := range point {
			duals[i].V = point[i]
		}
		for i := range want {
			want[i] = seed * gradient[i]
		}
		res, err := hypergraph.NewMemory(graphOf(t, q, inputs...), nil).Values(point)
		require.NoError(t, err)
		requireSame(t, values, res.Values[:1])
		requireClose(t, want, res.Values[1:], scale, g.exact)
		for i, d := range denote.Eval(q, inputs, duals) {
			requireSame(t, []float64{res.Values[i]}, []float64{d.V})
		}
	}
}

func requireSame(t require.TestingT, want, got []float64) {
	require.Len(t, got, len(want))
	for i := range want {
		if !(want[i] == got[i] || math.IsNaN(want[i]) && math.IsNaN(got[i])) {
			require.Equal(t, want, got)
		}
	}
}

// The constants of |Fwd G| ≤ c·|G| and |bp G| ≤ c·|G| + 2n + 1, with the sugar
// f(G1,…,Gk) counted as it is written. Fwd's is reached by trees of binary symbols
// with variables for leaves, bp's by nests of unary symbols.
const (
	forwardConstant = 9
	bpConstant      = 8
)

// The largest values that were measured for them.
var forwardMost, bpMost property.Constant

// TestPropertyModesAgree holds Fwd, bp, forward mode and backpropagation against the oracle
// on random ground terms: Prop. Fwd and backprop_sound, and the lemmas of their sizes.
func TestPropertyModesAgree(t *testing.T) {
	t.Cleanup(func() {
		forwardMost.Report(t, "|Fwd(G)| for each of |G|", forwardConstant)
		bpMost.Report(t, "|bp(G)| − 2n − 1 for each of |G|", bpConstant)
	})
	property.Check(t, func(t *rapid.T) {
		g := drawGround(t)
		_, err := groundNodes(g.t, false)
		require.NoError(t, err)
		values, gradient := denote.Jacobian(g.t, g.inputs, g.point)
		checkModes(t, g, values, gradient)
	})
}

// TestPropertyGroundExpandsSugar: what Ground returns has the same graph and type, and no
// sugar; it is its own ground term. A graph and its term are one thing.
func TestPropertyGroundExpandsSugar(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		g := drawGround(t)
		q, err := Ground(g.t, nil)
		require.NoError(t, err)
		typ, err := q.Check()
		require.NoError(t, err)
		require.Equal(t, term.R, typ)
		for i := range q.Nodes {
			if n := &q.Nodes[i]; n.Op == term.FunOp {
				for _, k := range q.Children(n) {
					require.True(t, isOperand(&q.Nodes[k]))
				}
			}
		}
		again, err := Ground(q, nil)
		require.NoError(t, err)
		require.True(t, term.AlphaEqual(q, again))
		require.LessOrEqual(t, q.Size(), 3*g.t.Size())

		h := graphOf(t, q, g.inputs...)
		require.Equal(t, graphOf(t, g.t, g.inputs...).Size(), h.Size())
		chain, inputs := graphTerm(h, q.Types)
		require.Equal(t, h.Size(), graphOf(t, chain, inputs...).Size())
		back, inputs2 := graphTerm(graphOf(t, chain, inputs...), q.Types)
		require.Equal(t, inputs, inputs2)
		require.True(t, term.AlphaEqual(chain, back))
		require.LessOrEqual(t, chain.Size(), 2*int64(h.Size().Total())+1)
	})
}

// CheckOutputs does what TestPropertyModesAgree does on the graph of a program, for each of its outputs.
func CheckOutputs(t require.TestingT, h *hypergraph.Graph, types *term.Types, point, values, jacobian []float64) {
	n := len(point)
	for i := range values {
		q, inputs := graphTerm(h.Only(i), types)
		row := jacobian[i*n : (i+1)*n]
		if n == 0 {
			res, err := hypergraph.NewMemory(h.Only(i), nil).ForwardMode(nil)
			require.NoError(t, err)
			requireSame(t, values[i:i+1], res.Values)
			_, _, err = BP(q, inputs, nil)
			require.ErrorIs(t, err, ErrNoInputs)
			continue
		}
		// The program's branches and folded numerals make the oracle's tangents differ
		// from the graph's only where a number is infinite or none.
		g := &groundTerm{t: q, inputs: inputs, point: point}
		_, own := denote.Jacobian(q, inputs, point)
		requireClose(t, row, own, scale(t, h.Only(i), point), false)
		checkModes(t, g, values[i:i+1], own)
	}
}

// TestForwardOfConstants: an operand that doesn't depend on the variables of by has no
// summand, wherever the lets stand: an infinite slope, or one that is NaN, is nothing to the
// derivative. The oracle finds the same.
func TestForwardOfConstants(t *testing.T) {
	for _, c := range []struct {
		name, want string
		build      func(q *term.Term, x, y term.Var) term.Ref
		at         []float64
		derivative float64
	}{
		{"pow x z, z = 1 + 1", "⟨pow(z#8, z#10), ∂1 pow(z#8, z#10)·a#9⟩[⟨z#8, a#9⟩:=x][⟨z#10, a#11⟩:=z#3]" +
			"[z#3:=⟨z#4 + z#6, a#5 + a#7⟩[⟨z#4, a#5⟩:=⟨1, 0⟩][⟨z#6, a#7⟩:=⟨1, 0⟩]]",
			func(q *term.Term, x, _ term.Var) term.Ref {
				z := q.NewVar(term.VarInfo{Name: "z", Type: term.R})
				body := q.Fun(0, term.Pow, q.Variable(0, x), q.Variable(0, z)) // before what z is
				return q.Let(0, z, q.Add(0, q.Num(0, 1), q.Num(0, 1)), body)
			}, []float64{-1, 0}, -2},
		{"x + sqrt y", "⟨z#5 + z#7, a#6 + a#8⟩[⟨z#5, a#6⟩:=x][⟨z#7, a#8⟩:=⟨sqrt(z#3), 0⟩[⟨z#3, a#4⟩:=y]]",
			func(q *term.Term, x, y term.Var) term.Ref {
				return q.Add(0, q.Variable(0, x), q.Fun(0, term.Sqrt, q.Variable(0, y)))
			}, []float64{1, 0}, 1},
	} {
		q := term.New(term.NewTypes())
		xs := []term.Var{input(q, "x"), input(q, "y")}
		q.Root = c.build(q, xs[0], xs[1])
		fwd, err := Forward(q, xs[:1], nil)
		require.NoError(t, err)
		require.Equal(t, c.want, fwd.String())
		g := &groundTerm{t: q, inputs: xs, point: c.at}
		values, jacobian := denote.Jacobian(q, xs, c.at)
		require.Equal(t, c.derivative, jacobian[0], c.name)
		checkForward(t, g, values, jacobian)
	}
}
