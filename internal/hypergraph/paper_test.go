package hypergraph

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// backwardAsPrinted is the backward phase of section 2.4 word by word: every unmarked
// hyperedge is marked, whether the output depends on it or not, and its sources are
// assigned zi := (si, βi + ∂i f(s)·α) for all i at once, from the βi that were in memory.
func backwardAsPrinted(t *testing.T, g *Graph, at []float64) []float64 {
	m := NewMemory(g, nil)
	require.NoError(t, m.Evaluate(at))
	m.clearSecond()
	m.second[g.outputs[0]] = 1
	for i := len(g.nodes) - 1; i >= g.inputs; i-- {
		nd := &g.nodes[i]
		if nd.kind != Operation {
			continue
		}
		z := g.sources(nd)
		assigned := make([]float64, len(z))
		for k, zk := range z {
			slope := 1.0
			if nd.sym != term.NoSymbol {
				slope = m.slope(&nd.sym.Info().Partials[k], z)
			}
			assigned[k] = m.second[zk] + slope*m.second[i]
		}
		for k, zk := range z {
			m.second[zk] = assigned[k]
		}
	}
	return m.second[:g.inputs]
}

func build(t *testing.T, make func(b *Builder)) *Graph {
	b := NewBuilder(1)
	make(b)
	g, err := b.Graph()
	require.NoError(t, err)
	return g
}

// TestPaperDeadHyperedges: let z = sqrt x in x at 0. As it is printed, the algorithm marks
// the hyperedge of sqrt too, and its infinite slope times the adjoint 0 is no number,
// where the derivative is 1.
func TestPaperDeadHyperedges(t *testing.T) {
	g := build(t, func(b *Builder) {
		b.Operation(term.Sqrt, 0, in(0))
		b.Output(in(0))
	})
	require.True(t, math.IsNaN(backwardAsPrinted(t, g, point(0))[0]))
	res, err := NewMemory(g, nil).Backpropagation(point(0))
	require.NoError(t, err)
	require.Equal(t, point(1), res.Jacobian)
}

// TestPaperRepeatedSources: x·x at 3. Assigning both sources at once, from one β, leaves
// one of the two contributions, 3 instead of 6; so the sources are updated one after the
// other, as the example of section 2.4 does for z1 of Figure 1.
func TestPaperRepeatedSources(t *testing.T) {
	g := build(t, func(b *Builder) {
		b.Operation(term.Mul, 0, in(0), in(0))
		b.Output(op(0))
	})
	require.Equal(t, point(3), backwardAsPrinted(t, g, point(3)))
	res, err := NewMemory(g, nil).Backpropagation(point(3))
	require.NoError(t, err)
	require.Equal(t, point(6), res.Jacobian)
}

// TestPaperZeroTangents: x + sqrt y at y = 0, by x, and pow x 2 at −1. As it is printed,
// forward mode multiplies the tangent 0 of what doesn't depend on x by an infinite slope,
// or by one that is NaN, where the derivatives are 1 and −2. Which tangents these are is a
// property of the graph: that of x·x is 0 at 0, and sqrt (x·x) has no derivative there.
func TestPaperZeroTangents(t *testing.T) {
	for _, c := range []struct {
		name     string
		build    func(b *Builder)
		at, want []float64
	}{
		{"x + sqrt y", func(b *Builder) {
			b.Operation(term.Sqrt, 0, in(1))
			b.Operation(term.NoSymbol, 0, in(0), op(0))
		}, point(1, 0), point(1, math.Inf(1))},
		{"pow x 2", func(b *Builder) {
			b.Operation(term.NoSymbol, 0, num(1), num(1))
			b.Operation(term.Pow, 0, in(0), op(0))
		}, point(-1), point(-2)},
		{"sqrt (x·x)", func(b *Builder) {
			b.Operation(term.Mul, 0, in(0), in(0))
			b.Operation(term.Sqrt, 0, op(0))
		}, point(0), point(math.NaN())},
	} {
		b := NewBuilder(len(c.at))
		c.build(b)
		b.Output(op(1))
		g, err := b.Graph()
		require.NoError(t, err)
		m := NewMemory(g, nil)
		require.NoError(t, m.Evaluate(c.at))
		res, err := m.ForwardMode(c.at)
		require.NoError(t, err)
		back, err := m.Backpropagation(c.at)
		require.NoError(t, err)
		for i, want := range c.want {
			require.InDelta(t, want, res.Jacobian[i], 0, c.name)
			require.InDelta(t, want, back.Jacobian[i], 0, c.name)
		}
	}
}
