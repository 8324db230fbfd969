package ir

// unread leaves out slots of vectors that nothing reads: of a vector of pairs of numbers and tangents, of which only the
// tangents are read, the numbers. The slots that are stored by a loop repeat themselves with its period, and those that
// are left move together. The operations before a store that is left out stay, with what they count.
func unread(_ *Program, f *Func) {
	u := &unreadSlots{f: f, sets: make([]int, f.Regs), uses: make([][]int, f.Regs)}
	for i := range f.Code {
		in := &f.Code[i]
		for r := int(in.D); r < int(in.D)+in.Sets(); r++ {
			u.sets[r]++
		}
		last := Reg(f.Regs)
		in.Uses(func(r *Reg) {
			if *r != last { // once for each instruction
				u.uses[*r] = append(u.uses[*r], i)
			}
			last = *r
		})
	}
	for i := range f.Code {
		if in := &f.Code[i]; in.Op == Alloc && u.sets[in.D] == 1 {
			u.vector(in)
		}
	}
}

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

// vector leaves out slots of a vector that an instruction makes.
func (u *unreadSlots) vector(alloc *Instr) {
	u.period, u.refs, u.stores = 0, u.refs[:0], u.stores[:0]
	for _, i := range u.uses[alloc.D] {
		if in := &u.f.Code[i]; in.Op == StoreX && in.D == alloc.D {
			u.period = int(in.M)
			break
		}
	}
	if u.period < 2 || int(alloc.N)%u.period != 0 {
		return
	}
	u.read = append(u.read[:0], make([]bool, u.period)...)
	if !u.follow(alloc.D, 0, true) {
		return
	}
	u.rank = append(u.rank[:0], make([]int, u.period+1)...)
	for k, read := range u.read {
		if u.rank[k+1] = u.rank[k]; read {
			u.rank[k+1]++
		}
	}
	if n := u.rank[u.period]; n == 0 || n == u.period {
		return
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
		case StoreX:
			if !whole || in.D != r || in.A == r || int(in.M) != u.period {
				return false
			}
			u.stores = append(u.stores, in)
			continue
		case Copy, CopyX: // of other slots from these on
			if in.D == r || in.B == r && in.Op == CopyX {
				return false
			}
			note(0, int(in.K))
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
		if in.Op == LoadX || in.Op == ViewX {
			if in.B == r && in.Number != NumberB || int(in.M)%u.period != 0 {
				return false
			}
		}
		u.refs = append(u.refs, slotRef{in, base})
	}
	return true
}
