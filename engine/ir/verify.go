package ir

import "fmt"

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
	labels := map[uint32]int{}
	for i := range f.Code {
		if in := &f.Code[i]; in.Op == Label {
			if _, twice := labels[in.N]; twice {
				return fmt.Errorf("label %d stands twice", in.N)
			}
			labels[in.N] = i
		}
	}
	for i := range f.Code {
		in := &f.Code[i]
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
