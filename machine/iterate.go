package machine

import (
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
)

// Lists and numerals are λf.λx.f t1 (… (f tn x)): two λs, and a body of which one application at a time is made,
// the innermost first.

// length is how many elements a list or a numeral has.
func (m run[M]) length(l *node) uint64 {
	switch l.Kind {
	case compile.Nat:
		return l.Val[0]
	case compile.Data:
		return uint64(m.prog.Term.Data[l.Val[0]].Rows)
	}
	return uint64(len(m.prog.Code[l.Code].Closure.Bodies))
}

// bind makes the application n the substitution of its argument, which occurs so often.
func bind(n *node, uses uint64) {
	n.Kind, n.Bits, n.C = compile.Sub, 0, 0
	n.Tag[0], n.Val[0] = n.Tag[1], n.Val[1]
	n.Tag[1], n.Val[1] = compile.Empty, uses
}

// applyList is (1) of a list or numeral: (λf.t) u → t[f:=u]. The body is a Fold.
func (m run[M]) applyList(r Place, n *node, list Place, l *node) redex {
	f := r
	bind(n, 1)
	if m.length(l) == 0 {
		n.Val[1], f = 0, 0
		m.push(ruleAt(rule.GC, r))
	}
	fold, x := m.make(compile.Fold, l.Code, 0, 0)
	x.C, x.Val[0] = 1, both(list, f)
	return m.deliver(n.Up, compile.Value, uint64(fold))
}

// applyFold is (1) of what the first has made: (λx.f t1 (… (f tn x))) u → (f t1 (… (f tn x)))[x:=u].
func (m run[M]) applyFold(r Place, n *node, fold Place, l *node) redex {
	code := l.Code
	list, f := lo(l.Val[0]), hi(l.Val[0])
	bind(n, 1)
	if m.opens() {
		m.bindOpen(r, n)
	}
	elements := m.length(m.at(list))
	uses := int32(elements) // of f; beyond 2³¹ the count is that of the remainder
	if l.C == 1 {
		uses--
		m.arena.Release(fold, l)
	} else {
		l.C--
		m.at(list).C++
	}
	if f == 0 {
		m.push(m.dropValue(compile.Value, uint64(list)))
		return m.occur(n.Up, r)
	}
	if uses != 0 {
		m.push(m.addUses(f, uses))
	}
	i, it := m.make(compile.Iter, code, n.Up, 1)
	s, state := m.make(compile.Captures, code, 0, 0)
	it.C, state.C = s, list
	state.Val = [2]uint64{both(list, f), elements}
	return m.occur(i, r)
}

// iterate is the unit that makes the next application of f, to what the one before it has come to.
func (m run[M]) iterate(p Place) redex {
	n := m.at(p)
	s := m.at(n.C)
	list, f := lo(s.Val[0]), hi(s.Val[0])
	s.Val[1]--
	left, captures, rest := s.Val[1], s.C, n.C
	a, app := m.make(compile.App, n.Code, p, 1|compile.IsDue)
	app.Tag[1], app.Val[1] = n.Tag[0], n.Val[0]
	if left == 0 { // a tail call
		app.Up = n.Up
		m.arena.Release(n.C, s)
		m.arena.Release(p, n)
		rest = 0
	} else {
		n.Bits, n.Tag[0] = 1, compile.Empty
	}
	var next redex
	if m.at(list).Kind == compile.Nat {
		next = m.occur(a, f)
	} else {
		next = m.element(a, app.Code, list, left, f, captures, rest)
	}
	if left == 0 {
		m.push(m.dropValue(compile.Value, uint64(list)))
	}
	return next
}

// element makes f ti, the function of the application a. What ti captures is at captures; rest is told what is behind.
func (m run[M]) element(a Place, code uint32, list Place, i uint64, f, captures, rest Place) redex {
	b, _ := m.make(compile.App, code, a, 2|compile.IsDue)
	m.push(m.occur(b, f))
	l := m.at(list)
	bodies := m.prog.Code[l.Code].Closure.Bodies
	if l.Kind == compile.List {
		m.copy = copying{body: &m.prog.Templates[bodies[i]], up: b | 1, holder: captures, rest: rest}
		return moveAt(copyNext, 0)
	}
	d := &m.prog.Term.Data[l.Val[0]]
	m.copy = copying{body: &m.prog.Templates[bodies[0]], up: b | 1,
		row: d.Values[i*uint64(d.Width) : (i+1)*uint64(d.Width)]}
	return moveAt(copyNext, 0)
}
