package graph

import "github.com/gram-machine/gram/compile"

// Table keeps something for each number from 0 on, in pieces that don't move. The zero value has zero values.
type Table[T any] struct {
	pieces []*[1 << pieceBits]T
}

const pieceBits = 16 // of the numbers in one piece

// At returns where that of i is kept.
func (t *Table[T]) At(i int) *T {
	for i>>pieceBits >= len(t.pieces) {
		t.pieces = append(t.pieces, new([1 << pieceBits]T))
	}
	return &t.pieces[i>>pieceBits][i&(1<<pieceBits-1)]
}

// Places keeps a number for each operand of the nodes of an arena. The zero value is empty.
type Places struct{ numbers Table[uint32] }

// At returns where the number of the operand at p is kept.
func (t *Places) At(p compile.Place) *uint32 {
	return t.numbers.At(int(p>>2)*2 + int(p&1)) // operands are numbered two to a node
}
