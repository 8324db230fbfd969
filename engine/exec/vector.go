package exec

import (
	"math"
	"slices"
	"unsafe"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// # Vectors
//
// A vector statement runs a nest of loops whose iterations do not depend on each other. It has instructions, which
// package ir makes of the bodies. An instruction stands in a loop, and has a lane for each iteration of it and of the
// loops around it: in
//
//	vec i < 300 -> s * sum j < 4 -> W.(i).(j) * x.(j)
//
// the product has 300 · 4 lanes, the sum 300, and s is one number. The lanes of an instruction stand one behind the
// other, those of the innermost loop next to each other. So lane (i, j) of the product is number 4·i + j, and the
// lanes that become sum i are next to each other. An instruction whose operand is made further out has it expanded:
// each of its lanes is repeated.
//
// An iteration of the outermost loop is a row. A row of the product has 4 lanes, one of the sum 1: [lane.inner]. A
// strip is some rows, so many that the values of its instructions stay in the cache. The statement runs strip by
// strip, in a strip instruction by instruction, each for all lanes of the strip with a call of package kernel.
// Straight code with several nests, a region, has no outermost loop: it is one strip of one row.
//
// What the loops read are dense vectors. Each load has a place for its first lane and how far apart the places of the
// iterations of each loop are, [dim]. Where these are the same as the lanes', the load is compact: its values are
// those in the vector, else they are copied. What a statement makes are dense vectors too, with addresses that follow
// each other. The tape has one record for the whole statement, with the operands. So the backward phase finds them
// again, and makes again the values that it needs; those that took sums have been kept.

const (
	stripLanes   = 1024    // of a strip, about: what its instructions compute stays in the cache
	stripNumbers = 1 << 17 // at most of a strip, where most instructions have one lane in a row
	mostLanes    = 1 << 16 // of a strip that has to be the only one: of a region,
	mostSingle   = 1 << 24 // of what a symbol makes of many numbers
	mostFixed    = 1 << 18 // values of instructions that depend on indices only, which are kept
	mostKept     = 1 << 20 // numbers for the backward phase, though the tape is to be short
	mostSaved    = 1 << 16 // values of an elementary function that are kept
	mostCopied   = 1 << 20 // numbers of data that is not stored: a loop reads more through its window
	vectorSteps  = 16      // of a vector, which take the time of one of the interpreter, about
)

// vector is a vector statement for the interpreter.
type vector struct {
	src    *ir.Vector
	p      *Program
	id     int
	lanes  []lane
	rows   int // iterations of the outermost loop in a strip
	size   int // of the outermost loop; 1 of a region
	blocks []times
	masked []times // those of branches, and of loops in branches
	steps  int64   // of the others
	single bool    // a strip has all rows
	packed bool    // there are loops in branches: only machine code runs it
	fuel   int64   // for a row
	// The instructions that find operands, that compute values, that compute those which the backward phase needs, and
	// that it goes through, from the last on.
	inputs               []int
	forward, again, back []int
	flow                 []int // whose adjoints depend on those of operands
	settled              []int // stores
	loads, kept          []int // kept: values are kept for the backward phase
	picks                []int
	keep, keepWord       int // how many numbers, and the word that refers to them
	words                int // that a record has
	results              []result
	fixed                [][]float64 // of instructions that depend on indices only and that others read: their values
	masks                []mask      // of these, that selects read
	addresses            int         // of the results
	plus                 uint32
	nests                *nests
}

// times is a block that is entered n times, or, in a branch, in the lanes of mask, or in all of a loop in a branch.
type times struct {
	block      uint32
	n          uint64
	mask, loop int
}

// result is a vector of slots numbers, or a number.
type result struct {
	slots, lane int
	row         int   // how many slots a row sets, if those of each row stand behind those of the row before, else 0
	first       int   // its first address, from that of the record on
	out         int   // the first slot that is set, relative to the reference or the new vector
	stored      []int // what its stores store
}

// lane is an instruction of a vector. What is read whenever it runs comes first, close together in memory.
type lane struct {
	op       ir.LaneOp
	total    bool    // the sum of a nest
	one      bool    // it is outside all loops
	fixed    bool    // it depends on indices only: its values are known
	compact  bool    // lanes stand one behind the other
	static   bool    // a load whose elements are the same whenever the statement runs
	saves    bool    // the values are kept in a record
	operands [2]bool // A, B are numbers outside all loops
	sym      term.Symbol
	kind     uint32
	a, b, c  int
	loop     int
	inner    int // its lanes in an iteration of the outermost loop
	into     int // the store that it makes its values for, −1: none
	kept     int // the store that keeps them, −1: none
	kernels  kernels
	all      func(dst, x []float64)
	word     int   // of a load or a scalar: its first word in a record
	saved    int   // and where in what it keeps
	ratio    int   // of an expansion: lanes for each of A; of a sum: summands; of a row with a 1: numbers
	dims     []dim // of a load, a store or an index: the loops
	arg      int
	lo, hi   int // the least and the largest place, from that of the first lane
	at       ir.Affine
	n        int // lanes in all
	cmp      term.Compare
	val      float64
	vector   uint32 // of a static load
	two      *fun2
	product  *product
	parts    int       // of a pick that is read part by part: how many there are, 0: it is not. Of a take of a part: 1
	part     int       // of a take: which
	apart    int       // of a pick: how far apart the elements are among which it selects
	whole    bool      // and whether those of all lanes are all there are between the first and the last
	dead     [4]uint64 // of a sum of numerals: its additions by kind
	needed   bool      // the backward phase needs its values
	deep     bool      // to make them again takes a sum
	slow     bool      // an elementary function: a statement with few lanes keeps its values
	pair     int       // of a sine, the cosine of the same number, and the other way round; −1: there is none
}

// dim is a loop of a load or a store: its iterations, and how far apart the places are.
type dim struct{ size, by int }

// laneState is what a machine has for a vector.
type laneState struct {
	m               *Machine
	vals, own       [][]float64
	copies, saved   [][]float64 // of operands that are not dense; values that are kept
	tables          [][]float64 // of what picks select from
	deltas, ownD    [][]float64
	owned           []bool
	flags, ownFlags [][]bool
	reach           []reach
	live            []bool
	settled         bool   // live is what it is by that of the operands, and so are mixed, and liveOut of the results
	run             uint64 // the last run of the program in which static operands have been found
	liveOut         bool
	// Of an instruction with adjoints in some lanes only, which these are in a strip. anyMixed says that there is one.
	mixed           []bool
	alive           [][]bool
	anyMixed        bool
	mixedOut        bool     // there is one among the results
	outLive         [][]bool // of the results that are such
	head            [16]bool // of the summands of a sum of the outermost loop
	in              []operand
	outs            [][]float64 // the vectors that are results
	ids             []uint32
	places          []int // of the elements of a pick
	made            made
	taken           []uint64 // how often the masked blocks have been entered
	ones            []int    // of a strip: in how many lanes a mask is 1; −1: not counted yet
	masks           []mask   // of a strip
	sum             kernel.Lanes
	tmp, slope      []float64
	partials        [][]float64 // of operations of partial derivatives
	arrived         []bool
	adj             []adjoints
	arrivals, cells uint64
	pending         []*pending
}

// operand is what a load reads: data[i] is the element at place i from that of the first lane, where first is added.
type operand struct {
	data  []float64
	live  []bool // which of them have an adjoint, nil: all or none
	first int
	ref   uint64 // dense
	from  *dense
	begin int  // the least place, in from
	apart bool // adjoints are collected, and added to those of the elements at the end

	collected []float64
	reached   []bool
	// copied is how many lanes have been copied, in this phase, of a load whose rows are alike.
	copied int
}

// newVector makes a lane program for the interpreter, nil if it is none for it.
func (p *Program) newVector(src *ir.Vector, id int) *vector {
	v := &vector{src: src, p: p, id: id, size: 1, plus: p.kindsOf(term.NoSymbol), words: len(src.Results),
		nests: newNests(src)}
	whole := src.Region && !src.Rows // it has no rows
	if !whole {
		v.size = src.Loops[0].Size
	}
	inner := 1
	all, few := 0, 0 // the lanes of all instructions in a row, and how many of these have one
	v.lanes = make([]lane, len(src.Lanes))
	for i := range src.Lanes {
		s, l := &src.Lanes[i], &v.lanes[i]
		*l = lane{op: s.Op, sym: s.Sym, a: s.A, b: s.B, c: s.C, cmp: s.Cmp, val: s.Val, loop: s.Loop,
			one: s.Loop < 0, n: src.Count(s.Loop), arg: s.Arg, at: s.At, kept: -1, into: -1}
		l.inner = l.n / v.size
		if l.one {
			l.inner = 1
			l.total = !whole && (s.Op == ir.LaneSum || s.Op == ir.LaneProduct)
		}
		if src.Packed(s.Loop) {
			v.packed = v.packed || s.Op != ir.LaneNone && !s.Held
			l.inner = 0
		}
		all += l.inner
		if l.inner == 1 {
			few++
		}
		switch s.Op {
		case ir.LaneLoad, ir.LaneStore, ir.LaneIndex, ir.LaneTake:
			l.place(src, s)
			if s.Op == ir.LaneLoad && s.Arg < 0 {
				l.vector, _ = p.src.Vector(uint32(-s.Arg))
				l.at.N, l.static = l.at.N+s.Arg, len(l.at.Outer) == 0
			}
		}
		switch s.Op {
		case ir.LaneNone:
			continue
		case ir.LaneLoad:
			v.loads = append(v.loads, i)
			l.word, v.words = v.words, v.words+1
			if s.Held {
				continue
			}
		case ir.LaneTake:
			if s.Held {
				continue
			}
		case ir.LaneScalar, ir.LaneIndex:
			l.word, v.words = v.words, v.words+2
		case ir.LaneFun1:
			l.kind, l.all = p.kindsOf(s.Sym), onLanes(s.Sym)
			l.slow = s.Sym != term.Neg && s.Sym != term.Sqrt
		case ir.LaneAdd, ir.LaneMul, ir.LaneFun2:
			if s.Op == ir.LaneMul {
				l.sym = term.Mul
			}
			l.kind, l.kernels, l.slow = p.kindsOf(l.sym), kernelsOf(l.sym), l.sym == term.Pow
		case ir.LaneExpand:
			l.ratio = l.n / v.lanes[l.a].n
		case ir.LaneSum:
			l.ratio = v.lanes[l.a].n / l.n
			l.dead = ir.SumKinds(make([]bool, min(l.ratio, len(laneState{}.head))), l.ratio)
			l.dead[1] += uint64(max(0, l.ratio-len(laneState{}.head)))
			if l.kind = p.kindsOf(s.Sym); s.Sym != term.NoSymbol {
				l.two = p.ofTwo(s.Sym)
				v.single = v.single || l.total
			}
		case ir.LaneProduct:
			l.ratio = v.lanes[l.a].n / l.n
			l.kind = p.kindsOf(term.Mul)
			l.product = v.newProduct(l, s.Loop)
		case ir.LaneOneHot:
			l.kind, l.ratio = p.kindsOf(term.Same), src.Loops[s.B].Size
		case ir.LanePick:
			v.newPick(l, s)
			v.picks = append(v.picks, i)
		}
		switch s.Op {
		case ir.LaneAdd, ir.LaneMul, ir.LaneFun2, ir.LaneTest, ir.LaneSelect:
			l.operands = [2]bool{!l.one && v.lanes[l.a].one, !l.one && v.lanes[l.b].one}
		}
		inner = max(inner, l.inner)
	}
	if whole && inner > mostLanes || v.single && v.size*inner > mostSingle || v.packed && v.nests.work == 0 {
		return nil
	}
	v.rows = stripLanes / inner
	if 2*few > len(v.lanes) { // most instructions have a lane in a row
		v.rows = max(v.rows, stripNumbers/all)
	}
	if v.rows = max(1, min(v.size, v.rows)); v.rows < v.size && v.single {
		v.rows = v.size
	} else if v.rows < v.size {
		v.rows = min(v.size, (v.rows+7)&^7) // sums have eight lanes
	}
	ones := v.fix()
	for _, b := range src.Blocks {
		if b.Mask >= 0 && v.lanes[b.Mask].fixed {
			v.steps += int64(ones[b.Mask]) * p.blocks[b.Block].total
			v.blocks = append(v.blocks, times{uint32(b.Block), ones[b.Mask], -1, b.Loop})
			continue
		}
		if b.Mask >= 0 || src.Packed(b.Loop) {
			v.masked = append(v.masked, times{block: uint32(b.Block), mask: b.Mask, loop: b.Loop})
			continue
		}
		n := src.Count(b.Loop)
		v.steps += int64(n) * p.blocks[b.Block].total
		v.blocks = append(v.blocks, times{uint32(b.Block), uint64(n), -1, b.Loop})
	}
	v.fuel = max(1, v.steps/int64(v.size)/vectorSteps)
	if !v.stores() {
		return nil
	}
	for i := range v.lanes {
		l := &v.lanes[i]
		l.pair = v.pairOf(i)
		l.deep = l.op == ir.LaneSum || l.op == ir.LaneProduct
		src.Lanes[i].Operands(func(k int) { l.deep = l.deep || v.lanes[k].deep })
		l.deep = l.deep && l.kept < 0
	}
	for i := 0; i < len(v.lanes) && !v.packed; i++ {
		v.needs(i)
	}
	v.pickParts()
	v.lists()
	if v.keep > 0 {
		v.keepWord, v.words = v.words, v.words+1
	}
	return v
}

// fix finds the values of instructions that depend on indices only, once. It returns in how many lanes each is 1.
func (v *vector) fix() (ones []uint64) {
	var list []int
	n, read := 0, make([]bool, len(v.lanes))
	counted := make([]bool, len(v.lanes)) // something else than a test reads it: it may be reached
	for i := len(v.lanes) - 1; i >= 0; i-- {
		if l := &v.lanes[i]; l.op != ir.LaneTest && (counted[i] || l.op != ir.LaneFun1 && l.op != ir.LaneFun2) {
			v.src.Lanes[i].Operands(func(k int) { counted[k] = true })
		}
	}
	for i := range v.lanes {
		l, s := &v.lanes[i], &v.src.Lanes[i]
		switch l.op {
		case ir.LaneConst:
			l.fixed = true
			continue
		case ir.LaneIndex:
			l.fixed = len(l.at.Outer) == 0
		case ir.LaneTest, ir.LaneNot, ir.LaneSelect, ir.LaneExpand:
			l.fixed = true
		case ir.LaneAdd, ir.LaneMul, ir.LaneFun1, ir.LaneFun2:
			l.fixed = s.Indices || !counted[i]
		}
		l.fixed = l.fixed && l.inner > 0 && !l.one
		s.Operands(func(k int) { l.fixed = l.fixed && v.lanes[k].fixed })
		if l.fixed {
			list = append(list, i)
		} else {
			s.Operands(func(k int) { read[k] = true })
		}
	}
	for _, i := range list {
		if read[i] {
			n += v.lanes[i].n
		}
	}
	if n > mostFixed {
		for _, i := range list {
			v.lanes[i].fixed = false
		}
		return nil
	}
	s := v.newState(nil)
	for _, i := range list {
		s.in[i].first = v.lanes[i].at.N
	}
	v.fixed, ones = make([][]float64, len(v.lanes)), make([]uint64, len(v.lanes))
	for row := 0; row < v.size; row += v.rows {
		rows := min(v.rows, v.size-row)
		v.compute(s, list, row, rows, false, false)
		for _, i := range list {
			if ones[i] += uint64(kernel.Sum(s.vals[i])); read[i] {
				v.fixed[i] = append(v.fixed[i], s.vals[i]...)
			}
		}
	}
	v.masks = make([]mask, len(v.lanes))
	for i := range v.lanes {
		if l := &v.lanes[i]; l.op == ir.LaneSelect && v.fixed[l.c] != nil {
			v.masks[l.c] = maskOf(v.fixed[l.c])
		}
	}
	return ones
}

// lists makes the lists of instructions.
func (v *vector) lists() {
	used := make([]bool, len(v.lanes))
	for i := range v.lanes {
		v.src.Lanes[i].Operands(func(k int) { used[k] = true })
	}
	for i := range v.lanes {
		l := &v.lanes[i]
		held := v.src.Lanes[i].Held
		switch l.op {
		case ir.LaneLoad, ir.LaneScalar, ir.LaneIndex:
			v.inputs = append(v.inputs, i)
		case ir.LaneExpand, ir.LaneSum, ir.LaneTake, ir.LaneSelect:
			v.flow = append(v.flow, i)
		case ir.LaneStore:
			v.settled = append(v.settled, i)
		}
		switch {
		case l.fixed:
			continue
		case l.op <= ir.LaneScalar || l.op == ir.LaneOneHot || held || l.op == ir.LaneWhere ||
			l.op == ir.LaneNot && !used[i]:
		case l.op == ir.LaneStore:
			if v.lanes[l.a].into != i {
				v.forward = append(v.forward, i)
			}
		default:
			v.forward = append(v.forward, i)
			if l.needed && !l.total {
				v.again = append(v.again, i)
			}
		}
		switch l.op {
		case ir.LaneNone, ir.LaneConst, ir.LaneIndex, ir.LaneTest, ir.LaneNot, ir.LaneWhere:
		default:
			if !held {
				v.back = append(v.back, i)
			}
		}
	}
	slices.Reverse(v.back)
}

// place finds where the lanes of a load or a store are.
func (l *lane) place(src *ir.Vector, s *ir.Lane) {
	apart := 1
	l.compact = true
	for k := s.Loop; k >= 0; k = src.Loops[k].Parent {
		d := dim{src.Loops[k].Size, s.At.By[k]}
		l.dims = append(l.dims, d)
		l.compact = l.compact && d.by == apart
		apart *= d.size
		if d.by < 0 {
			l.lo += (d.size - 1) * d.by
		} else {
			l.hi += (d.size - 1) * d.by
		}
	}
	if src.Region && !src.Rows || len(l.dims) == 0 {
		l.dims = append(l.dims, dim{1, 0})
	}
	slices.Reverse(l.dims)
	for k := len(l.dims) - 1; k > 1; k-- { // loops whose places follow each other are one
		if d, e := &l.dims[k-1], l.dims[k]; d.by == e.size*e.by {
			*d = dim{d.size * e.size, e.by}
			l.dims = slices.Delete(l.dims, k, k+1)
		}
	}
}

// stores finds which slots of results are set, and reports whether they follow each other and each is set once.
func (v *vector) stores() bool {
	for k, r := range v.src.Results {
		if r.Lane >= 0 {
			v.results = append(v.results, result{lane: r.Lane, first: v.addresses})
			v.addresses++
			continue
		}
		lo, hi, n := math.MaxInt, math.MinInt, 0
		out := result{lane: -1, first: v.addresses}
		for i := range v.lanes {
			l := &v.lanes[i]
			if l.op != ir.LaneStore || l.arg != k {
				continue
			}
			if len(l.at.Outer) > 0 {
				return false
			}
			lo, hi, n = min(lo, l.at.N+l.lo), max(hi, l.at.N+l.hi), n+l.n
			out.stored = append(out.stored, l.a)
			a := &v.lanes[l.a]
			if l.compact && a.n == l.n && a.kept < 0 {
				a.kept = i
				if a.op != ir.LaneLoad && a.op != ir.LaneScalar && !a.fixed {
					a.into = i
				}
			}
		}
		if n != hi-lo+1 {
			return false
		}
		out.out, out.slots, out.row = lo, n, n/v.size
		for i := range v.lanes {
			if l := &v.lanes[i]; l.op == ir.LaneStore && l.arg == k && !l.byRows(v, lo, out.row) {
				out.row = 0
			}
		}
		v.addresses += n
		v.results = append(v.results, out)
	}
	return true
}

// byRows reports whether each row of a store sets slots among n that stand behind those of the row before, the first
// row among those from a slot on.
func (l *lane) byRows(v *vector, from, n int) bool {
	across := (v.size - 1) * n
	return l.dims[0].by == n && l.at.N+l.lo >= from && l.at.N+l.hi-across < from+n
}

// slots are those of a strip that a store sets one behind the other.
func (v *vector) slots(s *laneState, store, row, n int) []float64 {
	l := &v.lanes[store]
	return s.outs[l.arg][l.at.N-v.results[l.arg].out+row*l.inner:][:n]
}

// needs notes which values the backward phase of an instruction needs.
func (v *vector) needs(i int) {
	l := &v.lanes[i]
	switch l.op {
	case ir.LaneMul:
		v.need(l.a)
		v.need(l.b)
	case ir.LaneSelect:
		v.need(l.c)
	case ir.LaneSum:
		if l.two != nil {
			v.need(l.a)
		}
	case ir.LaneProduct:
		for _, k := range [2]int{l.a, l.b} {
			if t := &v.lanes[k]; t.op == ir.LaneTake {
				v.need(t.a)
			}
		}
	case ir.LanePick:
		v.need(v.lanes[l.a].a)
	case ir.LaneFun1, ir.LaneFun2:
		if l.pair >= 0 {
			v.need(l.pair)
			return
		}
		of, slopes := [...]int{l.a, l.b, i}, l.sym.Info().Slopes
		if l.op == ir.LaneFun1 {
			of[1] = i
		}
		for k := range slopes {
			slopes[k].Reads(len(slopes), func(j int) { v.need(of[j]) })
		}
	}
}

// pairOf is the instruction that has the cosine of what i has the sine, or the other way round, −1: there is none.
func (v *vector) pairOf(i int) int {
	l := &v.lanes[i]
	return slices.IndexFunc(v.lanes, func(o lane) bool {
		return o.op == ir.LaneFun1 && l.op == ir.LaneFun1 && o.a == l.a && o.loop == l.loop &&
			(l.sym == term.Sin && o.sym == term.Cos || l.sym == term.Cos && o.sym == term.Sin)
	})
}

// need notes that the backward phase needs the values of an instruction: they are kept, or made again. What needs a sum
// is not made again, nor what is slow.
func (v *vector) need(i int) {
	l := &v.lanes[i]
	if l.needed {
		return
	}
	l.needed = true
	switch {
	case l.op <= ir.LaneLoad || l.kept >= 0 || l.fixed:
	case l.op == ir.LaneExpand || l.op == ir.LaneTake:
		v.need(l.a)
	case l.deep || l.slow && (v.src.Region || l.n <= mostSaved):
		l.saves, l.saved = true, v.keep
		v.keep += l.n
		v.kept = append(v.kept, i)
	default:
		v.src.Lanes[i].Operands(v.need)
	}
}

// state is what the machine has for a vector.
func (m *Machine) state(v *vector) *laneState {
	if m.lanes == nil {
		m.lanes = make([]*laneState, len(m.p.vectors))
	}
	if m.lanes[v.id] == nil {
		m.lanes[v.id] = v.newState(m)
	}
	return m.lanes[v.id]
}

func (v *vector) newState(m *Machine) *laneState {
	n := len(v.lanes)
	s := &laneState{m: m, vals: make([][]float64, n), own: make([][]float64, n), deltas: make([][]float64, n),
		ownD: make([][]float64, n), copies: make([][]float64, n), saved: make([][]float64, n), tables: make([][]float64, n),
		adj: make([]adjoints, n), owned: make([]bool, n), flags: make([][]bool, n), ownFlags: make([][]bool, n),
		reach: make([]reach, n), live: make([]bool, n), in: make([]operand, n), pending: make([]*pending, 2*n),
		mixed: make([]bool, n), alive: make([][]bool, n), outLive: make([][]bool, len(v.results)),
		outs: make([][]float64, len(v.results)), ids: make([]uint32, len(v.results)),
		taken: make([]uint64, len(v.masked)), ones: make([]int, n), masks: make([]mask, n)}
	for i := range v.lanes {
		switch l := &v.lanes[i]; l.op {
		case ir.LaneConst:
			s.vals[i] = []float64{l.val}
		case ir.LaneAdd, ir.LaneMul, ir.LaneFun1, ir.LaneFun2, ir.LaneProduct, ir.LaneOneHot, ir.LanePick:
			s.live[i] = !v.src.Lanes[i].Indices
		}
	}
	return s
}

// runVector runs a vector, and reports whether it could.
func (m *Machine) runVector(in *instr, fp unsafe.Pointer, pc int32) (taken bool, err error) {
	v := m.p.vectors[in.m]
	if v == nil || m.Plain || v.keep > mostKept && m.p.src.Taped && m.isLong(8*uint64(v.keep)) {
		return false, nil
	}
	if !m.allows(v) || v.packed && !m.worthNest(v) || in.val != 0 && m.leaves(in, v, fp) {
		return false, nil // the loop stops where the limit is
	}
	args := m.p.args[in.first : in.first+in.count]
	into := v.src.Into >= 0
	taped := m.p.src.Taped
	s := m.state(v)
	words := len(m.tape.words)
	if taped {
		m.tape.words = append(m.tape.words, make([]uint64, v.words)...)
	}
	ok, live, err := m.operands(v, s, args, fp, words, pc)
	if !ok || err != nil {
		m.tape.words = m.tape.words[:words]
		return false, err
	}
	for k := range v.results {
		r := &v.results[k]
		switch {
		case r.lane >= 0:
		case into && !live:
			s.outs[k] = sized(&s.tmp, r.slots)
		default:
			if s.ids[k], err = m.newDense(r.slots, pc); err != nil {
				return false, err
			}
			// No register refers to it yet: a collection for the next one must not free it.
			*at(fp, in.d+uint32(k)*slotSize) = Slot{A: isDense | ref(uint64(s.ids[k]), 0)}
			s.outs[k] = m.dense[s.ids[k]].data
		}
	}
	var kept uint32
	nest := m.nestOf(v, s, 1<<len(v.results)-1)
	if nest != nil {
		if ok, err = m.runNest(nest, v, s, words, pc); !ok || err != nil {
			nest = nil
		}
	}
	if v.packed && nest == nil {
		m.tape.words = m.tape.words[:words]
		return false, err
	}
	if live && v.keep > 0 && nest == nil {
		if kept, err = m.newDense(v.keep, pc); err != nil {
			return false, err
		}
		v.saved(s, m.dense[kept].data)
	}
	if clear(s.taken); nest == nil {
		ok, err = v.strips(s, pc, words, 0, v.size, false, live, func(row, rows int) {
			if live && s.mixedOut {
				v.living(s, row, rows)
				v.storeLive(s, row, rows)
			}
		})
	}
	if !ok || err != nil {
		for k := range v.masked {
			m.counters[v.masked[k].block] -= s.taken[k]
		}
		m.tape.words = m.tape.words[:words]
		return false, err
	}
	base := uint64(0)
	if live {
		if base, err = m.pushRecord(v, v.addresses, pc); err != nil {
			return false, err
		}
		m.tape.records[len(m.tape.records)-1].words = words
		for k := range v.results {
			if r := &v.results[k]; r.lane < 0 {
				if o := &m.dense[s.ids[k]]; v.liveResult(s, k) {
					o.base, o.live = uint32(base)+uint32(r.first), s.outLive[k]
				}
				m.tape.words[words+k] = uint64(s.ids[k])
			}
		}
		if nest != nil {
			m.tape.words[words] = 1 // the result is a number, without a vector
		} else if v.keep > 0 {
			m.tape.words[words+v.keepWord] = uint64(kept)
		}
	} else {
		m.tape.words = m.tape.words[:words]
	}
	for _, b := range v.blocks {
		m.counters[b.block] += b.n
	}
	if most := m.bounds.MaxSteps; most != 0 {
		m.fuel = min(m.fuel, int64(most-m.steps()))
	}
	m.vectors++
	for k := range v.results {
		r := &v.results[k]
		switch {
		case r.lane >= 0:
			x := Slot{V: s.vals[r.lane][0]}
			if live && s.live[r.lane] && (!s.mixed[r.lane] || s.alive[r.lane][0]) {
				x.A = base + uint64(r.first)
			}
			*at(fp, in.d+uint32(k)*slotSize) = x
		case into:
			to := slotOf(at(fp, args[v.src.Into]).A, uint64(r.out))
			for i, x := range s.outs[k] {
				k := Slot{V: x}
				if live && (s.outLive[0] == nil || s.outLive[0][i]) {
					k.A = base + uint64(i)
				}
				m.heap[to+uint64(i)] = k
			}
		}
	}
	return true, nil
}

// operands finds the operands of a vector, and reports whether it can run with them. live says that it has adjoints.
func (m *Machine) operands(v *vector, s *laneState, args []uint32, fp unsafe.Pointer, words int, pc int32) (
	ok, live bool, err error) {
	taped := m.p.src.Taped
	for _, i := range v.inputs {
		l := &v.lanes[i]
		if l.static && s.run == m.runs {
			if taped {
				m.tape.words[words+l.word] = s.in[i].ref
			}
			continue
		}
		if l.op == ir.LaneScalar {
			x := *at(fp, args[l.arg])
			if x.A&isRef != 0 {
				return false, false, nil
			}
			s.scalar(i, x)
			if taped {
				m.tape.words[words+l.word], m.tape.words[words+l.word+1] = math.Float64bits(x.V), x.A
			}
			continue
		}
		n := l.at.N
		for _, o := range l.at.Outer {
			x := at(fp, args[o.Arg]).V
			if n += o.By * int(x); x != math.Trunc(x) {
				return false, false, nil
			}
		}
		if l.op == ir.LaneIndex {
			s.in[i].first = n
			if taped {
				m.tape.words[words+l.word] = uint64(n)
			}
			continue
		}
		r := isDense | ref(uint64(l.vector), 0)
		if l.arg >= 0 {
			if r = at(fp, args[l.arg]).A; r&isDense == 0 {
				s.in[i].first = n
				if ok, err := m.gather(s, i, l, at(fp, args[l.arg]), words, pc); !ok || err != nil {
					return false, false, err
				}
				continue
			}
		}
		to := int(off(r)) + n
		if l.arg < 0 && to+l.hi >= int(m.far) {
			return false, false, nil
		}
		if ok, err := s.find(m, i, isDense|ref(object(r), uint64(to)&mostOffset), l, pc); !ok || err != nil {
			return false, false, err
		}
		if taped {
			m.tape.words[words+l.word] = s.in[i].ref
		}
	}
	for _, i := range v.picks {
		if !v.canPick(m, s, &v.lanes[i]) {
			return false, false, nil
		}
	}
	s.run = m.runs
	if taped {
		v.settle(s)
	}
	return true, taped && s.liveOut, nil
}

// scalar sets a number outside all loops.
func (s *laneState) scalar(i int, x Slot) {
	s.vals[i] = sized(&s.own[i], 1)
	s.vals[i][0] = x.V
	s.setLive(i, x.A != 0, false)
}

// setLive notes whether the elements of an operand have adjoints, all of them or some.
func (s *laneState) setLive(i int, live, mixed bool) {
	if s.live[i] != live || s.mixed[i] != mixed {
		s.live[i], s.mixed[i], s.settled = live, mixed, false
	}
}

// find finds what a load reads, and reports whether it could. Numbers of data that is not stored are copied. So are
// those of a load that reads more than there is, in lanes of a branch that is not taken: what is not there is 0.
func (s *laneState) find(m *Machine, i int, r uint64, l *lane, pc int32) (bool, error) {
	o, k := &s.in[i], object(r)
	d := &m.dense[k]
	o.ref, o.from, o.data, o.live, o.first, o.apart = r, d, d.data, d.live, int(off(r)), d.listed
	if o.first > mostOffset-mostCopied { // a place in front of the vector
		o.first -= mostOffset + 1
	}
	s.setLive(i, d.base != 0, d.live != nil)
	if w := m.windowOf(k); w != nil && l.hi-l.lo < mostCopied && o.first+l.lo >= 0 &&
		o.first+l.hi < w.Data.Rows*w.Data.Width {
		from := uint64(o.first + l.lo)
		o.data, o.first = sized(&s.copies[i], l.hi-l.lo+1), -l.lo
		return true, m.read(o.data, k, from, l.arg < 0, pc)
	}
	o.begin = o.first + l.lo
	if o.begin >= 0 && o.first+l.hi < len(o.data) {
		return true, nil
	}
	n := l.hi - l.lo + 1
	if n > mostCopied || o.data == nil || d.listed {
		return false, nil
	}
	o.data, o.first, o.apart = sized(&s.copies[i], n), -l.lo, true
	clear(o.data)
	from, end := inside(o.begin, n, len(d.data))
	if d.live != nil {
		o.live = make([]bool, n)
	}
	if from < end {
		copy(o.data[from:end], d.data[o.begin+from:])
		if d.live != nil {
			copy(o.live[from:end], d.live[o.begin+from:])
		}
	}
	return true, nil
}

// inside are which of n elements from a place on are in a vector of some size.
func inside(begin, n, size int) (from, end int) {
	if from, end = max(0, -begin), min(n, size-begin); from >= end {
		return 0, 0
	}
	return from, end
}

// settle finds which results have adjoints.
func (v *vector) settle(s *laneState) {
	if s.settled && !s.anyMixed {
		return
	}
	v.adjoints(s)
	s.liveOut, s.mixedOut = false, false
	for k := range v.results {
		r := &v.results[k]
		if r.lane >= 0 {
			s.liveOut, s.mixedOut = s.liveOut || s.live[r.lane], s.mixedOut || s.mixed[r.lane]
			continue
		}
		s.liveOut = s.liveOut || v.liveResult(s, k)
		s.outLive[k] = nil
		for _, a := range r.stored {
			if s.live[a] != s.live[r.stored[0]] || s.mixed[a] {
				s.outLive[k], s.anyMixed, s.mixedOut = make([]bool, r.slots), true, true
				break
			}
		}
	}
}

// liveResult reports whether a vector that is a result has elements with adjoints.
func (v *vector) liveResult(s *laneState, k int) bool {
	return slices.ContainsFunc(v.results[k].stored, func(a int) bool { return s.live[a] })
}

// adjoints finds which instructions have adjoints, in all lanes or in some, from which operands do. Operations have.
func (v *vector) adjoints(s *laneState) {
	s.anyMixed, s.settled = false, true
	for _, i := range v.loads {
		s.anyMixed = s.anyMixed || s.mixed[i]
	}
	for _, i := range v.flow {
		switch l := &v.lanes[i]; {
		case l.op == ir.LaneSelect:
			s.live[i] = s.live[l.a] || s.live[l.b]
			s.mixed[i] = s.live[l.a] != s.live[l.b] || s.mixed[l.a] || s.mixed[l.b]
			s.anyMixed = s.anyMixed || s.mixed[i]
		case l.op == ir.LaneSum && l.ratio > 1:
			s.live[i] = true
		default:
			s.live[i], s.mixed[i] = s.live[l.a], s.mixed[l.a]
		}
	}
}

// gather copies the numbers of slots to a dense vector, and their addresses to words of the tape.
func (m *Machine) gather(s *laneState, i int, l *lane, r *Slot, words int, pc int32) (bool, error) {
	o := &s.in[i]
	n := l.hi - l.lo + 1
	if r.A&isRef == 0 || n > len(m.heap) {
		return false, nil
	}
	begin := int(off(r.A)) + o.first + l.lo
	from, end := inside(begin, n, int(math.Float64bits(m.heap[object(r.A)].V)))
	of := func() []Slot {
		if from == end {
			return nil
		}
		return m.heap[int(object(r.A))+1+begin+from:][:end-from]
	}
	slots, live := of(), 0
	for k := range slots {
		if a := slots[k].A; a&isRef != 0 {
			return false, nil
		} else if a != 0 {
			live++
		}
	}
	o.live = nil
	s.setLive(i, live > 0, live > 0 && live < n)
	if !m.p.src.Taped {
		o.data = sized(&s.copies[i], n)
	} else {
		id, err := m.newDense(n, pc)
		if err != nil {
			return false, err
		}
		o.data, o.ref = m.dense[id].data, isDense|ref(uint64(id), uint64(-l.lo))
		slots = of() // it may have been moved
		if live > 0 {
			m.dense[id].base, m.dense[id].listed = uint32(len(m.tape.words)), true
			if live < n {
				o.live = make([]bool, n)
				m.dense[id].live = o.live
			}
			at := len(m.tape.words)
			m.tape.words = append(m.tape.words, make([]uint64, n)...)
			for k := range slots {
				m.tape.words[at+from+k] = slots[k].A
				if o.live != nil {
					o.live[from+k] = slots[k].A != 0
				}
			}
		}
		m.tape.words[words+l.word] = o.ref
	}
	clear(o.data)
	for k := range slots {
		o.data[from+k] = slots[k].V
	}
	o.first = -l.lo
	return true, nil
}

// Vectors is how many vector statements have run.
func (m *Machine) Vectors() uint64 { return m.vectors }

// sized is a slice of n elements with the memory of s.
func sized[T any](s *[]T, n int) []T {
	if cap(*s) < n {
		*s = make([]T, n)
	}
	*s = (*s)[:n]
	return *s
}

// allows reports whether the limit of steps allows those of a vector.
func (m *Machine) allows(v *vector) bool {
	most := m.bounds.MaxSteps
	return most == 0 || m.steps()+uint64(v.steps) <= most
}

// enter counts the blocks of branches that a strip enters, in the forward phase, and returns their steps: in the
// backward phase those of all lanes.
func (v *vector) enter(s *laneState, rows int, back bool) (steps int64) {
	for i := range s.ones {
		s.ones[i] = -1
	}
	for k, b := range v.masked {
		n := v.src.Count(b.loop) / v.size * rows
		if !back {
			if n = v.iterations(s, b.loop, rows); b.mask >= 0 {
				n = v.onesOf(s, b.mask, n)
			}
			s.taken[k] += uint64(n)
			s.m.counters[b.block] += uint64(n)
		}
		steps += int64(n) * s.m.p.blocks[b.block].total
	}
	return steps
}

// iterations is how many a loop has in a strip.
func (v *vector) iterations(s *laneState, loop, rows int) int {
	l := v.src.Loops[loop]
	switch {
	case l.Where >= 0:
		return v.onesOf(s, l.Where, v.iterations(s, l.Parent, rows)) * l.Size
	case v.src.Packed(loop):
		return v.iterations(s, l.Parent, rows) * l.Size
	}
	return v.src.Count(loop) / v.size * rows
}

// onesOf is how many of n lanes take the branch of which an instruction is the mask.
func (v *vector) onesOf(s *laneState, i, n int) int {
	l := &v.lanes[i]
	switch {
	case s.ones[i] >= 0:
		return s.ones[i]
	case l.op != ir.LaneNot || l.fixed: // what a fixed one reads may have no values here
		n = int(kernel.Sum(s.vals[i]))
	case l.c >= 0:
		n = v.onesOf(s, l.c, n) - v.onesOf(s, l.a, n)
	default:
		n -= v.onesOf(s, l.a, n)
	}
	s.ones[i] = n
	return n
}

// made is the strip whose values a state has: that of the statement whose words of the tape begin there. A statement
// that gets these words later makes its strips, so it is no other one.
type made struct{ words, row, rows int }

// strips runs the strips of the rows in [from, to), for the backward phase from the last to the first, and calls f
// behind each. It reports whether it could: there is a limit of steps. words are those of the statement. Values that
// are there from the forward phase are not made again.
func (v *vector) strips(s *laneState, pc int32, words, from, to int, back, live bool, f func(row, rows int)) (
	bool, error) {
	for _, i := range v.loads {
		s.in[i].copied = 0
	}
	for _, i := range v.picks {
		k := v.lanes[i].b
		s.tables[k] = s.tables[k][:0]
	}
	for left := to - from; left > 0; {
		row, rows := to-left, min(v.rows, left)
		if back {
			end := from + left
			rows = min(left, (end-1)%v.rows+1)
			row = end - rows
		}
		now := made{words, row, rows}
		if !back || s.made != now {
			v.strip(s, row, rows, back, live)
		}
		s.made = now
		steps := v.enter(s, rows, back)
		if !back && !s.m.allows(v) {
			return false, nil
		}
		f(row, rows)
		left -= rows
		if s.m.fuel -= v.fuel*int64(rows) + steps/vectorSteps; s.m.fuel < 0 {
			if err := s.m.look(pc); err != nil {
				return false, err
			}
		}
	}
	return true, nil
}

// strip computes the values of the instructions for some iterations of the outermost loop: all of them, or behind the
// forward phase those that the backward phase needs. live says that values are kept for it.
func (v *vector) strip(s *laneState, row, rows int, again, live bool) {
	for i, x := range v.fixed {
		if n := v.lanes[i].inner; x != nil {
			s.vals[i] = x[row*n:][:rows*n]
			s.masks[i] = v.masks[i].part(row*n, rows*n)
		}
	}
	list := v.forward
	if again {
		list = v.again
	}
	v.compute(s, list, row, rows, again, live)
}

// compute computes the values of instructions; see strip.
func (v *vector) compute(s *laneState, list []int, row, rows int, again, live bool) {
	for _, i := range list {
		l := &v.lanes[i]
		n := l.inner * rows
		var dst []float64
		switch {
		case l.op == ir.LaneLoad:
			v.load(s, i, l, row, rows)
			continue
		case l.total:
			v.total(s, i, l, row, rows)
			continue
		case again && l.kept >= 0:
			s.vals[i] = v.slots(s, l.kept, row, n)
			continue
		case l.saves && live:
			dst = s.saved[i][row*l.inner:][:n]
			if s.vals[i] = dst; again {
				continue
			}
		case l.into >= 0:
			dst = v.slots(s, l.into, row, n)
		case l.op == ir.LaneStore:
			v.store(s, l, row, rows)
			continue
		default:
			dst = sized(&s.own[i], n)
		}
		s.vals[i] = dst
		switch l.op {
		case ir.LaneIndex:
			first := s.in[i].first + row*l.dims[0].by
			l.each(rows, first, func(lane, at, size, by int) {
				for k := range dst[lane : lane+size] {
					dst[lane+k] = float64(at)
					at += by
				}
			})
		case ir.LaneExpand:
			expand(l, dst, s.vals[l.a])
		case ir.LaneTake:
			if l.parts == 0 || !v.takePart(s, l, dst, rows) {
				copyPlaces(l, dst, s.vals[l.a], rows, v.taking(l, row))
			}
		case ir.LaneSum:
			if l.two == nil {
				kernel.SumRows(dst, s.vals[l.a], l.ratio)
				break
			}
			for k := range dst {
				dst[k] = l.sum(s.vals[l.a][k*l.ratio:][:l.ratio])
			}
		case ir.LaneProduct:
			v.taken(s, l, row)
			l.product.run(s.m, dst, &s.in[l.a], &s.in[l.b], row, rows)
		case ir.LanePick:
			v.pick(s, l, dst, row, rows)
		case ir.LaneTest:
			l.test(dst, s.vals[l.a], s.vals[l.b])
			if l.c >= 0 {
				kernel.Mul(dst, dst, s.vals[l.c])
			}
		case ir.LaneNot:
			if l.c >= 0 {
				kernel.Sub(dst, s.vals[l.c], s.vals[l.a])
			} else {
				kernel.ScalarSub(dst, 1, s.vals[l.a])
			}
		case ir.LaneSelect:
			choose(dst, s.vals[l.a], s.vals[l.b], s.vals[l.c], &s.masks[l.c])
		case ir.LaneFun1:
			l.all(dst, s.vals[l.a])
		default:
			switch a, b := s.vals[l.a], s.vals[l.b]; {
			case l.operands[0]:
				l.kernels.left(dst, b, a[0])
			case l.operands[1]:
				l.kernels.right(dst, a, b[0])
			default:
				l.kernels.both(dst, a, b)
			}
		}
	}
}

// expand sets dst to the numbers of x for the lanes of an expansion.
func expand[T any](l *lane, dst, x []T) {
	if len(x) == 1 {
		kernel.Fill(dst, x[0])
	} else {
		kernel.Repeat(dst, x, l.ratio)
	}
}

// total adds a strip to the sum of the outermost loop.
func (v *vector) total(s *laneState, i int, l *lane, row, rows int) {
	if row == 0 {
		s.sum = kernel.Lanes{}
		s.vals[i] = sized(&s.own[i], 1)
	}
	if l.two != nil {
		s.vals[i][0] = l.sum(s.vals[l.a])
		return
	}
	if l.op == ir.LaneSum {
		s.sum.Add(s.vals[l.a])
	} else {
		v.taken(s, l, row)
		l.product.total(s, &s.in[l.a], &s.in[l.b], row, rows)
	}
	if row+rows == v.size {
		s.vals[i][0] = s.sum.Sum()
	}
}

// mostDims is how many loops there are at most around an instruction, and the row of a region.
const mostDims = len(ir.Affine{}.By) + 1

// tile is the lanes of two loops: the first lane and its place, and of each loop how many iterations it has and how far
// apart their places are.
type tile struct {
	lane, at     int
	outer, inner dim
}

// next goes on to the next iteration of the outer loop.
func (t *tile) next() {
	t.outer.size--
	t.lane, t.at = t.lane+t.inner.size, t.at+t.outer.by
}

// tiles calls f for the two innermost loops of rows iterations of the outermost, as often as they run.
func tiles(dims []dim, rows, first int, f func(tile)) {
	last := len(dims) - 1
	outer, inner := dim{size: 1}, dims[last]
	switch last {
	case 0:
		inner.size = rows
	case 1:
		outer = dim{rows, dims[0].by}
	default:
		outer = dims[last-1]
	}
	var index [mostDims]int
	for lane, at := 0, first; ; lane += outer.size * inner.size {
		f(tile{lane, at, outer, inner})
		k := last - 2
		for ; k >= 0; k-- {
			n := dims[k].size
			if k == 0 {
				n = rows
			}
			at += dims[k].by
			if index[k]++; index[k] < n {
				break
			}
			at -= index[k] * dims[k].by
			index[k] = 0
		}
		if k < 0 {
			return
		}
	}
}

// load finds the values of a load: where they are, or copied.
func (v *vector) load(s *laneState, i int, l *lane, row, rows int) {
	o := &s.in[i]
	n := l.inner * rows
	if l.one {
		s.vals[i] = o.data[o.first:][:1]
		return
	}
	if l.compact {
		s.vals[i] = o.data[o.first+row*l.inner:][:n]
		return
	}
	s.vals[i] = sized(&s.own[i], n)
	if n <= o.copied {
		return
	}
	copyPlaces(l, s.vals[i], o.data, rows, o.first+row*l.dims[0].by)
	if l.period(n, rows) > 0 {
		o.copied = n
	}
}

// period is after how many lanes the places of a load repeat themselves, 0 if they don't.
func (l *lane) period(lanes, rows int) int {
	if rows > 1 && l.dims[0].by == 0 && len(l.dims) > 1 {
		return lanes / rows
	}
	return 0
}

// copyPlaces sets dst to the numbers of x at the places of lanes.
func copyPlaces[T any](l *lane, dst, x []T, rows, first int) {
	if n := l.period(len(dst), rows); n > 0 {
		copyPlaces(l, dst[:n], x, 1, first)
		kernel.Cycle(dst, n)
		return
	}
	tiles(l.dims, rows, first, func(t tile) {
		n, all := t.inner.size, dst[t.lane:][:t.outer.size*t.inner.size]
		for more := true; more; more = t.outer.size > 0 && t.outer.by != 0 {
			kernel.CopyApart(dst[t.lane:t.lane+n], x, t.at, t.inner.by)
			t.next()
		}
		if t.outer.by == 0 {
			kernel.Cycle(all, n)
		}
	})
}

// each calls f for lanes that follow each other of a load, a store, an index or a take: the first lane, its place, how
// many they are and how far apart their places are. The place of the first lane of a strip is first.
func (l *lane) each(rows, first int, f func(lane, at, size, by int)) {
	tiles(l.dims, rows, first, func(t tile) {
		for ; t.outer.size > 0; t.next() {
			f(t.lane, t.at, t.inner.size, t.inner.by)
		}
	})
}

// saved says where values are kept.
func (v *vector) saved(s *laneState, kept []float64) {
	for _, i := range v.kept {
		s.saved[i] = kept[v.lanes[i].saved:]
	}
}

// taking is the place of the first lane of a take in the values of a strip, which begin with those of its first row.
func (v *vector) taking(l *lane, row int) int { return l.at.N + row*(l.dims[0].by-v.lanes[l.a].inner) }

// taken gives a product its operands that are values of the vector, of a strip from a row on.
func (v *vector) taken(s *laneState, l *lane, row int) {
	for _, i := range [2]int{l.a, l.b} {
		if t := &v.lanes[i]; t.op == ir.LaneTake {
			s.in[i] = operand{data: s.vals[t.a], first: t.at.N}
			if from := &v.lanes[t.a]; !from.one {
				s.in[i].first -= row * from.inner
			}
			if s.mixed[t.a] {
				s.in[i].live = s.alive[t.a]
			}
		}
	}
}

// store puts values in their slots.
func (v *vector) store(s *laneState, l *lane, row, rows int) {
	x, out := s.vals[l.a], s.outs[l.arg]
	l.each(rows, l.at.N-v.results[l.arg].out+row*l.dims[0].by, func(lane, at, size, by int) {
		kernel.SetApart(out, x[lane:lane+size], at, by)
	})
}
