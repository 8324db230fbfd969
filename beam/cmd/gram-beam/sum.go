package main

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/beam/gramio"
)

// sumFlags are the flags of sum, and of fit.
type sumFlags struct {
	runFlags
	gramio.Source
	mean, check bool
}

func (f *sumFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.StringVar(&f.Over, "over", "", "the data `list` that is taken from each shard")
	fs.BoolVar(&f.mean, "mean", false, "weigh a shard by its rows: for a program that is a mean over the rows")
	fs.StringVar(&f.Input, "input", "", "read the rows from the files that match a `pattern`, not from the program's own")
	fs.IntVar(&f.Shards, "shards", 8, "cut the rows into so many shards, a `count`")
	fs.BoolVar(&f.check, "check", false, "compare with another sharding, and refuse a program that differs")
	addSets(cmd, &f.Source)
}

// addSets adds the flags for a program's values.
func addSets(cmd *cobra.Command, s *gramio.Source) {
	cmd.Flags().StringArrayVar(&s.Params, "param", nil, "override a param: `name=number` (repeatable)")
	cmd.Flags().StringArrayVar(&s.Sets, "set", nil, "override an input or data: `name=value`, as gram does (repeatable)")
}

func (f *sumFlags) valid() error {
	switch {
	case f.Over == "":
		return usagef("--over names the data list that is taken from each shard")
	case f.Shards < 1:
		return usagef("--shards %d: at least one is needed", f.Shards)
	}
	return nil
}

const overHelp = `--over names a data list of the program. Its rows are cut into --shards shards; without --input, they are those that the
program has, and travel with the pipeline. --input names files in their place, like 'gs://bucket/part-*.csv': they are
read as the program reads the list, or as --input 'csv "part-*.csv" "column" "column"' says. Each file is cut into
equally many shards. An error in a file tells its name, the line and the column. A file has to fit in memory.

The program is run on each shard with the shard's rows in place of the list, and the results are added. That is the
program's own value and gradient only where its body is a sum over the rows of the list or, with --mean, their mean.
Else it is wrong: a state that goes from row to row, like that of examples/weather.gram, begins anew in each shard, and
a term that is not in the sum counts once for each shard. --check finds out: it takes twice as many shards, and one
more, and refuses the program where value or gradient differ by more than 1e-9.`

func newSum() *cobra.Command {
	var f sumFlags
	cmd := &cobra.Command{
		Use:   "sum FILE",
		Short: "Value and gradient of a program, summed over shards of its data",
		Long: `Sum prints value and gradient of a program of type R, summed over shards of a list of data.

` + overHelp + `

Shards are added in a tree that depends on their number alone, so the result has the same bits on all runners. Counts
of steps, overhead and nodes are the sums of the shards' counts, each of which is that of gram grad on the shard;
"peak" is the largest. A NaN or an infinity in a shard is an error, which names the shard.`,
		Example: `  gram-beam sum examples/linear.gram --over rows --mean --shards 8
  gram-beam sum examples/linear.gram --over rows --mean --check
  gram-beam sum linear.gram --over rows --mean --input 'gs://bucket/part-*.csv' --shards 1000 \
    --runner flink --endpoint jobs:8099 --workers localhost:50000 --temp gs://bucket/temp`,
	}
	f.add(cmd)
	return f.with(cmd, 1, f.valid, func(ctx context.Context, r *Runner, args []string) error {
		f.Path = args[0]
		t, err := newSummed(ctx, r, &f)
		if err != nil {
			return err
		}
		p, err := t.sum(ctx, t.program.Point)
		if err != nil {
			return err
		}
		return t.print(p, f.json)
	})
}

// summed is a program that is summed over shards.
type summed struct {
	runner  *Runner
	program *gramio.Program
	shards  []gramio.Shard
	weight  gramio.Weight
}

// newSummed opens the program. With --check, it compares two shardings.
func newSummed(ctx context.Context, r *Runner, f *sumFlags) (*summed, error) {
	t := &summed{runner: r}
	if f.mean {
		t.weight = gramio.Mean
	}
	var err error
	if t.program, t.shards, err = gramio.Open(ctx, f.Source); err != nil {
		return nil, err
	}
	t.program.Finite = true
	if f.check {
		return t, t.check(ctx, f)
	}
	return t, nil
}

// sum runs the pipeline.
func (t *summed) sum(ctx context.Context, point []float64) (*gramio.Partial, error) {
	p, err := partial(ctx, t.runner, func(s beam.Scope) beam.PCollection {
		return gramio.Sum(s, t.program, gramio.Create(s, t.shards), len(t.shards), point, t.weight)
	})
	if err == nil {
		err = p.Finish(t.weight)
	}
	return p, err
}

// partial runs a pipeline with a collection of one partial.
func partial(ctx context.Context, r *Runner, build func(beam.Scope) beam.PCollection) (*gramio.Partial, error) {
	all, err := Collect(ctx, r, func(s beam.Scope) beam.PCollection { return beam.ParDo(s, partialBytes, build(s)) })
	if err != nil {
		return nil, err
	}
	p, err := gramio.Decode[gramio.Partial](all[0])
	return &p, err
}

func init() { beam.RegisterFunction(partialBytes) }

// partialBytes encodes a partial.
func partialBytes(p gramio.Partial) (int, []byte, error) {
	text, err := gramio.Encode(p)
	return 0, text, err
}

// tolerance is the relative difference between two shardings that rounding may make.
const tolerance = 1e-9

// check compares the sum with that over about twice as many shards.
func (t *summed) check(ctx context.Context, f *sumFlags) error {
	finer := f.Source
	finer.Shards = 2*len(t.shards) + 1
	_, shards, err := gramio.Open(ctx, finer)
	if err != nil {
		return err
	}
	if len(shards) == len(t.shards) {
		return fmt.Errorf("--check: the rows are too few for more than %d shards; take a smaller number of --shards", len(shards))
	}
	a, err := t.sum(ctx, t.program.Point)
	if err != nil {
		return err
	}
	b, err := (&summed{t.runner, t.program, shards, t.weight}).sum(ctx, t.program.Point)
	if err != nil {
		return err
	}
	scale := math.Abs(a.Value)
	for _, x := range a.Gradient {
		scale = max(scale, math.Abs(x))
	}
	differ := func(what string, x, y float64) error {
		if math.Abs(x-y) <= tolerance*scale {
			return nil
		}
		kind := "sum"
		if t.weight == gramio.Mean {
			kind = "mean"
		}
		return fmt.Errorf("%s is no %s over %s: %s is %.17g with %d shards, and %.17g with %d",
			t.program.Name, kind, t.program.Over, what, x, len(t.shards), y, len(shards))
	}
	if err := differ("its value", a.Value, b.Value); err != nil {
		return err
	}
	for i := range a.Gradient {
		if err := differ(fmt.Sprintf("the derivative by scalar input %d", i), a.Gradient[i], b.Gradient[i]); err != nil {
			return err
		}
	}
	return nil
}

// named is the numbers of a vector by the names of the inputs.
func (t *summed) named(ctx context.Context, values []float64) (*gram.Point, error) {
	p, err := t.program.NewPoint(ctx)
	if err == nil {
		copy(p.Values, values)
	}
	return p, err
}

func (t *summed) print(p *gramio.Partial, asJSON bool) error {
	gradient, err := t.named(context.Background(), p.Gradient)
	if err != nil {
		return err
	}
	if asJSON {
		return printJSON(struct {
			Version  string        `json:"version"`
			Value    float64       `json:"value"`
			Gradient *gram.Point   `json:"gradient"`
			Shards   int           `json:"shards"`
			Rows     int           `json:"rows"`
			Cost     gramio.Counts `json:"cost"`
		}{version(), p.Value, gradient, p.Shards, p.Rows, p.Counts})
	}
	text, err := json.Marshal(gradient)
	if err != nil {
		return err
	}
	_, err = fmt.Printf("value     %v\ngradient  %s\nshards    %d, of %d rows\nsteps     %d\n", p.Value, text, p.Shards, p.Rows, p.Counts.Steps.Total())
	return err
}

func printJSON(value any) error {
	out := json.NewEncoder(os.Stdout)
	out.SetIndent("", "  ")
	return out.Encode(value)
}
