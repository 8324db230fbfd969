package reference

import (
	"maps"

	"github.com/gram-machine/gram/term"
)

// linear is ⊢_Z t : R^d.
func (c *checker) linear(t *Term, z map[*Var]bool) (term.Type, error) {
	judge := func(u *Term) (term.Type, error) { return c.linear(u, z) }
	switch t.Op {
	case Variable:
		if !z[t.X] && !(c.zero[t.X] && c.scope[t.X]) {
			return 0, fail(t, "%s, which is not in Z, in ⊢_Z", t.X.Name)
		}
		return term.R, nil
	case Numeral:
		if c.ground.Float(t.Num) != 0 {
			return 0, fail(t, "a number other than 0 in ⊢_Z")
		}
		return term.R, nil
	case Zero:
		return term.AbstractEuclid, nil
	case Plus, MakePair:
		return c.each(t, judge, judge)
	case Apply:
		return c.each(t, c.plain, judge)
	case If:
		return c.each(t, c.plain, c.plain, judge, judge)
	case Match:
		return c.cases(t, judge)
	case Function:
		return c.product(t, judge)
	case Let:
		return c.linearLet(t, z, judge)
	}
	return 0, fail(t, "a λ in ⊢_Z")
}

// each types the children by the given judgements.
func (c *checker) each(t *Term, judges ...func(*Term) (term.Type, error)) (term.Type, error) {
	kids := make([]term.Type, len(t.Kids))
	for i, k := range t.Kids {
		var err error
		if kids[i], err = judges[i](k); err != nil {
			return 0, err
		}
	}
	if t.Op == Apply && c.tt.Kind(kids[0]) != term.DualKind {
		return 0, fail(t, "%s is applied in ⊢_Z", c.tt.String(kids[0]))
	}
	return c.combine(t, kids)
}

// product is t·u: ⊢_Z on one side, ⊢ on the other.
func (c *checker) product(t *Term, judge func(*Term) (term.Type, error)) (term.Type, error) {
	if t.Sym != term.Mul {
		return 0, fail(t, "a symbol in ⊢_Z")
	}
	ty, err := c.each(t, judge, c.plain)
	if err == nil {
		return ty, nil
	}
	if ty, err2 := c.each(t, c.plain, judge); err2 == nil {
		return ty, nil
	}
	return 0, err
}

// linearLet is t[p:=u] under ⊢_Z. An exponential p has ⊢ u. A linear b has either
// ⊢ u, and is then an ordinary variable of ⊢_Z t; or ⊢_Z u and ⊢_{Z∪b} t.
func (c *checker) linearLet(t *Term, z map[*Var]bool, judge func(*Term) (term.Type, error)) (term.Type, error) {
	u, err := c.plain(t.Kids[1])
	if err == nil {
		c.bindOrdinary(t)
		return c.under(t.P, u, t.Kids[0], judge)
	}
	if t.P.X == nil || !t.P.X.Linear {
		return 0, err
	}
	if u, err = judge(t.Kids[1]); err != nil {
		return 0, err
	}
	more := maps.Clone(z)
	more[t.P.X] = true
	return c.under(t.P, u, t.Kids[0], func(u *Term) (term.Type, error) { return c.linear(u, more) })
}

// bindOrdinary lets a linear b of t[b:=u] with ⊢ u be an ordinary variable. If u is a
// zero, then so is b: it has the second judgement too.
func (c *checker) bindOrdinary(t *Term) {
	if b := t.P.X; b != nil && b.Linear {
		c.ordinary[b] = true
		_, err := c.linear(t.Kids[1], nil)
		c.zero[b] = err == nil
	}
}
