package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/lang/load"
)

func newEval(a *app) *cobra.Command {
	var f runFlags
	var output, beside, names string
	cmd := command.New("eval FILE", "Print the value of a program", command.LimitsHelp)
	f.add(cmd)
	addResult(cmd, &output)
	cmd.Flags().StringVar(&names, "names", "",
		"of -o with a .csv file: the `names` of the columns of a list, like prediction,error")
	cmd.Flags().StringVar(&beside, "beside", "",
		"of -o with a .csv file: write the rows of the file that this `data` list is read from\n"+
			"beside the elements of a list")
	check := func(*cobra.Command) error {
		return cmp.Or(
			command.Misfit((names != "" || beside != "") && filepath.Ext(output) != ".csv",
				"--names and --beside are of a table: they need -o with a .csv file"),
			checkResult(output, f.JSON),
		)
	}
	return a.Reads(cmd, &f.LoadFlags, check, func(ctx context.Context, path string) error {
		res, p, err := a.reduce(ctx, path, &f, false)
		if err != nil {
			return err
		}
		value := load.Flat{Values: res.Values, Lengths: res.Lengths}
		switch {
		case filepath.Ext(output) == ".csv" && result.IsTable(p.Shape()):
			return a.writeTable(ctx, output, names, beside, p, res.Values)
		case names != "" || beside != "":
			return command.Usagef("--names and --beside are of lists and vectors, and the value is %s", p.Type())
		case result.IsNumbers(output):
			return a.writeResult(ctx, output, []result.Named{{Name: "value", Shape: p.Shape(), Flat: value}})
		case !f.JSON && output == "":
			a.Out.Write(load.Language.Append(nil, &value, p.Shape()))
			a.Out.WriteByte('\n')
			r := result.NewReport(a.App)
			r.Work(res.Cost.Work)
			return nil
		}
		result.Answer(&a.Out, func(o *result.Object) {
			o.Value("value", value, p.Shape())
			o.Field("strategy", gram.Direct.String())
			o.Cost(&res.Cost, gram.Reverse)
		})
		return a.writeOutput(ctx, output)
	})
}

// writeTable writes a list or a vector as a table.
func (a *app) writeTable(ctx context.Context, output, names, beside string, p *loaded, values []float64) error {
	t := &result.Table{Shape: p.Shape(), Values: values}
	if names != "" {
		t.Names = strings.Split(names, ",")
	}
	if beside != "" {
		var err error
		open := func(path string) (fs.File, error) { return command.Open(ctx, path) }
		if t.Header, t.Beside, err = p.Source().Records(beside, open); err != nil {
			return fmt.Errorf("--beside %s: %w", beside, err)
		}
	}
	if err := t.WriteCSV(&a.Out); err != nil {
		return err
	}
	return a.writeOutput(ctx, output)
}

// reduce loads a program and runs it, for its value or for its gradient.
func (a *app) reduce(ctx context.Context, path string, f *runFlags, gradient bool) (*gram.Result, *loaded, error) {
	if err := f.checkLiteral(); err != nil {
		return nil, nil, err
	}
	opt := f.options(a)
	if a.Cache == nil && !f.cache.off && f.strategy.Is == gram.Modular { // the cache of the process
		most := cmp.Or(uint64(f.cache.size), modular.DefaultSize)
		if m := uint64(f.MaxMemory); m != 0 && f.cache.size == 0 {
			most = max(1, min(most, m/8))
		}
		var err error
		if a.Cache, err = gram.NewCache(most); err != nil {
			return nil, nil, err
		}
	}
	direct := !gradient || f.mode.Is == gram.Reverse && f.strategy.Is == gram.Direct
	f.Stream = direct && !f.literal && !f.bound && !f.whole
	p, err := a.load(ctx, path, &f.LoadFlags)
	if err != nil {
		return nil, nil, err
	}
	res, err := p.Repeat(ctx, opt, gradient, int(f.repeat.N))
	if err != nil {
		return nil, nil, err
	}
	if f.bound {
		b, err := p.Bound(ctx, opt)
		if err != nil {
			return nil, nil, err
		}
		res.Cost.BoundRatio = new(b.Ratio(&res.Cost))
		res.Cost.M, res.Cost.Graph, res.Cost.Theorem = &b.M, &b.Graph, b.Theorem
		s, err := p.Span(ctx, gradient, f.factor.Is)
		if unknown, ok := errors.AsType[*span.UnknownError](err); ok {
			fmt.Fprintln(a.Stderr, "gram:", unknown)
		} else if err != nil {
			return nil, nil, err
		} else {
			res.Cost.Span = &s
		}
		a.warnBranches(p.Program)
	}
	res.Cost.Seconds.Load = (p.reading + time.Duration(math.Round(res.Cost.Seconds.Load*1e9))).Seconds()
	return res, p, nil
}
