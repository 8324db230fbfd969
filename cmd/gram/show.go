package main

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/stage"
)

// stageInfo is a stage that gram show prints: a term, unless write is set.
type stageInfo struct {
	name, what string
	kind       stage.Kind // of the term
	graph      bool       // it shows the graph G, which depends on the branches taken
	values     bool       // its picture can show values
	write      func(p *show.Program, ctx context.Context, w io.Writer) error
	// nil: there is no picture, or it is that of the term
	draw func(p *show.Program, ctx context.Context, w io.Writer, most int, as show.Format) (left int, err error)
}

var stages = []stageInfo{
	{name: "term", kind: stage.Source,
		what: "the program t, elaborated: what is typed, differentiated and run"},
	{name: "reverse", kind: stage.Reverse,
		what: "D(t), the reverse transformation: each number is a pair of itself and its\nbackpropagator, the i-th " +
			"input that of the i-th unit vector"},
	{name: "ground", kind: stage.Ground, graph: true, values: true,
		what: "the computational graph G: the program reduced with its inputs left open, as a\nprogram with a let for " +
			"each operation"},
	{name: "forward", kind: stage.Forward, graph: true, values: true,
		what: "Fwd(G), forward mode: each number is a pair of itself and its tangent. An input\nx has its tangent in " +
			"an input dx: 1 for the first number, 0 for the others. Where a\nslope is infinite at the point, only the " +
			"first number has a tangent"},
	{name: "bp", kind: stage.BP, graph: true, values: true,
		what: "bp(G), backpropagation: the value, and the gradient times an input a, which is 1"},
	{name: "normal", kind: stage.Normal, graph: true,
		what: "the normal form of D(t), reduced with its inputs left open and under λ: value and\nbackpropagator of " +
			"G, the right-hand side of the paper's Theorem 1"},
	{name: "graph", graph: true, write: (*show.Program).Memory, draw: (*show.Program).DrawMemory,
		what: "the memory of the literal machine when G is left: what the result reaches, a node a line"},
	{name: "code", write: (*show.Program).Code,
		what: "the code of the compiler, of the value and of the gradient, before and behind each pass: its\ninstructions, with the steps of each block and their places"},
}

func stageNames() []string {
	var names []string
	for _, s := range stages {
		names = append(names, s.name)
	}
	return names
}

// formats returns the formats of a stage.
func (s *stageInfo) formats() []string {
	out := []string{"text"}
	if s.write == nil {
		out = append(out, "latex")
	}
	if s.values || s.draw != nil {
		out = append(out, "dot", "svg")
	}
	return out
}

func newShow(a *app) *cobra.Command {
	var f runFlags
	var name, format string
	var draw drawFlags
	what := make([]string, len(stages))
	for i, s := range stages {
		what[i] = fmt.Sprintf("  %-7s %s", s.name, strings.ReplaceAll(s.what, "\n", "\n          "))
	}
	cmd := &cobra.Command{
		Use:   "show FILE --stage STAGE",
		Short: "Print a stage of a program",
		Long: `Show prints what becomes of a program on its way through the machine. Stages:

` + strings.Join(what, "\n") + `

All but the last two parse back: they are programs with the declarations of the
inputs and data, which gram eval runs. Names are told apart by numbers. A derivative
of a symbol is a symbol too: sin' x, or pow'2 x y by the second argument.
With --format latex they are printed in the notation of the paper, as an align*
environment, which needs the package amsmath; the inputs are free variables there.

The stages ground, forward, bp and graph have pictures too: --format dot is in
the language of Graphviz, --format svg is a picture for a page or a document. Values are
blue, tangents green and the backward phase red; inputs are filled, outputs have a double line. Operations have the names of the lets
around them in the source. Of a large graph only the first and last operations are
drawn, and standard error says so.

A program that branches on its inputs has no single graph; the branches that its
point takes are shown, and standard error says so. FILE - is standard input.`,
		Annotations: command.More(command.LimitsHelp, command.StatusHelp),
		Example: `  gram show figure1.gram --stage ground
  gram show figure1.gram --stage bp | gram eval -
  gram show figure1.gram --stage forward | gram eval - --set dx1=0 --set dx2=1
  gram show figure1.gram --stage reverse --format latex
  gram show figure1.gram --stage bp --format svg --values -o bp.svg
  gram show rnn.gram --stage code`,
	}
	f.addShow(cmd)
	cmd.Flags().StringVar(&name, "stage", "", "the `stage`: "+strings.Join(stageNames(), ", "))
	cmd.Flags().StringVar(&format, "format", "text", "the `format`: text, latex, dot or svg")
	draw.add(cmd)
	noFiles := cobra.ShellCompDirectiveNoFileComp
	_ = cmd.RegisterFlagCompletionFunc("stage", cobra.FixedCompletions(stageNames(), noFiles))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "latex", "dot", "svg"}, noFiles))
	var s *stageInfo
	check := func(cmd *cobra.Command) (err error) {
		if s, err = chooseStage(name, format); err != nil {
			return err
		}
		return draw.check(cmd, s, format)
	}
	return a.reads(cmd, &f.loadFlags, check, func(ctx context.Context, path string) error {
		p, err := a.loadTerm(ctx, path, &f.loadFlags)
		if err != nil {
			return err
		}
		return a.show(ctx, &show.Program{Program: p.Program, Inside: p.Inside, MaxSteps: f.MaxSteps.N, MaxNodes: f.MaxNodes.N}, s, format, &draw)
	})
}

// show prints a stage, or draws it.
func (a *app) show(ctx context.Context, p *show.Program, s *stageInfo, format string, f *drawFlags) error {
	var err error
	drawn := format == "dot" || format == "svg"
	left, most, as := 0, int(f.most.N), pictureFormat(format == "svg")
	switch {
	case drawn && s.draw != nil:
		left, err = s.draw(p, ctx, &a.Out, most, as)
	case drawn:
		left, err = p.Draw(ctx, &a.Out, s.kind, most, f.values, as)
	case s.write != nil:
		err = s.write(p, ctx, &a.Out)
	case format == "latex":
		err = p.LaTeX(ctx, &a.Out, s.kind)
	default:
		err = p.Text(ctx, &a.Out, s.kind)
	}
	if err != nil {
		return err
	}
	a.warnLeftOut(left, f.most.N)
	if s.graph {
		a.warnBranches(p.Program)
	}
	return a.writeOutput(ctx, f.output)
}

// chooseStage returns the stage with the name. It is an error if the stage lacks the format.
func chooseStage(name, format string) (*stageInfo, error) {
	if name == "" {
		return nil, command.Usagef("--stage is missing: one of %s", strings.Join(stageNames(), ", "))
	}
	i := slices.Index(stageNames(), name)
	if i < 0 {
		return nil, command.Usagef("--stage %s: there is no such stage; it is one of %s", name,
			strings.Join(stageNames(), ", "))
	}
	s := &stages[i]
	if !slices.Contains(s.formats(), format) {
		return nil, command.Usagef("--format %s: the stage %s has only %s", format, name, enumerate(s.formats()))
	}
	return s, nil
}

// enumerate joins words as in "a, b and c".
func enumerate(words []string) string {
	last := len(words) - 1
	if last == 0 {
		return words[0]
	}
	return strings.Join(words[:last], ", ") + " and " + words[last]
}

// warnBranches warns if the graph of a program depends on its point.
func (a *app) warnBranches(p *gram.Program) {
	if bridge.Of(p).Branches() {
		fmt.Fprintln(a.Stderr, "gram: the program branches on its inputs; this is its graph at the given point")
	}
}
