package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/apache/beam/sdks/v2/go/pkg/beam"
	"github.com/apache/beam/sdks/v2/go/pkg/beam/io/filesystem"
	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/beam/gramio"
)

func newSweep() *cobra.Command {
	var f struct {
		runFlags
		gramio.Source
		points, output string
		finite         bool
	}
	cmd := &cobra.Command{
		Use:   "sweep FILE",
		Short: "Value, gradient and counts of a program at each point of a CSV file",
		Long: `Sweep runs a program of type R at many points, and writes CSV files with its value, its gradient and its counts at each.

--points is a CSV file whose header names scalar inputs: a, or w.(0) for a component. Inputs that it does not name keep
the program's values. The file is cut into --shards parts, by its bytes, and --output has a file for each, in the order
of the points: the * of its name stands for the part, as in out-00002-of-00008.csv. Each file appears whole. One that
exists already is an error before anything is computed. After an error, those that were written are removed again.

Columns are those of the points, then value, gradient.a for each scalar input, steps in all and by rule, overhead and
nodes. NaN and infinities are results, unless --finite makes them errors.`,
		Example: `  gram-beam sweep examples/line.gram --points points.csv --output 'out-*.csv'
  gram-beam sweep rnn.gram --points gs://bucket/points.csv --output 'gs://bucket/out-*.csv' --shards 1000 \
    --runner dataflow --temp gs://bucket/temp -- --project=p --region=europe-west1 --staging_location=gs://bucket/staging`,
	}
	fs := cmd.Flags()
	fs.StringVar(&f.points, "points", "", "the CSV `file` with the points")
	fs.StringVar(&f.output, "output", "", "the `files` for the results, with a * for the part")
	fs.IntVar(&f.Shards, "shards", 8, "cut the points into so many parts, a `count`")
	fs.BoolVar(&f.finite, "finite", false, "a result that is NaN or infinite is an error")
	addSets(cmd, &f.Source)
	valid := func() error {
		switch {
		case f.points == "":
			return usagef("--points names the CSV file with the points")
		case f.Shards < 1:
			return usagef("--shards %d: at least one is needed", f.Shards)
		case strings.Count(f.output, "*") != 1 && (f.Shards > 1 || f.output == ""):
			return usagef("--output %s: the name has one *, which stands for the part", f.output)
		}
		return nil
	}
	return f.with(cmd, 1, valid, func(ctx context.Context, r *Runner, args []string) error {
		f.Path = args[0]
		program, _, err := gramio.Open(ctx, f.Source)
		if err != nil {
			return err
		}
		program.Finite = f.finite
		points, err := gramio.Divide(ctx, f.points, f.Shards, f.output)
		if err != nil {
			return err
		}
		system, err := filesystem.New(ctx, f.output)
		if err != nil {
			return err
		}
		defer system.Close()
		for _, p := range points {
			if there, err := system.List(ctx, p.Output); err != nil || len(there) > 0 {
				return errors.Join(err, fmt.Errorf("%s: this file exists already, and is not written over", p.Output))
			}
		}
		sum, err := partial(ctx, r, func(s beam.Scope) beam.PCollection { return gramio.Sweep(s, program, points) })
		if err == nil {
			err = sum.Finish(gramio.Plain)
		}
		if err != nil {
			if remove, ok := system.(filesystem.Remover); ok {
				for _, p := range points {
					_ = remove.Remove(context.WithoutCancel(ctx), p.Output)
				}
			}
			return err
		}
		if f.json {
			return printJSON(struct {
				Version string        `json:"version"`
				Points  int           `json:"points"`
				Files   int           `json:"files"`
				Cost    gramio.Counts `json:"cost"`
			}{version(), sum.Rows, len(points), sum.Counts})
		}
		_, err = fmt.Printf("points  %d\nfiles   %d, %s to %s\nsteps   %d\n", sum.Rows, len(points), points[0].Output, points[len(points)-1].Output, sum.Counts.Steps.Total())
		return err
	})
}
