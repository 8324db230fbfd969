package explore

import (
	"strings"

	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// words describes the nodes of a heap to readers who know the calculus but not the machine.
type words struct {
	x *Exploration
	show.Words
}

// constructor is a constructor of an inductive type at a place of the source, by its number.
type constructor struct {
	at    term.Pos
	index int
}

// constructors returns the names of constructors. One that is of several types at its place has none.
func constructors(t *term.Term) map[constructor]string {
	names := map[constructor]string{}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Op != term.ConOp {
			continue
		}
		at, name := constructor{n.Pos, int(n.Count)}, t.Types.Constructors(n.Res)[n.Count].Name
		if old, ok := names[at]; ok && old != name {
			name = ""
		}
		names[at] = name
	}
	return names
}

// in returns how the nodes of a heap are written in the words of the source.
func (x *Exploration) in(h *graph.Heap) *words {
	w := &words{x: x, Words: show.Words{Heap: h, Inputs: x.inputs}}
	w.Source = w.source
	return w
}

// source is what the source calls a node, as in [show.Words]. A dual λ without a name has that of its primal.
func (w words) source(n *graph.Node) (string, bool) {
	result := w.x.resultAt(n.Pos)
	switch {
	case n.Kind == compile.Con:
		name := w.x.constructors[constructor{n.Pos, n.Index}]
		return name, name != ""
	case n.Kind == compile.Lam && n.Dual && w.generated(n):
		if result != "" {
			result = " of " + starred(result)
		}
		return result, true
	case n.Kind == compile.Lam:
		return n.Name, true
	case n.Kind == compile.Linear && w.generated(n):
		return strings.TrimSpace("∂ " + result), true
	case n.Name != "":
		return w.x.vocabulary(w.Heap.Program()).name(n.Var), true
	}
	return starred(result), n.Kind == compile.Cell && result != ""
}

// generated reports whether D or the start of the run has made the variable that a node binds.
func (w words) generated(n *graph.Node) bool { return w.Heap.Program().Term.Info(n.Var).Generated }

// named is the name of a node that a substitution binds, with what kind of variable it is.
func (w words) named(n *graph.Node) string {
	if name := w.Name(n); name != "_" && name != "d" {
		return name
	}
	return "A variable"
}

// argument is the argument of an application.
func (w words) argument(r compile.Ref) string {
	n := w.Heap.Node(r)
	if len(n.Operands) < 2 {
		return ""
	}
	return w.Operand(n.Operands[1], 0)
}

// text describes a node in full.
func (w words) text(n *graph.Node, label string) string {
	parts := []string{label + ", " + w.what(n)}
	if missing := w.missing(n); missing != "" {
		parts = append(parts, "it waits for "+missing)
	}
	switch n.Kind {
	case compile.Sub, compile.Linear, compile.Cell:
		if spent(n) {
			parts = append(parts, "its last occurrence has taken the value")
		} else {
			parts = append(parts, load.Counted(int(n.Uses), "occurrence")+" left")
		}
	}
	if n.Arrived != 0 {
		parts = append(parts, w.argument(n.Arrived)+" has arrived")
	}
	return strings.Join(parts, "; ")
}

// missing says what a node waits for.
func (w words) missing(n *graph.Node) string {
	if !show.Waits(n) {
		return ""
	}
	var names []string
	empty := 0
	for _, o := range show.Awaited(n) {
		switch o.Tag {
		case compile.Variable:
			names = append(names, "its occurrence of "+w.Bound(o.Ref))
		case compile.Empty:
			empty++
		}
	}
	switch {
	case len(n.Operands) == 0:
		return "the values of the variables that it captures"
	case empty == 1:
		names = append(names, "an operand")
	case empty > 1:
		names = append(names, load.Counted(empty, "operand"))
	}
	return strings.Join(names, " and ")
}

// what says what a node is.
func (w words) what(n *graph.Node) string {
	switch n.Kind {
	case compile.App:
		if n.Operands[0].Tag == compile.Name {
			return "a call of a backpropagator"
		}
	case compile.Cell:
		if name := unstarred(w.Name(n)); name != "" && (n.Name == "" || w.generated(n)) {
			return "the backpropagator of " + name
		}
	case compile.Iter:
		if w.Iterates(n) {
			return "the iteration of a function"
		}
		return "the fold of a list"
	case compile.Lam:
		if n.Dual {
			return "a dual λ"
		}
	case compile.FreeDual:
		return "where the derivative by " + w.x.inputs[n.Index] + " arrives"
	case compile.Job:
		if w.x.gradient {
			return "what waits for the backward phase"
		}
	}
	return kindWords[n.Kind]
}

// kindWords say what the nodes of a kind are.
var kindWords = map[compile.Kind]string{
	compile.Fun1:     "a function symbol and its argument",
	compile.Fun2:     "a function symbol and its arguments",
	compile.Mul:      "a product",
	compile.Add:      "a sum",
	compile.App:      "an application",
	compile.If:       "a conditional",
	compile.Case:     "a match",
	compile.Con:      "a constructor",
	compile.Open:     "an opening: it takes a pair apart",
	compile.Sub:      "an explicit substitution",
	compile.Linear:   "the substitution of a linear variable",
	compile.Cell:     "a dual λ and its name",
	compile.Job:      "a sum of calls of backpropagators",
	compile.Summand:  "a summand of a sum of calls of backpropagators",
	compile.Seed:     "where the backward phase begins",
	compile.Result:   "what waits for the value of the program",
	compile.Lam:      "a function",
	compile.Pair:     "a pair",
	compile.Nat:      "a numeral",
	compile.List:     "a list",
	compile.Data:     "a list of data",
	compile.Fold:     "a list or numeral that has been applied to a function",
	compile.Captures: "more of what the node beside it refers to",
}
