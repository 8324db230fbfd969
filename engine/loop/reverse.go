package loop

import (
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

func (g *gen) adjointLocal(v id) int { return localOf(g, g.adjLocal, v, wasm.F64) }
func (g *gen) flagLocal(v id) int    { return localOf(g, g.flagOf, v, wasm.I32) }

func localOf(g *gen, of map[id]int, v id, typ byte) int {
	at, ok := of[v]
	if !ok {
		at = g.NewLocal(typ)
		of[v] = at
	}
	return at
}

// Each state has a number of its own for its adjoint behind an iteration, and for the state there.
func (g *gen) behind(i int) id       { return id(-1 - i) }
func (g *gen) nextLocal(i int) int   { return g.localOf(id(-1 - i)) }
func (g *gen) pushAdjoint(v id)      { g.Local(wasm.LocalGet, g.adjointLocal(v)) }
func (g *gen) setFlag(v id, x int32) { g.I32(x); g.Local(wasm.LocalSet, g.flagLocal(v)) }

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
	g.adj, g.adjLocal, g.flagOf, g.counted = map[id]adjoint{}, map[id]int{}, map[id]int{}, map[Kind]int{}
	g.sure = map[id]bool{}
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
		g.load(f.FrameState(i))
		g.Local(wasm.LocalSet, g.nextLocal(i))
	}
	for _, h := range handed {
		g.load(h.at)
		g.Local(wasm.LocalSet, g.adjointLocal(h.of))
		if h.flagged {
			g.load(h.at + 1)
			g.Op(wasm.Truncate)
			g.Local(wasm.LocalSet, g.flagLocal(h.of))
		}
	}
	g.Op(wasm.Loop, wasm.None)
	stable := true
	g.scope(func() {
		g.group[0] = 0
		g.groups, g.counts = []Group{{}}, nil
		g.count(0, always)
		g.touch()
		for i, r := range reach {
			g.adj[g.behind(i)] = adjoint{r != No, r}
			g.transfer(g.behind(i), f.states[i].out)
		}
		for _, s := range f.stores {
			g.stored(s, made)
		}
		g.reverse(f.root)
		g.whole()
		stable = g.before(reach, flagged)
	})
	if !stable {
		return nil
	}
	g.leave(-1)
	for _, i := range states {
		g.store(f.FrameState(i), func() { g.Local(wasm.LocalGet, g.nextLocal(i)) })
	}
	for _, h := range handed {
		g.store(h.at, func() { g.pushAdjoint(h.of) })
		if h.flagged {
			g.store(h.at+1, func() { g.Local(wasm.LocalGet, g.flagLocal(h.of)); g.Op(wasm.Convert) })
		}
	}
	c := g.compile()
	if c != nil {
		c.Flagged, c.Reached = flagged, g.reached
	}
	return c
}

// always says that something arrives whatever flags say.
const always = -1

// stored adds what has arrived at a number that the iteration makes.
func (g *gen) stored(s store, made Reach) {
	if s.flag == zero || made == No {
		return
	}
	part := func(n int) {
		g.Local(wasm.LocalGet, localStream+s.stream)
		g.Memory(wasm.F64Load, n*StreamBytes+8*s.at)
	}
	when := always
	if made == Maybe {
		when = g.NewLocal(wasm.I32)
		part(2)
		g.F64(0)
		g.Op(wasm.F64Ne)
		g.Local(wasm.LocalSet, when)
	}
	g.contribute(s.value, when, func() { part(1) })
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
			g.Local(wasm.LocalGet, localStream+e.n)
			g.F64(1)
			g.Memory(wasm.F64Store, 2*StreamBytes+8*(int(e.num)-g.Streams[e.n].At))
		}
	}
}

// before makes the adjoints of the states before an iteration those behind the one before it. It reports whether what
// is reached is the same.
func (g *gen) before(reach []Reach, flagged bool) bool {
	for i := range g.Inputs {
		v := g.make(g.root, expr{op: input, n: i})
		if a, ok := g.adj[v]; ok && a.reach == Yes {
			g.setFlag(v, 1)
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
			if a.reach == Maybe {
				g.Local(wasm.LocalGet, g.flagLocal(s.in))
			} else {
				g.I32(int32(a.reach))
			}
			g.Local(wasm.LocalSet, g.flagLocal(g.behind(i)))
		case a.reach != reach[i] && s.inFlag != zero:
			return false
		}
		if a.begun {
			g.pushAdjoint(s.in)
		} else {
			g.F64(0)
		}
		g.Local(wasm.LocalSet, g.adjointLocal(g.behind(i)))
		if _, ok := g.column[s.in]; ok {
			g.get(s.in)
			g.Local(wasm.LocalSet, g.nextLocal(i))
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
	for _, it := range slices.Backward(r.items) {
		if it.br != nil {
			g.reverseBranch(it.br)
			continue
		}
		c := it.cell
		switch a := g.adj[c.result]; a.reach {
		case Yes:
			g.fire(c, always)
		case Maybe:
			if slices.ContainsFunc(c.args, func(v id) bool { return g.flag(v) > one }) {
				g.Local(wasm.LocalGet, g.flagLocal(c.result))
				g.fork(func() { g.fire(c, always) }, func() {})
			} else {
				g.fire(c, g.flagLocal(c.result))
			}
		}
		delete(g.adj, c.result)
	}
}

func (g *gen) reverseBranch(br *branch) {
	if !slices.ContainsFunc(br.phis, func(v id) bool { return g.adj[v].reach != No }) {
		return
	}
	g.get(br.a)
	g.get(br.b)
	g.Op(compares[br.cmp])
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

// transfer adds the adjoint of a number to that of the number that it is.
func (g *gen) transfer(from, to id) {
	when := always
	switch g.adj[from].reach {
	case No:
		return
	case Maybe:
		when = g.flagLocal(from)
	}
	g.contribute(to, when, func() { g.pushAdjoint(from) })
}

// fork makes code for both sides of the condition on the stack.
func (g *gen) fork(then, els func()) {
	outer, saved := g.Encoder, g.adj
	side := func(do func()) (code wasm.Encoder, adj map[id]adjoint) {
		g.Encoder, g.adj = nil, make(map[id]adjoint, len(saved))
		for v, a := range saved {
			g.adj[v] = a
		}
		g.scope(do)
		return g.Encoder, g.adj
	}
	thenCode, thenAdj := side(then)
	elsCode, elsAdj := side(els)
	var all []id
	for v := range thenAdj {
		all = append(all, v)
	}
	for v := range elsAdj {
		if _, ok := thenAdj[v]; !ok {
			all = append(all, v)
		}
	}
	slices.Sort(all)
	merged := map[id]adjoint{}
	for _, v := range all {
		t, e := thenAdj[v], elsAdj[v]
		one := func(code *wasm.Encoder, a adjoint) {
			g.Encoder = *code
			if !a.begun {
				g.F64(0)
				g.Local(wasm.LocalSet, g.adjointLocal(v))
			}
			if t.reach != e.reach && a.reach != Maybe {
				g.setFlag(v, int32(a.reach))
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
	g.Op(wasm.If, wasm.None)
	g.Op(thenCode...)
	if len(elsCode) > 0 {
		g.Op(wasm.Else)
		g.Op(elsCode...)
	}
	g.Op(wasm.End)
}

// fire makes the code of a cell that is reached, if the local when says so.
func (g *gen) fire(c *cell, when int) {
	g.countCell(c, 0, 0, when)
	for i, to := range c.args {
		if g.flag(to) == zero {
			continue
		}
		g.contribute(to, when, func() {
			switch slope := c.slopes[i]; {
			case slope == one:
				g.pushAdjoint(c.result)
			default:
				g.get(slope)
				g.pushAdjoint(c.result)
				g.Op(wasm.F64Mul)
			}
		})
	}
}

// countCell counts a cell, if the local when says so, by the operands from i on that have an adjoint; those before are
// live.
func (g *gen) countCell(c *cell, i int, live uint8, when int) {
	for ; i < len(c.args); i++ {
		switch flag := g.flag(c.args[i]); flag {
		case zero:
		case one:
			live |= 1 << i
		default:
			g.get(flag)
			g.F64(0)
			g.Op(wasm.F64Ne, wasm.If, wasm.None)
			g.scope(func() { g.countCell(c, i+1, live|1<<i, when) })
			g.Op(wasm.Else)
			g.scope(func() { g.countCell(c, i+1, live, when) })
			g.Op(wasm.End)
			return
		}
	}
	kind := Kind{c.sym, live}
	if when != always {
		n, ok := g.counted[kind]
		if !ok {
			n = len(g.groups)
			g.counted[kind], g.groups = n, append(g.groups, Group{Kinds: []Kinds{{kind, 1}}})
		}
		g.count(n, when)
		return
	}
	n := g.group[len(g.group)-1]
	if n < 0 {
		n = len(g.groups)
		g.groups = append(g.groups, Group{})
		g.group[len(g.group)-1] = n
		g.count(n, always)
	}
	g.groups[n].add(kind)
}

// contribute adds what push leaves to the adjoint of a number, which is reached then, if the local when says so.
func (g *gen) contribute(to id, when int, push func()) {
	if g.flag(to) == zero {
		return
	}
	or := func(other func()) { // what is on the stack, or what it was
		if when != always {
			other()
			g.Local(wasm.LocalGet, when)
			g.Op(wasm.Select)
		}
	}
	e := &g.values[to]
	switch e.op {
	case element:
		s := &g.Streams[e.n]
		at := StreamBytes + 8*(int(e.num)-s.At)
		load := func(at int) func() {
			return func() {
				g.Local(wasm.LocalGet, localStream+e.n)
				g.Memory(wasm.F64Load, at)
			}
		}
		g.Local(wasm.LocalGet, localStream+e.n)
		load(at)()
		push()
		g.Op(wasm.F64Add)
		or(load(at))
		g.Memory(wasm.F64Store, at)
		if when == always && len(g.known) == 1 {
			g.sure[to] = true
			return
		}
		g.Local(wasm.LocalGet, localStream+e.n)
		g.F64(1)
		or(load(at + StreamBytes))
		g.Memory(wasm.F64Store, at+StreamBytes)
		return
	case input: // those with one adjoint
		to = g.make(g.root, expr{op: input, n: slices.Index(g.sig, g.sig[e.n])})
	}
	a := g.adj[to]
	if a.begun {
		g.pushAdjoint(to)
		push()
		g.Op(wasm.F64Add)
		or(func() { g.pushAdjoint(to) })
	} else {
		push()
		or(func() { g.F64(0) })
	}
	g.Local(wasm.LocalSet, g.adjointLocal(to))
	switch {
	case when == always:
		a.reach = Yes
	case a.reach != Yes:
		g.Local(wasm.LocalGet, when)
		if a.reach == Maybe {
			g.Local(wasm.LocalGet, g.flagLocal(to))
			g.Op(wasm.I32Or)
		}
		g.Local(wasm.LocalSet, g.flagLocal(to))
		a.reach = Maybe
	}
	g.adj[to] = adjoint{true, a.reach}
}
