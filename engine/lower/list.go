package lower

import (
	"slices"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/term"
)

// This file has lists that are the value of a program. A list is read by applying it, which is not counted. One of
// known length, whose elements are functions of those of data or of a list over an index, is a loop over these.

// mostElements is how many slots the elements of a list have at most that are put in a vector.
const mostElements = 1 << 26

// numbersOf is how many numbers the elements have of lists of a type, if these have nothing else, 0 otherwise.
func (c *compiler) numbersOf(t term.Type) int {
	if !c.isList(t) {
		return 0
	}
	elem := c.t.Types.Left(c.t.Types.Left(t))
	if !c.flat(elem) {
		return 0
	}
	return c.layout.Slots(elem)
}

// flat reports whether values of a type are numbers, and tuples and vectors of them.
func (c *compiler) flat(t term.Type) bool {
	switch types := c.t.Types; types.Kind(t) {
	case term.RKind:
		return true
	case term.VecKind:
		return c.flat(types.Left(t))
	case term.ProdKind:
		return c.flat(types.Left(t)) && c.flat(types.Right(t))
	}
	return false
}

// mapped is a list λf.λz. l (λe.λr. f t r) z. Substitutions may stand around f t r, as those that take e apart.
type mapped struct {
	of     *value
	e      term.Var
	around []*term.Node
	t      term.Ref
}

// mapping takes such a list apart: it returns l.
func (c *compiler) mapping(v *value) (m mapped, l term.Ref, ok bool) {
	nodes := c.t.Nodes
	under := func(r term.Ref, op term.Op) (*term.Node, *term.Node) { // a λ, or an application, and its part
		if n := &nodes[r]; n.Op == op {
			return n, &nodes[n.A]
		}
		return &nodes[0], &nodes[0]
	}
	is := func(r term.Ref, lam *term.Node) bool {
		return nodes[r].Op == term.VarOp && nodes[r].X == lam.X && c.uses[lam.X] == 1
	}
	f, _ := under(v.node, term.LamOp)
	z, all := under(f.A, term.LamOp)
	_, step := under(z.A, term.AppOp)
	e, _ := under(step.B, term.LamOp)
	rest, _ := under(e.A, term.LamOp)
	var around []*term.Node
	r := rest.A
	for ; nodes[r].Op.Opens(); r = nodes[r].A {
		around = append(around, &nodes[r])
	}
	whole, one := under(r, term.AppOp)
	ok = step.Op == term.AppOp && one.Op == term.AppOp && is(all.B, z) && is(whole.B, rest) && is(one.A, f)
	return mapped{v, e.X, around, one.B}, step.A, ok
}

// listed makes the code of a list that is the value of the program.
func (c *compiler) listed(r term.Ref) {
	v := c.term(r)
	base, maps, n := v, []mapped(nil), 0
	for base.kind == lambda {
		m, l, ok := c.mapping(base)
		k := &c.t.Nodes[l]
		if !ok {
			break
		}
		maps = append(maps, m)
		c.restore(base.node, base.free, func() {
			switch k.Op {
			case term.VarOp:
				base = c.vars[k.X]
			case term.DataOp, term.ListFamilyOp:
				base = c.term(l)
			default:
				base = &value{}
			}
		})
	}
	k := &c.t.Nodes[base.node]
	if base.kind == list {
		switch k.Op {
		case term.DataOp:
			if d := &c.t.Data[k.A]; d.Chunk == nil {
				n = d.Rows
			}
		case term.ListFamilyOp:
			if s, ok := c.known(k.Static()); ok {
				n = int(s)
			}
		}
	}
	w := c.numbersOf(v.typ)
	if n == 0 || n*w > mostElements {
		c.emit(ir.Instr{Op: ir.Return, Args: c.results(v)})
		return
	}
	c.reading = true
	start := len(c.f.out.Code)
	d := c.set(ir.Instr{Op: ir.Alloc, N: uint32(n * w)})
	c.forward(c.constant(float64(n)), float64(n), true, func(i ir.Reg) {
		var e *value
		if k.Op == term.DataOp {
			e = c.static(k.Elem, i, uint32(c.t.Data[k.A].Width), c.staticData(int(k.A)))
		} else {
			c.restore(base.node, base.free, func() {
				c.bindIndex(k, i)
				e = c.term(k.A)
			})
		}
		for j := len(maps) - 1; j >= 0; j-- {
			m := &maps[j]
			c.restore(m.of.node, m.of.free, func() {
				c.bind(m.e, e)
				for _, n := range m.around {
					c.opening(n)
				}
				e = c.term(m.t)
			})
		}
		c.store(d, e, i, uint32(w), 0)
	})
	if slices.ContainsFunc(c.f.out.Code[start:], func(in ir.Instr) bool { return in.Op == ir.Call || in.Op == ir.Apply }) {
		c.f.out.Code = c.f.out.Code[:start] // functions count their steps
		c.emit(ir.Instr{Op: ir.Return, Args: c.results(v)})
		return
	}
	c.out.Elements, c.f.out.Results = n, 1
	c.emit(ir.Instr{Op: ir.Return, Args: []ir.Reg{d}})
}
