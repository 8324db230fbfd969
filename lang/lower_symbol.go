package lang

import (
	"fmt"

	"github.com/gram-machine/gram/term"
)

// maxSymbol bounds the expressions of a declared symbol, as terms without let.
const maxSymbol = 1000

// lowerSymbol turns the core of a symbol's expressions into terms over symbols.
type lowerSymbol struct {
	core   *core
	params map[variable]int // the number of each parameter
	// fail is called with what is no expression of a symbol.
	fail func(pos term.Pos, headline, label string)
	lets map[variable]sized
}

// sized is an expression with its size.
type sized struct {
	term.Partial
	size int
}

// expression returns the expression that node r is.
func (s *lowerSymbol) expression(r node) term.Partial {
	if s.lets == nil {
		s.lets = map[variable]sized{}
	}
	return s.sized(r).Partial
}

// sized returns the expression that node r is. What is none is reported.
func (s *lowerSymbol) sized(r node) sized {
	c := s.core
	n := c.nodes[r]
	switch n.op {
	case varCore:
		if e, ok := s.lets[n.x]; ok {
			return e
		}
		if i, ok := s.params[n.x]; ok {
			return sized{term.Partial{Kind: term.PartialVar, Var: i}, 1}
		}
	case numCore:
		return sized{term.Partial{Kind: term.PartialConst, Const: n.val}, 1}
	case letCore:
		s.lets[n.x] = s.sized(n.b)
		return s.sized(n.a)
	case addCore, funCore:
		out := sized{term.Partial{Kind: term.PartialFun, Fun: n.sym}, 1}
		for _, k := range []node{n.a, n.b} {
			if k == 0 {
				continue
			}
			a := s.sized(k)
			out.Args, out.size = append(out.Args, a.Partial), out.size+a.size
		}
		if out.size <= maxSymbol {
			return out
		}
		s.fail(n.pos, "too large", fmt.Sprintf("an expression of a symbol has at most %d nodes, where each occurrence of what let binds counts", maxSymbol))
	default:
	}
	s.fail(n.pos, "not straight-line", "a symbol is an expression of its parameters, of numerals and of function symbols; it may use let")
	return sized{term.Partial{Kind: term.PartialConst}, 1}
}
