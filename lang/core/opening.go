package core

import (
	"github.com/gram-machine/gram/term"
)

// OpeningKind says what an [Opening] is.
type OpeningKind uint8

const (
	OpenFun   OpeningKind = iota // λx
	OpenLet                      // [x:=u]
	OpenTuple                    // [⟨x0,…⟩:=u]
	OpenVec                      // [⟦x0,…⟧:=u]
	OpenCon                      // match u with C ⟨x0,…⟩ → …, for the only constructor of a type
)

// Opening is a binder that is put around a node that has been made.
type Opening struct {
	Kind OpeningKind
	X    Var // the first one
	N    int // how many
	U    Ref // 0: an occurrence of from
	From Var
	Pos  term.Pos
}

// Wrap puts openings around node r of type t, the last one innermost. It returns the node.
func (p *Program) Wrap(r Ref, t Type, opens []Opening) Ref {
	c := p.Core
	for i := len(opens) - 1; i >= 0; i-- {
		o := &opens[i]
		n := Node{X: o.X, A: r, B: o.U, Type: t, Pos: o.Pos}
		if o.Kind != OpenFun && o.U == 0 {
			n.B = c.Add(Node{Op: VarOp, X: o.From, Type: c.Vars[o.From].Type, Pos: o.Pos})
		}
		switch o.Kind {
		case OpenFun:
			n.Op, n.Value = LamOp, true
			if c.Vars[o.X].Linear {
				t = p.Types.Dual(t)
			} else {
				t = p.Types.Arrow(c.Vars[o.X].Type, t)
			}
			n.Type = t
		case OpenLet:
			n.Op = LetOp
		case OpenTuple:
			n.Op, n.Val = TupleOp, float64(o.N)
		case OpenVec:
			n.Op, n.Val = UnvecOp, float64(o.N)
		case OpenCon:
			b := c.Branches([]Branch{{o.X, o.N, r}})
			n = Node{Op: CaseOp, Val: 1, A: n.B, B: b, Type: t, Pos: o.Pos}
		}
		r = c.Add(n)
	}
	return r
}
