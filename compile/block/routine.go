package block

import (
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// Bounds of a routine.
const (
	maxRoutinePaths = 256
	maxFlat         = 8  // the leaves of an argument or a result that is in registers
	maxInLine       = 16 // the instructions of a λ whose code is put in line
)

// routines makes the routines of a program: see [graph.Program.Routine].
type routines struct {
	c     *compiler
	of    map[uint32]*graph.Routine
	none  map[uint32]bool // templates without a routine
	fresh []uint32        // those of the routines that are made
	table graph.RoutineTable
}

// routines lets the machine make routines while it runs.
func (c *compiler) routines(small *compiler) {
	s := &routines{c: small, of: map[uint32]*graph.Routine{}, none: map[uint32]bool{}}
	s.table.Calls = []*graph.RoutineCall{nil}
	c.out.SetRoutines(s.get)
}

// get returns the routine of a template, with those that it calls. Where one of these cannot be made, its calls are left to the machine.
func (s *routines) get(id uint32) (*graph.Routine, graph.RoutineTable) {
	for s.fresh = s.fresh[:0]; s.callee(id) != nil && len(s.fresh) > 0; {
		for i := 0; i < len(s.fresh); i++ {
			b := &routineBuilder{all: s, out: s.of[s.fresh[i]]}
			b.prog, b.on = s.c.out, b
			if !b.build() {
				s.none[s.fresh[i]] = true
				break
			}
			if i+1 == len(s.fresh) {
				s.number()
				return s.of[id], s.table
			}
		}
		for _, id := range s.fresh {
			delete(s.of, id)
		}
		s.fresh = s.fresh[:0]
	}
	return s.of[id], s.table
}

// number numbers the entries and calls of the routines that have been made.
func (s *routines) number() {
	s.table.Compiled = new(graph.Compiled)
	for _, id := range s.fresh {
		r := s.of[id]
		for i := range r.Code {
			if in := &r.Code[i]; in.Op == graph.RoutineEnter || in.Op == graph.RoutineCount {
				in.A += uint32(len(s.table.Entries))
			}
		}
		s.table.Entries = append(s.table.Entries, r.Entries...)
		s.table.Routines = append(s.table.Routines, r)
		s.table.Size = max(s.table.Size, r.Size)
		for _, c := range r.Calls {
			c.Number = uint32(len(s.table.Calls))
			s.table.Calls = append(s.table.Calls, c)
		}
	}
}

// callee returns the routine of a template, which may have to be built yet; nil if there is none.
func (s *routines) callee(id uint32) *graph.Routine {
	t := &s.c.out.Templates[id]
	if t.Params == 0 || t.Block != 0 || t.Families || s.none[id] {
		return nil
	}
	r := s.of[id]
	if r == nil {
		r = &graph.Routine{Template: id, Recursive: t.Group != nil, Result: s.c.flat(t.Type)}
		for _, typ := range s.c.slotTypes[id][t.Caps:] {
			r.Params = append(r.Params, s.c.flat(typ))
		}
		s.of[id] = r
		s.fresh = append(s.fresh, id)
	}
	return r
}

// flat returns how an argument or a result of the type is in registers.
func (c *compiler) flat(typ term.Type) (l graph.Layout) {
	tt := c.types
	for stack := []term.Type{typ}; len(stack) > 0; {
		typ := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		n := graph.LayoutNode{Kind: graph.RefLeaf}
		switch tt.Kind(typ) {
		case term.RKind:
			n.Kind = graph.NumLeaf
		case term.ProdKind:
			n = graph.LayoutNode{Kind: graph.PairLayout, N: 2}
			stack = append(stack, tt.Right(typ), tt.Left(typ))
		}
		if l = append(l, n); len(l) >= 2*maxFlat {
			return graph.Layout{{Kind: graph.RefLeaf}}
		}
	}
	return l
}

// routineBuilder makes the code of a λ by evaluating its body on registers, once for each path that the outcomes of its conditionals and
// matches select.
type routineBuilder struct {
	evaluation
	all  *routines
	out  *graph.Routine
	tree []routineNode

	// The path that is made:
	outcomes  []int // of its conditionals and matches
	arity     []int // and how many each may have
	at        int   // the node of the tree
	size      uint32
	units     uint32
	live      []uint32 // the registers that have references
	depth     int
	tail      bool
	loaded    map[uint32]uint32 // of references: the numbers there
	boxed     map[uint32]uint32 // of numbers: their nodes
	opened    map[uint32][]wire // of references to tuples: the components
	closures  map[uint32]uint32 // of closures, by their numbers: the objects
	captures  map[uint32]uint32 // the captured references
	globals   map[uint32]uint32 // of globals: the references
	constants map[uint32]uint32 // of globals: the numbers
	made      uint32            // closures
}

// routineNode is the code between two conditionals. Paths that have a node in common are evaluated again from the beginning.
type routineNode struct {
	code     []graph.RoutineInstr
	done     bool
	children []int
	entry    graph.RoutineEntry
}

// The wires of a routine, besides numbers, tuples and closures: a reference in a register, a captured one, a global, and a function that
// is defined together with the routine's. The reg of a closure is its number.
const (
	refWire graph.LayoutKind = 250 + iota
	captureWire
	globalWire
	memberWire
)

// build makes the code, or reports that there is none.
func (b *routineBuilder) build() bool {
	b.tree = []routineNode{{}}
	call := &b.tree[0].entry
	call.Applied = uint64(len(b.out.Params))
	if b.out.Recursive {
		call.Unfolds = 1
	}
	for {
		if !b.path() {
			return false
		}
		b.out.Size, b.out.Units = max(b.out.Size, b.size), max(b.out.Units, b.units)
		n := len(b.outcomes)
		for n > 0 && b.outcomes[n-1] == b.arity[n-1]-1 {
			n--
		}
		if n == 0 {
			break
		}
		b.outcomes, b.arity = b.outcomes[:n], b.arity[:n]
		b.outcomes[n-1]++
		if len(b.tree) > maxRoutinePaths {
			return false
		}
	}
	for _, n := range b.tree {
		if steps := b.steps(&n.entry); steps != int64(int32(steps)) {
			return false
		}
	}
	b.link(0)
	keep(b.out)
	return true
}

// steps returns how many steps an entry counts.
func (b *routineBuilder) steps(e *graph.RoutineEntry) int64 {
	n := 2*e.Applied + e.Unfolds + e.Names
	for _, id := range e.Templates {
		n += b.prog.Templates[id].Steps
	}
	return int64(n)
}

// path makes the path of b.outcomes, and of the first outcome of each further conditional.
func (b *routineBuilder) path() bool {
	id := b.out.Template
	t := &b.prog.Templates[id]
	b.at, b.size, b.units, b.depth, b.tail, b.made = 0, 2, 0, 0, false, 0
	b.live = []uint32{1}
	b.loaded, b.boxed, b.opened, b.closures = map[uint32]uint32{}, map[uint32]uint32{}, map[uint32][]wire{}, map[uint32]uint32{}
	b.captures, b.globals, b.constants = map[uint32]uint32{}, map[uint32]uint32{}, map[uint32]uint32{}
	b.start()
	var values []int
	for i := range t.Caps {
		values = append(values, b.value(wire{kind: captureWire, reg: i}))
	}
	for _, l := range b.out.Params {
		values = append(values, b.value(b.leaves(l)))
	}
	b.out.Live = slices.Clone(b.live)
	for _, member := range t.Group {
		values = append(values, b.value(wire{kind: memberWire, tmpl: member}))
	}
	root := b.add(evaluated{})
	if !b.instantiate(id, values, root) {
		return false
	}
	w, ok := b.finish(root)
	if !ok {
		return false
	}
	if !b.tail {
		r, ok := b.registers([]graph.Layout{b.out.Result}, []wire{w})
		if !ok {
			return false
		}
		if !b.tree[b.at].done {
			b.emit(graph.RoutineInstr{Op: graph.RoutineReturn, A: uint32(len(b.out.Returns))})
			b.out.Returns = append(b.out.Returns, r)
		}
	}
	b.tree[b.at].done = true
	return true
}

// link adds the code of a node of the tree, and of those behind it. It returns where the code begins.
func (b *routineBuilder) link(i int) uint32 {
	n := &b.tree[i]
	at := uint32(len(b.out.Code))
	if len(n.entry.Templates) > 0 {
		op := graph.RoutineCount
		if i == 0 {
			op = graph.RoutineEnter
		}
		b.out.Code = append(b.out.Code, graph.RoutineInstr{Op: op, A: uint32(len(b.out.Entries)), B: uint32(b.steps(&n.entry))})
		b.out.Entries = append(b.out.Entries, n.entry)
	}
	for _, in := range n.code {
		b.out.Code = append(b.out.Code, in)
		if in.Op == graph.RoutineInvoke || in.Op == graph.RoutineTail {
			b.out.Calls[in.A].At = uint32(len(b.out.Code))
		}
	}
	jump, first := len(b.out.Code)-1, len(b.out.Targets)
	if b.out.Code[jump].Op == graph.RoutineMatch {
		b.out.Code[jump].D, b.out.Code[jump].B = uint32(first), uint32(len(n.children))
		b.out.Targets = append(b.out.Targets, make([]uint32, len(n.children))...)
	}
	for k, child := range n.children {
		to := b.link(child)
		if b.out.Code[jump].Op == graph.RoutineMatch {
			b.out.Targets[first+k] = to
		} else {
			b.out.Code[jump].D = to // the last is the second
		}
	}
	return at
}

func (b *routineBuilder) emit(in graph.RoutineInstr) {
	if at := &b.tree[b.at]; !at.done {
		at.code = append(at.code, in)
	}
}

// toNumber emits an instruction whose result is a number.
func (b *routineBuilder) toNumber(in graph.RoutineInstr) uint32 {
	in.D = b.size
	b.size++
	b.emit(in)
	return in.D
}

// toRefs emits an instruction whose result are n references, and which allocates so many nodes. It returns the first.
func (b *routineBuilder) toRefs(in graph.RoutineInstr, n, units uint32) uint32 {
	in.D = b.size
	for range n {
		b.newRef()
	}
	b.units += units
	b.emit(in)
	return in.D
}

// newRef makes a register for a reference.
func (b *routineBuilder) newRef() uint32 {
	b.live = append(b.live, b.size)
	b.size++
	return b.size - 1
}

// memo returns what the map has at the key, or makes it.
func memo(of map[uint32]uint32, key uint32, f func() uint32) uint32 {
	v, ok := of[key]
	if !ok {
		v = f()
		of[key] = v
	}
	return v
}

// number returns the register of a number.
func (b *routineBuilder) number(w wire) (uint32, bool) {
	switch w.kind {
	case graph.NumLeaf:
		return w.reg, true
	case globalWire:
		return memo(b.constants, w.reg, func() uint32 {
			if _, input := b.prog.InputAt(w.reg); input {
				return b.toNumber(graph.RoutineInstr{Op: graph.RoutineInput, A: w.reg})
			}
			d := b.toNumber(graph.RoutineInstr{Op: graph.RoutineConst, A: uint32(len(b.out.Consts))})
			if !b.tree[b.at].done {
				b.out.Consts = append(b.out.Consts, b.prog.Global(w.reg).Val)
			}
			return d
		}), b.prog.Global(w.reg).Kind == graph.Num
	case refWire, captureWire:
		r, _ := b.ref(w)
		return memo(b.loaded, r, func() uint32 {
			d := b.toNumber(graph.RoutineInstr{Op: graph.RoutineLoad, A: r})
			b.boxed[d] = r
			return d
		}), true
	}
	return 0, false
}

// ref returns the register of a reference to what the wire stands for, which may have to be made.
func (b *routineBuilder) ref(w wire) (r uint32, ok bool) {
	if len(w.args) > 0 {
		return 0, false
	}
	switch w.kind {
	case refWire:
		return w.reg, true
	case captureWire:
		return memo(b.captures, w.reg, func() uint32 {
			return b.toRefs(graph.RoutineInstr{Op: graph.RoutineCapture, A: w.reg}, 1, 0)
		}), true
	case globalWire:
		return memo(b.globals, w.reg, func() uint32 {
			return b.toRefs(graph.RoutineInstr{Op: graph.RoutineGlobal, A: w.reg}, 1, 0)
		}), true
	case graph.NumLeaf:
		return memo(b.boxed, w.reg, func() uint32 {
			return b.toRefs(graph.RoutineInstr{Op: graph.RoutineNumber, A: w.reg}, 1, 1)
		}), true
	case memberWire:
		caps := b.prog.Templates[w.tmpl].Caps
		return b.toRefs(graph.RoutineInstr{Op: graph.RoutineMember, A: w.tmpl, B: caps}, 1, graph.Units(graph.ValueWords, int(caps))), true
	case graph.PairLayout:
		x, ok := b.ref(w.parts[0])
		y, ok2 := b.ref(w.parts[1])
		if !ok || !ok2 {
			return 0, false
		}
		return b.toRefs(graph.RoutineInstr{Op: graph.RoutinePair, A: x, B: y}, 1, 1), true
	case graph.VecLayout:
		return b.object(uint32(graph.Vec)|uint32(len(w.parts))<<graph.KindShift, graph.ValueWords, w.parts)
	case closureWire:
		if r, ok := b.closures[w.reg]; ok {
			return r, true
		}
		r, ok := b.object(uint32(graph.Closure)|w.tmpl<<graph.KindShift, graph.ValueWords, w.parts)
		b.closures[w.reg] = r
		return r, ok
	}
	return 0, false
}

// object makes an object of the wires, and returns its register.
func (b *routineBuilder) object(head uint32, header int, wires []wire) (uint32, bool) {
	o := graph.RoutineObject{Head: head, Header: uint32(header)}
	for _, w := range wires {
		r, ok := b.ref(w)
		if !ok {
			return 0, false
		}
		o.Refs = append(o.Refs, r)
	}
	o.Units = graph.Units(header, len(wires))
	return b.toRefs(graph.RoutineInstr{Op: graph.RoutineMake, A: b.addObject(o)}, 1, o.Units), true
}

func (b *routineBuilder) addObject(o graph.RoutineObject) uint32 {
	if b.tree[b.at].done {
		return 0
	}
	b.out.Objects = append(b.out.Objects, &o)
	return uint32(len(b.out.Objects) - 1)
}

// leaves makes new registers of the layout, and the wire of the value in them.
func (b *routineBuilder) leaves(l graph.Layout) wire {
	var root wire
	holes := []*wire{&root}
	for _, n := range l {
		w := holes[len(holes)-1]
		holes = holes[:len(holes)-1]
		switch n.Kind {
		case graph.NumLeaf:
			*w = wire{kind: graph.NumLeaf, reg: b.size}
			b.size++
		case graph.PairLayout:
			*w = wire{kind: graph.PairLayout, parts: make([]wire, 2)}
			holes = append(holes, &w.parts[1], &w.parts[0])
		default:
			*w = wire{kind: refWire, reg: b.newRef()}
		}
	}
	return root
}

// registers returns the registers of the leaves of values of the layouts.
func (b *routineBuilder) registers(layouts []graph.Layout, wires []wire) (r []uint32, ok bool) {
	for i, l := range layouts {
		stack := []wire{wires[i]}
		for _, n := range l {
			w := stack[len(stack)-1]
			stack = stack[:len(stack)-1]
			var reg uint32
			ok := true
			switch n.Kind {
			case graph.NumLeaf:
				reg, ok = b.number(w)
				r = append(r, reg)
			case graph.PairLayout:
				var x, y wire
				x, y, ok = b.split(w)
				stack = append(stack, y, x)
			default:
				reg, ok = b.ref(w)
				r = append(r, reg)
			}
			if !ok {
				return r, false
			}
		}
	}
	return r, true
}

// split returns the components of a pair.
func (b *routineBuilder) split(w wire) (x, y wire, ok bool) {
	switch w.kind {
	case graph.PairLayout:
		return w.parts[0], w.parts[1], true
	case globalWire:
		if g := b.prog.Global(w.reg); g.Kind == graph.Pair {
			return wire{kind: globalWire, reg: g.Comps[0]}, wire{kind: globalWire, reg: g.Comps[1]}, true
		}
		return w, w, false
	case refWire, captureWire:
		parts := b.open(w, graph.RoutineInstr{Op: graph.RoutineSplit}, 2)
		return parts[0], parts[1], true
	}
	return w, w, false
}

// open opens the tuple of n components at a reference.
func (b *routineBuilder) open(w wire, in graph.RoutineInstr, n uint32) []wire {
	in.A, _ = b.ref(w)
	parts, ok := b.opened[in.A]
	if !ok {
		first := b.toRefs(in, n, 0)
		for k := range n {
			parts = append(parts, wire{kind: refWire, reg: first + k})
		}
		b.opened[in.A] = parts
	}
	return parts
}
