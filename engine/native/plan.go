package native

import (
	"slices"

	"github.com/gram-machine/gram/engine/wasm"
)

// plan is what the forward code keeps, and what each code computes.
type plan struct {
	Row    int        // the numbers of a row
	column map[id]int // of what a row has
	next   map[id]int // what a state is at the end of an iteration, which the next row has: the state
	made   [2]map[id]bool
}

// The two codes.
const (
	forward = iota
	backward
)

// makePlan chooses what a row has. What the backward code needs it loads or computes again. A number that takes more
// than a few instructions is loaded, and so is one for which two others would be.
func (f *Form) makePlan() {
	f.column, f.next = map[id]int{}, map[id]int{}
	f.made = [2]map[id]bool{{}, {}}
	var roots []id
	if f.taped {
		for _, c := range f.cells {
			c.slopes = make([]id, len(c.args))
			for i, a := range c.args {
				if flag := f.flag(a); flag != zero {
					c.slopes[i] = f.slope(c, i)
					roots = append(roots, flag, c.slopes[i])
				}
			}
		}
		for _, br := range f.branches {
			roots = append(roots, br.a, br.b)
		}
		f.root.walk(func(it item) {
			switch s := it.store; {
			case s != nil && (s.flag != zero || s.old != none):
				roots = append(roots, s.flag)
				f.parts(s.slot, func(a id) { roots = append(roots, a) })
				if s.old != none {
					roots = append(roots, s.old, s.oldFlag)
				}
			case it.sum != nil:
				roots = append(roots, it.sum.of, it.sum.i)
			}
		})
		for _, lp := range f.loops {
			for _, s := range lp.sums {
				if flag := f.flag(s.cell.args[1]); flag > one { // that of an earlier row is read
					f.column[flag] = 0
				}
			}
			roots = append(roots, lp.start, lp.end)
			f.findOutside(lp)
		}
		for i := range f.values {
			switch e := &f.values[i]; {
			case e.op == lookup && f.Tables[e.n].Live:
				roots = append(roots, e.a)
			case e.op == slot && f.flag(id(i)) != zero:
				roots = append(roots, e.a, e.b)
			}
		}
	}
	for _, v := range roots {
		if f.loaded(v) {
			f.keep(v)
		}
	}
	for _, v := range roots {
		switch missing := f.missing(v, map[id]bool{}, nil); len(missing) {
		case 0:
		case 1:
			f.keep(missing[0])
		default:
			f.keep(v)
		}
	}
	for i := range f.states {
		s := &f.states[i]
		if _, ok := f.column[s.in]; ok && s.instead == i {
			f.column[s.in] = f.Row
			f.Row++
			if _, taken := f.next[s.out]; !taken {
				f.next[s.out] = i
			}
		}
	}
	f.Row = f.columns(f.root, f.Row)
	for v := range f.values {
		switch e := &f.values[v]; e.op {
		case refer, slot, alive:
			for r := e.in.loop; r != nil && !f.values[e.a].in.inside(r.body); r = r.body.parent.loop {
				if !slices.Contains(r.addresses, e.a) {
					r.addresses = append(r.addresses, e.a)
				}
			}
		}
	}
	for i := range f.states {
		f.need(forward, f.states[i].out)
	}
	for _, lp := range f.loops {
		f.need(forward, lp.start)
		f.need(forward, lp.end)
		for _, c := range lp.carries {
			f.need(forward, c.out)
			if c.init != none {
				f.need(forward, c.init)
			}
		}
	}
	for v := range f.column {
		f.need(forward, v)
	}
	f.root.walk(func(it item) {
		switch set, add := it.store, it.sum; {
		case set != nil:
			f.need(forward, set.value)
			f.need(forward, set.flag)
			f.parts(set.slot, func(a id) { f.need(forward, a) })
		case add != nil:
			for _, v := range [...]id{add.of, add.i, add.x, add.flag, add.cell.args[0]} {
				f.need(forward, v)
			}
			for r := add.cell.in.loop; r != nil && !f.values[add.of].in.inside(r.body); r = r.body.parent.loop {
				r.addresses = append(r.addresses, add.of)
			}
		}
	})
	for _, s := range f.stores {
		f.need(forward, s.value)
		f.need(forward, s.flag)
	}
	for _, br := range f.branches {
		f.need(forward, br.a)
		f.need(forward, br.b)
	}
	for _, v := range roots {
		f.need(backward, v)
	}
}

// walk calls do for the items of a region, and then for those of the regions in each.
func (r *region) walk(do func(it item)) {
	for _, it := range r.items {
		do(it)
		switch {
		case it.br != nil:
			it.br.then.walk(do)
			it.br.els.walk(do)
		case it.loop != nil:
			it.loop.body.walk(do)
		}
	}
}

// Stores reports whether iterations set numbers of vectors in memory that may have an adjoint.
func (f *Form) Stores() bool { return f.root.stores }

// Vector is, of a state that is the address of a vector, its table at first, −1 if there is none, how many numbers it
// has and how many bytes each takes in memory.
func (f *Form) Vector(i int) (table, slots, width int, ok bool) {
	s := &f.states[i]
	if s.vector == nil {
		return 0, 0, 0, false
	}
	m := s.vector.find()
	table = -1
	if f.sig[len(f.Inputs)+i] == Vector {
		table = slices.IndexFunc(f.Tables, func(t Table) bool { return t.space != nil && !t.Static && t.Object == s.reg })
	}
	return table, m.slots, m.width(), true
}

// Owns reports whether iterations change vectors that states refer to.
func (f *Form) Owns() bool { return f.owns > 0 }

// Steps is the most steps of an iteration, with one of each loop inside, where total gives those of a block.
func (f *Form) Steps(total func(block uint32) uint64) uint64 {
	var of func(r *region) uint64
	of = func(r *region) (n uint64) {
		for _, b := range r.Blocks {
			n += total(b)
		}
		for _, it := range r.items {
			switch {
			case it.br != nil:
				n += max(of(it.br.then), of(it.br.els))
			case it.loop != nil:
				n += of(it.loop.body)
			}
		}
		return n
	}
	return of(f.root)
}

// CellSteps is at least the steps of the backward phase of an iteration, where total gives those of a cell.
func (f *Form) CellSteps(total func(k Kind) uint64) (n uint64) {
	for _, c := range f.cells {
		most := uint64(0)
		for live := range uint8(1) << len(c.args) {
			most = max(most, total(Kind{c.sym, live}))
		}
		n += most
	}
	return n
}

// Cells is how many operations a region has, without those of the regions in it.
func (f *Form) Cells(n int) uint64 { return f.regions[n].cells }

// Region is what a region of the form counts, the whole body for 0.
func (f *Form) Region(n int) []uint32 { return f.regions[n].Blocks }

// AllStates is how many states there are, with those that say which of the loop's have an adjoint.
func (f *Form) AllStates() int { return len(f.states) }

// Initial is what a state is at first that says whether a state of the loop has an adjoint: that state.
func (f *Form) Initial(i int) (of int, ok bool) {
	if s := &f.states[i]; s.flag {
		return slices.Index(f.States, s.reg), true
	}
	return 0, false
}

// Shared is the first of the states that share the adjoint of a state.
func (f *Form) Shared(i int) int { return f.states[i].instead }

// LiveOut reports whether a state has an adjoint behind an iteration. saved are the states.
func (f *Form) LiveOut(i int, saved func(state int) float64) bool {
	s := &f.states[i]
	if s.outFlag <= one {
		return s.outFlag == one
	}
	return saved(slices.IndexFunc(f.states, func(o carried) bool { return o.flag && o.reg == s.reg })) != 0
}

// LiveStores is how many numbers of an iteration, of those that it makes, have an adjoint, or may have one.
func (f *Form) LiveStores() (n int) {
	for _, s := range f.stores {
		if s.flag != zero {
			n++
		}
	}
	return n
}

// Masked reports whether some numbers of a stream that it makes have no adjoint, or may have none.
func (f *Form) Masked(stream int) bool {
	return slices.ContainsFunc(f.stores, func(s store) bool {
		return s.stream == stream && s.flag != one
	})
}

// Liven says in live which numbers of a stream that it makes have an adjoint. flags is what the forward code has left,
// where that depends on the run: it is not 0 for those that have.
func (f *Form) Liven(stream int, live []bool, flags []float64) {
	for _, s := range f.stores {
		if s.stream != stream {
			continue
		}
		for i := s.at; i < len(live); i += f.Streams[stream].Width {
			live[i] = s.flag == one || s.flag > one && flags[i] != 0
		}
	}
}

// Stored reports whether the number that a state becomes is made.
func (f *Form) Stored(i int) bool {
	s := &f.states[i]
	return s.outFlag == one && slices.ContainsFunc(f.stores, func(o store) bool { return o.value == s.out })
}

// loaded reports whether a number can't be computed again with a few instructions.
func (f *Form) loaded(v id) bool {
	e := &f.values[v]
	switch e.op {
	case state, carry, last, made, before:
		return true
	case slot, alive: // it may have changed
		body := f.root
		if lp := e.in.loop; lp != nil {
			body = lp.body
		}
		return slices.Contains(body.owns, e.n)
	}
	return e.op == fun && !wasm.Short(e.sym, wasm.InlineBytes)
}

// stateWith returns the first state that a number is at the end of an iteration, −1 if there is none.
func (f *Form) stateWith(v id) int {
	for i := range f.states {
		if s := &f.states[i]; s.out == v && s.instead == i {
			return i
		}
	}
	return -1
}

// keep gives a number a column, or the state that it becomes.
func (f *Form) keep(v id) {
	if i := f.stateWith(v); i >= 0 && f.values[v].op != state {
		v = f.states[i].in
	}
	f.column[v] = 0
}

func (f *Form) kept(v id) bool {
	if _, ok := f.column[v]; ok {
		return true
	}
	if i := f.stateWith(v); i >= 0 {
		_, ok := f.column[f.states[i].in]
		return ok
	}
	return false
}

// missing appends what has to be loaded for a number to be computed.
func (f *Form) missing(v id, seen map[id]bool, all []id) []id {
	if seen[v] || f.kept(v) {
		return all
	}
	seen[v] = true
	if f.loaded(v) {
		return append(all, v)
	}
	f.parts(v, func(a id) { all = f.missing(a, seen, all) })
	return all
}

// parts calls do for what a number is computed from.
func (f *Form) parts(v id, do func(a id)) {
	switch e := f.values[v]; e.op {
	case constant, input, state, index, element, carry, last, made, begun:
	case lookup, owned, held:
		do(e.a)
	case phi:
		for _, a := range [...]id{e.br.a, e.br.b, e.a, e.b} {
			do(a)
		}
	case refer, slot, alive, before:
		do(e.a)
		do(e.b)
	default:
		for _, a := range f.operands(v) {
			do(a)
		}
	}
}

// operands are those of an operation.
func (f *Form) operands(v id) []id {
	e, n := &f.values[v], 2
	switch e.op {
	case neg:
		n = 1
	case fun:
		n = e.sym.Info().Arity
	}
	all := [...]id{e.a, e.b, e.c}
	return all[:n]
}

// columns gives the numbers of a region their columns from n on, and returns how many there are. The sides of a branch
// have the same. Rows of loops inside have columns of their own.
func (f *Form) columns(r *region, n int) int {
	for v := range f.values {
		if _, ok := f.column[id(v)]; ok && f.values[v].in == r && f.values[v].op != state {
			f.column[id(v)] = n
			n++
		}
	}
	for _, it := range r.items {
		switch {
		case it.br != nil:
			n = max(f.columns(it.br.then, n), f.columns(it.br.els, n))
		case it.loop != nil && f.taped:
			it.loop.saved = n
			n++
			it.loop.row = f.columns(it.loop.body, 0)
		}
	}
	return n
}

// findOutside finds the numbers with adjoints that are made outside of an inner loop and that its operations read.
func (f *Form) findOutside(lp *inner) {
	seen := map[id]bool{}
	see := func(v id) {
		e := &f.values[v]
		switch {
		case f.flag(v) == zero || e.in.inside(lp.body) || seen[v]:
		case e.op == constant || e.op == element || e.op == lookup || e.op == slot:
		default:
			seen[v] = true
			lp.outside = append(lp.outside, v)
		}
	}
	f.seeStates(lp, see)
	lp.body.walk(func(it item) {
		switch {
		case it.cell != nil:
			for _, a := range it.cell.args {
				see(a)
			}
		case it.br != nil:
			for _, v := range it.br.phis {
				see(f.values[v].a)
				see(f.values[v].b)
			}
		case it.store != nil:
			see(it.store.value)
		case it.sum != nil:
			see(it.sum.x)
		case it.loop != nil:
			f.seeStates(it.loop, see)
		}
	})
}

// seeStates calls see for what the states of an inner loop are made of.
func (f *Form) seeStates(lp *inner, see func(v id)) {
	for _, c := range lp.carries {
		if see(c.out); c.init != none {
			see(c.init)
		}
	}
}

// need notes that a code computes a number. The backward code loads one that is kept.
func (f *Form) need(code int, v id) {
	made := f.made[code]
	if made[v] || code == backward && f.kept(v) {
		return
	}
	made[v] = true
	f.parts(v, func(a id) { f.need(code, a) })
}
