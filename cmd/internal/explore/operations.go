package explore

import (
	"context"

	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// mostOperations bounds the inputs and the operations of a graph that is shown.
const mostOperations = 400

// Operations is the computational graph of a program: its inputs, then operations and numerals, operands before what
// uses them. Events are the steps that compute values and that derivatives go through, in order.
type Operations struct {
	Nodes  []GraphNode  `json:"nodes"`
	Output int          `json:"output"`
	Events []GraphEvent `json:"events"`
}

// GraphNode is a node of the graph.
type GraphNode struct {
	Kind       string `json:"kind"`           // input, numeral or operation
	Name       string `json:"name,omitempty"` // that a let gives it, or that of the input
	Symbol     string `json:"symbol,omitempty"`
	Text       string `json:"text,omitempty"` // the expression
	Line       int    `json:"line,omitempty"`
	Column     int    `json:"column,omitempty"`
	Def        string `json:"def,omitempty"` // in which it stands
	Of         []int  `json:"of,omitempty"`
	Value      string `json:"value"`
	Derivative string `json:"derivative,omitempty"`
}

// GraphEvent is a step: an operation on numbers of the primal phase, "value"; (5) in a backward phase, "fires"; or
// (11), "factor".
type GraphEvent struct {
	Step   uint64 `json:"step"`
	As     string `json:"as"`
	Line   int    `json:"line"`
	Column int    `json:"column"`
	Value  string `json:"value,omitempty"` // of a value, if it stands where the step has put it
}

// mostEvents bounds the events that are kept.
const mostEvents = 20 * mostOperations

// note keeps a step that may be an event.
func (x *Exploration) note(f *machine.Fired, by rule.Rule, h *graph.Heap) {
	as := ""
	switch {
	case by == rule.Factor:
		as = "factor"
	case by == rule.Lin && f.Backward():
		as = "fires"
	case !f.Backward() && (by == rule.Plus || by == rule.Times || by == rule.Function):
		as = "value"
	}
	if as != "" && len(x.events) <= mostEvents {
		line, column := x.src.Position(f.Pos())
		e := GraphEvent{Step: f.N, As: as, Line: line, Column: column}
		to, at := h.Node(f.Result>>2), int(f.Result&3)
		if as == "value" && at < len(to.Operands) && to.Operands[at].Tag == compile.Number {
			e.Value = show.Number(to.Operands[f.Result&3].Number)
		}
		x.events = append(x.events, e)
	}
}

// operations makes the graph of the program, if it has one that is small and one output.
func (x *Exploration) operations(ctx context.Context) *Operations {
	if len(x.events) > mostEvents || x.info.Stopped != "" {
		return nil
	}
	p := show.Program{Program: x.p, Inside: bridge.Of(x.p), MaxSteps: x.opt.MaxSteps, MaxNodes: x.opt.MaxNodes}
	c, derivatives, err := p.Operations(ctx, mostOperations)
	if err != nil || c == nil || derivatives == nil {
		return nil // the memory is shown
	}
	out := &Operations{Output: int(c.Graph.Outputs()[0]), Events: x.events}
	for w := range c.Graph.Len() {
		n := GraphNode{Kind: "input", Name: c.Names[w], Value: show.Number(c.Values[w]), Derivative: show.Number(derivatives[w])}
		if f, sources, pos, ok := c.Graph.Edge(hypergraph.Node(w)); ok {
			n.Kind, n.Symbol, n.Text = "operation", show.Symbol(f), brief(x.expressions[pos], textLetters)
			n.Line, n.Column = x.src.Position(pos)
			n.Def = x.defs[n.Line]
			for _, s := range sources {
				n.Of = append(n.Of, int(s))
			}
		} else if w >= c.Graph.Inputs() {
			n.Kind, n.Derivative = "numeral", ""
		}
		out.Nodes = append(out.Nodes, n)
	}
	return out
}
