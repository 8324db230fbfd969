package native

import (
	"math"
	"math/bits"
	"slices"
	"sync"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/term"
)

// Nest is the machine code of a vector statement whose results are numbers, made by nests of loops with branches. It
// goes through the iterations one after the other, where the kernels have all lanes of an instruction at once. So it
// needs no lanes for iterations that do not take a branch, and short loops cost no calls.
//
// # Phases
//
// The body of a loop is divided into phases. A phase runs for all iterations of the loop, or for those that take a
// branch, before the next one begins. So one that selects elements of a vector that the loop makes is behind the one
// that makes it. A test is a bit for each iteration of its loop, so loops with tests run in blocks of at most 64
// iterations, and a phase in a branch goes through the bits that are 1. What other phases read is in an array.
//
// # Backward
//
// The forward code of a taped program pushes what the backward code can't make again from indices and inputs: numbers
// at the end of each iteration of a phase, and tests at the end of each loop. The backward code pops them. Numbers have
// an adjoint only if it reaches one of an input. Cells are counted for whole loops, from the bits of the iterations in
// which they are reached.
type Nest struct {
	v     *ir.Vector
	taped bool
	lanes []nestLane
	loops []nestLoop // loop k is number k+1: number 0 is what is outside all loops
	// The results, each once. If code may run in parts, these are those of iterations of the loop outer, over which the
	// only result is a sum; −2: it may not.
	results []int
	outer   int
	fails   bool

	// Where memory has what, in words behind the tables: Words in all, those of inputs by their instruction, −1: it is
	// none, or has no adjoint. Flags follow adjoints.
	Words     int
	data, adj []int
	tables    []nestTable
	ahead     [][2]int // words that are 0 before the forward code begins, from one to the other
	behind    [][2]int // and before the backward code does
	// Parts is in how many parts the code may run, and Room how many bytes it pushes, about.
	Parts int
	Room  float64

	code [2]*wasm.Function // forward and backward
	once sync.Once
	made [2]*wasm.Code
}

// Code makes the machine code, forward and, if it is taped, backward; ok is false where there is no compiler.
func (n *Nest) Code() (forward, backward *wasm.Code, ok bool) {
	n.once.Do(func() {
		for k, f := range n.code {
			if f != nil {
				n.made[k] = f.Compile(wasm.TableBytes + 8*n.Words)
			}
		}
	})
	return n.made[0], n.made[1], n.made[0] != nil && (n.made[1] != nil || n.code[1] == nil)
}

// The first words of memory: whether there was no room, the end of what was pushed, the iterations of a part, and those
// in which summands of its result have adjoints. Behind them are the results, and what has arrived at them.
const (
	nestFull = iota
	nestTop
	nestRange
	nestTests
	nestResults
)

const (
	mostBits  = 64      // iterations of a loop with tests that run as one block
	mostHeads = 12      // summands of a sum that are counted by which of them have an adjoint
	longSum   = 16      // summands behind which all partial sums have one, [ir.SumKinds]: these are counted by kinds
	mostTable = 1 << 12 // numbers of a table
	mostWords = 1 << 20 // of memory in front of what is pushed
)

type nestLane struct {
	uses       []int
	live, grad bool // it has a cell or adjoint; the adjoint is one that reaches an input's
	mixed      int  // the test where it is live, −1: it is so everywhere, or nowhere
	lazy       bool // it is found where it is read
	fixed      bool // it depends on indices only
	table      int
	guard      int // the test of the iterations in which it is computed, −1: all
	reach      reachSet
	array      int   // word, −1: none
	dims       []int // of the array: loops, the innermost first
	counter    int   // of a test: its word, how often it is 1; of reached lanes: how often they are reached
	flagged    bool  // each element that is read has a flag of its own
	some       bool  // of an expansion: not all iterations of what it is of that run loops reach it
	heads      int   // of a sum of which some summands have adjoints: the first word of its counters
}

// reachSet says in which iterations of its loop an instruction is reached: in all, or in those of some tests, and in
// those in which it is reached by what takes or expands it: these have its number, inverted.
type reachSet struct {
	all bool
	of  []int
}

func (r reachSet) none() bool { return !r.all && len(r.of) == 0 }

func (r reachSet) equal(s reachSet) bool { return r.all == s.all && slices.Equal(r.of, s.of) }

// is reports whether these are the iterations of a test, −1: all.
func (r reachSet) is(test int) bool {
	if test < 0 {
		return r.all
	}
	return !r.all && len(r.of) == 1 && r.of[0] == test
}

// isTest reports whether these are the iterations of some test: the forward code counts them.
func (r reachSet) isTest() bool { return !r.all && len(r.of) == 1 && r.of[0] >= 0 }

func (r *reachSet) add(s reachSet) {
	r.all, r.of = r.all || s.all, append(slices.Clone(r.of), s.of...)
	slices.Sort(r.of)
	if r.of = slices.Compact(r.of); r.all {
		r.of = nil
	}
}

type nestLoop struct {
	ir.Nested
	phases []phase
	tests  []int // in their order
	pushed []int // tests
	reach  []reachGroup
	arrive []int        // loads whose elements that are reached are bits of a word
	units  map[unit]int // phases
	back   bool         // it has backward code
	blocks bool         // it runs in blocks
}

// reachGroup are the instructions of a loop that are reached in the same iterations.
type reachGroup struct {
	reachSet
	counter int
}

// unit is an instruction, or a loop if loop ≥ 0.
type unit struct{ lane, loop int }

type phase struct {
	guard  int
	units  []unit
	pushed []int // instructions
	back   bool
}

// nestTable has the numbers of an instruction that depends on indices only.
type nestTable struct {
	at     int
	loops  []int // the innermost first
	values []float64
}

// NewNest makes code of a vector statement, nil if it is none for it. live says which loads and numbers have adjoints,
// and reached which results are reached in the backward phase.
func NewNest(v *ir.Vector, live, reached func(i int) bool, taped bool) *Nest {
	v = withSummands(v)
	n := &Nest{v: v, taped: taped, lanes: make([]nestLane, len(v.Lanes)), loops: make([]nestLoop, len(v.Loops)+1),
		data: make([]int, len(v.Lanes)), adj: make([]int, len(v.Lanes)), Words: nestResults}
	n.loops[0] = nestLoop{Nested: ir.Nested{Parent: -2, Size: 1, Where: -1}}
	for k, l := range v.Loops {
		n.loops[k+1].Nested = l
	}
	if !n.possible() {
		return nil
	}
	steps := []func(){func() { n.liveness(live) }, n.guards, func() { n.reaches(reached) }, n.divide,
		n.parts, n.layout, n.pushes}
	for _, step := range steps {
		if step(); n.fails {
			return nil
		}
	}
	n.code[0] = n.forward()
	if taped && !n.fails {
		n.code[1] = n.backward()
	}
	if n.fails {
		return nil
	}
	return n
}

// withSummands returns a vector that computes the same, in which more selects are summands, see [Nest.summand]: if one
// operand is a numeral it is B, and a select whose A is another one with the same B has that one's A. A product has its
// symbol.
func withSummands(v *ir.Vector) *ir.Vector {
	out := *v
	out.Lanes = slices.Clone(v.Lanes)
	not := map[int]int{}
	for i := range out.Lanes {
		s := &out.Lanes[i]
		switch s.Op {
		case ir.LaneMul:
			s.Sym = term.Mul
		case ir.LaneNot:
			not[s.A] = i
		}
		if s.Op != ir.LaneSelect {
			continue
		}
		a := &out.Lanes[s.A]
		if c, ok := not[s.C]; ok && a.Op == ir.LaneConst {
			s.A, s.B, s.C = s.B, s.A, c
			a = &out.Lanes[s.A]
		}
		if b := &out.Lanes[s.B]; a.Op == ir.LaneSelect && b.Op == ir.LaneConst && out.Lanes[a.C].C == s.C &&
			out.Lanes[a.B].Op == ir.LaneConst && math.Float64bits(out.Lanes[a.B].Val) == math.Float64bits(b.Val) {
			s.A, s.C = a.A, a.C
		}
	}
	return &out
}

// fail notes that there is no code, if something is so.
func (n *Nest) fail(is bool) bool {
	n.fails = n.fails || is
	return n.fails
}

func (n *Nest) loop(k int) *nestLoop { return &n.loops[k+1] }

// Begin puts the tables in memory.
func (n *Nest) Begin(memory []uint64) {
	for _, t := range n.tables {
		for j, x := range t.values {
			memory[t.at+j] = math.Float64bits(x)
		}
	}
}

// Ahead makes memory ready for the forward code, and Behind for the backward code, with nothing at the results.
func (n *Nest) Ahead(memory []uint64) {
	memory[nestResults] = math.Float64bits(math.Copysign(0, -1))
	for _, r := range n.ahead {
		clear(memory[r[0]:r[1]])
	}
}

func (n *Nest) Behind(memory []uint64) {
	memory[nestTests] = 0
	clear(memory[nestResults+len(n.results):][:len(n.results)])
	for _, r := range n.behind {
		clear(memory[r[0]:r[1]])
	}
}

// Arrive adds what has arrived at a result of the statement.
func (n *Nest) Arrive(memory []uint64, result int, adjoint float64) {
	at := &memory[nestResults+len(n.results)+n.result(result)]
	*at = math.Float64bits(math.Float64frombits(*at) + adjoint)
}

// result is the number, here, of a result of the statement.
func (n *Nest) result(k int) int { return slices.Index(n.results, n.v.Results[k].Lane) }

// Part makes memory ready for part k of so many, and returns the parameters of the code. What is pushed begins, or
// ends, at the address stack, and has room up to limit.
func (n *Nest) Part(memory []uint64, k, parts int, stack, limit uint64) (params [4]uint64) {
	memory[nestFull], memory[nestRange] = 0, ^uint64(0)
	if n.outer < 0 {
		return [4]uint64{0, 0, stack, limit}
	}
	size := n.loop(n.outer).Size
	from, to := k*size/parts, (k+1)*size/parts
	switch {
	case n.loop(n.outer).blocks && parts > 1:
		from, to = k*mostBits, min(size, (k+1)*mostBits)
	case parts > 1:
		memory[nestRange] = 1<<to - 1<<from
	}
	return [4]uint64{8 * uint64(from), 8 * uint64(to), stack, limit}
}

// Stack is where what is pushed begins in memory.
func (n *Nest) Stack() uint64 { return uint64(wasm.TableBytes + 8*n.Words) }

// Top is where what was pushed ends; full says that there was no room, and that the code has counted nothing.
func (n *Nest) Top(memory []uint64) (top uint64, full bool) {
	return memory[nestTop], memory[nestFull] != 0
}

// Result is a result of the statement.
func (n *Nest) Result(memory []uint64, k int) float64 {
	x := math.Float64frombits(memory[nestResults+n.result(k)])
	if n.outer >= 0 && n.hasSet(n.outer) {
		if a := n.v.Lanes[n.results[0]].A; n.summand(a) {
			s := &n.v.Lanes[a]
			if others := n.loop(n.outer).Size - int(n.ones(memory, s.C)); others > 0 {
				x += float64(others) * n.v.Lanes[s.B].Val
			}
		}
	}
	return x
}

// Inputs calls f for each load and number that is read, with its numbers, from place lo on.
func (n *Nest) Inputs(memory []uint64, f func(i, lo int, data []uint64)) {
	for i, at := range n.data {
		if at >= 0 {
			lo, hi := n.span(i)
			f(i, lo, memory[at:][:hi-lo+1])
		}
	}
}

// Arrived calls f for each number that is read and reached, with its place and what has arrived at its adjoint.
func (n *Nest) Arrived(memory []uint64, f func(i, at int, adjoint float64)) {
	for i, adj := range n.adj {
		if adj < 0 {
			continue
		}
		lo, hi := n.span(i)
		size := hi - lo + 1
		for k, a := range memory[adj:][:size] {
			if flags := memory[adj+size:]; n.lanes[i].flagged && flags[k] != 0 || !n.lanes[i].flagged && flags[0]>>k&1 != 0 {
				f(i, lo+k, math.Float64frombits(a))
			}
		}
	}
}

// Entered is how often a block is entered.
func (n *Nest) Entered(memory []uint64, loop, mask int) uint64 {
	if mask >= 0 {
		return n.ones(memory, mask)
	}
	return n.iterations(memory, loop)
}

// Cells calls f with the operations that are reached and which of their operands have an adjoint, by bits.
func (n *Nest) Cells(memory []uint64, f func(i, kind int, times uint64)) {
	for i := range n.lanes {
		l, s := &n.lanes[i], &n.v.Lanes[i]
		if !l.live || l.reach.none() {
			continue
		}
		switch {
		case operation(s.Op):
			times := uint64(1)
			switch {
			case l.reach.isTest():
				times = n.ones(memory, l.reach.of[0])
			case s.Loop == n.outer && l.reach.all:
				times = uint64(n.loop(n.outer).Size)
			case s.Loop >= 0:
				if times = memory[l.counter]; n.hasSet(s.Loop) {
					times = uint64(bits.OnesCount64(times))
				}
			}
			f(i, ir.KindOf(n.lanes[s.A].live, s.Op != ir.LaneFun1 && n.lanes[s.B].live), times)
		case s.Op == ir.LaneSum:
			n.cellsOfSum(memory, i, func(kinds [4]uint64, times uint64) {
				for k, c := range kinds {
					f(i, k, c*times)
				}
			})
		}
	}
}

// cellsOfSum calls f with the additions of sums by kind, and how many such sums there are.
func (n *Nest) cellsOfSum(memory []uint64, i int, f func(kinds [4]uint64, times uint64)) {
	a, c := &n.lanes[n.v.Lanes[i].A], n.loopOf(i)
	size := n.loop(c).Size
	sums := n.iterations(memory, c) / uint64(size)
	count := func(tests uint64, times uint64) {
		head := make([]bool, min(size, longSum))
		for k := range head {
			head[k] = tests>>k&1 != 0
		}
		kinds := ir.SumKinds(head, size)
		live := uint64(bits.OnesCount64(tests >> longSum))
		kinds[ir.KindOf(true, true)] += live
		kinds[ir.KindOf(true, false)] += uint64(size-len(head)) - live
		f(kinds, times)
	}
	switch {
	case !n.isMixed(i) && size <= mostBits:
		live := uint64(n.full(c))
		if !a.live {
			live = 0
		}
		count(live, sums)
	case !n.isMixed(i):
		kind := ir.KindOf(true, a.live)
		kinds := ir.SumKinds(slices.Repeat([]bool{a.live}, longSum), size)
		kinds[kind] += uint64(size - longSum)
		f(kinds, sums)
	case n.hasSet(c):
		count(memory[nestTests], 1)
	case size >= longSum:
		kinds := [4]uint64(memory[n.lanes[i].heads:])
		kinds[3] += 7 * sums
		kinds[0] = uint64(size-1)*sums - kinds[1] - kinds[2] - kinds[3]
		f(kinds, 1)
	default:
		for tests, times := range memory[n.lanes[i].heads:][:1<<size] {
			if times > 0 {
				count(uint64(tests), times)
			}
		}
	}
}

// hasSet reports whether the iterations of a loop that are counted are sets: those of the outermost loop, whose tests
// run for each part.
func (n *Nest) hasSet(k int) bool { return k == n.outer && !n.loop(k).blocks }

// iterations is how many of a loop have run.
func (n *Nest) iterations(memory []uint64, loop int) uint64 {
	if loop < 0 {
		return 1
	}
	l := n.loop(loop)
	if l.Where >= 0 {
		return n.ones(memory, l.Where) * uint64(l.Size)
	}
	return n.iterations(memory, l.Parent) * uint64(l.Size)
}

// ones is how many lanes of a test are 1.
func (n *Nest) ones(memory []uint64, test int) uint64 {
	s := &n.v.Lanes[test]
	switch {
	case s.Op == ir.LaneTest && n.hasSet(s.Loop):
		return uint64(bits.OnesCount64(memory[n.lanes[test].counter]))
	case s.Op == ir.LaneTest:
		return memory[n.lanes[test].counter]
	case s.C >= 0:
		return n.ones(memory, s.C) - n.ones(memory, s.A)
	}
	return n.iterations(memory, s.Loop) - n.ones(memory, s.A)
}
