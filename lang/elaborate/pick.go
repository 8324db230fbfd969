package elaborate

import (
	"math"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
)

// numberType is the type of an occurrence of a numeral.
func (e *Elaborator) numberType(x float64) core.Type {
	if !e.selects || e.values {
		return core.R
	}
	return e.numbers.Numeral(x)
}

// operated is the type of what an operation gives whose operand is a number or a vector of type t: its numbers are none
// of data.
func (e *Elaborator) operated(t core.Type) core.Type {
	if !e.selects {
		return t
	}
	switch n := e.Types.At(t); n.Kind {
	case core.Vec:
		return e.Types.Vec(e.operated(n.A), core.Size(n.N))
	case core.Open:
		e.later = append(e.later, t)
		return t
	}
	return core.R
}

// oneHot makes the vector of n numbers of which number x is 1 and the others are 0.
func (e *Elaborator) oneHot(n core.Node, a, b val, span syntax.Span) val {
	size := e.Core.Nodes[a.node]
	if size.Op != core.NumOp || size.Val != math.Trunc(size.Val) || size.Val < 1 || size.Val > math.MaxInt32 {
		e.reportHere(a.span, notStatic, "onehot takes the size of the vector, a static number, and an index")
		return e.bad(span)
	}
	n.A, n.B = b.node, 0
	t := e.Types.Vec(core.R, e.Types.KnownSize(int(size.Val)))
	e.chosen(b, t, "onehot", span)
	return e.selected(n, t, span)
}

// pick makes component x of the vector v.
func (e *Elaborator) pick(n core.Node, v, x val, span syntax.Span) val {
	elem, _, ok := e.components(v)
	if !ok {
		return e.bad(span)
	}
	e.chosen(x, v.typ, "pick", span)
	return e.selected(n, elem, span)
}

// selected adds the node of a selection.
func (e *Elaborator) selected(n core.Node, t core.Type, span syntax.Span) val {
	v := e.add(n, t, span)
	if e.values {
		e.Core.Places[v.node] = e.place(span)
	}
	return v
}

// chosen notes that x selects one of the components of a vector of type t.
func (e *Elaborator) chosen(x val, t core.Type, name string, span syntax.Span) {
	if e.Types.At(x.typ).Kind == core.Open {
		e.Types.Unify(x.typ, e.Types.Real())
	}
	if e.Types.At(x.typ).Kind != core.Real {
		e.want(x, core.R, reason{kind: takesReason, text: name})
		return
	}
	if !e.values {
		e.indices = append(e.indices, core.Selection{T: x.typ, Of: t, Span: x.span, At: span, Name: name, Notes: e.chain(4)})
	}
}
