package machine

import (
	"unsafe"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/rule"
)

// copying is the body of a λ, a branch or an element of a list that is to be copied.
type copying struct {
	body   *compile.Template
	up     Place     // what waits for the body
	param  Place     // the substitution of its parameter, or 0
	number uint64    // of the parameter, if the body is that of a dual; the argument of a constructor, if it is a branch
	tag    Tag       // of that argument
	holder Place     // the node that holds its captures, and which of them is the first; or 0
	rest   Place     // of an element of a list: the node that is told where the captures of the next one are, or 0
	row    []float64 // of an element of data
	owned  bool      // nothing else refers to the holder: its captures go over to the body
}

// fireLambda is (1): (λx.t)α u → t[x:=u]α. The application becomes the substitution. Lists and numerals are
// λs of two parameters.
func (m run[M]) fireLambda(p Place) redex {
	n := m.at(p)
	f := lo(n.Val[0])
	l := m.at(f)
	switch l.Kind {
	case compile.Fold:
		return m.applyFold(p, n, f, l)
	case compile.Nat, compile.List, compile.Data:
		return m.applyList(p, n, f, l)
	}
	t := m.prog.Code[l.Code].Body
	bind(n, t.Param)
	n.Code = l.Code
	up, param := n.Up, p
	switch {
	case t.Linear && m.opens() && n.Tag[0] == compile.Operation && t.Param > 0:
		// No value: it stays, for (5) does not fire.
		n.Kind, n.Bits = compile.Linear, compile.IsFired
	case t.Linear:
		n.Kind, n.C = compile.Linear, f
		return ruleAt(rule.Lin, p)
	case m.opens():
		param = m.bindOpen(p, n)
	}
	return m.startCopy(t, f, l, up, param)
}

// isFix reports whether the function of an application is recursive.
func (m run[M]) isFix(n *node) bool {
	f := m.at(lo(n.Val[0]))
	return f.Kind == compile.Lam && m.prog.Code[f.Code].Body.Fix != 0
}

// fireUnfold is (15): (fix f.v) u → v[f:=fix f.v] u. The body of v makes f, when (1) fires.
func (m run[M]) fireUnfold(p Place) redex {
	n := m.at(p)
	n.Bits |= compile.IsFired
	m.unfolded = m.prog.Code[m.at(lo(n.Val[0])).Code].Body.Fix
	return ruleAt(rule.Lambda, p)
}

// startCopy makes the body t of the λ f the next to be copied.
func (m run[M]) startCopy(t *compile.Template, f Place, l *node, up, param Place) redex {
	m.copy = copying{body: t, up: up, param: param, holder: f, owned: l.C == 1}
	if l.C > 1 {
		l.C--
	}
	return moveAt(copyNext, 0)
}

// copyBody copies a body, a unit for each node, each captured variable and each operand that is no part of its node.
func (m run[M]) copyBody() redex {
	c := &m.copy
	t, f := c.body, m.frame
	c.body = nil
	if m.tells() {
		m.copied, m.begins = 0, t
	}
	f[compile.UpIndex], f[compile.ParamIndex] = c.up, c.param
	f[compile.NumberIndex], f[compile.NumberIndex+1] = lo(c.number), hi(c.number)
	if c.holder != 0 {
		next := m.loadCaptures(t, c.holder, c.owned)
		if c.rest != 0 {
			m.at(c.rest).C = next
		}
	}
	images, made := t.Images, f[t.First:t.Locals]
	if !m.allocAll(made) {
		return 0
	}
	if !m.measures() {
		m.units(len(images) + len(t.Outer) + len(t.Actions))
	} else if m.tells() {
		for _, r := range made { // they are to look free until they are made
			m.arena.Node(r).Kind = compile.Free
		}
	}
	for len(images) > unitsPerLook {
		m.makeNodes(images[:unitsPerLook], made)
		images, made = images[unitsPerLook:], made[unitsPerLook:]
		if m.lookOutside() != nil {
			return 0
		}
	}
	m.makeNodes(images, made)
	for _, i := range t.Ordered {
		if r := f[i.Index]; i.Dual {
			m.push(moveAt(rule.Wake, r))
		} else {
			m.push(moveAt(turn, r))
		}
	}
	m.bindOuter(t.Outer)
	actions := t.Actions
	for len(actions) > unitsPerLook {
		m.act(actions[:unitsPerLook])
		actions = actions[unitsPerLook:]
		if m.lookOutside() != nil {
			return 0
		}
	}
	m.act(actions)
	if m.tells() {
		m.begins = nil
	}
	if c.param != 0 && t.Param == 0 {
		return ruleAt(rule.GC, c.param)
	}
	return 0
}

// unitsPerLook is how many units of a body may pass between two looks at the limits.
const unitsPerLook = 1 << 12

// loadCaptures puts the captured substitutions into the frame, and returns where the captures behind them are. The body
// mentions each of them so and so often.
func (m run[M]) loadCaptures(t *compile.Template, h Place, owned bool) Place {
	frame, uses := m.frame[t.Locals:], t.Uses
	own := int32(0)
	if owned {
		own = 1
	}
	for h != 0 && (owned || len(uses) > 0) {
		r, first := nodeOf(h), int(h&3)
		n := m.at(r)
		captures, all := n.Captures()
		more, k := n.More(), min(all-first, len(uses))
		for j, d := range uses[:k] {
			s := captures[(first+j)&3]
			frame[j] = s
			if d := int32(d) - own; d != 0 {
				m.push(m.addUses(s, d))
			}
			if m.measures() {
				m.unit(rule.Instantiate, r)
			}
		}
		if owned {
			m.arena.Release(r, n)
		}
		if h += Place(k); first+k == all {
			h = more
		}
		frame, uses = frame[k:], uses[k:]
	}
	if !m.measures() {
		m.units(len(t.Uses))
	}
	return h
}

// makeNodes makes the nodes of images. The frame has what they are made from.
func (m run[M]) makeNodes(images []compile.Image, made []Place) {
	frame := unsafe.Pointer(unsafe.SliceData(m.frame))
	at := func(i uint32) uint64 { return uint64(*(*uint32)(unsafe.Add(frame, uintptr(i)*4))) }
	made = made[:len(images)]
	for i := range images {
		im := &images[i]
		r := made[i]
		n := m.at(r)
		n.Head = im.Head
		n.Up = im.Up + Place(at(im.From[0]))
		n.C = im.C + Place(at(im.From[1]))
		n.Val[0] = im.Val[0] + at(im.From[2]) + at(im.From[3])<<32
		n.Val[1] = im.Val[1] + at(im.From[4]) + at(im.From[5])<<32
		if m.measures() {
			m.tellNode(r, im)
		}
	}
}

// bindOuter lets the occurrences in the images of variables that the body does not bind become their values.
func (m run[M]) bindOuter(outer []compile.Outer) {
	f := m.frame
	for i := range outer {
		o := &outer[i]
		s, p := f[o.Index], f[o.First.Index]|o.First.Slot
		x := m.at(s)
		if x.Kind == compile.Sub && x.Bits&compile.Missing == 0 {
			m.push(m.waiter(p, x.Tag[0]))
		} else {
			m.push(m.awaitOuter(s, x, p, f[o.Last.Index]|o.Last.Slot))
		}
		if m.measures() {
			m.unit(rule.Instantiate, p)
		}
	}
}

// awaitOuter is bindOuter for one variable that has no value yet, or that is no Sub. Its occurrences are a list, from
// p to last.
func (m run[M]) awaitOuter(s Place, x *node, p, last Place) redex {
	if x.Kind == compile.FreeDual || x.Kind == compile.Symbol || x.Kind == compile.Linear &&
		x.Bits&compile.IsFired != 0 || x.Kind == compile.Cell && x.Bits&compile.Missing == 0 {
		return wakeAt(p)
	}
	m.at(nodeOf(last)).Val[last&1] = both(s, hi(x.Val[1]))
	x.Val[1] = both(lo(x.Val[1]), p)
	return 0
}

// tellNode reports that a node of a body has been made.
func (m run[M]) tellNode(r Place, im *compile.Image) {
	m.event.Code = im.Code
	if m.tells() {
		m.unused = append(m.unused, r>>2)
		for i, occurrence := range &im.Occurs {
			if occurrence != 0 {
				*m.places.At(r | uint32(i)) = occurrence
			}
		}
	}
	m.unit(rule.Instantiate, r)
}

// act gives the operands that the images don't have.
func (m run[M]) act(actions []compile.Action) {
	frame := m.frame
	for i := range actions {
		a := &actions[i]
		if m.measures() {
			m.event.Code = a.Code
		}
		p := frame[a.Up] | uint32(a.Slot)
		switch a.Op {
		case compile.MakeVariable:
			m.push(m.occur(p, frame[a.X]))
		case compile.Await:
			p = frame[a.X]
			m.push(m.await(p, m.at(p)))
		default:
			t, v := m.operand(a, frame)
			m.push(m.deliver(p, t, v))
		}
		if m.measures() {
			m.unit(rule.Instantiate, p)
		}
	}
}

// await lets a λ wait for one of its captures that has no value; if all have theirs, it is a value: so a value refers
// to older values alone, and duals are made in a topological order.
func (m run[M]) await(r Place, n *node) redex {
	captures, k := n.Captures()
	for j := range k {
		x := m.at(captures[j&3])
		if x.Bits&compile.Missing != 0 {
			n.C = hi(x.Val[1])
			x.Val[1] = both(lo(x.Val[1]), r|compile.Waits)
			return 0
		}
	}
	if more := n.More(); more != 0 {
		return moveAt(rule.Wake, more)
	}
	if n.Kind == compile.Captures {
		r = n.Up
		n = m.at(r)
	}
	n.C = 1
	n.Bits &^= compile.Missing
	return m.deliver(n.Up, compile.Value, uint64(r))
}

// occur makes an occurrence of the variable of s at p: an operand that refers to its substitution. If that has
// its value, (3) is next; a dual variable is a value, and a linear variable whose (5) has fired is its number.
func (m run[M]) occur(p Place, s Place) redex {
	x := m.at(s)
	bound := x.Bits&compile.Missing == 0
	switch x.Kind {
	case compile.FreeDual, compile.Symbol:
		return m.occurs(p, s, x)
	case compile.Cell:
		if bound {
			return m.occurs(p, s, x)
		}
	case compile.Linear:
		if x.Bits&compile.IsFired != 0 {
			return m.occurs(p, s, x)
		}
		bound = false
	}
	n := m.at(nodeOf(p))
	if n.Kind == compile.Job { // it may have any number of summands: a variable gets a place of its own
		p, n = m.make(compile.Summand, n.Code, p, 1)
	}
	if m.tells() {
		*m.places.At(p) = m.event.Code
	}
	n.Tag[p&1] = compile.Variable
	if bound {
		n.Val[p&1] = uint64(s)
		return m.waiter(p, x.Tag[0])
	}
	n.Val[p&1] = both(s, hi(x.Val[1]))
	x.Val[1] = both(lo(x.Val[1]), p)
	return 0
}
