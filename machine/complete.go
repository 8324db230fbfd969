package machine

import (
	"slices"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/graph"
)

// Reading is a number that has been read from the result of a gradient, a summand x* g of the row of an output.
// Its application is no longer in the arena.
type Reading struct {
	Row, Input int
	Number     float64
}

// Readings returns what has been read so far, if events are told, and the row that is read, or will be read next.
func (m *Machine) Readings() (read []Reading, row int) { return m.readings, m.row }

// Completed is [Machine.Heap], but for a body that is next to be copied, or whose copy has begun: the nodes and
// operands that are missing are there. Where a node is not yet allocated it has a number behind all others. Events
// are to be told.
func (m *Machine) Completed() *graph.Heap {
	nodes := slices.Clone(m.arena.Nodes())
	switch {
	case m.copy.body != nil:
		nodes = m.complete(nodes, m.copy.body, 0)
	case m.begins != nil:
		nodes = m.complete(nodes, m.begins, m.copied)
	}
	return graph.New(m.prog, nodes, m.result>>2)
}

// complete finishes the copy of the body t in nodes. So many units of it have been made: first the captures are
// loaded, then the nodes made, then the variables of others bound, then the operands given.
func (m *Machine) complete(nodes []node, t *compile.Template, done int) []node {
	c, f := &m.copy, slices.Clone(m.frame)
	loaded := len(t.Uses)
	if made := f[t.First:t.Locals]; done <= loaded { // they are not allocated
		f[compile.UpIndex], f[compile.ParamIndex] = c.up, c.param
		f[compile.NumberIndex], f[compile.NumberIndex+1] = lo(c.number), hi(c.number)
		captured := f[t.Locals:t.Locals]
		for h := c.holder; len(captured) < loaded; { // what has been freed here has its captures still
			captures, k := nodes[h>>2].Captures()
			k = min(k, int(h&3)+loaded-len(captured))
			captured = append(captured, captures[h&3:k]...)
			h = nodes[h>>2].More()
		}
		for i := range made {
			made[i] = Place(len(nodes)) << 2
			nodes = append(nodes, node{})
		}
	}
	done -= loaded
	for i := max(0, done); i < len(t.Images); i++ {
		nodes[f[t.First+uint32(i)]>>2] = t.Images[i].Node(f)
	}
	done -= len(t.Images) + len(t.Outer)
	for i := max(0, done); i < len(t.Actions); i++ {
		a := &t.Actions[i]
		p := f[a.Up] | uint32(a.Slot)
		tag, val := m.operand(a, f)
		switch n := &nodes[p>>2]; {
		case tag == compile.Empty: // a λ waits
		case n.Kind == compile.Job:
			head := compile.Head{Kind: compile.Summand, Code: a.Code, Tag: [2]Tag{tag}}
			nodes = append(nodes, node{Head: head, Up: p, Val: [2]uint64{val}})
		default:
			n.Tag[p&1], n.Val[p&1] = tag, val
		}
	}
	return nodes
}

// operand returns what an action gives.
func (m *Machine) operand(a *compile.Action, frame []uint32) (Tag, uint64) {
	switch a.Op {
	case compile.MakeVariable:
		return compile.Variable, uint64(frame[a.X])
	case compile.MakeNumber:
		return compile.Number, a.Val
	case compile.MakeParam:
		return compile.Number, m.copy.number
	case compile.MakeInput:
		return compile.Number, numeral(m.point[a.X])
	case compile.MakeDatum:
		return compile.Number, numeral(m.copy.row[a.X])
	case compile.MakeArgument:
		return m.copy.tag, m.copy.number
	case compile.MakeZero:
		return compile.Zero, 0
	case compile.MakeValue:
		return compile.Value, uint64(frame[a.X])
	}
	return compile.Empty, 0
}
