package engine

import (
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// neutral makes a neutral object. The error is a [*limits.ReachedError].
func (m *Machine) neutral(op uint32, typ term.Type, number uint32, operands ...graph.Ref) (graph.Ref, error) {
	units := graph.Units(graph.WaitWords, len(operands))
	if err := m.ensure(units + spareUnits); err != nil {
		return 0, err
	}
	r := m.top
	m.top += units
	m.nodes[r] = graph.Node{Head: uint32(graph.Neutral) | op<<graph.KindShift}
	w := 4 * uint64(r)
	m.words[w+graph.NeutralType], m.words[w+graph.NeutralNumber], m.words[w+graph.NeutralOperands] = uint32(typ), number, uint32(len(operands))
	copy(m.words[w+graph.WaitWords:], operands)
	if op == graph.NeutralApp || op == graph.NeutralIf || op == graph.NeutralCase {
		m.open.made = append(m.open.made, r)
	}
	return r, nil
}

// reflect returns the value of the type that the neutral object atom stands for: a
// pair or a vector of its components (rule (10)), atom itself at every other type. So
// no rule ever opens a neutral object.
func (m *Machine) reflect(atom graph.Ref, typ term.Type) (graph.Ref, error) {
	type hole struct {
		word uint64 // that refers to it; 0: the result
		atom graph.Ref
		typ  term.Type
	}
	var result graph.Ref
	for stack := []hole{{0, atom, typ}}; len(stack) > 0; {
		h := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		v := h.atom
		if comps := m.prog.Types.Components(h.typ); len(comps) > 0 {
			var word uint64
			var err error
			if v, word, err = m.emptyTuple(h.typ, len(comps)); err != nil {
				return 0, err
			}
			m.open.reflected[v] = h.atom
			parts := make([]graph.Ref, len(comps))
			for i, t := range comps {
				if parts[i], err = m.neutral(graph.NeutralComponent, t, uint32(i), h.atom); err != nil {
					return 0, err
				}
				stack = append(stack, hole{word + uint64(i), parts[i], t})
			}
			m.open.parts[h.atom] = parts
		}
		if h.word == 0 {
			result = v
		} else {
			m.words[h.word] = v
		}
	}
	return result, nil
}

// emptyTuple makes a pair or a vector of n components, which begin at the word that
// it returns and are to be filled in.
func (m *Machine) emptyTuple(typ term.Type, n int) (v graph.Ref, word uint64, err error) {
	units := uint32(1)
	kind := uint32(graph.Pair)
	if m.prog.Types.Kind(typ) == term.VecKind {
		units = graph.Units(graph.ValueWords, n)
		kind = uint32(graph.Vec) | uint32(n)<<graph.KindShift
	}
	if err := m.ensure(units + spareUnits); err != nil {
		return 0, 0, err
	}
	v = m.top
	m.top += units
	m.nodes[v] = graph.Node{Head: kind, A: named}
	return v, 4*uint64(v) + graph.ValueWords, nil
}

// applyNeutral settles an application of a neutral function, or of an iteration that
// stays folded, of the type.
func (m *Machine) applyNeutral(r, f graph.Ref, typ term.Type, args []graph.Ref) error {
	for range args {
		typ = m.prog.Types.Right(typ)
	}
	return m.settleNeutral(r, graph.NeutralApp, typ, 0, append([]graph.Ref{f}, args...))
}

// folded reports whether f is a recursive function that is not unfolded: under a λ (15) does not fire.
func (m *Machine) folded(f graph.Ref) bool { return m.open.under && m.group(f) > 0 }

func (m *Machine) settleNeutral(r graph.Ref, op uint32, typ term.Type, number uint32, operands []graph.Ref) error {
	atom, err := m.neutral(op, typ, number, operands...)
	if err != nil {
		return err
	}
	v, err := m.reflect(atom, typ)
	if err != nil {
		return err
	}
	m.settle(r, v)
	return nil
}

// valueless reports whether the number r depends on a variable of a λ that
// normalisation has gone under: it has no value at the point.
func (m *Machine) valueless(r graph.Ref) bool {
	switch n := &m.nodes[r]; n.Kind() {
	case graph.Neutral:
		return true
	case graph.Inert:
		return n.Head&valuelessBit != 0
	}
	return false
}

// valuelessBit marks an inert operation without a value.
const valuelessBit = 1 << 31

// applyFolded settles the application of a recursive function under a λ.
func (m *Machine) applyFolded(r, f graph.Ref, args []graph.Ref) error {
	t := &m.prog.Templates[m.nodes[f].Head>>graph.KindShift]
	if m.args = args; len(args) < int(t.Params) {
		if err := m.ensure(graph.Units(graph.ValueWords, len(args)) + spareUnits); err != nil {
			return err
		}
		m.makePartial(r, f, args)
		return nil
	}
	typ := t.Type
	for range args[t.Params:] {
		typ = m.prog.Types.Right(typ)
	}
	return m.settleNeutral(r, graph.NeutralApp, typ, 0, append([]graph.Ref{f}, args...))
}
