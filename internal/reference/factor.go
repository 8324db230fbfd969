package reference

import (
	"slices"

	"github.com/gram-machine/gram/rule"
)

// factor is (11): (x α t)β + (x α' t')β' → x(t+t')αβα'β', for each two summands of
// the bag that a maximal sum is.
func (s *State) factor(i int, n *Term) {
	if s.inSum(i) {
		return
	}
	ts, a := summands(n)
	for j := range ts {
		x, aj := head(ts[j])
		if x == nil || !s.isDual(x) {
			continue
		}
		for k := j + 1; k < len(ts); k++ {
			y, ak := head(ts[k])
			if x != y {
				continue
			}
			s.emit(Redex{Rule: rule.Factor, X: x}, i, func() *Term {
				rest := slices.Delete(slices.Clone(ts), k, k+1)
				rest[j] = apply(variable(x), plusAt(n.Pos, ts[j].Kids[1], ts[k].Kids[1])).at(ts[j].Pos)
				return slices.Concat(aj, ak, a).plug(bag(rest))
			})
		}
	}
}

// head returns the x and α of x α t.
func head(t *Term) (*Var, stack) {
	if t.Op != Apply {
		return nil, nil
	}
	f, a := split(t.Kids[0])
	if f.Op != Variable {
		return nil, nil
	}
	return f.X, a
}

// etaLambda is (9): t → λy.t y, where t has the type of a function.
func (s *State) etaLambda(i int, n *Term) {
	if !s.eta || n.Op == Branch { // a case is no term
		return
	}
	y, ok := s.prog.Typing.argument(n)
	if !ok {
		return
	}
	s.emit(Redex{Rule: rule.EtaLambda}, i, func() *Term {
		x := y
		return lambda(&x, apply(n, variable(&x)))
	})
}

// etaPair is (10): t[x:=⟨u,u'⟩] → t[x:=⟨y,y'⟩][⟨y,y'⟩:=⟨u,u'⟩].
func (s *State) etaPair(i int, n *Term) {
	if !s.eta || n.P.X == nil || n.P.X.Linear || n.Kids[1].Op != MakePair {
		return
	}
	s.emit(Redex{Rule: rule.EtaPair, X: n.P.X}, i, func() *Term {
		u := n.Kids[1]
		y := &Var{Name: "y", Type: s.prog.Typing.tt.Left(n.P.X.Type)}
		z := &Var{Name: "y'", Type: s.prog.Typing.tt.Right(n.P.X.Type)}
		return let(let(n.Kids[0], n.P, pair(variable(y), variable(z))), tuplePattern(y, z), u)
	})
}
