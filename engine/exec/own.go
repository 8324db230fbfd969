package exec

import (
	"math"
	"slices"
	"unsafe"

	"github.com/gram-machine/gram/engine/ir"
)

// This file has vectors of which some numbers change ([ir.Own]). They are dense, so that statements over their elements
// stay what they are. Their addresses stay, too: behind a change, what arrives at the address of an element is of the
// new number. In the backward phase a record of the change hands it on, and puts the old number back. So
// a number that has been read there has an address of its own.

// own makes a vector one that may be changed: of a taped program it is copied, if it is none, since numbers that have
// been read there have its addresses. Where iterations may be made again, each has a copy of its own.
func (m *Machine) own(in *instr, fp unsafe.Pointer, pc int32) error {
	r := at(fp, in.a).A
	if made := object(r) > uint64(len(m.p.src.Data)); r&isDense != 0 &&
		(m.dense[object(r)].owned && !m.short || made && !m.p.src.Taped) {
		*at(fp, in.d) = Slot{A: r}
		return nil
	}
	id, err := m.newDense(int(in.n), pc)
	if err != nil {
		return err
	}
	m.changes = append(m.changes[:0], make([]Slot, in.n)...)
	if err := m.slots(m.changes, at(fp, in.a).A, pc); err != nil {
		return err
	}
	v := &m.dense[id]
	v.base, v.live, v.owned = 0, nil, true
	*at(fp, in.d) = Slot{A: isDense | ref(uint64(id), 0)}
	return m.change(at(fp, in.d).A, 0, m.changes, pc)
}

// store makes a store to a dense vector.
func (m *Machine) store(in *instr, fp unsafe.Pointer, pc int32) error {
	n := uint64(in.n)
	if in.op == ir.StoreX || in.op == ir.CopyX {
		n += uint64(at(fp, in.b).V) * uint64(in.m)
	}
	if in.op == ir.Store || in.op == ir.StoreX {
		m.changes = append(m.changes[:0], *at(fp, in.a))
	} else {
		m.changes = append(m.changes[:0], make([]Slot, in.k)...)
		if err := m.slots(m.changes, at(fp, in.a).A, pc); err != nil {
			return err
		}
	}
	return m.change(at(fp, in.d).A, n, m.changes, pc)
}

// The words of a change: the vector, the first of its elements and how many there are, and its base before and behind
// it, from the second bit on; the first bit says that some elements are numerals. Each element has its number and
// whether it has an address before the change, and behind it its number and the address of that.
const (
	changedVector = iota
	changedFirst
	changedCount
	changedOld
	changedNew
	changedElements

	changedWords = 4 // of an element
)

// change sets elements of a dense vector, from the one with number n behind what a reference refers to on.
func (m *Machine) change(r, n uint64, to []Slot, pc int32) error {
	v, first := &m.dense[object(r)], off(r)+n
	if !m.p.src.Taped {
		for i, s := range to {
			v.data[first+uint64(i)] = s.V
		}
		return nil
	}
	some := slices.ContainsFunc(to, func(s Slot) bool { return s.A != 0 })
	t := &m.tape
	words := len(t.words)
	base, addresses := v.base, 0
	if some && base == 0 {
		base, addresses = uint32(t.n), len(v.data)
	}
	numerals := v.live != nil || v.base == 0 || slices.ContainsFunc(to, func(s Slot) bool { return s.A == 0 })
	t.words = append(t.words, object(r), first, uint64(len(to)), v.form(), uint64(base)<<1|uint64(bits8(numerals)))
	for i, s := range to {
		old := v.element(first + uint64(i))
		t.words = append(t.words, math.Float64bits(old.V), uint64(bits8(old.A != 0)), math.Float64bits(s.V), s.A)
	}
	if _, err := m.pushRecord(changed{}, addresses, pc); err != nil {
		return err
	}
	t.records[len(t.records)-1].words = words
	m.dense[object(r)].apply(t.words[words:])
	return nil
}

// form is the base of a vector, from the second bit on, and whether some elements are numerals.
func (v *dense) form() uint64 { return uint64(v.base)<<1 | uint64(bits8(v.live != nil)) }

// apply makes a change.
func (v *dense) apply(words []uint64) {
	form := words[changedNew]
	if form&1 != 0 && v.live == nil {
		v.live = slices.Repeat([]bool{v.base != 0}, len(v.data))
	}
	v.base = uint32(form >> 1)
	for i := range words[changedCount] {
		x := words[changedElements+changedWords*i:]
		v.data[words[changedFirst]+i] = math.Float64frombits(x[2])
		if v.live != nil {
			v.live[words[changedFirst]+i] = x[3] != 0
		}
	}
}

// changed is the extension of a change.
type changed struct{}

func (changed) backward(m *Machine, r *record) (arrivals, cells uint64, err error) {
	m.flush() // what waits may read the vector
	words := m.tape.words[r.words:]
	v := &m.dense[words[changedVector]]
	for i := range words[changedCount] {
		x, k := words[changedElements+changedWords*i:], words[changedFirst]+i
		if a := int(v.base) + int(k); v.base != 0 && m.reached[a] {
			if x[3] != 0 {
				m.arrive(x[3], m.adjoint[a])
			}
			m.adjoint[a], m.reached[a] = 0, false
		}
		v.data[k] = math.Float64frombits(x[0])
		if v.live != nil {
			v.live[k] = x[1] != 0
		}
	}
	clear(m.adjoint[r.base:][:r.n]) // what has arrived at numerals
	clear(m.reached[r.base:][:r.n])
	v.base = uint32(words[changedOld] >> 1)
	if words[changedOld]&1 == 0 {
		v.live = nil
	}
	return 0, 0, nil
}

// hold gives a number that a reference has led to an address of its own, if the vector may change. There is room.
func (m *Machine) hold(s *Slot, r uint64) {
	if s.A == 0 || r&isDense == 0 || !m.dense[object(r)].owned {
		return
	}
	t := &m.tape
	t.kinds[t.n], t.adr[t.args], s.A = heldKind, uint32(s.A), uint64(t.n)
	t.n, t.args = t.n+1, t.args+1
}

// changeAgain makes all changes that a backward phase has taken back.
func (m *Machine) changeAgain() {
	for i := range m.tape.records {
		if r := &m.tape.records[i]; r.by == (changed{}) {
			words := m.tape.words[r.words:]
			m.dense[words[changedVector]].apply(words)
		}
	}
}
