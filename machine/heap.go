package machine

import (
	"unsafe"

	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/term"
)

// Heap is what the arena holds, to be looked at between two moves.
type Heap struct {
	prog  *literal.Program
	nodes []node
	root  Ref
}

// Operand is an operand of a node.
type Operand struct {
	Tag    Tag
	Ref    Ref     // of a Value, a Name, a Variable (its substitution) or a Late sum
	Number float64 // of a Number
}

// Node describes a node.
type Node struct {
	Ref     Ref
	Kind    literal.Kind
	Pos     term.Pos
	Name    string       // of the variable that a Sub, Linear, Cell or Lam binds, or of data; "" if it has none
	Symbol  term.Symbol  // of Fun1, Fun2, Mul
	Compare term.Compare // of an If
	Dual    bool         // of a Lam: it is that of a dual
	// Operands are those of the constructor, from left to right. An Open has u, and a Linear has behind its own the λ
	// whose body is to be copied.
	Operands []Operand
	Binds    [2]Ref // of an Open: x and y, Subs or another Open
	Captures []Ref  // the substitutions that a λ, a list or a conditional captures, in this node
	More     Ref    // the node that has the rest of them; of an Iter or a Job, its second node
	Up       Place  // what waits for it; 0 of a value
	Uses     uint32 // occurrences of a variable; references to a value
	Arrived  Ref    // of a Cell or a FreeDual: the application that has arrived
	Index    int    // of a FreeDual: the input; of a Seed: the output; of a Data: its index
	Count    uint64 // of a Nat: the number; of an Iter: the elements left
}

// Heap returns what the arena holds. It is good until the next rewrite.
func (m *Machine) Heap() *Heap {
	return &Heap{prog: m.prog, nodes: unsafe.Slice(m.node(0), m.top), root: m.result >> 2}
}

// Len returns below which number the Refs of nodes are.
func (h *Heap) Len() Ref { return Ref(len(h.nodes)) }

// Root returns the node that waits for the value of the program; 0 for a gradient.
func (h *Heap) Root() Ref { return h.root }

// Node describes the node r. Of a free node it is all zero but for Ref.
func (h *Heap) Node(r Ref) Node {
	n := &h.nodes[r]
	out := Node{Ref: r, Kind: n.Kind}
	if n.Kind == literal.Free {
		return out
	}
	var in literal.Instr
	if int(n.Code) < len(h.prog.Code) {
		in = h.prog.Code[n.Code]
	}
	out.Pos, out.Symbol, out.Compare = in.Pos, in.Sym, in.Cmp
	if in.Name != 0 {
		out.Name = h.prog.Term.Vars[in.Name].Name
	}
	switch n.Kind {
	case literal.Fun1, literal.Result, literal.Seed, literal.Summand, literal.Iter:
		out.Operands, out.Up = []Operand{n.operand(0)}, n.up
	case literal.Fun2, literal.Mul, literal.Add, literal.App:
		out.Operands, out.Up = []Operand{n.operand(0), n.operand(1)}, n.up
	case literal.If:
		out.Operands, out.Up, out.More = []Operand{n.operand(0), n.operand(1)}, n.up, n.c>>2
	case literal.Open:
		out.Operands, out.Binds = []Operand{n.operand(0)}, [2]Ref{lo(n.val[1]) >> 2, hi(n.val[1]) >> 2}
	case literal.Sub, literal.Linear:
		out.Operands, out.Uses = []Operand{n.operand(0)}, lo(n.val[1])
		if n.Kind == literal.Linear && n.c != 0 && n.Bits&isFired == 0 {
			out.Operands, out.Up = append(out.Operands, Operand{Tag: Value, Ref: n.c >> 2}), n.up
		}
	case literal.Cell:
		out.Operands, out.Uses, out.Arrived = []Operand{{Tag: n.Tag[0], Ref: lo(n.val[0]) >> 2}}, lo(n.val[1]), n.c>>2
	case literal.Job:
		out.Operands, out.Up, out.More = []Operand{n.operand(0)}, n.up, n.c>>2
	default:
		h.value(&out, n, &in)
	}
	if n.Kind == literal.Seed {
		out.Index = int(in.N)
	}
	if n.Kind == literal.Iter {
		out.More = n.c >> 2
		s := &h.nodes[out.More]
		out.Operands = append(out.Operands, Operand{Tag: Value, Ref: lo(s.val[0]) >> 2}, Operand{Tag: Variable, Ref: hi(s.val[0]) >> 2})
		out.Count = s.val[1]
	}
	return out
}

// value describes a node that is a value, or a pair or a λ that is to become one.
func (h *Heap) value(out *Node, n *node, in *literal.Instr) {
	switch n.Kind {
	case literal.Pair:
		out.Operands = []Operand{n.operand(0), n.operand(1)}
		if out.Uses = n.c; n.c == 0 {
			out.Up = n.up
		}
	case literal.Lam, literal.List, literal.Captures:
		captures, k := n.captures()
		for _, s := range captures[:k] {
			out.Captures = append(out.Captures, s>>2)
		}
		out.More = n.more() >> 2
		if n.Bits&missing != 0 {
			out.Up = n.up
		} else {
			out.Uses = n.c
		}
		out.Dual = n.Kind == literal.Lam && h.prog.Templates[in.Closure.Bodies[0]].Linear
	case literal.Nat:
		out.Count, out.Uses = n.val[0], n.c
	case literal.Data:
		out.Index, out.Uses = int(n.val[0]), n.c
		out.Name = h.prog.Term.Data[out.Index].Name
	case literal.Fold:
		out.Operands = []Operand{{Tag: Value, Ref: lo(n.val[0]) >> 2}, {Tag: Variable, Ref: hi(n.val[0]) >> 2}}
		out.Uses = n.c
	case literal.FreeDual:
		out.Index, out.Arrived = int(out.Ref)-1, n.c>>2
	}
}

func (n *node) operand(i int) Operand {
	o := Operand{Tag: n.Tag[i]}
	switch n.Tag[i] {
	case Number:
		o.Number = number(n.val[i])
	case Value, Name, Variable, Late:
		o.Ref = lo(n.val[i]) >> 2
	}
	return o
}
