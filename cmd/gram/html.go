package main

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/lang/load"
)

// writeHTML writes the report of a gradient to the open file.
func (a *app) writeHTML(ctx context.Context, file *command.OutFile, path string, p *loaded, res *gram.Result,
	f *gradFlags) error {
	r := result.NewPage(&f.LoadFlags, "grad", path)
	r.Run = append(r.Run, f.facts()...)
	r.Value = result.Array{Type: p.Type(), Values: res.Values}
	if result.IsJacobian(p.Program) {
		r.Outputs = len(res.Values)
		r.Value.Dims = []int{r.Outputs}
	}
	for i, d := range p.Derivatives(res.Values, res.Jacobian) {
		r.Gradient = append(r.Gradient, result.Arrays(d.Name, p.Inputs()[i].Shape, d.Values)...)
	}
	for _, in := range p.Inputs() {
		r.Inputs = append(r.Inputs, result.Arrays(in.Name, in.Shape, in.Values)...)
	}
	c := &res.Cost
	if f.mode.Is == gram.Reverse {
		r.Steps = c.Steps
	}
	r.Costs = result.CostFigures(c, f.run())
	if err := profilePage(ctx, r, p.Program, f.options(a), f.mode.Is); err != nil {
		return err
	}
	if err := graphPage(ctx, r, p.Program, path, f); err != nil {
		return err
	}
	page := r.HTML()
	if err := ctx.Err(); err != nil {
		return command.LimitError(err, "writing the report")
	}
	return file.Finish(page)
}

// facts describe how the program was run. Files are named without their folders.
func (f *gradFlags) facts() (out []result.Fact) {
	schedule := f.Schedule.String()
	switch f.Schedule.Is {
	case gram.Random:
		schedule += ", seed " + f.Seed.String()
	case gram.Parallel:
		schedule += ", " + load.Counted(int(f.workers.N), "worker")
	}
	for _, fact := range []struct {
		told       bool
		name, text string
	}{
		{f.mode.Is == gram.Reverse, "strategy", f.strategy.String()},
		{f.mode.Is != gram.Reverse, "mode", f.mode.String()},
		{true, "schedule", schedule},
		{f.noFuse, "form", "without passes"},
		{f.literal, "machine", "literal"},
		{len(f.Params) > 0, "params", strings.Join(f.Params, ", ")},
		{f.Inputs != "", "inputs", filepath.Base(f.Inputs)},
		{len(f.Sets) > 0, "set", strings.Join(f.SetsByName(), ", ")},
	} {
		if fact.told {
			out = append(out, result.Fact{Name: fact.name, Text: fact.text})
		}
	}
	return out
}

// profilePage runs the program again, with a profile, for the cost by line.
func profilePage(ctx context.Context, r *result.Page, p *gram.Program, opt gram.EvalOptions,
	mode gram.Mode) error {
	if mode != gram.Reverse {
		r.LinesNote = "Passes over the graph take no steps of the calculus, so there is nothing to show by line."
		return nil
	}
	r.LinesNote = "Rewrites, of the source’s own code and of what the reverse transformation D has put around it, " +
		"and nodes. What a line calls is counted where that stands. The counts are exact; they are of a second run, " +
		"with a profile, and the times above of the first."
	if opt.Schedule == gram.Parallel {
		opt.Schedule = gram.LIFO
		r.LinesNote += " The second run has the schedule lifo, under which the steps are the same."
	}
	prof, err := profile.Run(ctx, p, true, false, opt)
	if err != nil {
		return err
	}
	r.Frames, r.Lines = prof.Frames(), prof.Lines()
	return nil
}

// The graph is drawn if it has at most mostDrawn operations. The report leaves it out if the
// program doesn't reduce to it within these numbers of nodes and steps.
const (
	mostDrawn  = 60
	graphNodes = 1 << 18
	graphSteps = 1 << 22
)

// graphPage adds the picture of the graph, or a sentence about its size.
func graphPage(ctx context.Context, r *result.Page, p *gram.Program, path string, f *gradFlags) error {
	shown := show.Program{Program: p, Inside: bridge.Of(p), // a limit of 0 is none
		MaxNodes: min(cmp.Or(f.MaxNodes.N, graphNodes), graphNodes),
		MaxSteps: min(cmp.Or(f.MaxSteps.N, graphSteps), graphSteps)}
	var svg bytes.Buffer
	if bridge.Of(p).Source().Written().ExpandedSize() > graphNodes {
		r.Graph.Text = fmt.Sprintf("The graph G is too large for this page: the program that reduces to it has more than "+
			"%s symbols.", load.Grouped(graphNodes))
		r.Graph.Command = f.drawCommand(path)
		return nil
	}
	operations, err := 0, bridge.Of(p).Expand(ctx)
	if err == nil {
		operations, err = shown.SVG(ctx, &svg, mostDrawn)
	}
	var limit *gram.LimitError
	var none *gram.Error
	switch {
	case errors.As(err, &limit) && (limit.Limit == "nodes" || limit.Limit == "steps"):
		r.Graph.Text = fmt.Sprintf("The graph G is too large for this page: to reduce the program to it takes more "+
			"than %s %s, at which the report gives up.", load.Grouped(limit.Max), limit.Limit)
	case errors.As(err, &none) && len(none.Diagnostics) > 0:
		r.Graph.Text = "The program has no graph G: " + none.Diagnostics[0].Label + "."
		return nil
	case err != nil:
		return err
	case svg.Len() == 0:
		r.Graph.Text = fmt.Sprintf("The graph G, of %s, %s and %s, is too large for this page.",
			load.Counted(operations, "operation"),
			load.Counted(len(bridge.Of(p).ScalarInputs()), "scalar input"), load.Counted(max(1, r.Outputs), "output"))
	default:
		r.Graph.Text = fmt.Sprintf("The graph G, to which the program reduces while its inputs are left open: %s. "+
			"Below each number, its value at the point.", load.Counted(operations, "operation"))
		r.Graph.SVG = result.Markup(svg.String())
	}
	if bridge.Of(p).Branches() {
		r.Graph.Text += " The program branches on its inputs; G is that of the branches taken at this point."
	}
	if svg.Len() == 0 {
		r.Graph.Text += " This draws its first and last operations:"
		r.Graph.Command = f.drawCommand(path)
	}
	return nil
}

// drawCommand returns the command that draws the graph.
func (f *gradFlags) drawCommand(path string) string {
	return f.CommandLine("show", path, "param", "set", "inputs", "body", "seed") +
		" --stage ground --format svg -o graph.svg"
}
