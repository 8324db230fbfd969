package machine

import (
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/rule"
)

// copying is the body of a λ, a branch or an element of a list that is to be copied.
type copying struct {
	body   *literal.Template
	up     Place // what waits for the body
	param  Ref   // the substitution of its parameter, or 0
	holder Ref   // the node that holds its captures, or 0
	owned  bool  // nothing else refers to the holder: its captures go over to the body
}

// fireLambda is (1): (λx.t)α u → t[x:=u]α. The application becomes the substitution. Lists and numerals are
// λs of two parameters.
func (m *core[M]) fireLambda(p Place) {
	r := p >> 1
	n := m.at(r)
	f, up := lo(n.val[0]), n.up
	l := m.at(f)
	switch l.kind {
	case literal.Fold:
		m.applyFold(r, n, f, l)
		return
	case literal.Nat, literal.List, literal.Data:
		m.applyList(r, n, f, l)
		return
	}
	t := &m.prog.Templates[m.prog.Code[l.code].Closure.Bodies[0]]
	// Field by field: a copy of a node that was just written waits for the writes.
	n.kind, n.bits, n.code, n.c = literal.Sub, 0, l.code, 0
	n.tag[0], n.val[0] = n.tag[1], n.val[1]
	n.tag[1], n.val[1] = Empty, t.Param
	if t.Linear {
		n.kind, n.c = literal.Linear, f
		m.pushRule(rule.Lin, p)
		return
	}
	m.startCopy(f, up, r)
}

// startCopy makes the body of the λ f the next to be copied.
func (m *core[M]) startCopy(f Ref, up Place, param Ref) {
	l := m.at(f)
	m.more = true
	m.copy = copying{body: &m.prog.Templates[m.prog.Code[l.code].Closure.Bodies[0]], up: up, param: param, holder: f, owned: l.c == 1}
	if l.c > 1 {
		l.c--
	}
}

// copyBody copies a body, a unit for each node and each captured variable. Parents come before their
// children, which know the operand that they are.
func (m *core[M]) copyBody() {
	c := &m.copy
	t, param := c.body, c.param
	c.body = nil
	m.frame[0], m.frame[literal.ParamIndex] = c.up, param<<1
	m.loadCaptures(t, c.holder, c.owned)
	m.build(t, literal.ParamIndex+1)
	if param == 0 || t.Param != 0 {
		return
	}
	if n := &m.nodes[param]; n.kind == literal.Linear {
		m.release(param, n)
	} else {
		m.pushRule(rule.GC, param<<1)
	}
}

// unitsPerLook is how many units of a body may pass between two looks at the limits.
const unitsPerLook = 1 << 12

// loadCaptures puts the captured substitutions into the frame. The body mentions each of them so and so often.
func (m *core[M]) loadCaptures(t *literal.Template, h Ref, owned bool) {
	uses, frame := t.Uses, m.frame[t.Locals:]
	i := 0
	for h != 0 {
		n := &m.nodes[h]
		k, more := n.captures(), Ref(0)
		if n.bits&hasMore != 0 {
			more = *n.capture(3)
		}
		for j := range k {
			s := *m.at(h).capture(j)
			frame[i] = s << 1
			d := int32(uses[i])
			if owned {
				d--
			}
			if d != 0 {
				m.addUses(s, d)
			}
			i++
			m.unit(Instantiate, h<<1)
		}
		if owned {
			m.release(h, m.at(h))
		}
		h = more
	}
	m.units(Instantiate, i)
}

// build makes the nodes of a template, whose frame indices begin at next.
func (m *core[M]) build(t *literal.Template, next int) {
	frame := m.frame
	code := m.prog.Code[t.From:t.To]
	m.units(Instantiate, len(code))
	for i := range code {
		if m.measuring() {
			m.pos = t.From + uint32(i)
		}
		in := &code[i]
		p := frame[in.Up] | uint32(in.Slot)
		switch in.Op {
		case literal.MakeVariable:
			m.occur(p, frame[in.X]>>1)
		case literal.MakeNumber:
			m.deliver(p, Number, numeral(in.Val))
		case literal.MakeNode:
			r, n := m.alloc()
			*n = node{kind: in.Kind, code: t.From + uint32(i), up: p, bits: in.Arity}
			frame[next] = r << 1
			next++
			p = r << 1
		case literal.MakeSub:
			r, n := m.alloc()
			*n = node{kind: in.Kind, code: t.From + uint32(i), bits: 1, c: in.Y, val: [2]uint64{0, in.N}}
			frame[next] = r << 1
			next++
			p = r << 1
		case literal.MakeOpen:
			r, n := m.alloc()
			*n = node{kind: literal.Open, code: t.From + uint32(i), bits: 1, val: [2]uint64{0, both(frame[in.X]>>1, frame[in.Y]>>1)}}
			frame[next] = r << 1
			next++
			p = r << 1
		case literal.MakeLam:
			p = m.buildLam(in, t.From+uint32(i), p)
		case literal.MakeIf:
			r, n := m.alloc()
			*n = node{kind: literal.If, code: t.From + uint32(i), up: p, bits: 2}
			frame[next] = r << 1
			next++
			p = r << 1
			if len(in.Closure.Captures) > 0 {
				more, c := m.alloc()
				*c = node{kind: literal.Captures, code: t.From + uint32(i)}
				n.c = more
				m.capture(more, c, r, in.Closure.Captures)
			}
		case literal.MakeInput:
			m.deliver(p, Number, numeral(m.point[in.X]))
		case literal.MakeZero:
			m.deliver(p, Zero, 0)
		case literal.MakeNat, literal.MakeData:
			r, n := m.alloc()
			*n = node{kind: in.Kind, code: t.From + uint32(i), c: 1, val: [2]uint64{in.N}}
			m.deliver(p, Value, uint64(r))
		}
		m.unit(Instantiate, p)
		if i%unitsPerLook == unitsPerLook-1 {
			if m.fail(m.lookOutside()); m.err != nil {
				return
			}
		}
	}
}

// buildLam makes a λ or a list. It is a value when what it captures has values: so a value refers to older
// values alone, and duals are made in a topological order.
func (m *core[M]) buildLam(in *literal.Instr, i uint32, p Place) Place {
	r, n := m.alloc()
	*n = node{kind: in.Kind, code: i, up: p, bits: 1}
	m.capture(r, n, r, in.Closure.Captures)
	m.await(r, n)
	return r << 1
}

// capture stores captured substitutions in a node, up to four, or three and a node with the others. Each is a unit.
func (m *core[M]) capture(r Ref, n *node, owner Ref, list []uint32) {
	m.units(Instantiate, len(list))
	for len(list) > 4 {
		m.store(r, n, list[:3])
		more, next := m.alloc()
		*next = node{kind: literal.Captures, code: n.code, up: owner}
		*n.capture(3) = more
		n.bits |= hasMore
		r, n, list = more, next, list[3:]
	}
	m.store(r, n, list)
}

func (m *core[M]) store(r Ref, n *node, list []uint32) {
	for j, x := range list {
		*n.capture(j) = m.frame[x] >> 1
		m.unit(Instantiate, r<<1)
		m.at(r)
	}
	n.bits |= uint8(len(list)) << capturesShift
}

// await lets a λ wait for one of its captures that has no value; if all have theirs, it is a value.
func (m *core[M]) await(r Ref, n *node) {
	for j := range n.captures() {
		x := m.at(*n.capture(j))
		if x.bits&missing != 0 {
			n.c = hi(x.val[1])
			x.val[1] = both(lo(x.val[1]), r<<2|isWaiter)
			return
		}
	}
	if n.bits&hasMore != 0 {
		m.pushUnit(Wake, *n.capture(3)<<1)
		return
	}
	if n.kind == literal.Captures {
		r = n.up
		n = m.at(r)
	}
	n.c = 1
	n.bits &^= missing
	m.deliver(n.up, Value, uint64(r))
}

// occur makes an occurrence of the variable of s at p: an operand that refers to its substitution. If that has
// its value, (3) is next; a dual variable is a value, and a linear variable whose (5) has fired is its number.
func (m *core[M]) occur(p Place, s Ref) {
	x := m.at(s)
	bound := x.bits&missing == 0
	switch x.kind {
	case literal.FreeDual:
		m.deliver(p, Name, uint64(s))
		return
	case literal.Cell:
		if bound {
			m.deliver(p, Name, uint64(s))
			return
		}
	case literal.Linear:
		if x.bits&isFired != 0 {
			v := x.val[0]
			m.dropLinear(s, x)
			m.deliver(p, Number, v)
			return
		}
		bound = false
	}
	n := m.at(p >> 1)
	if n.kind == literal.Job { // it may have any number of summands: a variable gets a place of its own
		r, summand := m.alloc()
		*summand = node{kind: literal.Summand, code: n.code, up: p, bits: 1}
		p, n = r<<1, summand
	}
	m.placed(p)
	n.tag[p&1] = Variable
	if bound {
		n.val[p&1] = uint64(s)
		m.pushWaiter(p<<1, x.tag[0])
		return
	}
	n.val[p&1] = both(s, hi(x.val[1]))
	x.val[1] = both(lo(x.val[1]), p<<1)
}

// placed remembers where the occurrence at p stands, if events are told.
func (m *core[M]) placed(p Place) {
	if !m.measuring() || m.opt.Events == nil {
		return
	}
	if n := int(p) + 1; n > len(m.places) {
		m.places = append(m.places, make([]uint32, n+n/2-len(m.places))...)
	}
	m.places[p] = m.pos
}
