package show

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/term"
)

func TestNames(t *testing.T) {
	for name, want := range map[string]string{
		"x":         "<I>x</I>",
		"x1":        "<I>x</I><SUB>1</SUB>",
		"z2'":       "<I>z</I><SUB>2</SUB>′",
		"E.(0).(1)": "<I>E</I><SUB>0,1</SUB>",
		"z1:2":      "<I>z</I><SUB>1,2</SUB>",
		"ε":         "<I>ε</I>",
		"a<b":       "<I>a&lt;b</I>",
		"x_1":       "<I>x</I><SUB>1</SUB>",
	} {
		var markup strings.Builder
		require.NoError(t, templates().ExecuteTemplate(&markup, "name", spell(name)))
		require.Equal(t, want, markup.String(), name)
	}
	require.Equal(t, "−0.9111", Number(-0.9111302618846769))
	require.Equal(t, "1e−07", Number(1e-7))
	require.Equal(t, `"a\"\\\n"`, quote("a\"\\\n"))
	require.Equal(t, []string{"+", "·", "−", "/", "pow′2"},
		[]string{Symbol(term.NoSymbol), Symbol(term.Mul), Symbol(term.Sub), Symbol(term.Div), Symbol(term.DPow2)})
	require.True(t, ordered(term.Pow))
	require.False(t, ordered(term.Mul))
	require.False(t, ordered(term.Sin))
}

// chain is the graph of n sines of an input.
func chain(t *testing.T, n int) *Computation {
	b := hypergraph.NewBuilder(1)
	last := hypergraph.Operand{Op: -1, Input: 0}
	for i := range n {
		b.Operation(term.Sin, 0, last)
		last = hypergraph.Operand{Op: i, Input: -1}
	}
	b.Output(last)
	g, err := b.Graph()
	require.NoError(t, err)
	return &Computation{Graph: g, Names: make([]string, g.Len()), Outputs: []string{"y"},
		Parts: make([]Part, g.Len()), OutputParts: []Part{Primal}}
}

func TestCut(t *testing.T) {
	for _, c := range []struct{ n, most, left int }{{5, 0, 0}, {5, 5, 0}, {6, 5, 1}, {100, 7, 93}, {2, 1, 1}} {
		p := chain(t, c.n)
		p.Most = c.most
		var out strings.Builder
		left, err := p.Draw(&out, DOT)
		require.NoError(t, err)
		require.Equal(t, c.left, left)
		require.Equal(t, c.n-left, strings.Count(out.String(), `label="sin"`))
		require.Equal(t, left > 0, strings.Contains(out.String(), fmt.Sprintf(`%d operations\nare left out`, left)))
		if left > 0 && c.most > 1 {
			// One edge into what is left out, and one out of it.
			require.Equal(t, 1, strings.Count(out.String(), "-> left "))
			require.Equal(t, 1, strings.Count(out.String(), "left -> "))
		}
	}
}

// TestColours: an operation and what it reads have the colour of its part.
func TestColours(t *testing.T) {
	p := chain(t, 3)
	p.Parts[2], p.Parts[3] = Tangent, Adjoint
	var out strings.Builder
	_, err := p.Draw(&out, DOT)
	require.NoError(t, err)
	require.Contains(t, out.String(), `e1 [label="sin", color="#333399"`)
	require.Contains(t, out.String(), `e2 [label="sin", color="#004225"`)
	require.Contains(t, out.String(), `n1 -> e2 [color="#004225"]`)
	require.Contains(t, out.String(), `e3 [label="sin", color="#800020"`)
	require.Contains(t, out.String(), `n2 -> e3 [color="#800020"]`)
}

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errors.New("no room") }

func TestErrors(t *testing.T) {
	_, err := chain(t, 2000).Draw(failing{}, DOT)
	require.ErrorContains(t, err, "no room")
}
