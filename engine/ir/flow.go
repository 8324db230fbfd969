package ir

import (
	"fmt"
	"maps"
	"slices"
)

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

// loopEnds returns, for the label at which each loop begins, where its last instruction is.
func loopEnds(code []Instr) map[int]int {
	at, ends := Labels(code), map[int]int{}
	for i := range code {
		if in := &code[i]; in.Op == Next || in.Op == Prev {
			ends[at[in.N]] = i
		}
	}
	return ends
}

// Flow goes forward through code from an instruction on, with the set of the registers of which something holds there,
// whichever way has led there. step makes of it the set behind instruction i. It is called again for an instruction to
// which a way with fewer registers leads. Its error ends the work. Labels that are not in the code are left out.
func Flow(code []Instr, from int, set RegSet, step func(i int, set RegSet) error) error {
	labels, seen := Labels(code), map[int]RegSet{}
	meet := func(sets map[int]RegSet, i int, set RegSet) (less bool) {
		old, known := sets[i]
		if less = !known; less {
			old = slices.Clone(set)
			sets[i] = old
		}
		for w := range old {
			less = less || old[w]&^set[w] != 0
			old[w] &= set[w]
		}
		return less
	}
	for waiting := map[int]RegSet{from: set}; len(waiting) > 0; { // the first instruction first: few ways are gone twice
		i := slices.Min(slices.Collect(maps.Keys(waiting)))
		set := waiting[i]
		delete(waiting, i)
		for ; i < len(code); i++ {
			in := &code[i]
			if in.Op == Label { // here ways meet
				for w, more := range waiting[i] {
					set[w] &= more
				}
				delete(waiting, i)
				if !meet(seen, i, set) {
					break
				}
				copy(set, seen[i])
			}
			if err := step(i, set); err != nil {
				return err
			}
			for _, l := range in.Targets() {
				if to, ok := labels[l]; ok {
					meet(waiting, to, set)
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
		f.Code[i].Reads(func(r Reg) {
			if !set.Has(r) {
				read[r] = true
			}
		})
		set.Put(&f.Code[i], true)
		return nil
	})
	return read
}

// Reads calls f on the registers that the instruction reads.
func (in *Instr) Reads(f func(Reg)) {
	in.Uses(func(r *Reg) { f(*r) })
	for r := in.D; in.Op == SumAdd && r < in.D+Reg(in.M); r++ { // it sets one of its registers
		f(r)
	}
}

// Verify checks what each pass keeps: registers are in range and set before they are read on every path, labels stand
// once, calls have as many arguments as the function has parameters, and code ends in a return, a jump or a tail
// call.
func (p *Program) Verify() error {
	for i, f := range p.Funcs {
		if err := p.verify(f); err != nil {
			return fmt.Errorf("function %d %s: %w", i, f.Name, err)
		}
	}
	return nil
}

func (p *Program) verify(f *Func) error {
	labels := Labels(f.Code)
	for i := range f.Code {
		in := &f.Code[i]
		if in.Op == Label && labels[in.N] != i {
			return fmt.Errorf("label %d stands twice", in.N)
		}
		if err := p.check(f, in, labels); err != nil {
			return fmt.Errorf("instruction %d, %s: %w", i, p.text(in), err)
		}
	}
	if n := len(f.Code); n == 0 || !f.Code[n-1].Op.Ends() {
		return fmt.Errorf("the code does not end")
	}
	return p.defined(f)
}

// Ends reports whether the next instruction does not follow.
func (op Op) Ends() bool {
	return op == Jump || op == Switch || op == TailCall || op == TailApply || op == Return
}

func (p *Program) check(f *Func, in *Instr, labels map[uint32]int) (err error) {
	last := func(r Reg, n int) {
		if int(r)+n > f.Regs {
			err = fmt.Errorf("register %d is out of range", int(r)+n-1)
		}
	}
	in.Uses(func(r *Reg) { last(*r, 1) })
	if n := in.Sets(); n > 0 {
		last(in.D, n)
	}
	for _, l := range in.Targets() {
		if _, ok := labels[l]; !ok {
			return fmt.Errorf("there is no label %d", l)
		}
	}
	switch in.Op {
	case Count:
		if int(in.N) >= len(p.Blocks) {
			return fmt.Errorf("there is no block %d", in.N)
		}
	case Call, TailCall:
		if g := p.Funcs[in.N]; g.Params() != len(in.Args) || in.Op == Call && g.Results != int(in.M) {
			return fmt.Errorf("%d arguments and %d results, of %d and %d", len(in.Args), in.M, g.Params(), g.Results)
		}
	case Return:
		if len(in.Args) != f.Results {
			return fmt.Errorf("%d results, of %d", len(in.Args), f.Results)
		}
	}
	return err
}

// Targets are the labels that an instruction may jump to.
func (in *Instr) Targets() []uint32 {
	switch in.Op {
	case Jump, Branch, Empty, Next, Prev, VectorLoop, Hot:
		return []uint32{in.N}
	case Switch:
		return in.Labels
	}
	return nil
}

// defined checks that registers are set before they are read.
func (p *Program) defined(f *Func) error {
	start := NewRegSet(f.Regs)
	for r := range f.Params() {
		start[r/64] |= 1 << (r % 64)
	}
	return Flow(f.Code, 0, start, func(i int, set RegSet) (err error) {
		in := &f.Code[i]
		in.Uses(func(r *Reg) {
			if err == nil && !set.Has(*r) {
				err = fmt.Errorf("instruction %d, %s: register %d is not set", i, p.text(in), *r)
			}
		})
		set.Put(in, true)
		return err
	})
}
