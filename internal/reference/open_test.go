package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
)

// opened is what a reduction with symbolic inputs comes to: m by rule, and |G|.
type opened struct {
	m    rule.Counts
	size reference.GraphSize
}

// openReference is m and |G| by the reference.
func openReference(t require.TestingT, p subject, rng *rand.Rand) opened {
	s := reference.Convert(p.t, denote.Floats{}).OpenStart(p.inputs, p.point)
	res, err := s.Run(reference.Open(rng), maxSteps, nil)
	require.NoError(t, err)
	return opened{res.Counts, s.GraphSize(res.Term)}
}

// TestOpenCounts: m and |G|, worked out by hand.
func TestOpenCounts(t *testing.T) {
	for _, c := range []struct {
		name, src string
		m         rule.Counts
		naming    uint64 // steps by (10)
		size      reference.GraphSize
	}{
		{"Figure 1", "input x1 = 5\ninput x2 = 2\nlet z1 = x1 - x2 in let z2 = z1 * z1 in sin z2",
			by(), 0, reference.GraphSize{Operations: 3, Edges: 5, Inputs: 2}},
		// What is known fires: (8), and (3n) and (4) of y and z.
		{"a numeral", "input x = 5\nlet y = 2 in let z = y * 3 in x * z",
			by(0, 0, 0, 2, 2, 0, 0, 1), 0, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 1, Numerals: 1}},
		// (1), and neither (3) nor (4) of y, which is the name of an operation.
		{"an inert argument", "input x = 5\n(fun y -> y + y) (x * x)",
			by(1), 0, reference.GraphSize{Operations: 2, Edges: 4, Inputs: 1}},
		// x is a value: (3) and (4) of y and of z.
		{"aliases", "input x = 5\nlet y = x in let z = y in z * z",
			by(0, 0, 3, 0, 2), 0, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 1}},
		// (10) and (2) name the components; (3), (3n) and (4) put x and 2 back. Then (3), (4) of p; (2), and
		// (3), (3n) and (4) of a and b.
		{"a pair", "input x = 5\nlet p = (x, 2) in let (a, b) = p in a * b",
			by(0, 2, 3, 2, 5), 1, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 1, Numerals: 1}},
		// A vector's tail has no name: (10) and (2) twice, (3) or (3n), and (4) for x, 2 and 3; (3), (4) of v;
		// (2) twice, (4) of all components, (3) of 0 and (3n) of 2.
		{"a vector", "input x = 5\nlet v = [| x, 2, 3 |] in v.(0) * v.(2)",
			by(0, 4, 3, 3, 7), 2, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 1, Numerals: 1}},
		// docs/counts.md has it. (2) opens ⟨⟨x3,x3⟩,x2⟩ with (4) of w; (10), (2), and twice (3) and (4) for the components of p. (3), (4) of p;
		// (10), (2), and twice (3) or (3n), and (4) for those of f, and (4) of f. Last (2), and (4) of w and g.
		{"pairs in pairs", "input x1 = 1\ninput x2 = 2\ninput x3 = 3\nlet f = (let (p, w) = ((x3, x3), x2) in (p, 4)) in (let (w, g) = (x2, x1) in x3) * x2",
			by(0, 4, 4, 1, 9), 2, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 2}},
		// C t is (C y)[y:=t]: (3), (4) of y, of p and of v, and (14).
		{"a constructor", "type t = C of R\ninput x = 5\nlet p = C x in match p with C v -> v * x",
			by(0, 0, 3, 0, 3, 0, 0, 0, 0, 0, 0, 1), 0, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 1}},
		// The condition stays in G.
		{"a condition", "input x = 5\nif x * x < 1 then x else 7",
			by(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 0, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 1, Numerals: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := load(t, c.src)
			c.m[rule.EtaPair] = c.naming
			require.Equal(t, opened{c.m, c.size}, openReference(t, p, nil))
			requireOpenLiteral(t, p, 1)
		})
	}
}
