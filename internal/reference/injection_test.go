package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
)

// TestPropertyInjections: the two ways to read the gradient off D(t) (the remark after
// Cor. gradient) agree exactly: a tagged sum Σ xj* gj, and the injections of R^n for the
// x*, whose tuples are added by (7). Of n-tuples #J are added, so the second takes
// (#J − 1)(n − 1) steps by (7) and (#J − 1)n by (6) that the first does not.
func TestPropertyInjections(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawScalar(t)
		strategy := reference.Machine(nil)
		if rapid.Bool().Draw(t, "random") {
			strategy = reference.Machine(rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0)))
		}
		s := reference.Convert(p.reversed(t), denote.Rationals{}).GradientStart(p.inputs, p.point, 0)
		tagged := limited(t, s.Named(), strategy, maxSteps)
		dense := limited(t, s.Injections().Named(), strategy, maxSteps)
		if tagged == nil || dense == nil {
			return
		}
		g, ok := s.Gradient(tagged.Term)
		require.True(t, ok, "%s", tagged.Term)
		n := uint64(len(p.inputs))
		if len(g) == 0 {
			require.Equal(t, reference.Zero, dense.Term.Op)
			return
		}
		tuple, ok := reference.Numbers(dense.Term)
		require.True(t, ok, "%s", dense.Term)
		require.Len(t, tuple, len(p.inputs))
		for i, x := range s.Duals {
			want, ok := g[x]
			if !ok {
				want = s.Ground.Of(0)
			}
			require.True(t, (denote.Model{Ground: s.Ground}).Same(want, tuple[i]), "%s and %s", tagged.Term, dense.Term)
		}
		j := uint64(len(g))
		require.Equal(t, (j-1)*(n-1), dense.Counts[rule.PlusPair])
		require.Equal(t, (j-1)*n, dense.Counts[rule.Plus]-tagged.Counts[rule.Plus])
	})
}
