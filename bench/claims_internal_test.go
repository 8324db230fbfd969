package bench

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
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
	for rule, want := range map[rule.Rule]float64{rule.Lambda: 1, rule.Pair: 1, rule.Subst: 1, rule.SubstNumeral: 1, rule.GC: 1,
		rule.Plus: 15, rule.Times: 17, rule.Function: 19, rule.Branch: 9} {
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

// TestAblatedSteps: of a sum of n inputs bp(G) takes n steps by (6) for each of the n − 1 sums besides
// with plain sums, and with dense tuples also n − 1 by (7).
func TestAblatedSteps(t *testing.T) {
	for _, n := range []int{2, 10, 64} {
		p, err := load(t.Context(), family.SumBalanced, n)
		require.NoError(t, err)
		pt, err := backpropSteps(t.Context(), p)
		want := measured(t, pt, err)
		for without, more := range map[revgrad.Ablation]int{revgrad.PlainPlus: n * (n - 1), revgrad.DenseTuples: (2*n - 1) * (n - 1)} {
			pt, err := ablatedSteps(without)(t.Context(), p)
			require.Equal(t, Point{X: want.X, Y: want.Y + float64(more)}, measured(t, pt, err))
		}
	}
}

// TestSymbolsLeft: D of a constant comes to ⟨r, λa.0⃗⟩, of four symbols. Without (5') each negation
// leaves a [b:=−1·a] of four, and each square twice what the one before has, with a sum and two products.
func TestSymbolsLeft(t *testing.T) {
	without := reference.WithoutLinGC(reference.Leftmost)
	for n, want := range map[int]float64{1: 14, 2: 34, 3: 74, 4: 154} {
		for _, c := range []struct {
			f    family.Family
			by   reference.Strategy
			want float64
		}{
			{family.Constants, reference.Leftmost, 4}, {family.Constants, without, 4 + 4*float64(n)},
			{family.ConstantSquares, reference.Leftmost, 4}, {family.ConstantSquares, without, want},
		} {
			pt, err := on2(c.f, symbolsLeft(c.by))(t.Context(), n)
			require.Equal(t, Point{X: float64(n), Y: c.want}, measured(t, pt, err), c.f.Name)
		}
	}
}

// TestUnshared: with sharing written out, z·z, n times, has 2ⁿ occurrences of x, 2ⁿ − 1 products and one
// step by (4), for x.
func TestUnshared(t *testing.T) {
	for _, n := range []int{1, 4, 10} {
		pt, err := on(family.Squares, unsharedSteps)(t.Context(), n)
		require.Equal(t, Point{X: float64(3*n + 1), Y: float64(int(2) << n)}, measured(t, pt, err))
	}
}

// TestDerivativeSteps: of n squares composed, the derivative by Ehrhard's D takes twice the steps of that of
// n − 1, and the value of the function inside, which is affine in n; of n sines the steps are a quadratic in n.
func TestDerivativeSteps(t *testing.T) {
	var twice, once []float64
	for n := 1; n <= 10; n++ {
		pt, err := on2(family.ComposedSquares, derivativeSteps)(t.Context(), n)
		twice = append(twice, measured(t, pt, err).Y)
		pt, err = on2(family.Composed, derivativeSteps)(t.Context(), n)
		once = append(once, measured(t, pt, err).Y)
	}
	for i := 3; i < len(once); i++ {
		require.Equal(t, 0.0, (twice[i]-2*twice[i-1])-2*(twice[i-1]-2*twice[i-2])+(twice[i-2]-2*twice[i-3]), "%v", twice)
		require.Equal(t, 0.0, once[i]-3*once[i-1]+3*once[i-2]-once[i-3], "%v", once)
	}
}

// TestTape: a tape of n sines takes n operations, then 3 for each: its derivative, a product and a sum.
func TestTape(t *testing.T) {
	for _, n := range []int{1, 8} {
		p, err := load(t.Context(), family.Chain, n)
		require.NoError(t, err)
		pt, err := tapeAndWork(t.Context(), p)
		require.Equal(t, Point{X: float64(3 * n), Y: float64(4 * n)}, measured(t, pt, err))
	}
}

// TestCharged: of the network with d = m = 4 the normal form of D(L) has 637 symbols, and a copy of it is
// made for each element.
func TestCharged(t *testing.T) {
	for _, n := range []int{1, 2, 50} {
		p, err := loadText(t.Context(), "test", family.Recurrent(4, 4, n))
		require.NoError(t, err)
		steps, err := stepsOf(gram.Modular)(t.Context(), p)
		require.NoError(t, err)
		charged, err := chargedSteps(t.Context(), p)
		require.NoError(t, err)
		require.Equal(t, float64(637*n), charged-steps)
	}
}

// TestDifferentGradients: over the rationals there is one, in floating point there are more.
func TestDifferentGradients(t *testing.T) {
	pt, err := exactGradients(t.Context(), 8)
	require.Equal(t, Point{X: 8, Y: 1}, measured(t, pt, err))
	pt, err = floatGradients(t.Context(), 8)
	require.Equal(t, Point{X: 8, Y: 8}, measured(t, pt, err))
}
