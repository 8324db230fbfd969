package main

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
)

const traceHelp = `Trace prints the steps of a run, each with its number, its rule and its place in the
source. The run is that of gram grad, or with --of value of gram eval.

With --calculus it prints whole terms, as the rewriter of the calculus takes them, for
small programs: the term before a step, with «the redex» marked and, where a variable
gets its value, ‹the occurrence›; then the step, and the term after it. It takes as
many steps of each rule as the machine. --latex prints them in the notation of the
paper, which needs the packages amsmath and xcolor.

--json prints an object a line. --rule, --steps and --line choose steps. A trace is
printed as it is made: an error ends it, and what has been printed stays. With -o it is
written to a file, whole or not at all.`

// traceFlags are those of gram trace.
type traceFlags struct {
	runFlags
	calculus, latex bool
	gradient        choice[bool]
	rules           []string
	steps           stepRange
	line            count
	maxSize         count
	output          string
}

func newTrace(a *app) *cobra.Command {
	var f traceFlags
	cmd := &cobra.Command{
		Use:         "trace FILE",
		Short:       "Print the steps of a run",
		Long:        traceHelp,
		Annotations: more(statusHelp),
		Example: `  gram trace figure1.gram --calculus --of value
  gram trace figure1.gram --calculus --rule 11
  gram trace figure1.gram --calculus --latex --steps 40..50 -o steps.tex`,
		Args:              oneFile,
		ValidArgsFunction: gramFiles,
	}
	f.add(cmd)
	trace := a.do(&f.loadFlags, func(ctx context.Context, path string, progress func(string)) error {
		return a.trace(ctx, path, &f, progress)
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		if err := f.check(cmd); err != nil {
			return err
		}
		return trace(cmd, args)
	}
	return cmd
}

func (f *traceFlags) add(cmd *cobra.Command) {
	fs := cmd.Flags()
	f.addProgram(fs)
	f.addLimits(cmd)
	f.gradient = choice[bool]{is: true, kind: "run", names: []string{"gradient", "value"}, of: []bool{true, false}}
	f.gradient.add(cmd, "of", "the `run`: gradient or value")
	fs.BoolVar(&f.calculus, "calculus", false, "print whole terms, step by step")
	fs.BoolVar(&f.latex, "latex", false, "with --calculus: print in LaTeX")
	fs.BoolVar(&f.json, "json", false, "print a JSON object a line")
	fs.StringSliceVar(&f.rules, "rule", nil, "trace the steps of these `rules` only: numbers or names, like 11 or factor")
	fs.Var(&f.steps, "steps", "trace the steps of this `range` only: 10..20, 10.., ..20 or 10")
	f.line = count{least: 1, most: 1 << 31}
	fs.Var(&f.line, "line", "trace the steps from this line of the source only: a `number`")
	f.maxSize = count{n: gram.DefaultTraceSize, least: 1, most: 1e5, set: true}
	fs.Var(&f.maxSize, "max-size", "with --calculus: stop at a term of more than so many symbols, a `count`")
	addOutput(cmd, &f.output)
	_ = cmd.RegisterFlagCompletionFunc("rule", cobra.FixedCompletions(gram.RuleNames(), cobra.ShellCompDirectiveNoFileComp))
}

// check reports flags that don't go together.
func (f *traceFlags) check(cmd *cobra.Command) error {
	switch {
	case !f.calculus:
		return usagef("--calculus is missing")
	case f.latex && f.json:
		return usagef("--latex and --json are two formats; a trace has one")
	}
	return nil
}

func (a *app) trace(ctx context.Context, path string, f *traceFlags, progress func(string)) error {
	p, err := a.load(ctx, path, &f.loadFlags, progress)
	if err != nil {
		return err
	}
	opt := gram.TraceOptions{EvalOptions: f.options(a), Gradient: f.gradient.is, Rules: f.rules,
		From: f.steps.from, To: f.steps.to, Line: int(f.line.n), MaxSize: int(f.maxSize.n)}
	switch {
	case f.json:
		opt.Format = gram.TraceJSON
	case f.latex:
		opt.Format = gram.TraceLaTeX
	}
	out, err := a.stream(f.output)
	if err != nil {
		return err
	}
	return out.finish(p.TraceCalculus(ctx, out, opt))
}

// stepRange is a flag's range of steps; 0 is no bound.
type stepRange struct{ from, to uint64 }

func (r *stepRange) Type() string { return "range" }

func (r *stepRange) String() string {
	if r.from == 0 && r.to == 0 {
		return ""
	}
	return fmt.Sprintf("%d..%d", r.from, r.to)
}

func (r *stepRange) Set(text string) error {
	from, to, several := strings.Cut(text, "..")
	if !several {
		to = from
	}
	var a, b count
	a.least, b.least = 1, 1
	if from == "" && to == "" || from != "" && a.Set(from) != nil || to != "" && b.Set(to) != nil {
		return errors.New("this is not a range of steps, like 10..20, 10.., ..20 or 10")
	}
	if b.set && b.n < a.n {
		return errors.New("the range ends before it begins")
	}
	r.from, r.to = a.n, b.n
	return nil
}
