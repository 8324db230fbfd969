package heap

import "github.com/gram-machine/gram/compile/literal"

// Places keeps a number for each operand of the nodes of an arena. The zero value is empty.
type Places struct {
	pieces []*[1 << pieceBits]uint32
}

const pieceBits = 16 // of the numbers of the operands in one piece

// At returns where the number of the operand at p is kept.
func (t *Places) At(p literal.Place) *uint32 {
	i := int(p>>2)*2 + int(p&1) // operands are numbered two to a node
	for i>>pieceBits >= len(t.pieces) {
		t.pieces = append(t.pieces, new([1 << pieceBits]uint32))
	}
	return &t.pieces[i>>pieceBits][i&(1<<pieceBits-1)]
}
