package compile

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// storedNumerals is how many numerals of a list over an index are stored. Those of a longer one are computed when they are read.
const storedNumerals = 1 << 16

// listFamily compiles [t | i<s]. A list of numerals is data. Any other is a template of one element, whose parameter is the index and
// counts nothing: a block runs it, or the machine for each index.
func (c *compiler) listFamily(r term.Ref, n *term.Node) {
	s := c.t.Statics[n.Static()]
	if s.Op != term.StaticNum || s.Val < 1 || s.Val > math.MaxInt32 || c.late || c.opt.Open && c.opt.Reversed || c.opt.Places {
		c.unheld()
		c.yieldSlot(0)
		return
	}
	if e, ok := c.indexed(n.A, n.Index()); ok {
		c.yieldSlot(c.numeralsOf(n.Index(), e, int(s.Val), c.types[r]))
		return
	}
	c.open("element", n.Pos, nil)
	b := c.top()
	b.params, b.element, b.node = 1, n.Index(), r
	c.bind(c.indexVar(n.Index()), operand{slot: paramClass})
	c.push(r, 1)
	c.push(n.A, 0)
}

// indexVar is what stands for the index of a list in c.vars, behind the variables of the term.
func (c *compiler) indexVar(i term.Index) term.Var { return term.Var(c.t.NumVars() + int(i)) }

// closeListFamily ends the template of an element.
func (c *compiler) closeListFamily(n *term.Node) {
	id, captured := c.close(c.popValue())
	c.out.Templates[id].Elements = uint64(c.t.Statics[n.Static()].Val)
	c.yieldList(n, id, captured)
}

// indexed returns the static expression of an element that is a numeral, or ⟨r, λa.0⃗⟩ in a reversed program, and has no other index than
// that of its list.
func (c *compiler) indexed(r term.Ref, of term.Index) (term.Static, bool) {
	n := c.numeral(r)
	if n == nil || n.Op != term.IndexNumOp || slices.ContainsFunc(c.t.IndicesOf(n.Static()), func(i term.Index) bool { return i != of }) {
		return 0, false
	}
	return n.Static(), true
}

// numeralsOf makes the list of the numerals e, for all i < s.
func (c *compiler) numeralsOf(i term.Index, e term.Static, s int, typ term.Type) slot {
	t := c.t
	d := term.Data{Name: "[…]", List: true, Rows: s, Width: 1, Chunk: func(dst []float64, from int, look func() error) error {
		at := make([]float64, len(t.Indices))
		for k := range dst {
			if k%checkEvery == 0 {
				if err := look(); err != nil {
					return err
				}
			}
			at[i] = float64(from + k)
			dst[k] = t.Value(e, at)
		}
		return nil
	}}
	if s <= storedNumerals {
		d.Values = make([]float64, s)
		_ = d.Chunk(d.Values, 0, func() error { return nil }) // which is its only error
		d.Chunk = nil
	}
	return c.literalData(d, typ)
}

// selectedOf compiles x_e where e has the index of the list whose element is compiled, and the variables are inputs.
func (c *compiler) selectedOf(n *term.Node) operand {
	first, ok := c.inputRange(n.X, int(n.N))
	if !ok {
		c.unheld()
		return operand{}
	}
	slot0, stride := c.out.InputSlot(first)
	in := graph.Instr{Op: graph.OpSelect, N: n.N, A: slot0, Split: stride, B: uint32(c.indexNum(n.Static(), n.Pos)), Pos: n.Pos}
	a := operand{slot: c.emit(in, nil)}
	if !c.opt.Reversed {
		return a
	}
	in.A++
	return c.newPair(a, operand{slot: c.emit(in, nil)}, n.Pos)
}

// ofList reports whether a static expression has the index of a list whose element is compiled.
func (c *compiler) ofList(e term.Static) bool {
	return slices.ContainsFunc(c.t.IndicesOf(e), func(i term.Index) bool { return c.vars[c.indexVar(i)].bound })
}

// ofIndex compiles a static expression that has the index of the list whose element is compiled. It counts nothing.
func (c *compiler) ofIndex(e term.Static, p term.Pos) slot {
	n := &c.t.Statics[e]
	in := graph.Instr{Pos: p}
	if c.opt.Open {
		in.Flags = graph.Inner
	}
	switch n.Op {
	case term.StaticIndex:
		return c.slot(c.variable(c.indexVar(n.Index)))
	case term.StaticAdd:
		in.Op = graph.OpAdd
	case term.StaticSub:
		in.Op, in.Sym = graph.OpSub, term.Sub
	case term.StaticMul:
		in.Op, in.Sym = graph.OpMul, term.Mul
	case term.StaticDiv:
		in.Op, in.Sym = graph.OpFun2, term.Div
	case term.StaticNeg:
		in.Op, in.Sym = graph.OpFun1, term.Neg
	}
	in.A = uint32(c.indexNum(n.A, p))
	if n.B != 0 {
		in.B = uint32(c.indexNum(n.B, p))
	}
	return c.emit(in, nil)
}
