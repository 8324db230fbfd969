package ir

import "slices"

// unread leaves out what nothing reads: loads, references and indices, and slots of vectors. Of a vector of pairs of
// numbers and tangents, of which only the tangents are read, these are the numbers. The slots that a loop stores repeat
// themselves with a period, and those that are left move together. Arithmetic stays: vectors leave out what they don't
// need.
func unread(_ *Program, f *Func) {
	for again, n := true, 0; again && n < mostRounds; n++ {
		f.dead()
		u := &unreadSlots{f: f, uses: make([][]int, f.Regs)}
		u.sets, _ = f.setters()
		for i := range f.Code {
			f.Code[i].Uses(func(r *Reg) {
				if n := len(u.uses[*r]); n == 0 || u.uses[*r][n-1] != i { // once for each instruction
					u.uses[*r] = append(u.uses[*r], i)
				}
			})
		}
		again = false
		for i := range f.Code {
			if in := &f.Code[i]; in.Op == Alloc && u.sets[in.D] == 1 && u.vector(in) {
				again = true
			}
		}
	}
}

// dead leaves out instructions whose results nothing reads.
func (f *Func) dead() {
	code := f.Code
	read := make([]bool, f.Regs)
	var todo []int
	by := make([][]int, f.Regs) // the instructions without effects that set a register
	note := func(r Reg) {
		if !read[r] {
			read[r] = true
			todo = append(todo, by[r]...)
		}
	}
	for i := range code {
		if in := &code[i]; in.pure() {
			by[in.D] = append(by[in.D], i)
		} else {
			todo = append(todo, i)
		}
	}
	for len(todo) > 0 {
		in := &code[todo[len(todo)-1]]
		todo = todo[:len(todo)-1]
		in.Reads(note)
	}
	f.Code = slices.DeleteFunc(code, func(in Instr) bool { return in.Op == Nop || in.pure() && !read[in.D] })
}

// pure reports whether the instruction does nothing but set its result, without arithmetic.
func (in *Instr) pure() bool {
	switch in.Op {
	case Const, Move, IndexAdd, IndexSub, IndexMul, IndexDiv, IndexNeg, Load, LoadX, Static, StaticX, View, ViewX, Object,
		ObjectX:
		return true
	}
	return false
}

// unreadSlots finds slots of vectors that nothing reads.
type unreadSlots struct {
	f    *Func
	sets []int
	uses [][]int // of a register: the instructions that read it

	// Of a vector: the period of its slots, which of them are read in a period, what refers to them, and what stores them.
	period int
	read   []bool
	rank   []int // the number of a slot of a period among those that are read
	refs   []slotRef
	stores []*Instr
}

// slotRef is an instruction that reads slots from a place on, or refers to it. It has the reference to the slot base.
type slotRef struct {
	in   *Instr
	base int
}

// vector leaves out slots of a vector that an instruction makes, and reports whether there are some.
func (u *unreadSlots) vector(alloc *Instr) bool {
	u.period, u.refs, u.stores = 0, u.refs[:0], u.stores[:0]
	for _, i := range u.uses[alloc.D] {
		if in := &u.f.Code[i]; (in.Op == StoreX || in.Op == CopyX) && in.D == alloc.D {
			u.period = int(in.M)
			break
		}
	}
	if u.period == 0 || int(alloc.N)%u.period != 0 {
		return false
	}
	u.read = append(u.read[:0], make([]bool, u.period)...)
	if !u.follow(alloc.D, 0, true) {
		return false
	}
	u.together()
	u.rank = append(u.rank[:0], make([]int, u.period+1)...)
	for k, read := range u.read {
		if u.rank[k+1] = u.rank[k]; read {
			u.rank[k+1]++
		}
	}
	switch u.rank[u.period] {
	case 0:
		for _, in := range u.stores {
			*in = Instr{Op: Nop, Pos: in.Pos}
		}
		*alloc = Instr{Op: Nop, Pos: alloc.Pos}
		return true
	case u.period:
		return false
	}
	for _, in := range u.stores {
		if !u.read[int(in.N)%u.period] {
			*in = Instr{Op: Nop, Pos: in.Pos}
			continue
		}
		in.N, in.M = uint32(u.slot(int(in.N))), uint32(u.slot(int(in.M)))
	}
	for _, r := range u.refs {
		r.in.N, r.in.M = uint32(u.slot(r.base+int(r.in.N))-u.slot(r.base)), uint32(u.slot(int(r.in.M)))
	}
	alloc.N = uint32(u.slot(int(alloc.N)))
	return true
}

// together notes that slots which are copied together are read if one of them is.
func (u *unreadSlots) together() {
	for again := true; again; {
		again = false
		for _, in := range u.stores {
			n := 0
			for k := range in.K {
				if u.read[int(in.N+k)%u.period] {
					n++
				}
			}
			if n == 0 || n == int(in.K) {
				continue
			}
			again = true
			for k := range in.K {
				u.read[int(in.N+k)%u.period] = true
			}
		}
	}
}

// slot is the place that a slot gets.
func (u *unreadSlots) slot(at int) int { return at/u.period*u.rank[u.period] + u.rank[at%u.period] }

// follow notes what is done with the slots behind a reference to the slot base of the vector. It reports whether these
// are reads and stores of known slots of a period.
func (u *unreadSlots) follow(r Reg, base int, whole bool) bool {
	note := func(from, n int) {
		for k := range min(n, u.period) {
			u.read[(base+from+k)%u.period] = true
		}
	}
	for _, i := range u.uses[r] {
		in := &u.f.Code[i]
		switch in.Op {
		case StoreX, CopyX, Copy:
			switch {
			case in.Op == CopyX && in.B == r:
				return false
			case in.D != r && in.Op != StoreX: // of other slots from these on
				note(0, int(in.K))
			case !whole || in.D != r || in.A == r || in.Op == Copy || int(in.M) != u.period:
				return false
			default:
				u.stores = append(u.stores, in)
			}
			continue
		case Load, LoadX:
			note(int(in.N), 1)
		case View, ViewX:
			if u.sets[in.D] != 1 || !u.follow(in.D, base+int(in.N), false) {
				return false
			}
		default:
			return false
		}
		if (in.Op == LoadX || in.Op == ViewX) && (in.B == r && in.Number != NumberB || int(in.M)%u.period != 0) {
			return false
		}
		u.refs = append(u.refs, slotRef{in, base})
	}
	return true
}
