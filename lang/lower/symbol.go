package lower

import (
	"fmt"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/term"
)

// maxSymbol bounds the expressions of a declared symbol, as terms without let.
const maxSymbol = 1000

// Symbol turns the core of a symbol's expressions into terms over symbols.
type Symbol struct {
	Core   *core.Core
	Params map[core.Var]int // the number of each parameter
	// Fail is called with what is no expression of a symbol.
	Fail func(pos term.Pos, headline, label string)
	lets map[core.Var]sized
}

// sized is an expression with its size.
type sized struct {
	term.Partial
	size int
}

// Expression returns the expression that node r is.
func (s *Symbol) Expression(r core.Ref) term.Partial {
	if s.lets == nil {
		s.lets = map[core.Var]sized{}
	}
	return s.sized(r).Partial
}

// sized returns the expression that node r is. What is none is reported.
func (s *Symbol) sized(r core.Ref) sized {
	c := s.Core
	n := c.Nodes[r]
	switch n.Op {
	case core.VarOp:
		if e, ok := s.lets[n.X]; ok {
			return e
		}
		if i, ok := s.Params[n.X]; ok {
			return sized{term.Partial{Kind: term.PartialVar, Var: i}, 1}
		}
	case core.NumOp:
		return sized{term.Partial{Kind: term.PartialConst, Const: n.Val}, 1}
	case core.LetOp:
		s.lets[n.X] = s.sized(n.B)
		return s.sized(n.A)
	case core.AddOp, core.FunOp:
		out := sized{term.Partial{Kind: term.PartialFun, Fun: n.Sym}, 1}
		for _, k := range []core.Ref{n.A, n.B} {
			if k == 0 {
				continue
			}
			a := s.sized(k)
			out.Args, out.size = append(out.Args, a.Partial), out.size+a.size
		}
		if out.size <= maxSymbol {
			return out
		}
		s.Fail(n.Pos, "too large", fmt.Sprintf("an expression of a symbol has at most %d nodes, where each occurrence of what let binds counts", maxSymbol))
	default:
	}
	s.Fail(n.Pos, "not straight-line", "a symbol is an expression of its parameters, of numerals and of function symbols; it may use let")
	return sized{term.Partial{Kind: term.PartialConst}, 1}
}
