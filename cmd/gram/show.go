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
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// stageInfo is a stage that gram show prints: a term, unless write is set.
type stageInfo struct {
	name   string
	kind   stage.Kind // of the term
	graph  bool       // it shows the graph G, which depends on the branches taken
	values bool       // its picture can show values
	write  func(p *show.Program, ctx context.Context, w io.Writer) error
	// nil: there is no picture, or it is that of the term
	draw func(p *show.Program, ctx context.Context, w io.Writer, most int, as show.Format) (left int, err error)
}

var stages = []stageInfo{
	{name: "term", kind: stage.Source},
	{name: "reverse", kind: stage.Reverse},
	{name: "ground", kind: stage.Ground, graph: true, values: true},
	{name: "forward", kind: stage.Forward, graph: true, values: true},
	{name: "bp", kind: stage.BP, graph: true, values: true},
	{name: "normal", kind: stage.Normal, graph: true},
	{name: "graph", graph: true, write: (*show.Program).Memory, draw: (*show.Program).DrawMemory},
	{name: "code", write: (*show.Program).Code},
}

var stageNames = syntax.Each(len(stages), func(i int) string { return stages[i].name })

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
	cmd := command.New("show FILE --stage STAGE", "Print a stage of a program", command.LimitsHelp)
	fs := cmd.Flags()
	f.AddProgram(fs)
	f.AddSeed(fs)
	f.AddLimits(cmd)
	f.Observe.Add(cmd)
	fs.StringVar(&name, "stage", "", "the `stage`: "+strings.Join(stageNames, ", "))
	fs.StringVar(&format, "format", "text", "the `format`: text, latex, dot or svg")
	fs.BoolVar(&draw.values, "values", false, "of a picture of ground, forward or bp: write at each node its value")
	draw.most = command.Count{N: 80, Least: 2, Most: 1 << 20, Valid: true}
	fs.Var(&draw.most, "max-drawn", "of a picture: draw at most so many operations, a `count`")
	addOutput(cmd, &draw.output)
	noFiles := cobra.ShellCompDirectiveNoFileComp
	_ = cmd.RegisterFlagCompletionFunc("stage", cobra.FixedCompletions(stageNames, noFiles))
	_ = cmd.RegisterFlagCompletionFunc("format", cobra.FixedCompletions([]string{"text", "latex", "dot", "svg"}, noFiles))
	var s *stageInfo
	check := func(cmd *cobra.Command) (err error) {
		if s, err = chooseStage(name, format); err != nil {
			return err
		}
		_, drawn := show.Formats[format]
		switch {
		case draw.values && !drawn:
			return command.Usagef("--values is for a picture, and --format %s is none", format)
		case draw.values && !s.values:
			return command.Usagef("--values: the picture of the stage %s has none", s.name)
		case cmd.Flags().Changed("max-drawn") && !drawn:
			return command.Usagef("--max-drawn is for a picture, and --format %s is none", format)
		}
		for _, name := range []string{"max-steps", "max-nodes"} {
			if cmd.Flags().Changed(name) && !s.graph {
				return command.Usagef("--%s is for a run, and for the stage %s there is none", name, s.name)
			}
		}
		return nil
	}
	return a.Reads(cmd, &f.LoadFlags, check, func(ctx context.Context, path string) error {
		p, err := a.loadTerm(ctx, path, &f.LoadFlags)
		if err != nil {
			return err
		}
		return a.show(ctx, &show.Program{Program: p.Program, Inside: p.Inside, MaxSteps: f.MaxSteps.N,
			MaxNodes: f.MaxNodes.N}, s, format, &draw)
	})
}

// show prints a stage, or draws it.
func (a *app) show(ctx context.Context, p *show.Program, s *stageInfo, format string, f *drawFlags) error {
	var err error
	left, most := 0, int(f.most.N)
	as, drawn := show.Formats[format]
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
		return nil, command.Usagef("--stage is missing: one of %s", strings.Join(stageNames, ", "))
	}
	i := slices.Index(stageNames, name)
	if i < 0 {
		return nil, command.Usagef("--stage %s: there is no such stage; it is one of %s", name,
			strings.Join(stageNames, ", "))
	}
	s := &stages[i]
	formats := s.formats()
	if slices.Contains(formats, format) {
		return s, nil
	}
	only, last := formats[0], len(formats)-1
	if last > 0 {
		only = strings.Join(formats[:last], ", ") + " and " + formats[last]
	}
	return nil, command.Usagef("--format %s: the stage %s has only %s", format, name, only)
}

// warnBranches warns if the graph of a program depends on its point.
func (a *app) warnBranches(p *gram.Program) {
	if bridge.Of(p).Branches() {
		fmt.Fprintln(a.Stderr, "gram: the program branches on its inputs; this is its graph at the given point")
	}
}

// drawFlags are the flags of pictures.
type drawFlags struct {
	values bool
	most   command.Count
	output string
}

// warnLeftOut prints how many parts of a picture are left out.
func (a *app) warnLeftOut(left int, most uint64) {
	if left > 0 {
		fmt.Fprintf(a.Stderr, "gram: %s of its parts are left out of the picture; --max-drawn %d draws more\n",
			load.Grouped(uint64(left)), 2*most)
	}
}
