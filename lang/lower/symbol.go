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
	case core.AddOp, core.FunOp, core.SymbolOp:
		out := sized{term.Partial{Kind: term.PartialFun, Fun: n.Sym}, 1}
		var parts []core.Ref
		s.Core.Children(&n, func(k core.Ref) { parts = append(parts, k) })
		if n.Op == core.SymbolOp { // counts as its operations, which the compiler puts in its place
			term.Operations(n.Sym, make([]int, len(parts)), func(float64) int { return 0 }, func(term.Symbol, int, int) int {
				out.size++
				return 0
			})
		}
		for _, k := range parts {
			a := s.sized(k)
			out.Args, out.size = append(out.Args, a.Partial), out.size+a.size
		}
		if out.size <= maxSymbol {
			return out
		}
		s.Fail(n.Pos, "too large", fmt.Sprintf("an expression of a symbol has at most %d nodes, where each occurrence "+
			"of what let binds counts", maxSymbol))
	default:
	}
	s.Fail(n.Pos, "not straight-line",
		"a symbol is an expression of its parameters, of numerals and of function symbols; it may use let")
	return sized{term.Partial{Kind: term.PartialConst}, 1}
}
