package rivals_test

import (
	"context"
	"encoding/json"
	"math"
	"os"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/rivals"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
)

func load(t *testing.T, text string) *gram.Program {
	t.Helper()
	p, err := gram.Load(t.Context(), "test", []byte(text), gram.Options{})
	require.NoError(t, err, text)
	return p
}

// families are those that are measured, and others with a gradient.
func families() []bench.Family {
	var out []bench.Family
	for _, fs := range [][]bench.Family{bench.Ground(), bench.HigherOrder(), bench.Adversarial(), bench.Constructors(),
		{bench.Church, bench.Captures, bench.Untaken, bench.EveryRule, bench.Batch, bench.Calls, bench.Composed, bench.ComposedSquares, bench.Redexes}} {
		out = append(out, fs...)
	}
	return out
}

// TestFamilies: each rival's gradient of each family is that of forward mode, of central differences, and the machine's.
func TestFamilies(t *testing.T) {
	for _, f := range families() {
		if f.Name == bench.TwoOutputs.Name {
			continue
		}
		for _, n := range []int{1, 2, 3, 6} {
			p := load(t, f.Source(n))
			values, jacobian := denote.Jacobian(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
			differences := denote.Differences(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
			res, err := p.Gradient(t.Context(), gram.EvalOptions{})
			require.NoError(t, err)
			for _, r := range rivals.All() {
				got, err := r.Gradient(t.Context(), bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point(), 1e7)
				require.NoError(t, err, "%s, n = %d, %s", f.Name, n, r.Name)
				require.InDelta(t, values[0], got.Value, 1e-9, "%s, n = %d, %s", f.Name, n, r.Name)
				require.InDeltaSlice(t, jacobian, got.Gradient, 1e-6, "%s, n = %d, %s", f.Name, n, r.Name)
				require.InDeltaSlice(t, differences, got.Gradient, 1e-3, "%s, n = %d, %s", f.Name, n, r.Name)
				require.InDeltaSlice(t, res.Jacobian, got.Gradient, 1e-6, "%s, n = %d, %s", f.Name, n, r.Name)
			}
		}
	}
}

// TestPropertyGradient: each rival's gradient of a random program is that of forward mode.
func TestPropertyGradient(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Size: rapid.IntRange(3, 40).Draw(t, "size")})
		values, jacobian := denote.Jacobian(p.Term, p.Inputs, p.Point)
		for _, r := range rivals.All() {
			got, err := r.Gradient(t.Context(), p.Term, p.Inputs, p.Point, 1e6)
			require.NoError(t, err, r.Name)
			require.True(t, property.Close(values[0], got.Value, 0), "%s: %v instead of %v", r.Name, got.Value, values)
			require.Len(t, got.Gradient, len(jacobian))
			for i, want := range jacobian {
				if math.Abs(want) < 1e9 {
					require.True(t, property.Close(want, got.Gradient[i], 1e-9), "%s: %v instead of %v", r.Name, got.Gradient, jacobian)
				}
			}
		}
	})
}

// TestCounts: what each rival takes for n lets, each the sum of the one before with itself, worked out by hand from the
// transformations and the rules. Without staging it doubles with n; with tuples over Γ it is quadratic.
func TestCounts(t *testing.T) {
	for _, n := range []int{1, 2, 5, 10} {
		p := load(t, bench.Named("doubled")[0].Source(n))
		want := map[string]int{"chad": 3*n*n + 47*n + 29, "chad-efficient": 37*n + 26,
			"dual": 12*n + 10<<n - 3, "dual-map": 23*n + 7, "dual-array": 29*n + 12, "trace": 24*n + 8}
		for _, r := range rivals.All() {
			got, err := r.Gradient(t.Context(), bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point(), 0)
			require.NoError(t, err)
			require.Equal(t, []float64{math.Pow(2, float64(n))}, got.Gradient)
			require.EqualValues(t, want[r.Name], got.Cost.Total(), "%s, n = %d: %+v", r.Name, n, got.Cost)
		}
	}
}

// TestLimits: a run that passes its limit, or whose context ends, is an error.
func TestLimits(t *testing.T) {
	p := load(t, bench.Named("doubled")[0].Source(30))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	for _, r := range rivals.All() {
		var limit *rivals.LimitError
		_, err := r.Gradient(t.Context(), bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point(), 600)
		require.ErrorAs(t, err, &limit, r.Name)
		require.ErrorContains(t, err, "more than 600 steps")
		require.NoError(t, limit.Err)
		_, err = r.Gradient(ctx, bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point(), 0)
		require.ErrorIs(t, err, context.Canceled, r.Name)
	}
	large, deep := load(t, "input x = 0.5\niter #1000000000000 sin x\n"), load(t, "input x = 0.5\niter #400000 sin x\n")
	for _, r := range rivals.All() {
		_, err := r.Gradient(t.Context(), bridge.Of(large).Term(), bridge.Of(large).ScalarInputs(), large.Point(), 0)
		require.ErrorContains(t, err, "the program has more than 1048576 symbols", r.Name)
		_, err = r.Gradient(t.Context(), bridge.Of(deep).Term(), bridge.Of(deep).ScalarInputs(), deep.Point(), 0)
		require.ErrorContains(t, err, "the program nests deeper than 150000", r.Name)
	}
	linear := load(t, "let d = lin a -> 2 * a in\nd 1\n")
	_, err := rivals.All()[0].Gradient(t.Context(), bridge.Of(linear).Term(), nil, nil, 0)
	require.ErrorContains(t, err, "not defined on lin")
}

// TestReport: the report of the repository has what is measured now, and its page is the one that is there.
func TestReport(t *testing.T) {
	text, err := os.ReadFile("../../" + rivals.ReportFile)
	require.NoError(t, err)
	var r rivals.Report
	require.NoError(t, json.Unmarshal(text, &r))
	page, err := rivals.Page(&r)
	require.NoError(t, err)
	kept, err := os.ReadFile("../../" + rivals.PageFile)
	require.NoError(t, err)
	require.Equal(t, string(kept), string(page), "gram bench --rivals --page . writes it")

	names := 0
	now, err := rivals.Measure(t.Context(), rivals.Families(), rivals.Scale{Nodes: 200, Steps: 50_000}, func(int, *bench.Family) { names++ })
	require.NoError(t, err)
	require.Equal(t, names, len(now.Families))
	require.Len(t, r.Families, names)
	require.Equal(t, r.Parts, now.Parts)
	for i, m := range now.Families {
		require.Equal(t, r.Families[i].Name, m.Name)
		for j, p := range m.Points {
			for rival, steps := range p.Costs {
				require.Equal(t, r.Families[i].Points[j].Costs[rival], steps, "%s, n = %d, %s", m.Name, p.Size, rival)
			}
		}
	}
	printed, err := rivals.Text(now)
	require.NoError(t, err)
	object, err := rivals.JSON(now)
	require.NoError(t, err)
	require.True(t, json.Valid(object))
	for _, r := range rivals.All() {
		require.Contains(t, printed, r.Name)
		require.Contains(t, string(object), r.Paper)
	}
}
