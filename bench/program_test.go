package bench_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/internal/bridge"
)

// chain is sin, n times.
const chain = `param n = 1
input x = 0.5
let f = fun z -> sin z in
iter #n f x
`

// judged measures a source at all its sizes and judges it.
func judged(t *testing.T, s bench.Source) *bench.Outcome {
	c, err := s.Claim(context.Background())
	require.NoError(t, err)
	return c.Judge(func(s *bench.Series) []bench.Measurement {
		var out []bench.Measurement
		for _, n := range s.Full {
			p, err := s.Measure(context.Background(), n)
			require.NoError(t, err)
			out = append(out, bench.Measurement{Size: n, Point: p, Low: p.Y, High: p.Y, Samples: []float64{p.Y}})
		}
		return out
	})
}

func TestSource(t *testing.T) {
	s := bench.Source{Name: "chain.gram", Text: []byte(chain), Param: "n", Sizes: []int{10, 20, 50, 100, 200, 500}, Law: linear}
	o := judged(t, s)
	require.Equal(t, bench.Holds, o.Verdict)
	byName := map[string]*bench.Finding{}
	for _, f := range o.Findings {
		byName[f.Series.Name] = f
	}
	for _, name := range []string{"steps", "m", "|G|"} {
		require.InDelta(t, 1, byName[name].Exponent, 1e-6, name)
		require.Equal(t, bench.Holds, byName[name].Verdict, name)
	}
	p := byName["steps"].Points[3]
	program, err := gram.Load(context.Background(), "chain.gram", []byte(chain), gram.Options{Params: []string{"n=100"}})
	require.NoError(t, err)
	res, err := program.Gradient(context.Background(), gram.EvalOptions{})
	require.NoError(t, err)
	bound, err := program.Bound(context.Background(), gram.EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, 100.0, p.X)
	require.Equal(t, float64(res.Cost.Steps.Total()), p.Y)
	require.Equal(t, map[string]float64{"m": float64(bound.M), "|G|": float64(bound.Graph), "steps": p.Y,
		bench.BilinearName: float64(bridge.Of(program).Term().Size()+int64(len(bridge.Of(program).ScalarInputs()))) * (p.Y + 1),
		"overhead":         float64(res.Cost.Overhead.Total)}, p.More)
	require.True(t, byName["time"].Series.Timed)
	require.Positive(t, byName["time"].Points[0].Y)

	s.Law = quadratic
	require.Equal(t, bench.Fails, judged(t, s).Verdict)
}

// TestSourceDepends: what a measurement depends on is the text, the other params, and what is
// in the files that the program reads.
func TestSourceDepends(t *testing.T) {
	csv := filepath.Join(t.TempDir(), "d.csv")
	depends := func(text, cells string, params ...string) string {
		require.NoError(t, os.WriteFile(csv, []byte("v\n"+cells), 0o666))
		s := bench.Source{Name: "p.gram", Text: []byte(text), Param: "n", Sizes: []int{1}, Law: linear,
			Load: gram.Options{Params: params, Dir: filepath.Dir(csv)}}
		c, err := s.Claim(context.Background())
		require.NoError(t, err)
		return c.Depends
	}
	text := "param n = 1\nparam k = 2\ninput x = 1\ndata ys : List R = csv \"d.csv\" \"v\"\nfold (fun y s -> x * y + s) (n * k) ys\n"
	first := depends(text, "1\n2\n")
	require.Equal(t, first, depends(text, "1\n2\n"))
	seen := map[string]bool{first: true, depends(text+"\n", "1\n2\n"): true, depends(text, "1\n3\n"): true, depends(text, "1\n2\n", "k=3"): true}
	require.Len(t, seen, 4)
}

func TestSourceThatIsWrong(t *testing.T) {
	s := bench.Source{Name: "p.gram", Text: []byte("param n = 1\ninput x = 1\nsin (x, n)\n"), Param: "n", Sizes: []int{1}, Law: linear}
	_, err := s.Claim(context.Background())
	var wrong *gram.Error
	require.ErrorAs(t, err, &wrong)
	require.Contains(t, wrong.Text, "p.gram:3:")
	s.Param = "k"
	_, err = s.Claim(context.Background())
	var usage *gram.UsageError
	require.ErrorAs(t, err, &usage)
}

// TestSourceIsCancelled: a measurement ends with its context.
func TestSourceIsCancelled(t *testing.T) {
	s := bench.Source{Name: "chain.gram", Text: []byte(chain), Param: "n", Sizes: []int{10}, Law: linear}
	c, err := s.Claim(context.Background())
	require.NoError(t, err)
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	for _, series := range c.Series {
		_, err := series.Measure(ctx, 1_000_000)
		require.True(t, errors.Is(err, context.Canceled), "%s: %v", series.Name, err)
	}
}

// TestTheoremBounds: a bound is fitted on all runs that have its quantities but those of ablations; one of them is bilinear.
func TestTheoremBounds(t *testing.T) {
	run := func(m, g, size, steps, overhead float64) bench.Measurement {
		return bench.Measurement{Point: bench.Point{X: m + g, Y: steps,
			More: map[string]float64{"m": m, "|G|": g, bench.BilinearName: size * (steps + 1), "steps": steps, "overhead": overhead}}}
	}
	evidence, printed, contrast := &bench.Series{Role: bench.Evidence}, &bench.Series{Role: bench.Printed}, &bench.Series{Role: bench.Contrast}
	var points []bench.Measurement
	for m := 1.0; m < 1e6; m *= 7 {
		for g := 1.0; g < 1e6; g *= 5 {
			steps := 2*m + 4*g + 3
			points = append(points, run(m, g, g, steps, 3*g*(steps+1)-steps))
		}
	}
	none := []bench.Measurement{{Point: bench.Point{X: 1, Y: 1e9, More: map[string]float64{"m": 1}}}}
	bounds, err := bench.TheoremBounds([]*bench.Outcome{
		{Findings: []*bench.Finding{{Series: evidence, Points: points}, {Series: printed, Points: points}, {Series: evidence, Points: none}}},
		{Findings: []*bench.Finding{{Series: contrast, Points: []bench.Measurement{run(1, 1, 1, 1e9, 1)}}}},
	})
	require.NoError(t, err)
	require.Len(t, bounds, 2, "no run has rewrites and units")
	for i, want := range [][]float64{{2, 4, 3}, {3}} {
		b := bounds[i]
		require.Equal(t, len(points), b.Runs, "each run once")
		require.InDeltaSlice(t, want, b.Fit, 1e-6)
		require.InDeltaSlice(t, want, b.Least, 1e-6)
		require.InDelta(t, 1, b.Loosest, 1e-6)
	}

	bounds, err = bench.TheoremBounds(nil)
	require.NoError(t, err)
	require.Empty(t, bounds)
}
