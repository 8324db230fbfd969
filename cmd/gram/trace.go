package main

import (
	"context"
	"errors"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/reduction"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/rule"
)

// traceFlags are the flags of gram trace.
type traceFlags struct {
	runFlags
	calculus, latex bool
	dot, svg        bool
	before          bool
	step            command.Count
	most            command.Count
	gradient        command.Choice[bool]
	phase           command.Choice[string]
	rules           []string
	steps           command.Range
	line            command.Count
	maxSize         command.Count
	output          string
}

func newTrace(a *app) *cobra.Command {
	var f traceFlags
	cmd := command.New("trace FILE", "Print the steps of a run")
	fs := cmd.Flags()
	f.AddProgram(fs)
	f.AddLimits(cmd)
	fs.Lookup("max-nodes").Usage = "stop when so many nodes of 32 bytes are live: a `count`"
	f.gradient.Is = true
	f.gradient.Add(cmd, "of", "the `run`: gradient or value", "gradient value", true, false)
	fs.BoolVar(&f.calculus, "calculus", false, "print whole terms, step by step")
	fs.BoolVar(&f.latex, "latex", false, "with --calculus: print in LaTeX")
	fs.BoolVar(&f.JSON, "json", false, "print a JSON object a line")
	fs.StringSliceVar(&f.rules, "rule", nil, "trace the steps of these `rules` only: numbers or names, like 11 or factor")
	fs.Var(&f.steps, "steps", "trace the steps of this `range` only: 10..20, 10.., ..20 or 10")
	f.phase.Add(cmd, "phase", "trace the steps of this `phase` only: primal or backward", "primal backward", "primal",
		"backward")
	f.line = command.Count{Least: 1, Most: 1 << 31}
	fs.Var(&f.line, "line", "trace the steps from this line of the source only: a `number`")
	f.maxSize = command.Count{N: reduction.DefaultSize, Least: 1, Most: 1e5, Valid: true}
	fs.Var(&f.maxSize, "max-size", "with --calculus: stop at a term of more than so many symbols, a `count`")
	fs.BoolVar(&f.dot, "dot", false, "draw the machine's memory, in DOT")
	fs.BoolVar(&f.svg, "svg", false, "draw the machine's memory, in SVG")
	f.step.Least = 1
	fs.Var(&f.step, "step", "with --dot or --svg: after this step, a `number`")
	fs.BoolVar(&f.before, "before", false, "with --dot or --svg: before the step")
	f.most = command.Count{N: 80, Least: 2, Most: 1 << 20, Valid: true}
	fs.Var(&f.most, "max-drawn", "with --dot or --svg: draw at most so many nodes, a `count`")
	f.AddOrder(cmd, &f.LoadFlags, "redexes of the machine")
	f.AddFinite(cmd)
	addOutput(cmd, &f.output)
	f.Observe.Add(cmd)
	_ = cmd.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions(rule.Names(), cobra.ShellCompDirectiveNoFileComp))
	return a.Reads(cmd, &f.LoadFlags, f.check,
		func(ctx context.Context, path string) error { return a.trace(ctx, path, &f) })
}

// check reports flags that don't go together.
func (f *traceFlags) check(cmd *cobra.Command) error {
	given := func(name string) bool { return cmd.Flags().Changed(name) }
	draws := f.dot || f.svg
	switch {
	case f.JSON && (f.latex || draws), f.latex && draws, f.dot && f.svg:
		return command.Usagef("--json, --latex, --dot and --svg are formats; a trace has one")
	case f.latex && !f.calculus:
		return command.Usagef("--latex is for whole terms: it takes --calculus")
	case draws && f.calculus:
		return command.Usagef("--dot and --svg draw the machine's memory, and --calculus has terms")
	case draws != f.step.Valid:
		return command.Usagef("--dot or --svg and --step go together: the step whose picture is drawn")
	}
	only := func(names []string, ok bool, of string) error {
		for _, name := range names {
			if given(name) && !ok {
				return command.Usagef("--%s goes with %s", name, of)
			}
		}
		return nil
	}
	return errors.Join(
		only([]string{"max-size"}, f.calculus, "--calculus"),
		only([]string{"before", "max-drawn"}, draws, "--dot or --svg"),
		only([]string{"rule", "steps", "line"}, !draws, "a trace, and a picture is of one step"),
		only([]string{"phase"}, !draws && !f.calculus, "a trace of the machine"),
		only([]string{"schedule", "seed", "finite", "max-nodes"}, !f.calculus, "the machine, and not with --calculus"))
}

func (a *app) trace(ctx context.Context, path string, f *traceFlags) error {
	p, err := a.loadTerm(ctx, path, &f.LoadFlags)
	if err != nil {
		return err
	}
	if f.output == "" {
		a.Line.Close() // it would appear between the lines of the trace
	}
	opt := reduction.TraceOptions{EvalOptions: f.options(a), Gradient: f.gradient.Is, Rules: f.rules, Phase: f.phase.Is,
		From: f.steps.From, To: f.steps.To, Line: int(f.line.N), MaxSize: int(f.maxSize.N)}
	if f.dot || f.svg {
		as := show.DOT
		if f.svg {
			as = show.SVG
		}
		left, err := reduction.Draw(ctx, p.Program, &a.Out, f.step.N, f.before, int(f.most.N), as, opt)
		if err != nil {
			return err
		}
		a.warnLeftOut(left, f.most.N)
		return a.writeOutput(ctx, f.output)
	}
	switch {
	case f.JSON:
		opt.Format = reduction.JSON
	case f.latex:
		opt.Format = reduction.LaTeX
	}
	out, err := command.NewStream(f.output, a.Stdout)
	if err != nil {
		return err
	}
	write := reduction.Rewrites
	if f.calculus {
		write = reduction.Calculus
	}
	return out.Finish(write(ctx, p.Program, out, opt))
}
