package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
)

// stages are what gram show prints, and what it calls to do so.
var stages = []struct {
	name, what string
	write      func(ctx context.Context, a *app, p *gram.Program, opt gram.EvalOptions) error
}{
	{"ground", "the computational graph G: the program reduced with its inputs left open, as a\nprogram with a let for each operation", func(ctx context.Context, a *app, p *gram.Program, opt gram.EvalOptions) error {
		return p.WriteGround(ctx, &a.out, opt)
	}},
	{"graph", "the arena after that reduction: what the result reaches, an object a line", func(ctx context.Context, a *app, p *gram.Program, opt gram.EvalOptions) error {
		return p.WriteGraph(ctx, &a.out, opt)
	}},
	{"code", "the templates to which the program is compiled, with the steps that each counts", func(ctx context.Context, a *app, p *gram.Program, _ gram.EvalOptions) error {
		return p.WriteCode(ctx, &a.out, false)
	}},
}

func stageNames() []string {
	var names []string
	for _, s := range stages {
		names = append(names, s.name)
	}
	return names
}

func newShow(a *app) *cobra.Command {
	var f runFlags
	var stage string
	what := make([]string, len(stages))
	for i, s := range stages {
		what[i] = fmt.Sprintf("  %-7s %s", s.name, strings.ReplaceAll(s.what, "\n", "\n          "))
	}
	cmd := &cobra.Command{
		Use:   "show FILE --stage STAGE",
		Short: "Print a stage of a program",
		Long: `Show prints what becomes of a program on its way through the machine. Stages:

` + strings.Join(what, "\n") + `

The ground stage parses back: it is a program with the declarations of the inputs.
A program that branches on its inputs has no single graph; the branches that its
point takes are shown, and standard error says so. FILE - is standard input.`,
		Annotations: more(limitsHelp, statusHelp),
		Example: `  gram show figure1.gram --stage ground
  gram show rnn.gram --stage ground | gram grad -
  gram show rnn.gram --stage code`,
		Args:              oneFile,
		ValidArgsFunction: gramFiles,
	}
	f.addShow(cmd)
	cmd.Flags().StringVar(&stage, "stage", "", "the `stage`: "+strings.Join(stageNames(), ", "))
	_ = cmd.RegisterFlagCompletionFunc("stage", cobra.FixedCompletions(stageNames(), cobra.ShellCompDirectiveNoFileComp))
	show := a.do(&f.loadFlags, func(ctx context.Context, path string, progress func(string)) error {
		p, err := a.load(ctx, path, &f.loadFlags, progress)
		if err != nil {
			return err
		}
		for _, s := range stages {
			if s.name == stage {
				if err := s.write(ctx, a, p.Program, f.options(a)); err != nil {
					return err
				}
				if s.name != "code" {
					a.warnBranches(p.Program)
				}
			}
		}
		return nil
	})
	cmd.RunE = func(cmd *cobra.Command, args []string) error {
		switch {
		case stage == "":
			return usagef("--stage is missing: one of %s", strings.Join(stageNames(), ", "))
		case !slices.Contains(stageNames(), stage):
			return usagef("--stage %s: there is no such stage; it is one of %s", stage, strings.Join(stageNames(), ", "))
		}
		return show(cmd, args)
	}
	return cmd
}

// warnBranches tells that the graph of a program is that of its point only.
func (a *app) warnBranches(p *gram.Program) {
	if p.Branches() {
		fmt.Fprintln(a.stderr, "gram: the program branches on its inputs; this is its graph at the given point")
	}
}
