package engine

import (
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// WriteGraph prints the objects that the last run's result reaches in the arena,
// an object a line in the order of allocation: its node, kind, and the nodes that
// it refers to. The result is marked with a star.
func (m *Machine) WriteGraph(w io.Writer) error {
	at, err := m.reached()
	if err != nil {
		return err
	}
	var line []byte
	for _, r := range at {
		o := m.described(r)
		mark := " "
		if o.Root {
			mark = "*"
		}
		line = fmt.Appendf(line[:0], "%s%d %s", mark, o.At, o.Text)
		for _, v := range o.Refs {
			line = strconv.AppendUint(append(line, ' '), uint64(v), 10)
		}
		if _, err := w.Write(append(line, '\n')); err != nil {
			return err
		}
	}
	return nil
}

// Objects returns the objects that the last run's result reaches in the arena, in the
// order of allocation: the first and the last, at most most of them, or all if that is 0.
// left is how many are left out. The error is that of a look at the limits.
func (m *Machine) Objects(most int) (objects []graph.Object, left int, err error) {
	at, err := m.reached()
	if err != nil {
		return nil, 0, err
	}
	if most > 0 && len(at) > most {
		left = len(at) - most
		at = slices.Delete(at, (most+1)/2, (most+1)/2+left)
	}
	objects = make([]graph.Object, len(at))
	for i, r := range at {
		if i%LookEvery == 0 {
			if err := m.look(); err != nil {
				return nil, 0, err
			}
		}
		objects[i] = m.described(r)
	}
	return objects, left, nil
}

// described returns the object at r as people see it.
func (m *Machine) described(r graph.Ref) graph.Object {
	text, refs := m.object(r)
	return graph.Object{At: r, Kind: m.nodes[r].Kind(), Text: text, Refs: slices.Clone(refs), Root: r == m.root}
}

// reached returns where the objects are that the last run's result reaches, in the order
// of allocation.
func (m *Machine) reached() ([]graph.Ref, error) {
	seen := make([]uint64, m.top/64+1)
	var stack []graph.Ref
	see := func(r graph.Ref) {
		if seen[r/64]&(1<<(r%64)) == 0 {
			seen[r/64] |= 1 << (r % 64)
			stack = append(stack, r)
		}
	}
	see(m.root)
	n := 0
	for ; len(stack) > 0; n++ {
		if n%LookEvery == 0 {
			if err := m.look(); err != nil {
				return nil, err
			}
		}
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		_, refs := m.object(r)
		for _, v := range refs {
			see(v)
		}
	}
	out := make([]graph.Ref, 0, n)
	for i, word := range seen {
		for ; word != 0; word &= word - 1 {
			out = append(out, graph.Ref(i*64+bits.TrailingZeros64(word)))
		}
	}
	return out, nil
}

// object describes the object at r, and returns what it refers to.
func (m *Machine) object(r graph.Ref) (text string, refs []graph.Ref) {
	n := &m.nodes[r]
	index := n.Head >> graph.KindShift
	kind := n.Kind().String()
	block := func(header int, count uint32) []graph.Ref {
		w := 4*uint64(r) + uint64(header)
		return m.words[w : w+uint64(count)]
	}
	switch n.Kind() {
	case graph.Num:
		return fmt.Sprintf("%s %v", kind, n.Number()), nil
	case graph.SymInput:
		return fmt.Sprintf("%s x%d = %v", kind, index+1, n.Number()), nil
	case graph.Inert:
		name, arity := "+", 2
		if sym := term.Symbol(index); sym != term.NoSymbol {
			name, arity = sym.String(), sym.Info().Arity
		}
		return fmt.Sprintf("%s %s = %v of", kind, name, n.Number()), block(graph.WaitWords, uint32(arity))
	case graph.Neutral:
		_, operands := graph.NeutralOp(m.nodes, m.words, r)
		return kind, operands
	case graph.Pair:
		return kind, block(graph.ValueWords, 2)
	case graph.Vec:
		return kind, block(graph.ValueWords, index)
	case graph.Closure, graph.List:
		return fmt.Sprintf("%s %d", kind, index), block(graph.ValueWords, m.prog.Templates[index].Caps)
	case graph.Partial:
		return kind, append([]graph.Ref{n.A}, block(graph.ValueWords, index)...)
	case graph.Nat:
		return fmt.Sprintf("%s #%d", kind, n.V), nil
	case graph.DataList:
		return fmt.Sprintf("%s %s", kind, m.prog.Data[n.A].Name), nil
	case graph.DualCell:
		body := &m.prog.Bodies[m.prog.Duals[index].Body]
		return fmt.Sprintf("%s %d", kind, index), block(graph.DualWords, body.Heads+body.Nums)
	case graph.LinDual:
		return fmt.Sprintf("%s %d", kind, index), block(graph.ValueWords, m.prog.Templates[index].Caps)
	case graph.Input:
		return fmt.Sprintf("%s x%d*", kind, index+1), nil
	}
	return m.inProgress(r)
}

// inProgress describes a node that waits or forwards, or a sum that no job has run.
func (m *Machine) inProgress(r graph.Ref) (text string, refs []graph.Ref) {
	n := &m.nodes[r]
	kind := n.Kind().String()
	word := func(i uint64) graph.Ref { return m.words[4*uint64(r)+i] }
	switch n.Kind() {
	case graph.Forward:
		return kind, []graph.Ref{graph.Ref(n.V)}
	case graph.Arrival, graph.Bag:
		return kind, []graph.Ref{graph.Ref(n.V), graph.Ref(n.V >> 32)}
	case graph.Job:
		for _, i := range []uint64{jobOperand, jobCells, jobSum} {
			if v := word(i); v != 0 {
				refs = append(refs, v)
			}
		}
		return kind, refs
	case graph.IterNat:
		left := uint64(word(iterLeft))<<32 | uint64(word(iterSource))
		return fmt.Sprintf("%s, %d left", kind, left), []graph.Ref{word(iterFunction), word(iterAcc)}
	case graph.IterData, graph.IterList:
		return fmt.Sprintf("%s, %d left", kind, word(iterLeft)), []graph.Ref{word(iterFunction), word(iterAcc), word(iterSource)}
	case graph.Suspended:
		in := m.instruction(r)
		kind = fmt.Sprintf("%s %s", kind, in.Name())
	}
	lists := 4*uint64(r) + 2 // of who waits
	m.references(r, func(w uint64) {
		if w > lists && m.words[w] != 0 {
			refs = append(refs, m.words[w])
		}
	})
	return kind, refs
}
