package block

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestAdvance: the schedule of checkpoints takes the fewest runs possible.
func TestAdvance(t *testing.T) {
	const parts, states = 60, 8
	// fewest[s][n] is how many parts are run again, at least, before n parts have been reversed.
	var fewest, taken [states + 1][parts + 1]int
	for s := 1; s <= states; s++ {
		for n := 2; n <= parts; n++ {
			if s == 1 {
				fewest[s][n], taken[s][n] = n*(n-1)/2, n*(n-1)/2
				continue
			}
			fewest[s][n] = math.MaxInt
			for m := 1; m < n; m++ {
				fewest[s][n] = min(fewest[s][n], m+fewest[s-1][n-m]+fewest[s][m])
			}
			m := int(advance(uint64(n), uint64(s)))
			taken[s][n] = m + taken[s-1][n-m] + taken[s][m]
			require.Equal(t, fewest[s][n], taken[s][n], "%d parts, %d states", n, s)
		}
	}
	for _, n := range []uint64{2, 100, 1 << 40} {
		require.Equal(t, uint64(1), advance(n, n), "room for all")
	}
}
