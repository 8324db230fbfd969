package profile

import "github.com/gram-machine/gram/graph"

// owners has a number for each node, in pieces that never move.
type owners struct{ pieces []*[ownerPiece]uint32 }

const (
	ownerShift = 16
	ownerPiece = 1 << ownerShift
)

// of returns the number of a node that has one.
func (o *owners) of(r graph.Ref) uint32 { return o.pieces[r>>ownerShift][r%ownerPiece] }

// set gives a node that has a number another.
func (o *owners) set(r graph.Ref, owner uint32) { o.pieces[r>>ownerShift][r%ownerPiece] = owner }

// fill gives the nodes [from, to) a number: as most often, in one piece that is there.
func (o *owners) fill(from, to graph.Ref, owner uint32) {
	i, at, end := int(from>>ownerShift), from%ownerPiece, from%ownerPiece+to-from
	if i >= len(o.pieces) || end > ownerPiece {
		o.fillPieces(from, to, owner)
		return
	}
	piece := o.pieces[i]
	for ; at < end; at++ {
		piece[at%ownerPiece] = owner
	}
}

func (o *owners) fillPieces(from, to graph.Ref, owner uint32) {
	for from < to {
		i := int(from >> ownerShift)
		for i >= len(o.pieces) {
			o.pieces = append(o.pieces, new([ownerPiece]uint32))
		}
		at := from % ownerPiece
		piece := o.pieces[i][at:min(ownerPiece, uint64(at)+uint64(to-from))]
		for j := range piece {
			piece[j] = owner
		}
		from += uint32(len(piece))
	}
}
