package lower

import (
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// This file has literals with lists in them, such as data whose rows have lists of different lengths. They have static
// slots: a list is the number of its first element and how many it has, and the elements of all lists at one place of
// the type are the rows of one table. So such a list is a loop over a part of its table.

// shape says how values of a type lie in static slots.
type shape struct {
	typ   term.Type
	slots uint32
	// parts are the shapes of the components of a pair, or that of all components of a vector or elements of a list.
	parts []*shape
	table []float64 // of a list: its rows
	at    uint32    // and their first static slot
}

// row is a value in static slots: those from i · m + n on; without i from n on.
type row struct {
	*shape
	i    operand
	m, n uint32
}

// tables puts a literal in static slots, if it is one with lists. Otherwise it returns nil.
func (c *compiler) tables(r term.Ref) *value {
	if !c.hasList(c.types[r]) || c.sizes[r] < leastTable || !c.constants(r) {
		return nil
	}
	return c.rowOf(c.tablesOf(r))
}

// tablesOf puts a literal in static slots.
func (c *compiler) tablesOf(r term.Ref) row {
	s := c.shapeOf(c.types[r])
	slots := make([]float64, s.slots)
	c.fillSlots(s, r, slots)
	s.place(c)
	return row{shape: s, n: c.table(slots)}
}

// place gives the tables of a shape static slots.
func (s *shape) place(c *compiler) {
	for _, p := range s.parts {
		p.place(c)
	}
	if len(s.table) > 0 {
		s.at = c.table(s.table)
	}
}

// table gives numbers static slots.
func (c *compiler) table(numbers []float64) (at uint32) {
	at = uint32(c.out.Static)
	c.out.Data = append(c.out.Data, ir.Datum{Index: -1, At: c.out.Static, Data: &term.Data{Values: numbers}})
	c.out.Static += len(numbers)
	return at
}

// hasList reports whether there are lists in values of a type, and no other functions.
func (c *compiler) hasList(t term.Type) bool {
	switch types := c.t.Types; types.Kind(t) {
	case term.ProdKind:
		return c.hasList(types.Left(t)) || c.hasList(types.Right(t))
	case term.VecKind:
		return c.hasList(types.Left(t))
	}
	return c.isList(t)
}

// constants reports whether a term is a literal.
func (c *compiler) constants(r term.Ref) bool {
	switch n := &c.t.Nodes[r]; n.Op {
	case term.NumOp:
		return true
	case term.PairOp:
		return c.constants(n.A) && c.constants(n.B)
	case term.VecOp, term.ListOp:
		other := func(k term.Ref) bool { return !c.constants(k) }
		return (n.Op == term.ListOp || n.N > 0) && !slices.ContainsFunc(c.t.Children(n), other)
	}
	return false
}

// shapeOf is the shape of a type.
func (c *compiler) shapeOf(t term.Type) *shape {
	s, types := &shape{typ: t, slots: 1}, c.t.Types
	switch types.Kind(t) {
	case term.ProdKind:
		s.parts = []*shape{c.shapeOf(types.Left(t)), c.shapeOf(types.Right(t))}
		s.slots = s.parts[0].slots + s.parts[1].slots
	case term.VecKind:
		s.parts = []*shape{c.shapeOf(types.Left(t))}
		s.slots = uint32(types.Len(t)) * s.parts[0].slots
	case term.ArrowKind:
		s.parts, s.slots = []*shape{c.shapeOf(types.Left(types.Left(t)))}, 2
	}
	return s
}

// fillSlots puts a literal in slots, and the elements of its lists in their tables.
func (c *compiler) fillSlots(s *shape, r term.Ref, slots []float64) {
	switch n := &c.t.Nodes[r]; n.Op {
	case term.NumOp:
		slots[0] = n.Val
	case term.PairOp:
		c.fillSlots(s.parts[0], n.A, slots)
		c.fillSlots(s.parts[1], n.B, slots[s.parts[0].slots:])
	case term.ListOp:
		kids, w, old := c.t.Children(n), int(s.parts[0].slots), len(s.table)
		slots[0], slots[1] = float64(old/w), float64(len(kids))
		s.table = append(s.table, make([]float64, len(kids)*w)...)
		slots = s.table[old:]
		fallthrough
	case term.VecOp:
		for i, k := range c.t.Children(n) {
			c.fillSlots(s.parts[0], k, slots[i*int(s.parts[0].slots):])
		}
	}
}

// rowOf is the value of a row.
func (c *compiler) rowOf(r row) *value {
	k := tabled
	if c.isList(r.typ) {
		k = list
	}
	return &value{kind: k, typ: r.typ, row: &r}
}

// partOf is the part of a row that has a shape and begins so many slots behind its first.
func (c *compiler) partOf(r *row, s *shape, by uint32) *value {
	return c.rowOf(row{s, r.i, r.m, r.n + by})
}

// slot puts a number, or with op View a reference to the numbers, of a row in a register.
func (c *compiler) slot(r *row, op ir.Op, by uint32) ir.Reg {
	if r.i.in == nil {
		return c.pure(ir.Instr{Op: fixed[op], N: r.n + by})
	}
	return c.pure(ir.Instr{Op: indexed[op][1], B: c.use(r.i), M: r.m, N: r.n + by})
}

// fixed are operations for static slots.
var fixed = [...]ir.Op{ir.View: ir.Object, ir.Load: ir.Static}

// rowRegister puts a row that is no pair and no list in a register.
func (c *compiler) rowRegister(v *value) ir.Reg {
	switch {
	case v.typ == term.R:
		return c.slot(v.row, ir.Load, 0)
	case c.flat(v.typ):
		return c.slot(v.row, ir.View, 0)
	}
	return c.register(&value{kind: vector, typ: v.typ, parts: c.components(v, c.t.Types.Len(v.typ))})
}

// rowComponent is x_e, if the variables that e selects are rows that have equal distances; otherwise nil.
func (c *compiler) rowComponent(n *term.Node) *value {
	first := c.vars[n.X]
	if first == nil || first.row == nil {
		return nil
	}
	r, w := *first.row, uint32(0)
	for k := range term.Var(n.N) {
		v := c.vars[n.X+k]
		if v == nil || v.row == nil || v.row.shape != r.shape || v.row.i != r.i || v.row.m != r.m {
			return nil
		}
		if k == 1 {
			w = v.row.n - r.n
		}
		if v.row.n != r.n+uint32(k)*w {
			return nil
		}
	}
	e := c.index(n.Static())
	if r.i.in != nil {
		by := func(i ir.Reg, m uint32) ir.Reg {
			return c.pure(ir.Instr{Op: ir.IndexMul, A: i, B: c.constant(float64(m))})
		}
		e, w = c.pure(ir.Instr{Op: ir.IndexAdd, A: by(c.use(r.i), r.m), B: by(e, w)}), 1
	}
	r.i, r.m = c.here(e), w
	return c.rowOf(r)
}

// foldRows makes the loop over a list in a table.
func (c *compiler) foldRows(r *row, f, x *value, args []*value) *value {
	elem, known := r.parts[0], 0.0
	var first, size ir.Reg
	if r.i.in == nil {
		k, at := c.out.Vector(r.n)
		pair := c.out.Data[k-1].Data.Values[at:]
		first, known = c.constant(pair[0]), pair[1]
		size = c.constant(known)
	} else {
		first, size = c.slot(r, ir.Load, 0), c.slot(r, ir.Load, 1)
	}
	return c.loop(known, size, known > 0, f, x, args, func(i ir.Reg) *value {
		i = c.pure(ir.Instr{Op: ir.IndexAdd, A: first, B: i})
		return c.rowOf(row{elem, c.here(i), elem.slots, r.at})
	})
}
