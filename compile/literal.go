package compile

import (
	"github.com/gram-machine/gram/compile/block"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// list compiles a list literal. One of numerals alone is data: the elements are
// made when the list is applied. Any other is a template of its elements, which
// stand under the λs of the Church list and run each time that it is applied.
func (c *compiler) list(r term.Ref, n *term.Node) {
	kids := c.t.Children(n)
	if values, ok := c.numerals(kids); ok {
		c.yieldSlot(c.literalData(term.Data{Name: "[…]", List: true, Rows: len(values), Width: 1, Values: values}, c.types[r]))
		return
	}
	if len(kids) > graph.MaxIndex {
		c.fail(n.Pos, "a list literal of more than %d elements that are not numerals", graph.MaxIndex)
	}
	c.open("elements", n.Pos, nil)
	c.top().typ, c.top().node = c.types[r], r
	c.push(r, 1)
	c.pushAll(kids)
}

// literalData adds the data of a list of numerals that stands in place.
func (c *compiler) literalData(d term.Data, typ term.Type) slot {
	c.out.Data = append(c.out.Data, d)
	return c.addGlobal(graph.Global{Kind: graph.DataList, Index: uint32(len(c.out.Data) - 1),
		Elem: graph.DataShape{Width: 1, Reversed: c.opt.Reversed}, Type: typ})
}

// numerals returns the numbers of a list of numerals r, or of ⟨r, λa.0⃗⟩ in a
// reversed program.
func (c *compiler) numerals(kids []term.Ref) ([]float64, bool) {
	values := make([]float64, 0, len(kids))
	for _, k := range kids {
		n := c.numeral(k)
		if n == nil || n.Op != term.NumOp {
			return nil, false
		}
		values = append(values, n.Val)
	}
	return values, true
}

// numeral returns the node r, or e of ⟨e, λa.0⃗⟩ in a reversed program; nil if it is no such pair.
func (c *compiler) numeral(r term.Ref) *term.Node {
	n := &c.t.Nodes[r]
	if !c.opt.Reversed {
		return n
	}
	if n.Op != term.PairOp {
		return nil
	}
	lam := &c.t.Nodes[n.B]
	if lam.Op != term.LamOp || c.t.Nodes[lam.A].Op != term.ZeroOp {
		return nil
	}
	return &c.t.Nodes[n.A]
}

func (c *compiler) closeList(n *term.Node) {
	elems := c.emit(graph.Instr{Op: graph.OpVec, Pos: n.Pos}, c.popSlots(int(n.N)))
	id, captured := c.close(operand{slot: elems})
	c.yieldList(n, id, captured)
}

// yieldList yields the list whose elements a template makes, of what it captures.
func (c *compiler) yieldList(n *term.Node, id uint32, captured []slot) {
	if len(captured) == 0 {
		c.yieldSlot(c.addGlobal(graph.Global{Kind: graph.List, Index: id}))
		return
	}
	c.yieldSlot(c.emit(graph.Instr{Op: graph.OpList, Tmpl: id, Pos: n.Pos}, captured))
}

// dataRef compiles an occurrence of data: a list is one global; a number or a
// vector of numbers stands for its numerals, each under D with a dual of its own.
func (c *compiler) dataRef(r term.Ref, n *term.Node) {
	d := &c.t.Data[n.A]
	vector := c.t.Types.Kind(n.Elem) == term.VecKind
	if d.List {
		key := dataKey{uint32(n.A), graph.DataShape{Width: d.Width, Vector: vector, Reversed: c.opt.Reversed}, c.dataType(r)}
		s, ok := c.data[key]
		if !ok {
			s = c.addGlobal(graph.Global{Kind: graph.DataList, Index: key.index, Elem: key.shape, Type: key.typ})
			c.data[key] = s
		}
		c.yieldSlot(s)
		return
	}
	if vector && c.opt.Straight && len(d.Values) > 1 && c.t.Families() && !c.top().loops.open() && !c.opt.outline[c.top().node] {
		c.dataFamily(r, n, d)
		return
	}
	comps := make([]slot, len(d.Values))
	for i, v := range d.Values {
		if !c.check(i + 1) {
			return
		}
		num := operand{slot: c.number(v)}
		if c.opt.Reversed {
			num = c.newPair(num, operand{slot: c.emitDual(n.Pos, &dualBuilder{})}, n.Pos)
		}
		if !vector {
			c.yield(num)
			return
		}
		comps[i] = c.slot(num)
	}
	c.yieldSlot(c.emit(graph.Instr{Op: graph.OpVec, Pos: n.Pos}, comps))
}

// dataFamily compiles a data vector as the family of its numerals.
func (c *compiler) dataFamily(r term.Ref, n *term.Node, d *term.Data) {
	l := &c.top().loops
	id := len(l.All)
	l.All = append(l.All, block.Loop{Size: len(d.Values), Times: uint64(len(d.Values))})
	l.nodes, l.around = append(l.nodes, r), append(l.around, id)
	l.Numbers = append(l.Numbers, block.IndexTable{Loops: []int{id}, Values: d.Values})
	c.emit(graph.Instr{Op: graph.OpLoop, Tmpl: uint32(id), Pos: n.Pos}, nil)
	num := operand{slot: c.emit(graph.Instr{Op: graph.OpIndexNum, Tmpl: uint32(len(l.Numbers) - 1), Pos: n.Pos}, nil)}
	if c.opt.Reversed {
		num = c.newPair(num, operand{slot: c.emitDual(n.Pos, &dualBuilder{})}, n.Pos)
	}
	a := c.slot(num)
	l.around = l.around[:len(l.around)-1]
	c.yieldSlot(c.emit(graph.Instr{Op: graph.OpFamily, Tmpl: uint32(id), A: uint32(a), Pos: n.Pos}, nil))
}

// dataType returns the type of a data list where a term will be read back: elsewhere
// uses at several types share one global.
func (c *compiler) dataType(r term.Ref) term.Type {
	if c.opt.Open {
		return c.types[r]
	}
	return 0
}
