package main

import (
	"context"
	"fmt"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/internal/notation"
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
	cmd := &cobra.Command{
		Use:   "profile FILE -o OUT",
		Short: "Write where a program's steps and nodes go, for go tool pprof",
		Long: `Profile runs a program once and writes a profile of it in the format of pprof: for
each function of the source and each line, the steps of the calculus that were taken
there, and the nodes that were made, with the calls that led to it. It is exact, not
sampled: over the profile, steps by rule and nodes are those that gram grad and gram
eval report. Without --time, equal runs give equal bytes. FILE - is standard input.

The types of samples are rewrites (shown by default), nodes, bytes, which are 16 for
each node, and, with --time, time: of the wall, by a look at the clock every 256
events. Nodes of the phase normalise are those of what --strategy did before the run,
and are not among the cost's. Labels of samples, for -tagfocus and -tags:

  rule   the rule of the paper, as gram grad names it
  phase  primal, discovery, backward and read-back; normalise: what --strategy unfold
         and modular do before
  pass   source, or generated: what the reverse transformation has put around the
         source's own code, and the backpropagators; it stands where the code that it
         came from stands. The steps of source are those that the value takes

Functions are def and let by their name, fun and lin by their place, those of the
prelude by their name at the line that uses them. A def that was expanded shows as
inlined where it stands; calls of a function by itself, as through the functions that a
fold builds, are folded into one, and stacks are cut at 64 calls. A dual fires, in the
backward phase, for the calls that made it. Work on an input is of "input x".

With --literal the profile is a fold over the rewrites of the literal machine: each is one
step, booked where it was made. Its samples of rewrites are the same. Nodes are those of
the literal machine, of 32 bytes, and a further type of samples is words: 8 for each time
that the machine has reached a node. It goes without --time, --no-fuse and --strategy.

It is the gradient that is profiled if the program has inputs and a gradient, and the
value if not; --of says otherwise. The arena's collections take no steps and don't show.`,
		Annotations: command.More(command.LimitsHelp, command.StatusHelp),
		Example: `  gram profile weather.gram -o weather.pb.gz
  go tool pprof -top weather.pb.gz
  go tool pprof -list day weather.pb.gz
  go tool pprof -http : -sample_index nodes weather.pb.gz
  go tool pprof -top -tagfocus phase=backward weather.pb.gz
  go tool pprof -top -diff_base before.pb.gz after.pb.gz`,
	}
	f.addProfile(cmd)
	return a.reads(cmd, &f.loadFlags, f.check,
		func(ctx context.Context, path string) error { return a.profile(ctx, path, &f) })
}

// check reports flags that don't go together.
func (f *profileFlags) check(*cobra.Command) error {
	switch {
	case f.out == "":
		return command.Usagef("-o is missing: the file that the profile is written to")
	case f.literal && f.time:
		return command.Usagef("--time is for the engine, and --literal runs without it")
	}
	return f.checkLiteral()
}

func (f *profileFlags) addProfile(cmd *cobra.Command) {
	fs := cmd.Flags()
	fs.SortFlags = false
	fs.StringVarP(&f.out, "output", "o", "", "write the profile to `file`")
	f.of.Add(cmd, "of", "`what` is profiled: value or gradient", "value gradient", "value", "gradient")
	fs.BoolVar(&f.time, "time", false, "also charge time to the samples")
	f.loadFlags.addProgram(fs)
	f.AddLimits(cmd)
	f.AddOrder(cmd, &f.LoadFlags, "redexes")
	f.addForm(cmd)
	f.addLiteral(cmd)
	f.AddFinite(cmd)
	f.addStrategy(cmd)
	f.Observe.Add(cmd)
	_ = cmd.MarkFlagFilename("output")
}

// profile writes the profile of a program. The file is opened before the run, and kept only
// if there is no error.
func (a *app) profile(ctx context.Context, path string, f *profileFlags) error {
	file, err := command.CreateFile(f.out)
	if err != nil {
		return err
	}
	defer file.Discard()
	whole := file.IsPending()
	p, err := a.loadTerm(ctx, path, &f.loadFlags)
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
		fmt.Fprintf(&a.Out, "%s: %s rewrites and %s nodes of the %s\n", f.out, notation.Grouped(cost.Steps.Total()),
			notation.Grouped(cost.Nodes.Allocated), what)
	}
	return nil
}
