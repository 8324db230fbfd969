package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// maxPathCode bounds the instructions of all paths of a block.
const maxPathCode = 1 << 14

// specialize lets the machine make blocks with paths while it runs: see [graph.Program.LoopBlock].
// The compiler that they need does not ask Check.
func (c *compiler) specialize() {
	if c.out.Open || c.out.Late {
		return
	}
	small := &compiler{types: c.types, out: c.out, slotTypes: c.slotTypes, families: c.families}
	c.out.Specialized(func(id uint32, args int, closures []uint32, paths int) *graph.Block {
		b := newPathBuilder(small, id, closures, paths)
		block := b.build(id, args)
		if block == nil && b.anyFamilies {
			b = newPathBuilder(small, id, closures, paths)
			b.arrays = newArrayBuilder(&b.blockBuilder)
			b.arrays.inputArrays(small.applied(append([]uint32{id}, closures...)))
			block = b.build(id, args)
		}
		return block
	})
}

func newPathBuilder(c *compiler, id uint32, closures []uint32, paths int) *pathBuilder {
	b := &pathBuilder{blockBuilder: blockBuilder{c: c, out: &graph.Block{Regs: 1, Templates: []uint32{id}}}, closures: closures, most: paths,
		globals: map[uint32]wire{}, tree: []pathNode{{then: -1, no: -1}}}
	// blockBuilder.wire asks where the frame begins.
	b.t, b.wires = &graph.Template{Cap0: uint32(c.out.NumGlobals())}, map[uint32]wire{}
	b.prog = c.out
	return b
}

// applied returns the templates, and those whose closures their code names, and so on.
func (c *compiler) applied(ids []uint32) []uint32 {
	for i := 0; i < len(ids); i++ {
		add := func(id uint32) {
			if !slices.Contains(ids, id) {
				ids = append(ids, id)
			}
		}
		t := &c.out.Templates[ids[i]]
		for pc := t.Start; pc < t.End; pc++ {
			in := &c.out.Code[pc]
			switch in.Op {
			case graph.OpClosure:
				add(in.Tmpl)
			case graph.OpApply:
				for _, s := range c.out.Operands(in) {
					if s < t.Cap0 && c.out.Global(s).Kind == graph.Closure {
						add(c.out.Global(s).Index)
					}
				}
			}
		}
	}
	return ids
}

// pathBuilder makes the block of a λ whose body has conditionals, and applies λs that are known: its own, or those that it
// captures. It runs the body as the machine does, in the order in which redexes fire, once for each path that the
// outcomes of the conditionals select. So duals are made in the same order as without blocks.
type pathBuilder struct {
	blockBuilder
	evaluation
	most        int             // paths
	chain       bool            // see [graph.Program.LoopBlock]
	closures    []uint32        // the templates of the closures that the λ captures, in preorder
	globals     map[uint32]wire // of all paths
	tree        []pathNode
	results     []wire
	paths       []*graph.Block
	anyFamilies bool          // a λ that is applied has families
	arrays      *arrayBuilder // where families may be: there is one path then

	// The path that is made:
	outcomes []bool // of its conditionals
	depth    int    // conditionals so far
	tails    int    // applications of the function of a chain
	at       int    // the node of the tree
	next     int    // the next register of the node
	path     *graph.Block
}

// pathNode is the code between two conditionals. Paths that have a node in common run it again to be made.
type pathNode struct {
	code     []graph.BlockInstr
	regs     []uint32 // the registers that it uses
	done     bool
	test     *graph.PathTest
	then, no int
}

// tailWire is the function that a λ of a chain applies to its result.
const tailWire graph.LayoutKind = 254

// build returns the block, or nil if there is none.
func (b *pathBuilder) build(id uint32, count int) *graph.Block {
	t := &b.c.out.Templates[id]
	f := wire{kind: closureWire, tmpl: id}
	for _, typ := range b.c.slotTypes[id][:t.Caps] {
		l, w, ok := b.captured(typ)
		if !ok {
			return nil
		}
		b.out.Caps = append(b.out.Caps, l)
		f.parts = append(f.parts, w)
	}
	b.chain = int(t.Params) == count+1
	if !b.chain && int(t.Params) != count {
		return nil
	}
	var args []wire
	for i, typ := range b.c.slotTypes[id][t.Caps:] {
		if b.chain && i == count-1 {
			args = append(args, wire{kind: tailWire})
			continue
		}
		l, w, ok := b.captured(typ)
		if !ok {
			return nil
		}
		b.out.Params = append(b.out.Params, l)
		args = append(args, w)
	}
	for {
		if !b.run(f, args) {
			return nil
		}
		for len(b.outcomes) > 0 && !b.outcomes[len(b.outcomes)-1] {
			b.outcomes = b.outcomes[:len(b.outcomes)-1]
		}
		if len(b.outcomes) == 0 {
			break
		}
		if len(b.paths) == b.most {
			return nil
		}
		b.outcomes[len(b.outcomes)-1] = false
	}
	if !b.finish() {
		return nil
	}
	if len(b.paths) == 1 {
		return b.paths[0]
	}
	return b.out
}

// captured makes the registers and wires of a captured value, which may be a closure.
func (b *pathBuilder) captured(typ term.Type) (l graph.Leaves, w wire, ok bool) {
	if b.c.types.Kind(typ) != term.ArrowKind {
		b.out.Steps = maxRegisters / leavesPerStep // the layouts are measured at the end
		return b.leavesOf(typ)
	}
	if len(b.closures) == 0 {
		return l, w, false
	}
	id := b.closures[0]
	b.closures = b.closures[1:]
	t := &b.c.out.Templates[id]
	w = wire{kind: closureWire, tmpl: id}
	l.Layout = graph.Layout{{Kind: graph.ClosureLayout, N: t.Caps}}
	for _, typ := range b.c.slotTypes[id][:t.Caps] {
		part, p, ok := b.captured(typ)
		if !ok {
			return l, w, false
		}
		l.Layout = append(l.Layout, part.Layout...)
		l.Regs = append(l.Regs, part.Regs...)
		l.Duals += part.Duals
		w.parts = append(w.parts, p)
	}
	return l, w, true
}

// run makes the path of b.outcomes, and of the first outcome of each further conditional.
func (b *pathBuilder) run(f wire, args []wire) bool {
	b.depth, b.at, b.next, b.tails = 0, 0, 0, 0
	b.path = &graph.Block{}
	if b.arrays != nil {
		b.path, b.out.Templates, b.out.Steps = b.out, nil, 0
	}
	b.start()
	ops := []int{b.value(f)}
	for _, w := range args {
		ops = append(ops, b.value(w))
	}
	root := b.add(evaluated{kind: graph.Apply, ops: ops})
	if !b.apply(root) {
		return false
	}
	result, ok := b.reduce(root)
	if !ok {
		return false
	}
	b.tree[b.at].done = true
	counted := len(args) // an iteration counts these itself
	if b.chain {
		if result.kind != tailWire || result.parts == nil || b.tails != 1 {
			return false
		}
		result, counted = result.parts[0], len(args)-1
	}
	b.path.Applied -= uint64(counted)
	b.path.Steps -= 2 * uint64(counted)
	b.results = append(b.results, result)
	b.paths = append(b.paths, b.path)
	return true
}

// operand returns the value in a slot, which may be a global.
func (b *pathBuilder) operand(slot uint32) (int, bool) {
	if r, ok := b.slots[slot]; ok {
		return r, true
	}
	w, ok := b.globals[slot]
	if !ok {
		if w, ok = b.constant(slot); !ok {
			return 0, false
		}
		b.globals[slot] = w
	}
	return b.value(w), true
}

// constant returns the wire of a global.
func (b *pathBuilder) constant(slot uint32) (wire, bool) {
	if slot >= uint32(b.c.out.NumGlobals()) {
		return wire{}, false
	}
	if g := b.c.out.Global(slot); g.Kind == graph.Closure {
		return wire{kind: closureWire, tmpl: g.Index}, true
	}
	return b.wire(slot)
}

// began counts a template.
func (b *pathBuilder) began(id uint32) bool {
	t := &b.prog.Templates[id]
	b.anyFamilies = b.anyFamilies || t.Families
	b.path.Templates = append(b.path.Templates, id)
	b.path.Steps += t.Steps
	return !t.Families || b.arrays != nil
}

// families runs a template with families.
func (b *pathBuilder) families(id uint32, values []int, into int) bool {
	t, a := &b.c.out.Templates[id], b.arrays
	a.enter(id)
	for i, v := range values {
		w := b.nodes[v].wire
		if w.kind == tailWire {
			return false
		}
		a.at[t.Cap0+uint32(i)] = b.c.fixedWire(w)
	}
	w, ok := a.body(t)
	a.ended = slices.ContainsFunc(a.cells, func(c graph.ArrayCell) bool { return c.Late != 0 })
	if ok {
		b.settle(into, a.fixed(&w))
	}
	return ok
}

// computeArrays is compute where there are arrays.
func (b *pathBuilder) computeArrays(in *graph.Instr, wires []wire) (w wire, ok bool) {
	a := b.arrays
	for i, s := range b.c.out.Operands(in) {
		a.at[s] = b.c.fixedWire(wires[i])
	}
	if b.c.err != nil || !a.instr(in) {
		return w, false
	}
	d := a.at[in.D]
	return a.fixed(&d), true
}

// branch is rule (13): the path decides which branch is instantiated.
func (b *pathBuilder) branch(r int) bool {
	n := &b.nodes[r]
	if n.in.Op != graph.OpIf {
		return false
	}
	x, y := b.nodes[n.ops[0]].wire, b.nodes[n.ops[1]].wire
	if b.arrays != nil || x.kind != graph.NumLeaf || y.kind != graph.NumLeaf {
		return false
	}
	at := &b.tree[b.at]
	if at.test == nil {
		at.done, at.test = true, &graph.PathTest{Cmp: n.in.Cmp, A: x.reg, B: y.reg}
	}
	if b.depth == len(b.outcomes) {
		b.outcomes = append(b.outcomes, true)
	}
	holds := b.outcomes[b.depth]
	b.depth++
	child := at.then
	if !holds {
		child = at.no
	}
	if child < 0 {
		child = len(b.tree)
		if holds {
			at.then = child
		} else {
			at.no = child
		}
		b.tree = append(b.tree, pathNode{then: -1, no: -1})
	}
	b.at, b.next = child, 0
	id, ops := n.in.Tmpl, n.ops[2:n.in.Split]
	if !holds {
		id, ops = n.in.Else, n.ops[n.in.Split:]
	}
	return b.instantiate(id, ops, r)
}

// apply is rule (1).
func (b *pathBuilder) apply(r int) bool {
	n := &b.nodes[r]
	f := b.nodes[n.ops[0]].wire
	args := slices.Clone(n.ops[1:])
	if f.kind == tailWire && f.parts == nil && len(args) == 1 {
		b.tails++
		b.settle(r, wire{kind: tailWire, parts: []wire{b.nodes[args[0]].wire}})
		return true
	}
	if f.kind != closureWire {
		return false
	}
	t := &b.c.out.Templates[f.tmpl]
	if t.Group != nil {
		return false
	}
	had := len(f.args)
	bound := min(len(args), int(t.Params)-had)
	b.path.Applied += uint64(bound)
	b.path.Steps += 2 * uint64(bound)
	if had+len(args) < int(t.Params) {
		f.args = slices.Clone(f.args)
		for _, a := range args {
			f.args = append(f.args, b.nodes[a].wire)
		}
		b.settle(r, f)
		return true
	}
	into, rest := r, args[bound:]
	if len(rest) > 0 {
		into = b.add(evaluated{})
		b.wait(r, graph.Apply, nil, append([]int{into}, rest...))
		b.await(r, into)
	}
	var values []int
	for _, w := range f.parts {
		values = append(values, b.value(w))
	}
	for _, w := range f.args {
		values = append(values, b.value(w))
	}
	return b.instantiate(f.tmpl, append(values, args[:bound]...), into)
}

// component returns component k of an opened tuple.
func (b *pathBuilder) component(in *graph.Instr, w wire, k int) (wire, bool) {
	if w.kind == tailWire {
		return w, false
	}
	if in.Op != graph.OpUntuple {
		return w.parts[k], true
	}
	for range k {
		w = w.parts[1]
	}
	if k+1 < int(in.N) {
		w = w.parts[0]
	}
	return w, true
}

// compute runs an instruction on values.
func (b *pathBuilder) compute(in *graph.Instr, ops []int) (w wire, ok bool) {
	wires := b.wiresOf(ops)
	if slices.ContainsFunc(wires, func(w wire) bool { return w.kind == tailWire }) { // what it comes to is not known
		return w, false
	}
	if b.arrays != nil {
		return b.computeArrays(in, wires)
	}
	switch in.Op {
	case graph.OpMul, graph.OpAdd, graph.OpSub, graph.OpFun1, graph.OpFun2:
		d := b.pathRegister()
		if at := &b.tree[b.at]; !at.done {
			at.code = append(at.code, graph.BlockInstr{Op: blockOps[in.Op], Sym: in.Sym, D: d, A: wires[0].reg, B: wires[len(wires)-1].reg})
		}
		return wire{kind: graph.NumLeaf, reg: d}, true
	case graph.OpPair:
		return wire{kind: graph.PairLayout, parts: wires}, true
	case graph.OpVec:
		return wire{kind: graph.VecLayout, parts: wires}, true
	case graph.OpClosure:
		return wire{kind: closureWire, tmpl: in.Tmpl, parts: wires}, true
	case graph.OpDual:
		id := b.c.out.Duals[in.Tmpl].Body
		cell := graph.BlockCell{Body: id, Dual: in.Tmpl, Template: len(b.path.Templates) - 1, Null: b.c.out.IsNull(in.Tmpl)}
		for i, w := range wires {
			if uint32(i) < b.c.out.Bodies[id].Heads {
				cell.Heads = append(cell.Heads, w.dual)
			} else {
				cell.Nums = append(cell.Nums, w.reg)
			}
		}
		b.path.Cells = append(b.path.Cells, cell)
		return wire{kind: graph.DualLeaf, dual: int32(len(b.path.Cells) - 1)}, true
	}
	return w, false
}

// pathRegister returns the next register of the node of the tree.
func (b *pathBuilder) pathRegister() uint32 {
	at := &b.tree[b.at]
	if b.next == len(at.regs) {
		at.regs = append(at.regs, b.register())
	}
	b.next++
	return at.regs[b.next-1]
}

// finish makes the block of its paths, and reports whether its rules touch few nodes.
func (b *pathBuilder) finish() bool {
	if b.arrays != nil {
		return b.arrays.finish(b.c.fixedWire(b.results[0]))
	}
	b.orderExternals()
	head := b.out
	least := b.paths[0].Steps
	for i, p := range b.paths {
		least = min(least, p.Steps)
		for j := range p.Cells {
			heads := p.Cells[j].Heads
			for k := range heads {
				heads[k] = b.renumber(heads[k])
			}
		}
		if !b.leavesOfResult(p, b.results[i]) {
			return false
		}
	}
	nodes := 2 * len(b.paths[0].Out.Layout)
	for _, l := range b.out.Params {
		nodes += len(l.Layout)
	}
	if uint64(nodes) > leavesPerStep*least+fewLeaves {
		return false
	}
	head.Steps, head.Out, head.OutDuals = least, b.paths[0].Out, b.paths[0].OutDuals
	// All code, as one, for what looks at the uses of a register.
	all := &graph.Block{Regs: head.Regs}
	var ends []int
	var tests []*graph.PathTest
	for i := range b.tree {
		n := &b.tree[i]
		all.Code = append(all.Code, n.code...)
		ends = append(ends, len(all.Code))
		if n.test != nil {
			tests = append(tests, n.test)
		}
	}
	for _, p := range b.paths {
		all.Cells = append(all.Cells, p.Cells...)
		all.Out.Regs = append(all.Out.Regs, p.Out.Regs...)
	}
	dead := accumulate(all, tests...)
	regs := all.Out.Regs // renamed
	for _, p := range b.paths {
		p.Out.Regs, regs = regs[:len(p.Out.Regs)], regs[len(p.Out.Regs):]
	}
	head.Out.Regs = b.paths[0].Out.Regs
	slopes(all, b.c.out.Bodies)
	head.Regs = all.Regs
	from := 0
	for i, end := range ends {
		b.tree[i].code = alive(all.Code[from:end], dead[from:end])
		from = end
	}
	if len(b.paths) > 1 {
		head.State = head.Regs
		head.Regs++
	}
	b.link(0, nil, new(int))
	head.SetPaths(b.paths)
	return true
}

// leavesOfResult sets the result of a path, and reports whether it is one without functions.
func (b *pathBuilder) leavesOfResult(p *graph.Block, w wire) bool {
	for stack := []wire{w}; len(stack) > 0; {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		switch w.kind {
		case closureWire, tailWire:
			return false
		case graph.NumLeaf:
			p.Out.Regs = append(p.Out.Regs, w.reg)
		case graph.DualLeaf:
			p.OutDuals = append(p.OutDuals, b.renumber(w.dual))
			p.Out.Duals++
		}
		p.Out.Layout = append(p.Out.Layout, graph.LayoutNode{Kind: w.kind, N: uint32(len(w.parts))})
		for i := len(w.parts) - 1; i >= 0; i-- {
			stack = append(stack, w.parts[i])
		}
	}
	return true
}

// link adds the nodes from number i on to the block, in the order in which the paths were made, and gives each path its code.
// It returns the number of the first.
func (b *pathBuilder) link(i int, code []graph.BlockInstr, path *int) int {
	n := &b.tree[i]
	code = append(slices.Clip(code), n.code...)
	at := len(b.out.Tree)
	b.out.Tree = append(b.out.Tree, graph.PathNode{Code: n.code, Test: n.test, Path: *path})
	if n.test == nil {
		b.paths[*path].Code = code
		*path++
		return at
	}
	then := b.link(n.then, code, path)
	no := b.link(n.no, code, path)
	b.out.Tree[at].Then, b.out.Tree[at].Else = then, no
	return at
}
