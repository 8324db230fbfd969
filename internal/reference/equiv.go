package reference

// Move is an instance of structural equivalence, read in one direction.
type Move struct {
	Name  string // comm, esub, app1, app2; with ' from right to left; dup
	state *State
	at    int          // the place of the subterm that changes
	local func() *Term // what it becomes
}

// Fire makes the move.
func (m *Move) Fire() *Term { return m.state.replace(m.at, m.local(), -1) }

// Duplications returns the moves of ≡'s (dup) that make garbage of a value,
//
//	t[x:=vα]  ≡  t[x:=vα][y:=vα]    no occurrence of x renamed
//
// They are an ablation, to be measured: no other move or strategy has them. What they make (4) collects, so
// that modulo (dup) a term with a substitution of a value has a reduction that never ends (note A3;
// the remark after Prop. Weak normalization).
func (s *State) Duplications() []Move {
	var out []Move
	for i := range s.places {
		n := s.places[i].t
		if n.Op != Let || n.P.X == nil || n.P.X.Linear {
			continue
		}
		if v, _ := answer(n.Kids[1]); v != nil {
			y := *n.P.X
			out = append(out, Move{"dup", s, i, func() *Term { return let(n, single(&y), fresh(n.Kids[1])) }})
		}
	}
	return out
}
