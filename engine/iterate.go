package engine

import (
	"github.com/gram-machine/gram/engine/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/rule"
)

// awaitElements in the head of an IterList says that its vector is being made.
const awaitElements = 1 << graph.KindShift

// startIteration applies a list, data or a numeral to f and x, as
// λf.λx.f a1 (… (f an x)): x counts a (3) now, f one for each element. once says that the result is applied once, if it is a function.
func (m *Machine) startIteration(r, source, f, x graph.Ref, once bool) error {
	m.tally(x, graph.Weight{Occurrences: 1})
	n := m.nodes[source]
	w := 4 * uint64(r)
	m.words[w+graph.IterFunction], m.words[w+graph.IterAcc] = f, x
	switch n.Kind() {
	case graph.Nat:
		m.nodes[r].Head = uint32(graph.IterNat)
		m.words[w+graph.IterSource], m.words[w+graph.IterLeft] = uint32(n.V), uint32(n.V>>32)
	case graph.DataList:
		m.nodes[r].Head = uint32(graph.IterData)
		m.words[w+graph.IterSource], m.words[w+graph.IterLeft] = source, uint32(m.prog.Data[n.A].Rows)
	case graph.List:
		// The elements stand under the λs: they run now.
		id := n.Head >> graph.KindShift
		t := &m.prog.Templates[id]
		if t.Elements > 0 {
			return m.iterateElements(r, source, f, x)
		}
		elems := m.placeholder()
		m.nodes[r].Head = uint32(graph.IterList) | awaitElements
		m.words[w+graph.IterSource], m.words[w+graph.IterLeft] = elems, 0
		m.await(r, elems)
		m.loadCaptures(t, source)
		return m.instantiate(id, t, elems)
	}
	switch b, chain := m.loopBlock(r); {
	case b == nil:
	case chain:
		// The duals of the elements belong to the chain, and not to a run: two runs would count them twice.
		once = once || len(b.Params) == 1 || b.Params[0].Duals == 0
		if most := m.opt.Limits.MaxSteps; once && (most == 0 || m.steps+5*m.left(r) < most) {
			if err := m.ensure(1); err != nil {
				return err
			}
			m.makeChain(r, b, source, f, x, m.left(r))
			return nil
		}
	default:
		return m.iterateBlock(r, b, f, source, x, m.left(r), false)
	}
	return m.iterate(r)
}

// left returns how many elements are left of the iteration at r.
func (m *Machine) left(r graph.Ref) uint64 {
	w := 4 * uint64(r)
	left := uint64(m.words[w+graph.IterLeft])
	if m.nodes[r].Kind() == graph.IterNat {
		left = left<<32 | uint64(m.words[w+graph.IterSource])
	}
	return left
}

// iterate goes on with the iteration at r: the application of f to the last
// element that is left and to what has come of those behind it.
func (m *Machine) iterate(r graph.Ref) error {
	w := 4 * uint64(r)
	head := m.nodes[r].Head
	if head&awaitElements != 0 {
		v := m.Resolve(m.words[w+graph.IterSource])
		left := &m.words[w+graph.IterLeft]
		for n := m.nodes[v].Head >> graph.KindShift; *left < n; *left++ {
			elem := &m.words[4*uint64(v)+graph.ValueWords+uint64(*left)]
			if *elem = m.Resolve(*elem); !m.isValue(*elem) {
				m.await(r, *elem)
				return nil
			}
		}
		m.nodes[r].Head, m.words[w+graph.IterSource] = head&^awaitElements, v
	}
	acc := m.Resolve(m.words[w+graph.IterAcc])
	left := m.left(r)
	nat := graph.Kind(head&graph.KindMask) == graph.IterNat
	if left == 0 {
		m.settle(r, acc)
		return nil
	}
	if m.isLate(acc) { // it is to be an argument: its sum is a job of its own
		site := uint32(m.nodes[r].V >> 32)
		return m.awaitJob(r, w+graph.IterAcc, acc, site, m.prog.Code[site].Flags&graph.One)
	}
	if b := m.fusedBlock(m.words[w+graph.IterFunction], block.IterArgs(nat)); b != nil && graph.Kind(head&graph.KindMask) != graph.IterList {
		return m.iterateBlock(r, b, m.words[w+graph.IterFunction], m.words[w+graph.IterSource], acc, left, false)
	}
	left--
	m.addSteps(rule.Subst, 1)
	app := uint32(1)
	var elem graph.Ref
	if !nat {
		app = 2
		var err error
		if elem, err = m.element(graph.Kind(head&graph.KindMask), m.words[w+graph.IterSource], uint32(left)); err != nil {
			return err
		}
		m.words[w+graph.IterLeft] = uint32(left)
	} else {
		m.words[w+graph.IterSource], m.words[w+graph.IterLeft] = uint32(left), uint32(left>>32)
	}
	if err := m.ensure(2); err != nil {
		return err
	}
	inner := m.placeholder()
	m.nodes[inner] = graph.Node{Head: uint32(graph.Apply) | app<<graph.KindShift, V: m.nodes[r].V >> 32 << 32}
	k := 4*uint64(inner) + graph.WaitWords
	m.words[k] = m.words[w+graph.IterFunction]
	if nat {
		m.words[k+1] = acc
	} else {
		m.words[k+1], m.words[k+2] = elem, acc
	}
	m.words[w+graph.IterAcc] = inner
	m.await(r, inner)
	m.push(inner)
	return nil
}

// element returns element i of a vector of elements, or makes that of a data list.
func (m *Machine) element(kind graph.Kind, source graph.Ref, i uint32) (v graph.Ref, err error) {
	if kind == graph.IterList {
		return m.words[4*uint64(source)+graph.ValueWords+uint64(i)], nil
	}
	shape := m.prog.Global(uint32(m.nodes[source].V)).Elem
	if err := m.ensure(block.ElementNodes(shape)); err != nil {
		return 0, err
	}
	v, m.top, err = m.block.Element(source, shape, int(i), m.top)
	return v, err
}
