package reference

import (
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// Equal reports whether t and u are one term up to the names of bound variables.
func Equal(t, u *Term, g denote.Ground) bool {
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
