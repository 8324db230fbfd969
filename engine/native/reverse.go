package native

import (
	"maps"
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/wasm"
)

// Reach says whether something arrives at an adjoint.
type Reach uint8

// The reaches.
const (
	No Reach = iota
	Yes
	Maybe // a flag says it when the code runs
)

// adjoint is what is known of the adjoint of a number where code is made. It is in a local if it has begun.
type adjoint struct {
	begun bool
	reach Reach
}

// Each state has a number of its own for its adjoint behind an iteration, and for the state there.
func (g *gen) behind(i int) id       { return id(-1 - i) }
func (g *gen) nextLocal(i int) local { return g.localOf(g.behind(i)) }

// handedOn is an adjoint that an iteration hands on: its place in the frame, where a flag may say that it is reached.
type handedOn struct {
	at      int
	of      id
	flagged bool
}

// Backward makes the code that goes back through iterations, nil where there is no compiler. reach says of each state
// whether something arrives at it behind an iteration. If that is not so before the iteration too, there is code for
// reach nil only, by flags in the frame. made says whether something arrives at the numbers that the iterations make.
func (f *Form) Backward(reach []Reach, made Reach) *Code {
	g := f.newGen(backward)
	g.adj, g.counted, g.sure = map[id]adjoint{}, map[Kind]int{}, map[id]bool{}
	flagged := reach == nil
	if flagged {
		reach = make([]Reach, len(f.states))
		for i := range f.states {
			if s := &f.states[i]; s.instead == i && s.outFlag != zero {
				reach[i] = Maybe
			}
		}
	}
	var handed []handedOn // to the iteration before
	for i := range f.Inputs {
		if f.sig[i] != 0 && slices.Index(f.sig, f.sig[i]) == i {
			v := f.make(f.root, expr{op: input, n: i})
			handed = append(handed, handedOn{f.FrameInput(i), v, true})
			g.adj[v] = adjoint{true, Maybe}
		}
	}
	var states []int
	for i := range f.states {
		if f.states[i].instead == i {
			states = append(states, i)
			handed = append(handed, handedOn{f.FrameAdjoint(i), g.behind(i), reach[i] == Maybe})
		}
	}
	g.enter()
	for _, i := range states {
		g.fromFrame(f.FrameState(i), g.nextLocal(i))
	}
	for _, h := range handed {
		g.fromFrame(h.at, g.adjointLocal(h.of))
		if h.flagged {
			g.code(g.base, word(wasm.F64Load, h.at+1), wasm.Truncate, setTo(g.flagLocal(h.of)))
		}
	}
	g.code(wasm.Loop, wasm.None)
	stable := true
	g.scope(func() {
		g.group[0] = 0
		g.groups, g.counts = []Group{{}}, nil
		g.count(0, i32(1))
		g.touch(localRow, g.Row)
		for i, r := range reach {
			g.adj[g.behind(i)] = adjoint{r != No, r}
			g.transfer(g.behind(i), f.states[i].out)
		}
		for _, s := range f.stores {
			g.stored(s, made)
		}
		g.reverse(f.root)
		g.whole()
		stable = g.before(reach)
	})
	if !stable {
		return nil
	}
	g.leave(-1)
	for _, i := range states {
		g.code(g.base, g.nextLocal(i), word(wasm.F64Store, f.FrameState(i)))
	}
	for _, h := range handed {
		g.code(g.base, g.adjointLocal(h.of), word(wasm.F64Store, h.at))
		if h.flagged {
			g.code(g.base, g.flagLocal(h.of), wasm.Convert, word(wasm.F64Store, h.at+1))
		}
	}
	c := g.compile()
	if c != nil {
		c.Flagged, c.Reached = flagged, g.reached
	}
	return c
}

// always says that something arrives whatever flags say.
const always local = -1

// stored adds what has arrived at a number that the iteration makes.
func (g *gen) stored(s store, made Reach) {
	if s.flag == zero || made == No {
		return
	}
	at, when := g.stream(s.stream), always
	part := func(n int) any { return memory(wasm.F64Load, n*StreamBytes+8*s.at) }
	if made == Maybe {
		when = g.newLocal(wasm.I32)
		g.code(at, part(2), f64(0), wasm.F64Ne, setTo(when))
	}
	g.contribute(s.value, when, at, part(1))
}

// whole finds the streams at each number of which something arrives in each iteration: they need no flags. It sets the
// flags of such numbers in other streams.
func (g *gen) whole() {
	n := make([]int, len(g.Streams))
	for v := range g.sure {
		n[g.values[v].n]++
	}
	g.reached = make([]bool, len(n))
	for k := range n {
		g.reached[k] = n[k] == g.Streams[k].Width
	}
	for v := range g.values {
		e := &g.values[v]
		if g.sure[id(v)] && !g.reached[e.n] {
			g.code(g.stream(e.n), f64(1), memory(wasm.F64Store, 2*StreamBytes+g.placeOf(id(v))))
		}
	}
}

// before makes the adjoints of the states before an iteration those behind the one before it. It reports whether what
// is reached is the same.
func (g *gen) before(reach []Reach) bool {
	for i := range g.Inputs {
		v := g.make(g.root, expr{op: input, n: i})
		if a, ok := g.adj[v]; ok && a.reach == Yes {
			g.code(i32(1), setTo(g.flagLocal(v)))
		}
	}
	for i := range g.states {
		s := &g.states[i]
		if s.instead != i {
			continue
		}
		a := g.adj[s.in]
		switch {
		case reach[i] == Maybe:
			var flag any = i32(a.reach)
			if a.reach == Maybe {
				flag = g.flagLocal(s.in)
			}
			g.code(flag, setTo(g.flagLocal(g.behind(i))))
		case a.reach != reach[i] && s.inFlag != zero:
			return false
		}
		var adjoint any = f64(0)
		if a.begun {
			adjoint = g.adjointLocal(s.in)
		}
		g.code(adjoint, setTo(g.adjointLocal(g.behind(i))))
		if _, ok := g.column[s.in]; ok {
			g.code(g.push(s.in), setTo(g.nextLocal(i)))
		}
	}
	return true
}

// reverse goes through the operations of a region, from the last to the first.
func (g *gen) reverse(r *region) {
	for _, it := range r.items { // what branches choose, once for all scopes
		if it.br != nil && slices.ContainsFunc(it.br.phis, func(v id) bool { return g.made[backward][v] && !g.isKnown(v) }) {
			g.branch(it.br)
		}
	}
	g.reverseItems(r.items, slices.ContainsFunc(r.items, func(it item) bool { return it.loop != nil }))
}

// reverseItems goes back through items. At stores behind all others it makes code for two cases, if none is made yet:
// something has arrived at each number, or there are flags.
func (g *gen) reverseItems(items []item, made bool) {
	for len(items) > 0 {
		it := items[len(items)-1]
		items = items[:len(items)-1]
		switch {
		case it.br != nil:
			g.reverseBranch(it.br)
		case it.loop != nil:
			g.reverseInner(it.loop)
		case it.store != nil || it.sum != nil:
			all := []arrival{g.reverseSet(it)}
			owned := func(it item) bool { return it.store != nil && it.store.old != none }
			for n := len(items); n > 0 && !made && !owned(it) && !owned(items[n-1]) &&
				(items[n-1].store != nil || items[n-1].sum != nil); n-- {
				all = append(all, g.reverseSet(items[n-1]))
				items = items[:n-1]
			}
			all = slices.DeleteFunc(all, func(a arrival) bool { return a.of == zero })
			if made || len(all) == 0 || len(items) == 0 {
				for _, a := range all {
					g.contribute(a.of, a.when, a.number)
				}
				continue
			}
			for i, a := range all {
				if g.code(a.when); i > 0 {
					g.code(wasm.I32And)
				}
			}
			side := func(flags bool) func() {
				return func() {
					for _, a := range all {
						when := always
						if flags {
							when = a.when
						}
						g.contribute(a.of, when, a.number)
					}
					g.reverseItems(items, true)
				}
			}
			g.fork(side(false), side(true))
			return
		case it.held != 0:
			g.transfer(it.held, g.values[it.held].a)
			delete(g.adj, it.held)
		case it.made != 0:
		default:
			c := it.cell
			switch a := g.adj[c.result]; a.reach {
			case Yes:
				g.fire(c, always)
			case Maybe:
				if slices.ContainsFunc(c.args, func(v id) bool { return g.flag(v) > one }) {
					g.code(g.flagLocal(c.result))
					g.fork(func() { g.fire(c, always) }, func() {})
				} else {
					g.fire(c, g.flagLocal(c.result))
				}
			}
			delete(g.adj, c.result)
		}
	}
}

// arrival is what has arrived in memory for a number: whether something has, and the adjoint.
type arrival struct {
	of           id // zero: nothing does
	when, number local
}

// reverseSet is what has arrived at a number in memory that an item sets. It is not reached then.
func (g *gen) reverseSet(it item) arrival {
	at, not := g.scratch(0), i64(math.MinInt64)
	if s := it.store; s != nil {
		if s.flag == zero && s.old == none {
			return arrival{}
		}
		if s.old != none {
			g.code(g.push(s.old), wasm.Drop, g.push(s.oldFlag), wasm.Drop)
		}
		behind, width := g.address(s.slot, 0), g.spaces[g.values[s.slot].n].width()
		g.code(setTo(at))
		var a arrival
		if s.flag != zero {
			a.of = s.value
			a.when, a.number = g.arrived(at, behind+adjointBytes)
		}
		if width > 8 {
			g.code(at, not, memory(wasm.I64Store, behind+adjointBytes))
		}
		if s.old != none { // it is the vector of before
			if g.code(at, g.push(s.old), memory(wasm.F64Store, behind)); width > aliveBytes {
				g.code(at, g.push(s.oldFlag), memory(wasm.F64Store, behind+aliveBytes))
			}
		}
		return a
	}
	s := it.sum
	g.partial(s.of, s.i, s.m, g.values[s.of].n)
	when, number := g.arrived(at, adjointBytes)
	g.integer(s.i)
	g.code(i32(s.m), wasm.I32Less, wasm.If, wasm.None, at, not, memory(wasm.I64Store, adjointBytes), wasm.Else)
	g.scope(func() { g.countCell(s.cell, 0, 0, when) })
	g.code(wasm.End)
	if s.flag == zero {
		return arrival{}
	}
	return arrival{s.x, when, number}
}

// arrived are locals with whether the adjoint so many bytes behind an address is reached, and with the adjoint.
func (g *gen) arrived(at local, behind int) (when, number local) {
	when, number = g.newLocal(wasm.I32), g.newLocal(wasm.F64)
	g.code(at, memory(wasm.I64Load, behind), i64(math.MinInt64), wasm.I64Ne, setTo(when),
		at, memory(wasm.F64Load, behind), setTo(number))
	return when, number
}

func (g *gen) reverseBranch(br *branch) {
	reached := slices.ContainsFunc(br.phis, func(v id) bool { return g.adj[v].reach != No })
	if !reached && !br.then.stores && !br.els.stores {
		return
	}
	g.code(g.push(br.a), g.push(br.b), compares[br.cmp])
	side := func(r *region, of func(e *expr) id) func() {
		return func() {
			for _, v := range br.phis {
				g.transfer(v, of(&g.values[v].expr))
			}
			g.reverse(r)
		}
	}
	g.fork(side(br.then, func(e *expr) id { return e.a }), side(br.els, func(e *expr) id { return e.b }))
	for _, v := range br.phis {
		delete(g.adj, v)
	}
}

// reverseInner makes the code that goes back through a loop inside.
func (g *gen) reverseInner(lp *inner) {
	top, row := g.stack[StackTop], g.in(useRow, lp.number)
	reach, some := make([]Reach, len(lp.carries)), false
	for i, c := range lp.carries {
		reach[i] = g.adj[c.last].reach
		some = some || reach[i] != No
	}
	if !some && !lp.body.stores {
		return
	}
	g.addresses(lp)
	g.code(g.row(lp.body.parent), memory(wasm.I64Load, 8*lp.saved), wasm.Wrap, setTo(top))
	// What iterations add to has begun before the loop.
	for i, c := range lp.carries {
		if a := g.adj[c.last]; !a.begun {
			g.code(f64(0), setTo(g.adjointLocal(c.last)))
		}
		if reach[i] != Maybe {
			g.code(i32(reach[i]), setTo(g.flagLocal(c.last)))
		}
	}
	for _, v := range lp.outside {
		v = g.shared(v)
		a := g.adj[v]
		if !a.begun {
			g.code(f64(0), setTo(g.adjointLocal(v)))
		}
		if a.reach == No {
			g.code(i32(0), setTo(g.flagLocal(v)))
			a.reach = Maybe
		}
		g.adj[v] = adjoint{true, a.reach}
	}
	if len(lp.sums) > 0 {
		g.times(lp)
	}
	for _, s := range lp.sums {
		if g.flag(s.cell.args[1]) > one {
			continue
		}
		k := slices.IndexFunc(lp.carries, func(c innerState) bool { return c.in == s.cell.args[0] })
		by, both := g.timesBeyond(lp, s.most), Kind{s.cell.sym, 3}
		switch last := lp.carries[k].last; reach[k] {
		case Yes:
			g.countKind(both, by)
		case Maybe:
			g.countKind(both, func() { g.code(by, i32(0), g.flagLocal(last), wasm.Select) })
		}
	}
	index, whole := g.localOf(lp.index), g.in(useWhole, int(lp.index))
	g.code(g.push(lp.start), wasm.Drop)
	if lp.down {
		g.code(f64(0))
	} else {
		g.code(g.push(lp.end), f64(1), wasm.F64Sub)
	}
	g.code(tee(index), wasm.Truncate, setTo(whole), wasm.Loop, wasm.None)
	// What is reached behind an iteration is to be that which is behind the one before it: where it is not, flags say it.
	before := *g
	before.adj, before.counted = maps.Clone(g.adj), maps.Clone(g.counted)
	for stable := false; !stable; {
		g.groups, g.counts = before.groups, before.counts
		g.adj, g.counted = maps.Clone(before.adj), maps.Clone(before.counted)
		code := g.Encoder
		g.scope(func() { stable = g.reverseOnce(lp, reach) })
		if !stable {
			g.Encoder = code
		}
	}
	if lp.row > 0 || lp.within {
		g.code(row, setTo(top))
	}
	g.code(whole, i32(1))
	if lp.down {
		g.code(wasm.I32Add, setTo(whole), index, f64(1), wasm.F64Add, tee(index), g.push(lp.start), wasm.F64LessEq)
	} else {
		g.code(wasm.I32Sub, setTo(whole), index, f64(1), wasm.F64Sub, tee(index), g.push(lp.start), wasm.F64GtEq)
	}
	g.code(wasm.BrIf, 0, wasm.End)
	for i, c := range lp.carries {
		g.adj[c.last] = adjoint{true, reach[i]}
		if c.init != none {
			g.transfer(c.last, c.init)
		}
		delete(g.adj, c.last)
	}
}

// reverseOnce goes back through an iteration of a loop inside. reach says which of its states are reached behind it.
// Where the same is not reached before it, reach becomes Maybe, and it reports false.
func (g *gen) reverseOnce(lp *inner, reach []Reach) (stable bool) {
	top, row := g.stack[StackTop], g.in(useRow, lp.number)
	switch {
	case lp.within:
		g.code(top, i32(8), wasm.I32Sub, tee(top), memory(wasm.I64Load, 0), wasm.Wrap, setTo(row))
	case lp.row > 0:
		g.code(top, i32(8*lp.row), wasm.I32Sub, setTo(row))
	}
	g.touch(row, lp.row)
	g.integers[len(g.integers)-1][lp.index] = true
	for i, c := range lp.carries {
		g.adj[c.last] = adjoint{reach[i] != No, reach[i]}
		g.transfer(c.last, c.out)
	}
	g.reverse(lp.body)
	stable = true
	for i, c := range lp.carries {
		a := g.adj[c.in]
		if reach[i] != Maybe && a.reach != reach[i] {
			reach[i], stable = Maybe, false
		}
	}
	for i, c := range lp.carries {
		a := g.adj[c.in]
		if reach[i] == Maybe {
			var flag any = i32(a.reach)
			if a.reach == Maybe {
				flag = g.flagLocal(c.in)
			}
			g.code(flag, setTo(g.flagLocal(c.last)))
		}
		var number any = f64(0)
		if a.begun {
			number = g.adjointLocal(c.in)
		}
		g.code(number, setTo(g.adjointLocal(c.last)))
		delete(g.adj, c.in)
	}
	return stable
}

// shared is the number whose adjoint a number has: the first of the inputs that share it.
func (g *gen) shared(v id) id {
	if e := &g.values[v]; e.op == input {
		return g.make(g.root, expr{op: input, n: slices.Index(g.sig, g.sig[e.n])})
	}
	return v
}

// transfer adds the adjoint of a number to that of the number that it is.
func (g *gen) transfer(from, to id) {
	when := always
	switch g.adj[from].reach {
	case No:
		return
	case Maybe:
		when = g.flagLocal(from)
	}
	g.contribute(to, when, g.adjointLocal(from))
}

// fork makes code for both sides of the condition on the stack.
func (g *gen) fork(then, els func()) {
	outer, saved := g.Encoder, g.adj
	side := func(do func()) (code wasm.Encoder, adj map[id]adjoint) {
		g.Encoder, g.adj = nil, maps.Clone(saved)
		g.scope(do)
		return g.Encoder, g.adj
	}
	thenCode, thenAdj := side(then)
	elsCode, elsAdj := side(els)
	merged := maps.Clone(thenAdj)
	maps.Copy(merged, elsAdj)
	for _, v := range slices.Sorted(maps.Keys(merged)) {
		t, e := thenAdj[v], elsAdj[v]
		one := func(code *wasm.Encoder, a adjoint) {
			g.Encoder = *code
			if !a.begun {
				g.code(f64(0), setTo(g.adjointLocal(v)))
			}
			if t.reach != e.reach && a.reach != Maybe {
				g.code(i32(a.reach), setTo(g.flagLocal(v)))
			}
			*code = g.Encoder
		}
		m := adjoint{t.begun || e.begun, t.reach}
		if t.reach != e.reach {
			m.reach = Maybe
		}
		if m.begun {
			one(&thenCode, t)
			one(&elsCode, e)
		}
		merged[v] = m
	}
	g.Encoder, g.adj = outer, merged
	g.code(wasm.If, wasm.None)
	g.Op(thenCode...)
	if len(elsCode) > 0 {
		g.code(wasm.Else)
		g.Op(elsCode...)
	}
	g.code(wasm.End)
}

// fire makes the code of a cell that is reached, if the local when says so.
func (g *gen) fire(c *cell, when local) {
	if c.sum == nil {
		g.countCell(c, 0, 0, when)
	} else if flag := g.flag(c.args[1]); flag > one {
		g.countRunning(c.sum, flag, when)
	}
	d := g.adjointLocal(c.result)
	for i, to := range c.args {
		switch {
		case g.flag(to) == zero:
		case c.slopes[i] == one:
			g.contribute(to, when, d)
		default:
			g.contribute(to, when, g.push(c.slopes[i]), d, wasm.F64Mul)
		}
	}
}

// countRunning counts an addition of a sum of which some numbers have no adjoint. A partial sum has one behind its
// second number.
func (g *gen) countRunning(s *running, flag id, when local) {
	side := func(live uint8) {
		g.scope(func() { g.countCell(s.cell, 1, live, when) })
	}
	g.integer(s.i)
	g.code(i32(2*s.most-1), wasm.I32Gt, wasm.If, wasm.None)
	side(1)
	g.code(wasm.Else)
	g.integer(s.i)
	g.code(i32(s.most-1), wasm.I32Gt, wasm.If, wasm.None)
	if in := g.values[flag].in; in.inside(s.loop.body) {
		g.code(g.row(in), i32(-8*s.loop.row*s.most), wasm.I32Add, memory(wasm.F64Load, 8*g.column[flag]))
	} else {
		g.code(g.push(flag))
	}
	g.code(f64(0), wasm.F64Ne, wasm.If, wasm.None)
	side(1)
	g.code(wasm.Else)
	side(0)
	g.code(wasm.End, wasm.End, wasm.End)
}

// countCell counts a cell, if the local when says so, by the operands from i on that have an adjoint; those before are
// live.
func (g *gen) countCell(c *cell, i int, live uint8, when local) {
	for ; i < len(c.args); i++ {
		switch flag := g.flag(c.args[i]); flag {
		case zero:
		case one:
			live |= 1 << i
		default:
			g.code(g.push(flag), f64(0), wasm.F64Ne, wasm.If, wasm.None)
			g.scope(func() { g.countCell(c, i+1, live|1<<i, when) })
			g.code(wasm.Else)
			g.scope(func() { g.countCell(c, i+1, live, when) })
			g.code(wasm.End)
			return
		}
	}
	kind := Kind{c.sym, live}
	if when != always {
		g.countKind(kind, when)
		return
	}
	n := g.group[len(g.group)-1]
	if n < 0 {
		n = len(g.groups)
		g.groups = append(g.groups, Group{})
		g.group[len(g.group)-1] = n
		g.count(n, i32(1))
	}
	g.groups[n].add(kind)
}

// countKind counts cells of a kind.
func (g *gen) countKind(kind Kind, by any) {
	n, ok := g.counted[kind]
	if !ok {
		n = len(g.groups)
		g.counted[kind], g.groups = n, append(g.groups, Group{Kinds: []Kinds{{kind, 1}}})
	}
	g.count(n, by)
}

// contribute adds a number to the adjoint of another, which is reached then, if the local when says so.
func (g *gen) contribute(to id, when local, number ...any) {
	if g.flag(to) == zero {
		return
	}
	or := func(other ...any) func() { // what is on the stack, or what it was
		return func() {
			if when != always {
				g.code(append(other, when, wasm.Select)...)
			}
		}
	}
	push := func() { g.code(number...) }
	e := &g.values[to]
	switch e.op {
	case element:
		x, at := g.stream(e.n), StreamBytes+g.placeOf(to)
		old := memory(wasm.F64Load, at)
		g.code(x, x, old, push, wasm.F64Add, or(x, old), memory(wasm.F64Store, at))
		if when == always && len(g.known) == 1 {
			g.sure[to] = true
			return
		}
		at += StreamBytes
		g.code(x, f64(1), or(x, memory(wasm.F64Load, at)), memory(wasm.F64Store, at))
		return
	case slot:
		x := g.scratch(1)
		at := g.address(to, 0) + adjointBytes
		g.code(tee(x), x, memory(wasm.F64Load, at), push, f64(0), wasm.F64Add)
		if when != always {
			g.code(f64(math.Copysign(0, -1)), when, wasm.Select)
		}
		g.code(wasm.F64Add, memory(wasm.F64Store, at))
		return
	case lookup:
		part := func(n int) (push func(), op func(byte) func()) { // its address, and an operation there
			x := g.scratch(n)
			at := g.address(to, n)
			g.code(setTo(x))
			return func() { g.code(x) }, func(op byte) func() { return func() { g.code(memory(op, at)) } }
		}
		x, of := part(1)
		old := func() { g.code(x, of(wasm.F64Load)) }
		g.code(x, old, push, wasm.F64Add, or(old), of(wasm.F64Store))
		x, of = part(2)
		g.code(x, f64(1), or(x, of(wasm.F64Load)), of(wasm.F64Store))
		return
	}
	to = g.shared(to)
	a, d := g.adj[to], g.adjointLocal(to)
	if a.begun {
		g.code(d, push, wasm.F64Add, or(d), setTo(d))
	} else {
		g.code(push, or(f64(0)), setTo(d))
	}
	switch {
	case when == always:
		a.reach = Yes
	case a.reach == Maybe:
		g.code(when, g.flagLocal(to), wasm.I32Or, setTo(g.flagLocal(to)))
	case a.reach == No:
		g.code(when, setTo(g.flagLocal(to)))
		a.reach = Maybe
	}
	g.adj[to] = adjoint{true, a.reach}
}
