package revgrad

import "github.com/gram-machine/gram/term"

// each returns the k operands of a symbol.
func each(k int, operand func(i int) term.Ref) []term.Ref {
	out := make([]term.Ref, k)
	for i := range out {
		out[i] = operand(i)
	}
	return out
}

// slope adds ∂i f(p1,…,pk), where operand adds an occurrence of pi.
func slope(dst *term.Term, pos term.Pos, partial *term.Partial, k int, operand func(i int) term.Ref) term.Ref {
	switch partial.Kind {
	case term.PartialConst:
		return dst.Num(pos, partial.Const)
	case term.PartialVar:
		return operand(partial.Var)
	default:
		return dst.Fun(pos, partial.Fun, each(k, operand)...)
	}
}
