package reference

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// split2 is dup from left to right with no occurrence renamed: t[x:=u] ≡ t[x:=u][y:=u].
func split2(t *Term) *Term {
	y := *t.P.X
	y.Name = "y"
	return let(t, single(&y), fresh(t.Kids[1]))
}

// merge is dup from right to left, at the root: t[x:=u][y:=u] ≡ t{x/y}[x:=u]; nil where
// there is no such pair of substitutions.
func (p *Program) merge(t *Term) *Term {
	if t.Op != Let || t.Kids[0].Op != Let || !Equal(t.Kids[1], t.Kids[0].Kids[1]) {
		return nil
	}
	inner := t.Kids[0]
	return let(substitute(inner.Kids[0], t.P.X, variable(inner.P.X)), inner.P, inner.Kids[1])
}

// TestPaperDupLoops: modulo dup, x[x:=1] ≡ x[x:=1][y:=1] → x[x:=1] by (4): a reduction
// that never ends, where the calculus is strongly normalising modulo ≡ by the remark after
// Prop. wn. And ≡ is no strong bisimulation: the first has no step by (4).
func TestPaperDupLoops(t *testing.T) {
	p := paper()
	x := real("x")
	u := let(variable(x), single(x), p.num(1))
	v := split2(u)
	require.Equal(t, "x[x:=1][y:=1]", v.String())
	moves := p.State(u, false).Duplications()
	require.Len(t, moves, 1)
	require.True(t, Equal(v, moves[0].Fire()))
	require.True(t, Equal(u, p.merge(v)))
	s := p.State(v, false)
	var back []*Term
	for i := range s.Redex {
		if s.Redex[i].Rule == rule.GC {
			w, err := s.Fire(&s.Redex[i])
			require.NoError(t, err)
			back = append(back, w)
		}
	}
	require.Len(t, back, 1)
	require.True(t, Equal(u, back[0]))
	for _, r := range p.State(u, false).Redex {
		require.NotEqual(t, rule.GC, r.Rule)
	}
}

// unused counts the substitutions of a term whose variable has no occurrence.
func unused(t *Term) int {
	n := 0
	if t.Op == Let && !mentions(t.P, t.Kids[0]) {
		n++
	}
	for _, k := range t.Kids {
		n += unused(k)
	}
	return n
}

// TestPaperDupProper: nor is ≡ a bisimulation if dup has to rename an occurrence and to leave one. Of
// (x+x)[x:=1] ≡ (x+y)[x:=1][y:=1] the right side comes to (x+1)[x:=1][y:=1] by (3), in which one substitution has no
// occurrence. What (3) makes of the left side has none such, and no equation adds or removes one.
func TestPaperDupProper(t *testing.T) {
	p := paper()
	x, y := real("x"), real("y")
	left := let(Sum(variable(x), variable(x)), single(x), p.num(1))
	right := let(let(Sum(variable(x), variable(y)), single(x), p.num(1)), single(y), p.num(1))
	require.True(t, Equal(left, p.merge(right)))
	after := func(u *Term) (out []int) {
		s := p.State(u, false)
		for i := range s.Redex {
			require.Equal(t, rule.SubstNumeral, s.Redex[i].Rule)
			v, err := s.Fire(&s.Redex[i])
			require.NoError(t, err)
			out = append(out, unused(v))
		}
		return out
	}
	require.Equal(t, []int{0, 0}, after(left))
	require.Equal(t, []int{1, 1}, after(right))
	for _, u := range []*Term{left, right} {
		for _, v := range p.equivalents(u) {
			require.Zero(t, unused(v), "%s", v)
		}
	}
}

// TestPaperDupInProofs: the proofs of Prop. backprop_sound and of Lemma main give each part of a term its own copy of the
// substitutions around it, as (x+z)[z:=neg x][x:=3] ≡ (x+z)[x:=3][z:=(neg y)[y:=3]]. Without dup the two are not ≡.
// Each reduces to 0, by (3) at numerals, (4), (6) and (12), in any order.
func TestPaperDupInProofs(t *testing.T) {
	p := paper()
	x, y, z := real("x"), real("y"), real("z")
	body := Sum(variable(x), variable(z))
	shared := let(let(body, single(z), function(term.Neg, variable(x))), single(x), p.num(3))
	copied := let(let(body, single(x), p.num(3)), single(z), let(function(term.Neg, variable(y)), single(y), p.num(3)))
	require.False(t, p.meets(p.equivalents(shared), p.equivalents(copied)))
	for _, u := range []*Term{shared, copied} {
		for _, v := range p.printedReductions(t, u) {
			if len(p.printedSteps(t, v, false)) == 0 {
				require.Equal(t, "0", v.String())
			}
		}
	}
}

// doubles is y + y' with y and y' each bound to a copy of the same, n levels deep; and the
// least term that dup makes of it, by n steps.
func (p *Program) doubles(x *Var, n int) (tree, shared *Term) {
	tree = variable(x)
	for range n {
		y, z := real("y"), real("y'")
		tree = let(let(Sum(variable(y), variable(z)), single(y), tree), single(z), fresh(tree))
	}
	return tree, p.merged(tree)
}

// merged is merge at the root, and then in what is substituted.
func (p *Program) merged(t *Term) *Term {
	u := p.merge(t)
	if u == nil {
		return t
	}
	return u.withKid(1, p.merged(u.Kids[1]))
}

// openings counts the [⟨x,x*⟩:=…] of a term.
func openings(t *Term) int {
	n := 0
	if t.Op == Let && t.P.X == nil {
		n++
	}
	for _, k := range t.Kids {
		n += openings(k)
	}
	return n
}

// openingsInValues counts those under a λ.
func openingsInValues(t *Term) int {
	if t.Op == Lambda {
		return openings(t)
	}
	n := 0
	for _, k := range t.Kids {
		n += openingsInValues(k)
	}
	return n
}

// theoremConstant is the constant of Theorem 1 without dup for symbols of at most two arguments: see theoremSteps.
const theoremConstant = 25

// TestPaperDupTheorem1: modulo dup, a tree of 2ⁿ − 1 sums is a ground term G of size
// 3n + 1, in m = 0 steps. But D(t) has two openings for each sum of the tree, no step
// removes more than one, and none is left in the result: so it takes 2(2ⁿ − 1) steps at
// least, where Theorem 1 as it is printed has O(m + |G|). Already for n = 9 the constant
// that holds without dup is not enough. If D(t) is reduced modulo dup, too, as t is, the bound holds: dup makes D(G) of it, as it makes G of
// t, in n steps of ≡.
func TestPaperDupTheorem1(t *testing.T) {
	p := paper()
	x := real("x")
	first := 0
	for n := 1; n <= 12 && first == 0; n++ {
		tree, g := p.doubles(x, n)
		size := (&Start{Program: p}).GraphSize(g)
		require.EqualValues(t, 3*n+1, size.Total())
		d := p.Reverser()
		steps := openings(d.Term(tree))
		require.Equal(t, 2*(1<<n-1), steps)
		require.True(t, Equal(d.Term(g), p.merged(d.Term(tree))))
		if inputs := 1; steps > theoremConstant*(int(size.Total())+inputs+1) {
			first = n
		}
	}
	require.Equal(t, 9, first)

	// No step removes two openings, for no value has one: (4) and (5) drop values, and what stands under a λ.
	tree, _ := p.doubles(x, 3)
	d := p.Reverser()
	u := d.Term(tree)
	star := &Var{Name: "x*", Type: term.AbstractDual}
	u = let(u, single(d.Var(x)), pair(p.num(1), variable(star)))
	random := Random(rand.New(rand.NewPCG(1, 0)))
	for steps := 0; ; steps++ {
		require.Less(t, steps, 5000)
		s := p.State(u, false)
		r := random(s)
		if r == nil {
			break
		}
		v, err := s.Fire(r)
		require.NoError(t, err)
		require.LessOrEqual(t, openings(u)-openings(v), 1)
		require.Zero(t, openingsInValues(v))
		u = v
	}
	require.Zero(t, openings(u))
}

// TestPaperZeroTuple: with 0⃗ written out, D(1) for R⊥d has d numerals, so that Lemma
// sizeReverse has a constant that grows with d, which Cor. gradient's remark sets to n.
// As one node it does not (note C3).
func TestPaperZeroTuple(t *testing.T) {
	p := paper()
	for d := 1; d <= 64; d *= 2 {
		zeros := make([]*Term, d)
		for i := range zeros {
			zeros[i] = p.num(0)
		}
		written := pair(p.num(1), dual(func(*Term) *Term { return Tuple(zeros...) }))
		require.Equal(t, 3+2*d-1, symbols(written, 1))
	}
	require.Equal(t, 4, symbols(p.Reverser().Term(p.num(1)), 1))
}
