package core

import "github.com/gram-machine/gram/term"

// Prim is a function symbol, +, dot, matvec and the like.
type Prim uint32

const (
	PrimAdd Prim = iota
	PrimDot
	PrimMatvec
	PrimTotal
	PrimMaximum
	PrimTranspose
	PrimPick
	PrimOneHot
	PrimUniform
	PrimNormal
	PrimAlong
	PrimGrad
	PrimSymbol // and after it the symbols, by number
)

// Symbol is the function symbol that p is, if it is one.
func (p Prim) Symbol() term.Symbol { return term.Symbol(p - PrimSymbol) }

// Arity is how many arguments p takes.
func (p Prim) Arity() int {
	switch p {
	case PrimTotal, PrimMaximum, PrimTranspose:
		return 1
	case PrimAdd, PrimDot, PrimMatvec, PrimPick, PrimOneHot, PrimUniform, PrimNormal, PrimGrad:
		return 2
	case PrimAlong:
		return 3
	}
	return p.Symbol().Info().Arity
}

// Name is what the source calls p.
func (p Prim) Name() string {
	switch p {
	case PrimAdd:
		return "+"
	case PrimDot:
		return "dot"
	case PrimMatvec:
		return "matvec"
	case PrimTotal:
		return "sum"
	case PrimMaximum:
		return "maximum"
	case PrimTranspose:
		return "transpose"
	case PrimPick:
		return "pick"
	case PrimOneHot:
		return "onehot"
	case PrimUniform:
		return "uniform"
	case PrimNormal:
		return "normal"
	case PrimAlong:
		return "jvp"
	case PrimGrad:
		return "grad"
	}
	if info := p.Symbol().Info(); info.Infix != "" {
		return info.Infix
	}
	return p.Symbol().SourceName()
}

// Primitives returns all built-in functions. Operators are listed by their sign.
func Primitives() []Prim {
	all := []Prim{PrimAdd, PrimDot, PrimMatvec, PrimTotal, PrimMaximum, PrimTranspose, PrimPick, PrimOneHot,
		PrimUniform, PrimNormal, PrimAlong, PrimGrad}
	for _, s := range append(term.Symbols(), term.Derivatives()...) {
		all = append(all, PrimSymbol+Prim(s))
	}
	return all
}
