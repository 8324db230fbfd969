package core

import (
	"cmp"
	"math"

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

// prims has the name and the arity of what is no function symbol, and the levels of its operands.
var prims = [PrimSymbol]struct {
	name   string
	arity  int
	levels [2]int
}{
	PrimAdd: {name: "+", arity: 2}, PrimDot: {"dot", 2, [2]int{1, 1}}, PrimMatvec: {"matvec", 2, [2]int{2, 1}},
	PrimTotal: {"sum", 1, [2]int{1}}, PrimMaximum: {"maximum", 1, [2]int{1}}, PrimTranspose: {"transpose", 1, [2]int{2}},
	PrimPick: {"pick", 2, [2]int{allLevels}}, PrimOneHot: {name: "onehot", arity: 2},
	PrimUniform: {name: "uniform", arity: 2}, PrimNormal: {name: "normal", arity: 2}, PrimAlong: {name: "jvp", arity: 3},
	PrimGrad: {name: "grad", arity: 2},
}

// allLevels are as many as the operand has.
const allLevels = math.MaxInt32

// Levels returns in how many vectors that stand in one another the components of operand i are selected: 0 if it is a
// number.
func (p Prim) Levels(i int) int { return prims[p].levels[i] }

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
