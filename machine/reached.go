package machine

import "math/bits"

// reached is the set of the duals at which something has arrived in a backward phase. Bit i of level 0 is that of the
// dual with rank i, and bit i of a further level says that word i of the level below is not 0. A rank has 32 bits, so
// there are six levels: adding a dual, and taking the newest one away, reads and writes at most two words of each.
type reached struct {
	cells  []Place // by rank
	levels [6][]uint64
}

// wordBits is how many bits of a rank say where in a word it stands.
const wordBits = 6

// reset makes the set empty, of no duals.
func (s *reached) reset() {
	s.cells = s.cells[:0]
	for k := range s.levels {
		s.levels[k] = s.levels[k][:0]
	}
}

// make gives the dual that has been made the next rank.
func (s *reached) make(cell Place) {
	i := len(s.cells)
	s.cells = append(s.cells, cell)
	for k := range s.levels {
		if i >>= wordBits; i < len(s.levels[k]) {
			return
		}
		s.levels[k] = append(s.levels[k], 0)
	}
}

// add adds the dual with the rank.
func (s *reached) add(rank uint32) {
	for k := range s.levels {
		w := &s.levels[k][rank>>wordBits]
		empty := *w == 0
		*w |= 1 << (rank % 64)
		if !empty {
			return
		}
		rank >>= wordBits
	}
}

// takeNewest takes the dual that was made last out of the set. It returns 0 if there is none.
func (s *reached) takeNewest() Place {
	top := len(s.levels) - 1
	if len(s.cells) == 0 || s.levels[top][0] == 0 {
		return 0
	}
	rank := 0
	for k := top; k >= 0; k-- {
		rank = rank<<wordBits + bits.Len64(s.levels[k][rank]) - 1
	}
	cell := s.cells[rank]
	for k := range s.levels {
		w := &s.levels[k][rank>>wordBits]
		*w &^= 1 << (rank % 64)
		if *w != 0 {
			break
		}
		rank >>= wordBits
	}
	return cell
}
