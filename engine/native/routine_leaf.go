package native

import (
	"maps"
	"slices"

	"github.com/gram-machine/gram/graph"
)

// Where a path of a routine calls nothing, it is code in line behind the test that takes it, in place of a call: half of the calls of a
// recursion over a tree come to its leaves.

// Bounds of code in line.
const (
	maxLeaf     = 32 // instructions of a path that calls nothing
	maxLeaves   = 2  // calls one behind the other
	maxInLineOf = 1 << 10
)

// leaf is a call in line: where it stands, and what is known there of the caller's registers.
type leaf struct {
	c       *graph.RoutineCall
	caller  *graph.Routine
	regs    map[uint32]cached
	address map[uint32]bool
	counted []*graph.RoutineInstr // the entries of the path so far, which are not counted yet
}

// invoke emits a call.
func (w *routineLowering) invoke(c *graph.RoutineCall) {
	if w.leaves == maxLeaves || w.large || !begins(c.Callee, 0, false) {
		w.call(c)
		return
	}
	in := &leaf{c: c, caller: w.r, regs: w.regs, address: w.address}
	callee := *c.Callee // its registers are others than the caller's, which may be the same routine
	regs := map[uint32]cached{}
	for i, typ := range types(&callee) {
		w.get(c.Args[i], typ)
		w.local(opLocalSet, w.localOf(&callee, uint32(i)+1, typ))
		regs[uint32(i)+1] = cached{typ: typ}
	}
	w.leaves++
	w.r, w.regs, w.address = &callee, regs, map[uint32]bool{}
	w.leaf(in, 0)
	w.leaves--
	w.r = in.caller
}

// begins reports whether a path from an instruction on calls nothing, and nothing that stands before its tests has an effect. With all it
// reports whether no path calls anything.
func begins(r *graph.Routine, pc uint32, all bool) bool {
	for n := 0; n < maxLeaf; n++ {
		in := &r.Code[pc]
		next := []uint32{pc + 1, in.D}
		switch in.Op {
		case graph.RoutineReturn:
			return true
		case graph.RoutineInvoke, graph.RoutineTail, graph.RoutineApply:
			return false
		case graph.RoutineNumber, graph.RoutinePair, graph.RoutineCon, graph.RoutineMake, graph.RoutineMember:
			if !all {
				return begins(r, pc, true)
			}
		case graph.RoutineMatch:
			next = r.Targets[in.D : in.D+in.B]
			fallthrough
		case graph.RoutineTest:
			call := func(pc uint32) bool { return !begins(r, pc, all) }
			if all {
				return !slices.ContainsFunc(next, call)
			}
			return slices.ContainsFunc(next, func(pc uint32) bool { return begins(r, pc, false) })
		}
		pc++
	}
	return false
}

// leaf emits the code of a call in line, from an instruction of the callee on.
func (w *routineLowering) leaf(l *leaf, pc uint32) {
	for {
		in := &w.r.Code[pc]
		switch in.Op {
		case graph.RoutineEnter:
			w.late()
			if units := w.r.Units + l.caller.Units; units > 0 {
				w.full(units)
				w.op(opI32Or)
			}
			l.counted = append(l.counted, in)
			w.choose(func() { w.outOfLine(l) }, func() { w.leaf(l, pc+1) })
			return
		case graph.RoutineCount:
			l.counted = append(l.counted[:len(l.counted):len(l.counted)], in)
		case graph.RoutineTest:
			w.num(in.A)
			w.num(in.B)
			w.op(compares[in.Cmp])
			w.choose(func() { w.branch(*l, pc+1) }, func() { w.branch(*l, in.D) })
			return
		case graph.RoutineMatch:
			w.match(in, func(pc uint32) { w.branch(*l, pc) })
			return
		case graph.RoutineReturn:
			w.count(l.counted...)
			w.send(w.r.Returns[in.A], leafTypes(w.r.Result))
			w.back(l, func() {
				w.receive(l.c.Result, leafTypes(l.c.Callee.Result))
				w.code(l.c.At)
			})
			return
		default:
			w.instruction(in)
		}
		pc++
	}
}

// branch goes on behind a test, in line or by the call.
func (w *routineLowering) branch(l leaf, pc uint32) {
	if begins(w.r, pc, false) {
		w.leaf(&l, pc)
	} else {
		w.outOfLine(&l)
	}
}

// outOfLine emits the call after all.
func (w *routineLowering) outOfLine(l *leaf) { w.back(l, func() { w.call(l.c) }) }

// back emits code of the caller.
func (w *routineLowering) back(l *leaf, emit func()) {
	callee, regs, address := w.r, w.regs, w.address
	w.r, w.regs, w.address = l.caller, maps.Clone(l.regs), maps.Clone(l.address)
	emit()
	w.r, w.regs, w.address = callee, regs, address
}
