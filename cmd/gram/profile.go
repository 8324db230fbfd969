package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/lang/load"
)

// profileFlags are the flags of gram profile.
type profileFlags struct {
	runFlags
	out  string
	of   command.Choice[string] // "" if it depends on the program
	time bool
}

func newProfile(a *app) *cobra.Command {
	var f profileFlags
	cmd := command.New("profile FILE -o OUT",
		"Write where a program's steps and nodes go, for go tool pprof", command.LimitsHelp)
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&f.out, "output", "o", "", "write the profile to `file`")
	f.of.Add(cmd, "of", "`what` is profiled: value or gradient", "value gradient", "value", "gradient")
	fs.BoolVar(&f.time, "time", false, "also charge time to the samples")
	f.AddProgram(fs)
	f.AddLimits(cmd)
	f.AddOrder(cmd, &f.LoadFlags, "redexes")
	f.addForm(cmd)
	f.addLiteral(cmd)
	f.AddFinite(cmd)
	f.addStrategy(cmd)
	f.Observe.Add(cmd)
	_ = cmd.MarkFlagFilename("output")
	return a.Reads(cmd, &f.LoadFlags, f.check,
		func(ctx context.Context, path string) error { return a.profile(ctx, path, &f) })
}

// check reports flags that don't go together.
func (f *profileFlags) check(*cobra.Command) error {
	switch {
	case f.out == "":
		return command.Usagef("-o is missing: the file that the profile is written to")
	case f.literal && f.time:
		return command.Usagef("--time is for the compiler's code, and --literal runs without it")
	}
	return f.checkLiteral()
}

// profile writes the profile of a program. The file is opened before the run, and kept only if there is no error.
func (a *app) profile(ctx context.Context, path string, f *profileFlags) error {
	file, err := command.CreateFile(f.out)
	if err != nil {
		return err
	}
	defer file.Discard()
	whole := file.IsPending()
	p, err := a.load(ctx, path, &f.LoadFlags)
	if err != nil {
		return err
	}
	what := f.of.Is
	if what == "" {
		what = "value"
		if len(p.Inputs()) > 0 && p.Differentiable() == nil {
			what = "gradient"
		}
	}
	if what == "value" && f.strategy.Is != gram.Direct {
		return command.Usagef("--strategy is for gradients, and it is the value that is profiled")
	}
	prof, err := profile.Run(ctx, p.Program, what == "gradient", f.time, f.options(a))
	if err != nil {
		return err
	}
	if err := prof.Write(file); err != nil {
		return command.WriteError(f.out, err)
	}
	if ctx.Err() != nil {
		return command.LimitError(ctx.Err(), "writing the profile")
	}
	if err := file.Keep(); err != nil {
		return err
	}
	if whole { // otherwise the file may be standard output
		cost := &prof.Result.Cost
		fmt.Fprintf(&a.Out, "%s: %s rewrites and %s nodes of the %s\n", f.out, load.Grouped(cost.Steps.Total()),
			load.Grouped(cost.Nodes.Allocated), what)
	}
	return nil
}
