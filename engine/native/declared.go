package native

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// maxExpanded is the most instructions that a node has in which the bodies of declared symbols stand in place of them.
const maxExpanded = 1 << 13

// expansion makes a loop in which the bodies of declared symbols stand in place of them. Its registers are numbered down from next.
type expansion struct {
	l       *Loop
	code    []graph.BlockInstr
	numbers map[uint64]uint32 // the registers of constants, by their bits
	next    uint32
}

// expand returns a loop without declared symbols, and the number below which its registers are those of l: l itself if it has none, nil
// if the loop is too long.
func expand(l *Loop) (out *Loop, registers uint32) {
	declared := func(in graph.BlockInstr) bool { return applies(&in) && in.Sym.Declared() }
	if !slices.ContainsFunc(l.Nodes, func(n Node) bool { return slices.ContainsFunc(n.Code, declared) }) {
		return l, constant
	}
	copied := *l
	copied.Consts, copied.Nodes = slices.Clip(l.Consts), slices.Clone(l.Nodes)
	e := &expansion{l: &copied, numbers: map[uint64]uint32{}, next: constant}
	for i := range copied.Nodes {
		n := &copied.Nodes[i]
		e.code = nil
		for _, in := range n.Code {
			if !declared(in) {
				e.code = append(e.code, in)
			} else if !e.symbol(in) {
				return nil, 0
			}
		}
		n.Code = e.code
	}
	return e.l, e.next
}

// symbol appends the body of a declared symbol. It reports whether there is room for it.
func (e *expansion) symbol(in graph.BlockInstr) bool {
	first := len(e.code)
	value := e.body(in.Sym, []uint32{in.A, in.B}, map[graph.BlockInstr]uint32{})
	if last := len(e.code) - 1; last >= first && e.code[last].D == value {
		e.code[last].D = in.D
	} else { // the body is a parameter or a numeral
		e.code = append(e.code, graph.BlockInstr{Op: graph.BlockMul, D: in.D, A: value, B: e.number(1)})
	}
	return len(e.code) <= maxExpanded
}

// body appends the instructions of the body of a declared symbol, and returns the register of its value. known has the results of
// instructions.
func (e *expansion) body(f term.Symbol, args []uint32, known map[graph.BlockInstr]uint32) uint32 {
	info := f.Info()
	return term.Interpret(info.Body, info.Arity, e.number, func(i int) uint32 { return args[i] }, func(f term.Symbol, args ...uint32) uint32 {
		if len(args) > 2 {
			return e.body(f, args, known)
		}
		in := graph.BlockInstr{Op: graph.BlockFun1, Sym: f, A: args[0], B: args[len(args)-1]}
		switch {
		case f == term.NoSymbol:
			in.Op = graph.BlockAdd
		case f == term.Mul:
			in.Op = graph.BlockMul
		case f == term.Sub:
			in.Op = graph.BlockSub
		case len(args) == 2:
			in.Op = graph.BlockFun2
		}
		if reg, ok := known[in]; ok || len(e.code) > maxExpanded {
			return reg
		}
		if f.Declared() {
			known[in] = e.body(f, args, known)
			return known[in]
		}
		e.next--
		key := in
		in.D = e.next
		e.code = append(e.code, in)
		known[key] = in.D
		return in.D
	})
}

// number returns the register of a constant.
func (e *expansion) number(v float64) uint32 {
	bits := math.Float64bits(v)
	reg, ok := e.numbers[bits]
	if !ok {
		e.next--
		reg = e.next
		e.numbers[bits] = reg
		e.l.Consts = append(e.l.Consts, graph.Const{Reg: reg, Val: v})
	}
	return reg
}
