package reference_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
)

// TestPairsWhole: z' = z·z, n times, with D's pairs copied as they stand. By value a λ is copied with the
// λs that its duals have become, and the steps double; with (3) of a dual by a λ last the copies meet by
// (11) one level further in, and the steps are a quarter more than those of named duals. The gradient is
// the same.
func TestPairsWhole(t *testing.T) {
	for n := 2; n < 9; n++ {
		s := load(t, "input x = 2\nlet z = x in\n"+strings.Repeat("let z = z * z in\n", n)+"z").start(t, denote.Rationals{}, true)
		var results []string
		for _, c := range []struct {
			*reference.Start
			by   reference.Strategy
			want int
		}{
			{s.Named(), reference.Machine(nil), 14 + 24*n},
			{s, reference.Machine(nil), 8 + 30*n},
			{s, reference.ByValue, 2 + 12*n + 12<<n},
		} {
			res, err := c.Run(c.by, 20_000, nil)
			require.NoError(t, err)
			results = append(results, res.Term.String())
			require.EqualValues(t, c.want, res.Counts.Total(), "n = %d", n)
		}
		require.Equal(t, results[0], results[1])
		require.Equal(t, results[0], results[2])
	}
}

// TestLinGCAtAPoint: where duals are fired, at a point, the machine's strategy takes no step by (5').
func TestLinGCAtAPoint(t *testing.T) {
	s := load(t, "input x = 3\nlet y = neg 2 in x * y").start(t, denote.Floats{}, true).Named()
	want, err := s.Run(reference.Machine(nil), 1000, nil)
	require.NoError(t, err)
	got, err := s.Run(reference.WithoutLinGC(reference.Machine(nil)), 1000, nil)
	require.NoError(t, err)
	require.Equal(t, want.Counts, got.Counts)
	require.Equal(t, "x1* -2", got.Term.String())
}
