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
	return term.Interpret(partial, k, func(r float64) term.Ref { return dst.Num(pos, r) }, operand,
		func(f term.Symbol, args ...term.Ref) term.Ref { return dst.Fun(pos, f, args...) })
}
