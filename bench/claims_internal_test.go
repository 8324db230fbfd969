package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/graph"
)

func measured(t *testing.T, pt Point, err error) Point {
	t.Helper()
	require.NoError(t, err)
	return pt
}

// TestManyAry: the equation of Table 3 for k arguments gives what package revgrad gives
// where there are symbols of k arguments.
func TestManyAry(t *testing.T) {
	for k, text := range map[int]string{1: "input x = 1\nsin x\n", 2: "input x = 1\ninput y = 2\npow x y\n"} {
		p, err := loadText(t.Context(), "test", text)
		require.NoError(t, err)
		want, err := reverseSize(t.Context(), p)
		require.NoError(t, err)
		got, err := manyAry(t.Context(), k)
		require.NoError(t, err)
		require.Equal(t, want.Y, got.Y, "k = %d", k)
	}
}

// TestCriticalPaths by hand: of n sines in a row, forward and backward; and of a tree.
func TestCriticalPaths(t *testing.T) {
	const n = 8
	for _, c := range []struct {
		f          family.Family
		size, path float64 // of G
		work, both float64 // operations and critical path of bp(G)
	}{
		// n sines; then n cosines, each of a sine, and n products in a row, of which the
		// first waits for n − 1 sines and a cosine.
		{family.Chain, 2*n + 1, n, 3 * n, 2 * n},
		{family.SumBalanced, 4*n - 3, 3, n - 1, 3},
	} {
		p, err := load(t.Context(), c.f, n)
		require.NoError(t, err)
		pt, err := criticalPath(false)(t.Context(), p)
		require.Equal(t, Point{X: c.size, Y: c.path}, measured(t, pt, err), c.f.Name)
		pt, err = pathAndWork(t.Context(), p)
		require.Equal(t, Point{X: c.work, Y: c.both}, measured(t, pt, err), c.f.Name)
	}
}

// TestCommutationConstants: the constants of Lemma Commutation are reached.
func TestCommutationConstants(t *testing.T) {
	for rule, want := range map[graph.Rule]float64{graph.Lambda: 1, graph.PairRule: 1, graph.Subst: 1, graph.SubstNumeral: 1, graph.GC: 1,
		graph.Plus: 15, graph.Times: 17, graph.Function: 19, graph.Branch: 9} {
		pt, err := commuting(rule)(t.Context(), 1)
		require.Equal(t, want, measured(t, pt, err).Y, rule.String())
	}
}

// TestRetransformed: an edit of u in t u leaves D(t) as it is; one of t does not count as
// such.
func TestRetransformed(t *testing.T) {
	var news []float64
	for _, n := range []int{3, 30} {
		pt, err := retransformed(t.Context(), n)
		news = append(news, measured(t, pt, err).Y)
	}
	p, err := loadText(t.Context(), "test", "input x = 0.5\nsin x + 2 * x\n")
	require.NoError(t, err)
	u, err := reverseSize(t.Context(), p)
	require.NoError(t, err)
	require.Equal(t, []float64{u.Y, u.Y}, news)
}

// TestTheoremPoint: More has what the bound of Theorem 1 is fitted on, but for a Jacobian.
func TestTheoremPoint(t *testing.T) {
	pt, err := on(family.Network, theorem)(t.Context(), 3)
	measured(t, pt, err)
	require.Equal(t, pt.More[MName]+pt.More[GraphName], pt.X)
	require.Equal(t, pt.More[StepsName]+pt.More[OverheadName], pt.Y)
	require.LessOrEqual(t, pt.More["search"], pt.More[OverheadName])
	pt, err = on(family.TwoOutputs, theorem)(t.Context(), 3)
	require.NotContains(t, measured(t, pt, err).More, MName)
}

// TestSearchIsNotConstantEverywhere: the contrasts of claim 17 are worse than anything that
// its evidence has, and grow.
func TestSearchIsNotConstantEverywhere(t *testing.T) {
	for _, f := range []family.Family{family.DualSum, family.Captures} {
		small, err := on(f, searchOfValue)(t.Context(), 10)
		require.NoError(t, err)
		large, err := on(f, searchOfValue)(t.Context(), 40)
		require.NoError(t, err)
		require.Greater(t, small.Y, 0.75, f.Name)
		require.Greater(t, large.Y, 1.2*small.Y, f.Name)
	}
}
