package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"sync"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/beam/internal/bundle"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/report"
)

func newBench() *cobra.Command {
	var f struct {
		runFlags
		claims       []int
		quick, fresh bool
		out          string
	}
	cmd := &cobra.Command{
		Use:   "bench",
		Short: "Measure the counts of gram bench, on several workers",
		Long: `Bench measures the counts of gram bench --counts: points of the paper's claims, each a run of a program, spread over the
workers. The rows go to DIR/rows.jsonl, the file of gram bench --out DIR, beside those that are there; gram bench
--render --out DIR writes the pages. What this build has measured already is not measured again, unless --fresh says so.
Points that could not be measured are told, and the others kept.`,
		Example: `  gram-beam bench --quick --claim 1,2 --out results
  gram bench --render --out results`,
	}
	fs := cmd.Flags()
	fs.IntSliceVar(&f.claims, "claim", nil, "measure these claims, `numbers` like 9,10; without it all")
	fs.BoolVar(&f.quick, "quick", false, "take smaller sizes")
	fs.BoolVar(&f.fresh, "fresh", false, "measure again also what is there already")
	fs.StringVar(&f.out, "out", "gram-bench", "the folder `DIR` of the results")
	var claims []bench.Claim
	valid := func() error {
		claims = bench.Claims()
		for _, n := range f.claims {
			if !slices.ContainsFunc(claims, func(c bench.Claim) bool { return c.Number == n }) {
				return usagef("--claim %d: there is no such claim", n)
			}
		}
		claims = slices.DeleteFunc(claims, func(c bench.Claim) bool { return len(f.claims) > 0 && !slices.Contains(f.claims, c.Number) })
		return nil
	}
	return f.with(cmd, 0, valid, func(ctx context.Context, r *Runner, _ []string) error {
		store, err := report.Open(filepath.Join(f.out, "rows.jsonl"))
		if err != nil {
			return err
		}
		defer store.Close()
		build, err := report.Build(version())
		if err != nil {
			return err
		}
		opt := report.Options{Selection: report.Selection{Sizes: report.Full, Build: build}, Fresh: f.fresh, Counts: true}
		if f.quick {
			opt.Sizes = report.Quick
		}
		missing, err := missingPoints(ctx, claims, store, opt)
		if err != nil {
			return err
		}
		var failed error
		measured := map[int][]byte{}
		if len(missing) > 0 {
			measured, failed = Collect(ctx, r, func(s beam.Scope) beam.PCollection {
				return beam.ParDo(s, &benchFn{}, beam.Reshuffle(s, beam.CreateList(s, missing)))
			})
		}
		kept, err := merge(ctx, claims, store, opt, missing, measured)
		if err = errors.Join(failed, err); err != nil {
			return err
		}
		if f.json {
			return printJSON(map[string]int{"measured": kept, "rows": len(store.Rows())})
		}
		_, err = fmt.Printf("measured %d points; %s has %d rows\n", kept, filepath.Join(f.out, "rows.jsonl"), len(store.Rows()))
		return err
	})
}

// point is a point to be measured.
type point struct {
	Index, Claim int
	Series       string
	Size         int
}

// result is what has been measured.
type result struct {
	Point bench.Point
	Wrong string
}

func init() {
	beam.RegisterType(reflect.TypeFor[point]())
	beam.RegisterType(reflect.TypeFor[*benchFn]())
}

// with returns the claims with another measurement.
func with(claims []bench.Claim, measure func(point) (bench.Point, error)) []bench.Claim {
	claims = slices.Clone(claims)
	for i := range claims {
		c := &claims[i]
		c.Series = slices.Clone(c.Series)
		for j := range c.Series {
			name := c.Series[j].Name
			c.Series[j].Measure = func(_ context.Context, size int) (bench.Point, error) {
				return measure(point{Claim: c.Number, Series: name, Size: size})
			}
		}
	}
	return claims
}

var errMissing = errors.New("not measured yet")

// missingPoints returns the points that [report.Run] would measure. Points of one claim are far from each other, since a
// worker measures them one after the other.
func missingPoints(ctx context.Context, claims []bench.Claim, store *report.Store, opt report.Options) ([]point, error) {
	of := map[int][]point{}
	err := report.Run(ctx, with(claims, func(p point) (bench.Point, error) {
		of[p.Claim] = append(of[p.Claim], p)
		return bench.Point{}, errMissing
	}), store, opt)
	if err != nil && !errors.Is(err, errMissing) {
		return nil, err
	}
	var out []point
	for round, more := 0, true; more; round++ {
		more = false
		for _, c := range claims {
			if points := of[c.Number]; round < len(points) {
				points[round].Index = len(out)
				out = append(out, points[round])
				more = true
			}
		}
	}
	return out, nil
}

// merge keeps what has been measured in the store, and returns how many points that are.
func merge(ctx context.Context, claims []bench.Claim, store *report.Store, opt report.Options, missing []point, measured map[int][]byte) (kept int, err error) {
	err = report.Run(ctx, with(claims, func(p point) (bench.Point, error) {
		i := slices.IndexFunc(missing, func(q point) bool { return q.Claim == p.Claim && q.Series == p.Series && q.Size == p.Size })
		text, ok := measured[i]
		if !ok {
			return bench.Point{}, errMissing
		}
		var r result
		if err := json.Unmarshal(text, &r); err != nil {
			return bench.Point{}, err
		}
		if r.Wrong != "" {
			return bench.Point{}, errors.New(r.Wrong)
		}
		kept++
		return r.Point, nil
	}), store, opt)
	return kept, err
}

// benchFn measures points, several at once, but of each claim one.
type benchFn struct {
	bundle.Group[[]byte]
	claims []bench.Claim
	busy   map[int]*sync.Mutex
}

// Setup makes the claims.
func (f *benchFn) Setup() {
	f.claims, f.busy = bench.Claims(), map[int]*sync.Mutex{}
	for _, c := range f.claims {
		f.busy[c.Number] = new(sync.Mutex)
	}
}

// ProcessElement begins with a point, and emits those that are done.
func (f *benchFn) ProcessElement(ctx context.Context, p point, emit func(int, []byte)) {
	f.Do(func() (int, []byte) {
		f.busy[p.Claim].Lock()
		defer f.busy[p.Claim].Unlock()
		r := f.measure(ctx, p)
		text, err := json.Marshal(r)
		if err != nil { // a number that is not finite
			text, _ = json.Marshal(result{Wrong: strings.TrimPrefix(err.Error(), "json: ")})
		}
		return p.Index, text
	}, emit)
}

func (f *benchFn) measure(ctx context.Context, p point) result {
	for i := range f.claims {
		for j := range f.claims[i].Series {
			if s := &f.claims[i].Series[j]; f.claims[i].Number == p.Claim && s.Name == p.Series {
				at, err := s.Measure(ctx, p.Size)
				if err != nil {
					return result{Wrong: err.Error()}
				}
				return result{Point: at}
			}
		}
	}
	return result{Wrong: "the worker's build does not have this series"}
}
