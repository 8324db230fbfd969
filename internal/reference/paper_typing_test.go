package reference

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// table1 types a term by Table 1 as it is printed: ⊢ t : A and ⊢_z t : R^d for one
// linear variable z. The dimension of every dual is 1.
type table1 struct{ ty *Typing }

// types reports whether ⊢ t : A, or ⊢_z t : A where z is not nil.
func (c table1) types(t *Term, z *Var) bool {
	all := func(z *Var) bool {
		for _, k := range t.Kids {
			if !c.types(k, z) {
				return false
			}
		}
		return true
	}
	switch t.Op {
	case Variable:
		return t.X == z || z == nil && !t.X.Linear
	case Numeral:
		return z == nil || t.Num.(float64) == 0
	case Lambda:
		if t.X.Linear {
			return z == nil && c.types(t.Kids[0], t.X)
		}
		return z == nil && all(nil)
	case Apply:
		if c.ty.tt.Kind(c.ty.of(t.Kids[0])) != term.DualKind {
			return z == nil && all(nil)
		}
		return c.types(t.Kids[0], nil) && c.types(t.Kids[1], z)
	case Let:
		body, u := t.Kids[0], t.Kids[1]
		if t.P.X != nil && t.P.X.Linear { // Γ ⊢_(z') u and Γ ⊢_z t give Γ ⊢_(z') t[z:=u], of type R
			return c.ty.of(body) == term.R && c.types(u, z) && c.types(body, t.P.X)
		}
		return c.types(u, nil) && c.types(body, z)
	case Function:
		if z == nil {
			return all(nil)
		}
		a, b := t.Kids[0], t.Kids[len(t.Kids)-1]
		return t.Sym == term.Mul && (c.types(a, z) && c.types(b, nil) || c.types(a, nil) && c.types(b, z))
	}
	return all(z) // pairs and sums: all three sequents have z, or none does
}

// linearTerms are the terms of type R that Table 1 types, of a given size, over one free
// dual variable x*, the numerals 0 and 1, and linear variables.
type linearTerms struct {
	star *Var
	zero *Term
	one  *Term
}

func newLinearTerms(tt *term.Types) *linearTerms {
	return &linearTerms{&Var{Name: "x*", Type: tt.Dual(1)}, numeral(0.0), numeral(1.0)}
}

func linearVar(name string) *Var { return &Var{Name: name, Type: term.R, Linear: true} }

// all lists those of ⊢, or of ⊢_z; name is that of the next linear variable.
func (g *linearTerms) all(size int, z *Var, name byte) (out []*Term) {
	switch {
	case size < 1:
		return nil
	case size == 1:
		if z == nil {
			return []*Term{g.zero, g.one}
		}
		return []*Term{variable(z), g.zero}
	}
	for _, u := range g.all(size-2, z, name) { // x* u
		out = append(out, apply(variable(g.star), u))
	}
	for i := 1; i < size-1; i++ {
		left, right := g.all(i, z, name), g.all(size-1-i, z, name)
		for _, t := range left {
			for _, u := range right {
				out = append(out, plus(t, u))
			}
		}
		b := linearVar(string(name)) // t[b:=u]
		for _, t := range g.all(i, b, name+1) {
			for _, u := range right {
				out = append(out, let(t, single(b), u))
			}
		}
	}
	return out
}

// smallest returns the size of the smallest term that Table 1 types, of which next makes
// one that it does not type; and those of that size.
func smallest(t *testing.T, next func(s *State) []*Term) (size int, found []string) {
	tt := term.NewTypes()
	g := newLinearTerms(tt)
	p := &Program{Typing: &Typing{tt: tt, free: map[*Var]bool{g.star: true}}, Ground: denote.Floats{}}
	c := table1{p.Typing}
	for size := 1; size < 10; size++ {
		var found []string
		for _, u := range g.all(size, nil, 'b') {
			require.True(t, c.types(u, nil), "%s", u)
			u := fresh(u) // a binder that stands twice is two
			for _, v := range next(p.State(u, false)) {
				if !c.types(v, nil) {
					found = append(found, u.String()+" → "+v.String())
				}
			}
		}
		if found != nil {
			return size, found
		}
	}
	return 0, nil
}

// TestPaperTable1Factoring: by Table 1 (11) does not keep the type. The smallest term is
// x* 1 + (x* b)[b:=1], which becomes (x* (1 + b))[b:=1]: no judgement has both an
// ordinary number and b in one sum.
func TestPaperTable1Factoring(t *testing.T) {
	size, found := smallest(t, func(s *State) (out []*Term) {
		for i := range s.Redex {
			if r := &s.Redex[i]; r.Rule == rule.Factor {
				v, err := s.Fire(r)
				require.NoError(t, err)
				out = append(out, v)
			}
		}
		return out
	})
	require.Equal(t, 9, size)
	require.Contains(t, found, "x* 1 + (x* b)[b:=1] → (x* (1 + b))[b:=1]")

	// Under a λ: λa.(x* a + (x* b)[b:=a]).
	tt := term.NewTypes()
	star, a, b := &Var{Name: "x*", Type: tt.Dual(1)}, linearVar("a"), linearVar("b")
	p := &Program{Typing: &Typing{tt: tt, free: map[*Var]bool{star: true}}, Ground: denote.Floats{}}
	call := func(x *Var) *Term { return apply(variable(star), variable(x)) }
	u := lambda(a, plus(call(a), let(call(b), single(b), variable(a))))
	require.True(t, table1{p.Typing}.types(u, nil))
	s := p.State(u, false)
	i := slices.IndexFunc(s.Redex, func(r Redex) bool { return r.Rule == rule.Factor })
	v, err := s.Fire(&s.Redex[i])
	require.NoError(t, err)
	require.Equal(t, "λa.(x* (a + b))[b:=a]", v.String())
	require.False(t, table1{p.Typing}.types(v, nil))
	_, err = p.Typing.Check(v, p.Ground)
	require.NoError(t, err)
}

// TestPaperTable1Equivalence: nor does ≡. The smallest terms are sums of which one side is
// under a substitution: app1 and app2, read from right to left, put the other side under
// it too.
func TestPaperTable1Equivalence(t *testing.T) {
	size, found := smallest(t, func(s *State) (out []*Term) {
		for _, m := range s.Moves() {
			out = append(out, m.Fire())
		}
		return out
	})
	require.Equal(t, 5, size)
	require.Contains(t, found, "1 + b[b:=0] → (1 + b)[b:=0]")
}

// TestPaperEquivalencePush: the two judgements of note A1 type all that (11) and ≡ make
// of these, but not what app1 as it is printed makes of λa.(x* a)[b:=a]: it pushes [b:=a]
// into x*, which has to be ⊢. Hence ≡ pushes a linear substitution only into a subterm
// that mentions its variable.
func TestPaperEquivalencePush(t *testing.T) {
	tt := term.NewTypes()
	star, a, b := &Var{Name: "x*", Type: tt.Dual(1)}, linearVar("a"), linearVar("b")
	p := &Program{Typing: &Typing{tt: tt, free: map[*Var]bool{star: true}}, Ground: denote.Floats{}}
	u := lambda(a, let(apply(variable(star), variable(a)), single(b), variable(a)))
	_, err := p.Typing.Check(u, p.Ground)
	require.NoError(t, err)
	untyped := map[bool][]string{}
	for _, printed := range []bool{false, true} {
		for _, m := range p.State(u, false).moves(printed) {
			if _, err := p.Typing.Check(m.Fire(), p.Ground); err != nil {
				untyped[printed] = append(untyped[printed], m.Fire().String())
			}
		}
	}
	require.Equal(t, map[bool][]string{true: {"λa.x*[b:=a] a"}}, untyped)
}
