package machine

import (
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
)

// firePair is (2): s[⟨x,y⟩:=⟨t,u⟩α] → s[x:=t][y:=u]α.
func (m run[M]) firePair(p Place) redex {
	n := m.at(p)
	w, x, y := lo(n.Val[0]), lo(n.Val[1]), hi(n.Val[1])
	u := m.at(w)
	t0, v0, t1, v1 := u.Tag[0], u.Val[0], u.Tag[1], u.Val[1]
	if u.C == 1 {
		m.arena.Release(w, u)
	} else {
		u.C--
		m.copyValue(t0, v0)
		m.copyValue(t1, v1)
	}
	m.arena.Release(p, n)
	m.push(m.deliver(x, t0, v0))
	return m.deliver(y, t1, v1)
}

// firePlusPair is (7): ⟨t1,t2⟩α + ⟨u1,u2⟩β → ⟨t1+u1, t2+u2⟩αβ. The nodes of the sum and of the two pairs
// become the pair and its two sums.
func (m run[M]) firePlusPair(p Place) redex {
	n := m.at(p)
	a, t, ttag, tval := m.openPair(lo(n.Val[0]))
	b, u, utag, uval := m.openPair(lo(n.Val[1]))
	n.Kind, n.Bits, n.Tag = compile.Pair, 2, [2]Tag{}
	sum(t, n.Code, p, [2]Tag{ttag[0], utag[0]}, [2]uint64{tval[0], uval[0]})
	sum(u, n.Code, p|1, [2]Tag{ttag[1], utag[1]}, [2]uint64{tval[1], uval[1]})
	m.push(m.readyAdd(b, u))
	return m.readyAdd(a, t)
}

// sum makes the node a sum that has its operands.
func sum(n *node, code uint32, up Place, tag [2]Tag, val [2]uint64) {
	*n = node{Head: compile.Head{Kind: compile.Add, Code: code, Tag: tag}, Up: up, Val: val}
}

// openPair returns the components of a pair, and a node to be used again: the pair's, if nothing else
// refers to it. A pair with a sum that no job has run has one owner.
func (m run[M]) openPair(r Place) (Place, *node, [2]Tag, [2]uint64) {
	n := m.at(r)
	tag, val := n.Tag, n.Val
	if n.Bits&compile.IsLate == 0 && n.C > 1 {
		n.C--
		m.copyValue(tag[0], val[0])
		m.copyValue(tag[1], val[1])
		r, n = m.alloc()
	}
	return r, n, tag, val
}

// readyAdd is called when a sum has its operands. Numbers add by (6) and pairs by (7). A sum with 0⃗ goes on
// as its other operand, by a unit; a sum with the application of a dual in it waits for its job.
func (m run[M]) readyAdd(r Place, n *node) redex {
	a, b := n.Tag[0], n.Tag[1]
	switch {
	case a == compile.Number && b == compile.Number:
		return ruleAt(rule.Plus, r)
	case m.isPair(a, n.Val[0]) && m.isPair(b, n.Val[1]):
		return ruleAt(rule.PlusPair, r)
	}
	return moveAt(rule.Wake, r)
}

// forward puts operand i of a node in the node's place.
func (m run[M]) forward(r Place, n *node, i int) redex {
	up, t, v := n.Up, n.Tag[i], n.Val[i]
	m.arena.Release(r, n)
	return m.deliverAny(up, t, v)
}

func (m run[M]) isPair(t Tag, v uint64) bool {
	return t == compile.Value || t == compile.Late && m.at(lo(v)).Kind == compile.Pair
}
