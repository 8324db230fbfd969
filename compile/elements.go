package compile

import (
	"math"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/term"
)

// storedNumerals is how many numerals of a list over an index are stored. Those of a longer one are computed when they are read.
const storedNumerals = 1 << 16

// listFamily compiles [t | i<s]. A list of numerals is data. Any other is a template of one element, whose parameter is the index and
// counts nothing: only a block runs it.
func (c *compiler) listFamily(r term.Ref, n *term.Node) {
	s := c.t.Statics[n.Static()]
	if s.Op != term.StaticNum || s.Val < 1 || s.Val > math.MaxInt32 || c.opt.Open || c.late {
		c.unheld()
		c.yieldSlot(0)
		return
	}
	if e, ok := c.indexed(n.A); ok {
		c.yieldSlot(c.numeralsOf(n.Index(), e, int(s.Val), c.types[r]))
		return
	}
	c.open("element", n.Pos, nil)
	b := c.top()
	b.params, b.element, b.node = 1, n.Index(), r
	c.push(r, 1)
	c.push(n.A, 0)
}

// closeListFamily ends the template of an element.
func (c *compiler) closeListFamily(n *term.Node) {
	id, captured := c.close(c.popValue())
	c.out.Templates[id].Elements = uint64(c.t.Statics[n.Static()].Val)
	c.yieldList(n, id, captured)
}

// indexed returns the static expression of an element that is a numeral, or ⟨r, λa.0⃗⟩ in a reversed program.
func (c *compiler) indexed(r term.Ref) (term.Static, bool) {
	n := c.numeral(r)
	if n == nil || n.Op != term.IndexNumOp {
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

// ofIndex compiles a static expression that has the index of the list whose element is compiled. It counts nothing.
func (c *compiler) ofIndex(e term.Static, p term.Pos) slot {
	n := &c.t.Statics[e]
	in := graph.Instr{Pos: p}
	switch n.Op {
	case term.StaticIndex:
		return paramClass
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
