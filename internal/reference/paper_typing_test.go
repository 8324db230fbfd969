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
// linear variable z. That the types fit is left to [Program.Check].
type table1 struct{ ty *Program }

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
		if t.P.X != nil && t.P.X.Linear { // Γ ⊢_(z') u and Γ ⊢_z t give Γ ⊢_(z') t[z:=u], of type R^d
			return c.ty.tt.Euclidean(c.ty.of(body)) && c.types(u, z) && c.types(body, t.P.X)
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
				out = append(out, Sum(t, u))
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
	p := &Program{tt: tt, free: map[*Var]bool{g.star: true}, Ground: denote.Floats{}}
	c := table1{p}
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
	p := &Program{tt: tt, free: map[*Var]bool{star: true}, Ground: denote.Floats{}}
	call := func(x *Var) *Term { return apply(variable(star), variable(x)) }
	u := lambda(a, Sum(call(a), let(call(b), single(b), variable(a))))
	require.True(t, table1{p}.types(u, nil))
	s := p.State(u, false)
	i := slices.IndexFunc(s.Redex, func(r Redex) bool { return r.Rule == rule.Factor })
	v, err := s.Fire(&s.Redex[i])
	require.NoError(t, err)
	require.Equal(t, "λa.(x* (a + b))[b:=a]", v.String())
	require.False(t, table1{p}.types(v, nil))
	_, err = p.Check(v)
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

// TestPaperTable1Stacks: nor do (2), (3), (4), (6), (7) and (12), which all move a stack with a linear
// substitution outwards, to where it has a term in its scope that ⊢_b does not type. They are closed terms. The two
// judgements of note A1 type both sides.
func TestPaperTable1Stacks(t *testing.T) {
	tt := term.NewTypes()
	p := &Program{tt: tt, free: map[*Var]bool{}, Ground: denote.Floats{}}
	one := p.num(1)
	for _, c := range []struct {
		rule     rule.Rule
		from     func(b *Var, stack func(*Term) *Term) *Term
		text, to string
	}{
		{rule.Pair, func(b *Var, stack func(*Term) *Term) *Term {
			x, y := real("x"), real("y")
			return let(variable(x), tuplePattern(x, y), stack(pair(variable(b), variable(b))))
		}, "x[⟨x,y⟩:=⟨b, b⟩[b:=1]]", "x[x:=b][y:=b][b:=1]"},
		{rule.Subst, func(b *Var, stack func(*Term) *Term) *Term {
			x := real("x")
			return let(variable(x), single(x), stack(variable(b)))
		}, "x[x:=b[b:=1]]", "b[x:=b][b:=1]"},
		{rule.GC, func(_ *Var, stack func(*Term) *Term) *Term {
			return let(one, single(real("x")), stack(p.num(0)))
		}, "1[x:=0[b:=1]]", "1[b:=1]"},
		{rule.Plus, func(_ *Var, stack func(*Term) *Term) *Term {
			return Sum(one, stack(p.num(0)))
		}, "1 + 0[b:=1]", "1[b:=1]"},
		{rule.PlusPair, func(b *Var, stack func(*Term) *Term) *Term {
			return Sum(pair(one, one), stack(pair(variable(b), variable(b))))
		}, "⟨1, 1⟩ + ⟨b, b⟩[b:=1]", "⟨1 + b, 1 + b⟩[b:=1]"},
		{rule.Function, func(_ *Var, stack func(*Term) *Term) *Term {
			return function(term.Cos, stack(p.num(0)))
		}, "cos(0[b:=1])", "1[b:=1]"},
	} {
		b := linearVar("b")
		u := c.from(b, func(t *Term) *Term { return let(t, single(b), one) })
		require.Equal(t, c.text, u.String())
		require.True(t, table1{p}.types(u, nil), "%s", u)
		_, err := p.Check(u)
		require.NoError(t, err)
		s := p.State(u, false)
		i := slices.IndexFunc(s.Redex, func(r Redex) bool { return r.Rule == c.rule && s.printed(&r) })
		require.GreaterOrEqual(t, i, 0, "%s", u)
		v, err := s.Fire(&s.Redex[i])
		require.NoError(t, err)
		require.Equal(t, c.to, v.String())
		require.False(t, table1{p}.types(v, nil), "%s", v)
		_, err = p.Check(v)
		require.NoError(t, err)
	}
}

// TestPaperLemmaMainTypes: the right side of Lemma main for G = (x + z)[z:=x·y] has no type by Table 1, and nor has any
// term ≡ to it: λa.(x*(a + y·b) + y*(x·b))[b:=a]. Both summands are in the scope of [b:=a], and one of them mentions a.
func TestPaperLemmaMainTypes(t *testing.T) {
	tt := term.NewTypes()
	p := &Program{tt: tt, free: map[*Var]bool{}, Ground: denote.Floats{}}
	x, y, a, b := real("x"), real("y"), linearVar("a"), linearVar("b")
	xd, yd := &Var{Name: "x*", Type: tt.Dual(1)}, &Var{Name: "y*", Type: tt.Dual(1)}
	for _, v := range []*Var{x, y, xd, yd} {
		p.Free(v)
	}
	times := func(x *Var) *Term { return function(term.Mul, variable(x), variable(b)) }
	sum := Sum(apply(variable(xd), Sum(variable(a), times(y))), apply(variable(yd), times(x)))
	u := lambda(a, let(sum, single(b), variable(a)))
	require.Equal(t, "λa.(x* (a + y·b) + y* (x·b))[b:=a]", u.String())
	for _, v := range p.equivalents(u) {
		require.False(t, table1{p}.types(v, nil), "%s", v)
	}
	_, err := p.Check(u)
	require.NoError(t, err)
}

// TestPaperEquivalencePush: (app1), (app2) and (esub) push a linear substitution into a subterm that has to be ⊢. The
// terms that they start from have a type by Table 1, those that they make have none, also by the two judgements of note
// A1. Hence ≡ pushes a linear substitution only into a subterm that mentions its variable.
func TestPaperEquivalencePush(t *testing.T) {
	tt := term.NewTypes()
	star := &Var{Name: "x*", Type: tt.Dual(1)}
	p := &Program{tt: tt, free: map[*Var]bool{star: true}, Ground: denote.Floats{}}
	for _, c := range []struct {
		body        *Term
		name, wrong string
	}{
		{apply(variable(star), p.num(0)), "app1", "λa.x*[b:=a] 0"},
		{function(term.Mul, p.num(0), p.num(1)), "app2", "λa.0·1[b:=a]"},
		{let(p.num(0), single(real("y")), p.num(1)), "esub", "λa.0[y:=1[b:=a]]"},
	} {
		a, b := linearVar("a"), linearVar("b")
		u := lambda(a, let(c.body, single(b), variable(a)))
		require.True(t, table1{p}.types(u, nil), "%s", u)
		_, err := p.Check(u)
		require.NoError(t, err)
		made := false
		for _, m := range p.State(u, false).moves(true) {
			if v := m.Fire(); v.String() == c.wrong {
				made = true
				require.Equal(t, c.name, m.Name)
				require.False(t, table1{p}.types(v, nil), "%s", v)
				_, err := p.Check(v)
				require.Error(t, err)
			}
		}
		require.True(t, made, "%s", u)
		for _, m := range p.State(u, false).Moves() {
			_, err := p.Check(m.Fire())
			require.NoError(t, err)
		}
	}
}
