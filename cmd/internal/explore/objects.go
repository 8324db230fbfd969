package explore

import (
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
)

// linkTo is a reference of a node to another.
type linkTo struct {
	to compile.Ref
	as string // as in [Edge]
}

// references returns what a node refers to.
func linksOf(n *graph.Node) []linkTo {
	out := make([]linkTo, 0, len(n.Operands)+len(n.Captures)+2)
	add := func(to compile.Ref, as string) {
		if to != 0 {
			out = append(out, linkTo{to, as})
		}
	}
	for i, o := range n.Operands {
		switch {
		case o.Tag == compile.Name && n.Kind == compile.App && i == 0:
			add(o.Ref, "head")
		case o.Tag == compile.Value || o.Tag == compile.Name || o.Tag == compile.Late:
			add(o.Ref, "holds")
		case o.Tag == compile.Variable:
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
func (s *scenes) version(h *graph.Heap, n *graph.Node, backward bool) Version {
	w := s.x.in(h)
	v := Version{Kind: n.Kind.String(), Role: "primal", Waits: show.Waits(n), Spent: spent(n), Root: n.Ref == h.Root(),
		Label: w.Label(n)}
	if backward || n.Backward() {
		v.Role = "dual"
	}
	v.Text = w.text(n, v.Label)
	switch {
	case n.Arrived != 0:
		v.Value = w.argument(n.Arrived)
	case n.Kind == compile.Result:
		v.Value = w.Operand(n.Operands[0], 1)
	}
	for _, r := range linksOf(n) {
		if id := s.useOf(r.to).id; id != 0 {
			v.Edges = append(v.Edges, Edge{To: id, As: r.as})
		}
	}
	v.Line, v.Column = s.x.src.Position(n.Pos)
	return v
}

// spent reports whether a node is a substitution whose value its last occurrence has taken.
func spent(n *graph.Node) bool { return len(n.Operands) > 0 && n.Operands[0].Tag == compile.Taken }
