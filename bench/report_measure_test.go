package bench_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/report"
)

// registry are two claims that note what is measured of them.
type registry struct {
	claims []bench.Claim
	mu     sync.Mutex
	taken  []string                     // "claim series size", in order
	before func(taken string) error     // called before each point
	time   func(size, call int) float64 // of the time series
	calls  map[int]int
}

func newRegistry() *registry {
	r := &registry{calls: map[int]int{}}
	count := func(claim int, name string, f func(n int) float64) bench.Series {
		return bench.Series{Name: name, Role: bench.Evidence, Law: linear, X: "n", Y: "steps",
			Quick: []int{1000, 2000, 5000, 10000}, Full: []int{1000, 2000, 5000, 10000, 100000},
			Measure: func(_ context.Context, n int) (bench.Point, error) {
				return bench.Point{X: float64(n), Y: f(n), More: map[string]float64{"m": float64(n)}}, r.note(claim, name, n)
			}}
	}
	timed := count(2, "time", nil)
	timed.Timed = true
	timed.Measure = func(_ context.Context, n int) (bench.Point, error) {
		err := r.note(2, "time", n)
		r.calls[n]++
		y := float64(10*n + r.calls[n])
		if r.time != nil {
			y = r.time(n, r.calls[n])
		}
		return bench.Point{X: float64(n), Y: y}, err
	}
	r.claims = []bench.Claim{
		{Number: 1, Title: "one", Series: []bench.Series{
			count(1, "a", func(n int) float64 { return float64(3*n + 1) }), count(1, "b", func(n int) float64 { return float64(5 * n) })}},
		{Number: 2, Title: "two", Series: []bench.Series{timed, count(2, "c", func(n int) float64 { return float64(n) })}},
	}
	return r
}

func (r *registry) note(claim int, series string, size int) error {
	r.mu.Lock()
	defer r.mu.Unlock()
	taken := fmt.Sprintf("%d %s %d", claim, series, size)
	r.taken = append(r.taken, taken)
	if r.before != nil {
		return r.before(taken)
	}
	return nil
}

func quick(build string) report.Options {
	return report.Options{Selection: report.Selection{Sizes: report.Quick, Build: build}, Jobs: 2, Repeat: 6,
		Computer: report.Computer{System: "test/test", Cores: 2}}
}

func open(t *testing.T, path string) *report.Store {
	s, err := report.Open(path)
	require.NoError(t, err)
	t.Cleanup(func() { s.Close() })
	return s
}

func TestRunMeasuresEachPointOnce(t *testing.T) {
	path := filepath.Join(t.TempDir(), "made", "on", "demand", "rows.jsonl")
	r, s := newRegistry(), open(t, path)
	var events []report.Event
	opt := quick("v1")
	opt.Progress = func(e report.Event) { events = append(events, e) }
	require.NoError(t, report.Run(context.Background(), r.claims, s, opt))
	require.Len(t, r.taken, 3*4+6*4, "counts once, times six times")
	for i, taken := range r.taken {
		require.Equal(t, i >= 12, strings.HasPrefix(taken, "2 time"), "times come after all counts")
	}
	require.Equal(t, 16, events[len(events)-1].Done)
	require.Equal(t, 16, events[len(events)-1].Total)

	require.NoError(t, s.Close())
	again := open(t, path)
	require.Equal(t, s.Rows(), again.Rows(), "what was written is read back")
	r.taken = nil
	require.NoError(t, report.Run(context.Background(), r.claims, again, quick("v1")))
	require.Empty(t, r.taken, "the same build measures nothing again")

	opt = quick("v1")
	opt.Sizes = report.Full
	require.NoError(t, report.Run(context.Background(), r.claims, again, opt))
	require.Len(t, r.taken, 3+6, "a full run adds the larger sizes")

	r.taken = nil
	opt = quick("v1")
	opt.Fresh = true
	require.NoError(t, report.Run(context.Background(), r.claims, again, opt))
	require.Len(t, r.taken, 3*4+6*4)

	r.taken = nil
	require.NoError(t, report.Run(context.Background(), r.claims, again, quick("v2")))
	require.Len(t, r.taken, 3*4+6*4, "another build measures all again")

	r.taken = nil
	r.claims[0].Depends = "a file"
	require.NoError(t, report.Run(context.Background(), r.claims, again, quick("v2")))
	require.Len(t, r.taken, 2*4, "a family's file has changed")
}

func TestReport(t *testing.T) {
	r, s := newRegistry(), open(t, filepath.Join(t.TempDir(), "rows.jsonl"))
	r.time = func(n, call int) float64 { return float64(n) * (10 + []float64{3, -1, 0, 1, 9, 0.5}[(call-1)%6]/10) }
	require.NoError(t, report.Run(context.Background(), r.claims, s, quick("v1")))
	rep := s.Report(r.claims, report.Selection{Sizes: report.Quick, Build: "v1"})
	require.Equal(t, []string{"v1"}, rep.Builds)
	require.Equal(t, []report.Computer{{System: "test/test", Cores: 2}}, rep.Computers)
	require.Equal(t, bench.Holds, rep.Outcomes[0].Verdict)
	require.InDelta(t, 1, rep.Outcomes[0].Findings[0].Exponent, 1e-9)
	p := rep.Outcomes[1].Findings[0].Points[0]
	require.Len(t, p.Samples, 6)
	require.InDelta(t, 1000*10.075, p.Y, 1e-6, "the median")
	require.InDelta(t, 1000*9.9, p.Low, 1e-6, "six samples: the interval is all of them")
	require.InDelta(t, 1000*10.9, p.High, 1e-6)

	require.Equal(t, bench.Missing, s.Report(r.claims, report.Selection{Sizes: report.Quick, Build: "v2"}).Outcomes[0].Verdict)
	require.Equal(t, bench.Holds, s.Report(r.claims, report.Selection{Sizes: report.AnySize}).Outcomes[0].Verdict, "by whatever build")
}

// TestInterrupted: what was measured before the end of the context is there for the next run.
func TestInterrupted(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	r, s := newRegistry(), open(t, path)
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	r.before = func(string) error {
		if len(r.taken) == 5 {
			cancel()
			return ctx.Err()
		}
		return nil
	}
	opt := quick("v1")
	opt.Jobs = 1
	require.ErrorIs(t, report.Run(ctx, r.claims, s, opt), context.Canceled)
	require.NoError(t, s.Close())
	require.Len(t, r.taken, 5)

	r.before, r.taken = nil, nil
	again := open(t, path)
	require.Len(t, again.Rows(), 4, "all but the point under way")
	require.NoError(t, report.Run(context.Background(), r.claims, again, opt))
	require.Len(t, r.taken, 12-4+6*4)
}

func TestPointsThatFail(t *testing.T) {
	r, s := newRegistry(), open(t, filepath.Join(t.TempDir(), "rows.jsonl"))
	broken := errors.New("no memory")
	r.before = func(taken string) error {
		if taken == "1 a 5000" || taken == "2 c 1000" {
			return broken
		}
		return nil
	}
	err := report.Run(context.Background(), r.claims, s, quick("v1"))
	require.ErrorIs(t, err, broken)
	var point *report.PointError
	require.ErrorAs(t, err, &point)
	require.Contains(t, err.Error(), "claim 1, a, size 5000: no memory")
	require.Contains(t, err.Error(), "claim 2, c, size 1000: no memory")
	require.Len(t, s.Rows(), 16-2, "the others were measured")
}

func TestPointsThatAreNoNumbers(t *testing.T) {
	r, s := newRegistry(), open(t, filepath.Join(t.TempDir(), "rows.jsonl"))
	r.claims[0].Series[0].Measure = func(context.Context, int) (bench.Point, error) { return bench.Point{X: 1, Y: math.NaN()}, nil }
	r.claims[0].Series[1].Measure = func(context.Context, int) (bench.Point, error) {
		return bench.Point{X: 1, Y: 1, More: map[string]float64{"m": math.Inf(1)}}, nil
	}
	err := report.Run(context.Background(), r.claims[:1], s, quick("v1"))
	require.ErrorContains(t, err, "size 1000: y is NaN")
	require.ErrorContains(t, err, "size 1000: m is +Inf")
	require.Empty(t, s.Rows())
}

// TestCountsOfTimes: the counts that come with a time are those of every repetition.
func TestCountsOfTimes(t *testing.T) {
	r, s := newRegistry(), open(t, filepath.Join(t.TempDir(), "rows.jsonl"))
	calls := 0.0
	r.claims[1].Series[0].Measure = func(_ context.Context, n int) (bench.Point, error) {
		calls++
		return bench.Point{X: float64(n), Y: 1, More: map[string]float64{"steps": calls}}, nil
	}
	err := report.Run(context.Background(), r.claims[1:], s, quick("v1"))
	require.ErrorContains(t, err, "claim 2, time, size 1000: counts differ from one run to the next")
}

// row is a row of a count.
func row(claim int, series string, size int, y float64) report.Row {
	return report.Row{Claim: claim, Series: series, Measurement: bench.Measurement{Size: size, Point: bench.Point{Y: y}}}
}

func TestStoreAfterACrash(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	s := open(t, path)
	require.NoError(t, s.Append(row(1, "a", 1, 1)))
	require.NoError(t, s.Append(row(1, "a", 2, 2)))
	require.NoError(t, s.Close())
	whole, err := os.ReadFile(path)
	require.NoError(t, err)
	for cut := range whole {
		require.NoError(t, os.WriteFile(path, whole[:cut], 0o666))
		s := open(t, path)
		rows := strings.Count(string(whole[:cut]), "\n")
		require.Len(t, s.Rows(), rows, "a line that is torn is dropped, the others are kept")
		require.NoError(t, s.Append(row(1, "a", 3, 3)))
		require.NoError(t, s.Close())
		s = open(t, path)
		require.Len(t, s.Rows(), rows+1)
		require.NoError(t, s.Close())
	}
}

func TestStoreThatIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	require.NoError(t, os.WriteFile(path, []byte("{\"claim\":1}\nsome text\n"), 0o666))
	_, err := report.Open(path)
	require.ErrorContains(t, err, path+":2: this is not a row of results")

	_, err = report.Open(filepath.Join(path, "rows.jsonl"))
	require.Error(t, err, "a file stands where the folder is to be")
	none, err := report.Read(filepath.Join(t.TempDir(), "none.jsonl"))
	require.NoError(t, err)
	require.Empty(t, none.Rows())
}

func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	s := open(t, path)
	for _, r := range []report.Row{row(2, "a", 1, 0), row(1, "b", 9, 0), row(1, "a", 9, 0), row(1, "a", 2, 0), row(1, "a", 9, 7), row(3, "gone", 1, 0)} {
		require.NoError(t, s.Append(r))
	}
	require.NoError(t, s.Compact(func(r report.Row) bool { return r.Claim < 3 }))
	require.NoError(t, s.Append(row(4, "after", 1, 0)))
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, []string{
		`{"claim":1,"series":"a","size":2,"x":0,"y":0,"build":""}`,
		`{"claim":1,"series":"a","size":9,"x":0,"y":7,"build":""}`,
		`{"claim":1,"series":"b","size":9,"x":0,"y":0,"build":""}`,
		`{"claim":2,"series":"a","size":1,"x":0,"y":0,"build":""}`,
		`{"claim":4,"series":"after","size":1,"x":0,"y":0,"build":""}`,
	}, strings.Split(strings.TrimSuffix(string(text), "\n"), "\n"))
	left, err := os.ReadDir(filepath.Dir(path))
	require.NoError(t, err)
	require.Len(t, left, 1, "nothing is left beside it")
}

func TestBuild(t *testing.T) {
	b, err := report.Build("v1.2.3")
	require.NoError(t, err)
	require.Regexp(t, `^v1\.2\.3 go\S+ [0-9a-f]{16}$`, b)
	again, err := report.Build("v1.2.3")
	require.NoError(t, err)
	require.Equal(t, b, again)
}

func TestComputer(t *testing.T) {
	c := report.ThisComputer()
	require.Positive(t, c.Cores)
	require.Contains(t, c.String(), c.System)
	require.Equal(t, "1 core of Fast, plan9/arm, go1", report.Computer{System: "plan9/arm", Cores: 1, Processor: "Fast", Go: "go1"}.String())
}
