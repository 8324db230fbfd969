// Package listing describes the objects of an arena for people.
package listing

import (
	"fmt"
	"io"
	"math/bits"
	"slices"
	"strconv"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// lister reads the arena of a machine.
type lister struct {
	engine.View
	m *engine.Machine
}

// Write prints the objects that the result of a machine's last run reaches, an object a line
// in the order of allocation: its node, kind, and the nodes that it refers to. The result is
// marked with a star. The error is that of a look at the limits.
func Write(w io.Writer, m *engine.Machine) error {
	objects, _, err := Objects(m, 0)
	if err != nil {
		return err
	}
	var line []byte
	for i, o := range objects {
		if i%engine.LookEvery == engine.LookEvery-1 {
			if err := m.Look(); err != nil {
				return err
			}
		}
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

// Objects returns the objects that the result of a machine's last run reaches, in the
// order of allocation: the first and the last, at most most of them, or all if that is 0.
// left is how many are left out. The error is that of a look at the limits.
func Objects(m *engine.Machine, most int) (objects []graph.Object, left int, err error) {
	l := &lister{m.View(), m}
	at, err := l.reached()
	if err != nil {
		return nil, 0, err
	}
	if most > 0 && len(at) > most {
		left = len(at) - most
		at = slices.Delete(at, (most+1)/2, (most+1)/2+left)
	}
	objects = make([]graph.Object, len(at))
	for i, r := range at {
		if i%engine.LookEvery == 0 {
			if err := m.Look(); err != nil {
				return nil, 0, err
			}
		}
		objects[i] = graph.Object{At: r, Kind: l.Nodes[r].Kind(), Text: l.text(r), Refs: l.refs(r), Root: r == l.Root}
	}
	return objects, left, nil
}

// reached returns where the objects are that the last run's result reaches, in the order
// of allocation.
func (l *lister) reached() ([]graph.Ref, error) {
	seen := make([]uint64, l.Top/64+1)
	var stack []graph.Ref
	see := func(r graph.Ref) {
		if seen[r/64]&(1<<(r%64)) == 0 {
			seen[r/64] |= 1 << (r % 64)
			stack = append(stack, r)
		}
	}
	see(l.Root)
	n := 0
	for ; len(stack) > 0; n++ {
		if n%engine.LookEvery == 0 {
			if err := l.m.Look(); err != nil {
				return nil, err
			}
		}
		r := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		for _, v := range l.refs(r) {
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

// text tells what the object at r is.
func (l *lister) text(r graph.Ref) string {
	n := &l.Nodes[r]
	index := n.Head >> graph.KindShift
	kind := n.Kind().String()
	word := func(i uint64) uint32 { return l.Words[4*uint64(r)+i] }
	switch n.Kind() {
	case graph.Num:
		return fmt.Sprintf("%s %v", kind, n.Number())
	case graph.SymInput:
		return fmt.Sprintf("%s x%d = %v", kind, index+1, n.Number())
	case graph.Inert:
		name := "+"
		if sym := term.Symbol(index); sym != term.NoSymbol {
			name = sym.String()
		}
		return fmt.Sprintf("%s %s = %v of", kind, name, n.Number())
	case graph.Closure, graph.List, graph.DualCell, graph.LinDual, graph.Con:
		return fmt.Sprintf("%s %d", kind, index)
	case graph.Nat:
		return fmt.Sprintf("%s #%d", kind, n.V)
	case graph.DataList:
		return fmt.Sprintf("%s %s", kind, l.Program.Data[n.A].Name)
	case graph.Input:
		return fmt.Sprintf("%s x%d*", kind, index+1)
	case graph.IterNat:
		return fmt.Sprintf("%s, %d left", kind, uint64(word(graph.IterLeft))<<32|uint64(word(graph.IterSource)))
	case graph.IterData, graph.IterList:
		return fmt.Sprintf("%s, %d left", kind, word(graph.IterLeft))
	case graph.Suspended:
		return fmt.Sprintf("%s %s", kind, l.Program.Code[word(3)].Name())
	}
	return kind
}

// refs returns what the object at r refers to.
func (l *lister) refs(r graph.Ref) (refs []graph.Ref) {
	l.m.References(r, func(w uint64) {
		if l.Words[w] != 0 {
			refs = append(refs, l.Words[w])
		}
	})
	return refs
}
