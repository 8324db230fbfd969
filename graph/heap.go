// Package graph holds the graphs that the literal machine reduces: the arena of their nodes, and what describes these
// to people.
package graph

import (
	"math"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/term"
)

// Heap is what the arena holds, to be looked at between two moves.
type Heap struct {
	prog  *compile.Program
	nodes []compile.Node
	root  compile.Ref
}

// New returns what the nodes of a machine that runs the program hold. It is good until the next rewrite. The root is
// the node that waits for the value of the program; 0 for a gradient.
func New(prog *compile.Program, nodes []compile.Node, root compile.Ref) *Heap {
	return &Heap{prog: prog, nodes: nodes, root: root}
}

// Operand is an operand of a node.
type Operand struct {
	Tag    compile.Tag
	Ref    compile.Ref // of a Value, a Name, a Variable (its substitution) or a Late sum
	Number float64     // of a Number
}

// Node describes a node.
type Node struct {
	Ref     compile.Ref
	Kind    compile.Kind
	Code    uint32 // the instruction that made it
	Pos     term.Pos
	Var     term.Var     // that a Sub, Linear, Cell or Lam binds, or 0
	Name    string       // of Var, or of data; "" if it has none
	Symbol  term.Symbol  // of Fun1, Fun2, Mul
	Compare term.Compare // of an If
	Dual    bool         // of a Lam: it is that of a dual
	Fired   bool         // of a Linear: (5) has fired; of an App of a recursive function: (15) has
	// Operands are those of the constructor, from left to right. An Open has u, and a Linear has behind its own the λ
	// whose body is to be copied.
	Operands []Operand
	Lost     Operand        // of a Sub or a Cell whose operand is Taken: the value, until the next move
	Binds    [2]compile.Ref // of an Open: x and y, Subs or another Open
	Captures []compile.Ref  // the substitutions that a λ, a list, a conditional or a match captures, in this node
	More     compile.Ref    // the node that has the rest of them; of an Iter or a Job, its second node
	Up       compile.Place  // what waits for it; 0 of a value
	Graph    bool           // of Fun1, Fun2, Mul, Add: it is an operation of the graph G
	Value    float64        // of an operation of G or a Symbol: its number at the point
	Uses     uint32         // occurrences of a variable; references to a value
	Arrived  compile.Ref    // of a Cell or a FreeDual: the application that has arrived
	// Index of a FreeDual is the input; of a Symbol the same, or behind the inputs the argument of the dual; of a Seed the
	// output; of Data its index; of a Con its number.
	Index int
	Count uint64 // of a Nat: the number; of an Iter: the elements left
}

// Backward reports whether the node belongs to backpropagation.
func (n *Node) Backward() bool {
	switch n.Kind {
	case compile.Cell, compile.FreeDual, compile.Linear, compile.Job, compile.Summand, compile.Seed:
		return true
	case compile.Lam:
		return n.Dual
	case compile.App:
		return n.Operands[0].Tag == compile.Name
	}
	return false
}

// Program returns the program that the machine runs.
func (h *Heap) Program() *compile.Program { return h.prog }

// Len returns below which number the Refs of nodes are.
func (h *Heap) Len() compile.Ref { return compile.Ref(len(h.nodes)) }

// Root returns the node that waits for the value of the program, or 0.
func (h *Heap) Root() compile.Ref { return h.root }

// Node describes the node r. Of a free node it is all zero but for Ref.
func (h *Heap) Node(r compile.Ref) Node {
	n := &h.nodes[r]
	out := Node{Ref: r, Kind: n.Kind, Code: n.Code}
	if n.Kind == compile.Free {
		return Node{Ref: r}
	}
	out.Fired = n.Bits&compile.IsFired != 0
	if n.Tag[0] == compile.Taken {
		had := compile.Node{Head: compile.Head{Tag: [2]compile.Tag{n.Tag[1]}}, Val: n.Val}
		out.Lost = operand(&had, 0)
	}
	var in compile.Instr
	if int(n.Code) < len(h.prog.Code) {
		in = h.prog.Code[n.Code]
	}
	out.Pos, out.Symbol, out.Compare = in.Pos, in.Sym, in.Cmp
	if in.Name != 0 {
		out.Var, out.Name = in.Name, h.prog.Term.Info(in.Name).Name
	}
	switch n.Kind {
	case compile.Fun2, compile.Mul, compile.Add, compile.App, compile.If, compile.Pair:
		out.Operands = []Operand{operand(n, 0), operand(n, 1)}
	case compile.Fun1, compile.Case, compile.Open, compile.Sub, compile.Linear, compile.Cell, compile.Iter, compile.Job,
		compile.Seed, compile.Summand, compile.Result, compile.Names:
		out.Operands = []Operand{operand(n, 0)}
	}
	switch n.Kind {
	case compile.Fun1, compile.Fun2, compile.Mul, compile.Add, compile.App, compile.Result, compile.Summand, compile.Names:
		out.Up = n.Up
	case compile.Seed:
		out.Up, out.Index = n.Up, int(in.N)
	case compile.If, compile.Case, compile.Job:
		out.Up, out.More = n.Up, n.C>>2
	case compile.Iter:
		out.Up, out.More = n.Up, n.C>>2
		s := &h.nodes[out.More]
		out.Operands = append(out.Operands, Operand{Tag: compile.Value, Ref: first(s.Val[0])},
			Operand{Tag: compile.Variable, Ref: second(s.Val[0])})
		out.Count = s.Val[1]
	case compile.Open:
		out.Binds = [2]compile.Ref{first(n.Val[1]), second(n.Val[1])}
	case compile.Sub, compile.Linear:
		out.Uses = uint32(n.Val[1])
		if n.Kind == compile.Linear && n.C != 0 && n.Bits&compile.IsFired == 0 {
			out.Operands, out.Up = append(out.Operands, Operand{Tag: compile.Value, Ref: n.C >> 2}), n.Up
		}
	case compile.Cell:
		out.Uses, out.Arrived = uint32(n.Val[1]), n.C>>2
	default:
		h.value(&out, n, &in)
	}
	if out.Graph = n.Bits&compile.IsGraph != 0 && n.Kind <= compile.Add; out.Graph {
		out.Up, out.Value = 0, math.Float64frombits(uint64(n.Up)|uint64(n.C)<<32)
	}
	return out
}

// value describes a node that is a value, or a pair or a λ that is to become one.
func (h *Heap) value(out *Node, n *compile.Node, in *compile.Instr) {
	switch n.Kind {
	case compile.Pair, compile.Con:
		if n.Kind == compile.Con {
			out.Index = int(n.Val[1])
			if n.Tag[0] != compile.Empty || n.Bits&compile.Missing != 0 {
				out.Operands = []Operand{operand(n, 0)}
			}
		}
		if out.Uses = n.C; n.C == 0 {
			out.Up = n.Up
		}
	case compile.Lam, compile.List, compile.Captures:
		captures, k := n.Captures()
		for _, s := range captures[:k] {
			out.Captures = append(out.Captures, s>>2)
		}
		out.More = n.More() >> 2
		if n.Bits&compile.Missing != 0 {
			out.Up = n.Up
		} else {
			out.Uses = n.C
		}
		out.Dual = n.Kind == compile.Lam && h.prog.Templates[in.Closure.Bodies[0]].Linear
	case compile.Nat:
		out.Count, out.Uses = n.Val[0], n.C
	case compile.Data:
		out.Index, out.Uses = int(n.Val[0]), n.C
		out.Name = h.prog.Term.Data[out.Index].Name
	case compile.Fold:
		out.Operands = []Operand{{Tag: compile.Value, Ref: first(n.Val[0])}, {Tag: compile.Variable, Ref: second(n.Val[0])}}
		out.Uses = n.C
	case compile.FreeDual:
		out.Index, out.Arrived = int(out.Ref)-1, n.C>>2
	case compile.Symbol:
		out.Index, out.Value = int(n.C), math.Float64frombits(n.Val[0])
	}
}

func operand(n *compile.Node, i int) Operand {
	o := Operand{Tag: n.Tag[i]}
	switch o.Tag {
	case compile.Number:
		o.Number = math.Float64frombits(n.Val[i])
	case compile.Value, compile.Name, compile.Variable, compile.Late, compile.Inert, compile.Operation:
		o.Ref = first(n.Val[i])
	}
	return o
}

// first and second return the nodes of the two places in a word of a node.
func first(w uint64) compile.Ref  { return compile.Ref(w) >> 2 }
func second(w uint64) compile.Ref { return compile.Ref(w>>32) >> 2 }
