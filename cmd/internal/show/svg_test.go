package show

import (
	"encoding/xml"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/term"
)

func drawn(t *testing.T, c *Computation) string {
	t.Helper()
	var out strings.Builder
	_, err := c.Draw(&out, SVG)
	require.NoError(t, err)
	d := xml.NewDecoder(strings.NewReader(out.String()))
	for {
		_, err := d.Token()
		if err == io.EOF {
			return out.String()
		}
		require.NoError(t, err)
	}
}

// figure1 is Figure 1, with its values.
func figure1(t *testing.T) *Computation {
	b := hypergraph.NewBuilder(2)
	b.Operation(term.Sub, 1, hypergraph.Operand{Op: -1, Input: 0}, hypergraph.Operand{Op: -1, Input: 1})
	b.Operation(term.Mul, 2, hypergraph.Operand{Op: 0}, hypergraph.Operand{Op: 0})
	b.Operation(term.Sigmoid, 3, hypergraph.Operand{Op: 1})
	b.Output(hypergraph.Operand{Op: 2})
	g, err := b.Graph()
	require.NoError(t, err)
	return &Computation{Graph: g, Names: []string{"x1", "x2", "z1", "", ""}, Outputs: []string{"y"},
		Parts: make([]Part, g.Len()), OutputParts: make([]Part, 1), Values: []float64{5, 2, 3, 9, 0.999877}}
}

// TestSVG: circles with names and values, hyperedges with symbols, and a link for each
// operand and each result.
func TestSVG(t *testing.T) {
	out := drawn(t, figure1(t))
	require.Contains(t, out, "<title>The computational graph of the program</title>")
	require.Equal(t, 3, strings.Count(out, "<g ")+strings.Count(out, "<svg ")+strings.Count(out, "<title>")) // one phase
	require.Equal(t, 5+1, strings.Count(out, "<rect "))                                                      // an output has two
	require.Equal(t, 2*(5+3)+3, strings.Count(out, "<path "))                                                // each with its head
	for _, text := range []string{`italic">x</tspan><tspan dy="3" font-size="10">1</tspan>`, `italic">y</tspan>`, ">−<", ">·<", ">sigmoid<", ">9<", ">0.9999<"} {
		require.Contains(t, out, text)
	}
	require.NotContains(t, out, colours[Adjoint].line)
	require.Equal(t, out, drawn(t, figure1(t)))
}

// TestSVGPhases: the backward phase and what is left out have colours of their own.
func TestSVGPhases(t *testing.T) {
	c := chain(t, 9)
	c.Most = 4
	for w := 3; w < len(c.Parts); w++ {
		c.Parts[w] = Adjoint
	}
	out := drawn(t, c)
	require.Contains(t, out, `color="var(--primal, #333399)"`)
	require.Contains(t, out, `color="var(--dual, #800020)"`)
	require.Contains(t, out, `>5 operations</text>`)
	require.Equal(t, 2, strings.Count(out, `"3 3"/><path`)) // into what is left out, and out of it
}

// TestNoOverlap: shapes with what stands below them don't overlap, and operands of a
// symbol arrive in their order.
func TestNoOverlap(t *testing.T) {
	f := figure1(t).figure()
	s := drawing{figure: &f.figure, index: map[string]int{}}
	for i := range s.nodes {
		s.index[s.nodes[i].ID] = i
	}
	s.place(false)
	for i, a := range s.nodes {
		aw, ah, ac := a.size()
		for j, b := range s.nodes[:i] {
			bw, bh, bc := b.size()
			dx, dy := s.layout.X[i]-s.layout.X[j], s.layout.Y[i]-s.layout.Y[j]
			high := (ah + bh) / 2
			if ac+bc > 0 {
				high += captionHeight
			}
			require.True(t, max(dx, -dx) >= (max(aw, ac)+max(bw, bc))/2 || max(dy, -dy) >= high, "%s and %s", a.ID, b.ID)
		}
	}
	sub := s.index["e2"]
	require.True(t, s.nodes[sub].Ordered)
	require.Less(t, s.arrival(sub, 0, 2), s.arrival(sub, 1, 2))
	require.Zero(t, s.arrival(sub, 0, 1))
}

func TestSVGError(t *testing.T) {
	_, err := chain(t, 200).Draw(failing{}, SVG)
	require.ErrorContains(t, err, "no room")
}
