package reference_test

import (
	"maps"

	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/term"
)

type vars map[*reference.Var]bool

// judgements are those of note A1 to the letter, without types: ⊢ t, and ⊢_Z t for a set Z. term.Check, which keeps one
// variable of Z, is held against them.
type judgements struct {
	*reference.Program
	scope    vars // the variables in scope, and those that are free
	ordinary vars // linear variables b of t[b:=u] with ⊢ u
	zero     vars // those whose u is a zero: they have ⊢ and, for every Z, ⊢_Z
}

func newJudgements(p *reference.Program, free ...*reference.Var) *judgements {
	j := &judgements{p, vars{}, vars{}, vars{}}
	for _, x := range free {
		j.scope[x] = true
	}
	return j
}

// have reports whether ⊢ t, or ⊢_Z t if z is not nil.
func (j *judgements) have(z vars, ts ...*reference.Term) bool {
	for _, t := range ts {
		if !j.has(t, z) {
			return false
		}
	}
	return true
}

// under is have with the variables of a pattern in scope.
func (j *judgements) under(p *reference.Pattern, t *reference.Term, z vars) bool {
	p.Vars(func(x *reference.Var) { j.scope[x] = true })
	defer p.Vars(func(x *reference.Var) { delete(j.scope, x) })
	return j.has(t, z)
}

func (j *judgements) has(t *reference.Term, z vars) bool {
	switch t.Op {
	case reference.Variable:
		return j.scope[t.X] && (z == nil && (!t.X.Linear || j.ordinary[t.X]) || z[t.X] || z != nil && j.zero[t.X])
	case reference.Numeral:
		return z == nil || j.Ground.Float(t.Num) == 0
	case reference.Lambda:
		var body vars
		if t.X.Linear {
			body = vars{t.X: true}
		}
		return z == nil && j.under(&reference.Pattern{X: t.X}, t.Kids[0], body)
	case reference.Let:
		return j.let(t, z)
	case reference.Function:
		if z == nil {
			return j.have(nil, t.Kids...)
		}
		a, b := t.Kids[0], t.Kids[len(t.Kids)-1]
		return t.Sym == term.Mul && (j.has(a, z) && j.has(b, nil) || j.has(a, nil) && j.has(b, z))
	case reference.Apply:
		f, u := t.Kids[0], t.Kids[1]
		if j.HasDual(j.Of(f)) && j.has(f, nil) {
			return j.has(u, z)
		}
		return z == nil && j.have(nil, f, u)
	case reference.If:
		return j.have(nil, t.Kids[:2]...) && j.have(z, t.Kids[2:]...)
	case reference.Match:
		if !j.has(t.Kids[0], nil) {
			return false
		}
		for _, b := range t.Kids[1:] {
			if b.P == nil && !j.has(b.Kids[0], z) || b.P != nil && !j.under(b.P, b.Kids[0], z) {
				return false
			}
		}
		return true
	}
	return j.have(z, t.Kids...) // pairs, sums, constructors and 0⃗
}

// let is t[p:=u]. An exponential p has ⊢ u. A linear b has either ⊢ u, and is then an ordinary variable of t; or ⊢_Z u
// and ⊢_{Z∪b} t.
func (j *judgements) let(t *reference.Term, z vars) bool {
	body, u, b := t.Kids[0], t.Kids[1], t.P.X
	linear := b != nil && b.Linear
	if j.has(u, nil) {
		if linear {
			j.ordinary[b], j.zero[b] = true, j.has(u, vars{})
		}
		return j.under(t.P, body, z)
	}
	if !linear || z == nil || !j.has(u, z) {
		return false
	}
	more := maps.Clone(z)
	more[b] = true
	return j.under(t.P, body, more)
}
