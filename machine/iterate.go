package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// Lists and numerals are λf.λx.f t1 (… (f tn x)): two λs, and a body of which one application at a time is made,
// the innermost first.

// length is how many elements a list or a numeral has.
func (m *core[M]) length(l *node) uint64 {
	switch l.kind {
	case literal.Nat:
		return l.val[0]
	case literal.Data:
		return uint64(m.prog.Term.Data[l.val[0]].Rows)
	}
	return uint64(len(m.prog.Code[l.code].Closure.Bodies))
}

// applyList is (1) of a list or numeral: (λf.t) u → t[f:=u]. The body is a Fold.
func (m *core[M]) applyList(r Ref, n *node, list Ref, l *node) {
	up, f := n.up, Ref(0)
	*n = node{kind: literal.Sub, code: n.code, tag: [2]Tag{n.tag[1]}, val: [2]uint64{n.val[1], 0}}
	if m.length(l) > 0 {
		n.val[1], f = 1, r
	} else {
		m.pushRule(rule.GC, r<<1)
	}
	fold, x := m.alloc()
	*x = node{kind: literal.Fold, code: l.code, c: 1, val: [2]uint64{both(list, f)}}
	m.deliver(up, Value, uint64(fold))
}

// applyFold is (1) of what the first has made: (λx.f t1 (… (f tn x))) u → (f t1 (… (f tn x)))[x:=u].
func (m *core[M]) applyFold(r Ref, n *node, fold Ref, l *node) {
	up, code := n.up, l.code
	list, f := lo(l.val[0]), hi(l.val[0])
	*n = node{kind: literal.Sub, code: n.code, tag: [2]Tag{n.tag[1]}, val: [2]uint64{n.val[1], 1}}
	elements := m.length(m.at(list))
	uses := int32(elements) // of f; beyond 2³¹ the count is that of the remainder
	if l.c == 1 {
		uses--
		m.release(fold, l)
	} else {
		l.c--
		m.at(list).c++
	}
	if f == 0 {
		m.dropValue(Value, uint64(list))
		m.occur(up, r)
		return
	}
	if uses != 0 {
		m.addUses(f, uses)
	}
	i, it := m.alloc()
	s, state := m.alloc()
	*it = node{kind: literal.Iter, code: code, up: up, bits: 1, c: s}
	*state = node{kind: literal.Captures, code: code, val: [2]uint64{both(list, f), elements}}
	m.occur(i<<1, r)
}

// iterate is the unit that makes the next application of f, to what the one before it has come to.
func (m *core[M]) iterate(p Place) {
	r := p >> 1
	n := m.at(r)
	s := m.at(n.c)
	list, f := lo(s.val[0]), hi(s.val[0])
	s.val[1]--
	left, up, t, v := s.val[1], r<<1, n.tag[0], n.val[0]
	kind := m.at(list).kind
	a, app := m.alloc()
	*app = node{kind: literal.App, code: n.code, bits: 1, tag: [2]Tag{Empty, t}, val: [2]uint64{0, v}}
	if left == 0 { // a tail call
		up = n.up
		m.release(n.c, s)
		m.release(r, n)
	} else {
		n.bits, n.tag[0] = 1, Empty
	}
	app.up = up
	if kind == literal.Nat {
		m.occur(a<<1, f)
	} else {
		m.element(a, app.code, list, left, f)
	}
	if left == 0 {
		m.dropValue(Value, uint64(list))
	}
}

// element makes f ti, the function of the application a.
func (m *core[M]) element(a Ref, code uint32, list Ref, i uint64, f Ref) {
	b, app := m.alloc()
	*app = node{kind: literal.App, code: code, up: a << 1, bits: 2}
	m.occur(b<<1, f)
	l := m.at(list)
	if l.kind == literal.List {
		m.more = true
		m.copy = copying{body: &m.prog.Templates[m.prog.Code[l.code].Closure.Bodies[i]], up: b<<1 | 1, holder: list}
		return
	}
	m.more = true
	m.row = row{at: b<<1 | 1, code: code, data: l.val[0], next: i * uint64(m.prog.Term.Data[l.val[0]].Width)}
	m.row.end = m.row.next + uint64(m.prog.Term.Data[l.val[0]].Width)
}

// row is an element of data that is to be made: its numbers.
type row struct {
	at        Place
	code      uint32
	data      uint64
	next, end uint64
}

// makeRow makes an element of data, a pair for each number but the last: r, or in D(t) ⟨r, λa.0⃗⟩. Each node is a unit.
func (m *core[M]) makeRow() {
	w := &m.row
	m.pos = w.code
	reversed := m.prog.Code[w.code].X != 0
	width := int(w.end - w.next)
	units := 2*width - 1
	if reversed {
		units += 4 * width
	}
	m.units(Instantiate, units)
	for values := m.prog.Term.Data[w.data].Values; w.next < w.end; w.next++ {
		p := w.at
		if w.next < w.end-1 {
			r, n := m.alloc()
			*n = node{kind: literal.Pair, code: w.code, up: w.at, bits: 2}
			p, w.at = r<<1, r<<1|1
			m.unit(Instantiate, p)
		}
		if reversed {
			p = m.makeDatum(p, w.code)
		}
		m.deliver(p, Number, numeral(values[w.next]))
		m.unit(Instantiate, p)
		if m.err != nil {
			return
		}
	}
}

// makeDatum makes ⟨r, d⟩[d:=λa.0⃗] at p, and returns the place of r.
func (m *core[M]) makeDatum(p Place, code uint32) Place {
	pair, n := m.alloc()
	*n = node{kind: literal.Pair, code: code, up: p, bits: 2}
	m.unit(Instantiate, pair<<1)
	cell, d := m.alloc()
	*d = node{kind: literal.Cell, code: code, bits: 1, val: [2]uint64{0, 1}}
	m.unit(Instantiate, cell<<1)
	r, lam := m.alloc()
	*lam = node{kind: literal.Lam, code: m.prog.Code[code].X, c: 1}
	m.deliver(cell<<1, Value, uint64(r))
	m.unit(Instantiate, r<<1)
	m.occur(pair<<1|1, cell)
	m.unit(Instantiate, pair<<1)
	return pair << 1
}
