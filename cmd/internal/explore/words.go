package explore

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/notation"
	"github.com/gram-machine/gram/term"
)

// words describes the nodes of a heap to readers who know the calculus but not the machine.
type words struct {
	x *Exploration
	h *graph.Heap
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

// hole is an operand that has not arrived yet.
const hole = "□"

// label writes a node in the notation of the calculus: its constructor with its operands.
func (w words) label(n *graph.Node) string {
	op := func(i int) string { return w.operand(n.Operands[i], 0) }
	switch n.Kind {
	case compile.Fun1:
		return show.Symbol(n.Symbol) + " " + op(0)
	case compile.Fun2:
		return apply(show.Symbol(n.Symbol), op(0), op(1))
	case compile.Mul:
		return op(0) + " · " + op(1)
	case compile.Add:
		return op(0) + " + " + op(1)
	case compile.App:
		f := op(0)
		if strings.HasPrefix(f, "λ") {
			f = "(" + f + ")"
		}
		return f + " " + op(1)
	case compile.Case:
		return "match " + op(0)
	case compile.If:
		return fmt.Sprintf("if %s %v %s", op(0), n.Compare, op(1))
	case compile.Open:
		return fmt.Sprintf("⟨%s,%s⟩:=%s", w.bound(n.Binds[0]), w.bound(n.Binds[1]), w.operand(n.Operands[0], 1))
	case compile.Sub, compile.Linear:
		return fmt.Sprintf("[%s:=%s]", w.name(n), w.operand(n.Operands[0], 1))
	case compile.Cell:
		return fmt.Sprintf("[%s:=%s]", w.name(n), w.body(n))
	case compile.Iter:
		if w.iterates(n) {
			return fmt.Sprintf("iterate, %d left", n.Count)
		}
		return fmt.Sprintf("fold, %d left", n.Count)
	case compile.Summand:
		return op(0)
	case compile.Result:
		return "result"
	}
	return w.value(n, 1)
}

// apply writes a symbol between or before its two operands.
func apply(symbol, a, b string) string {
	if r, size := utf8.DecodeRuneInString(symbol); size == len(symbol) && !unicode.IsLetter(r) {
		return a + " " + symbol + " " + b
	}
	return symbol + " " + a + " " + b
}

// value writes a node that an operand refers to, with its components up to a depth.
func (w words) value(n *graph.Node, depth int) string {
	switch n.Kind {
	case compile.Lam:
		if name := w.x.resultAt(n.Pos); n.Dual && w.generated(n) {
			if name == "" {
				return "λ"
			}
			return "λ of " + starred(name)
		}
		return "λ" + n.Name
	case compile.Pair:
		if depth == 0 {
			return "⟨…⟩"
		}
		return "⟨" + w.operand(n.Operands[0], depth-1) + "," + w.operand(n.Operands[1], depth-1) + "⟩"
	case compile.Con:
		name := cmp.Or(w.x.constructors[constructor{n.Pos, n.Index}], fmt.Sprintf("constructor %d", n.Index+1))
		if depth == 0 || len(n.Operands) == 0 {
			return name
		}
		return name + " " + w.operand(n.Operands[0], depth-1)
	case compile.Nat:
		return fmt.Sprintf("#%d", n.Count)
	case compile.List:
		return "list"
	case compile.Data:
		return n.Name
	case compile.Fold:
		return "fold " + w.operand(n.Operands[0], 0)
	case compile.Cell, compile.FreeDual:
		return w.name(n)
	case compile.Seed:
		return "seed"
	case compile.Job:
		return "Σ " + w.operand(n.Operands[0], 0)
	case compile.Captures:
		return "…"
	}
	return w.label(n)
}

// operand writes an operand. A value is written with its components up to a depth.
func (w words) operand(o graph.Operand, depth int) string {
	switch o.Tag {
	case compile.Number:
		return show.Number(o.Number)
	case compile.Value, compile.Name:
		n := w.h.Node(o.Ref)
		return w.value(&n, depth)
	case compile.Variable:
		return w.bound(o.Ref)
	case compile.Late:
		return "Σ"
	case compile.Zero:
		return "0"
	case compile.Taken:
		return ""
	}
	return hole
}

// bound writes the variable of a substitution, or the variables of an opening.
func (w words) bound(r compile.Ref) string {
	n := w.h.Node(r)
	if n.Kind == compile.Open {
		return "⟨" + w.bound(n.Binds[0]) + ",…⟩"
	}
	return w.name(&n)
}

// name is the name of a variable. A dual λ without a name has that of its primal.
func (w words) name(n *graph.Node) string {
	switch {
	case n.Kind == compile.FreeDual:
		return w.x.inputs[n.Index] + "*"
	case n.Kind == compile.Linear && w.generated(n):
		return strings.TrimSpace("∂ " + w.x.resultAt(n.Pos))
	case n.Name != "":
		return w.x.vocabulary(w.h.Program()).name(n.Var)
	case n.Kind != compile.Cell:
		return "_"
	case w.x.resultAt(n.Pos) != "":
		return starred(w.x.resultAt(n.Pos))
	}
	return "d"
}

// generated reports whether D or the start of the run has made the variable that a node binds.
func (w words) generated(n *graph.Node) bool { return w.h.Program().Term.Info(n.Var).Generated }

// named is the name of a node that a substitution binds, with what kind of variable it is.
func (w words) named(n *graph.Node) string {
	if name := w.name(n); name != "_" && name != "d" {
		return name
	}
	return "A variable"
}

// body writes the λ of a dual whose name stands beside it.
func (w words) body(n *graph.Node) string {
	o := n.Operands[0]
	if o.Tag == compile.Value {
		if f := w.h.Node(o.Ref); f.Kind == compile.Lam && w.generated(&f) {
			return "λ"
		}
	}
	return w.operand(o, 0)
}

// argument is the argument of an application.
func (w words) argument(r compile.Ref) string {
	n := w.h.Node(r)
	if len(n.Operands) < 2 {
		return ""
	}
	return w.operand(n.Operands[1], 0)
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
			parts = append(parts, notation.Counted(int(n.Uses), "occurrence")+" left")
		}
	}
	if n.Arrived != 0 {
		parts = append(parts, w.argument(n.Arrived)+" has arrived")
	}
	return strings.Join(parts, "; ")
}

// missing says what a node waits for.
func (w words) missing(n *graph.Node) string {
	if !waits(n) {
		return ""
	}
	var names []string
	empty := 0
	for _, o := range awaited(n) {
		switch o.Tag {
		case compile.Variable:
			names = append(names, "its occurrence of "+w.bound(o.Ref))
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
		names = append(names, notation.Counted(empty, "operand"))
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
		if name := unstarred(w.name(n)); name != "" && (n.Name == "" || w.generated(n)) {
			return "the backpropagator of " + name
		}
	case compile.Iter:
		if w.iterates(n) {
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

// iterates reports whether an Iter is of a numeral, and not of a list.
func (w words) iterates(n *graph.Node) bool { return w.h.Node(n.Operands[1].Ref).Kind == compile.Nat }

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
