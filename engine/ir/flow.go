package ir

import "slices"

// RegSet is a set of registers of a function.
type RegSet []uint64

// NewRegSet returns an empty set for a function of so many registers.
func NewRegSet(regs int) RegSet { return make(RegSet, (regs+63)/64) }

// Has reports whether r is in the set.
func (s RegSet) Has(r Reg) bool { return s[r/64]>>(r%64)&1 != 0 }

// Put puts the registers that the instruction sets in the set, or takes them out.
func (s RegSet) Put(in *Instr, put bool) {
	for r := int(in.D); r < int(in.D)+in.Sets(); r++ {
		s[r/64] &^= 1 << (r % 64)
		if put {
			s[r/64] |= 1 << (r % 64)
		}
	}
}

// Labels returns where each label stands in code.
func Labels(code []Instr) map[uint32]int {
	at := map[uint32]int{}
	for i := range code {
		if code[i].Op == Label {
			at[code[i].N] = i
		}
	}
	return at
}

// Flow goes forward through code from an instruction on, with the set of the registers of which something holds there,
// whichever way has led there. step makes of it the set behind instruction i. It is called again for an instruction to
// which a way with fewer registers leads. Its error ends the work. Labels that are not in the code are left out.
func Flow(code []Instr, from int, set RegSet, step func(i int, set RegSet) error) error {
	labels := Labels(code)
	type place struct {
		i   int
		set RegSet
	}
	seen := map[int]RegSet{}
	for todo := []place{{from, set}}; len(todo) > 0; {
		i, set := todo[len(todo)-1].i, todo[len(todo)-1].set
		todo = todo[:len(todo)-1]
		for ; i < len(code); i++ {
			in := &code[i]
			if in.Op == Label { // here ways meet
				old, known := seen[i]
				less := !known
				for w := range old {
					less = less || old[w]&^set[w] != 0
					set[w] &= old[w]
				}
				if !less {
					break
				}
				seen[i] = slices.Clone(set)
			}
			if err := step(i, set); err != nil {
				return err
			}
			for _, l := range in.Targets() {
				if to, ok := labels[l]; ok {
					todo = append(todo, place{to, slices.Clone(set)})
				}
			}
			if in.Op.Ends() {
				break
			}
		}
	}
	return nil
}

// ReadFrom returns the registers that are read from instruction from on before they are set.
func (f *Func) ReadFrom(from int) map[Reg]bool {
	read := map[Reg]bool{}
	_ = Flow(f.Code, from, NewRegSet(f.Regs), func(i int, set RegSet) error {
		f.Code[i].reads(func(r Reg) {
			if !set.Has(r) {
				read[r] = true
			}
		})
		set.Put(&f.Code[i], true)
		return nil
	})
	return read
}

// reads calls f on the registers that the instruction reads.
func (in *Instr) reads(f func(Reg)) {
	in.Uses(func(r *Reg) { f(*r) })
	for r := in.D; in.Op == SumAdd && r < in.D+Reg(in.M); r++ { // it sets one of its registers
		f(r)
	}
}
