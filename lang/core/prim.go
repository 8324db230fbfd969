package core

import (
	"cmp"

	"github.com/gram-machine/gram/term"
)

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

// prims has the name and the arity of what is no function symbol.
var prims = [PrimSymbol]struct {
	name  string
	arity int
}{
	PrimAdd: {"+", 2}, PrimDot: {"dot", 2}, PrimMatvec: {"matvec", 2}, PrimTotal: {"sum", 1},
	PrimMaximum: {"maximum", 1}, PrimTranspose: {"transpose", 1}, PrimPick: {"pick", 2}, PrimOneHot: {"onehot", 2},
	PrimUniform: {"uniform", 2}, PrimNormal: {"normal", 2}, PrimAlong: {"jvp", 3}, PrimGrad: {"grad", 2},
}

// Arity is how many arguments p takes.
func (p Prim) Arity() int {
	if p < PrimSymbol {
		return prims[p].arity
	}
	return p.Symbol().Info().Arity
}

// Name is what the source calls p.
func (p Prim) Name() string {
	if p < PrimSymbol {
		return prims[p].name
	}
	return cmp.Or(p.Symbol().Info().Infix, p.Symbol().SourceName())
}

// Primitives returns all built-in functions. Operators are listed by their sign.
func Primitives() (all []Prim) {
	for p := range PrimSymbol {
		all = append(all, p)
	}
	for _, s := range append(term.Symbols(), term.Derivatives()...) {
		all = append(all, PrimSymbol+Prim(s))
	}
	return all
}
