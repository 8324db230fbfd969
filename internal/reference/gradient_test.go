package reference_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
)

// onHypergraph is the value and the gradient by the algorithm of section 2.4, on the graph
// that the machine comes to with symbolic inputs; and by bp of it, evaluated. scale is the greatest number on the way.
func onHypergraph(t require.TestingT, p subject) (tape, bp []float64, scale float64) {
	prog, err := compile.NewOpen(p.t, p.inputs, nil)
	require.NoError(t, err)
	m, err := machine.New(prog, machine.Options{})
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, m.Graph(p.point))
	b := hypergraph.NewBuilder(len(p.inputs))
	outputs := m.Operations(func(op machine.Operation) bool {
		args := make([]hypergraph.Operand, len(op.Args))
		for i, o := range op.Args {
			args[i] = hypergraph.Operand(o)
		}
		b.Operation(op.Symbol, op.Pos, args...)
		return true
	})
	for _, o := range outputs {
		b.Output(hypergraph.Operand(o))
	}
	g, err := b.Graph()
	require.NoError(t, err)
	res, err := hypergraph.NewMemory(g, nil).Backpropagation(p.point)
	require.NoError(t, err)
	q, _, err := modular.Normal(p.t, p.inputs, p.point, modular.Options{Unfold: true})
	require.NoError(t, err)
	image, a, err := revgrad.BP(q, p.inputs, nil)
	require.NoError(t, err)
	duals := []denote.Dual{}
	for _, r := range append(slices.Clone(p.point), 1) {
		duals = append(duals, denote.Dual{V: r})
	}
	for _, d := range denote.Eval(image, append(slices.Clone(p.inputs), a), duals) {
		bp = append(bp, d.V)
	}
	return append(res.Values, res.Jacobian...), bp, graphScale(t, g, p.point)
}

// graphScale is the greatest number that forward mode makes at the point, which rounding is
// measured by; +Inf where one of them is none.
func graphScale(t require.TestingT, g *hypergraph.Graph, point []float64) float64 {
	m := hypergraph.NewMemory(g, nil)
	s := 1.0
	for j := range point {
		require.NoError(t, m.Forward(point, j))
		for w := range g.Len() {
			for _, r := range []float64{m.Value(hypergraph.Node(w)), m.Second(hypergraph.Node(w))} {
				if math.IsNaN(r) {
					return math.Inf(1)
				}
				s = max(s, math.Abs(r))
			}
		}
	}
	return s
}

// TestPropertyCorollaryGradient is Cor. gradient with all ways to a gradient: the machine,
// the reference, backpropagation on the hypergraph (a tape), bp(G) at the point, and
// forward mode.
func TestPropertyCorollaryGradient(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Recursive: rapid.Bool().Draw(t, "recursive")})
		q := subject{t: p.Term, inputs: p.Inputs, point: p.Point}
		byMachine, ok := onMachine(t, q, true)
		if !ok || len(p.Inputs) == 0 {
			return
		}
		byReference := onReference(t, q, true, nil)
		tape, bp, s := onHypergraph(t, q)
		values, jacobian := denote.Jacobian(q.t, q.inputs, q.point)
		forward := append(values, jacobian...)
		for name, got := range map[string][]float64{
			"machine": append(byMachine.values, byMachine.jacobian...), "reference": append(byReference.values, byReference.jacobian...),
			"tape": tape, "bp": bp,
		} {
			require.Len(t, got, len(forward))
			for i := range got {
				require.True(t, s > 1e9 || math.Abs(got[i]-forward[i]) <= 1e-11*s*math.Max(1, math.Abs(forward[i])), "%s: %v instead of %v", name, got, forward)
			}
		}
	})
}

// coarseDifferences are central differences with a step eight times that of the oracle's.
func coarseDifferences(p subject) []float64 {
	var columns [][]denote.Dual
	for j, x := range p.point {
		h := 8 * math.Cbrt(0x1p-52) * math.Max(1, math.Abs(x))
		for _, y := range []float64{x + h, x - h} {
			at := make([]denote.Dual, len(p.point))
			for i, r := range p.point {
				at[i].V = r
			}
			at[j].V = y
			columns = append(columns, denote.Eval(p.t, p.inputs, at))
		}
	}
	var out []float64
	for i := range columns[0] {
		for j, x := range p.point {
			h := 8 * math.Cbrt(0x1p-52) * math.Max(1, math.Abs(x))
			out = append(out, (columns[2*j][i].V-columns[2*j+1][i].V)/(2*h))
		}
	}
	return out
}

// TestPropertyDifferences: where central differences have converged, they are the
// machine's gradient.
func TestPropertyDifferences(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Smooth: true})
		q := subject{t: p.Term, inputs: p.Inputs, point: p.Point}
		got, ok := onMachine(t, q, true)
		if !ok || len(p.Inputs) == 0 {
			return
		}
		want, coarse := denote.Differences(q.t, q.inputs, q.point), coarseDifferences(q)
		_, _, s := onHypergraph(t, q)
		for i := range want {
			if s < 1e3 && math.Abs(want[i]-coarse[i]) < 1e-6*s {
				require.InDelta(t, want[i], got.jacobian[i], 1e-5*s)
			}
		}
	})
}

// TestPropertyGradientExact: with rationals, the gradient by the reference is that of the
// model of ⟦D(t)⟧, exactly.
func TestPropertyGradientExact(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawScalar(t)
		s := p.start(t, denote.Rationals{}, true)
		r := run{Start: s, subject: p, gradient: true}
		want := r.denotation(t, s.Term)
		res := limited(t, s.Named(), reference.Machine(nil), maxSteps)
		if res == nil || want == nil {
			return
		}
		m, _ := r.model()
		require.True(t, m.Same(want, r.denotation(t, res.Term)), "%s", res.Term)
	})
}
