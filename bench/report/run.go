package report

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"

	"golang.org/x/perf/benchmath"
	"golang.org/x/sync/errgroup"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/peers"
)

// Options say how claims are measured.
type Options struct {
	Selection          // what is to be there at the end
	Fresh     bool     // measure also what is there already
	Counts    bool     // measure no times
	Jobs      int      // claims whose counts are taken at once; 0 is 1
	Repeat    int      // how often a time is taken; at least 6 for a 95 % interval
	Computer  Computer // for the rows of times
	// Progress, if not nil, is called at the beginning and the end of each point, by one goroutine at a time.
	Progress func(Event)
}

// Event describes the progress of a run. At the beginning of a series Size is 0. An event of a comparison has the task,
// and neither claim nor series; its points are tasks.
type Event struct {
	Task        *peers.Task
	Claim       *bench.Claim
	Series      *bench.Series
	Size        int
	Points      int // of the series, that are to be measured
	Done, Total int // points of the run
}

// PointError is a point that could not be measured.
type PointError struct {
	Claim  *bench.Claim
	Series *bench.Series
	Size   int
	Err    error
}

func (e *PointError) Error() string {
	return fmt.Sprintf("%s, %s, size %d: %v", e.Claim.Name(), e.Series.Name, e.Size, e.Err)
}

// Unwrap returns the cause.
func (e *PointError) Unwrap() error { return e.Err }

// runner is one run.
type runner struct {
	opt   Options
	store *Store
	mu    sync.Mutex // for what follows, and for Progress
	done  int
	total int
	wrong []error
}

// part is the remaining work on one series.
type part struct {
	claim  *bench.Claim
	series *bench.Series
	sizes  []int
}

// Run measures the points of the claims that the store lacks, counts first. A point that
// can't be measured doesn't end the run: the error, at the end, joins a [*PointError] for each. The end of
// the context ends it, with the context's error; so does a store that can't be written.
func Run(ctx context.Context, claims []bench.Claim, store *Store, opt Options) error {
	r := &runner{opt: opt, store: store}
	counts, times := make([][]part, len(claims)), []part{}
	for i := range claims {
		for j := range claims[i].Series {
			p := part{&claims[i], &claims[i].Series[j], nil}
			if p.series.Timed && opt.Counts {
				continue
			}
			p.sizes = r.missing(p.claim, p.series)
			r.total += len(p.sizes)
			switch {
			case len(p.sizes) == 0:
			case p.series.Timed:
				times = append(times, p)
			default:
				counts[i] = append(counts[i], p)
			}
		}
	}
	g, within := errgroup.WithContext(ctx)
	g.SetLimit(max(1, opt.Jobs))
	for _, parts := range counts {
		g.Go(func() error { return r.parts(within, parts) })
	}
	err := g.Wait()
	if err == nil {
		err = r.parts(ctx, times)
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return errors.Join(append(r.wrong, err)...)
}

// missing returns the sizes of the series that are to be measured.
func (r *runner) missing(c *bench.Claim, s *bench.Series) []int {
	var out []int
	for _, n := range r.opt.Sizes(s) {
		if _, ok := r.store.find(key{c.Number, s.Name, n}, buildOf(r.opt.Build, c)); !ok || r.opt.Fresh {
			out = append(out, n)
		}
	}
	return out
}

func (r *runner) tell(p part, size, done int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done += done
	if r.opt.Progress != nil {
		r.opt.Progress(Event{Claim: p.claim, Series: p.series, Size: size, Points: len(p.sizes), Done: r.done,
			Total: r.total})
	}
}

// parts measures series one after the other: the points of a count too, and those of a time together.
func (r *runner) parts(ctx context.Context, parts []part) error {
	for _, p := range parts {
		r.tell(p, 0, 0)
		together, rounds := 1, 1
		if p.series.Timed {
			together, rounds = len(p.sizes), max(1, r.opt.Repeat)
		}
		for sizes := range slices.Chunk(p.sizes, together) {
			if err := r.points(ctx, p, sizes, rounds); err != nil {
				return err
			}
		}
	}
	return nil
}

// points takes points of a series in rounds, each of one run of every size: when the
// computer is slower for a while, it is so for all sizes.
func (r *runner) points(ctx context.Context, p part, sizes []int, rounds int) error {
	rows, wrong := make([]Row, len(sizes)), make([]error, len(sizes))
	for round := range rounds {
		for i, size := range sizes {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			if r.tell(p, size, 0); wrong[i] != nil {
				continue
			}
			point, err := p.series.Measure(ctx, size)
			wrong[i] = err
			if first := rows[i].Point; round == 0 {
				rows[i] = Row{Claim: p.claim.Number, Series: p.series.Name, Build: buildOf(r.opt.Build, p.claim),
					Measurement: bench.Measurement{Size: size, Point: point}}
			} else if err == nil && (point.X != first.X || !maps.Equal(point.More, first.More)) {
				wrong[i] = fmt.Errorf("counts differ from one run to the next: %s is %v, then %v; %v, then %v",
					p.series.X, first.X, point.X, first.More, point.More)
			}
			if p.series.Timed {
				rows[i].Samples = append(rows[i].Samples, point.Y)
			}
		}
	}
	for i := range rows {
		switch {
		case wrong[i] != nil:
		case p.series.Timed:
			wrong[i] = rows[i].summarise(r.opt.Computer)
		default:
			wrong[i] = rows[i].check()
		}
		if err := r.keep(ctx, p, &rows[i], wrong[i]); err != nil {
			return err
		}
	}
	return nil
}

// summarise sets the median of the row's samples and its interval.
func (r *Row) summarise(where Computer) error {
	sample := benchmath.NewSample(slices.Clone(r.Samples), &benchmath.DefaultThresholds)
	median := benchmath.AssumeNothing.Summary(sample, 0.95)
	r.Y, r.Low, r.High = median.Center, median.Lo, median.Hi
	r.Computer = &where
	return r.check()
}

// keep writes a row, or records the error of measuring it.
func (r *runner) keep(ctx context.Context, p part, row *Row, err error) error {
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		r.mu.Lock()
		r.wrong = append(r.wrong, &PointError{p.claim, p.series, row.Size, err})
		r.mu.Unlock()
	default:
		if err := r.store.Append(*row); err != nil {
			return err
		}
	}
	r.tell(p, row.Size, 1)
	return nil
}
