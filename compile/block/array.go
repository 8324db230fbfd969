package block

import (
	"cmp"
	"maps"
	"slices"
	"sort"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// arrayWire is what a slot of a template with families stands for: as a wire, but for each value of the indices of the
// loops around it.
type arrayWire struct {
	kind graph.LayoutKind
	// at is the register of a number, and the number of a dual: of a cell, or of an external dual.
	at       Affine
	external bool
	parts    []arrayWire
	loop     int    // of a family: 1 + the loop, whose component parts[0] is; 0 of a tuple
	tmpl     uint32 // of a closure, whose captured values parts are
	args     []wire // that a closure has been applied to
	run      int    // 1 + the number of the run that waits for it, in which it is a result of an application; 0: there is none
	late     late
}

// openedFamily says that n slots from first on stand for the components of a family.
type openedFamily struct {
	first, n uint32
	w        arrayWire
}

// arrayBuilder makes the block of a template with families.
type arrayBuilder struct {
	*blockBuilder
	l      *Families // of the template whose code is compiled
	loops  []Loop    // of all templates so far; the first of l is number loop0
	loop0  int
	at     map[uint32]arrayWire
	opened []openedFamily // in the order of their slots
	around []int
	code   []graph.Array
	cells  []graph.ArrayCell
	ncells int
	large  bool // there are too many registers or cells
	// Of conditionals:
	ended bool          // λs are applied between the templates, and one has made late cells: what makes cells behind it is no block
	rest  []graph.Instr // of the template, behind the instruction that is compiled
	sides []arraySide   // around what is compiled
	masks []graph.Mask
	runs  []graph.Run
	run   int // 1 + the number of that which is compiled, 0 if there is none
}

// arrayBlock makes the block of a template with families, or of one that returns its closure, and so on; or reports that
// there is none.
func (c *compiler) arrayBlock(id uint32) (*graph.Block, bool) {
	b := newArrayBuilder(&blockBuilder{c: c, out: &graph.Block{Regs: 1}, wires: map[uint32]wire{}})
	b.count(id)
	var captured []arrayWire
	for i := range c.out.Templates[id].Caps {
		leaf, w, ok := b.leavesOf(c.slotTypes[id][i])
		if !ok {
			return nil, false
		}
		b.out.Caps = append(b.out.Caps, leaf)
		captured = append(captured, c.fixedWire(w))
	}
	if c.err != nil {
		return nil, false
	}
	b.inputArrays(c.chain(id))
	w, ok := b.template(id, captured)
	for ok && w.kind == closureWire && len(b.out.Templates) < maxTemplates {
		id = w.tmpl
		b.count(id)
		w, ok = b.template(id, w.parts)
	}
	return b.out, ok && b.finish(w)
}

func newArrayBuilder(b *blockBuilder) *arrayBuilder {
	return &arrayBuilder{blockBuilder: b, l: &Families{}, at: map[uint32]arrayWire{}}
}

// chain returns a template, and those whose closures it returns in turn.
func (c *compiler) chain(id uint32) []uint32 {
	ids := []uint32{id}
	for len(ids) < maxTemplates {
		next, ok := c.returned(&c.out.Templates[ids[len(ids)-1]])
		if !ok {
			break
		}
		ids = append(ids, next)
	}
	return ids
}

// finish ends the block, whose result is w, and reports whether there is one.
func (b *arrayBuilder) finish(w arrayWire) bool {
	if !b.result(w) {
		return false
	}
	a := &graph.Arrays{Code: b.fuse(), Cells: b.cells, Masks: b.masks, Runs: b.runs}
	a.Out = graph.Spans(b.out.Out.Regs)
	if n := len(b.out.Params); n > 0 {
		a.Element, a.State = graph.Spans(b.out.Params[0].Regs), graph.Spans(b.out.Params[n-1].Regs)
	}
	b.out.Arrays = a
	b.out.SetPicks()
	return true
}

// inputArrays puts the inputs into the block whose components families of the templates read. Those that overlap are one array.
func (b *arrayBuilder) inputArrays(ids []uint32) {
	var read [2][]span // the inputs whose numbers are read, and those whose duals are
	for _, id := range ids {
		t := &b.c.out.Templates[id]
		for _, in := range b.c.out.Code[t.Start:t.End] {
			if first, ok := b.c.out.InputAt(in.A); ok && in.Op == graph.OpComponent {
				k := 0
				if b.c.out.Global(in.A).Kind == graph.Input {
					k = 1
				}
				read[k] = append(read[k], span{first, int(in.N)})
			}
		}
	}
	for k, all := range read {
		slices.SortFunc(all, func(x, y span) int { return cmp.Compare(x.first, y.first) })
		for i := 0; i < len(all); {
			a := all[i]
			for i++; i < len(all) && all[i].first < a.first+a.n; i++ {
				a.n = max(a.n, all[i].first+all[i].n-a.first)
			}
			b.inputArray(a.first, a.n, k == 1)
		}
	}
}

// template adds the parameters and the code of a template to the block, and returns its result.
func (b *arrayBuilder) template(id uint32, captured []arrayWire) (w arrayWire, ok bool) {
	t := &b.c.out.Templates[id]
	b.t = t
	// Frames overlap: of the last template, the globals stay.
	maps.DeleteFunc(b.wires, func(slot uint32, _ wire) bool { return slot >= t.Cap0 })
	b.enter(id)
	for i, w := range captured {
		b.at[t.Cap0+uint32(i)] = w
	}
	for i, typ := range b.c.slotTypes[id][t.Caps:] {
		leaf, w, ok := b.leavesOf(typ)
		if !ok {
			return arrayWire{}, false
		}
		b.out.Params = append(b.out.Params, leaf)
		b.at[t.Param0+uint32(i)] = b.c.fixedWire(w)
	}
	return b.body(t)
}

// enter begins the code of a template.
func (b *arrayBuilder) enter(id uint32) {
	t := &b.c.out.Templates[id]
	if l := b.c.families[id]; l != nil {
		b.l, b.loop0 = l, len(b.loops)
		b.loops = append(b.loops, l.All...)
	}
	maps.DeleteFunc(b.at, func(slot uint32, _ arrayWire) bool { return slot >= t.Cap0 })
	b.opened = slices.DeleteFunc(b.opened, func(o openedFamily) bool { return o.first >= t.Cap0 })
}

// globals puts the globals into the block that the code reads, so that the registers of like parts of the code are at equal distances.
func (b *arrayBuilder) globals(t *graph.Template) {
	for i := range b.c.out.Code[t.Start:t.End] {
		in := &b.c.out.Code[int(t.Start)+i]
		slots := []uint32{in.A, in.B}
		switch in.Op {
		case graph.OpLoop, graph.OpComponent, graph.OpIndexNum, graph.OpElse:
			continue
		case graph.OpFamily, graph.OpTotal, graph.OpTest, graph.OpJoin:
		default:
			slots = b.c.out.Operands(in)
		}
		for _, s := range slots {
			if s < uint32(b.c.out.NumGlobals()) {
				b.blockBuilder.wire(s)
			}
		}
	}
}

// body adds the code of a template, and returns its result.
func (b *arrayBuilder) body(t *graph.Template) (w arrayWire, ok bool) {
	if b.c.err != nil {
		return w, false
	}
	b.globals(t)
	code := b.c.out.Code[t.Start:t.End]
	for i := range code {
		in := &code[i]
		b.rest = code[i+1:]
		if in.Flags&graph.Ready == 0 || !b.c.check(0) || !b.instr(in) || b.large {
			return w, false
		}
	}
	return b.wire(t.Result)
}

// wire returns what the slot stands for.
func (b *arrayBuilder) wire(slot uint32) (arrayWire, bool) {
	if w, ok := b.at[slot]; ok {
		return w, true
	}
	if o := b.openedAt(slot); o != nil {
		return o.w.part(int(slot - o.first)), true
	}
	w, ok := b.blockBuilder.wire(slot)
	if !ok {
		return arrayWire{}, false
	}
	return b.c.fixedWire(w), b.c.err == nil
}

// openedAt returns the family of which the slot stands for a component, if there is one.
func (b *arrayBuilder) openedAt(slot uint32) *openedFamily {
	i := sort.Search(len(b.opened), func(i int) bool { return b.opened[i].first > slot }) - 1
	if i < 0 || slot-b.opened[i].first >= b.opened[i].n {
		return nil
	}
	return &b.opened[i]
}

// fixedWire is a wire as one that is the same for all indices. It is incomplete if Check has an error.
func (c *compiler) fixedWire(w wire) arrayWire {
	a := arrayWire{kind: w.kind, tmpl: w.tmpl, args: w.args}
	switch w.kind {
	case graph.NumLeaf:
		a.at.Base = int(w.reg)
	case graph.DualLeaf:
		a.at.Base, a.external = int(w.dual), w.dual < 0
		if a.external {
			a.at.Base = int(^w.dual)
		}
	}
	a.parts = slices.Grow(a.parts, len(w.parts))
	for i := range w.parts {
		if c.units++; !c.check(c.units) {
			return a
		}
		a.parts = append(a.parts, c.fixedWire(w.parts[i]))
	}
	return a
}

// fixed is a wire that is the same for all indices, as one of a block without arrays.
func (b *arrayBuilder) fixed(w *arrayWire) wire {
	f := wire{kind: w.kind, tmpl: w.tmpl, args: w.args}
	switch {
	case w.kind == graph.NumLeaf:
		f.reg = uint32(w.at.Base)
	case w.external:
		f.dual = ^int32(w.at.Base)
	case w.kind == graph.DualLeaf:
		f.dual = int32(w.at.Base)
	}
	for i := range b.size(w) {
		p := w.part(i)
		f.parts = append(f.parts, b.fixed(&p))
	}
	return f
}

// size is how many components a tuple or family has.
func (b *arrayBuilder) size(w *arrayWire) int {
	if w.loop > 0 {
		return b.loops[w.loop-1].Size
	}
	return len(w.parts)
}

// dims are the loops around what is compiled now.
func (b *arrayBuilder) dims() []graph.Dim {
	var dims []graph.Dim
	for _, id := range b.around {
		dims = append(dims, b.dim(id))
	}
	return dims
}

func (b *arrayBuilder) dim(id int) graph.Dim {
	return graph.Dim{Size: b.loops[id].Size, Loop: id, Sum: b.loops[id].Sum}
}

// address is an affine expression of the loops of the dimensions.
func address(a Affine, dims []graph.Dim) graph.Address {
	out := graph.Address{Base: a.Base, Stride: make([]int, len(dims))}
	for k, d := range dims {
		out.Stride[k] = a.at(d.Loop)
	}
	return out
}

// dense is the affine expression of an array without gaps over the loops around.
func (b *arrayBuilder) dense(base int) Affine {
	a := Affine{Base: base, Coef: make([]int, len(b.loops))}
	dims := b.dims()
	for k, s := range graph.Dense(base, dims).Stride {
		a.Coef[dims[k].Loop] = s
	}
	return a
}

// maxRegisters bounds the registers of a block, before those of products go that are summed up at once, and its cells.
const maxRegisters = 1 << 30

// array makes registers for a number of each instance.
func (b *arrayBuilder) array() Affine {
	first, n := b.out.Regs, graph.Instances(b.dims())
	if int(first)+n > maxRegisters {
		b.large = true
		n = 0
	}
	b.out.Regs += uint32(n)
	return b.dense(int(first))
}

func (b *arrayBuilder) instr(in *graph.Instr) bool {
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
		w := b.at[in.D]
		w.tmpl = in.Tmpl
		b.at[in.D] = w
		return true
	case graph.OpLoop:
		b.around = append(b.around, b.loop0+int(in.Tmpl))
		return true
	case graph.OpFamily:
		w, ok := b.wire(in.A)
		b.around = b.around[:len(b.around)-1]
		all := arrayWire{kind: graph.VecLayout, parts: []arrayWire{w}, loop: 1 + b.loop0 + int(in.Tmpl)}
		b.at[in.D] = all.waiting(w.when().in(len(b.around)))
		return ok
	case graph.OpTotal:
		return b.total(in)
	case graph.OpComponent:
		return b.component(in)
	case graph.OpIndexNum:
		table := b.l.Numbers[in.Tmpl]
		d := Affine{Base: int(b.out.Regs), Coef: make([]int, len(b.loops))}
		b.out.Regs += uint32(len(table.Values))
		n := 1
		for _, id := range slices.Backward(table.Loops) {
			d.Coef[b.loop0+id] = n
			n *= b.l.All[id].Size
		}
		b.out.Consts = slices.Grow(b.out.Consts, len(table.Values))
		for i, v := range table.Values {
			b.out.Consts = append(b.out.Consts, graph.Const{Reg: uint32(d.Base + i), Val: v})
		}
		b.at[in.D] = arrayWire{kind: graph.NumLeaf, at: d}
		return true
	case graph.OpTest:
		return b.test(in)
	case graph.OpElse:
		return b.orElse(in)
	case graph.OpJoin:
		return b.join(in)
	}
	return false
}

func (b *arrayBuilder) arithmetic(in *graph.Instr) bool {
	x, okX := b.wire(in.A)
	y, okY := x, true
	if in.Op != graph.OpFun1 {
		y, okY = b.wire(in.B)
	}
	if !okX || !okY || x.kind != graph.NumLeaf || y.kind != graph.NumLeaf {
		return false
	}
	d := b.each(graph.Array{Op: blockOps[in.Op], Sym: in.Sym}, x.at, y.at)
	b.at[in.D] = arrayWire{kind: graph.NumLeaf, at: d, late: b.when(&x, &y), run: b.waits(&x, &y)}
	return true
}

func (b *arrayBuilder) tuple(d uint32, kind graph.LayoutKind, comps []uint32) bool {
	w := arrayWire{kind: kind}
	for _, s := range comps {
		p, ok := b.wire(s)
		if !ok {
			return false
		}
		w.parts = append(w.parts, p)
	}
	b.at[d] = w.waiting(b.when(&w)).resultOf(b.waits(&w))
	return true
}

// part returns component i of a tuple or family.
func (w *arrayWire) part(i int) arrayWire {
	if w.loop == 0 {
		return w.parts[i]
	}
	return w.parts[0].with(w.loop-1, Affine{Base: i})
}

// with returns w where the index of a loop is e.
func (w *arrayWire) with(loop int, e Affine) arrayWire {
	out := *w
	k := w.at.at(loop)
	if k != 0 {
		rest := Affine{Base: w.at.Base, Coef: append([]int(nil), w.at.Coef...)}
		rest.Coef[loop] = 0
		out.at = rest.Plus(e, k)
	}
	out.parts = nil
	for i := range w.parts {
		out.parts = append(out.parts, w.parts[i].with(loop, e))
	}
	return out
}

// open opens a tuple; OpUntuple one of nested pairs.
func (b *arrayBuilder) open(in *graph.Instr) bool {
	w, ok := b.wire(in.A)
	if !ok || len(w.parts) == 0 {
		return false
	}
	n := in.N
	if in.Op == graph.OpUnpair {
		n = 2
	}
	if in.Op == graph.OpUnvec && w.loop > 0 {
		b.opened = append(b.opened, openedFamily{in.D, n, w})
		return true
	}
	for k := range n {
		switch {
		case in.Op != graph.OpUntuple:
			b.at[in.D+k] = w.part(int(k))
		case k < n-1:
			b.at[in.D+k] = w.part(0)
			w = w.part(1)
		default:
			b.at[in.D+k] = w
		}
	}
	return true
}

// cell adds a family of cells, and returns the wire of its duals.
func (b *arrayBuilder) cell(c graph.ArrayCell, l late, run int) arrayWire {
	c.Late, c.Mask, c.Run, c.Waits = int(l), b.mask(), b.run, run != 0
	c.First, c.Dims, c.Template = b.ncells, b.dims(), len(b.out.Templates)-1
	b.ncells += graph.Instances(c.Dims)
	b.large = b.large || b.ncells > maxRegisters || b.ended
	b.cells = append(b.cells, c)
	return arrayWire{kind: graph.DualLeaf, at: b.dense(c.First), late: l, run: run}
}

func (b *arrayBuilder) dual(in *graph.Instr) bool {
	id := b.c.out.Duals[in.Tmpl].Body
	c := graph.ArrayCell{Body: id, Dual: in.Tmpl, Null: b.c.out.IsNull(in.Tmpl)}
	dims := b.dims()
	var when late
	run := 0
	for i, s := range b.args(in) {
		w, ok := b.wire(s)
		if !ok {
			return false
		}
		when, run = when.and(b.when(&w)), max(run, b.waits(&w))
		if uint32(i) < b.c.out.Bodies[id].Heads {
			c.Heads = append(c.Heads, graph.ArrayHead{External: w.external, At: address(w.at, dims)})
		} else {
			c.Nums = append(c.Nums, address(w.at, dims))
		}
	}
	if len(b.sides) > 0 {
		when = b.when()
	}
	b.at[in.D] = b.cell(c, when, run)
	return true
}

// total ends a loop whose summands are added, or whose largest number is taken: of the symbols only max is in sums.
func (b *arrayBuilder) total(in *graph.Instr) bool {
	a, okA := b.wire(in.A)
	dual, okB := b.wire(in.B)
	if !okA || !okB || a.kind != graph.NumLeaf {
		return false
	}
	inner := b.dims()
	last := b.loop0 + int(in.Tmpl)
	b.around = b.around[:len(b.around)-1]
	d := b.array()
	kind := graph.ArraySum
	if in.Sym != term.NoSymbol {
		kind = graph.ArrayMax
	}
	numbers := address(a.at, inner)
	b.code = append(b.code, graph.Array{Kind: kind, Dims: inner, D: address(d, inner), A: numbers, B: numbers})
	when := b.when(&a, &dual).in(len(b.around))
	run := b.waits(&a, &dual)
	b.at[in.D] = arrayWire{kind: graph.NumLeaf, at: d, late: when, run: run}
	if dual.kind == graph.DualLeaf {
		body := b.c.out.Duals[in.Else].Body
		head := graph.ArrayHead{External: dual.external, At: address(dual.at, inner)}
		cell := graph.ArrayCell{Inner: b.dim(last), Body: body, Dual: in.Else, Heads: []graph.ArrayHead{head}}
		if kind == graph.ArrayMax {
			cell.Nums = []graph.Address{numbers}
		}
		b.at[in.D+1] = b.cell(cell, when, run)
	}
	return true
}

// component selects one of several slots, which stand at equal distances in everything.
func (b *arrayBuilder) component(in *graph.Instr) bool {
	if i, ok := b.c.out.InputAt(in.A); ok {
		e := b.index(in)
		w := arrayWire{kind: graph.NumLeaf}
		if b.c.out.Global(in.A).Kind == graph.Input {
			w.kind, w.external = graph.DualLeaf, true
		}
		w.at = e.Plus(Affine{Base: b.inputArray(i, int(in.N), w.external)}, 1)
		b.at[in.D] = w
		return true
	}
	if o := b.openedAt(in.A); o != nil && in.Split == 1 && in.A+in.N <= o.first+o.n {
		e := b.index(in).Plus(Affine{Base: int(in.A - o.first)}, 1)
		b.at[in.D] = o.w.parts[0].with(o.w.loop-1, e).opened(e)
		return true
	}
	first, ok := b.wire(in.A)
	if !ok {
		return false
	}
	if o := b.openedAt(in.A); o != nil && in.Split == 1 && o.first == in.A {
		if w, ok := b.componentOfRow(in, int(o.n)); ok {
			b.at[in.D] = w
			return true
		}
	}
	var second arrayWire
	when := first.when()
	for j := uint32(1); j < in.N; j++ {
		w, ok := b.wire(in.A + j*in.Split)
		w = b.inLoopsOf(&first, w)
		when = when.and(w.when())
		if j == 1 {
			second = w
		}
		if !ok || !atDistance(&first, &second, &w, int(j)) {
			return false
		}
		if o := b.openedAt(in.A + j); o != nil && in.Split == 1 { // the last one of the family is next
			j = max(j, min(in.N, o.first+o.n-in.A)-2)
		}
	}
	if in.N == 1 {
		second = first
	}
	w := between(&first, &second, b.index(in))
	if when != w.when() {
		w = w.waiting(when)
	}
	b.at[in.D] = w.opened(b.index(in))
	return true
}

// componentOfRow selects a component of one of several opened families of n components each, which stand at equal distances, and reports
// whether it can.
func (b *arrayBuilder) componentOfRow(in *graph.Instr, n int) (w arrayWire, ok bool) {
	row, column, ok := b.divide(b.index(in), n)
	if !ok || int(in.N)%n != 0 {
		return w, false
	}
	var first, second arrayWire
	var when late
	for i := range int(in.N) / n {
		o := b.openedAt(in.A + uint32(i*n))
		if o == nil || o.first != in.A+uint32(i*n) || int(o.n) != n {
			return w, false
		}
		if i == 0 {
			first, second, when = o.w, o.w, o.w.when()
			continue
		}
		w := b.inLoopsOf(&first, o.w)
		when = when.and(w.when())
		if i == 1 {
			second = w
		}
		if !atDistance(&first, &second, &w, i) {
			return w, false
		}
	}
	rows := between(&first, &second, row)
	w = rows.parts[0].with(rows.loop-1, column)
	if when != w.when() {
		w = w.waiting(when)
	}
	return w.opened(b.index(in)), true
}

// divide returns q and r with e = q·n + r where 0 ≤ r < n for all values of the indices, and reports whether it found them.
func (b *arrayBuilder) divide(e Affine, n int) (q, r Affine, ok bool) {
	q, r = Affine{Coef: make([]int, len(e.Coef))}, Affine{Coef: make([]int, len(e.Coef))}
	low, high := e.Base, e.Base // of e.Base + what the indices add to r
	for i, k := range e.Coef {
		q.Coef[i], r.Coef[i] = k/n, k%n
		low += min(0, r.Coef[i]*(b.loops[i].Size-1))
		high += max(0, r.Coef[i]*(b.loops[i].Size-1))
	}
	if low < 0 {
		return q, r, false
	}
	q.Base = low / n
	r.Base = e.Base - q.Base*n
	return q, r, high-q.Base*n < n
}

// index is the number of the component that an instruction selects.
func (b *arrayBuilder) index(in *graph.Instr) Affine {
	e := b.l.Indices[in.Tmpl]
	return Affine{e.Base, append(make([]int, b.loop0, b.loop0+len(e.Coef)), e.Coef...)}
}

// inLoopsOf returns w with its families in the loops of those of like, where they have the same sizes: so states of a scan are alike.
func (b *arrayBuilder) inLoopsOf(like *arrayWire, w arrayWire) arrayWire {
	if len(w.parts) != len(like.parts) || (w.loop > 0) != (like.loop > 0) || b.size(&w) != b.size(like) {
		return w
	}
	parts := w.parts
	if w.loop != like.loop {
		index := Affine{Coef: make([]int, like.loop)}
		index.Coef[like.loop-1] = 1
		parts = []arrayWire{parts[0].with(w.loop-1, index)}
		w.loop = like.loop
	}
	w.parts = nil
	for i := range parts {
		w.parts = append(w.parts, b.inLoopsOf(&like.parts[i], parts[i]))
	}
	return w
}

// atDistance reports whether w is j times as far from first as second is.
func atDistance(first, second, w *arrayWire, j int) bool {
	if w.kind != first.kind || w.external != first.external || w.loop != first.loop || len(w.parts) != len(first.parts) ||
		!w.at.Plus(first.at, -1).Constant() || w.at.Base-first.at.Base != j*(second.at.Base-first.at.Base) {
		return false
	}
	for i := range w.parts {
		if !atDistance(&first.parts[i], &second.parts[i], &w.parts[i], j) {
			return false
		}
	}
	return true
}

// between returns the wire that is e times as far from first as second is.
func between(first, second *arrayWire, e Affine) arrayWire {
	w := *first
	w.at = first.at.Plus(e, second.at.Base-first.at.Base)
	w.parts = nil
	for i := range first.parts {
		w.parts = append(w.parts, between(&first.parts[i], &second.parts[i], e))
	}
	return w
}

// result sets the block's result, and reports whether it is one without functions, and not too large.
func (b *arrayBuilder) result(w arrayWire) bool {
	b.orderExternals()
	for q := range b.cells {
		c := &b.cells[q]
		for k := range c.Heads {
			if h := &c.Heads[k]; h.External && !b.renumberAll(&h.At, c.Operands()) {
				return false
			}
		}
	}
	return b.leavesTo(&w)
}

// renumberAll gives external duals their final numbers, if they stay side by side.
func (b *arrayBuilder) renumberAll(a *graph.Address, dims []graph.Dim) bool {
	to := int(b.final[a.Base])
	first, last := a.Range(dims)
	ok := true
	if !slices.ContainsFunc(b.globalDuals, func(s span) bool { return s.first <= first && last < s.first+s.n }) {
		a.Distinct(dims, func(k int) { ok = ok && k < len(b.final) && int(b.final[k])-to == k-a.Base })
	}
	a.Base = to
	return ok
}

func (b *arrayBuilder) leavesTo(w *arrayWire) bool {
	out := &b.out.Out
	n := b.size(w)
	if w.kind == closureWire || w.kind == tailWire || !b.leaf() {
		return false
	}
	out.Layout = append(out.Layout, graph.LayoutNode{Kind: w.kind, N: uint32(n)})
	switch w.kind {
	case graph.NumLeaf:
		out.Regs = append(out.Regs, uint32(w.at.Base))
		return true
	case graph.DualLeaf:
		d := int32(w.at.Base)
		if w.external {
			d = ^b.final[w.at.Base]
		}
		b.out.OutDuals = append(b.out.OutDuals, d)
		out.Duals++
		return true
	}
	for i := range n {
		p := w.part(i)
		if !b.leavesTo(&p) {
			return false
		}
	}
	return true
}
