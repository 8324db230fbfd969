package graph

import (
	"math/bits"
	"slices"
)

// Distinct tells whether references are distinct, in the memory of the last time.
type Distinct struct {
	table []uint64 // a reference, and the turn in which it was added
	turn  uint32
}

// All reports whether the references are distinct. Any number of them may be [NullDual].
func (d *Distinct) All(refs []Ref) bool {
	ordered := 1 // how many references are in order, each greater than the one before
	for ordered < len(refs) && refs[ordered] > refs[ordered-1] {
		ordered++
	}
	if ordered >= len(refs) {
		return true
	}
	for _, r := range refs[ordered:] {
		if _, found := slices.BinarySearch(refs[:ordered], r); found && r != NullDual {
			return false
		}
	}
	refs = refs[ordered:]
	if 2*len(refs) > len(d.table) {
		d.table, d.turn = make([]uint64, 1<<bits.Len(uint(2*len(refs)))), 0
	}
	if d.turn++; d.turn == 0 {
		clear(d.table)
		d.turn = 1
	}
	mask := uint32(len(d.table) - 1)
	for _, r := range refs {
		if r == NullDual {
			continue
		}
		entry := uint64(d.turn)<<32 | uint64(r)
		i := r * 0x9e3779b1 >> 7 & mask
		for ; uint32(d.table[i]>>32) == d.turn; i = (i + 1) & mask {
			if d.table[i] == entry {
				return false
			}
		}
		d.table[i] = entry
	}
	return true
}
