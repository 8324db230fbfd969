package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"html/template"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/result"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/lang/load"
)

// The graph is drawn if it has at most mostDrawn operations. The report leaves it out if the
// program doesn't reduce to it within these numbers of nodes and steps.
const (
	mostDrawn  = 60
	graphNodes = 1 << 18
	graphSteps = 1 << 22
)

// graphPage adds the picture of the graph, or a sentence about its size.
func graphPage(ctx context.Context, r *result.Page, p *gram.Program, path string, f *gradFlags) error {
	shown := show.Program{Program: p, Inside: bridge.Of(p), MaxNodes: atMost(f.MaxNodes.N, graphNodes),
		MaxSteps: atMost(f.MaxSteps.N, graphSteps)}
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
		r.Graph.SVG = template.HTML(svg.String())
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

// atMost returns the smaller of a limit of the command line, where 0 means none, and the report's own limit.
func atMost(limit, own uint64) uint64 {
	if limit == 0 {
		return own
	}
	return min(limit, own)
}

// drawCommand returns the command that draws the graph.
func (f *gradFlags) drawCommand(path string) string {
	return f.CommandLine("show", path, "param", "set", "inputs", "body", "seed") +
		" --stage ground --format svg -o graph.svg"
}
