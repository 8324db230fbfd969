package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// firePair is (2): s[⟨x,y⟩:=⟨t,u⟩α] → s[x:=t][y:=u]α.
func (m *core[M]) firePair(p Place) {
	r := p >> 1
	n := m.at(r)
	w, x, y := lo(n.val[0]), lo(n.val[1]), hi(n.val[1])
	u := m.at(w)
	t0, v0, t1, v1 := u.tag[0], u.val[0], u.tag[1], u.val[1]
	if u.c == 1 {
		m.release(w, u)
	} else {
		u.c--
		m.copyValue(t0, v0)
		m.copyValue(t1, v1)
	}
	m.release(r, n)
	m.deliver(x<<1, t0, v0)
	m.deliver(y<<1, t1, v1)
}

// firePlusPair is (7): ⟨t1,t2⟩α + ⟨u1,u2⟩β → ⟨t1+u1, t2+u2⟩αβ. The nodes of the sum and of the two pairs
// become the pair and its two sums.
func (m *core[M]) firePlusPair(p Place) {
	r := p >> 1
	n := m.at(r)
	a, t, ttag, tval := m.openPair(lo(n.val[0]))
	b, u, utag, uval := m.openPair(lo(n.val[1]))
	n.kind, n.bits, n.tag = literal.Pair, 2, [2]Tag{}
	*t = node{kind: literal.Add, code: n.code, up: r << 1, tag: [2]Tag{ttag[0], utag[0]}, val: [2]uint64{tval[0], uval[0]}}
	*u = node{kind: literal.Add, code: n.code, up: r<<1 | 1, tag: [2]Tag{ttag[1], utag[1]}, val: [2]uint64{tval[1], uval[1]}}
	m.readyAdd(b, u)
	m.readyAdd(a, t)
}

// openPair returns the components of a pair, and a node to be used again: the pair's, if nothing else
// refers to it. A pair with a sum that no job has run has one owner.
func (m *core[M]) openPair(r Ref) (Ref, *node, [2]Tag, [2]uint64) {
	n := m.at(r)
	tag, val := n.tag, n.val
	if n.bits&isLate == 0 && n.c > 1 {
		n.c--
		m.copyValue(tag[0], val[0])
		m.copyValue(tag[1], val[1])
		r, n = m.alloc()
	}
	return r, n, tag, val
}

// readyAdd is called when a sum has its operands. Numbers add by (6), pairs by (7), and 0⃗ is a unit; a sum
// with the application of a dual in it waits for its job.
func (m *core[M]) readyAdd(r Ref, n *node) {
	a, b := n.tag[0], n.tag[1]
	switch {
	case a == Number && b == Number:
		m.pushRule(rule.Plus, r<<1)
	case a == Zero || b == Zero:
		i := 0
		if a == Zero {
			i = 1
		}
		m.forward(r, n, i)
	case m.isPair(a, n.val[0]) && m.isPair(b, n.val[1]):
		m.pushRule(rule.PlusPair, r<<1)
	default:
		m.pushUnit(Wake, r<<1)
	}
}

// forward puts operand i of a node in the node's place.
func (m *core[M]) forward(r Ref, n *node, i int) {
	up, t, v := n.up, n.tag[i], n.val[i]
	m.release(r, n)
	if t == Late {
		m.deliverLate(up, lo(v))
		return
	}
	m.deliver(up, t, v)
}

func (m *core[M]) isPair(t Tag, v uint64) bool {
	return t == Value || t == Late && m.at(lo(v)).kind == literal.Pair
}
