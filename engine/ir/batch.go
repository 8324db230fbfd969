package ir

import (
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Batch makes the program one of n points: its inputs are those of the points, one behind the other, and it returns a
// vector with the numbers of their values, one behind the other. It reports whether it could: a program of several
// functions is left as it is. The program has one return.
func (p *Program) Batch(n int) bool {
	f := p.Funcs[0]
	out := Reg(f.Regs)
	i, size, inputs := out+1, out+2, uint32(p.Inputs)
	last := &f.Code[len(f.Code)-1]
	types := p.Term.Types
	k := uint32(1)
	if types.Kind(p.Type) == term.VecKind {
		k = uint32(types.Len(p.Type))
	}
	if len(p.Funcs) != 1 || last.Op != Return || len(last.Args) != 1 {
		return false
	}
	if k == 1 && p.Type != term.R || k > 1 && types.Left(p.Type) != term.R {
		return false
	}
	f.Regs += 3
	reg := func() Reg {
		f.Regs++
		return Reg(f.Regs - 1)
	}
	label := uint32(1)
	for n := range Labels(f.Code) {
		label = max(label, n+1)
	}
	pos := f.Pos
	code := []Instr{p.block(pos)}
	emit := func(in Instr) { code = appended(code, in) }
	emit(Instr{Op: Const, D: size, Val: float64(n), Pos: pos})
	emit(Instr{Op: Const, D: i, Pos: pos})
	emit(Instr{Op: Alloc, D: out, N: uint32(n) * k, Pos: pos})
	emit(Instr{Op: Label, N: label, Pos: pos})
	behind := inputs * uint32(n-1) // by how much data moves
	made := false
	for _, in := range f.Code[:len(f.Code)-1] {
		switch in.Op {
		case Static, StaticX, Object, ObjectX:
			if in.N > inputs {
				in.N += behind
				break
			}
			b, m := i, inputs
			if in.Op == StaticX || in.Op == ObjectX { // the place in the inputs of the point
				times := func(a Reg, k uint32) Reg {
					by, d := reg(), reg()
					emit(Instr{Op: Const, D: by, Val: float64(k), Pos: in.Pos})
					emit(Instr{Op: IndexMul, D: d, A: a, B: by, Pos: in.Pos})
					return d
				}
				first, within := times(i, inputs), times(in.B, in.M)
				b, m = reg(), 1
				emit(Instr{Op: IndexAdd, D: b, A: first, B: within, Pos: in.Pos})
			}
			in.B, in.M = b, m
			switch in.Op {
			case Static:
				in.Op = StaticX
			case Object:
				in.Op = ObjectX
			}
		case Alloc:
			if in.D == last.Args[0] { // the value is made where it belongs
				in = Instr{Op: ViewX, D: in.D, A: out, B: i, M: k, Pos: in.Pos}
				made = true
			}
		}
		emit(in)
	}
	switch {
	case p.Type == term.R:
		emit(Instr{Op: StoreX, D: out, A: last.Args[0], B: i, M: 1, Pos: pos})
	case !made:
		emit(Instr{Op: CopyX, D: out, A: last.Args[0], B: i, M: k, K: k, Pos: pos})
	}
	emit(Instr{Op: Next, D: i, A: size, N: label, Pos: pos})
	emit(Instr{Op: Label, N: label + 1, Pos: pos})
	emit(p.block(pos))
	emit(Instr{Op: Return, Args: []Reg{out}, Pos: pos})
	f.Code = code
	p.Points, p.Inputs, p.Static = n, p.Inputs*n, p.Static+int(behind)
	one := p.Start
	p.Start = rule.Counts{}
	p.Start.AddTimes(&one, uint64(n))
	for d := range p.Data {
		p.Data[d].At += int(behind)
	}
	return true
}
