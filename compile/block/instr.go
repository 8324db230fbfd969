package block

import "github.com/gram-machine/gram/graph"

// instr adds an instruction of the template.
func (b *blockBuilder) instr(in *graph.Instr) bool {
	switch in.Op {
	case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun1, graph.OpFun2:
		return b.arithmetic(in)
	case graph.OpPair:
		return b.tuple(in.D, graph.PairLayout, []uint32{in.A, in.B})
	case graph.OpVec:
		return b.tuple(in.D, graph.VecLayout, b.args(in))
	case graph.OpUnpair, graph.OpUntuple, graph.OpUnvec:
		return b.open(in)
	case graph.OpDual:
		return b.dual(in)
	case graph.OpClosure:
		if !b.tuple(in.D, closureWire, b.args(in)) {
			return false
		}
		w := b.wires[in.D]
		w.tmpl = in.Tmpl
		b.wires[in.D] = w
		return true
	}
	return false
}

func (b *blockBuilder) args(in *graph.Instr) []uint32 { return b.c.out.Args[in.Off : in.Off+in.N] }

var blockOps = map[graph.Op]graph.BlockOp{graph.OpMul: graph.BlockMul, graph.OpAdd: graph.BlockAdd, graph.OpSub: graph.BlockSub,
	graph.OpFun1: graph.BlockFun1, graph.OpFun2: graph.BlockFun2}

func (b *blockBuilder) arithmetic(in *graph.Instr) bool {
	x, ok := b.wire(in.A)
	if !ok {
		return false
	}
	y := x
	if in.Op != graph.OpFun1 {
		if y, ok = b.wire(in.B); !ok {
			return false
		}
	}
	d := b.register()
	b.out.Code = append(b.out.Code, graph.BlockInstr{Op: blockOps[in.Op], Sym: in.Sym, D: d, A: x.reg, B: y.reg})
	b.wires[in.D] = wire{kind: graph.NumLeaf, reg: d}
	return true
}

func (b *blockBuilder) tuple(d uint32, kind graph.LayoutKind, comps []uint32) bool {
	w := wire{kind: kind, parts: make([]wire, len(comps))}
	for i, s := range comps {
		var ok bool
		if w.parts[i], ok = b.wire(s); !ok {
			return false
		}
	}
	b.wires[d] = w
	return true
}

// open opens a tuple; OpUntuple one of nested pairs.
func (b *blockBuilder) open(in *graph.Instr) bool {
	w, ok := b.wire(in.A)
	if !ok {
		return false
	}
	if in.Op != graph.OpUntuple {
		for i, p := range w.parts {
			b.wires[in.D+uint32(i)] = p
		}
		return true
	}
	for k := range in.N - 1 {
		b.wires[in.D+k] = w.parts[0]
		w = w.parts[1]
	}
	b.wires[in.D+in.N-1] = w
	return true
}

func (b *blockBuilder) dual(in *graph.Instr) bool {
	id := b.c.out.Duals[in.Tmpl].Body
	body := &b.c.out.Bodies[id]
	cell := graph.BlockCell{Body: id, Dual: in.Tmpl, Template: len(b.out.Templates) - 1, Null: b.c.out.IsNull(in.Tmpl)}
	for i, s := range b.args(in) {
		w, ok := b.wire(s)
		if !ok {
			return false
		}
		if uint32(i) < body.Heads {
			cell.Heads = append(cell.Heads, w.dual)
		} else {
			cell.Nums = append(cell.Nums, w.reg)
		}
	}
	b.wires[in.D] = wire{kind: graph.DualLeaf, dual: int32(len(b.out.Cells))}
	b.out.Cells = append(b.out.Cells, cell)
	return true
}
