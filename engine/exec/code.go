package exec

import (
	"math/bits"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/native"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// The operations that the interpreter has for symbols, beside those of package ir.
const (
	sub ir.Op = 128 + iota
	div
	halt // behind an instruction that machine code leaves to the interpreter
)

// instr is an instruction of the interpreter. Registers are offsets in the frame, in bytes, and labels places in the
// code of the program. Its arguments, or the labels of a switch, are Program.args from first on.
type instr struct {
	op           ir.Op
	cmp          term.Compare
	taped, plain bool
	number       uint8
	val          float64
	d, a, b      uint32
	n, m, k      uint32
	first, count uint32
	fun1         *fun1
	fun2         *fun2
}

// block is what the interpreter knows of a block: its steps, and what it appends to the tape.
type block struct {
	total                int64 // its steps and one
	statements, operands uint32
}

// fun1 is a symbol of one argument, fun2 one of two, with their partial derivatives.
type (
	fun1 struct {
		value func(x float64) float64
		slope slope
	}
	fun2 struct {
		value  func(x, y float64) float64
		slopes [2]slope
	}
)

// fun is what the interpreter knows of a function.
type fun struct {
	entry  int32
	again  int32  // the entry of a function of a fix that has been unfolded
	block  uint32 // the first
	body   uint32 // of a placed program, and whether the function runs in what calls it
	atCall bool
	regs   int32 // of its frame
	params int32 // registers
	args   []int
	unfold bool
	name   string
	done   int32 // an instruction that returns as many registers as it does, from the first on
}

// Program is a program for the interpreter.
type Program struct {
	src     *ir.Program
	vector  bool // the value is a vector
	several bool // it may be several numbers
	changes bool // the program changes vectors
	code    []instr
	pos     []term.Pos
	args    []uint32
	funs    []fun
	blocks  []block
	funs1   map[term.Symbol]*fun1
	funs2   map[term.Symbol]*fun2
	kinds   []kind
	widths  []width  // of each kind
	kindOf  []uint32 // the first kind of a symbol, 0: it has none yet
	vectors []*vector
	placed  []placed // of each function, of a placed program
	result  *shape
	loops   []*nativeLoop
	backs   []*back
	places  [][]int32 // of the instructions of each function
	native  functions
}

// A kind of cell is a symbol with the operands that have an adjoint: what a cell of this kind counts when it is
// reached.
type kind struct {
	arity uint8
	args  uint8 // how many operands have an adjoint
	plain bool  // each partial derivative is 1
	steps rule.Counts
	total uint64
}

// width is how many addresses and slopes a statement has on the tape.
type width struct{ args, slopes uint8 }

// The first kinds: what arrives at a numeral, and the cells of inputs, λa.x* a for a free x*. Two more stand on the
// tape: one where a record has its last address, and one for a number that has been read in a vector which changes.
const (
	numeralKind = iota
	inputKind
	recordKind
	heldKind
	firstKind
)

// New makes a program for the interpreter.
func New(p *ir.Program) *Program {
	out := &Program{src: p, kinds: make([]kind, firstKind), widths: make([]width, firstKind),
		funs1: map[term.Symbol]*fun1{}, funs2: map[term.Symbol]*fun2{},
		vector: p.Points > 0 || p.Term.Types.Kind(p.Type) == term.VecKind}
	out.widths[heldKind] = width{args: 1}
	out.changes = slices.ContainsFunc(p.Funcs, func(f *ir.Func) bool {
		return slices.ContainsFunc(f.Code, func(in ir.Instr) bool { return in.Op == ir.Own })
	})
	out.several = out.vector || p.Elements > 0 || p.Funcs[0].Results > 1
	// What arrives at λa.0⃗, the z* of a numeral, is applied to it.
	numeral := &out.kinds[numeralKind]
	numeral.steps[rule.Lambda], numeral.steps[rule.Lin], numeral.total = 1, 1, 2
	out.kinds[inputKind].steps = ir.InputSteps()
	out.kinds[inputKind].total = out.kinds[inputKind].steps.Total()
	out.native.codes = map[string]*native.Functions{}
	for i := range p.Blocks {
		out.blocks = append(out.blocks, block{total: int64(p.Blocks[i].Total) + 1})
	}
	for i, v := range p.Vectors {
		out.vectors = append(out.vectors, out.newVector(v, i))
	}
	for _, f := range p.Funcs {
		out.assemble(f)
	}
	out.result = out.shapeOf(p.Type, ir.NewLayout(p.Term.Types), map[term.Type]*shape{}, map[[2]int]int{})
	return out
}

// kindsOf returns the first of the kinds of the cells of a symbol; the operands that have an adjoint are added as bits.
// NoSymbol is +.
func (p *Program) kindsOf(f term.Symbol) uint32 {
	if n := int(f) + 1; n > len(p.kindOf) {
		p.kindOf = append(p.kindOf, make([]uint32, n-len(p.kindOf))...)
	} else if k := p.kindOf[f]; k != 0 {
		return k
	}
	first := uint32(len(p.kinds))
	p.kindOf[f] = first
	arity := 2
	if f != term.NoSymbol {
		arity = f.Info().Arity
	}
	for live := range 1 << arity {
		k := kind{arity: uint8(arity), args: uint8(bits.OnesCount(uint(live))), plain: f == term.NoSymbol,
			steps: ir.CellSteps(f, uint8(live))}
		k.total = k.steps.Total()
		p.kinds = append(p.kinds, k)
		w := width{args: k.args}
		if !k.plain {
			w.slopes = k.args
		}
		p.widths = append(p.widths, w)
	}
	return first
}

// assemble adds the code of a function.
func (p *Program) assemble(f *ir.Func) {
	g := fun{entry: int32(len(p.code)), regs: int32(f.Regs), params: int32(f.Params()), args: f.Args, unfold: f.Unfold,
		name: f.Name, block: f.Code[0].N, body: f.Body, atCall: f.AtCall}
	if p.src.Placed {
		g.regs++
		p.placed = append(p.placed, placed{})
		p.add(f.Pos, instr{op: enter, d: slotSize * uint32(f.Regs), n: uint32(len(p.placed) - 1)})
	}
	heads := map[uint32]*nativeLoop{}
	at, drop, places := map[uint32]uint32{}, p.src.Dropped(f), make([]int32, len(f.Code))
	var b *block
	for i := range f.Code {
		in := &f.Code[i]
		if in.Op == ir.Label {
			at[in.N] = uint32(len(p.code))
		}
		if in.Op == ir.Label || in.Op == ir.Nop {
			continue
		}
		if i == 1 && f.Unfold {
			g.again = int32(len(p.code))
		}
		before, behind := p.hooks(f, in)
		p.add(in.Pos, before...)
		if !drop[i] {
			if in.Op == ir.Count {
				b = &p.blocks[in.N]
			}
			out := p.instruction(in, b)
			if in.Op == ir.Enter {
				l := &nativeLoop{f: f, label: in.N, size: p.src.Operations(f, in.N), pays: in.Val}
				heads[in.N] = l
				out.k = uint32(len(p.loops))
				p.loops = append(p.loops, l)
			}
			if in.Op == ir.Next || in.Op == ir.Prev {
				out.k = uint32(len(p.backs))
				p.backs = append(p.backs, &back{f: f, label: in.N})
			}
			places[i] = int32(len(p.code))
			p.add(in.Pos, out)
		}
		p.add(in.Pos, behind...)
	}
	p.places = append(p.places, places)
	done := ir.Instr{Op: ir.Return}
	for r := range f.Results {
		done.Args = append(done.Args, ir.Reg(r))
	}
	g.done = int32(len(p.code))
	p.add(f.Pos, p.instruction(&done, nil))
	for i := range p.code[g.entry:] {
		switch in := &p.code[int(g.entry)+i]; in.op {
		case ir.Hot:
			in.n, in.m = at[in.n], p.code[at[in.m]].k
			p.loops[in.m].only, p.loops[in.m].pays = true, in.val
		case ir.Jump, ir.Branch, ir.Empty, ir.Next, ir.Prev, ir.VectorLoop:
			l := heads[in.n]
			in.n = at[in.n]
			if in.op == ir.Next || in.op == ir.Prev {
				p.backs[in.k].head, p.backs[in.k].end = int32(in.n), g.entry+int32(i)+1
			}
			if l != nil && (in.op == ir.Next || in.op == ir.Prev) {
				l.end = g.entry + int32(i) + 1
				head := &p.code[in.n]
				head.d, head.a = in.d, in.a
				if in.op == ir.Next {
					head.b = 1
				}
			}
		case ir.Switch:
			for k, l := range p.args[in.first:][:in.count] {
				p.args[int(in.first)+k] = at[l]
			}
		}
	}
	for _, l := range heads {
		for _, b := range p.backs {
			if b.f == f && b.head < l.end && l.end < b.end {
				l.around = append(l.around, p.code[b.end-1])
			}
		}
	}
	if f.Unfold && p.src.Placed {
		p.add(f.Pos, p.code[g.entry], instr{op: ir.Jump, n: uint32(g.again)})
		g.again = int32(len(p.code) - 2)
	}
	p.funs = append(p.funs, g)
}

// Alike reports whether no branch depends on a number: all runs take the same steps.
func (p *Program) Alike() bool {
	for _, f := range p.src.Funcs {
		for i := range f.Code {
			if op := f.Code[i].Op; op == ir.Branch || op == ir.Switch {
				return false
			}
		}
	}
	return true
}

// add adds instructions of a place in the source.
func (p *Program) add(pos term.Pos, code ...instr) {
	for _, in := range code {
		p.code, p.pos = append(p.code, in), append(p.pos, pos)
	}
}

// instruction is an instruction of the block b, whose labels have no places yet.
func (p *Program) instruction(in *ir.Instr, b *block) instr {
	out := instr{op: in.Op, taped: in.Taped, cmp: in.Cmp, number: in.Number, val: in.Val,
		d: slotSize * uint32(in.D), a: slotSize * uint32(in.A), b: slotSize * uint32(in.B),
		n: in.N, m: in.M, k: in.K, first: uint32(len(p.args))}
	for _, r := range in.Args {
		p.args = append(p.args, slotSize*uint32(r))
	}
	p.args = append(p.args, in.Labels...)
	out.count = uint32(len(p.args)) - out.first
	switch in.Op {
	case ir.Add, ir.Mul, ir.Fun1, ir.Fun2, ir.FunK, ir.SumAdd:
		p.operation(&out, in)
		b.statements++
		b.operands += max(2, out.count)
	case ir.Static, ir.StaticX, ir.Object, ir.ObjectX:
		out.k, out.n = p.src.Vector(in.N)
	case ir.VectorLoop:
		out.b = uint32(len(p.loops)) // the next one
	case ir.Load, ir.LoadX, ir.Copy, ir.CopyX:
		if p.changes {
			b.statements += max(1, in.K)
			b.operands += max(1, in.K)
		}
	}
	return out
}

// operation completes the instruction of an operation.
func (p *Program) operation(out *instr, in *ir.Instr) {
	f := in.Sym
	switch {
	case in.Op == ir.Mul:
		f = term.Mul
	case in.Op == ir.Fun2 && f == term.Sub:
		out.op = sub
	case in.Op == ir.Fun2 && f == term.Div:
		out.op = div
	case in.Op == ir.Fun1:
		out.fun1 = p.ofOne(f)
	case in.Op == ir.Fun2 || in.Op == ir.SumAdd && f != term.NoSymbol:
		out.fun2 = p.ofTwo(f)
	}
	out.n, out.k, out.plain = uint32(f), p.kindsOf(f), f == term.NoSymbol
}

// slope is a partial derivative of a symbol of at most two arguments, of these and its value.
type slope = func(x, y, v float64) float64

// compiled is a partial derivative of a symbol of k arguments.
func compiled(p *term.Partial, k int) slope {
	return term.Interpret(p, k, func(r float64) slope { return func(_, _, _ float64) float64 { return r } },
		func(i int) slope {
			switch i {
			case k:
				return func(_, _, v float64) float64 { return v }
			case 0:
				return func(x, _, _ float64) float64 { return x }
			default:
				return func(_, y, _ float64) float64 { return y }
			}
		},
		func(f term.Symbol, args ...slope) slope {
			info := f.Info()
			switch {
			case len(args) == 1:
				return func(x, y, v float64) float64 { return info.Eval1(args[0](x, y, v)) }
			case info.Eval3 != nil:
				return func(x, y, v float64) float64 {
					return info.Eval3(args[0](x, y, v), args[1](x, y, v), args[2](x, y, v))
				}
			case info.Eval2 != nil:
				return func(x, y, v float64) float64 { return info.Eval2(args[0](x, y, v), args[1](x, y, v)) }
			}
			return func(x, y, v float64) float64 { return args[0](x, y, v) + args[1](x, y, v) }
		})
}

// ofOne is a symbol of one argument.
func (p *Program) ofOne(f term.Symbol) *fun1 {
	if p.funs1[f] == nil {
		info := f.Info()
		p.funs1[f] = &fun1{value: info.Eval1, slope: compiled(&info.Slopes[0], 1)}
	}
	return p.funs1[f]
}

// ofTwo is a symbol of two arguments.
func (p *Program) ofTwo(f term.Symbol) *fun2 {
	if p.funs2[f] == nil {
		info := f.Info()
		g := &fun2{value: info.Eval2}
		for i := range g.slopes {
			g.slopes[i] = compiled(&info.Slopes[i], 2)
		}
		p.funs2[f] = g
	}
	return p.funs2[f]
}

// shape is how values of a type are read: a type of the program, which gets no more types from then on.
type shape struct {
	kind             term.Kind
	registers, slots int
	left, right      *shape   // the components of a product
	elem             *shape   // of a vector or a list
	n                int      // how many elements a vector has
	arguments        []*shape // of each constructor, nil without one
	collector, x     int      // of a list: the function that keeps elements, and the registers of what it goes over
}

// shapeOf makes the shape of a type, with the collectors of the lists in it.
func (p *Program) shapeOf(t term.Type, layout *ir.Layout, made map[term.Type]*shape, collectors map[[2]int]int) *shape {
	if made[t] != nil {
		return made[t]
	}
	tt := p.src.Term.Types
	of := func(t term.Type) *shape { return p.shapeOf(t, layout, made, collectors) }
	s := &shape{kind: tt.Kind(t), registers: layout.Registers(t), slots: layout.Slots(t)}
	made[t] = s
	switch s.kind {
	case term.ProdKind:
		s.left, s.right = of(tt.Left(t)), of(tt.Right(t))
	case term.VecKind:
		s.elem, s.n = of(tt.Left(t)), tt.Len(t)
	case term.MuKind:
		for _, c := range tt.Constructors(t) {
			var argument *shape
			if c.Arg != 0 {
				argument = of(c.Arg)
			}
			s.arguments = append(s.arguments, argument)
		}
	case term.ArrowKind:
		elem, x, ok := ir.ListOf(tt, t)
		if !ok {
			break
		}
		s.elem, s.x = of(elem), layout.Registers(x)
		w := s.elem.registers
		collector, ok := collectors[[2]int{w, s.x}]
		if !ok {
			collector = len(p.funs)
			collectors[[2]int{w, s.x}] = collector
			f := &ir.Func{Args: []int{w, s.x}, Results: s.x, Regs: w + s.x,
				Code: []ir.Instr{{Op: ir.Collect, N: uint32(w)}, {Op: ir.Return}}}
			for i := range s.x {
				f.Code[1].Args = append(f.Code[1].Args, ir.Reg(w+i))
			}
			p.assemble(f)
		}
		s.collector = collector
	}
	return s
}
