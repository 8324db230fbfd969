package native

import (
	"maps"
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// step is an instruction of the interpreter whose registers are those of the loop, or constants.
type step struct {
	op         opcode
	d, a, b, c uint32
	at         int
}

// constant marks what has the place of a register and is the number of a constant.
const constant = 1 << 31

// Which registers an operation reads and writes.
const (
	readA = 1 << iota
	readB
	readC
	readD
	writeB
	writeD
)

var operands = [...]uint8{doMove: readA | writeD, doLoad: writeD, doStore: readA, doMul: readA | readB | writeD, doAdd: readA | readB | writeD,
	doSub: readA | readB | writeD, doAddMul: readA | readB | readD | writeD, doMulAdd: readA | readB | readC | writeD, doMulLoaded: readA | writeD,
	doAddLoaded: readA | writeD, doAddMulLoaded: readA | readD | writeD, doSlope: readA | writeD, doMulSlope: readA | readB | writeD,
	doMulSlopeLoaded: readB | writeD, doStoreMul: readA | readB | writeD, doSinCosStored: readA | writeD,
	doAddMulTwice: readA | readB | readD | writeD, doAddMulTwiceLoaded: readA | readD | writeD, doAddSinCosStored: readA | readB | writeD,
	doSinCos: readA | writeD | writeB, doSigmoid: readA | writeD, doUnary: readA | writeD, doBinary: readA | readB | writeD, doLess: readA | readB,
	doLessEqual: readA | readB, doGreater: readA | readB, doGreaterEqual: readA | readB, doJump: 0}

// fields calls do for each of the step's registers that the mask selects.
func (s *step) fields(mask uint8, do func(reg *uint32)) {
	of := operands[s.op] & mask
	if of&readA != 0 {
		do(&s.a)
	}
	if of&(readB|writeB) != 0 {
		do(&s.b)
	}
	if of&readC != 0 {
		do(&s.c)
	}
	if of&(readD|writeD) != 0 {
		do(&s.d)
	}
}

const (
	allReads  = readA | readB | readC | readD
	allWrites = writeB | writeD
)

func (s *step) reads(reg uint32) bool  { return s.touches(allReads, reg) }
func (s *step) writes(reg uint32) bool { return s.touches(allWrites, reg) }

func (s *step) touches(mask uint8, reg uint32) (found bool) {
	s.fields(mask, func(r *uint32) { found = found || *r == reg })
	return found
}

// assembler makes the bytecode of a loop.
type assembler struct {
	l       *Loop
	out     bytecode
	steps   []step
	numbers map[uint64]uint32 // of constants, by their bits
	written map[uint32]bool   // registers that the code of some node writes
	reads   map[uint32]int    // how often all nodes read a register, where a run goes through several
	next    uint32            // a register that the loop does not have
	failed  bool
}

// assemble returns the bytecode of a loop, nil if it has too many registers. Those from end on are of one run.
func assemble(l *Loop, end uint32) *bytecode {
	a := &assembler{l: l, numbers: map[uint64]uint32{}, written: map[uint32]bool{}, next: end - 1}
	known := map[uint32]uint32{}
	a.known(known, []graph.Const{{}})
	a.known(known, l.Consts)
	for i := range l.Nodes {
		for k := range l.Nodes[i].Code {
			writes(&l.Nodes[i].Code[k], func(reg uint32) { a.written[reg] = true })
		}
	}
	if l.Chosen || len(l.Nodes) == 1 {
		for i := range l.Nodes {
			a.out.starts = append(a.out.starts, uint16(len(a.steps)))
			a.straight(&l.Nodes[i], known)
			if len(a.steps) >= maxSteps {
				return nil
			}
		}
		if !l.Chosen {
			a.out.starts = nil
		}
		a.out.chooser = len(l.Streams) - 1
	} else {
		a.countAll()
		a.loadAll()
		a.tree(0, known, maps.Clone(a.written))
	}
	return a.finish()
}

// maxSteps bounds the instructions, whose numbers have 16 bits.
const maxSteps = 1 << 15

// known notes that registers are constants.
func (a *assembler) known(known map[uint32]uint32, consts []graph.Const) {
	for _, c := range consts {
		bits := math.Float64bits(c.Val)
		number, ok := a.numbers[bits]
		if !ok {
			number = uint32(len(a.numbers))
			a.numbers[bits] = number
			a.out.consts = append(a.out.consts, c.Val)
		}
		known[c.Reg] = constant | number
	}
}

var blockOpcodes = [...]opcode{graph.BlockMul: doMul, graph.BlockAdd: doAdd, graph.BlockSub: doSub, graph.BlockAddMul: doAddMul,
	graph.BlockSlope: doSlope, graph.BlockSinCos: doSinCos, graph.BlockFun1: doUnary, graph.BlockFun2: doBinary}

// translate returns the step of an instruction, in which registers have other names.
func (a *assembler) translate(in *graph.BlockInstr, names map[uint32]uint32) step {
	s := step{op: blockOpcodes[in.Op], d: in.D, a: in.A, b: in.B}
	switch {
	case in.Op == graph.BlockFun1 && in.Sym == term.Sigmoid:
		s.op = doSigmoid
	case in.Op == graph.BlockFun1:
		s.at = len(a.out.unary)
		a.out.unary = append(a.out.unary, in.Sym.Info().Eval1)
	case in.Op == graph.BlockFun2:
		s.at = len(a.out.binary)
		a.out.binary = append(a.out.binary, in.Sym.Info().Eval2)
	}
	s.rename(names)
	s.fields(allWrites, func(reg *uint32) { a.failed = a.failed || *reg&constant != 0 })
	return s
}

func (s *step) rename(names map[uint32]uint32) {
	s.fields(allReads|allWrites, func(reg *uint32) {
		if name, ok := names[*reg]; ok {
			*reg = name
		}
	})
}

// straight appends the code of a node that is a whole run.
func (a *assembler) straight(n *Node, known map[uint32]uint32) {
	names := maps.Clone(known)
	a.known(names, n.Consts)
	steps := a.moves(renameStarts(n, names), names)
	for i := range n.Code {
		steps = append(steps, a.translate(&n.Code[i], names))
	}
	for i := range a.l.Streams {
		for _, c := range a.l.Streams[i].Store {
			steps = storeEarly(steps, step{op: doStore, a: named(names, c.Reg), c: uint32(i), at: c.At})
		}
	}
	var end []Move
	for _, m := range n.End {
		end = append(end, Move{m.D, named(names, m.A)})
	}
	steps = a.loadLate(steps, end)
	steps = fuse(steps, uses(steps, end))
	for i := 0; i < len(end); i++ {
		if coalesce(steps, end, i) {
			end = slices.Delete(end, i, i+1)
			i--
		}
	}
	steps = append(steps, a.moves(end, nil)...)
	for before := 0; before != len(steps); { // what one pass makes another may fuse
		before = len(steps)
		steps = fuse(steps, uses(steps, n.End))
	}
	a.steps = append(a.steps, steps...)
	if a.l.Chosen {
		a.steps = append(a.steps, step{op: doJump, at: -1})
	}
}

func named(names map[uint32]uint32, reg uint32) uint32 {
	if name, ok := names[reg]; ok {
		return name
	}
	return reg
}

// renameStarts gives the registers that are moved at the start the names of those that they are moved from, where nothing else
// uses these. It returns the other moves.
func renameStarts(n *Node, names map[uint32]uint32) (left []Move) {
	used := map[uint32]int{}
	for i := range n.Code {
		reads(&n.Code[i], func(reg uint32) { used[reg]++ })
		writes(&n.Code[i], func(reg uint32) { used[reg]++ })
	}
	for _, m := range n.Start {
		used[m.A]++
		used[m.D]++
	}
	for _, m := range n.End {
		used[m.A]++
	}
	for _, m := range n.Start {
		if _, isConst := names[m.A]; isConst || used[m.A] > 1 || slices.ContainsFunc(n.Start, func(o Move) bool { return o.A == m.D }) {
			left = append(left, m)
		} else {
			names[m.D] = m.A
		}
	}
	return left
}

// moves returns the steps that move numbers all at once.
func (a *assembler) moves(all []Move, names map[uint32]uint32) (steps []step) {
	crossed := false
	for i, m := range all {
		crossed = crossed || slices.ContainsFunc(all[i+1:], func(o Move) bool { return o.A == m.D })
	}
	var second []step
	for _, m := range all {
		from, to := named(names, m.A), m.D
		if crossed {
			second = append(second, step{op: doMove, d: to, a: a.next})
			to = a.next
			a.next--
		}
		if from != to {
			steps = append(steps, step{op: doMove, d: to, a: from})
		}
	}
	return append(steps, second...)
}

// storeEarly inserts a store behind the last step that writes what it stores.
func storeEarly(steps []step, store step) []step {
	at := len(steps)
	for at > 0 && !steps[at-1].writes(store.a) {
		at--
	}
	return slices.Insert(steps, at, store)
}

// loadLate inserts the loads, each before the first step that reads its register.
func (a *assembler) loadLate(steps []step, end []Move) (all []step) {
	loads := map[uint32]step{}
	for i := range a.l.Streams {
		for _, c := range a.l.Streams[i].Load {
			loads[c.Reg] = step{op: doLoad, d: c.Reg, c: uint32(i), at: c.At}
		}
	}
	load := func(reg *uint32) {
		if s, ok := loads[*reg]; ok {
			all = append(all, s)
			delete(loads, *reg)
		}
	}
	for _, s := range steps {
		s.fields(allReads, load)
		s.fields(allWrites, func(reg *uint32) { delete(loads, *reg) })
		all = append(all, s)
	}
	for i := range end {
		load(&end[i].A)
	}
	return all
}

// coalesce lets the code write the result of a move at the end into its place at once, if nothing reads the number that is there
// behind that. It reports whether it has done so.
func coalesce(steps []step, end []Move, i int) bool {
	from, to := end[i].A, end[i].D
	first := slices.IndexFunc(steps, func(s step) bool { return s.writes(from) })
	if first < 0 || steps[first].op == doLoad || slices.ContainsFunc(steps[:first+1], func(s step) bool { return s.reads(from) }) {
		return false
	}
	for k, m := range end {
		if m.A == to || k != i && m.A == from {
			return false
		}
	}
	for k := range steps {
		if s := &steps[k]; k > first && s.reads(to) || s.writes(to) {
			return false
		}
	}
	for k := range steps {
		steps[k].rename(map[uint32]uint32{from: to})
	}
	return true
}

// countAll counts how often the nodes read each register. Numbers at the ends of runs are read by the next run.
func (a *assembler) countAll() {
	a.reads = map[uint32]int{}
	count := func(reg uint32) { a.reads[reg]++ }
	for i := range a.l.Nodes {
		n := &a.l.Nodes[i]
		for k := range n.Code {
			reads(&n.Code[k], count)
		}
		if n.Test != nil {
			count(n.Test.A)
			count(n.Test.B)
		}
		for _, m := range slices.Concat(n.Start, n.End) {
			count(m.A)
			count(m.D)
		}
	}
	for _, s := range a.l.Streams {
		for _, c := range s.Store {
			count(c.Reg)
		}
	}
}

// loadAll loads the numbers of the streams that some node reads.
func (a *assembler) loadAll() {
	for i := range a.l.Streams {
		for _, c := range a.l.Streams[i].Load {
			if a.reads[c.Reg] > 0 {
				a.steps = append(a.steps, step{op: doLoad, d: c.Reg, c: uint32(i), at: c.At})
			}
		}
	}
}

var tests = [...]opcode{term.Less: doLess, term.LessEqual: doLessEqual, term.Greater: doGreater, term.GreaterEqual: doGreaterEqual}

// tree appends the code of a node and of those behind it. unset are the registers that the run has not written.
func (a *assembler) tree(number int, known map[uint32]uint32, unset map[uint32]bool) {
	n := &a.l.Nodes[number]
	known = maps.Clone(known)
	a.known(known, n.Consts)
	steps := a.moves(n.Start, known)
	for i := range n.Code {
		steps = append(steps, a.translate(&n.Code[i], known))
		writes(&n.Code[i], func(reg uint32) { delete(unset, reg) })
	}
	a.steps = append(a.steps, fuse(steps, a.reads)...)
	if n.Test == nil {
		for i := range a.l.Streams {
			for _, c := range a.l.Streams[i].Store {
				if !unset[c.Reg] { // what another path would have written is not stored
					a.steps = append(a.steps, step{op: doStore, a: named(known, c.Reg), c: uint32(i), at: c.At})
				}
			}
		}
		a.steps = append(a.steps, a.moves(n.End, known)...)
		a.steps = append(a.steps, step{op: doJump, at: -1})
		return
	}
	test := len(a.steps)
	a.steps = append(a.steps, step{op: tests[n.Test.Cmp], a: named(known, n.Test.A), b: named(known, n.Test.B)})
	a.tree(n.Then, known, maps.Clone(unset))
	a.steps[test].at = len(a.steps)
	a.tree(n.Else, known, unset)
}

// uses counts the reads of each register by the steps. What moves at the end read and write is read by the next run.
func uses(steps []step, end []Move) map[uint32]int {
	count := map[uint32]int{}
	for _, m := range end {
		count[m.D]++
		count[m.A]++
	}
	for i := range steps {
		steps[i].fields(allReads, func(reg *uint32) { count[*reg]++ })
	}
	return count
}

// fuse makes one step of two where nothing but the second reads what the first writes.
func fuse(steps []step, count map[uint32]int) []step {
	fused := steps[:0]
	for _, s := range steps {
		if n := len(fused); n > 0 {
			if one, ok := pair(fused[n-1], s, func(reg uint32) bool { return count[reg] == 1 }); ok {
				fused[n-1] = one
				continue
			}
		}
		fused = append(fused, s)
	}
	return fused
}

// pair returns the step that does what two do. once reports whether a register is read once.
func pair(p, q step, once func(reg uint32) bool) (one step, ok bool) {
	switch {
	case p.op == doStore && q.op == doMul && (p.a == q.a || p.a == q.b):
		return step{op: doStoreMul, d: q.d, a: p.a, b: q.other(p.a), c: p.c, at: p.at}, true
	case p.op == doSinCos && q.op == doStore && q.a == p.b && once(p.b):
		return step{op: doSinCosStored, d: p.d, a: p.a, c: q.c, at: q.at}, true
	case q.op == doAddMul && q.d == p.d && (p.op == doAddMul || p.op == doMulAdd && p.c == p.d) && p.a == q.a && p.b == q.b && !q.factor(q.d):
		return step{op: doAddMulTwice, d: q.d, a: q.a, b: q.b}, true
	case operands[p.op]&writeD == 0 || !q.reads(p.d) || operands[q.op]&readD != 0 && q.d == p.d || q.d != p.d && !once(p.d):
		return one, false // what the first writes is read again
	case p.op == doLoad && q.op == doMulSlope && q.a == p.d:
		return step{op: doMulSlopeLoaded, d: q.d, b: q.b, c: p.c, at: p.at}, q.b != p.d
	case operands[q.op] != readA|readB|writeD && q.op != doAddMul && q.op != doAddMulTwice || q.a == q.b:
		return one, false
	}
	other := q.other(p.d)
	switch {
	case p.op == doLoad && q.op == doMul:
		return step{op: doMulLoaded, d: q.d, a: other, c: p.c, at: p.at}, true
	case p.op == doLoad && q.op == doAdd:
		return step{op: doAddLoaded, d: q.d, a: other, c: p.c, at: p.at}, true
	case p.op == doLoad && q.op == doAddMul:
		return step{op: doAddMulLoaded, d: q.d, a: other, c: p.c, at: p.at}, true
	case p.op == doLoad && q.op == doAddMulTwice:
		return step{op: doAddMulTwiceLoaded, d: q.d, a: other, c: p.c, at: p.at}, true
	case p.op == doSinCosStored && q.op == doAdd:
		return step{op: doAddSinCosStored, d: q.d, a: p.a, b: other, c: p.c, at: p.at}, true
	case p.op == doMul && q.op == doAdd:
		return step{op: doMulAdd, d: q.d, a: p.a, b: p.b, c: other}, true
	case p.op == doSlope && q.op == doMul:
		return step{op: doMulSlope, d: q.d, a: p.a, b: other}, true
	}
	return one, false
}

// factor reports whether a register is A or B.
func (s *step) factor(reg uint32) bool { return s.a == reg || s.b == reg }

// other returns the one of A and B that is not reg.
func (s *step) other(reg uint32) uint32 {
	if s.a == reg {
		return s.b
	}
	return s.a
}

// finish numbers the registers, and gives the jumps their ends.
func (a *assembler) finish() *bytecode {
	if a.failed || len(a.steps) >= maxSteps {
		return nil
	}
	places := map[uint32]uint8{}
	first, temporary := len(registers{})-len(a.out.consts), 0
	if first < 4 {
		return nil
	}
	place := func(reg uint32) uint8 {
		if reg&constant != 0 {
			return uint8(first + int(reg&^constant))
		}
		at, ok := places[reg]
		switch {
		case ok:
			return at
		case reg > a.next:
			temporary++
			at = uint8(first - temporary)
		default:
			at = uint8(len(a.out.regs))
			a.out.regs = append(a.out.regs, reg)
		}
		places[reg] = at
		return at
	}
	for _, s := range a.steps {
		if s.at >= 1<<16 || len(places) > first-4 {
			return nil
		}
		in := instr(s.op) | instr(s.c)<<32 | instr(s.at)<<48
		if s.op == doJump && s.at < 0 {
			in = instr(s.op) | instr(len(a.steps))<<48
		}
		of := operands[s.op]
		if of&readA != 0 {
			in |= instr(place(s.a)) << 16
		}
		if of&(readB|writeB) != 0 {
			in |= instr(place(s.b)) << 24
		}
		if of&readC != 0 {
			in &^= 0xffffffff << 32
			in |= instr(place(s.c)) << 32
		}
		if of&(readD|writeD) != 0 {
			in |= instr(place(s.d)) << 8
		}
		a.out.code = append(a.out.code, in)
	}
	return &a.out
}
