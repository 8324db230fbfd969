package native

import (
	"maps"
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/term"
)

// id names a value of a form. The first two are the numbers 0 and 1.
type id int32

const (
	zero id = iota
	one
)

// op says what a value is.
type op uint8

const (
	constant op = iota // num
	input              // number n of Loop.Inputs
	state              // what the iteration before has left, number n of Form.states
	index              // the index of the loop, or of number n − 1 of those inside
	element            // number n of a run of the stream
	lookup             // number num behind the index a of a vector, number n of Form.Tables
	carry              // what the iteration before has left, or what was there before the loop: number n of these
	last               // what the last iteration of a loop inside has left
	// Of vectors in memory, whose numbers are of number n of Form.spaces:
	made  // the address of a new vector, number num of those that are made
	begun // that of table n
	owned // the address a, of a vector of which some numbers are set then: number num of those that are
	refer // the address of number num behind the index b of the vector a
	slot  // that number
	alive // whether it has an adjoint, 0 or 1
	held  // the number a that has been read there, with an adjoint of its own
	// Whether a partial sum, number b mod num of the vector a, has an adjoint, before a number is added.
	before
	phi // a where the branch goes to its first side, else b
	add
	sub
	mul
	div
	neg
	fun // sym(a, b)
)

// expr is what a value is, apart from where.
type expr struct {
	op   op
	sym  term.Symbol
	num  uint64 // the bits of a constant
	a, b id
	c    id  // of a symbol of three arguments
	n    int // ofIndex: of indices, which have no adjoint
}

const ofIndex = 1

type value struct {
	expr
	in *region
	br *branch // of a phi
	of id      // of last: the carry
}

// region is code without conditionals, or with conditionals whose sides are regions.
type region struct {
	stores bool     // there are stores in it of numbers that may have an adjoint
	owns   []int    // the spaces with owned vectors to which it stores
	Blocks []uint32 // of the program, which it counts
	parent *region
	loop   *inner // it is in its body
	number int    // of Form.regions
	items  []item
	cells  uint64 // of the items
	known  map[expr]id
}

// item is an operation, a branch, a loop, the making of a vector or the store of one of its numbers.
type item struct {
	cell  *cell
	br    *branch
	loop  *inner
	made  id // if it is not 0
	store *setting
	sum   *sum
	held  id
	first id // what has this number, or a greater one, is made behind it
}

// sum is an addition of a sum: number i mod m of the vector of, of m numbers, becomes x for i below m, else x is added.
type sum struct {
	of, i, x, flag id
	m              int
	cell           *cell
	more           *region // where there is one
}

// setting sets the number that a [slot] is. Of an owned vector it has the number that was there, and whether that has
// an adjoint, else none.
type setting struct{ slot, value, flag, old, oldFlag id }

// cell is an operation of a program, which has a cell of D(t).
type cell struct {
	sym    term.Symbol
	args   []id
	result id
	in     *region
	sum    *running
	slopes []id // the partial derivatives by args, of those that have an adjoint
}

type branch struct {
	cmp       term.Compare
	a, b      id
	then, els *region
	phis      []id
}

// inner is a loop in the body of another. It has an iteration at least.
type inner struct {
	number     int
	down       bool
	start, end id // the index at first and, of a loop that goes up, its bound
	index      id
	body       *region
	carries    []innerState
	sums       []*running
	within     bool // there are loops in it, or it makes vectors

	addresses []id // that it reads and that are found outside

	row     int // how many numbers an iteration has on the stack, from the place of its row on
	saved   int // the column, of the row around it, with the top of the stack behind the loop
	outside []id
}

// running is a sum of all numbers that a loop inside adds: its additions, but for the first most, are cells.
type running struct {
	cell *cell
	most int
	more *region // where these are
	in   *ir.Instr
	loop *inner
	i    id // the number of an iteration
}

// innerState is a number that an iteration of an inner loop leaves to the next, or to what is behind the loop.
type innerState struct {
	reg     ir.Reg // as that of carried
	flag    bool
	vector  *space
	init    id // none if no iteration reads what the one before has left
	in, out id
	last    id // behind the loop
}

const none id = -1

// carried is a state: a number that an iteration leaves to the next, or the address of a vector.
type carried struct {
	vector  *space // that it is of
	reg     ir.Reg // of the loop's register; of a flag, that of the number that it is of
	flag    bool   // it is 1 if the number of reg has an adjoint, else 0
	in, out id
	inFlag  id // whether it has an adjoint
	outFlag id
	instead int // the first state that shares its adjoint
}

// Stream is a sequence of numbers that a loop reads, or makes, Width of each iteration.
type Stream struct {
	Object    ir.Reg // the register with the vector, or the number of the static vector
	Static    bool
	Made      bool
	Live      bool // the numbers have adjoints
	At, Width int  // the first number, behind what the index says, and how many there are
	Stride    int  // by how many numbers an iteration goes on, if the index of the loop goes up
	behind    id
}

// Table is a vector of which a loop reads numbers at places that are found as it runs.
type Table struct {
	Object ir.Reg // as that of a stream
	Static bool
	Live   bool
	Filled bool   // the loop sets its numbers: it is made in front of it
	first  bool   // it is what a state is at first
	space  *space // if registers that refer to it refer to vectors that the loop makes, too: it is copied to such memory
}

// Copied reports whether a table is memory as that of vectors that the loop makes.
func (t *Table) Copied() bool { return t.space != nil }

// Width is how many bytes a number of a copied table has.
func (t *Table) Width() int { return t.space.width() }

// Slots is how many numbers of a copied table are read, 0: that is not known, since references may lead to parts of it.
func (t *Table) Slots() int {
	if !t.Filled && !t.first {
		return 0
	}
	return max(0, t.space.find().slots)
}

// space is what is known of the vectors in memory to which some references may refer.
type space struct {
	same  *space // they are of this one, too
	taped bool
	some  [2]bool // numbers without an adjoint are stored, and numbers with one
	slots int     // that each has, −1: not all have as many, 0: none is known
}

func (m *space) find() *space {
	for m.same != nil {
		m = m.same
	}
	return m
}

// Where memory has what of a number, in bytes behind it: its adjoint, and whether there is one. An adjoint that is not
// reached is −0. What arrives is not −0 and is added, so that no sum is.
const (
	adjointBytes = 8
	aliveBytes   = 16
)

// width is how many bytes a number has.
func (m *space) width() int {
	switch m = m.find(); {
	case !m.taped || !m.some[1]:
		return 8
	case m.some[0]:
		return aliveBytes + 8
	}
	return aliveBytes
}

// store is a number of a stream that an iteration makes.
type store struct {
	value, flag id // and whether it has an adjoint
	to          ir.Reg
	stream, at  int
}

// Form is a loop with a signature.
type Form struct {
	*Loop
	taped    bool
	first    bool // no iteration has run
	sig      []uint32
	values   []value
	root     *region
	regions  []*region
	states   []carried
	Streams  []Stream // what it reads, and behind these what it makes
	Tables   []Table
	loops    []*inner
	stores   []store
	cells    []*cell
	branches []*branch
	flags    map[id]id // whether a number has an adjoint
	failed   bool
	facts
	again  bool // there are more
	allocs int  // vectors that it makes
	owns   int  // and that it owns
	spaces []*space

	plan
}

// facts are what is found as a form is built, which is then built again.
type facts struct {
	dynamic map[place]bool     // states of which it is not known whether they have an adjoint
	filled  map[ir.Reg]bool    // vectors from outside that are filled in memory
	partial map[*ir.Instr]bool // sums of which some numbers may have no adjoint
	changed map[changed]bool   // where owned vectors change
	spaceOf map[any]*space     // by the place, the [ir.Alloc] or the ref that makes or carries references
}

// place is a register that a loop carries: the root, 0, or number loop − 1 of those inside.
type place struct {
	loop int
	reg  ir.Reg
}

// changed is a space of which numbers change in a loop: the root, 0, or number loop − 1 of those inside.
type changed struct {
	loop int
	of   *space
}

// Vector in a signature says that a register refers to a vector.
const Vector = math.MaxUint32

// Object is what is known of a vector that a loop reads.
type Object struct {
	Listed bool    // it is not dense: it is copied
	Some   [2]bool // numbers without an adjoint, and with one
}

// Form returns the form of the loop for a signature, nil if there is none. The signature has for each of the inputs,
// and behind them of the states, 0 if it has no adjoint, else a number that those with the same adjoint share. A stream
// of a vector is as object says. first says that no iteration has run: vectors that the loop fills have no numbers yet.
// There is none if an iteration leads to another signature.
func (l *Loop) Form(sig []uint32, object func(r ir.Reg, static bool) Object, first, taped bool) *Form {
	known := facts{map[place]bool{}, map[ir.Reg]bool{}, map[*ir.Instr]bool{}, map[changed]bool{}, map[any]*space{}}
	for {
		f := &Form{Loop: l, taped: taped, first: first, sig: sig, flags: map[id]id{}, facts: known}
		f.build(object)
		if f.failed || len(f.branches)*len(f.values) > mostMerged {
			return nil
		}
		for i := range f.states {
			s := &f.states[i]
			switch {
			case s.flag || s.inFlag == s.outFlag || f.again:
			case s.inFlag <= one && s.outFlag <= one:
				return nil
			default:
				f.isDynamic(place{0, s.reg})
			}
		}
		if f.again {
			continue
		}
		if taped && !f.aliases() {
			return nil
		}
		f.makePlan()
		return f
	}
}

// isDynamic notes that it is not known whether a register has an adjoint.
func (f *Form) isDynamic(p place) {
	if !f.dynamic[p] {
		f.dynamic[p], f.again = true, true
	}
}

// aliases looks at the states that share an adjoint. It reports whether those that do so now are those that do so
// behind an iteration.
func (f *Form) aliases() (same bool) {
	for i := range f.States {
		s := &f.states[i]
		if s.out != f.states[s.instead].out {
			return false // two numbers
		}
		if s.inFlag != one || s.outFlag != one {
			continue
		}
		if f.values[s.out].op >= element && slices.Contains(f.sig[:len(f.Inputs)], f.sig[len(f.Inputs)+i]) {
			return false
		}
		for k := range i {
			o := &f.states[k]
			if o.inFlag == one && o.outFlag == one && (s.out == o.out) != (s.instead == k || s.instead == o.instead) {
				return false
			}
		}
	}
	return true
}

// ref is a place in a vector: number at behind what the index says.
type ref struct {
	object ir.Reg // or the number of a static vector
	static bool
	vector *space // of a vector in memory, whose address is base
	base   id
	at     int
	behind id
}

// builder makes the values of a form from its code.
type builder struct {
	*Form
	object func(r ir.Reg, static bool) Object
	env    map[ir.Reg]id
	refs   map[ir.Reg]ref
	at     *region
	sums   map[*ir.Instr]ref    // the vectors of the partial sums of the loops around
	runs   map[*ir.Instr]*inner // the loops of other sums
}

func (f *Form) build(object func(r ir.Reg, static bool) Object) {
	f.root = f.newRegion(nil)
	f.make(f.root, expr{op: constant})
	f.make(f.root, expr{op: constant, num: math.Float64bits(1)})
	b := &builder{Form: f, object: object, env: map[ir.Reg]id{}, refs: map[ir.Reg]ref{}, at: f.root,
		sums: map[*ir.Instr]ref{}, runs: map[*ir.Instr]*inner{}}
	flag := func(i int) id {
		if f.sig[i] != 0 && f.sig[i] != Vector {
			return one
		}
		return zero
	}
	for _, r := range f.Objects {
		b.refs[r] = ref{object: r, behind: zero}
	}
	for _, r := range slices.Sorted(maps.Keys(f.filled)) {
		m := b.spaceFor(ref{object: r})
		b.has(m, f.allocated(r))
		k := b.table(ref{object: r}, m)
		f.Tables[k].Filled = true
		b.refs[r] = ref{vector: m, base: f.make(f.root, expr{op: begun, n: k}), behind: zero}
	}
	for i, r := range f.Inputs {
		v := f.make(f.root, expr{op: input, n: i})
		if f.flags[v] = flag(i); f.sig[i] == Vector {
			if !f.filled[r] {
				b.refs[r] = ref{object: r, behind: zero}
			}
		} else if x, ok := f.constants[r]; ok {
			b.env[r] = b.number(x)
		} else {
			b.env[r] = v
		}
	}
	for i, r := range f.States {
		at := len(f.Inputs) + i
		k := i
		if class := f.sig[at]; class != 0 && class != Vector {
			k = slices.Index(f.sig[len(f.Inputs):], class)
		}
		v := f.make(f.root, expr{op: state, n: k})
		f.states = append(f.states, carried{reg: r, in: v, inFlag: flag(at), instead: k})
		if f.flags[v] = f.states[i].inFlag; f.sig[at] == Vector {
			m := b.spaceFor(place{0, r})
			f.states[i].vector = m
			f.Tables[b.table(ref{object: r}, m)].first = true
			b.refs[r] = ref{vector: m, base: v, behind: zero}
		} else {
			b.env[r] = v
		}
	}
	for i, r := range f.States {
		if f.dynamic[place{0, r}] {
			v := f.make(f.root, expr{op: state, n: len(f.states)})
			f.states = append(f.states, carried{reg: r, flag: true, in: v, instead: len(f.states)})
			f.states[i].inFlag, f.flags[f.states[i].in] = v, v
		}
	}
	b.env[f.Index] = f.make(f.root, expr{op: index})
	b.nodes(f.body)
	for i := range f.states {
		s := &f.states[i]
		if p, ok := b.refs[s.reg]; ok && !b.failed {
			m := b.spaceFor(place{0, s.reg})
			s.vector, s.out = m, b.addressOf(p, m)
			isNumber := f.Carried[i] && f.sig[len(f.Inputs)+i] != Vector
			b.failed = b.failed || isNumber || m.find().slots <= 0 || b.values[s.out].op == refer
			continue
		}
		b.failed = b.failed || s.vector != nil
		s.out = b.reg(s.reg)
		s.outFlag = f.flag(s.out)
		if s.flag {
			s.out, s.outFlag = s.outFlag, zero
		}
	}
	b.streams()
}

// streams adds the streams of what the loop makes.
func (b *builder) streams() {
	for _, t := range b.Targets {
		s := Stream{Object: t.Reg, Made: true, Width: t.Width, Stride: t.Width, behind: zero}
		for i := range b.stores {
			if st := &b.stores[i]; st.to == t.Reg {
				st.stream, st.flag = len(b.Streams), b.flag(st.value)
				s.Live = s.Live || st.flag != zero
			}
		}
		b.Streams = append(b.Streams, s)
	}
	b.failed = b.failed || len(b.Streams) > MostStreams
}

func (f *Form) newRegion(parent *region) *region {
	r := &region{parent: parent, number: len(f.regions), known: map[expr]id{}}
	if parent != nil {
		r.loop = parent.loop
	}
	f.regions = append(f.regions, r)
	return r
}

// make returns the value of an expression in a region.
func (f *Form) make(in *region, e expr) id {
	if e.op != phi {
		for r := in; r != nil; r = r.parent {
			if v, ok := r.known[e]; ok {
				return v
			}
		}
		if e.op == constant {
			in = f.root
		}
		in.known[e] = id(len(f.values))
	}
	f.values = append(f.values, value{expr: e, in: in})
	f.failed = f.failed || len(f.values) > mostValues
	return id(len(f.values) - 1)
}

func (f *Form) number(x float64) id {
	return f.make(f.root, expr{op: constant, num: math.Float64bits(x)})
}

// flag is whether a number has an adjoint: the value 0 or 1.
func (f *Form) flag(v id) id {
	if !f.taped {
		return zero
	}
	if k, ok := f.flags[v]; ok {
		return k
	}
	k := zero
	if x := &f.values[v]; x.op == phi {
		a, b := f.flag(x.a), f.flag(x.b)
		if k = a; a != b {
			k = f.phi(x.br, a, b)
			f.flags[k] = zero
		}
	}
	f.flags[v] = k
	return k
}

func (f *Form) phi(br *branch, a, b id) id {
	v := f.make(br.then.parent, expr{op: phi, a: a, b: b})
	f.values[v].br = br
	br.phis = append(br.phis, v)
	return v
}

// apply is a symbol applied to arguments.
func (f *Form) apply(in *region, s term.Symbol, args ...id) id {
	if f.failed {
		return zero
	}
	if s != term.NoSymbol && s.Declared() {
		info := s.Info()
		return term.Interpret(info.Body, info.Arity, f.number, func(i int) id { return args[i] },
			func(s term.Symbol, args ...id) id { return f.apply(in, s, args...) })
	}
	e := expr{op: fun, sym: s, a: args[0]}
	if len(args) > 1 {
		e.b = args[1]
	}
	if len(args) > 2 {
		e.c = args[2]
	}
	o, instruction := instructions[s]
	switch {
	case instruction:
		e.op, e.sym = o, 0
	case s == term.DSin:
		return f.apply(in, term.Cos, args...)
	case s == term.DCos:
		return f.apply(in, term.Neg, f.apply(in, term.Sin, args...))
	default:
		f.failed = f.failed || !wasm.Translated(s)
	}
	return f.make(in, e)
}

// instructions are the symbols that are instructions of machine code.
var instructions = map[term.Symbol]op{term.NoSymbol: add, term.Mul: mul, term.Sub: sub, term.Div: div, term.Neg: neg}

// slope is the partial derivative by argument i.
func (f *Form) slope(c *cell, i int) id {
	if c.sym == term.NoSymbol {
		return one
	}
	of := append(c.args[:len(c.args):len(c.args)], c.result)
	return term.Interpret(&c.sym.Info().Slopes[i], len(c.args), f.number, func(k int) id { return of[k] },
		func(s term.Symbol, args ...id) id { return f.apply(c.in, s, args...) })
}

// operand is an operand of an instruction, or the number in its place.
func (b *builder) operand(in *ir.Instr, number uint8, r ir.Reg) id {
	if in.Number == number {
		return b.number(in.Val)
	}
	return b.reg(r)
}

// reg is the value of a register.
func (b *builder) reg(r ir.Reg) id {
	v, ok := b.env[r]
	b.failed = b.failed || !ok
	return v
}

func (b *builder) nodes(nodes []node) {
	for i := range nodes {
		n := &nodes[i]
		in := n.in
		left := func() id { return b.operand(in, ir.NumberA, in.A) }
		right := func() id { return b.operand(in, ir.NumberB, in.B) }
		switch in.Op {
		case ir.Count:
			b.at.Blocks = append(b.at.Blocks, in.N)
		case ir.Const:
			b.env[in.D] = b.number(in.Val)
		case ir.Move:
			if p, ok := b.refs[in.A]; ok {
				b.refs[in.D] = p
				delete(b.env, in.D)
				continue
			}
			b.env[in.D] = b.reg(in.A)
		case ir.IndexAdd, ir.IndexSub, ir.IndexMul, ir.IndexDiv:
			b.env[in.D] = b.index(add+op(in.Op-ir.IndexAdd), left(), right())
		case ir.IndexNeg:
			b.env[in.D] = b.make(b.at, expr{op: neg, a: b.reg(in.A), n: ofIndex})
		case ir.Add, ir.Fun2:
			b.cell(in, in.D, in.Sym, left(), right())
		case ir.Mul:
			b.cell(in, in.D, term.Mul, left(), right())
		case ir.Fun1:
			b.cell(in, in.D, in.Sym, b.reg(in.A))
		case ir.SumAdd:
			b.sumAdd(in)
		case ir.FunK:
			args := make([]id, len(in.Args))
			for i, r := range in.Args {
				args[i] = b.reg(r)
			}
			b.cell(in, in.D, in.Sym, args...)
		case ir.Load, ir.LoadX, ir.Static, ir.StaticX:
			b.load(in)
		case ir.View, ir.ViewX, ir.Object, ir.ObjectX:
			b.refs[in.D] = b.place(in)
			delete(b.env, in.D)
			continue
		case ir.Alloc:
			b.refs[in.D] = b.alloc(in, in.N)
			delete(b.env, in.D)
			continue
		case ir.Own:
			b.refs[in.D] = b.own(in)
			delete(b.env, in.D)
			continue
		case ir.Store, ir.StoreX:
			b.store(in)
		case ir.Branch:
			b.branch(n, in.Cmp, left(), right())
		case ir.Empty:
			b.branch(n, term.Less, left(), right())
		case ir.Next, ir.Prev:
			b.loop(n)
			continue
		}
		for k := range in.Sets() {
			delete(b.refs, in.D+ir.Reg(k))
		}
		if b.failed {
			return
		}
	}
}

// spaceFor is the space of what makes or carries references.
func (b *builder) spaceFor(of any) *space {
	m := b.spaceOf[of]
	if m == nil {
		m = &space{taped: b.taped}
		b.spaceOf[of] = m
	}
	return m.find()
}

// unite notes that references to both may be in the same register.
func (b *builder) unite(m, o *space) {
	if m, o = m.find(), o.find(); m == o {
		return
	}
	o.same, b.again = m, true
	b.storesIn(m, o.some)
	b.has(m, o.slots)
}

// storesIn notes which numbers are stored in memory: those without an adjoint, and those with one.
func (b *builder) storesIn(m *space, some [2]bool) {
	for k := range some {
		if some[k] && !m.some[k] {
			m.some[k], b.again = true, true
		}
	}
}

// has notes that a vector has so many slots.
func (b *builder) has(m *space, slots int) {
	switch {
	case m.slots == 0:
		m.slots = slots
	case slots != 0 && m.slots != slots:
		m.slots = -1
	}
}

// ofSpace is the number of a space.
func (b *builder) ofSpace(m *space) int {
	m = m.find()
	k := slices.Index(b.spaces, m)
	if k < 0 {
		k = len(b.spaces)
		b.spaces = append(b.spaces, m)
	}
	return k
}

// table is the number of the table of a vector, in memory if m is not nil.
func (b *builder) table(p ref, m *space) int {
	k := slices.IndexFunc(b.Tables, func(t Table) bool {
		return t.Object == p.object && t.Static == p.static && (t.space == nil) == (m == nil)
	})
	if k < 0 {
		k = len(b.Tables)
		o := b.object(p.object, p.static)
		b.Tables = append(b.Tables, Table{Object: p.object, Static: p.static, Live: b.taped && o.Some[1], space: m})
		if m != nil && !(b.filled[p.object] && b.first) {
			b.storesIn(m, o.Some)
		}
	}
	return k
}

// addressOf is the address of what a reference refers to, in memory.
func (b *builder) addressOf(p ref, m *space) id {
	if p.vector == nil {
		own := b.spaceFor(ref{object: p.object, static: p.static})
		b.unite(m, own)
		p.vector, p.base = own, b.make(b.root, expr{op: begun, n: b.table(p, own)})
	}
	b.unite(m, p.vector)
	if p.at == 0 && p.behind == zero {
		return p.base
	}
	return b.make(b.at, expr{op: refer, num: uint64(p.at), a: p.base, b: p.behind, n: b.ofSpace(p.vector)})
}

// alloc makes a vector.
func (b *builder) alloc(in *ir.Instr, slots uint32) ref {
	m := b.spaceFor(in)
	b.has(m, int(slots))
	v := b.make(b.at, expr{op: made, num: uint64(b.allocs)<<32 | uint64(slots), n: b.ofSpace(m)})
	b.allocs++
	for r := b.at.loop; r != nil; r = r.body.parent.loop {
		r.within = true
	}
	b.at.items = append(b.at.items, item{made: v})
	return ref{vector: m, base: v, behind: zero}
}

// own is a vector that may be changed.
func (b *builder) own(in *ir.Instr) ref {
	p, ok := b.refs[in.A]
	if b.failed = b.failed || !ok; b.failed {
		return p
	}
	m := b.spaceFor(in)
	b.has(m, int(in.N))
	base := b.addressOf(p, m)
	b.owns++
	return ref{vector: m, base: b.make(b.at, expr{op: owned, num: uint64(b.owns), a: base, n: b.ofSpace(m)}), behind: zero}
}

// store sets a number of a vector that the loop makes, or fills, or owns.
func (b *builder) store(in *ir.Instr) {
	v := b.reg(in.A)
	if slices.ContainsFunc(b.Targets, func(t Target) bool { return t.Reg == in.D }) {
		b.stores = append(b.stores, store{value: v, to: in.D, at: int(in.N)})
		return
	}
	if p := b.refs[in.D]; p.vector == nil {
		b.failed = b.failed || p.static || b.allocated(p.object) == 0
		b.filled[p.object], b.again = true, true
		return
	}
	p := b.place(in)
	s := &setting{value: v, flag: b.flag(v), old: none}
	if e := &b.values[p.base]; e.op == owned {
		before := p
		before.base = e.a
		s.old = b.inMemory(before)
		s.oldFlag = b.flag(s.old)
		for r := b.at; r != nil; r = r.parent {
			if k := b.ofSpace(p.vector); !slices.Contains(r.owns, k) {
				r.owns = append(r.owns, k)
			}
			if in := (changed{r.loopNumber(), p.vector.find()}); !b.changed[in] {
				b.changed[in], b.again = true, true
			}
		}
	}
	b.storesIn(p.vector.find(), [2]bool{s.flag != one, s.flag != zero})
	b.at.items = append(b.at.items, item{store: s, first: id(len(b.values))})
	s.slot = b.slot(p, slot)
	for r := b.at; r != nil && (s.flag != zero || s.old != none && b.taped); r = r.parent {
		r.stores = true
	}
}

// read is the number at a place of a vector in memory. If that may change, the number has an adjoint of its own: what
// arrives at that of the vector behind the change is of another number.
func (b *builder) read(p ref) id {
	v, before := b.inMemory(p), len(b.values)
	if flag := b.flag(v); flag != zero {
		for in := range b.changed {
			if in.loop == b.at.loopNumber() && in.of.find() == p.vector.find() {
				v = b.make(b.at, expr{op: held, a: v})
				if b.flags[v] = flag; len(b.values) > before {
					b.at.items = append(b.at.items, item{held: v})
				}
				break
			}
		}
	}
	return v
}

// loopNumber is that of the loop in whose body a region is, as in [changed].
func (r *region) loopNumber() int {
	if r.loop == nil {
		return 0
	}
	return r.loop.number + 1
}

// inMemory is the number at a place of a vector in memory, with the adjoint that is there.
func (b *builder) inMemory(p ref) id {
	v, flag := b.slot(p, slot), zero
	switch some := p.vector.find().some; {
	case some[0] && some[1] && b.taped:
		flag = b.slot(p, alive)
		b.flags[flag] = zero
	case some[1] && b.taped:
		flag = one
	}
	b.flags[v] = flag
	return v
}

// slot is the number at a place of a vector in memory, or what is known of it.
func (b *builder) slot(p ref, o op) id {
	return b.make(b.at, expr{op: o, num: uint64(p.at), a: p.base, b: p.behind, n: b.ofSpace(p.vector)})
}

// cell adds an operation whose result comes to register d.
func (b *builder) cell(in *ir.Instr, d ir.Reg, s term.Symbol, args ...id) {
	c := &cell{sym: s, args: args, result: b.apply(b.at, s, args...), in: b.at}
	if in.Taped {
		// Operations with equal results have a cell each, and so have those of which an argument or a number is the result.
		v := b.values[c.result]
		if _, known := b.flags[c.result]; known || v.in != b.at || v.op < add {
			if v.op < add {
				v.expr = expr{op: add, a: c.result, b: b.number(math.Copysign(0, -1))}
			}
			b.values = append(b.values, value{expr: v.expr, in: b.at})
			c.result = id(len(b.values) - 1)
		}
		b.flags[c.result] = one
	}
	b.cells = append(b.cells, c)
	b.at.items = append(b.at.items, item{cell: c})
	b.at.cells++
	b.env[d] = c.result
}

// sumAdd adds a number to that of the registers of a sum whose turn it is.
func (b *builder) sumAdd(in *ir.Instr) {
	i, x, m := b.reg(in.B), b.reg(in.A), b.number(float64(in.M))
	if lp := b.runs[in]; lp != nil {
		b.cell(in, in.D, term.NoSymbol, b.reg(in.D), x)
		r := running{b.cells[len(b.cells)-1], int(in.M), b.newRegion(b.at), in, lp, i}
		b.at.cells--
		r.cell.sum, r.more.cells = &r, 1
		lp.sums = append(lp.sums, &r)
		return
	}
	if p, ok := b.sums[in]; ok {
		flag := b.flag(x)
		s := &sum{p.base, i, x, flag, int(in.M), &cell{args: []id{x, x}, result: x, in: b.at}, b.newRegion(b.at)}
		if flag != one && b.taped {
			s.cell.args[0] = b.make(b.at, expr{op: before, num: uint64(in.M), a: p.base, b: i, n: b.ofSpace(p.vector)})
			b.flags[s.cell.args[0]] = s.cell.args[0]
		}
		s.more.cells = 1
		b.cells = append(b.cells, s.cell)
		b.storesIn(p.vector.find(), [2]bool{flag != one, b.taped})
		b.at.items = append(b.at.items, item{sum: s})
		for r := b.at; r != nil && b.taped; r = r.parent {
			r.stores = true
		}
		return
	}
	if in.M == 1 {
		b.fork(term.Less, i, m, []ir.Reg{in.D}, func() { b.env[in.D] = x },
			func() { b.cell(in, in.D, in.Sym, x, b.reg(in.D)) })
		return
	}
	turn := b.index(sub, i, b.index(mul, m, b.apply(b.at, term.Floor, b.index(div, i, m))))
	for k := range in.M {
		r := in.D + ir.Reg(k)
		first := func() { b.env[r] = x }
		add := func() { b.cell(in, r, in.Sym, b.reg(r), x) }
		apart := b.index(sub, turn, b.number(float64(k)))
		b.fork(term.Less, b.index(mul, apart, apart), b.number(0.5), []ir.Reg{r},
			func() { b.fork(term.Less, i, m, []ir.Reg{r}, first, add) }, func() {})
	}
}

// loop adds a loop.
func (b *builder) loop(n *node) {
	in := n.in
	lp := &inner{number: len(b.loops), down: in.Op == ir.Prev, start: b.reg(in.D), body: b.newRegion(b.at)}
	lp.body.loop, lp.end = lp, zero
	if !lp.down {
		lp.end = b.reg(in.A)
	}
	b.loops = append(b.loops, lp)
	for r := b.at.loop; r != nil; r = r.body.parent.loop {
		r.within = true
	}
	set := setIn(n.body)
	for i := range n.body { // all partial sums are one, or in memory
		if in := n.body[i].in; in.Op == ir.SumAdd && in.Sym == term.NoSymbol && in.M&(in.M-1) == 0 && in.M > 1 {
			if b.runs[in] = lp; b.partial[in] {
				b.runs[in], b.sums[in] = nil, b.alloc(in, in.M)
			}
			for k := range in.M {
				delete(set, in.D+ir.Reg(k))
				delete(b.refs, in.D+ir.Reg(k))
			}
		}
	}
	outer, before, refs, first := b.at, b.env, b.refs, id(len(b.values))
	b.at, b.env, b.refs = lp.body, maps.Clone(before), maps.Clone(refs)
	lp.index = b.make(b.at, expr{op: index, n: lp.number + 1})
	add := func(c innerState) id { // two values that no other loop has
		c.in = b.make(lp.body, expr{op: carry, n: len(b.values)})
		c.last = b.make(outer, expr{op: last, n: len(b.values)})
		b.values[c.last].of = c.in
		lp.carries = append(lp.carries, c)
		return c.in
	}
	for i := range n.body {
		if in := n.body[i].in; b.runs[in] == lp {
			v := add(innerState{reg: in.D, init: b.number(math.Copysign(0, -1))})
			if b.env[in.D], b.flags[v] = v, zero; b.taped {
				b.flags[v] = one
			}
		}
	}
	for _, r := range slices.Sorted(maps.Keys(set)) {
		p, isRef := b.refs[r]
		delete(b.refs, r)
		init, known := before[r]
		delete(b.env, r)
		if !n.head[r] {
			init = none
		} else if isRef {
			m := b.spaceFor(place{lp.number + 1, r})
			b.at = outer
			init = b.addressOf(p, m)
			b.at = lp.body
			b.refs[r] = ref{vector: m, base: add(innerState{reg: r, init: init, vector: m}), behind: zero}
			continue
		} else if !known {
			continue
		}
		if init == none && !n.live[r] {
			continue
		}
		v, flag := add(innerState{reg: r, init: init}), zero
		if init != none {
			flag, b.env[r] = b.flag(init), v
		}
		if b.dynamic[place{lp.number + 1, r}] {
			k := add(innerState{reg: r, flag: true, init: flag})
			b.flags[k], flag = zero, k
		}
		b.flags[v] = flag
	}
	b.env[in.D] = lp.index
	b.nodes(n.body)
	env, inside := b.env, b.refs
	b.at, b.env, b.refs = outer, before, refs
	for r := range set {
		delete(b.env, r)
		delete(b.refs, r)
	}
	for i := range n.body {
		in := n.body[i].in
		for k := 1; k < int(in.M) && b.runs[in] == lp; k++ { // nothing
			b.values = append(b.values, value{expr: b.values[b.number(math.Copysign(0, -1))].expr, in: b.root})
			v := id(len(b.values) - 1)
			if b.env[in.D+ir.Reg(k)], b.flags[v] = v, zero; b.taped {
				b.flags[v] = one
			}
		}
		p, ok := b.sums[in]
		for k := 0; ok && k < int(n.body[i].in.M); k++ {
			p.at = k
			b.env[n.body[i].in.D+ir.Reg(k)] = b.read(p)
		}
	}
	for i := range lp.carries {
		c := &lp.carries[i]
		out, ok := env[c.reg]
		if p, is := inside[c.reg]; is && !b.failed && (c.vector != nil || c.init == none) {
			m := b.spaceFor(place{lp.number + 1, c.reg})
			b.at = lp.body
			c.out = b.addressOf(p, m)
			if b.at = outer; n.live[c.reg] {
				b.refs[c.reg] = ref{vector: m, base: c.last, behind: zero}
			}
			continue
		}
		if !ok || c.vector != nil {
			c.out, c.init = zero, none
			b.failed = b.failed || n.head[c.reg]
			continue
		}
		flag := b.flag(out)
		if c.out = out; c.flag {
			c.out, b.flags[c.last] = flag, zero
			b.flags[lp.carries[i-1].last] = c.last
			continue
		}
		if i+1 < len(lp.carries) && lp.carries[i+1].flag {
			// the next one has its flags
		} else if c.init != none && b.flags[c.in] != flag || flag > one && b.values[flag].in.inside(lp.body) {
			b.isDynamic(place{lp.number + 1, c.reg})
			flag = one
		}
		if b.flags[c.last] = flag; n.live[c.reg] {
			b.env[c.reg] = c.last
		}
	}
	if b.env[in.D] = lp.end; lp.down {
		b.env[in.D] = zero
	}
	for _, s := range lp.sums {
		if flag := b.flag(s.cell.args[1]); b.taped && flag != one && !(flag > one && !lp.within && b.fixed(lp) >= 2*s.most) {
			b.partial[s.in], b.again = true, true
		}
	}
	outer.items = append(outer.items, item{loop: lp, first: first})
}

// fixed is how many iterations a loop inside has, 0: that is not known.
func (b *builder) fixed(lp *inner) int {
	start, end := &b.values[lp.start], &b.values[lp.end]
	if start.op != constant || end.op != constant {
		return 0
	}
	if from := math.Float64frombits(start.num); !lp.down {
		return int(math.Float64frombits(end.num) - from)
	} else {
		return int(from) + 1
	}
}

// inside reports whether a region is another or in it.
func (r *region) inside(other *region) bool {
	for ; r != nil; r = r.parent {
		if r == other {
			return true
		}
	}
	return false
}

func (b *builder) branch(n *node, cmp term.Compare, x, y id) {
	b.fork(cmp, x, y, slices.Sorted(maps.Keys(n.live)), func() { b.nodes(n.then) }, func() { b.nodes(n.els) })
}

// fork adds a conditional, behind which some registers are read.
func (b *builder) fork(cmp term.Compare, x, y id, live []ir.Reg, then, els func()) {
	br := &branch{cmp: cmp, a: x, b: y, then: b.newRegion(b.at), els: b.newRegion(b.at)}
	outer, before, refs, first := b.at, b.env, b.refs, id(len(b.values))
	side := func(r *region, nodes func()) (map[ir.Reg]id, map[ir.Reg]ref) {
		b.at, b.env, b.refs = r, maps.Clone(before), maps.Clone(refs)
		nodes()
		return b.env, b.refs
	}
	thenEnv, thenRefs := side(br.then, then)
	elsEnv, elsRefs := side(br.els, els)
	b.at, b.env, b.refs = outer, before, refs
	outer.items = append(outer.items, item{br: br, first: first})
	b.branches = append(b.branches, br)
	for _, r := range live {
		t, hasT := thenEnv[r]
		e, hasE := elsEnv[r]
		p, refT := thenRefs[r]
		q, refE := elsRefs[r]
		delete(b.refs, r)
		switch {
		case refT || refE:
			delete(b.env, r)
			switch {
			case p == q:
				b.refs[r] = p
			case refT && refE:
				m := b.spaceFor(merged{br.then.number, r})
				b.at = br.then
				t = b.addressOf(p, m)
				b.at = br.els
				e = b.addressOf(q, m)
				b.at = outer
				b.refs[r] = ref{vector: m, base: b.phi(br, t, e), behind: zero}
			}
		case !hasT || !hasE:
			delete(b.env, r)
		case t == e:
			b.env[r] = t
		default:
			b.env[r] = b.phi(br, t, e)
		}
	}
}

// merged is a register of which a branch chooses the reference, by the number of its first side.
type merged struct {
	region int
	reg    ir.Reg
}

// index is an operation of indices.
func (b *builder) index(o op, x, y id) id {
	switch {
	case o == mul && x == one || o == add && x == zero:
		return y
	case (o == mul || o == div) && y == one || (o == add || o == sub) && y == zero:
		return x
	case o == mul && (x == zero || y == zero):
		return zero
	}
	return b.make(b.at, expr{op: o, a: x, b: y, n: ofIndex})
}

// place is what an instruction reads, sets or refers to.
func (b *builder) place(in *ir.Instr) ref {
	p := ref{at: int(in.N), behind: zero}
	switch in.Op {
	case ir.Static, ir.Object, ir.StaticX, ir.ObjectX:
		vector, at := b.program.Vector(in.N)
		p.static, p.object, p.at = true, ir.Reg(vector), int(at)
	default:
		r := in.A
		if in.Op == ir.Store || in.Op == ir.StoreX {
			r = in.D
		}
		of, ok := b.refs[r]
		b.failed = b.failed || !ok
		of.at += p.at
		p = of
	}
	switch in.Op {
	case ir.StaticX, ir.ObjectX, ir.LoadX, ir.ViewX, ir.StoreX:
		p.behind = b.index(add, p.behind, b.index(mul, b.operand(in, ir.NumberB, in.B), b.number(float64(in.M))))
	}
	return p
}

// load adds the reading of an element.
func (b *builder) load(in *ir.Instr) {
	p := b.place(in)
	if b.failed {
		return
	}
	var o Object
	if p.vector == nil {
		o = b.object(p.object, p.static)
	}
	if o.Listed {
		m := b.spaceFor(ref{object: p.object, static: p.static})
		p.vector, p.base = m, b.make(b.root, expr{op: begun, n: b.table(p, m)})
	}
	if p.vector != nil {
		b.env[in.D] = b.read(p)
		return
	}
	s := Stream{Object: p.object, Static: p.static, At: p.at, Width: 1, behind: p.behind}
	stride, ok := b.slopeOfIndex(s.behind)
	if !ok {
		b.lookup(in, p)
		return
	}
	if b.failed || math.Abs(stride) > 1<<30 || len(b.Streams) >= MostStreams {
		b.failed = true
		return
	}
	s.Stride = int(stride)
	// Numbers that stand near each other are of one stream.
	k := slices.IndexFunc(b.Streams, func(o Stream) bool {
		return o.Static == s.Static && o.Object == s.Object && o.behind == s.behind &&
			s.At >= o.At-nearby && s.At < o.At+o.Width+nearby
	})
	if k < 0 {
		k = len(b.Streams)
		s.Live = b.taped && o.Some[1]
		b.Streams = append(b.Streams, s)
	}
	t := &b.Streams[k]
	end := max(t.At+t.Width, s.At+1)
	t.At = min(t.At, s.At)
	t.Width = end - t.At
	b.failed = b.failed || t.Width > mostWidth
	v := b.make(b.at, expr{op: element, n: k, num: uint64(s.At)})
	b.flags[v] = zero
	if t.Live {
		b.flags[v] = one
	}
	b.env[in.D] = v
}

// lookup adds the reading of an element of a table.
func (b *builder) lookup(in *ir.Instr, p ref) {
	k := b.table(p, nil)
	v := b.make(b.at, expr{op: lookup, n: k, num: uint64(p.at), a: p.behind})
	b.flags[v] = zero
	if b.Tables[k].Live {
		b.flags[v] = one
	}
	b.env[in.D] = v
}

const (
	MostStreams = 16      // of a form
	mostValues  = 1 << 14 // of a form
	mostMerged  = 1 << 17 // its branches times its values: about a second goes by until there is backward code of so many
	mostWidth   = 1 << 10 // numbers of an iteration in a stream
	nearby      = 32      // numbers between those of one stream
)

// slopeOfIndex is by how much an index goes on when that of the loop does so by one, if that is always the same.
func (f *Form) slopeOfIndex(v id) (x float64, ok bool) {
	e := &f.values[v]
	switch e.op {
	case constant, input:
		return 0, true
	case index:
		return 1, e.n == 0
	case neg:
		x, ok = f.slopeOfIndex(e.a)
		return -x, ok
	case add, sub, mul, div:
	default:
		return 0, false
	}
	a, okA := f.slopeOfIndex(e.a)
	b, okB := f.slopeOfIndex(e.b)
	switch {
	case !okA || !okB:
	case e.op == add:
		return a + b, true
	case e.op == sub:
		return a - b, true
	case a == 0 && b == 0:
		return 0, true
	case e.op == mul && f.values[e.a].op == constant:
		return math.Float64frombits(f.values[e.a].num) * b, true
	case e.op == mul && f.values[e.b].op == constant:
		return a * math.Float64frombits(f.values[e.b].num), true
	}
	return 0, false
}

// First is the number of the object at which the first iteration's part of a stream begins. regs has the inputs, and i
// is the index.
func (f *Form) First(s *Stream, regs func(n int) float64, i float64) int {
	var at func(v id) float64
	at = func(v id) float64 {
		e := &f.values[v]
		switch e.op {
		case constant:
			return math.Float64frombits(e.num)
		case input:
			return regs(e.n)
		case index:
			return i
		case neg:
			return -at(e.a)
		case add:
			return at(e.a) + at(e.b)
		case sub:
			return at(e.a) - at(e.b)
		case mul:
			return at(e.a) * at(e.b)
		default:
			return at(e.a) / at(e.b)
		}
	}
	return s.At + int(at(s.behind))
}
