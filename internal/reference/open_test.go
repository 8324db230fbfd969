package reference_test

import (
	"errors"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
)

// opened is what a reduction with symbolic inputs comes to: m by rule, and |G|.
type opened struct {
	m    rule.Counts
	size reference.GraphSize
}

// openMachine is m and |G| by the machine; ok is false if the run is too long.
func openMachine(t require.TestingT, p subject) (out opened, ok bool) {
	prog, err := compile.Compile(p.t, compile.Options{Inputs: p.inputs, Open: true})
	require.NoError(t, err)
	m, err := engine.New(prog, engine.Options{Limits: limits.Bounds{MaxSteps: maxSteps, MaxMemory: 64 << 20}})
	require.NoError(t, err)
	defer m.Close()
	size, err := m.Graph(p.point)
	var limit *limits.ReachedError
	if errors.As(err, &limit) {
		return out, false
	}
	require.NoError(t, err)
	return opened{m.Stats().Counts, reference.GraphSize(size)}, true
}

// openReference is m and |G| by the reference.
func openReference(t require.TestingT, p subject, rng *rand.Rand) opened {
	s := reference.Convert(p.t, denote.Floats{}).OpenStart(p.inputs, p.point)
	res, err := s.Run(reference.Open(rng), maxSteps, nil)
	require.NoError(t, err)
	return opened{res.Counts, s.GraphSize(res.Term)}
}

// requireOpenAgreement holds m and |G| of the reference against the machine's.
func requireOpenAgreement(t require.TestingT, p subject) {
	want, ok := openMachine(t, p)
	if !ok {
		return
	}
	for _, rng := range []*rand.Rand{nil, rand.New(rand.NewPCG(1, 0))} {
		got := openReference(t, p, rng)
		require.Equal(t, want, got, "of %s", p.t)
	}
}

// TestPropertyTheorem1Counts: m, rule by rule with (10), and |G|, as Theorem 1 speaks of
// them.
func TestPropertyTheorem1Counts(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 60).Draw(t, "size"), Recursive: rapid.Bool().Draw(t, "recursive")})
		requireOpenAgreement(t, subject{t: p.Term, inputs: p.Inputs, point: p.Point})
	})
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
		// (1), and neither (3) nor (4) of y.
		{"an inert argument", "input x = 5\n(fun y -> y + y) (x * x)",
			by(1), 0, reference.GraphSize{Operations: 2, Edges: 4, Inputs: 1}},
		// (10) and (2) name the components; (3n) and (4) put 2 back. Then (3), (4) of p; (2), and
		// (3n), (4) of b.
		{"a pair", "input x = 5\nlet p = (x, 2) in let (a, b) = p in a * b",
			by(0, 2, 1, 2, 3), 1, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 1, Numerals: 1}},
		// A vector's tail has no name: (10) and (2) twice, (3n) and (4) for 2 and 3; (3), (4) of v;
		// (2) twice, (4) of the components 1 and 2, (3n) of 2.
		{"a vector", "input x = 5\nlet v = [| x, 2, 3 |] in v.(0) * v.(2)",
			by(0, 4, 1, 3, 5), 2, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 1, Numerals: 1}},
		// The condition stays in G.
		{"a condition", "input x = 5\nif x * x < 1 then x else 7",
			by(0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1), 0, reference.GraphSize{Operations: 1, Edges: 2, Inputs: 1, Numerals: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := load(t, c.src)
			c.m[rule.EtaPair] = c.naming
			require.Equal(t, opened{c.m, c.size}, openReference(t, p, nil))
			requireOpenAgreement(t, p)
		})
	}
}
