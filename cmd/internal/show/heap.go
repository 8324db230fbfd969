package show

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
)

// Heap draws nodes of the arena of a literal machine: those that the result, the seeds and the
// sums of dual applications reach, the nearest first, at most most of them, or all if most is 0.
// An edge leads from a node to its operand: a value, the substitution of a variable, or the node
// that will deliver the operand. Nodes that wait for an operand are dashed, and duals are red.
// inputs are the names of the inputs; left is the number of nodes that are not drawn.
func Heap(w io.Writer, h *graph.Heap, inputs []string, most int, as Format) (left int, err error) {
	v := newHeapView(h, inputs)
	all := v.reached()
	drawn := all
	if most > 0 && len(all) > most {
		drawn = all[:most]
	}
	f := &figure{title: "gram", down: true}
	shown := map[compile.Ref]bool{}
	for _, r := range drawn {
		shown[r] = true
	}
	for _, r := range drawn {
		c := v.cell(r)
		n := node{ID: fmt.Sprintf("o%d", r), Kind: box, Text: c.text, Dashed: c.waits, Double: c.root, Ports: len(c.refs)}
		if c.dual {
			n.Of = Adjoint
		}
		f.add(n)
		for k, to := range c.refs {
			l := link{From: n.ID, To: fmt.Sprintf("o%d", to), Of: n.Of}
			if !shown[to] {
				l.To, l.Of = omission, leftOut
			}
			if len(c.refs) > 1 {
				l.Port = k + 1
			}
			f.links = append(f.links, l)
		}
	}
	left = len(all) - len(drawn)
	f.omit(left, "nodes")
	return left, as(f, w)
}

// heapView finds the nodes that a waiting node waits for. The nodes themselves know only the node that waits for them.
type heapView struct {
	h     *graph.Heap
	words Words
	roots []compile.Ref
	first []compile.Ref // by place: the first node that delivers to it
	next  []compile.Ref // by node: the next that delivers to the same place
	opens []compile.Ref // by substitution or opening: the opening that binds it
}

func newHeapView(h *graph.Heap, inputs []string) *heapView {
	v := &heapView{h: h, words: Words{Heap: h, Inputs: inputs}, first: make([]compile.Ref, 4*h.Len()),
		next: make([]compile.Ref, h.Len()), opens: make([]compile.Ref, h.Len())}
	if r := h.Root(); r != 0 {
		v.roots = append(v.roots, r)
	}
	for r := h.Len() - 1; r > 0; r-- {
		n := h.Node(r)
		switch n.Kind {
		case compile.Open:
			v.opens[n.Binds[0]], v.opens[n.Binds[1]] = r, r
			continue
		case compile.Seed:
			continue
		}
		if n.Up != 0 {
			v.next[r], v.first[n.Up] = v.first[n.Up], r
		}
	}
	for r := compile.Ref(1); r < h.Len(); r++ {
		switch n := h.Node(r); {
		case n.Kind == compile.Job && n.Up == 0, n.Kind == compile.Seed && v.first[r<<2] != 0:
			v.roots = append(v.roots, r)
		}
	}
	return v
}

// reached returns the nodes that the roots reach, the nearest first.
func (v *heapView) reached() []compile.Ref {
	seen := make([]bool, v.h.Len())
	var queue []compile.Ref
	see := func(refs []compile.Ref) {
		for _, r := range refs {
			if !seen[r] {
				seen[r] = true
				queue = append(queue, r)
			}
		}
	}
	see(v.roots)
	for i := 0; i < len(queue); i++ {
		see(v.cell(queue[i]).refs)
	}
	return queue
}

// cell is a node of an arena as it is shown.
type cell struct {
	text              string
	refs              []compile.Ref // what it refers to, in order
	dual, waits, root bool
}

// cell describes a node.
func (v *heapView) cell(r compile.Ref) cell {
	n := v.h.Node(r)
	b := cell{root: r == v.h.Root(), dual: n.Backward(), waits: n.Kind == compile.Job || Waits(&n)}
	for i, o := range n.Operands {
		switch o.Tag {
		case compile.Variable, compile.Name, compile.Value, compile.Late, compile.Inert, compile.Operation:
			b.refs = append(b.refs, o.Ref)
		case compile.Empty:
			b.refs = append(b.refs, v.waited(compile.Place(r<<2)|compile.Place(i))...)
		}
	}
	b.refs = append(b.refs, n.Captures...)
	if n.More != 0 {
		b.refs = append(b.refs, n.More)
	}
	text := v.words.Label(&n)
	switch n.Kind {
	case compile.Job:
		b.refs = append(b.refs, v.waited(r<<2|1)...)
	case compile.Seed:
		text = fmt.Sprintf("seed %d", n.Index+1)
	case compile.Result:
		text += " " + v.words.Operand(n.Operands[0], 0)
	}
	if n.Graph || n.Kind == compile.Symbol {
		text += " = " + Number(n.Value)
	}
	b.text = fmt.Sprintf("%d: %s", r, text)
	return b
}

// waited returns what delivers to a place.
func (v *heapView) waited(p compile.Place) (refs []compile.Ref) {
	for r := v.first[p]; r != 0; r = v.next[r] {
		refs = append(refs, r)
	}
	if o := v.opens[p>>2]; o != 0 && p&3 == 0 {
		refs = append(refs, o)
	}
	return refs
}

// Words writes the nodes of a heap in the notation of the calculus.
type Words struct {
	Heap   *graph.Heap
	Inputs []string // their names
	// Source, if not nil, is what the source calls a node, if it does: the variable that a substitution binds, what
	// stands behind the λ of a function, a constructor.
	Source func(*graph.Node) (string, bool)
}

// Hole is an operand that has not arrived yet.
const Hole = "□"

// Label writes a node: its constructor with its operands.
func (w *Words) Label(n *graph.Node) string {
	op := func(i int) string { return w.Operand(n.Operands[i], 0) }
	switch n.Kind {
	case compile.Fun1:
		return Symbol(n.Symbol) + " " + op(0)
	case compile.Fun2:
		return apply(Symbol(n.Symbol), op(0), op(1))
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
		return fmt.Sprintf("⟨%s,%s⟩:=%s", w.Bound(n.Binds[0]), w.Bound(n.Binds[1]), w.Operand(n.Operands[0], 1))
	case compile.Sub, compile.Linear:
		return fmt.Sprintf("[%s:=%s]", w.Name(n), w.Operand(n.Operands[0], 1))
	case compile.Cell:
		return fmt.Sprintf("[%s:=%s]", w.Name(n), w.body(n))
	case compile.Iter:
		if w.Iterates(n) {
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
func (w *Words) value(n *graph.Node, depth int) string {
	switch n.Kind {
	case compile.Lam:
		return "λ" + w.Name(n)
	case compile.Pair:
		if depth == 0 {
			return "⟨…⟩"
		}
		return "⟨" + w.Operand(n.Operands[0], depth-1) + "," + w.Operand(n.Operands[1], depth-1) + "⟩"
	case compile.Con:
		if depth == 0 || len(n.Operands) == 0 {
			return w.Name(n)
		}
		return w.Name(n) + " " + w.Operand(n.Operands[0], depth-1)
	case compile.Nat:
		return fmt.Sprintf("#%d", n.Count)
	case compile.Data:
		return n.Name
	case compile.Fold:
		return "fold " + w.Operand(n.Operands[0], 0)
	case compile.Cell, compile.FreeDual, compile.Symbol:
		return w.Name(n)
	case compile.Job:
		return "Σ " + w.Operand(n.Operands[0], 0)
	case compile.Captures:
		return "…"
	case compile.List, compile.Seed, compile.Names, compile.Free:
		return n.Kind.String()
	}
	return w.Label(n)
}

// Operand writes an operand. A value is written with its components up to a depth.
func (w *Words) Operand(o graph.Operand, depth int) string {
	switch o.Tag {
	case compile.Number:
		return Number(o.Number)
	case compile.Value, compile.Name:
		n := w.Heap.Node(o.Ref)
		return w.value(&n, depth)
	case compile.Variable:
		return w.Bound(o.Ref)
	case compile.Late:
		return "Σ"
	case compile.Zero:
		return "0"
	case compile.Taken:
		return ""
	}
	return Hole
}

// Bound writes the variable of a substitution, or the variables of an opening.
func (w *Words) Bound(r compile.Ref) string {
	n := w.Heap.Node(r)
	if n.Kind == compile.Open {
		return "⟨" + w.Bound(n.Binds[0]) + ",…⟩"
	}
	return w.Name(&n)
}

// Name is the name of the variable that a node binds, or of a constructor.
func (w *Words) Name(n *graph.Node) string {
	switch n.Kind {
	case compile.FreeDual:
		return w.Inputs[n.Index] + "*"
	case compile.Symbol:
		return w.Inputs[n.Index]
	}
	if w.Source != nil {
		if name, ok := w.Source(n); ok {
			return name
		}
	}
	switch n.Kind {
	case compile.Con:
		return fmt.Sprintf("constructor %d", n.Index+1)
	case compile.Cell:
		return cmp.Or(n.Name, "d")
	}
	return cmp.Or(n.Name, "_")
}

// body writes the λ of a dual whose name stands beside it.
func (w *Words) body(n *graph.Node) string {
	o := n.Operands[0]
	if o.Tag == compile.Value {
		if f := w.Heap.Node(o.Ref); f.Kind == compile.Lam && w.Heap.Program().Term.Info(f.Var).Generated {
			return "λ"
		}
	}
	return w.Operand(o, 0)
}

// Iterates reports whether an Iter is of a numeral, and not of a list.
func (w *Words) Iterates(n *graph.Node) bool {
	return w.Heap.Node(n.Operands[1].Ref).Kind == compile.Nat
}

// Waits reports whether a node waits for something.
func Waits(n *graph.Node) bool {
	for _, o := range Awaited(n) {
		if o.Tag == compile.Empty || o.Tag == compile.Variable {
			return true
		}
	}
	return n.Up != 0 && len(n.Operands) == 0 // a λ that waits for what it captures
}

// Awaited returns the operands that a node waits for.
func Awaited(n *graph.Node) []graph.Operand {
	switch n.Kind {
	case compile.Iter:
		return n.Operands[:1]
	case compile.Fold:
		return nil
	}
	return n.Operands
}
