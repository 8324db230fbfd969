package explore

import (
	"cmp"
	"context"

	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// mostOperations bounds the inputs and the operations of a graph that is shown. The page draws a large one in groups.
const mostOperations = 40000

// Operations is the computational graph of a program: its inputs, then operations and numerals, operands before what
// uses them.
type Operations struct {
	Places  []*GraphPlace `json:"places"`
	Nodes   []GraphNode   `json:"nodes"`
	Inputs  int           `json:"inputs"`
	Output  int           `json:"output"`
	Factors []uint64      `json:"factors,omitempty"` // the steps by (11)
}

// GraphPlace is a place of the source with operations, and the steps there: those of the primal phase that compute a
// number, with the number if it stands where the step has put it, and those by (5) in backward phases.
type GraphPlace struct {
	Text    string   `json:"text,omitempty"` // the expression
	Line    int      `json:"line,omitempty"`
	Column  int      `json:"column,omitempty"`
	Def     string   `json:"def,omitempty"` // in which it stands
	Values  []uint64 `json:"values,omitempty"`
	Numbers []string `json:"numbers,omitempty"`
	Fires   []uint64 `json:"fires,omitempty"`
}

// GraphNode is a node of the graph.
type GraphNode struct {
	At         int               `json:"at"`             // its place, −1 of inputs and numerals
	Name       string            `json:"name,omitempty"` // that a let gives it, or that of the input
	Symbol     string            `json:"symbol,omitempty"`
	Of         []hypergraph.Node `json:"of,omitempty"`
	Value      string            `json:"value"`
	Derivative string            `json:"derivative,omitempty"`
}

// mostEvents bounds the steps of a graph that are kept.
const mostEvents = 8 * mostOperations

// note keeps a step that the graph of operations shows.
func (x *Exploration) note(f *machine.Fired, by rule.Rule, h *graph.Heap) {
	computes := !f.Backward() && (by == rule.Plus || by == rule.Times || by == rule.Function)
	fires := f.Backward() && by == rule.Lin
	if !computes && !fires && by != rule.Factor || x.events > mostEvents {
		return
	}
	x.events++
	if x.places[f.Pos()] == nil {
		x.places[f.Pos()] = &GraphPlace{}
	}
	switch at := x.places[f.Pos()]; {
	case by == rule.Factor:
		x.factors = append(x.factors, f.N)
	case fires:
		at.Fires = append(at.Fires, f.N)
	default:
		number := ""
		if to, i := h.Node(f.Result>>2), int(f.Result&3); i < len(to.Operands) && to.Operands[i].Tag == compile.Number {
			number = show.Number(to.Operands[i].Number)
		}
		at.Values, at.Numbers = append(at.Values, f.N), append(at.Numbers, number)
	}
}

// operations makes the graph of the program. Where it has none that can be shown, it may say why in a few words.
func (x *Exploration) operations(ctx context.Context) (out *Operations, why string) {
	p := show.Program{Program: x.p, Inside: bridge.Of(x.p), MaxSteps: x.opt.MaxSteps, MaxNodes: x.opt.MaxNodes}
	var c *show.Computation
	var derivatives []float64
	var err error
	if x.info.Stopped == "" && x.events <= mostEvents {
		c, derivatives, err = p.Operations(ctx, mostOperations)
	}
	switch {
	case err != nil || x.info.Stopped != "":
		return nil, ""
	case c == nil:
		return nil, "it would have more than " + load.Grouped(mostOperations)
	case derivatives == nil:
		return nil, "the value has several components"
	}
	out = &Operations{Inputs: c.Graph.Inputs(), Output: int(c.Graph.Outputs()[0]), Factors: x.factors}
	places := map[term.Pos]int{}
	for w := range c.Graph.Len() {
		n := GraphNode{At: -1, Name: c.Names[w], Value: show.Number(c.Values[w]), Derivative: show.Number(derivatives[w])}
		if f, sources, pos, ok := c.Graph.Edge(hypergraph.Node(w)); ok {
			i, known := places[pos]
			if !known {
				i = len(out.Places)
				places[pos] = i
				out.Places = append(out.Places, cmp.Or(x.places[pos], &GraphPlace{}))
				at := out.Places[i]
				at.Text = brief(x.expressions[pos], textLetters)
				at.Line, at.Column = x.src.Position(pos)
				at.Def = x.defs[at.Line]
			}
			n.At, n.Symbol, n.Of = i, show.Symbol(f), sources
		} else if w >= c.Graph.Inputs() {
			n.Derivative = ""
		}
		out.Nodes = append(out.Nodes, n)
	}
	return out, ""
}
