package ir

import (
	"maps"
	"slices"

	"github.com/gram-machine/gram/term"
)

// leastUpdated is how many components a comprehension has at least that becomes an update: of fewer, each number may
// have a register.
const leastUpdated = 16

// update makes stores of comprehensions that copy a vector but for one component, or two:
//
//	vec i < n -> if i = k then x else v.(i)
//
// becomes v itself: the component k is set to x, if nothing reads the old v from there on. The steps are those of the
// loop. A vector that comes from elsewhere is copied first. A placed program keeps its loops, for its profile.
func update(p *Program, f *Func) {
	if p.Placed || !slices.ContainsFunc(f.Code, func(in Instr) bool { return in.Op == Fun2 && in.Sym == term.Same }) {
		return
	}
	u := newUpdater(p, f)
	var all []*updated
	for i := 0; i < len(f.Code); i++ {
		if end, ok := u.ends[i]; ok {
			if c := u.match(i, end); c != nil {
				all = append(all, c)
				i = end
			}
		}
	}
	for len(all) > 0 && len(all)*len(f.Code) < mostSearched {
		o := newUpdater(p, &Func{Args: f.Args, Regs: f.Regs, Code: u.replaced(all)})
		o.main = f == p.Funcs[0]
		copies, before := map[int]int{}, len(all)
		if all = slices.DeleteFunc(all, func(c *updated) bool {
			return !o.owned(c, copies, 0, len(o.f.Code)) && !o.ownedInLoop(c, copies)
		}); len(all) == before {
			f.Code = o.copied(copies)
			f.Regs = o.f.Regs
			break
		}
	}
}

// updater finds the loops of a function that are updates, and whether vectors may be changed.
type updater struct {
	p        *Program
	f        *Func
	sets, by []int
	users    [][]int // of a register: the instructions that read or set it
	ends     map[int]int
	live     map[int]map[Reg]bool // the registers that are read behind an instruction
	label    uint32
	main     bool    // it is the body of the program
	code     []Instr // that takes the place of loops
	pos      term.Pos
	places   map[Reg]slotPlace
}

// updated is a loop from a label to its end, which makes the vector into, of so many slots, of the vector of.
type updated struct {
	start, end  int
	alloc, init int // the instructions that make into, and that begin the index
	into, of    Reg
	slots       int
	code        []Instr
	at          int // where that is then, from the [Own] instruction on
}

// slotPlace is a sum of registers times numbers, and a number: an index, or how far behind a vector something is.
type slotPlace struct {
	vector bool
	of     Reg
	at     float64
	by     map[Reg]float64
}

func (a slotPlace) plus(b slotPlace, times float64) slotPlace {
	a.at, a.by = a.at+times*b.at, maps.Clone(a.by)
	if a.by == nil {
		a.by = map[Reg]float64{}
	}
	for r, x := range b.by {
		if a.by[r] += times * x; a.by[r] == 0 {
			delete(a.by, r)
		}
	}
	return a
}

func (a slotPlace) equal(b slotPlace) bool { return a.at == b.at && maps.Equal(a.by, b.by) }

// constant is the number of a register that is set once.
func (u *updater) constant(r Reg) (float64, bool) {
	if u.sets[r] != 1 || u.f.Code[u.by[r]].Op != Const {
		return 0, false
	}
	return u.f.Code[u.by[r]].Val, true
}

func newUpdater(p *Program, f *Func) *updater {
	u := &updater{p: p, f: f, ends: loopEnds(f.Code), users: make([][]int, f.Regs), live: map[int]map[Reg]bool{}}
	u.sets, u.by = f.setters()
	for r := range f.Params() {
		u.sets[r]++
	}
	for i := range f.Code {
		in := &f.Code[i]
		if in.Op == Label {
			u.label = max(u.label, in.N)
		}
		note := func(r Reg) {
			if n := len(u.users[r]); n == 0 || u.users[r][n-1] != i { // once for each instruction
				u.users[r] = append(u.users[r], i)
			}
		}
		in.Reads(note)
		for k := range in.Sets() {
			note(in.D + Reg(k))
		}
	}
	return u
}

// match returns the update that a loop is, nil if it is none.
func (u *updater) match(start, end int) *updated {
	code, last := u.f.Code, &u.f.Code[end]
	init := u.f.setBefore(start, last.D)
	if last.Op != Next || init < 0 || code[init].Op != Const || code[init].Val != 0 {
		return nil
	}
	u.code, u.places = nil, map[Reg]slotPlace{}
	c := &updated{start: start, end: end}
	if !u.loop(code[start:end+1], c) || u.f.setBefore(start, c.into) < 0 || u.sets[c.into] != 1 {
		return nil
	}
	c.alloc, c.init, c.code = u.by[c.into], init, u.code
	if in := &code[c.alloc]; in.Op != Alloc || c.slots != int(in.N) ||
		slices.ContainsFunc(u.users[c.into], func(i int) bool { return i > c.alloc && i < start }) {
		return nil
	}
	return c
}

// loop appends what takes the place of a loop from its label to its end, if that is an update. If the vectors of c are
// known, it is a loop in one that updates these.
func (u *updater) loop(code []Instr, c *updated) bool {
	last := &code[len(code)-1]
	body, index := code[1:len(code)-1], last.D
	size, known := u.constant(last.A)
	u.pos = last.Pos
	if !known || size < leastUpdated || u.sets[index] != 2 {
		return false
	}
	set := map[Reg]bool{index: true}
	var tests []Reg
	for i := range body {
		for k := range body[i].Sets() {
			set[body[i].D+Reg(k)] = true
		}
	}
	for i := range body {
		if k, is := testOf(&body[i], index); is && !set[k] && !slices.Contains(tests, k) && u.plain(k, mostRounds) {
			tests = append(tests, k)
		}
	}
	if len(tests) == 0 || len(tests) > 2 {
		return false
	}
	none := map[Reg]float64{}
	for _, k := range tests {
		none[k] = 0
	}
	miss, ok := u.decide(body, index, none, map[Reg]float64{})
	if !ok {
		return false
	}
	w := walker{updater: u, rest: map[uint32]int{}, sizes: map[Reg]float64{index: size}}
	outside, inside := maps.Clone(u.places), c.slots > 0
	ok = w.walk(miss, 1)
	u.places = outside
	switch {
	case !ok || w.copies != 1 || !w.into.equal(w.from) || set[w.into.of] || set[w.from.of]:
		return false
	case inside:
		if w.into.of != c.into || w.from.of != c.of {
			return false
		}
	default:
		if c.into, c.of, c.slots = w.into.of, w.from.of, w.whole(); c.slots == 0 {
			return false
		}
		own := u.add(Own, uint32(c.slots))
		own.D, own.A = c.into, c.of
	}
	u.count(w.rest, int(size)-len(tests))
	var behind []Instr
	for n, k := range tests {
		hit, ok := u.decide(body, index, map[Reg]float64{k: 1}, map[Reg]float64{})
		if !ok {
			return false
		}
		for i := range hit {
			hit[i] = renamed(hit[i], map[Reg]Reg{index: k})
		}
		outer := u.code
		u.code = nil
		u.inside(hit, c)
		if hit, u.code = u.code, outer; n > 0 {
			hit = u.relabelled(hit)
		}
		if lo, hi, spans := u.span(k, mostRounds); spans && lo >= 0 && hi < size && n == 0 {
			straight := !slices.ContainsFunc(hit, func(in Instr) bool { return in.Op != Label && len(in.Targets()) > 0 })
			at := slices.IndexFunc(hit, func(in Instr) bool { return in.Op == StoreX && in.D == c.into && in.B == k })
			if len(tests) > 1 && straight && at >= 0 { // the other number may be made of what is there: it is set last
				store, move := hit[at], u.set(Move, 0)
				move.A, store.A = store.A, move.D
				hit[at], behind = *move, []Instr{store}
				u.code = u.code[:len(u.code)-1]
			}
			u.code = append(u.code, hit...)
			continue
		}
		// The number is 1 where k is a whole number from 0 on below the size, and not the one before, else 0.
		test := u.fun(term.Max, u.number(0), u.fun(term.Floor, k, k))
		if test = u.fun(term.Same, k, u.fun(term.Min, u.number(size-1), test)); n > 0 {
			test = u.fun(term.Sub, test, u.fun(term.Same, k, tests[0]))
		}
		u.label += 2
		missed, end, zero := u.label-1, u.label, u.number(0)
		branch := u.add(Branch, missed)
		branch.Cmp, branch.A, branch.B = term.Greater, test, zero
		u.count(nil, 0)
		u.code = append(u.code, hit...)
		u.add(Jump, end)
		u.add(Label, missed)
		u.count(w.rest, 1)
		u.add(Label, end)
		u.count(nil, 0)
	}
	u.code = append(u.code, behind...)
	return true
}

// add appends an instruction.
//
//go:noinline
func (u *updater) add(op Op, n uint32) *Instr {
	u.code = append(u.code, Instr{Op: op, N: n, Pos: u.pos})
	return &u.code[len(u.code)-1]
}

// set appends one that sets a new register.
func (u *updater) set(op Op, n uint32) *Instr {
	in := u.add(op, n)
	in.D = Reg(u.f.Regs)
	u.f.Regs++
	return in
}

func (u *updater) number(x float64) Reg {
	in := u.set(Const, 0)
	in.Val = x
	return in.D
}

// fun is a symbol of two arguments, or of the first.
func (u *updater) fun(f term.Symbol, a, b Reg) Reg {
	in := u.set(Fun2, 0)
	if in.Sym, in.A, in.B = f, a, b; f == term.Floor {
		in.Op = Fun1
	}
	return in.D
}

// inside appends code with the loops in it that are updates.
func (u *updater) inside(code []Instr, c *updated) {
	for i := 0; i < len(code); i++ {
		if code[i].Op == Label {
			if end := loopFrom(code[i:]); end > 0 {
				before, places := len(u.code), u.places
				if !u.loop(code[i:i+end+1], c) {
					u.code, u.places = append(u.code[:before], code[i:i+end+1]...), places
				}
				for k := i; k <= i+end; k++ {
					delete(u.places, code[k].D) // if it sets a register
				}
				i += end
				continue
			}
		}
		u.step(&code[i])
		u.code = append(u.code, code[i])
	}
}

// count appends a block of what these blocks count, so many times.
func (u *updater) count(blocks map[uint32]int, times int) {
	in := u.p.block(u.pos)
	b := &u.p.Blocks[in.N]
	for _, n := range slices.Sorted(maps.Keys(blocks)) {
		o, k := &u.p.Blocks[n], uint64(blocks[n]*times)
		b.Steps.AddTimes(&o.Steps, k)
		b.Total += k * o.Total
	}
	u.code = append(u.code, in)
}

// loopFrom is how far behind the label that code begins with its loop ends, −1 if it is none of a loop.
func loopFrom(code []Instr) int {
	return slices.IndexFunc(code, func(in Instr) bool { return (in.Op == Next || in.Op == Prev) && in.N == code[0].N })
}

// testOf is what an instruction compares with an index.
func testOf(in *Instr, index Reg) (Reg, bool) {
	switch {
	case in.Op != Fun2 || in.Sym != term.Same:
	case in.A == index:
		return in.B, true
	case in.B == index:
		return in.A, true
	}
	return 0, false
}

// plain reports whether a number has no adjoint, by what it is made of: indices and data.
func (u *updater) plain(r Reg, rounds int) bool {
	if rounds == 0 || int(r) < u.f.Params() {
		return false
	}
	return !slices.ContainsFunc(u.users[r], func(i int) bool {
		in, known := &u.f.Code[i], true
		switch {
		case !in.sets(r) || in.Op == Next || in.Op == Prev:
		case in.Op.static():
			known = int(in.N) > u.p.Inputs
		case in.Op == Load || in.Op == LoadX || in.Op == View || in.Op == ViewX:
			known = u.plain(in.A, rounds-1)
		case in.operation() || in.Op == Move || in.Op == Const || in.Op >= IndexAdd && in.Op <= IndexNeg:
			in.Uses(func(r *Reg) { known = known && u.plain(*r, rounds-1) })
		default:
			known = false
		}
		return !known
	})
}

// span is between which whole numbers a register is, from what it is made of.
func (u *updater) span(r Reg, rounds int) (lo, hi float64, ok bool) {
	var index *Instr
	for _, i := range u.users[r] {
		if in := &u.f.Code[i]; (in.Op == Next || in.Op == Prev) && in.D == r {
			index = in
		}
	}
	in := &u.f.Code[u.by[r]]
	switch {
	case rounds == 0 || int(r) < u.f.Params():
		return 0, 0, false
	case index != nil && index.Op == Next && u.sets[r] == 2:
		_, hi, ok = u.span(index.A, rounds-1)
		return 0, hi - 1, ok
	case u.sets[r] != 1:
		return 0, 0, false
	}
	switch in.Op {
	case Const:
		return in.Val, in.Val, in.Val == float64(int(in.Val))
	case Move:
		return u.span(in.A, rounds-1)
	case IndexAdd, IndexSub:
		a, b, okA := u.span(in.A, rounds-1)
		x, y, okB := u.span(in.B, rounds-1)
		if in.Op == IndexSub {
			x, y = -y, -x
		}
		return a + x, b + y, okA && okB
	}
	return 0, 0, false
}

// relabelled is code with other labels.
func (u *updater) relabelled(code []Instr) []Instr {
	to := map[uint32]uint32{}
	for i := range code {
		if code[i].Op == Label {
			u.label++
			to[code[i].N] = u.label
		}
	}
	code = slices.Clone(code)
	for i := range code {
		if in := &code[i]; in.Op == Label || len(in.Targets()) == 1 {
			if n, ok := to[in.N]; ok {
				in.N = n
			}
		}
	}
	return code
}

// decide leaves out the sides of conditionals that are not taken where comparisons of an index with registers have
// these numbers. known are registers with numbers.
func (u *updater) decide(code []Instr, index Reg, tests, known map[Reg]float64) (out []Instr, ok bool) {
	number := func(r Reg) (float64, bool) {
		if x, ok := known[r]; ok {
			return x, true
		}
		return u.constant(r)
	}
	forget := func(code []Instr) {
		for i := range code {
			for k := range code[i].Sets() {
				delete(known, code[i].D+Reg(k))
			}
		}
	}
	labels := Labels(code)
	for i := 0; i < len(code); i++ {
		in := &code[i]
		switch in.Op {
		case Label:
			if end := loopFrom(code[i:]); end > 0 {
				forget(code[i : i+end+1])
				inside, ok := u.decide(code[i+1:i+end], index, tests, known)
				if !ok {
					return nil, false
				}
				out = append(append(append(out, *in), inside...), code[i+end])
				forget(code[i : i+end+1])
				i += end
				continue
			}
		case Branch, Empty:
			no, ok := labels[in.N]
			if !ok || no < i {
				return nil, false
			}
			then, els, end := code[i+1:no], []Instr(nil), no
			if jump := &code[no-1]; jump.Op == Jump {
				if end, ok = labels[jump.N]; !ok || end < no {
					return nil, false
				}
				then, els = code[i+1:no-1], code[no:end]
			}
			a, okA := number(in.A)
			b, okB := number(in.B)
			if in.Op == Branch && okA && okB {
				if !in.Cmp.Holds(a, b) {
					then = els
				}
				if then, ok = u.decide(then, index, tests, known); !ok {
					return nil, false
				}
				out = append(out, then...)
				i = end - 1
				continue
			}
			before := maps.Clone(known)
			then, ok = u.decide(then, index, tests, known)
			known = before
			els, okB = u.decide(els, index, tests, maps.Clone(known))
			if !ok || !okB {
				return nil, false
			}
			if out = append(append(out, *in), then...); end > no {
				out = append(out, code[no-1])
			}
			out = append(out, els...)
			forget(code[i:end])
			i = end - 1
			continue
		}
		forget(code[i : i+1])
		out = append(out, *in)
		k, is := testOf(in, index)
		x, decided := tests[k]
		if is = is && decided; is {
			o := &out[len(out)-1]
			o.Op, o.Val, o.Taped = Const, x, false
		} else if x, is = in.Val, in.Op == Const; in.Op == Move {
			x, is = number(in.A)
		}
		if is {
			known[in.D] = x
		}
	}
	return out, true
}

// walker goes through an iteration that copies slots.
type walker struct {
	*updater
	rest       map[uint32]int // how often it counts each block
	sizes      map[Reg]float64
	copies     int
	into, from slotPlace
	slots      int
}

// place is what a register has: that of an index or a reference, in registers that are not set on the way.
func (u *updater) place(r Reg, vector bool) slotPlace {
	if a, ok := u.places[r]; ok {
		return a
	}
	if x, ok := u.constant(r); ok && !vector {
		return slotPlace{at: x}
	}
	if vector {
		return slotPlace{vector: true, of: r}
	}
	return slotPlace{by: map[Reg]float64{r: 1}}
}

// step notes what an instruction that is pure sets, and reports whether it is one.
func (u *updater) step(in *Instr) bool {
	operand := func(r Reg) slotPlace { return u.place(r, false) }
	var a slotPlace
	switch in.Op {
	case Const:
		a = slotPlace{at: in.Val}
	case Move:
		p, ok := u.places[in.A]
		if !ok {
			delete(u.places, in.D)
			return true
		}
		a = p
	case IndexAdd:
		a = operand(in.A).plus(operand(in.B), 1)
	case IndexSub:
		a = operand(in.A).plus(operand(in.B), -1)
	case IndexMul:
		x, y := operand(in.A), operand(in.B)
		if len(x.by) > 0 {
			x, y = y, x
		}
		if len(x.by) > 0 {
			return false
		}
		a = slotPlace{}.plus(y, x.at)
	case View, Load:
		a = u.place(in.A, true)
		a.at += float64(in.N)
	case ViewX, LoadX:
		a = u.place(in.A, true).plus(operand(in.B), float64(in.M))
		a.at += float64(in.N)
	default:
		delete(u.places, in.D)
		return in.Op == Nop || in.pure()
	}
	u.places[in.D] = a
	return true
}

// walk goes through code that runs so many times in an iteration, and reports whether it copies slots, and nothing
// else.
func (w *walker) walk(code []Instr, times int) bool {
	for i := 0; i < len(code); i++ {
		in := &code[i]
		switch in.Op {
		case Count:
			w.rest[in.N] += times
		case Label:
			end := loopFrom(code[i:])
			if end < 0 {
				continue
			}
			last := &code[i+end]
			size, ok := w.constant(last.A)
			start, zero := w.places[last.D]
			if !ok || last.Op != Next || !zero || start.vector || start.at != 0 || len(start.by) > 0 {
				return false
			}
			delete(w.places, last.D)
			if w.sizes[last.D] = size; !w.walk(code[i+1:i+end], times*int(size)) {
				return false
			}
			i += end
		case Store, StoreX, Copy, CopyX:
			w.copies++
			w.into, w.from = w.place(in.D, true), w.place(in.A, true)
			if in.Op == StoreX || in.Op == CopyX {
				w.into = w.into.plus(w.place(in.B, false), float64(in.M))
			}
			w.into.at += float64(in.N)
			if w.slots = 1; in.Op == Copy || in.Op == CopyX {
				w.slots = int(in.K)
			} else if from, ok := w.places[in.A]; !ok || !from.vector {
				return false
			}
		default:
			if !w.step(in) {
				return false
			}
		}
	}
	return true
}

// whole is how many slots there are, if loops copy all of a vector in their order, else 0.
func (w *walker) whole() int {
	slots, left := float64(w.slots), maps.Clone(w.into.by)
	for again := w.into.at == 0; again; {
		again = false
		for r, x := range left {
			if size := w.sizes[r]; x == slots && size > 0 {
				delete(left, r)
				slots *= size
				again = true
				break
			}
		}
	}
	if len(left) > 0 || w.into.at != 0 {
		return 0
	}
	return int(slots)
}

// behind are the registers that are read behind an instruction.
func (u *updater) behind(i int) map[Reg]bool {
	if u.live[i] == nil {
		u.live[i] = u.f.ReadFrom(i + 1)
	}
	return u.live[i]
}

// foreign reports whether a register may have a reference to an object that something else refers to: it comes from
// anything but code that makes vectors.
func (u *updater) foreign(r Reg) bool { return !u.comes(r, Alloc, Move, Own, View, ViewX) }

// comes reports whether only such instructions set a register, or what it is a view of.
func (u *updater) comes(r Reg, from ...Op) bool {
	return int(r) >= u.f.Params() && !slices.ContainsFunc(u.users[r], func(i int) bool {
		in := &u.f.Code[i]
		if !in.sets(r) {
			return false
		}
		return !slices.Contains(from, in.Op) || (in.Op == View || in.Op == ViewX) && !u.comes(in.A, from...)
	})
}

// ownedInLoop is owned where moves outside of the innermost loop around the update copy.
func (u *updater) ownedInLoop(c *updated, copies map[int]int) bool {
	from, to := 0, 0
	for start, end := range u.ends {
		if start < c.at && c.at < end && start >= from {
			from, to = start, end
		}
	}
	return to > 0 && u.owned(c, copies, from, to)
}

// owned reports whether nothing else reads the vector of an update from there on. copies gets the moves that are to
// copy vectors, with their slots: others than those of vectors that are new are between these instructions.
func (u *updater) owned(c *updated, copies map[int]int, from, to int) bool {
	class := map[Reg]bool{} // the registers that may refer to the vector, and whether to all of it
	todo, moves := []Reg(nil), map[int]int{}
	add := func(r Reg, whole bool) {
		if old, ok := class[r]; !ok || whole && !old {
			class[r] = whole
			todo = append(todo, r)
		}
	}
	add(c.of, true)
	for len(todo) > 0 {
		r := todo[len(todo)-1]
		todo = todo[:len(todo)-1]
		for _, i := range u.users[r] {
			switch in := &u.f.Code[i]; in.Op {
			case Move:
				if far := i < from || i > to; far && !u.comes(in.A, Alloc) || u.foreign(in.A) || u.behind(i)[in.A] {
					moves[i] = c.slots
					continue
				}
				add(in.D, class[r])
				add(in.A, class[r])
			case Own:
				if int(in.N) != c.slots {
					return false
				}
				add(in.D, true)
				add(in.A, true)
			case View, ViewX:
				if in.D == r && u.foreign(in.A) {
					return false
				}
				add(in.D, false)
				add(in.A, false)
			case Return: // what has the vector then does not know that it changes
				if !u.main {
					return false
				}
			case Alloc, Load, LoadX, Copy, CopyX:
			case Store, StoreX:
				if in.A == r {
					return false
				}
			default:
				return false
			}
		}
	}
	for i := range moves {
		if in := &u.f.Code[i]; !class[in.D] && !class[in.A] {
			return false
		}
	}
	for r := range u.behind(c.at + len(c.code) - 1) {
		if _, ok := class[r]; ok && r != c.into {
			return false
		}
	}
	if !u.inOrder(u.f.Code[c.at:c.at+len(c.code)], class) {
		return false
	}
	maps.Copy(copies, moves)
	return true
}

// inOrder reports whether code reads none of these vectors after its first store to one of them.
func (u *updater) inOrder(code []Instr, class map[Reg]bool) bool {
	is := func(r Reg) bool {
		_, ok := class[r]
		return ok
	}
	stored := false
	for i := 0; i < len(code); i++ {
		in := &code[i]
		switch in.Op {
		case Label: // of a loop: an iteration reads what the one before has stored
			for k := i; k < i+loopFrom(code[i:]); k++ {
				stored = stored || code[k].stores() && is(code[k].D)
			}
		case Load, LoadX, Copy, CopyX:
			if stored && is(in.A) {
				return false
			}
		}
		stored = stored || in.stores() && is(in.D)
	}
	return true
}

// sets reports whether the instruction sets a register.
func (in *Instr) sets(r Reg) bool { return r >= in.D && int(r) < int(in.D)+in.Sets() }

// stores reports whether the instruction sets slots of an object.
func (in *Instr) stores() bool {
	return in.Op == Store || in.Op == StoreX || in.Op == Copy || in.Op == CopyX
}

// replaced is the code with updates in place of their loops.
func (u *updater) replaced(all []*updated) []Instr {
	code, skip := make([]Instr, 0, len(u.f.Code)), map[int]bool{}
	for _, c := range all {
		skip[c.alloc], skip[c.init] = true, true
	}
	for i := 0; i < len(u.f.Code); i++ {
		switch {
		case len(all) > 0 && all[0].start == i:
			all[0].at = len(code)
			code = append(code, all[0].code...)
			i, all = all[0].end, all[1:]
		case !skip[i]:
			code = append(code, u.f.Code[i])
		}
	}
	return code
}

// copied is the code with copies of vectors, of so many slots, in place of moves.
func (u *updater) copied(slots map[int]int) []Instr {
	u.code = nil
	for i, in := range u.f.Code {
		if n := uint32(slots[i]); n > 0 {
			u.pos = in.Pos
			to := u.set(Alloc, n).D
			from := u.add(Copy, 0)
			from.D, from.A, from.K, in.A = to, in.A, n, to
		}
		u.code = append(u.code, in)
	}
	return u.code
}
