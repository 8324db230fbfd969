// Package block compiles templates further, to blocks: straight-line code on registers of numbers, for each λ whose body
// is arithmetic. Where a body has families its block works on arrays. While it runs, the machine asks for
// blocks with paths, of functions whose branches only the run knows.
package block

import (
	"maps"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// maxBlock bounds the instructions of a block, maxTemplates its templates: each λ of a
// chain in which every λ returns the next may have a block, and the time to make them is
// linear in the length of the chain.
const (
	maxBlock     = 1 << 20
	maxTemplates = 8
)

// A block copies the leaves of what it takes and gives, where its templates copy a
// reference to the whole. So that a rule stays O(1), the nodes of its layouts are at most
// leavesPerStep for each step of its templates and fewLeaves more; a λ that takes or
// returns larger tuples without opening them has no block.
const (
	leavesPerStep = 4
	fewLeaves     = 32
)

// Source is a program whose templates have been compiled.
type Source struct {
	Program *graph.Program // its Reversed and Open say what it is
	Types   *term.Types
	// SlotTypes are, of each template, the types of its captured variables and parameters.
	SlotTypes [][]term.Type
	Families  map[uint32]*Families // of templates with families
	// Check, if not nil, is called at least every 2¹² instructions; its error ends the work.
	Check func() error
}

// MissingError is a [graph.ErrFamilies]: these templates with families, or that make elements of a list, have no block.
type MissingError struct{ Templates []uint32 }

func (e *MissingError) Error() string { return graph.ErrFamilies.Error() }
func (e *MissingError) Unwrap() error { return graph.ErrFamilies }

// Compile makes the blocks of a program, and lets the machine make blocks with paths while it runs.
// The error is Check's, or a [*MissingError] if a template with families has no block.
func Compile(src Source) error {
	c := &compiler{types: src.Types, out: src.Program, slotTypes: src.SlotTypes, families: src.Families, ask: src.Check}
	if err := c.blocks(); err != nil {
		return err
	}
	c.specialize()
	return nil
}

type compiler struct {
	types     *term.Types
	out       *graph.Program
	slotTypes [][]term.Type
	families  map[uint32]*Families
	ask       func() error
	err       error
	units     int // the wires of arrays that have been made
}

// checkEvery is how many instructions pass between two calls of Check.
const checkEvery = 1 << 12

// check calls Check at each unit of a loop that is a multiple of checkEvery, and reports whether the compilation goes on.
func (c *compiler) check(unit int) bool {
	if unit%checkEvery == 0 && c.ask != nil && c.err == nil {
		c.err = c.ask()
	}
	return c.err == nil
}

// blocks makes a block of each λ whose body is straight-line arithmetic.
func (c *compiler) blocks() error {
	c.out.Blocks = make([]*graph.Block, 1)
	missing := &MissingError{}
	for i := range c.out.Templates {
		t := &c.out.Templates[i]
		main := uint32(i) == c.out.Main
		if t.Params == 0 && t.Families && !main && !t.Inline {
			missing.Templates = append(missing.Templates, uint32(i))
			continue
		}
		if t.Params == 0 && !t.Families {
			continue
		}
		if !c.check(0) {
			return c.err
		}
		if c.returnsFamilies(uint32(i)) {
			b, ok := c.arrayBlock(uint32(i))
			switch {
			case c.err != nil:
				return c.err
			case ok:
				t.Block = c.addBlock(b)
			case t.Families:
				missing.Templates = append(missing.Templates, uint32(i))
			}
			continue
		}
		b := &blockBuilder{c: c, out: &graph.Block{Regs: 1},
			wires: make(map[uint32]wire, t.End-t.Start)}
		built := b.build(uint32(i))
		if c.err != nil {
			return c.err
		}
		if built {
			dead := accumulate(b.out)
			b.out.Code = alive(b.out.Code, dead)
			slopes(b.out, c.out.Bodies)
			t.Block = c.addBlock(b.out)
		}
	}
	for i := range c.out.Templates { // an element that is a function has more parameters than its index
		t := &c.out.Templates[i]
		if t.Elements == 0 || t.Block == 0 || len(c.out.Blocks[t.Block].Params) == 1 {
			continue
		}
		if t.Block = 0; t.Families {
			missing.Templates = append(missing.Templates, uint32(i))
		}
	}
	if len(missing.Templates) > 0 {
		return missing
	}
	return nil
}

func (c *compiler) addBlock(b *graph.Block) uint32 {
	b.ID = uint32(len(c.out.Blocks))
	c.out.Blocks = append(c.out.Blocks, b)
	return b.ID
}

// returnsFamilies reports whether a template has families, or returns the closure of one that has, and so on.
func (c *compiler) returnsFamilies(id uint32) bool {
	for n, ok := 0, true; ok && n < maxTemplates; n++ {
		t := &c.out.Templates[id]
		if t.Families {
			return true
		}
		id, ok = c.returned(t)
	}
	return false
}

// returned is the template whose closure a template returns, if it returns one.
func (c *compiler) returned(t *graph.Template) (id uint32, ok bool) {
	if t.RootAt == graph.NoRoot || c.out.Code[t.RootAt].Op != graph.OpClosure {
		return 0, false
	}
	return c.out.Code[t.RootAt].Tmpl, true
}

// wire is what a slot of the template stands for in a block.
type wire struct {
	kind  graph.LayoutKind
	reg   uint32 // of a number
	dual  int32  // of a dual
	parts []wire // of a tuple, or what a closure captures
	tmpl  uint32 // of a closure
	args  []wire // that a closure has been applied to
}

// closureWire is a closure of a template.
const closureWire graph.LayoutKind = 255

type blockBuilder struct {
	c           *compiler
	t           *graph.Template
	out         *graph.Block
	wires       map[uint32]wire
	leaves      uint64 // nodes of the layouts
	arrays      []inputArray
	globalDuals []span  // the external duals that are globals, as they were met
	final       []int32 // the final numbers of external duals
}

// build makes the block of a template, and of those whose closures it returns, or
// reports that there is none.
func (b *blockBuilder) build(id uint32) bool {
	b.count(id)
	var captured []wire
	for _, typ := range b.c.slotTypes[id][:b.c.out.Templates[id].Caps] {
		l, w, ok := b.leavesOf(typ)
		if !ok {
			return false
		}
		b.out.Caps = append(b.out.Caps, l)
		captured = append(captured, w)
	}
	for {
		w, ok := b.template(id, captured)
		if !ok || w.kind != closureWire {
			return ok && b.result(w)
		}
		if len(b.out.Templates) == maxTemplates {
			return false
		}
		id, captured = w.tmpl, w.parts
		b.count(id)
	}
}

// count counts a template among the block's.
func (b *blockBuilder) count(id uint32) {
	b.out.Templates = append(b.out.Templates, id)
	b.out.Steps += b.c.out.Templates[id].Steps
}

// room returns how many nodes the block's layouts may have.
func (b *blockBuilder) room() uint64 { return leavesPerStep*b.out.Steps + fewLeaves }

// leaf counts a node of a layout, and reports whether there is room for it.
func (b *blockBuilder) leaf() bool {
	b.leaves++
	return b.leaves <= b.room() && b.c.check(int(b.leaves))
}

// template adds the parameters and the code of a template to the block, and returns
// its result.
func (b *blockBuilder) template(id uint32, captured []wire) (w wire, ok bool) {
	t := &b.c.out.Templates[id]
	if t.Group != nil {
		return w, false
	}
	b.t = t
	// Frames overlap: of the last template, the globals stay.
	maps.DeleteFunc(b.wires, func(slot uint32, _ wire) bool { return slot >= t.Cap0 })
	for i, w := range captured {
		b.wires[t.Cap0+uint32(i)] = w
	}
	for i, typ := range b.c.slotTypes[id][t.Caps:] {
		l, w, ok := b.leavesOf(typ)
		if !ok {
			return w, false
		}
		b.wires[t.Param0+uint32(i)] = w
		b.out.Params = append(b.out.Params, l)
	}
	code := b.c.out.Code[t.Start:t.End]
	if len(b.out.Code)+len(code) > maxBlock {
		return w, false
	}
	for i := range code {
		if !b.c.check(i + 1) {
			return w, false
		}
		if code[i].Flags&graph.Ready == 0 || !b.instr(&code[i]) {
			return w, false
		}
	}
	return b.wire(t.Result)
}

// leavesOf makes the registers and wires of a value of the type. A dual's number is
// provisional: see orderExternals.
func (b *blockBuilder) leavesOf(typ term.Type) (l graph.Leaves, w wire, ok bool) {
	tt := b.c.types
	// The types that are left, and where their wires go.
	type hole struct {
		typ term.Type
		at  *wire
	}
	for stack := []hole{{typ, &w}}; len(stack) > 0; {
		h := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if h.typ == 0 || !b.leaf() {
			return l, w, false
		}
		switch tt.Kind(h.typ) {
		case term.RKind:
			h.at.kind, h.at.reg = graph.NumLeaf, b.register()
			l.Regs = append(l.Regs, h.at.reg)
			l.Layout = append(l.Layout, graph.LayoutNode{Kind: graph.NumLeaf})
		case term.DualKind:
			if !b.c.out.Reversed { // a hand-written dual is no cell
				return l, w, false
			}
			h.at.kind, h.at.dual = graph.DualLeaf, ^int32(b.out.Exts)
			b.out.Exts++
			l.Duals++
			l.Layout = append(l.Layout, graph.LayoutNode{Kind: graph.DualLeaf})
		case term.ProdKind, term.VecKind:
			comps := []term.Type{tt.Left(h.typ), tt.Right(h.typ)}
			h.at.kind = graph.PairLayout
			if tt.Kind(h.typ) == term.VecKind {
				if uint64(tt.Len(h.typ)) > b.room() {
					return l, w, false
				}
				h.at.kind = graph.VecLayout
				comps = make([]term.Type, tt.Len(h.typ))
				for i := range comps {
					comps[i] = tt.Left(h.typ)
				}
			}
			l.Layout = append(l.Layout, graph.LayoutNode{Kind: h.at.kind, N: uint32(len(comps))})
			h.at.parts = make([]wire, len(comps))
			for i := len(comps) - 1; i >= 0; i-- {
				stack = append(stack, hole{comps[i], &h.at.parts[i]})
			}
		default:
			return l, w, false
		}
	}
	return l, w, true
}

func (b *blockBuilder) register() uint32 {
	b.out.Regs++
	return b.out.Regs - 1
}

// wire returns what the slot stands for: a result of the template, or a global.
func (b *blockBuilder) wire(slot uint32) (wire, bool) {
	if w, ok := b.wires[slot]; ok {
		return w, true
	}
	if slot >= b.t.Cap0 {
		return wire{}, false
	}
	for stack := []uint32{slot}; len(stack) > 0; {
		s := stack[len(stack)-1]
		g := b.c.out.Global(s)
		if n := len(stack); g.Kind == graph.Pair {
			for _, k := range g.Comps {
				if _, ok := b.wires[k]; !ok {
					stack = append(stack, k)
				}
			}
			if len(stack) > n {
				continue
			}
		}
		stack = stack[:len(stack)-1]
		if !b.global(s, &g) {
			return wire{}, false
		}
	}
	return b.wires[slot], true
}

// global makes the wire of a global; the components of a pair have theirs.
func (b *blockBuilder) global(slot uint32, g *graph.Global) bool {
	var w wire
	switch g.Kind {
	case graph.Num, graph.SymInput:
		if i, input := b.c.out.InputAt(slot); input {
			w = wire{kind: graph.NumLeaf, reg: uint32(b.inputArray(i, 1, false))}
		} else {
			w = wire{kind: graph.NumLeaf, reg: b.register()}
			b.out.Consts = append(b.out.Consts, graph.Const{Reg: w.reg, Val: g.Val})
		}
	case graph.Input:
		i, _ := b.c.out.InputAt(slot)
		w = wire{kind: graph.DualLeaf, dual: ^int32(b.inputArray(i, 1, true))}
	case graph.Pair:
		w = wire{kind: graph.PairLayout, parts: []wire{b.wires[g.Comps[0]], b.wires[g.Comps[1]]}}
	default:
		return false
	}
	b.wires[slot] = w
	return true
}

// span are n numbers from first on.
type span struct{ first, n int }

// inputArray are n inputs in a block, side by side: their numbers in registers, or their external duals.
type inputArray struct {
	first, n int
	dual     bool
	at       int // the first register or external dual
}

// inputArray returns where n inputs are in the block, and puts them there if they are not yet.
func (b *blockBuilder) inputArray(first, n int, dual bool) int {
	for i := range b.arrays {
		if a := &b.arrays[i]; a.dual == dual && a.first <= first && first+n <= a.first+a.n {
			return a.at + first - a.first
		}
	}
	slot, stride := b.c.out.InputSlot(first)
	leaf := graph.GlobalLeaf{Slot: slot, N: uint32(n), Stride: stride}
	at := int(b.out.Regs)
	if dual {
		at = b.out.Exts
		b.globalDuals = append(b.globalDuals, span{at, n})
		b.out.Exts += n
		leaf.Slot++
	} else {
		leaf.Reg = b.out.Regs
		b.out.Regs += uint32(n)
	}
	b.out.Globals = append(b.out.Globals, leaf)
	if n > 1 {
		b.arrays = append(b.arrays, inputArray{first, n, dual, at})
	}
	return at
}

// orderExternals numbers the external duals anew: those of the captured variables, of
// the globals and of the parameters, each in the order in which they were met. In a
// block of several templates a global may be met before a parameter.
func (b *blockBuilder) orderExternals() {
	caps := 0
	for _, l := range b.out.Caps {
		caps += l.Duals
	}
	b.final = make([]int32, b.out.Exts)
	global, param := caps, caps
	for _, s := range b.globalDuals {
		param += s.n
	}
	number := func(first, n int, next *int) {
		for k := range n {
			b.final[first+k] = int32(*next + k)
		}
		*next += n
	}
	k := 0
	number(0, caps, &k)
	for _, s := range b.globalDuals {
		number(k, s.first-k, &param)
		number(s.first, s.n, &global)
		k = s.first + s.n
	}
	number(k, b.out.Exts-k, &param)
	for i := range b.out.Cells {
		heads := b.out.Cells[i].Heads
		for j := range heads {
			heads[j] = b.renumber(heads[j])
		}
	}
}

// renumber gives a dual its final number.
func (b *blockBuilder) renumber(w int32) int32 {
	if w >= 0 {
		return w
	}
	return ^b.final[^w]
}

// result sets the block's result, and reports whether it is one without functions, and
// not too large.
func (b *blockBuilder) result(w wire) bool {
	b.orderExternals()
	out := &b.out.Out
	for stack := []wire{w}; len(stack) > 0; {
		w := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if w.kind == closureWire || !b.leaf() {
			return false
		}
		out.Layout = append(out.Layout, graph.LayoutNode{Kind: w.kind, N: uint32(len(w.parts))})
		switch w.kind {
		case graph.NumLeaf:
			out.Regs = append(out.Regs, w.reg)
		case graph.DualLeaf:
			b.out.OutDuals = append(b.out.OutDuals, b.renumber(w.dual))
			out.Duals++
		}
		for i := len(w.parts) - 1; i >= 0; i-- {
			stack = append(stack, w.parts[i])
		}
	}
	return true
}
