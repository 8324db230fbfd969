package ir

import (
	"maps"
	"math"
	"slices"

	"github.com/gram-machine/gram/term"
)

// This file makes loops of numbers of loops that carry small vectors: each number of a vector has a register, and the
// loops inside are unrolled. So machine code may take the loop. It stands beside the loop that it is made of. A [Hot]
// instruction in front of that chooses.

// scalars puts loops of numbers beside loops with vectors.
func scalars(p *Program, f *Func) {
	if p.Placed { // a profile is of the statements
		return
	}
	w := newVectorizer(p, f)
	slots, reads := w.slots(), f.reads()
	for i := 0; i < len(f.Code); i++ {
		if in := &f.Code[i]; in.Op == VectorLoop { // the loops behind it run seldom
			i = w.at[in.N]
		} else if end, ok := w.ends[i]; ok {
			if s := newScalarizer(w, slots, reads, i, end); s != nil {
				w.label, w.edits = s.label, append(w.edits, s.edits()...)
				i = end
			}
		}
	}
	if len(w.edits) > 0 {
		w.rewrite()
	}
}

// reads is where each register is read first, and where last.
func (f *Func) reads() [][2]int {
	at := make([][2]int, f.Regs)
	for i := range f.Code {
		f.Code[i].Reads(func(r Reg) {
			if at[r][1] == 0 {
				at[r][0] = i
			}
			at[r][1] = i
		})
	}
	return at
}

// slots are how many slots the vectors have to which registers refer: 0 of numbers, −1 where that is not known.
func (w *vectorizer) slots() []int {
	same := make([]Reg, w.f.Regs) // the values of these registers have one type
	for r := range same {
		same[r] = Reg(r)
	}
	of := func(r Reg) Reg {
		for same[r] != r {
			r = same[r]
		}
		return r
	}
	for i := range w.f.Code {
		if in := &w.f.Code[i]; in.Op == Move {
			same[of(in.A)] = of(in.D)
		}
	}
	n, several := make([]int, w.f.Regs), map[Reg]bool{}
	for i := range w.f.Code {
		switch in := &w.f.Code[i]; in.Op {
		case Alloc:
			if r := of(in.D); n[r] > 0 && n[r] != int(in.N) {
				several[r] = true
			} else {
				n[r] = int(in.N)
			}
		case Load, LoadX, View, ViewX, Copy, CopyX:
			if r := of(in.A); n[r] == 0 {
				n[r] = -1
			}
		}
	}
	for r := range n {
		if n[r] = n[of(Reg(r))]; several[of(Reg(r))] {
			n[r] = -1
		}
	}
	return n
}

// scalarizer makes a loop of numbers of the loop from start to end.
type scalarizer struct {
	*vectorizer
	slots      []int
	start, end int
	regs, i    Reg          // how many registers there were; the one with the index
	set        map[Reg]bool // what the loop sets
	behind     map[Reg]bool // what may be read behind it
	env        map[Reg]scalar
	states     []*state
	code       []Instr // an iteration
	block      uint32  // that counts what follows
	label      uint32  // the last
	side       int     // in how many branches the code is
	branches   int     // how many there are, and how many numbers these choose
	chosen     int
	taken      int // how many instructions have been taken
	// The code that the last vector statement runs is behind the first of these, up to the other one.
	statement, until int
	// How long an iteration takes as machine code, and without it, in operations of machine code.
	work, without int
	failed        bool
}

// scalar is what is known of a register in an iteration.
type scalar struct {
	kind scalarKind
	reg  Reg    // with a number, or a vector from outside the loop
	bits uint64 // of a constant, or of a number that is known
	is   bool   // a number is known: an operation has made it of constants
	made *made
	at   int // of a vector: the slot to which it refers, behind what the register refers to
}

type scalarKind uint8

const (
	unknownScalar  scalarKind = iota // it is set in one branch only
	constantScalar                   // bits
	numberScalar                     // reg
	madeScalar                       // the slots of made, from at on
	outsideScalar                    // the vector in reg, from at on
	staticScalar                     // static slots, from at on
)

func constantOf(x float64) scalar { return scalar{kind: constantScalar, bits: math.Float64bits(x)} }

// made is a vector that an iteration makes, or gets.
type made struct {
	slots []scalar
	side  int // in how many branches it is made; −1: it is one that an iteration gets
}

// state is a register that an iteration gets from the one before, or that is read behind the loop.
type state struct {
	reg   Reg
	got   bool // an iteration reads what the one before has left
	value scalar
	regs  []Reg // that hold its numbers
}

// newScalarizer returns nil if the loop has no vectors and no loops in it, carries nothing, is too large or is better
// off without machine code.
func newScalarizer(w *vectorizer, slots []int, reads [][2]int, start, end int) *scalarizer {
	s := &scalarizer{vectorizer: w, slots: slots, start: start, end: end, set: map[Reg]bool{}, behind: map[Reg]bool{},
		env: map[Reg]scalar{}, regs: Reg(w.f.Regs), label: w.label + 3}
	last, some, blocks := &w.f.Code[end], false, len(w.p.Blocks)
	for i := start + 1; i <= end; i++ {
		in := &w.f.Code[i]
		_, inner := w.ends[i]
		some = some || inner || in.Op == Alloc
		for r := range in.Sets() {
			s.set[in.D+Reg(r)] = true
		}
	}
	if !some || w.sets[last.D] != 2 || last.Op == Next && s.set[last.A] {
		return nil
	}
	s.i = s.fresh()
	s.env[last.D] = scalar{kind: numberScalar, reg: s.i}
	s.begin()
	s.run(start+1, end)
	if s.failed = s.failed || len(s.states) == 0 || s.work == 0 || s.work >= s.without; !s.failed {
		for _, r := range slices.Sorted(maps.Keys(s.set)) {
			at := reads[r] // 0: nowhere
			if s.behind[r] = at[1] > end || at[1] > 0 && at[0] < start; s.behind[r] {
				s.stateOf(r)
			}
		}
		s.handOn()
	}
	if s.failed || s.behind[last.D] {
		w.p.Blocks, w.f.Regs = w.p.Blocks[:blocks], int(s.regs)
		return nil
	}
	return s
}

func (s *scalarizer) fresh() Reg {
	s.f.Regs++
	return Reg(s.f.Regs - 1)
}

// inStatement reports whether a vector statement runs an instruction.
func (s *scalarizer) inStatement(i int) bool { return i > s.statement && i < s.until }

func (s *scalarizer) emit(in Instr) {
	s.code = append(s.code, in)
	switch in.Op {
	case Add, Mul, Fun1, Fun2, FunK:
		if s.work++; in.Op == Fun1 && in.Sym != term.Neg && in.Sym != term.Sqrt {
			s.work += functionWork
		}
	}
	s.failed = s.failed || len(s.code) > mostScalar
}

// begin begins a block.
func (s *scalarizer) begin() {
	in := s.p.block(s.f.Code[s.start].Pos)
	s.block = in.N
	s.emit(in)
}

// get is what is known of a register.
func (s *scalarizer) get(r Reg) scalar {
	if v, ok := s.env[r]; ok {
		return v
	}
	if s.set[r] {
		c := s.stateOf(r)
		c.got = true
		return c.value
	}
	if s.slots[r] != 0 {
		return scalar{kind: outsideScalar, reg: r}
	}
	return scalar{kind: numberScalar, reg: r}
}

// stateOf is the state of a register.
func (s *scalarizer) stateOf(r Reg) *state {
	if k := slices.IndexFunc(s.states, func(c *state) bool { return c.reg == r }); k >= 0 {
		return s.states[k]
	}
	n := s.slots[r]
	c := &state{reg: r}
	s.states = append(s.states, c)
	if n == 0 {
		c.regs = []Reg{s.fresh()}
		c.value = scalar{kind: numberScalar, reg: c.regs[0]}
		return c
	}
	s.failed = s.failed || n < 0 || n > mostScalar
	v := &made{side: -1}
	for i := 0; i < n && !s.failed; i++ {
		c.regs = append(c.regs, s.fresh())
		v.slots = append(v.slots, scalar{kind: numberScalar, reg: c.regs[i]})
	}
	c.value = scalar{kind: madeScalar, made: v}
	return c
}

// number is the number of a register.
func (s *scalarizer) number(r Reg) scalar {
	v := s.get(r)
	s.failed = s.failed || v.kind != constantScalar && v.kind != numberScalar
	return v
}

// operand is a register with the number of a register.
func (s *scalarizer) operand(r Reg) Reg { return s.held(s.number(r)) }

func (s *scalarizer) held(v scalar) Reg {
	if v.kind == constantScalar {
		s.emit(v.move(s.fresh()))
		return Reg(s.f.Regs - 1)
	}
	return v.reg
}

// vector is what a register refers to.
func (s *scalarizer) vector(r Reg) scalar {
	v := s.get(r)
	s.failed = s.failed || v.kind < madeScalar
	return v
}

// known is the whole number of a register, if it is known.
func (s *scalarizer) known(r Reg) (x float64, ok bool) {
	v := s.get(r)
	if v.kind == numberScalar && v.reg < s.regs && !s.set[v.reg] {
		at, ok := s.constant(v.reg)
		return float64(at.N), ok
	}
	return math.Float64frombits(v.bits), v.is || v.kind == constantScalar
}

// run takes the instructions from one to before another.
func (s *scalarizer) run(from, to int) {
	for i := from; i < to && !s.failed; i++ {
		s.taken++
		s.failed = s.taken > 8*mostScalar
		i = s.step(i, to)
	}
}

// step takes an instruction, or a loop or conditional that begins there, and returns the last one that it has taken.
func (s *scalarizer) step(i, to int) int {
	in := s.f.Code[i]
	if in.Op >= Move && in.Op != Label && !s.inStatement(i) {
		s.without += slowWork
	}
	set := func(v scalar) { s.env[in.D] = v }
	switch in.Op {
	case Nop:
	case VectorLoop:
		if !s.inStatement(i) {
			s.statement, s.until = i, s.at[in.N]
			for _, l := range s.p.Vectors[in.M].Lanes {
				if l.Op >= LaneLoad && !l.Held {
					s.without += laneWork
				}
				if l.Op == LaneProduct {
					v := s.p.Vectors[in.M]
					s.without += int(manyWork * float64(v.Count(max(v.Lanes[l.A].Loop, v.Lanes[l.B].Loop))))
				}
			}
		}
	case Label:
		if end, ok := s.ends[i]; ok {
			return s.loop(i, end)
		}
	case Jump:
		at := s.at[in.N]
		s.failed = at < i || at >= to
		return at
	case Branch:
		return s.conditional(i, to)
	case Count:
		b := &s.p.Blocks[s.block]
		b.Steps.AddTimes(&s.p.Blocks[in.N].Steps, 1)
		b.Total += s.p.Blocks[in.N].Total
	case Const:
		set(constantOf(in.Val))
	case Move:
		set(s.get(in.A))
	case IndexAdd, IndexSub, IndexMul, IndexDiv, IndexNeg, Add, Mul, Fun1, Fun2, FunK:
		s.operation(in)
	case SumAdd:
		s.sumAdd(in)
	case Load, LoadX:
		set(s.load(s.place(in, s.vector(in.A))))
	case View, ViewX:
		set(s.view(s.place(in, s.vector(in.A))))
	case Static, StaticX:
		set(s.load(s.place(in, scalar{kind: staticScalar})))
	case Object, ObjectX:
		set(s.view(s.place(in, scalar{kind: staticScalar})))
	case Alloc:
		if s.failed = in.N > mostScalar; !s.failed {
			set(scalar{kind: madeScalar, made: &made{make([]scalar, in.N), s.side}})
		}
	case Store, StoreX:
		s.store(s.place(in, s.vector(in.D)), s.number(in.A))
	case Copy, CopyX:
		from, to := s.vector(in.A), s.place(in, s.vector(in.D))
		for k := range int(in.K) {
			x := s.load(scalarPlace{from.behind(k), Instr{N: uint32(from.at + k), Pos: in.Pos}, false})
			s.store(scalarPlace{to.behind(k), in, to.indexed}, x)
		}
	default:
		s.failed = true
	}
	return i
}

// behind refers to the slot k behind that to which v refers.
func (v scalar) behind(k int) scalar {
	v.at += k
	return v
}

// loop takes a loop, iteration by iteration.
func (s *scalarizer) loop(start, end int) int {
	in := &s.f.Code[end]
	i, ok := s.known(in.D)
	n, by := i+1, -1.0
	if in.Op == Next {
		var is bool
		n, is = s.known(in.A)
		n, by, ok = n-i, 1, ok && is
	}
	if s.failed = s.failed || !ok || n < 1; !s.failed && n <= mostScalar && s.apart(start, end) {
		s.sideBySide(start, end, int(n), i, by)
		return end
	}
	for ; n > 0 && !s.failed; n-- {
		s.env[in.D] = constantOf(i)
		s.run(start+1, end)
		i += by
	}
	return end
}

// apart reports whether the iterations of a loop without loops or branches in it have nothing to do with each other.
func (s *scalarizer) apart(start, end int) bool {
	body := s.f.Code[start+1 : end]
	if !straight(body) {
		return false
	}
	stored := map[*made]bool{}
	for i := range body {
		if body[i].Op == StoreX {
			stored[s.get(body[i].D).made] = true
		}
	}
	return !slices.ContainsFunc(body, func(in Instr) bool {
		loads := in.Op == Load || in.Op == LoadX || in.Op == View || in.Op == ViewX
		return in.Op == SumAdd || loads && stored[s.get(in.A).made]
	})
}

// sideBySide takes each instruction for n iterations, the first with the index i, before it goes on to the next: so a
// processor, which looks ahead for a hundred operations or so, has several that do not wait for each other.
func (s *scalarizer) sideBySide(start, end, n int, i, by float64) {
	envs := make([]map[Reg]scalar, n)
	for k := range envs {
		envs[k] = map[Reg]scalar{s.f.Code[end].D: constantOf(i + float64(k)*by)}
	}
	for at := start + 1; at < end; at++ {
		in := &s.f.Code[at]
		for k := 0; k < n && !s.failed; k++ {
			in.Uses(func(r *Reg) {
				if v, ok := envs[k][*r]; ok {
					s.env[*r] = v
				}
			})
			s.run(at, at+1)
			if in.Sets() == 1 {
				envs[k][in.D] = s.env[in.D]
			}
		}
	}
	maps.Copy(s.env, envs[n-1])
}

// operation takes an operation, of indices that are known at once.
func (s *scalarizer) operation(in Instr) {
	if in.Op >= IndexAdd && in.Op <= IndexNeg {
		a, ok := s.known(in.A)
		b, is := 0.0, true
		if in.Op != IndexNeg {
			b, is = s.known(in.B)
		}
		if ok && is {
			s.env[in.D] = constantOf([...]float64{a + b, a - b, a * b, a / b, -a}[in.Op-IndexAdd])
			return
		}
	}
	in.Args = slices.Clone(in.Args)
	v, d := scalar{kind: numberScalar, reg: s.fresh()}, in.D
	if in.Op == Fun2 && !in.Sym.Declared() {
		a, ok := s.known(in.A)
		b, is := s.known(in.B)
		v.bits, v.is = math.Float64bits(in.Sym.Eval(a, b)), ok && is
	}
	in.Uses(func(r *Reg) { *r = s.operand(*r) })
	in.D = v.reg
	s.emit(in)
	s.env[d] = v
}

// sumAdd takes an addition of a sum.
func (s *scalarizer) sumAdd(in Instr) {
	i, ok := s.known(in.B)
	if s.failed = s.failed || !ok; s.failed {
		return
	}
	d := in.D + Reg(i)%Reg(in.M)
	if uint32(i) < in.M {
		s.env[d] = s.number(in.A)
		return
	}
	in.Op, in.B, in.D = Add, in.A, d
	if in.A = d; in.M == 1 {
		in.A, in.B = in.B, in.A
	}
	if in.Sym != term.NoSymbol {
		in.Op = Fun2
	}
	s.operation(in)
}

// scalarPlace is where an instruction reads or stores.
type scalarPlace struct {
	scalar
	in      Instr
	indexed bool // by a number that is not known
}

// place is where an instruction reads or stores that goes behind v.
func (s *scalarizer) place(in Instr, v scalar) scalarPlace {
	indexed := in.Op.indexed()
	v.at += int(in.N)
	if indexed {
		if x, ok := s.known(in.B); ok {
			at := float64(v.at) + x*float64(in.M)
			s.failed = s.failed || !(at >= 0 && at == math.Trunc(at) && at <= math.MaxUint32)
			v.at, indexed = int(at), false
		}
	}
	in.N = uint32(v.at)
	return scalarPlace{v, in, indexed}
}

// slot is the slot to which a vector that an iteration has made, or got, refers.
func (s *scalarizer) slot(p scalarPlace) *scalar {
	if s.failed = s.failed || p.kind != madeScalar || p.indexed || p.at >= len(p.made.slots); s.failed {
		return &scalar{}
	}
	return &p.made.slots[p.at]
}

// load is the number at a place.
func (s *scalarizer) load(p scalarPlace) scalar {
	if p.kind == madeScalar {
		return *s.slot(p)
	}
	return scalar{kind: numberScalar, reg: s.access(p, [4]Op{Load, LoadX, Static, StaticX})}
}

// access emits an instruction that reads at a place outside the loop, or refers to it.
func (s *scalarizer) access(p scalarPlace, ops [4]Op) Reg {
	in, k := p.in, 0
	if p.kind == staticScalar {
		k = 2
	}
	if in.A = p.reg; p.indexed {
		in.B = s.operand(in.B)
		k++
	}
	in.Op, in.D = ops[k], s.fresh()
	s.emit(in)
	return in.D
}

// view is a reference to a place.
func (s *scalarizer) view(p scalarPlace) scalar {
	if !p.indexed {
		return p.scalar
	}
	s.failed = s.failed || p.kind == madeScalar
	return scalar{kind: outsideScalar, reg: s.access(p, [4]Op{View, ViewX, Object, ObjectX})}
}

// store stores a number at a place. A vector from outside the loop gets it in each iteration, not in a branch.
func (s *scalarizer) store(p scalarPlace, x scalar) {
	if p.kind == outsideScalar && s.side == 0 {
		in := Instr{Op: Store, D: p.reg, A: s.held(x), N: uint32(p.at), K: 1, Pos: p.in.Pos}
		if p.indexed {
			in.Op, in.B, in.M = StoreX, s.operand(p.in.B), p.in.M
		}
		s.emit(in)
		return
	}
	to := s.slot(p)
	if s.failed = s.failed || p.made.side != s.side; !s.failed {
		*to = x
	}
}

// conditional takes an if, and returns where it ends.
func (s *scalarizer) conditional(i, to int) (end int) {
	in := s.f.Code[i]
	no, end, within := s.alternatives(i, to)
	if s.failed = !within; s.failed {
		return i
	}
	a, ok := s.known(in.A)
	b, is := s.known(in.B)
	switch {
	case ok && is && in.Cmp.Holds(a, b):
		s.run(i+1, no-1)
		return end
	case ok && is:
		s.run(no, end)
		return end
	}
	s.branches++
	in.A, in.B, in.N = s.operand(in.A), s.operand(in.B), s.label+1
	s.label += 2
	label := s.label
	s.emit(in)
	before, outer := s.env, s.code
	var envs [2]map[Reg]scalar
	var codes [2][]Instr
	for k, from := range [2]int{i + 1, no} {
		s.env, s.code = maps.Clone(before), nil
		s.side++
		s.begin()
		s.run(from, [2]int{no - 1, end}[k])
		s.side--
		envs[k], codes[k] = s.env, s.code
	}
	s.env, s.code = before, outer
	all := maps.Clone(envs[0])
	maps.Copy(all, envs[1])
	for _, r := range slices.Sorted(maps.Keys(all)) {
		if old, ok := before[r]; !ok || envs[0][r] != old || envs[1][r] != old {
			s.env[r] = s.merge(envs[0][r], envs[1][r], &codes)
		}
	}
	s.code = append(append(s.code, codes[0]...), Instr{Op: Jump, N: label, Pos: in.Pos},
		Instr{Op: Label, N: in.N, Pos: in.Pos})
	s.code = append(append(s.code, codes[1]...), Instr{Op: Label, N: label, Pos: in.Pos})
	s.begin()
	return end
}

// merge is one of two values, by the side of a conditional: both move it to the same registers.
func (s *scalarizer) merge(then, els scalar, codes *[2][]Instr) (v scalar) {
	switch {
	case then == els:
		return then
	case max(then.kind, els.kind) <= numberScalar && min(then.kind, els.kind) > unknownScalar:
		v = scalar{kind: numberScalar, reg: s.fresh()}
		s.chosen++
		s.failed = s.failed || s.branches*s.chosen > mostChosen
		for k, x := range [2]scalar{then, els} {
			codes[k] = append(codes[k], x.move(v.reg))
		}
	case then.kind == madeScalar && els.kind == madeScalar && then.at == 0 && els.at == 0 &&
		len(then.made.slots) == len(els.made.slots):
		v = scalar{kind: madeScalar, made: &made{side: s.side}}
		for i, x := range then.made.slots {
			v.made.slots = append(v.made.slots, s.merge(x, els.made.slots[i], codes))
		}
	}
	return v
}

// move moves a number to a register.
func (v scalar) move(d Reg) Instr {
	if v.kind == constantScalar {
		return Instr{Op: Const, D: d, Val: math.Float64frombits(v.bits)}
	}
	return Instr{Op: Move, D: d, A: v.reg}
}

// handOn moves the states to where the next iteration gets them.
func (s *scalarizer) handOn() {
	var to []Reg
	var from []scalar
	for _, c := range s.states {
		v := s.env[c.reg]
		for i := range c.regs {
			x := v
			if s.slots[c.reg] != 0 {
				s.failed = s.failed || v.kind < madeScalar
				x = s.load(scalarPlace{v.behind(i), Instr{N: uint32(v.at + i)}, false})
			}
			s.failed = s.failed || x.kind != numberScalar && x.kind != constantScalar
			to, from = append(to, c.regs[i]), append(from, x)
		}
	}
	for i, x := range from { // before it is overwritten
		if x.kind == numberScalar && x.reg != to[i] && slices.Contains(to, x.reg) {
			from[i].reg = s.fresh()
			s.emit(x.move(from[i].reg))
		}
	}
	for i, x := range from {
		if x.kind != numberScalar || x.reg != to[i] {
			s.emit(x.move(to[i]))
		}
	}
}

// edits are what goes around the loop.
func (s *scalarizer) edits() []*edit {
	ahead := s.vectorizer.label + 1
	loop, behind := ahead+1, ahead+2
	last := s.f.Code[s.end]
	pos := last.Pos
	hot := Instr{Op: Hot, D: last.D, A: last.A, N: ahead, M: loop, Pos: pos}
	hot.Val = makeWork * float64(s.work) / float64(s.without-s.work)
	if last.Op == Prev {
		hot.K = 1
	}
	code := []Instr{{Op: Label, N: ahead, Pos: pos}, s.p.block(pos), {Op: Move, D: s.i, A: last.D, Pos: pos}}
	for _, c := range s.states {
		for i, r := range c.regs {
			switch {
			case !c.got:
			case s.slots[c.reg] == 0:
				code = append(code, Instr{Op: Move, D: r, A: c.reg, Pos: pos})
			default:
				code = append(code, Instr{Op: Load, D: r, A: c.reg, N: uint32(i), Pos: pos})
			}
		}
	}
	code = append(append(code, Instr{Op: Label, N: loop, Pos: pos}), s.code...)
	code = append(code, Instr{Op: last.Op, D: s.i, A: last.A, N: loop, Pos: pos})
	for _, c := range s.states {
		switch {
		case !s.behind[c.reg]:
		case s.slots[c.reg] == 0:
			code = append(code, Instr{Op: Move, D: c.reg, A: c.regs[0], Pos: pos})
		default:
			code = append(code, Instr{Op: Alloc, D: c.reg, N: uint32(len(c.regs)), Pos: pos})
			for i, r := range c.regs {
				code = append(code, Instr{Op: Store, D: c.reg, A: r, N: uint32(i), Pos: pos})
			}
		}
	}
	code = append(code, Instr{Op: Label, N: behind, Pos: pos}, s.p.block(pos))
	return []*edit{{before: s.start, in: hot}, {before: s.end + 1, in: Instr{Op: Jump, N: behind, Pos: pos}, more: code}}
}
