package scene

import (
	"cmp"
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/internal/notation"
	"github.com/gram-machine/gram/machine/heap"
	"github.com/gram-machine/gram/term"
)

// words describes the nodes of a heap to readers who know the calculus but not the machine.
type words struct {
	x *Exploration
	h *heap.Heap
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
func (w words) label(n *heap.Node) string {
	op := func(i int) string { return w.operand(n.Operands[i], 0) }
	switch n.Kind {
	case literal.Fun1:
		return show.Symbol(n.Symbol) + " " + op(0)
	case literal.Fun2:
		return apply(show.Symbol(n.Symbol), op(0), op(1))
	case literal.Mul:
		return op(0) + " · " + op(1)
	case literal.Add:
		return op(0) + " + " + op(1)
	case literal.App:
		f := op(0)
		if strings.HasPrefix(f, "λ") {
			f = "(" + f + ")"
		}
		return f + " " + op(1)
	case literal.Case:
		return "match " + op(0)
	case literal.If:
		return fmt.Sprintf("if %s %v %s", op(0), n.Compare, op(1))
	case literal.Open:
		return fmt.Sprintf("⟨%s,%s⟩:=%s", w.bound(n.Binds[0]), w.bound(n.Binds[1]), w.operand(n.Operands[0], 1))
	case literal.Sub, literal.Linear:
		return fmt.Sprintf("[%s:=%s]", w.name(n), w.operand(n.Operands[0], 1))
	case literal.Cell:
		return fmt.Sprintf("[%s:=%s]", w.name(n), w.body(n))
	case literal.Iter:
		if w.iterates(n) {
			return fmt.Sprintf("iterate, %d left", n.Count)
		}
		return fmt.Sprintf("fold, %d left", n.Count)
	case literal.Summand:
		return op(0)
	case literal.Result:
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
func (w words) value(n *heap.Node, depth int) string {
	switch n.Kind {
	case literal.Lam:
		if name := w.x.resultAt(n.Pos); n.Dual && w.generated(n) {
			if name == "" {
				return "λ"
			}
			return "λ of " + starred(name)
		}
		return "λ" + n.Name
	case literal.Pair:
		if depth == 0 {
			return "⟨…⟩"
		}
		return "⟨" + w.operand(n.Operands[0], depth-1) + "," + w.operand(n.Operands[1], depth-1) + "⟩"
	case literal.Con:
		name := cmp.Or(w.x.constructors[constructor{n.Pos, n.Index}], fmt.Sprintf("constructor %d", n.Index+1))
		if depth == 0 || len(n.Operands) == 0 {
			return name
		}
		return name + " " + w.operand(n.Operands[0], depth-1)
	case literal.Nat:
		return fmt.Sprintf("#%d", n.Count)
	case literal.List:
		return "list"
	case literal.Data:
		return n.Name
	case literal.Fold:
		return "fold " + w.operand(n.Operands[0], 0)
	case literal.Cell, literal.FreeDual:
		return w.name(n)
	case literal.Seed:
		return "seed"
	case literal.Job:
		return "Σ " + w.operand(n.Operands[0], 0)
	case literal.Captures:
		return "…"
	}
	return w.label(n)
}

// operand writes an operand. A value is written with its components up to a depth.
func (w words) operand(o heap.Operand, depth int) string {
	switch o.Tag {
	case literal.Number:
		return show.Number(o.Number)
	case literal.Value, literal.Name:
		n := w.h.Node(o.Ref)
		return w.value(&n, depth)
	case literal.Variable:
		return w.bound(o.Ref)
	case literal.Late:
		return "Σ"
	case literal.Zero:
		return "0"
	case literal.Taken:
		return ""
	}
	return hole
}

// bound writes the variable of a substitution, or the variables of an opening.
func (w words) bound(r literal.Ref) string {
	n := w.h.Node(r)
	if n.Kind == literal.Open {
		return "⟨" + w.bound(n.Binds[0]) + ",…⟩"
	}
	return w.name(&n)
}

// name is the name of a variable. A dual λ without a name has that of its primal.
func (w words) name(n *heap.Node) string {
	switch {
	case n.Kind == literal.FreeDual:
		return w.x.inputs[n.Index] + "*"
	case n.Kind == literal.Linear && w.generated(n):
		return strings.TrimSpace("∂ " + w.x.resultAt(n.Pos))
	case n.Name != "":
		return w.x.vocabulary(w.h.Program()).name(n.Var)
	case n.Kind != literal.Cell:
		return "_"
	case w.x.resultAt(n.Pos) != "":
		return starred(w.x.resultAt(n.Pos))
	}
	return "d"
}

// generated reports whether D or the start of the run has made the variable that a node binds.
func (w words) generated(n *heap.Node) bool { return w.h.Program().Term.Info(n.Var).Generated }

// named is the name of a node that a substitution binds, with what kind of variable it is.
func (w words) named(n *heap.Node) string {
	if name := w.name(n); name != "_" && name != "d" {
		return name
	}
	return "A variable"
}

// body writes the λ of a dual whose name stands beside it.
func (w words) body(n *heap.Node) string {
	o := n.Operands[0]
	if o.Tag == literal.Value {
		if f := w.h.Node(o.Ref); f.Kind == literal.Lam && w.generated(&f) {
			return "λ"
		}
	}
	return w.operand(o, 0)
}

// argument is the argument of an application.
func (w words) argument(r literal.Ref) string {
	n := w.h.Node(r)
	if len(n.Operands) < 2 {
		return ""
	}
	return w.operand(n.Operands[1], 0)
}

// text describes a node in full.
func (w words) text(n *heap.Node, label string) string {
	parts := []string{label + ", " + w.what(n)}
	if missing := w.missing(n); missing != "" {
		parts = append(parts, "it waits for "+missing)
	}
	switch n.Kind {
	case literal.Sub, literal.Linear, literal.Cell:
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
func (w words) missing(n *heap.Node) string {
	if !waits(n) {
		return ""
	}
	var names []string
	empty := 0
	for _, o := range awaited(n) {
		switch o.Tag {
		case literal.Variable:
			names = append(names, "its occurrence of "+w.bound(o.Ref))
		case literal.Empty:
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
func (w words) what(n *heap.Node) string {
	switch n.Kind {
	case literal.App:
		if n.Operands[0].Tag == literal.Name {
			return "a call of a backpropagator"
		}
	case literal.Cell:
		if name := unstarred(w.name(n)); name != "" && (n.Name == "" || w.generated(n)) {
			return "the backpropagator of " + name
		}
	case literal.Iter:
		if w.iterates(n) {
			return "the iteration of a function"
		}
		return "the fold of a list"
	case literal.Lam:
		if n.Dual {
			return "a dual λ"
		}
	case literal.FreeDual:
		return "where the derivative by " + w.x.inputs[n.Index] + " arrives"
	case literal.Job:
		if w.x.gradient {
			return "what waits for the backward phase"
		}
	}
	return kindWords[n.Kind]
}

// iterates reports whether an Iter is of a numeral, and not of a list.
func (w words) iterates(n *heap.Node) bool { return w.h.Node(n.Operands[1].Ref).Kind == literal.Nat }

// kindWords say what the nodes of a kind are.
var kindWords = map[literal.Kind]string{
	literal.Fun1:     "a function symbol and its argument",
	literal.Fun2:     "a function symbol and its arguments",
	literal.Mul:      "a product",
	literal.Add:      "a sum",
	literal.App:      "an application",
	literal.If:       "a conditional",
	literal.Case:     "a match",
	literal.Con:      "a constructor",
	literal.Open:     "an opening: it takes a pair apart",
	literal.Sub:      "an explicit substitution",
	literal.Linear:   "the substitution of a linear variable",
	literal.Cell:     "a dual λ and its name",
	literal.Job:      "a sum of calls of backpropagators",
	literal.Summand:  "a summand of a sum of calls of backpropagators",
	literal.Seed:     "where the backward phase begins",
	literal.Result:   "what waits for the value of the program",
	literal.Lam:      "a function",
	literal.Pair:     "a pair",
	literal.Nat:      "a numeral",
	literal.List:     "a list",
	literal.Data:     "a list of data",
	literal.Fold:     "a list or numeral that has been applied to a function",
	literal.Captures: "more of what the node beside it refers to",
}
