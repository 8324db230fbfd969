package scene

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/machine/heap"
)

// linkTo is a reference of a node to another.
type linkTo struct {
	to literal.Ref
	as string // as in [Edge]
}

// references returns what a node refers to.
func references(n *heap.Node) []linkTo {
	out := make([]linkTo, 0, len(n.Operands)+len(n.Captures)+2)
	add := func(to literal.Ref, as string) {
		if to != 0 {
			out = append(out, linkTo{to, as})
		}
	}
	for i, o := range n.Operands {
		switch {
		case o.Tag == literal.Name && n.Kind == literal.App && i == 0:
			add(o.Ref, "head")
		case o.Tag == literal.Value || o.Tag == literal.Name || o.Tag == literal.Late:
			add(o.Ref, "holds")
		case o.Tag == literal.Variable:
			add(o.Ref, "occurs")
		}
	}
	for _, r := range n.Captures {
		add(r, "captures")
	}
	add(n.More, "captures")
	add(n.Up>>2, "waits")
	add(n.Binds[0], "binds")
	add(n.Binds[1], "binds")
	add(n.Arrived, "arrived")
	return out
}

// version describes a node in the current state; backward says that it was made in a backward phase.
func (s *scenes) version(h *heap.Heap, n *heap.Node, backward bool) Version {
	w := words{s.x, h}
	v := Version{Kind: n.Kind.String(), Role: "primal", Waits: waits(n), Spent: spent(n), Root: n.Ref == h.Root(),
		Label: w.label(n)}
	if backward || n.Backward() {
		v.Role = "dual"
	}
	v.Text = w.text(n, v.Label)
	switch {
	case n.Arrived != 0:
		v.Value = w.argument(n.Arrived)
	case n.Kind == literal.Result:
		v.Value = w.operand(n.Operands[0], 1)
	}
	for _, r := range references(n) {
		if id := s.useOf(r.to).id; id != 0 {
			v.Edges = append(v.Edges, Edge{To: id, As: r.as})
		}
	}
	v.Line, v.Column = s.x.src.Position(n.Pos)
	return v
}

// waits reports whether a node waits for something.
func waits(n *heap.Node) bool {
	for _, o := range awaited(n) {
		if o.Tag == literal.Empty || o.Tag == literal.Variable {
			return true
		}
	}
	return n.Up != 0 && len(n.Operands) == 0 // a λ that waits for what it captures
}

// awaited returns the operands that a node waits for.
func awaited(n *heap.Node) []heap.Operand {
	switch n.Kind {
	case literal.Iter:
		return n.Operands[:1]
	case literal.Fold:
		return nil
	}
	return n.Operands
}

// spent reports whether a node is a substitution whose value its last occurrence has taken.
func spent(n *heap.Node) bool { return len(n.Operands) > 0 && n.Operands[0].Tag == literal.Taken }
