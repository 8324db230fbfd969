package bench

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// measured takes a point.
func measured(t *testing.T, s Series, n int) Point {
	t.Helper()
	pt, err := s.Measure(t.Context(), n)
	require.NoError(t, err)
	return pt
}

// taken measures quantities of a program of a family.
func taken(t *testing.T, f Family, n int, x, y quantity) Point {
	t.Helper()
	return measured(t, series(Evidence, linear, x, y, f)[0], n)
}

// joint measures x and y of a program of a family together.
func joint(t *testing.T, f Family, n int, point func(*subject) Point) Point {
	t.Helper()
	return measured(t, points(Evidence, linear, "x", "y", point, f)[0], n)
}

// TestCriticalPaths by hand: of bp(G), of n sines in a row and of a tree. For the sines, n cosines, each of a sine, and n
// products in a row, of which the first waits for n − 1 sines and a cosine.
func TestCriticalPaths(t *testing.T) {
	const n = 8
	require.Equal(t, Point{X: 3 * n, Y: 2 * n}, taken(t, Chain, n, backpropWork, backpropPath))
	require.Equal(t, Point{X: n - 1, Y: 3}, taken(t, SumBalanced, n, backpropWork, backpropPath))
}

// TestCommutationConstants: the constants of Lemma Commutation are reached, that of (12) by a symbol of three parameters.
func TestCommutationConstants(t *testing.T) {
	for rule, want := range map[rule.Rule]float64{rule.Lambda: 1, rule.Pair: 1, rule.Subst: 1, rule.SubstNumeral: 1, rule.GC: 1,
		rule.Plus: 15, rule.Times: 17, rule.Function: 31, rule.Branch: 9} {
		require.Equal(t, want, joint(t, Family{}, 1, commuting(rule)).Y, rule.String())
	}
}

// TestRebuilt: after an edit of u in t u a cache leaves as much to do for a large t as for a small one.
func TestRebuilt(t *testing.T) {
	var again []float64
	for _, n := range []int{3, 300} {
		again = append(again, measured(t, claimSeries[16][0], n).Y)
	}
	require.Equal(t, again[0], again[1])
}

// TestTheoremPoint: More has what the bounds of Theorem 1 are fitted on, but for a Jacobian.
func TestTheoremPoint(t *testing.T) {
	claim := claimSeries[10]
	of := func(name string) *Series {
		at := slices.IndexFunc(claim, func(s Series) bool { return s.Name == name })
		require.GreaterOrEqual(t, at, 0, name)
		return &claim[at]
	}
	pt := measured(t, *of(Network.Name), 3)
	require.Equal(t, pt.More[MName]+pt.More[GraphName], pt.X)
	require.Equal(t, pt.More[StepsName], pt.Y)
	p, err := gram.Load(t.Context(), "network", []byte(Network.Source(3)), gram.Options{})
	require.NoError(t, err)
	require.Equal(t, float64(bridge.Of(p).Term().Size()+int64(len(bridge.Of(p).ScalarInputs())))*(pt.Y+1), pt.More[BilinearName])
	require.NotContains(t, measured(t, *of(TwoOutputs.Name), 3).More, MName)
}

// TestReductionsToTheGraph: n closed redexes in a function that is called n times fire n² times by value and by need, and
// n times if the function is normalised first.
func TestReductionsToTheGraph(t *testing.T) {
	var value, need, normal []float64
	for n := 4; n < 8; n++ {
		value = append(value, taken(t, Redexes, n, sizeN, sourceM).Y)
		need = append(need, taken(t, Redexes, n, sizeN, mNeed).Y)
		normal = append(normal, taken(t, Redexes, n, sizeN, mNormal).Y)
	}
	second := func(y []float64) float64 { return y[3] - 3*y[2] + 3*y[1] - y[0] }
	require.Zero(t, second(value))
	require.Zero(t, second(need))
	require.Positive(t, value[2]-2*value[1]+value[0])
	require.Positive(t, need[2]-2*need[1]+need[0])
	require.Zero(t, normal[2]-2*normal[1]+normal[0])
}

// TestSearchIsNotConstantForAStep: what a value wakes grows with the λs that have captured it.
func TestSearchIsNotConstantForAStep(t *testing.T) {
	small := taken(t, Family{}, 10, sizeN, longestSearch)
	large := taken(t, Family{}, 40, sizeN, longestSearch)
	require.GreaterOrEqual(t, large.Y, 3*small.Y)
}

// TestRulesOfReductionGraphs: (5), (7) and (11) fire in the reduction graphs of claim 22, and (7) in claim 6.
func TestRulesOfReductionGraphs(t *testing.T) {
	fired := map[string]bool{}
	for _, s := range append(claimSeries[22][:2:2], claimSeries[6]...) {
		if s.Role != Evidence || s.Quick[0] > 3 {
			continue
		}
		for name := range measured(t, s, s.Quick[len(s.Quick)-1]).More {
			fired[name] = true
		}
	}
	for _, by := range []rule.Rule{rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Lin, rule.Plus, rule.PlusPair, rule.Times, rule.Factor} {
		require.True(t, fired["steps by ("+rule.Table[by].Number+")"], by.String())
	}
}

// TestAblatedSteps: of a sum of n inputs bp(G) takes n steps by (6) for each of the n − 1 sums besides with plain sums,
// and with dense tuples also n − 1 by (7).
func TestAblatedSteps(t *testing.T) {
	for _, n := range []int{2, 10, 64} {
		want := taken(t, SumBalanced, n, groundSize, bpSteps(0))
		for without, more := range map[revgrad.Ablation]int{revgrad.PlainPlus: n * (n - 1), revgrad.DenseTuples: (2*n - 1) * (n - 1)} {
			require.Equal(t, Point{X: want.X, Y: want.Y + float64(more)}, taken(t, SumBalanced, n, groundSize, bpSteps(without)))
		}
	}
}

// TestSymbolsLeft: D of a constant comes to ⟨r, λa.0⃗⟩, of four symbols. Without (5') each negation leaves a [b:=−1·a] of
// four, and each square twice what the one before has, with a sum and two products.
func TestSymbolsLeft(t *testing.T) {
	without := reference.WithoutLinGC(reference.Leftmost)
	for n, want := range map[int]float64{1: 14, 2: 34, 3: 74, 4: 154} {
		for _, c := range []struct {
			f    Family
			by   reference.Strategy
			want float64
		}{
			{Constants, reference.Leftmost, 4}, {Constants, without, 4 + 4*float64(n)},
			{ConstantSquares, reference.Leftmost, 4}, {ConstantSquares, without, want},
		} {
			require.Equal(t, Point{X: float64(n), Y: c.want}, taken(t, c.f, n, sizeN, symbolsLeft(c.by)), c.f.Name)
		}
	}
}

// TestUnshared: where each let is evaluated at each use, z·z, n times, has 2ⁿ − 1 products, and a step by (3) for each of
// the 2ⁿ⁺¹ − 1 uses of a let.
func TestUnshared(t *testing.T) {
	for _, n := range []int{1, 4, 10} {
		products, uses := 1<<n-1, 1<<(n+2)-1-1<<n
		require.Equal(t, Point{X: float64(3*n + 1), Y: float64(products + uses)}, taken(t, Squares, n, graphSize, unshared(Squares)))
	}
}

// TestDerivativeSteps: of n squares composed, the derivative by Ehrhard's D takes twice the steps of that of n − 1, and
// the value of the function inside, which is affine in n; of n sines the steps are a quadratic in n.
func TestDerivativeSteps(t *testing.T) {
	var twice, once []float64
	for n := 1; n <= 10; n++ {
		twice = append(twice, taken(t, family["derivative of composed squares"], n, sizeN, valueSteps).Y)
		once = append(once, taken(t, family["derivative of composed functions"], n, sizeN, valueSteps).Y)
	}
	for i := 3; i < len(once); i++ {
		require.Equal(t, 0.0, (twice[i]-2*twice[i-1])-2*(twice[i-1]-2*twice[i-2])+(twice[i-2]-2*twice[i-3]), "%v", twice)
		require.Equal(t, 0.0, once[i]-3*once[i-1]+3*once[i-2]-once[i-3], "%v", once)
	}
}

// TestTape: a tape of n sines takes n operations, then 3 for each: its derivative, a product and a sum.
func TestTape(t *testing.T) {
	for _, n := range []int{1, 8} {
		require.Equal(t, Point{X: float64(3 * n), Y: float64(4 * n)}, taken(t, Chain, n, backpropWork, tapeOperations))
	}
}

// TestCharged: of the network with d = m = 4 the normal form of D(L) has 637 symbols, and a copy of it is
// made for each element.
func TestCharged(t *testing.T) {
	f := Family{Source: func(n int) string { return Recurrent(4, 4, n) }}
	for _, n := range []int{1, 2, 50} {
		pt := joint(t, f, n, func(s *subject) Point { return Point{X: recurrentSteps(gram.Modular)(s), Y: chargedSteps(s)} })
		require.Equal(t, float64(637*n), pt.Y-pt.X)
	}
}

// TestDifferentGradients: over the rationals there is one, in floating point there are more.
func TestDifferentGradients(t *testing.T) {
	require.Equal(t, Point{X: 8, Y: 1}, taken(t, Family{}, 8, sizeN, exactGradients))
	require.Equal(t, Point{X: 8, Y: 7}, taken(t, Family{}, 8, sizeN, floatGradients))
}
