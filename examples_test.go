package gram_test

import (
	"context"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/rule"
)

// params makes the large examples small enough for the oracles.
var params = map[string][]string{
	"w1": {"n=100"}, "w2": {"n=100", "k=4"}, "w3": {"n=100"}, "w4": {"n=100"}, "w5": {"n=10", "k=3"},
}

// loadExample loads an example; of its data, the first rows.
func loadExample(t testing.TB, name string) *gram.Program {
	t.Helper()
	return loadExampleBy(t, name, gram.Options{Open: testprogram.FirstRows})
}

// loadWholeExample loads an example with all of its data.
func loadWholeExample(t testing.TB, name string) *gram.Program {
	t.Helper()
	return loadExampleBy(t, name, gram.Options{})
}

func loadExampleBy(t testing.TB, name string, opt gram.Options) *gram.Program {
	t.Helper()
	opt.Params = params[name]
	p, err := gram.LoadFile(context.Background(), filepath.Join("examples", name+".gram"), opt)
	require.NoError(t, err)
	return p
}

// exampleNames are the examples but for the largest.
func exampleNames(t testing.TB) []string {
	t.Helper()
	files, err := filepath.Glob("examples/*.gram")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(files), 10)
	var names []string
	for _, f := range files {
		if name := filepath.Base(f[:len(f)-len(".gram")]); !slices.Contains([]string{"phylogeny", "molecules", "newton", "characters", "bigram"}, name) {
			names = append(names, name)
		}
	}
	return names
}

// differentiable are the examples without dual λs of their own.
func differentiable(t testing.TB) []string {
	return slices.DeleteFunc(exampleNames(t), func(name string) bool { return name == "backpropagators" })
}

// TestBackpropagators: Figure 1's backpropagators by hand give what D gives.
func TestBackpropagators(t *testing.T) {
	ctx := context.Background()
	byHand, err := loadExample(t, "backpropagators").Value(ctx, gram.EvalOptions{})
	require.NoError(t, err)
	res, err := loadExample(t, "figure1").Gradient(ctx, gram.EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, append(res.Values, res.Jacobian...), byHand.Values)
	_, err = loadExample(t, "backpropagators").Gradient(ctx, gram.EvalOptions{})
	require.ErrorContains(t, err, "backpropagators.gram:4:11")
}

// TestExamplesAgreeWithOracles holds value and gradient of every example against
// forward mode to 1e-10 and against central differences to 1e-4, and the counts of
// random schedules against those of LIFO.
func TestExamplesAgreeWithOracles(t *testing.T) {
	for _, name := range differentiable(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ctx := context.Background()
			p := loadExample(t, name)
			res, err := p.Gradient(ctx, gram.EvalOptions{})
			require.NoError(t, err)
			values, jacobian := denote.Jacobian(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
			requireClose(t, values, res.Values, 1e-10)
			requireClose(t, jacobian, res.Jacobian, 1e-10)
			for i, d := range denote.Differences(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point()) {
				if !generate.Close(d, res.Jacobian[i], 1e-4) {
					require.InDelta(t, d, res.Jacobian[i], 1e-6, "central difference of partial derivative %d", i)
				}
			}
			again, err := p.Gradient(ctx, gram.EvalOptions{})
			require.NoError(t, err)
			require.Equal(t, res.Cost.Steps, again.Cost.Steps)
			require.Equal(t, res.Cost.Overhead, again.Cost.Overhead)
			require.Equal(t, res.Cost.Nodes, again.Cost.Nodes)
			for seed := range uint64(2) {
				random, err := p.Gradient(ctx, gram.EvalOptions{Schedule: gram.Random, Seed: seed})
				require.NoError(t, err)
				require.Equal(t, res.Cost.Steps, random.Cost.Steps)
				requireClose(t, res.Values, random.Values, 1e-12)
				requireClose(t, res.Jacobian, random.Jacobian, 1e-9)
			}
			for _, strategy := range []gram.Strategy{gram.Direct, gram.Unfold, gram.Modular} {
				want, err := p.Gradient(ctx, gram.EvalOptions{Strategy: strategy})
				require.NoError(t, err)
				parallel, err := p.Gradient(ctx, gram.EvalOptions{Strategy: strategy, Schedule: gram.Parallel, Workers: 3})
				require.NoError(t, err)
				require.Equal(t, want.Cost.Steps, parallel.Cost.Steps)
				require.Equal(t, want.Values, parallel.Values, "to the last bit")
				requireClose(t, want.Jacobian, parallel.Jacobian, 1e-12)
			}
			value, err := p.Value(ctx, gram.EvalOptions{})
			require.NoError(t, err)
			require.Equal(t, res.Values, value.Values)
			parallel, err := p.Value(ctx, gram.EvalOptions{Schedule: gram.Parallel, Workers: 3})
			require.NoError(t, err)
			require.Equal(t, value.Values, parallel.Values)
			require.Equal(t, value.Cost.Steps, parallel.Cost.Steps)
			for _, s := range []rule.Counts{res.Cost.Steps, value.Cost.Steps} {
				require.Zero(t, s[rule.PlusPair], "(7)")
				require.Zero(t, s[rule.EtaLambda], "(9)")
				require.Zero(t, s[rule.EtaPair], "(10)")
			}
			require.LessOrEqual(t, res.Cost.Overhead.Instantiate, res.Cost.Steps.Total(), "instantiate ≤ steps")
		})
	}
}

func requireClose(t *testing.T, want, got []float64, tolerance float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i := range want {
		if !generate.Close(want[i], got[i], tolerance) {
			require.InDelta(t, want[i], got[i], tolerance, "number %d", i)
		}
	}
}

// TestReferenceValues holds the workloads at full size against the values of C by
// hand, to a relative 1e-9.
func TestReferenceValues(t *testing.T) {
	for _, w := range []struct {
		name     string
		params   []string
		value    float64
		gradient []float64 // the first of its numbers
		sum      float64   // of the absolute values of all; 0: not known
	}{
		{"w1", []string{"n=1e3"}, 0.597689327679, []float64{-0.0631397027222, 0.147126782473}, 0},
		{"w1", []string{"n=1e6"}, 0.449411096880, []float64{-0.277085974651, 0.180806205797}, 0},
		{"w2", []string{"n=1e3", "k=16"}, 7.91896516271, []float64{-0.102620606561, 0.136214147095, 0.249814242095}, 67.4210056883},
		{"w3", []string{"n=1e5"}, -9.99861661146e-06, []float64{6.91512684187e-10}, 0},
		{"w4", []string{"n=1e6"}, 1100, []float64{1100000, 1000}, 0},
		{"w5", []string{"n=100", "k=16"}, -0.969970334547, []float64{-0.0465711358453}, 53.5855403331},
		{"w5", []string{"n=100", "k=64"}, -24.7623126052, []float64{0.0286906700062, -0.0582210539270, -0.0916046093798}, 822.081323022},
	} {
		p, err := gram.LoadFile(context.Background(), filepath.Join("examples", w.name+".gram"), gram.Options{Params: w.params})
		require.NoError(t, err)
		res, err := p.Gradient(context.Background(), gram.EvalOptions{})
		require.NoError(t, err)
		require.InEpsilon(t, w.value, res.Values[0], 1e-9, w.name)
		require.InEpsilonSlice(t, w.gradient, res.Jacobian[:len(w.gradient)], 1e-9, w.name)
		if w.sum > 0 {
			sum := 0.0
			for _, g := range res.Jacobian {
				sum += max(g, -g)
			}
			require.InEpsilon(t, w.sum, sum, 1e-9, w.name)
		}
	}
}
