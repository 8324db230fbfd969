package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
)

// keep finds which registers are read behind each call and each application. Only these keep their references alive.
func keep(r *graph.Routine) {
	at := map[uint32]registers{} // where code jumps to
	var read registers
	for pc := uint32(len(r.Code)); pc > 0; {
		pc--
		in := &r.Code[pc]
		switch in.Op {
		case graph.RoutineReturn, graph.RoutineTail:
			read = make(registers, r.Size)
		case graph.RoutineTest:
			read.add(at[in.D])
		case graph.RoutineMatch:
			read = make(registers, r.Size)
			for _, to := range r.Targets[in.D : in.D+in.B] {
				read.add(at[to])
			}
		case graph.RoutineInvoke:
			c := r.Calls[in.A]
			c.After = read.of(c.After)
			for i := range c.Callee.Result.Leaves() {
				read[c.Result+i] = false
			}
			c.Keep, c.Live = read.all(), read.of(c.Live)
		case graph.RoutineApply:
			o := r.Objects[in.A]
			read[in.D] = false
			o.Keep = read.all()
			o.Live = append(read.of(o.Live), in.D)
		case graph.RoutineSplit:
			read[in.D], read[in.D+1] = false, false
		case graph.RoutineOpen:
			clear(read[in.D : in.D+in.B])
		case graph.RoutineEnter, graph.RoutineCount:
		default:
			read[in.D] = false
		}
		for _, a := range r.Reads(in) {
			read[a] = true
		}
		at[pc] = slices.Clone(read)
	}
}

// registers is a set of registers.
type registers []bool

func (s registers) add(t registers) {
	for r, ok := range t {
		s[r] = s[r] || ok
	}
}

// of returns those of a list that are in the set.
func (s registers) of(list []uint32) (in []uint32) {
	for _, r := range list {
		if s[r] {
			in = append(in, r)
		}
	}
	return in
}

func (s registers) all() (in []uint32) {
	for r, ok := range s {
		if ok {
			in = append(in, uint32(r))
		}
	}
	return in
}
