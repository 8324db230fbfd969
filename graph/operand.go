package graph

import (
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/term"
)

// NumOperands returns how many operands the instruction has.
func (in *Instr) NumOperands() uint32 {
	switch in.Op {
	case OpFun1, OpUnpair, OpUntuple, OpUnvec, OpJob, OpCon, OpRun:
		return 1
	case OpMul, OpAdd, OpSub, OpFun2, OpPair, OpArrive, OpSum, OpSelect:
		return 2
	}
	return in.N
}

// Operand returns the slot of operand i of an instruction.
func (p *Program) Operand(in *Instr, i uint32) uint32 {
	switch in.Op {
	case OpFun1, OpUnpair, OpUntuple, OpUnvec, OpJob, OpCon, OpRun, OpMul, OpAdd, OpSub, OpFun2, OpPair, OpArrive, OpSum, OpSelect:
		if i == 0 {
			return in.A
		}
		return in.B
	}
	return p.Args[in.Off+i]
}

// Operands returns the slots that an instruction reads, in order.
func (p *Program) Operands(in *Instr) []uint32 {
	slots := make([]uint32, in.NumOperands())
	for i := range slots {
		slots[i] = p.Operand(in, uint32(i))
	}
	return slots
}

// Results returns how many slots an instruction fills, from D on.
func (in *Instr) Results() uint32 {
	switch in.Op {
	case OpTally:
		return 0
	case OpUnpair, OpUntuple, OpUnvec:
		return in.N
	}
	return 1
}

// GlobalText describes the constant of a slot for people: its number, or "closure 3".
func (p *Program) GlobalText(slot uint32) string {
	l := listing{p: p}
	g := p.Global(slot)
	return l.global(&g)
}

// Name is the operation of an instruction for people: its symbol, or what it does.
func (in *Instr) Name() string {
	switch in.Op {
	case OpMul:
		return "·"
	case OpAdd:
		return "+"
	case OpSub:
		return "−"
	case OpFun1, OpFun2, OpFunN:
		return in.Sym.SourceName()
	case OpIf:
		return "if " + in.Cmp.String()
	}
	return [...]string{OpPair: "pair", OpUnpair: "open", OpUntuple: "open", OpUnvec: "open", OpVec: "vector",
		OpClosure: "closure", OpList: "list", OpDual: "dual", OpLin: "dual", OpArrive: "arrive", OpSum: "sum", OpJob: "job",
		OpApply: "apply", OpTally: "tally", OpCon: "constructor", OpCase: "match", OpRun: "run", OpSelect: "select"}[in.Op]
}

// NotFinite is the error that an operation on numbers gives v.
func (in *Instr) NotFinite(v float64) error {
	what := in.Sym.String()
	switch {
	case in.Tmpl != 0:
		what = term.Symbol(in.Tmpl).String()
	case in.Op == OpAdd:
		what = "+"
	}
	return &limits.NotFiniteError{Value: v, What: what, Pos: in.Pos}
}
