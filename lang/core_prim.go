package lang

import "github.com/gram-machine/gram/term"

// prim is a function symbol, +, dot, matvec and the like.
type prim uint32

const (
	primAdd prim = iota
	primDot
	primMatvec
	primTotal
	primMaximum
	primTranspose
	primPick
	primOneHot
	primUniform
	primNormal
	primAlong
	primGrad
	primSymbol // and after it the symbols, by number
)

func (p prim) symbol() term.Symbol { return term.Symbol(p - primSymbol) }

func (p prim) arity() int {
	switch p {
	case primTotal, primMaximum, primTranspose:
		return 1
	case primAdd, primDot, primMatvec, primPick, primOneHot, primUniform, primNormal, primGrad:
		return 2
	case primAlong:
		return 3
	}
	return p.symbol().Info().Arity
}

func (p prim) name() string {
	switch p {
	case primAdd:
		return "+"
	case primDot:
		return "dot"
	case primMatvec:
		return "matvec"
	case primTotal:
		return "sum"
	case primMaximum:
		return "maximum"
	case primTranspose:
		return "transpose"
	case primPick:
		return "pick"
	case primOneHot:
		return "onehot"
	case primUniform:
		return "uniform"
	case primNormal:
		return "normal"
	case primAlong:
		return "jvp"
	case primGrad:
		return "grad"
	}
	if info := p.symbol().Info(); info.Infix != "" {
		return info.Infix
	}
	return p.symbol().SourceName()
}

// primitives returns all built-in functions. Operators are listed by their sign.
func primitives() []prim {
	all := []prim{primAdd, primDot, primMatvec, primTotal, primMaximum, primTranspose, primPick, primOneHot, primUniform, primNormal, primAlong, primGrad}
	for _, s := range append(term.Symbols(), term.Derivatives()...) {
		all = append(all, primSymbol+prim(s))
	}
	return all
}
