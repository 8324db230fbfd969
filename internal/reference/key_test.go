package reference

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// TestPropertyKey: two terms of a reduction graph have one key just if their variables can be paired.
func TestPropertyKey(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Size: rapid.IntRange(3, 7).Draw(t, "size")})
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		s := Convert(d, denote.Floats{}).GradientStart(p.Inputs, p.Point, 0)
		if rapid.Bool().Draw(t, "lin") {
			s = Convert(property.Linear(t, 8), denote.Floats{}).ValueStart(nil, nil)
		}
		terms := []*Term{s.Term}
		seen := map[string]bool{}
		for i := 0; i < len(terms) && len(terms) < 40; i++ {
			k := terms[i].Key()
			if seen[k] {
				continue
			}
			seen[k] = true
			st := s.State(terms[i], false)
			for j := range st.Redex {
				u, err := st.Fire(&st.Redex[j])
				require.NoError(t, err)
				terms = append(terms, u)
			}
		}
		for i, a := range terms {
			for _, b := range terms[:i] {
				eq := pairs(a, b, denote.Floats{})
				require.Equal(t, eq, a.Key() == b.Key(), "%v\n%v", a, b)
			}
		}
	})
}

// pairs reports whether t and u are one term up to the names of bound variables, without keys.
func pairs(t, u *Term, g denote.Ground) bool {
	return (&pairing{g, map[*Var]*Var{}, map[*Var]*Var{}}).equal(t, u)
}

// pairing pairs the bound variables of two terms.
type pairing struct {
	ground denote.Ground
	to     map[*Var]*Var
	from   map[*Var]*Var
}

func (p *pairing) pair(x, y *Var) bool {
	p.to[x], p.from[y] = y, x
	return x.Linear == y.Linear && x.Type == y.Type
}

func (p *pairing) variable(x, y *Var) bool {
	if z, ok := p.to[x]; ok {
		return z == y
	}
	_, ok := p.from[y]
	return !ok && x == y
}

func (p *pairing) pattern(a, b *Pattern) bool {
	if a.X != nil || b.X != nil {
		return a.X != nil && b.X != nil && p.pair(a.X, b.X)
	}
	return p.pattern(a.Left, b.Left) && p.pattern(a.Right, b.Right)
}

func (p *pairing) equal(t, u *Term) bool {
	if t.Op != u.Op || len(t.Kids) != len(u.Kids) || t.Sym != u.Sym || t.Cmp != u.Cmp {
		return false
	}
	switch t.Op {
	case Variable:
		return p.variable(t.X, u.X)
	case Numeral:
		return p.ground.Holds(term.LessEqual, t.Num, u.Num) && p.ground.Holds(term.LessEqual, u.Num, t.Num)
	case Lambda:
		if !p.pair(t.X, u.X) {
			return false
		}
	case Let:
		if !p.pattern(t.P, u.P) {
			return false
		}
	}
	for i, k := range t.Kids {
		if !p.equal(k, u.Kids[i]) {
			return false
		}
	}
	return true
}
