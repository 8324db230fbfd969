package native

import (
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/term"
)

// possible reports whether the statement has instructions only that there is code for.
func (n *Nest) possible() bool {
	v := n.v
	for _, r := range v.Results {
		if r.Lane < 0 {
			return false
		}
		if !slices.Contains(n.results, r.Lane) {
			n.results = append(n.results, r.Lane)
		}
	}
	n.Words += 2 * len(n.results)
	branches := false
	for _, l := range v.Loops {
		branches = branches || l.Where >= 0
	}
	if !branches {
		return false
	}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		switch l.Op {
		case ir.LaneNone, ir.LaneConst, ir.LaneScalar, ir.LaneAdd, ir.LaneMul, ir.LaneWhere, ir.LaneExpand, ir.LaneTake:
		case ir.LaneIndex:
			if len(l.At.Outer) > 0 {
				return false
			}
		case ir.LaneLoad:
			if l.Held {
				return false
			}
		case ir.LaneFun1, ir.LaneFun2:
			if _, ok := instructions[l.Sym]; !ok && !wasm.Translated(l.Sym) {
				return false
			}
		case ir.LaneSum:
			if l.Sym != term.NoSymbol || v.Loops[v.Lanes[l.A].Loop].Parent != l.Loop {
				return false
			}
		case ir.LaneTest, ir.LaneNot, ir.LaneSelect:
			if l.Loop < 0 {
				return false
			}
			n.loop(l.Loop).blocks = v.Loops[l.Loop].Size > mostBits
		default:
			return false
		}
	}
	return true
}

// operation reports whether an instruction is one that has a cell.
func operation(op ir.LaneOp) bool {
	return op == ir.LaneAdd || op == ir.LaneMul || op == ir.LaneFun1 || op == ir.LaneFun2
}

// operands are those of an operation.
func operands(l *ir.Lane) []int {
	if l.Op == ir.LaneFun1 {
		return []int{l.A}
	}
	return []int{l.A, l.B}
}

// liveness finds what has adjoints, what is found where it is read, and what depends on indices only.
func (n *Nest) liveness(input func(i int) bool) {
	for i := range n.lanes {
		l, s := &n.lanes[i], &n.v.Lanes[i]
		*l = nestLane{mixed: -1, guard: -1, table: -1, array: -1, heads: -1, counter: -1}
		s.Operands(func(k int) { n.lanes[k].uses = append(n.lanes[k].uses, i) })
		a := &nestLane{}
		if len(n.lanes) > s.A {
			a = &n.lanes[s.A]
		}
		switch s.Op {
		case ir.LaneConst, ir.LaneIndex:
			l.lazy, l.fixed = true, true
		case ir.LaneLoad, ir.LaneScalar:
			l.lazy = true
			l.live = input(i)
			l.grad = l.live
		case ir.LaneExpand:
			l.live, l.grad, l.mixed, l.fixed, l.lazy = a.live, a.grad, a.mixed, a.fixed, true
		case ir.LaneTake:
			l.live, l.grad, l.mixed, l.lazy = a.live, a.grad, a.mixed, true
		case ir.LaneSum:
			l.live = a.live || n.loop(n.v.Lanes[s.A].Loop).Size > 1
			if l.grad = a.grad; a.mixed >= 0 && n.loop(n.v.Lanes[s.A].Loop).Size == 1 {
				n.fails = true
			}
		case ir.LaneSelect:
			b := &n.lanes[s.B]
			l.live, l.grad = a.live || b.live, a.grad || b.grad
			switch {
			case a.mixed >= 0 || b.mixed >= 0 || b.live && !a.live:
				n.fail(l.live)
			case a.live && !b.live:
				l.mixed = s.C
			}
		default:
			if !operation(s.Op) {
				continue
			}
			l.live, l.fixed = !s.Indices, true
			for _, k := range operands(s) {
				o := &n.lanes[k]
				l.grad, l.fixed = l.grad || o.grad && l.live, l.fixed && o.fixed
				n.fail(o.mixed >= 0)
			}
		}
		if l.fixed && s.Op != ir.LaneConst && s.Op != ir.LaneExpand {
			if l.fixed = n.tabulate(i); l.fixed {
				l.lazy = true
			}
		}
	}
	for _, r := range n.results {
		n.fail(n.lanes[r].lazy)
	}
}

// tabulate makes the table of an instruction that depends on indices only, and reports whether it is short.
func (n *Nest) tabulate(i int) bool {
	var depends [len(ir.Affine{}.By)]bool
	var find func(i int)
	find = func(i int) {
		s := &n.v.Lanes[i]
		for k, by := range s.At.By {
			depends[k] = depends[k] || s.Op == ir.LaneIndex && by != 0
		}
		s.Operands(find)
	}
	find(i)
	t := nestTable{}
	size := 1
	for k := n.v.Lanes[i].Loop; k >= 0; k = n.loop(k).Parent {
		if depends[k] {
			t.loops = append(t.loops, k)
			if size *= n.loop(k).Size; size > mostTable {
				return false
			}
		}
	}
	for j := range size {
		var at [len(ir.Affine{}.By)]int
		for _, k := range t.loops {
			at[k] = j % n.loop(k).Size
			j /= n.loop(k).Size
		}
		t.values = append(t.values, n.fixed(i, &at))
	}
	n.lanes[i].table = len(n.tables)
	n.tables = append(n.tables, t)
	return true
}

// fixed is the number of an instruction that depends on indices only.
func (n *Nest) fixed(i int, at *[len(ir.Affine{}.By)]int) float64 {
	switch s := &n.v.Lanes[i]; s.Op {
	case ir.LaneConst:
		return s.Val
	case ir.LaneIndex:
		x := s.At.N
		for k, by := range s.At.By {
			x += by * at[k]
		}
		return float64(x)
	case ir.LaneExpand:
		return n.fixed(s.A, at)
	case ir.LaneFun1:
		return s.Sym.Eval(n.fixed(s.A, at))
	default:
		return s.Sym.Eval(n.fixed(s.A, at), n.fixed(s.B, at))
	}
}

// summand reports whether a select is a summand, which needs to be computed only in the branch: elsewhere it is a
// numeral.
func (n *Nest) summand(i int) bool {
	s := &n.v.Lanes[i]
	return s.Op == ir.LaneSelect && n.v.Lanes[s.B].Op == ir.LaneConst && len(n.lanes[i].uses) > 0 &&
		!slices.ContainsFunc(n.lanes[i].uses, func(k int) bool { return n.v.Lanes[k].Op != ir.LaneSum })
}

// under is the loop right inside k that is loop, or around it; −1 if there is none.
func (n *Nest) under(k, loop int) int {
	for ; loop >= 0; loop = n.loop(loop).Parent {
		if n.loop(loop).Parent == k {
			return loop
		}
	}
	return -1
}

// guards finds in which iterations an instruction is computed: those of a test, if only what is computed there reads
// it.
func (n *Nest) guards() {
	for i := len(n.lanes) - 1; i >= 0; i-- {
		l, s := &n.lanes[i], &n.v.Lanes[i]
		if n.summand(i) {
			l.guard = s.C
			continue
		}
		if s.Op == ir.LaneTest || s.Op == ir.LaneNot || len(l.uses) == 0 {
			continue
		}
		for j, k := range l.uses {
			u := &n.v.Lanes[k]
			guard := n.lanes[k].guard
			switch {
			case u.Op == ir.LaneSum || u.Op == ir.LaneTake || u.Op == ir.LaneTest || u.Op == ir.LaneNot || u.Op == ir.LaneWhere:
				guard = -1
			case u.Op == ir.LaneSelect && u.C == i:
				guard = -1
			case u.Op == ir.LaneSelect && u.A == i && u.B != i:
				guard = u.C
			case u.Op == ir.LaneSelect && u.B == i && u.A != i:
				guard = n.notOf(u.C)
			case u.Loop != s.Loop:
				guard = -1
				if c := n.under(s.Loop, u.Loop); c >= 0 {
					guard = n.loop(c).Where
				}
			}
			if j == 0 {
				l.guard = guard
			} else if l.guard != guard {
				l.guard = -1
			}
		}
		if l.guard >= 0 && (s.Loop < 0 || n.lastTest(l.guard) > i) {
			l.guard = -1
		}
	}
}

// lastTest is the last of the tests that make the bits of a test.
func (n *Nest) lastTest(test int) int {
	s := &n.v.Lanes[test]
	if s.Op == ir.LaneNot {
		test = n.lastTest(s.A)
	}
	if s.C >= 0 {
		test = max(test, n.lastTest(s.C))
	}
	return test
}

// notOf is the instruction that is 1 where a test is 0, −1: there is none.
func (n *Nest) notOf(test int) int {
	for _, k := range n.lanes[test].uses {
		if s := &n.v.Lanes[k]; s.Op == ir.LaneNot && s.A == test {
			return k
		}
	}
	return -1
}

// within is the set of iterations in r that take a branch; ok is false where that is none that there is code for.
func (n *Nest) within(r reachSet, test int) (s reachSet, ok bool) {
	if test < 0 {
		return s, false
	}
	return reachSet{of: []int{test}}, r.all || r.is(n.v.Lanes[test].C)
}

// reaches finds in which iterations what has an adjoint is reached.
func (n *Nest) reaches(reached func(k int) bool) {
	if !n.taped {
		return
	}
	for k, r := range n.v.Results {
		if reached(k) {
			n.lanes[r.Lane].reach.all = true
		}
	}
	for i := len(n.lanes) - 1; i >= 0 && !n.fails; i-- {
		l, s := &n.lanes[i], &n.v.Lanes[i]
		if l.reach.none() || !l.live {
			continue
		}
		n.fail(!l.reach.all && n.loop(s.Loop).Size > mostBits && !n.loop(s.Loop).blocks)
		to := func(k int, r reachSet) {
			o := &n.lanes[k]
			if !o.live {
				return
			}
			from := n.v.Lanes[k].Loop
			if from == s.Loop {
				o.reach.add(r)
				return
			}
			// It is one number for all iterations: an input, which has a flag.
			n.fail(!o.lazy || o.fixed)
			o.reach.add(reachSet{all: true})
		}
		switch {
		case operation(s.Op):
			for _, k := range operands(s) {
				to(k, l.reach)
			}
		case s.Op == ir.LaneSelect:
			for k, x := range []int{s.A, s.B} {
				if !n.lanes[x].live {
					continue
				}
				test := s.C
				if k == 1 {
					test = n.notOf(test)
				}
				if l.guard >= 0 && k == 0 && l.reach.all {
					l.reach = reachSet{of: []int{test}}
				}
				r, ok := l.reach, l.reach.is(test)
				if !ok {
					r, ok = n.within(l.reach, test)
				}
				n.fail(!ok)
				to(x, r)
			}
		case s.Op == ir.LaneSum:
			c := n.v.Lanes[s.A].Loop
			n.fail(!l.reach.is(n.loop(c).Where))
			n.lanes[s.A].reach.add(reachSet{all: true})
		case s.Op == ir.LaneExpand:
			r, from := reachSet{all: true}, n.v.Lanes[s.A].Loop
			c := n.under(from, s.Loop)
			if w := n.loop(c).Where; w >= 0 {
				r = reachSet{of: []int{w}}
			}
			some := !l.reach.all
			for k := s.Loop; k != c; k = n.loop(k).Parent {
				some = some || n.loop(k).Where >= 0
			}
			if l.some = some && from >= 0; l.some {
				r = reachSet{of: []int{^s.A}}
				n.fail(n.loop(from).Size > mostBits && !n.loop(from).blocks)
			}
			n.lanes[s.A].reach.add(r)
		case s.Op == ir.LaneTake:
			from := n.v.Lanes[s.A].Loop
			n.fail(l.grad || n.loop(from).Parent != s.B || n.loop(from).Size > mostBits ||
				n.loop(s.Loop).Size > mostBits || n.shift(i) < 0)
			n.lanes[s.A].reach.add(reachSet{of: []int{^s.A}})
		}
	}
	for i := range n.lanes { // the code goes through the iterations in which they are computed
		l, op := &n.lanes[i], n.v.Lanes[i].Op
		if l.grad && !l.reach.none() && (operation(op) || op == ir.LaneSelect) {
			n.fail(!l.reach.is(l.guard))
		}
	}
}

// shift is the first element that a take selects whose iterations select one after the other, −1: they do not.
func (n *Nest) shift(i int) int {
	s := &n.v.Lanes[i]
	first, by := n.taken(i)
	if first < 0 || len(s.At.Outer) > 0 || first+n.loop(s.Loop).Size > n.loop(n.v.Lanes[s.A].Loop).Size {
		return -1
	}
	if by != oneByOne(s.Loop) {
		return -1
	}
	return first
}

// oneByOne is how far apart places are that follow each other in a loop, whatever those around it are.
func oneByOne(loop int) (by [len(ir.Affine{}.By)]int) {
	by[loop] = 1
	return by
}

// taken is which element a take selects, of the vector that an iteration of its loop B makes.
func (n *Nest) taken(i int) (first int, by [len(ir.Affine{}.By)]int) {
	s := &n.v.Lanes[i]
	apart, by := 1, s.At.By
	for k := n.v.Lanes[s.A].Loop; k != s.B; k = n.loop(k).Parent {
		apart *= n.loop(k).Size
	}
	for k := s.B; k >= 0; k = n.loop(k).Parent {
		by[k] -= apart
		apart *= n.loop(k).Size
	}
	return s.At.N, by
}

// reads calls f for each instruction that is computed and that the number of instruction i is made of, and says through
// which take, −1: none.
func (n *Nest) reads(i int, f func(k, take int)) {
	s := &n.v.Lanes[i]
	each := func(k int) {
		if n.lanes[k].lazy {
			n.reads(k, f)
		} else {
			f(k, -1)
		}
	}
	switch {
	case n.lanes[i].fixed:
	case s.Op == ir.LaneTake:
		f(s.A, i)
	default:
		s.Operands(each)
	}
}

// unitOf is what makes the number of an instruction in an iteration of loop k, ok is false if it is outside.
func (n *Nest) unitOf(i, k int) (it unit, ok bool) {
	if n.loopOf(i) == k {
		return unit{i, -1}, true
	}
	c := n.under(k, n.loopOf(i))
	return unit{-1, c}, c >= 0
}

// loopOf is the loop in whose body an instruction runs: a sum in that of its summands.
func (n *Nest) loopOf(i int) int {
	if s := &n.v.Lanes[i]; s.Op == ir.LaneSum {
		i = s.A
	}
	return n.v.Lanes[i].Loop
}

// divide divides the bodies of loops into phases.
func (n *Nest) divide() {
	for i := range n.lanes {
		for _, k := range n.lanes[i].uses { // what is taken is in an array
			if n.v.Lanes[k].Op == ir.LaneTake {
				n.lanes[i].lazy = false
				n.inArray(i, n.v.Lanes[k].B)
			}
		}
		if s := &n.v.Lanes[i]; s.Op == ir.LaneTest || s.Op == ir.LaneNot {
			n.loop(s.Loop).tests = append(n.loop(s.Loop).tests, i)
		}
	}
	for k := -1; k < len(n.v.Loops) && !n.fails; k++ {
		n.divideLoop(k)
	}
}

// inArray puts the numbers of an instruction, for the loops inside top, in an array.
func (n *Nest) inArray(i, top int) {
	l := &n.lanes[i]
	var dims []int
	for k := n.v.Lanes[i].Loop; k != top; k = n.loop(k).Parent {
		if k < 0 {
			n.fails = true
			return
		}
		dims = append(dims, k)
	}
	if len(dims) > len(l.dims) {
		l.dims = dims
	}
}

func (n *Nest) divideLoop(k int) {
	loop := n.loop(k)
	loop.units = map[unit]int{}
	for i := range n.lanes {
		op := n.v.Lanes[i].Op
		it, inside := n.unitOf(i, k)
		_, known := loop.units[it]
		if n.lanes[i].lazy || op == ir.LaneNone || op == ir.LaneWhere || op == ir.LaneNot || !inside || known {
			continue
		}
		of := []int{i} // the instructions of the unit
		guard, least := n.lanes[i].guard, 0
		switch {
		case it.loop >= 0:
			guard, of = n.loop(it.loop).Where, of[:0]
			for j := range n.lanes {
				if u, ok := n.unitOf(j, k); ok && u == it && !n.lanes[j].lazy {
					of = append(of, j)
				}
			}
		case op == ir.LaneSum:
			if guard = -1; n.summand(n.v.Lanes[i].A) {
				guard = n.v.Lanes[n.v.Lanes[i].A].C
			}
		case op == ir.LaneSelect && guard < 0:
			least = n.phaseOf(n.v.Lanes[i].C) + 1
		}
		for _, j := range of {
			n.reads(j, func(j, take int) {
				d, ok := n.unitOf(j, k)
				others := take >= 0 && n.v.Lanes[take].B != k && n.under(k, n.v.Lanes[take].B) < 0
				if !ok || d == it {
					// What a loop takes outside of its iterations, of a vector that it makes, is not there when it begins.
					outside := take >= 0 && d.loop >= 0 && n.under(k, n.v.Lanes[take].Loop) < 0
					n.fail(ok && (others || outside))
					return
				}
				at, known := loop.units[d]
				if n.fail(!known); others { // it may be that of another iteration
					at++
					n.fail(loop.blocks)
				}
				least = max(least, at)
			})
		}
		if n.fails {
			return
		}
		if guard >= 0 {
			least = max(least, n.phaseOf(guard)+1)
		}
		at := least
		for at < len(loop.phases) && loop.phases[at].guard != guard {
			at++
		}
		if at == len(loop.phases) {
			loop.phases = append(loop.phases, phase{guard: guard})
		}
		loop.phases[at].units = append(loop.phases[at].units, it)
		loop.units[it] = at
		for _, j := range of {
			n.crossings(j, k, at)
		}
	}
}

// crossings puts in arrays what phase at of loop k reads of other phases, for an instruction.
func (n *Nest) crossings(i, k, at int) {
	n.reads(i, func(j, take int) {
		d, ok := n.unitOf(j, k)
		if !ok || take >= 0 || n.v.Lanes[j].Loop != k || n.loop(k).units[d] == at {
			return
		}
		n.inArray(j, n.loop(k).Parent)
		where := -1
		if d.loop >= 0 {
			where = n.loop(d.loop).Where
		}
		n.fail(n.lanes[j].grad || where >= 0 && where != n.loop(k).phases[at].guard)
	})
}

// phaseOf is the phase behind which the bits of a test are known.
func (n *Nest) phaseOf(test int) int {
	s := &n.v.Lanes[test]
	at := 0
	if s.Op == ir.LaneNot {
		at = n.phaseOf(s.A)
	} else {
		at = n.loop(s.Loop).units[unit{test, -1}]
	}
	if s.C >= 0 {
		at = max(at, n.phaseOf(s.C))
	}
	return at
}

// span is the least and the largest place of a load, without what all iterations share.
func (n *Nest) span(i int) (lo, hi int) {
	for k, by := range n.v.Lanes[i].At.By {
		if by != 0 {
			d := by * (n.loop(k).Size - 1)
			lo, hi = lo+min(0, d), hi+max(0, d)
		}
	}
	return lo, hi
}

// layout gives all that is in memory its place: what backward code adds to comes first, and arrays come last, so that
// most accesses are below another one with the same base, whose bounds have been checked.
func (n *Nest) layout() {
	room := func(words int) int {
		n.Words += words
		return n.Words - words
	}
	cleared := func(list *[][2]int, words int) int {
		*list = append(*list, [2]int{n.Words, n.Words + words})
		return room(words)
	}
	for i := range n.lanes {
		l, s := &n.lanes[i], &n.v.Lanes[i]
		n.data[i], n.adj[i] = -1, -1
		switch {
		case (s.Op == ir.LaneLoad || s.Op == ir.LaneScalar) && l.grad:
			lo, hi := n.span(i)
			flags := hi - lo + 1
			if l.flagged = !n.inOrder(i); l.flagged {
				n.fail(slices.Contains(l.reach.of, ^i))
			} else {
				flags = 1
				n.loop(s.Loop).arrive = append(n.loop(s.Loop).arrive, i)
			}
			n.adj[i] = cleared(&n.behind, hi-lo+1+flags)
		case s.Op == ir.LaneTest:
			l.counter = cleared(&n.ahead, 1)
		case n.isMixed(i):
			switch size := n.loop(n.v.Lanes[s.A].Loop).Size; {
			case n.hasSet(n.loopOf(i)):
			case size >= longSum:
				l.heads = cleared(&n.behind, 4) // by kinds
			case !n.fail(size > mostHeads):
				l.heads = cleared(&n.behind, 1<<size)
			}
		}
		if n.taped && l.live && operation(s.Op) && !l.reach.none() && !l.reach.isTest() {
			loop := n.loop(s.Loop)
			g := slices.IndexFunc(loop.reach, func(g reachGroup) bool { return g.equal(l.reach) })
			if g < 0 {
				g = len(loop.reach)
				loop.reach = append(loop.reach, reachGroup{l.reach, cleared(&n.behind, 1)})
			}
			l.counter = loop.reach[g].counter
		}
	}
	for i := range n.lanes {
		switch op := n.v.Lanes[i].Op; {
		case op == ir.LaneLoad || op == ir.LaneScalar:
			lo, hi := n.span(i)
			n.data[i] = room(hi - lo + 1)
		case n.lanes[i].table >= 0:
			t := &n.tables[n.lanes[i].table]
			t.at = room(len(t.values))
		}
	}
	for i := range n.lanes {
		if l := &n.lanes[i]; l.dims != nil {
			words := 1
			for _, k := range l.dims {
				words *= n.loop(k).Size
			}
			l.array = room(words)
		}
	}
	n.fail(n.Words > mostWords)
}

// inOrder reports whether each iteration of the loop of a load reads the next element, whatever those around it are:
// then one word says which are reached.
func (n *Nest) inOrder(i int) bool {
	s := &n.v.Lanes[i]
	return s.Loop >= 0 && n.loop(s.Loop).Size <= mostBits && s.At.By == oneByOne(s.Loop)
}

// need notes that the backward code of phase at of loop k reads the number of an instruction.
func (n *Nest) need(i, k, at int) {
	l, s := &n.lanes[i], &n.v.Lanes[i]
	switch {
	case l.fixed || s.Op == ir.LaneConst || s.Op == ir.LaneLoad || s.Op == ir.LaneScalar:
	case s.Op == ir.LaneExpand:
		n.need(s.A, k, at)
	case s.Loop != k:
		c := n.under(s.Loop, k)
		n.need(i, s.Loop, n.loop(s.Loop).units[unit{-1, c}])
	default:
		if p := &n.loop(k).phases[at]; !slices.Contains(p.pushed, i) {
			p.pushed = append(p.pushed, i)
		}
	}
}

// pushes finds what the forward code leaves for the backward code, and which loops and phases have such code.
func (n *Nest) pushes() {
	if !n.taped {
		return
	}
	for k := len(n.v.Loops) - 1; k >= -1; k-- {
		loop := n.loop(k)
		loop.back = len(loop.reach) > 0
		for at := range loop.phases {
			p := &loop.phases[at]
			for _, it := range p.units {
				if it.loop >= 0 {
					p.back = p.back || n.loop(it.loop).back
					continue
				}
				l, s := &n.lanes[it.lane], &n.v.Lanes[it.lane]
				if !l.grad || l.reach.none() {
					continue
				}
				p.back = true
				if operation(s.Op) {
					n.eachNeeded(it.lane, func(i int) { n.need(i, k, at) })
				}
			}
			if loop.back = loop.back || p.back; p.back && p.guard >= 0 {
				n.pushTest(loop, p.guard)
			}
		}
		for i := range n.lanes {
			l, s := &n.lanes[i], &n.v.Lanes[i]
			if s.Loop == k && !l.reach.none() && (s.Op == ir.LaneTake || s.Op == ir.LaneLoad || l.some) {
				loop.back = true // it says which elements are reached
			}
			for _, t := range l.reach.of {
				if t >= 0 && s.Loop == k {
					n.pushTest(loop, t)
				}
			}
			if n.isMixed(i) && n.loopOf(i) == k {
				loop.back = true
				n.pushTest(loop, n.lanes[s.A].mixed)
			}
		}
	}
	for k := range n.loops { // what can be made again from the others is not pushed
		words := len(n.loops[k].pushed)
		for at := range n.loops[k].phases {
			p := &n.loops[k].phases[at]
			slices.Sort(p.pushed)
			p.pushed = slices.DeleteFunc(p.pushed, func(i int) bool {
				s := &n.v.Lanes[i]
				if s.Op != ir.LaneMul && s.Op != ir.LaneAdd {
					return false
				}
				free := true
				for _, o := range operands(s) {
					op := n.v.Lanes[o].Op
					free = free && (n.lanes[o].fixed || op == ir.LaneLoad || op == ir.LaneScalar || slices.Contains(p.pushed, o))
				}
				return free
			})
			if words += len(p.pushed) * n.loops[k].Size; p.guard >= 0 {
				words -= len(p.pushed) * n.loops[k].Size / 2
			}
		}
		n.Room += 8 * float64(words) * n.v.Expected(n.loops[k].Parent)
	}
}

// isMixed reports whether an instruction is a sum some of whose summands have adjoints.
func (n *Nest) isMixed(i int) bool {
	s := &n.v.Lanes[i]
	return n.taped && s.Op == ir.LaneSum && n.lanes[s.A].mixed >= 0 && !n.lanes[i].reach.none()
}

func (n *Nest) pushTest(loop *nestLoop, test int) {
	if !slices.Contains(loop.pushed, test) {
		loop.pushed = append(loop.pushed, test)
	}
}

// eachNeeded calls f for the numbers of which the partial derivatives of operation x are made.
func (n *Nest) eachNeeded(x int, f func(i int)) {
	s := &n.v.Lanes[x]
	of := operands(s)
	for k, o := range of {
		if n.lanes[o].grad && s.Sym != term.NoSymbol {
			s.Sym.Info().Slopes[k].Reads(len(of), func(i int) { f(append(of, x)[i]) })
		}
	}
}

// parts finds whether the code may run in parts: one phase of the outermost loop has loops, and only it adds to the
// result and has backward code.
func (n *Nest) parts() {
	n.Parts, n.outer = 1, -2
	root := n.loop(-1)
	if len(root.units) != 1 || root.phases[0].units[0].loop < 0 || len(n.results) > 1 {
		return
	}
	c, loops := root.phases[0].units[0].loop, 0
	if n.v.Lanes[n.results[0]].Op != ir.LaneSum || n.loopOf(n.results[0]) != c {
		return
	}
	for _, p := range n.loop(c).phases {
		if p.hasLoops() {
			loops++
			continue
		}
		for _, u := range p.units {
			if l := &n.lanes[u.lane]; u.lane == n.results[0] || l.grad && !l.reach.none() {
				return
			}
		}
	}
	if loops == 1 {
		n.Parts, n.outer = n.loop(c).Size, c
		if n.loop(c).blocks {
			n.Parts = (n.Parts + mostBits - 1) / mostBits
		}
	}
}
