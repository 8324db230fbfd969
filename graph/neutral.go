package graph

import (
	"github.com/gram-machine/gram/term"
)

// The words of a neutral object behind its head: its type, a number, how many
// operands it has, and, from word WaitWords on, the operands.
const (
	NeutralType     = 1
	NeutralNumber   = 2
	NeutralOperands = 3
)

// The words of an inert node: the number of the instruction that made it, or that of a dual behind all instructions; one that
// is not used; and, from InertOperands on, the operands.
const (
	InertAt       = WaitWords
	InertOperands = WaitWords + 2
)

// InertUnits is how many nodes an inert node of so many operands takes.
func InertUnits(operands int) uint32 { return max(2, Units(InertOperands, operands)) }

// InertParts returns the symbol of the inert node r of an arena, [term.NoSymbol] if it is +, and the place of its operands.
func InertParts(nodes []Node, r Ref) (f term.Symbol, from, to uint64) {
	f = term.Symbol(nodes[r].Head >> KindShift)
	n := 2
	if f != term.NoSymbol {
		n = f.Info().Arity
	}
	from = 4*uint64(r) + InertOperands
	return f, from, from + uint64(n)
}

// What a neutral object is, above the kind in its head.
const (
	// NeutralVar is a variable of a λ that normalisation has gone under; its number is
	// that of the variable in the source term, 0 for the a of a dual λ.
	NeutralVar = iota
	// NeutralApp is an application of a neutral function, or of a list or a numeral, to
	// its other operands.
	NeutralApp
	// NeutralComponent is the component of its operand with the given number.
	NeutralComponent
	// NeutralIf is a conditional with a side that has no value; its number is that of
	// the instruction, and its operands are the instruction's.
	NeutralIf
	// NeutralCase is a match on its first operand, which has no value. The number is that of the instruction, and so are the operands.
	NeutralCase
)

// NeutralOp returns what the neutral object r of an arena is, and its operands.
func NeutralOp(nodes []Node, words []uint32, r Ref) (op uint32, operands []Ref) {
	w := 4 * uint64(r)
	n := uint64(words[w+NeutralOperands])
	return nodes[r].Head >> KindShift, words[w+WaitWords : w+WaitWords+n]
}

// Components returns the components of the pair or the vector r of an arena.
func Components(nodes []Node, words []uint32, r Ref) []Ref {
	n := uint64(2)
	if nodes[r].Kind() == Vec {
		n = uint64(nodes[r].Head >> KindShift)
	}
	w := 4*uint64(r) + ValueWords
	return words[w : w+n]
}
