package reduction

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestSummarize: confluence and the lengths of reductions, by their definitions, of random graphs whose states are all
// reached from the first. Normal forms are of one class or of two.
func TestSummarize(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cyclic, confluent, modulo := 0, 0, 0
	for range 2000 {
		n := 1 + r.IntN(7)
		next := make([][]int, n)
		for i := 1; i < n; i++ {
			k := r.IntN(i)
			next[k] = append(next[k], i)
		}
		for range r.IntN(n) {
			i, j := r.IntN(n), r.IntN(n)
			if r.IntN(2) == 0 {
				i, j = min(i, j), max(i, j)
			}
			next[i] = append(next[i], j)
		}
		g := &Graph{Classes: make([][]int, 1+r.IntN(2))}
		comes := make([][]int, n) // the longest reductions of fewer than 2n steps, −1: none
		for i := range next {
			if len(next[i]) == 0 {
				g.NormalForms = append(g.NormalForms, i)
			}
			comes[i] = slices.Repeat([]int{-1}, n)
			now := map[int]bool{i: true}
			for steps := range 2 * n {
				then := map[int]bool{}
				for at := range now {
					comes[i][at] = steps
					for _, j := range next[at] {
						then[j] = true
					}
				}
				now = then
			}
		}
		g.summarize(next)
		every := func(ok func(i, j int) bool) bool {
			for i := range n {
				for j := range n {
					if !ok(i, j) {
						return false
					}
				}
			}
			return true
		}
		equal := every(func(i, j int) bool {
			for k := range n {
				if comes[i][k] >= 0 && comes[j][k] >= 0 {
					return true
				}
			}
			return false
		})
		require.Equal(t, equal, g.Confluent, "%v", next)
		normal := func(i int) bool {
			return slices.ContainsFunc(g.NormalForms, func(k int) bool { return comes[i][k] >= 0 })
		}
		require.Equal(t, equal || len(g.Classes) == 1 && every(func(i, j int) bool { return normal(i) && normal(j) }),
			g.ConfluentModulo, "%v", next)
		most := slices.Max(comes[0])
		if len(g.NormalForms) == 0 || most >= n {
			require.Nil(t, g.Longest, "%v", next)
			cyclic++
		} else {
			require.Equal(t, most, *g.Longest, "%v", next)
		}
		if g.Confluent {
			confluent++
		} else if g.ConfluentModulo {
			modulo++
		}
	}
	require.Greater(t, min(cyclic, confluent, modulo), 100)
}
