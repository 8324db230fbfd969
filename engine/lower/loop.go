package lower

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// fold makes the code of a list applied to f and x: f e1 (f e2 (… (f en x))), which gets args, if f makes a chain.
// Applying f counts as in the λ-term that the list stands for.
func (c *compiler) fold(l, f, x *value, args []*value) *value {
	if l.row != nil {
		return c.foldRows(l.row, f, x, args)
	}
	n, call := &c.t.Nodes[l.node], c.called(c.elements(l))
	switch n.Op {
	case term.ListOp:
		if f.kind == lambda && n.N > shortList && c.sizes[f.node] > smallLambda && c.constants(l.node) {
			r := c.tablesOf(l.node)
			return c.foldRows(&r, f, x, args)
		}
		return c.apply(c.foldLiteral(l, n, call, f, x), args, false)
	case term.NatOp:
		if n.Count >= 1<<53 {
			c.fail(n.Pos, "numerals of 2^53 and more")
			return x
		}
		return c.loop(float64(n.Count), c.constant(float64(n.Count)), n.Count > 0, f, x, args, nil)
	case term.DataOp:
		d := &c.t.Data[n.A]
		at, w, size := c.staticData(int(n.A)), uint32(d.Width), float64(d.Rows)
		return c.loop(size, c.constant(size), d.Rows > 0, f, x, args,
			func(i ir.Reg) *value { return c.static(n.Elem, i, w, at) })
	}
	var out *value
	c.restore(l.node, l.free, func() {
		size, some := c.bound(n)
		known, _ := c.known(n.Static())
		out = c.loop(known, size, some, f, x, args, func(i ir.Reg) *value {
			c.bindIndex(n, i)
			return c.in(call, func() *value { return c.value(n.A, false) })
		})
	})
	return out
}

// fail notes that there is no code for something.
func (c *compiler) fail(pos term.Pos, what string) {
	if c.err == nil {
		c.err = &UnsupportedError{pos, what}
	}
}

// foldLiteral folds a list of which each element is a term of its own.
func (c *compiler) foldLiteral(l *value, n *term.Node, call uint32, f, x *value) *value {
	kids := c.t.Children(n)
	if f.kind == lambda && len(kids) > shortList {
		f.shared = true
	}
	for i := len(kids) - 1; i >= 0; i-- {
		var e *value
		c.restore(l.node, l.free, func() { e = c.in(call, func() *value { return c.value(kids[i], false) }) })
		c.occurrence(f.typ, false)
		x = c.apply(f, []*value{e, x}, false)
	}
	c.occurrence(x.typ, false)
	return x
}

// loop makes the loop of a fold, whose function gets args. known is the size, where it is known.
func (c *compiler) loop(known float64, size ir.Reg, some bool, f, x *value, args []*value,
	element func(i ir.Reg) *value) *value {
	switch {
	case len(args) > 0:
		return c.chain(size, some, f, x, args, element)
	case known > 0 && c.nestsFunctions(known, f, x, element != nil):
		c.occurrence(x.typ, false)
		for i := known - 1; i >= 0; i-- {
			c.occurrence(f.typ, false)
			args := []*value{x}
			if element != nil {
				args = []*value{element(c.constant(i)), x}
			}
			if x = c.apply(f, args, false); x.kind == lambda {
				x.nodes = uint32((known - i) * float64(c.sizes[f.node]))
			}
		}
		return x
	}
	return c.backward(size, some, f, x, element)
}

// nestsFunctions reports whether a fold that makes a function has code for each element, as functions that are known:
// the code of f is made once for each, with that of the functions behind in it.
func (c *compiler) nestsFunctions(size float64, f, x *value, elements bool) bool {
	types := c.t.Types
	if types.Kind(x.typ) != term.ArrowKind || c.isList(x.typ) || f.kind != lambda || f.shared ||
		size*float64(c.sizes[f.node]) > mostFunctions {
		return false
	}
	k := c.behind(f, elements)
	if k == nil || c.uses[k.X] != 1 {
		return false
	}
	r := k.A
	for c.t.Nodes[r].Op == term.LamOp || c.t.Nodes[r].Op.Opens() && !c.copied(c.t.Nodes[r].B, k.X) {
		r = c.t.Nodes[r].A
	}
	return !c.copied(r, k.X)
}

// copied reports whether a variable is mentioned where code may be made several times: in a function, a list, or what
// has code for each value of an index.
func (c *compiler) copied(r term.Ref, x term.Var) (yes bool) {
	switch n := &c.t.Nodes[r]; {
	case n.Op == term.LamOp || n.Op == term.FixOp || n.Op == term.ListOp || n.Op == term.ListFamilyOp || c.unroll[r]:
		return slices.Contains(c.mentions(r).vars, x)
	default:
		c.t.Kids(n, func(k term.Ref) { yes = yes || c.copied(k, x) })
	}
	return yes
}

// isList reports whether a type is that of lists.
func (c *compiler) isList(t term.Type) bool {
	types := c.t.Types
	return types.Kind(t) == term.ArrowKind && types.Kind(types.Left(t)) == term.ArrowKind &&
		t == types.List(types.Left(types.Left(t)), types.Right(types.Right(t)))
}

// backward makes a loop of size runs from the last element to the first, which applies f to an element, if there are
// elements, and to the value of the run before. some says that there is a run.
func (c *compiler) backward(size ir.Reg, some bool, f, x *value, element func(i ir.Reg) *value) *value {
	c.occurrence(x.typ, false)
	if f.kind != lambda || f.shared {
		f = c.fromReg(c.register(f), f.typ)
	}
	out := c.fresh(x.typ)
	to := c.flatten(out)
	c.move(to, c.flatten(x))
	end, i := c.label(), c.reg(1)
	c.emit(ir.Instr{Op: ir.IndexSub, D: i, A: size, B: c.constant(1)})
	if !some {
		c.emit(ir.Instr{Op: ir.Empty, A: c.constant(0), B: size, N: end})
	}
	c.inLoop(!some, 0, ir.Instr{Op: ir.Prev, D: i}, func() {
		c.occurrence(f.typ, false)
		args := []*value{out}
		if element != nil {
			args = []*value{element(i), out}
		}
		c.move(to, c.flatten(c.apply(f, args, false)))
	})
	c.place(end)
	return out
}

// forward makes a loop over an index from 0 to below size, which is known, if that is not 0. some says that there is
// a run.
func (c *compiler) forward(size ir.Reg, known float64, some bool, body func(i ir.Reg)) {
	end, i := c.label(), c.reg(1)
	c.emit(ir.Instr{Op: ir.Const, D: i})
	if !some {
		c.emit(ir.Instr{Op: ir.Empty, A: i, B: size, N: end})
	}
	c.inLoop(!some, known, ir.Instr{Op: ir.Next, D: i, A: size}, func() { body(i) })
	c.place(end)
}

// bound makes the bound of the index of a node. some says that it is not 0.
func (c *compiler) bound(n *term.Node) (size ir.Reg, some bool) {
	if s, ok := c.known(n.Static()); ok {
		return c.constant(s), s > 0
	}
	return c.index(n.Static()), false
}

// known is the value of an expression of indices, if it is known when the program is compiled.
func (c *compiler) known(e term.Static) (x float64, ok bool) {
	at := make([]float64, len(c.indices))
	for _, i := range c.t.IndicesOf(e) {
		if !c.indices[i].known {
			return 0, false
		}
		at[i] = c.indices[i].num
	}
	return c.t.Value(e, at), true
}

// unrolls reports whether a comprehension has code for each component.
func (c *compiler) unrolls(r term.Ref) bool {
	return c.unroll[r] && (c.lanes() == 1 || c.lanes() > fewLanes || c.triangles[r])
}

// unrolled makes the code of a short comprehension for each value of its index.
func (c *compiler) unrolled(n *term.Node) []*value {
	size, _ := c.known(n.Static())
	parts := make([]*value, int(size))
	for i := range parts {
		c.indices[n.Index()] = index{known: true, num: float64(i)}
		parts[i] = c.term(n.A)
	}
	return parts
}

// index makes the value of an expression of indices.
func (c *compiler) index(e term.Static) ir.Reg {
	if x, ok := c.known(e); ok {
		return c.constant(x)
	}
	n := &c.t.Statics[e]
	switch n.Op {
	case term.StaticIndex:
		return c.use(c.indices[n.Index].at)
	case term.StaticNeg:
		return c.pure(ir.Instr{Op: ir.IndexNeg, A: c.index(n.A)})
	case term.StaticBelow: // it is A where the branch is taken that it stands in
		return c.index(n.A)
	}
	a := c.index(n.A)
	return c.pure(ir.Instr{Op: indexOps[n.Op], A: a, B: c.index(n.B)})
}

// indexOps are the operations of expressions of indices.
var indexOps = [...]ir.Op{
	term.StaticAdd: ir.IndexAdd, term.StaticSub: ir.IndexSub, term.StaticMul: ir.IndexMul, term.StaticDiv: ir.IndexDiv,
}

// component is x_e.
func (c *compiler) component(r term.Ref, n *term.Node) *value {
	e, t := n.Static(), c.types[r]
	if x, ok := c.known(e); ok {
		return c.variable(n.X + term.Var(x))
	}
	c.f.stays = c.t.Bounded(e)
	defer func() { c.f.stays = false }()
	last := n.X + term.Var(n.N) - 1
	if i := c.inputs[n.X]; i != 0 {
		if c.inputs[last] != i+int32(n.N)-1 {
			c.fail(n.Pos, "inputs that do not follow each other")
		}
		return c.static(t, c.index(e), 1, uint32(i))
	}
	if v := c.rowComponent(n); v != nil {
		return v
	}
	if at, i, w, slot, ok := c.affine(n); ok {
		return c.load(t, at, i, w, slot)
	}
	// No index selects a variable that nothing binds: another one stands for it.
	some := n.X
	for some < last && c.vars[some] == nil {
		some++
	}
	all := &value{kind: vector, typ: c.t.Types.Vec(int(n.N), t)}
	for x := n.X; x <= last; x++ {
		if c.vars[x] == nil {
			all.parts = append(all.parts, c.variable(some))
		} else {
			all.parts = append(all.parts, c.variable(x))
		}
	}
	return c.load(t, c.here(c.ahead(all)), c.index(e), uint32(c.layout.Slots(t)), 0)
}

// affine finds where x_e is, if the variables that e selects are slots of one object: at slot n + m·i, where i is an
// expression of indices.
func (c *compiler) affine(x *term.Node) (at operand, i ir.Reg, m, n uint32, ok bool) {
	last := x.X + term.Var(x.N) - 1
	if v := c.vars[last]; v != nil && v.kind == opened && v.first <= x.X {
		w := uint32(c.layout.Slots(v.typ))
		return v.at, c.index(x.Static()), w, v.slot + uint32(x.X-v.first)*w, true
	}
	var object *value
	slot := func(k int) (int, bool) {
		v := c.of(x.X + term.Var(k))
		if v == nil || v.kind != component || !v.inline || object != nil && v.at != object.at {
			return 0, false
		}
		object = v
		return int(v.slot), true
	}
	// All of them that are bound, whatever e is: e selects no others.
	first, apart, some := 0, 0, -1
	ok = true
	for k := 0; ok && k < int(x.N); k++ {
		if c.vars[x.X+term.Var(k)] == nil {
			continue
		}
		var s int
		switch s, ok = slot(k); {
		case some < 0:
			first, some = s, k
		case apart == 0:
			apart = (s - first) / (k - some)
			first -= some * apart
		}
		ok = ok && (apart == 0 || s == first+k*apart)
	}
	if ok && apart > 0 && first >= 0 {
		return object.at, c.index(x.Static()), uint32(apart), uint32(first), true
	}
	// Those of the values that e has.
	object = nil
	var loops []term.Index
	values, combinations := make([]float64, len(c.indices)), 1
	for _, k := range c.t.IndicesOf(x.Static()) {
		if b := &c.indices[k]; b.known {
			values[k] = b.num
		} else {
			loops = append(loops, k)
			if combinations *= b.size; combinations == 0 || combinations > mostCombinations {
				return operand{}, 0, 0, 0, false
			}
		}
	}
	here := func() (int, bool) {
		k := c.t.Value(x.Static(), values)
		if k < 0 || k >= float64(x.N) || k != math.Trunc(k) {
			return 0, false
		}
		return slot(int(k))
	}
	if first, ok = here(); !ok {
		return operand{}, 0, 0, 0, false
	}
	by := make([]int, len(loops))
	for l, k := range loops {
		if c.indices[k].size > 1 {
			values[k] = 1
			if by[l], ok = here(); !ok || by[l] < first {
				return operand{}, 0, 0, 0, false
			}
			by[l] -= first
			values[k] = 0
		}
	}
	for range combinations {
		want := first
		for l, k := range loops {
			want += by[l] * int(values[k])
		}
		if s, ok := here(); !ok || s != want {
			return operand{}, 0, 0, 0, false
		}
		for _, k := range loops {
			if values[k]++; values[k] < float64(c.indices[k].size) {
				break
			}
			values[k] = 0
		}
	}
	i = c.constant(0)
	for l, k := range loops {
		step := c.pure(ir.Instr{Op: ir.IndexMul, A: c.use(c.indices[k].at), B: c.constant(float64(by[l]))})
		if l == 0 {
			i = step
		} else {
			i = c.pure(ir.Instr{Op: ir.IndexAdd, A: i, B: step})
		}
	}
	return object.at, i, 1, uint32(first), true
}

// bindIndex binds the index of a node to a register.
func (c *compiler) bindIndex(n *term.Node, i ir.Reg) {
	size, _ := c.known(n.Static())
	c.indices[n.Index()] = index{at: c.here(i), size: int(size)}
}

// ahead puts a vector in a register, ahead of the loops that do not change it.
func (c *compiler) ahead(v *value) ir.Reg {
	f := c.f
	regs := c.flatten(v.parts...)
	at := f.loopsAround(regs, true)
	if at == len(f.loops) {
		return c.register(v)
	}
	l := f.loops[at]
	for _, o := range l.vectors {
		if o.typ == v.typ && slices.Equal(o.parts, regs) {
			return o.reg
		}
	}
	start := len(f.out.Code)
	stored, left := &value{kind: vector, typ: v.typ}, regs
	for _, p := range v.parts {
		k := c.layout.Registers(p.typ)
		stored.parts, left = append(stored.parts, c.fromRegs(left[:k], p.typ)), left[k:]
	}
	r := c.register(stored)
	l.ahead = append(l.ahead, f.out.Code[start:]...)
	f.out.Code = f.out.Code[:start]
	f.depth[r] = at
	l.vectors = append(l.vectors, madeVector{v.typ, regs, r})
	return r
}

// family makes ⟦t | i < s⟧.
func (c *compiler) family(r term.Ref, n *term.Node) *value {
	t := c.types[r]
	if v := c.grouped(n, t); v != nil {
		return v
	}
	if c.unrolls(r) {
		return &value{kind: vector, typ: t, parts: c.unrolled(n)}
	}
	d := c.set(ir.Instr{Op: ir.Alloc, N: uint32(c.layout.Slots(t))})
	c.fill(d, n)
	return c.fromReg(d, t)
}

// grouped returns the slots of a vector for a comprehension, or for nested ones, of its components in their order: data
// that is a matrix is such a comprehension. For all others it returns nil.
func (c *compiler) grouped(n *term.Node, t term.Type) *value {
	var all []*term.Node
	x := n
	for ; x.Op == term.FamilyOp; x = &c.t.Nodes[x.A] {
		all = append(all, x)
	}
	v := c.vars[x.X]
	if x.Op != term.ComponentOp || v == nil || v.kind != opened || c.vars[x.X+term.Var(x.N)-1] != v {
		return nil
	}
	first, by, ok := c.t.Affine(x.Static())
	size := 1
	for _, k := range slices.Backward(all) {
		s, known := c.known(k.Static())
		ok = ok && known && by[k.Index()] == float64(size)
		delete(by, k.Index())
		size *= int(s)
	}
	w := c.layout.Slots(v.typ)
	if !ok || len(by) > 0 || first < 0 || int(first)+size > int(x.N) || c.layout.Slots(t) != size*w {
		return nil
	}
	if x.Pos != 0 {
		c.pos = x.Pos
	}
	c.occurrences(c.at(), v.typ, c.t.Generated(x.X), size)
	slot := v.slot + (uint32(x.X-v.first)+uint32(first))*uint32(w)
	return &value{kind: component, typ: t, at: v.at, slot: slot, inline: true}
}

// fill makes the components of a comprehension, which go behind the reference d.
func (c *compiler) fill(d ir.Reg, n *term.Node) {
	w := uint32(c.layout.Slots(c.types[n.A]))
	size, _ := c.bound(n)
	s, _ := c.known(n.Static())
	c.forward(size, s, true, func(i ir.Reg) {
		c.bindIndex(n, i)
		if k := &c.t.Nodes[n.A]; k.Op == term.FamilyOp && !c.unrolls(n.A) {
			c.fill(c.set(ir.Instr{Op: ir.ViewX, A: d, B: i, M: w}), k)
			return
		}
		c.store(d, c.term(n.A), i, w, 0)
	})
}

// sum makes Σ(i < s) t, or with a symbol its values, in the order of sums.
func (c *compiler) sum(r term.Ref, n *term.Node) *value {
	s, ok := c.known(n.Static())
	switch {
	case !ok:
		return c.sumOfAny(n)
	case s == 0:
		return &value{kind: number, typ: term.R}
	}
	c.operation(ruleOf(n.Sym), 2, int(s)-1)
	if s <= shortTriangle && c.unrolls(r) {
		parts := c.unrolled(n)
		summand := func(i int) ir.Reg { return c.register(parts[i]) }
		add := func(a, b ir.Reg) ir.Reg { return c.addition(n.Sym, a, b) }
		return c.fromReg(term.Sum(len(parts), summand, add), term.R)
	}
	size := c.constant(s)
	if s <= lanes {
		return c.fromReg(c.sumRight(n, size), term.R)
	}
	return c.fromReg(c.sumLanes(n, size), term.R)
}

// sumOfAny is a sum whose size depends on an index: it may be 0. Its additions are counted by a loop of their own.
func (c *compiler) sumOfAny(n *term.Node) *value {
	out := c.reg(1)
	c.emit(ir.Instr{Op: ir.Const, D: out})
	size, few, end := c.index(n.Static()), c.label(), c.label()
	c.emit(ir.Instr{Op: ir.Empty, A: out, B: size, N: end})
	one := c.constant(1)
	additions := c.set(ir.Instr{Op: ir.IndexSub, A: size, B: one})
	c.forward(additions, 0, false, func(ir.Reg) { c.operation(ruleOf(n.Sym), 2, 1) })
	c.emit(ir.Instr{Op: ir.Empty, A: c.constant(lanes), B: size, N: few})
	c.newBlock()
	c.emit(ir.Instr{Op: ir.Move, D: out, A: c.sumLanes(n, size)})
	c.emit(ir.Instr{Op: ir.Jump, N: end})
	c.place(few)
	c.emit(ir.Instr{Op: ir.Move, D: out, A: c.sumRight(n, size)})
	c.place(end)
	return c.fromReg(out, term.R)
}

// sumRight makes e0 + (e1 + (… + es−1)) for 1 ≤ s ≤ 8. The additions have been counted.
func (c *compiler) sumRight(n *term.Node, size ir.Reg) ir.Reg {
	out, i := c.reg(1), c.reg(1)
	c.emit(ir.Instr{Op: ir.Const, D: out})
	last := c.pure(ir.Instr{Op: ir.IndexSub, A: size, B: c.constant(1)})
	c.emit(ir.Instr{Op: ir.Move, D: i, A: last})
	known, _ := c.known(n.Static())
	c.inLoop(false, known, ir.Instr{Op: ir.Prev, D: i}, func() {
		c.bindIndex(n, i)
		x := c.register(c.term(n.A))
		at := c.set(ir.Instr{Op: ir.IndexSub, A: last, B: i})
		c.emit(ir.Instr{Op: ir.SumAdd, Sym: n.Sym, Taped: c.out.Taped, D: out, A: x, B: at, M: 1})
	})
	c.newBlock()
	return out
}

// sumLanes makes the sum of s > 8 summands in eight lanes, and adds these. The additions have been counted.
func (c *compiler) sumLanes(n *term.Node, size ir.Reg) ir.Reg {
	first := c.reg(lanes)
	for l := range ir.Reg(lanes) {
		c.emit(ir.Instr{Op: ir.Const, D: first + l})
	}
	known, _ := c.known(n.Static())
	c.forward(size, known, true, func(i ir.Reg) {
		c.bindIndex(n, i)
		x := c.register(c.term(n.A))
		c.emit(ir.Instr{Op: ir.SumAdd, Sym: n.Sym, Taped: c.out.Taped, D: first, A: x, B: i, M: lanes})
	})
	add := func(a, b ir.Reg) ir.Reg { return c.addition(n.Sym, a, b) }
	four := func(a, b, d, e ir.Reg) ir.Reg { return add(add(first+a, first+b), add(first+d, first+e)) }
	even := four(0, 4, 2, 6)
	return add(even, four(1, 5, 3, 7))
}

// addition makes an addition of a sum, or that of its symbol.
func (c *compiler) addition(f term.Symbol, a, b ir.Reg) ir.Reg {
	in := ir.Instr{Op: ir.Add, Sym: f, Taped: c.out.Taped, A: a, B: b}
	if f != term.NoSymbol {
		in.Op = ir.Fun2
	}
	return c.set(in)
}
