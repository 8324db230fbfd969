package reference

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// printed reports whether a redex is one of the tables as they are printed: (3), (4) and (5) of a vα whose v is a
// value, not only ≡ to one, and no (5'). (11) is left to [State.printedFactor].
func (s *State) printed(r *Redex) bool {
	switch r.Rule {
	case rule.Subst, rule.SubstNumeral, rule.GC, rule.Lin:
		v, _ := split(s.places[r.at].t.Kids[1])
		return !r.Garbage && isValue(v)
	}
	return r.Rule != rule.Factor
}

// printedFactor returns the terms that (11) as it is printed makes of the state's: of the two sides of one +.
func (s *State) printedFactor() (out []*Term) {
	for i, p := range s.places {
		if p.t.Op != Plus {
			continue
		}
		left, b := split(p.t.Kids[0])
		right, d := split(p.t.Kids[1])
		x, a := head(left)
		y, c := head(right)
		if x == nil || x != y || !s.isDual(x) {
			continue
		}
		u := apply(variable(x), Sum(left.Kids[1], right.Kids[1]))
		out = append(out, s.replace(i, slices.Concat(a, b, c, d).plug(u), -1))
	}
	return out
}

// printedSteps returns the terms that the rules β, (12) and ℓ as they are printed make of u, and with eta those of
// (9) and (10) too.
func (p *Program) printedSteps(t *testing.T, u *Term, eta bool) []*Term {
	s := p.State(u, eta)
	out := s.printedFactor()
	for i := range s.Redex {
		if r := &s.Redex[i]; s.printed(r) {
			v, err := s.Fire(r)
			require.NoError(t, err)
			out = append(out, v)
		}
	}
	return out
}

// closure returns u and all terms that repeated steps make of it, by their texts.
func closure(u *Term, steps func(*Term) []*Term) map[string]*Term {
	seen := map[string]*Term{u.String(): u}
	for queue := []*Term{u}; len(queue) > 0; queue = queue[1:] {
		for _, v := range steps(queue[0]) {
			if text := v.String(); seen[text] == nil {
				seen[text] = v
				queue = append(queue, v)
			}
		}
	}
	return seen
}

// printedReductions are all terms that β, (12) and ℓ as they are printed lead to.
func (p *Program) printedReductions(t *testing.T, u *Term) map[string]*Term {
	return closure(u, func(v *Term) []*Term { return p.printedSteps(t, v, false) })
}

// equivalents are the terms ≡ u, with the equations as they are printed but without (dup).
func (p *Program) equivalents(u *Term) map[string]*Term {
	return closure(u, func(v *Term) (out []*Term) {
		for _, m := range p.State(v, false).moves(true) {
			out = append(out, m.Fire())
		}
		return out
	})
}

// among reports whether one of the terms is u, up to the names of bound variables.
func (p *Program) among(u *Term, terms map[string]*Term) bool {
	for _, v := range terms {
		if Equal(u, v) {
			return true
		}
	}
	return false
}

// meets reports whether a term of the one set is one of the other.
func (p *Program) meets(some, others map[string]*Term) bool {
	for _, u := range some {
		if p.among(u, others) {
			return true
		}
	}
	return false
}

// dualOf is x* : R⊥ for a real variable x, free in the terms of the program.
func (p *Program) dualOf(x *Var) *Var {
	star := &Var{Name: x.Name + "*", Type: term.AbstractDual}
	p.Free(star)
	return star
}

// TestPaperLemmaMain: D(sin x)[x:=⟨x,λa.x* a⟩] does not come to ⟨sin x, λa.x*(sin′ x·a)⟩, the right side of Lemma main,
// nor to a term ≡ to it, by any reduction, and so with x·x: (1) makes (x* b)[b:=sin′ x·a] of (λb.x* b)(sin′ x·a), and (5) is for values.
// From [x:=⟨x,x*⟩] it comes there; and D(x) comes to ⟨x,λa.x* a⟩ by (9).
func TestPaperLemmaMain(t *testing.T) {
	p := paper()
	x := real("x")
	star := p.dualOf(x)
	d := p.Reverser()
	start := func(g, second *Term) *Term {
		return let(p.numericZeros(d.Term(g)), single(d.Var(x)), pair(variable(x), second))
	}
	eta := func() *Term { return dual(func(a *Term) *Term { return apply(variable(star), a) }) }
	sine := function(term.Sin, variable(x))
	product := func(a *Term) *Term { return function(term.Mul, d.slope(term.Sin, 0, []*Term{variable(x)}), a) }
	right := pair(sine, dual(func(a *Term) *Term { return apply(variable(star), product(a)) }))

	from := start(sine, eta())
	_, err := p.Check(let(from, single(x), p.num(1)))
	require.NoError(t, err)
	goal := p.equivalents(right)
	require.False(t, p.meets(goal, p.printedReductions(t, from)))
	stuck := pair(sine, dual(func(a *Term) *Term {
		b := linearVar("b")
		return let(apply(variable(star), variable(b)), single(b), product(a))
	}))
	require.True(t, p.among(stuck, p.printedReductions(t, from)))
	require.Empty(t, p.printedSteps(t, stuck, false))

	require.True(t, p.meets(goal, p.printedReductions(t, start(sine, variable(star)))))
	square := function(term.Mul, variable(x), variable(x))
	half := func(a *Term) *Term { return function(term.Mul, variable(x), a) }
	right = pair(square, dual(func(a *Term) *Term { return apply(variable(star), Sum(half(a), half(a))) }))
	require.False(t, p.meets(p.equivalents(right), p.printedReductions(t, start(square, eta()))))
	require.True(t, p.meets(p.equivalents(right), p.printedReductions(t, start(square, variable(star)))))
	y := real("y")
	other := p.dualOf(y)
	right = pair(Sum(variable(x), variable(y)), dual(func(a *Term) *Term {
		return Sum(apply(variable(star), a), apply(variable(other), a))
	}))
	from = let(start(Sum(variable(x), variable(y)), variable(star)), single(d.Var(y)), pair(variable(y), variable(other)))
	require.True(t, p.meets(p.equivalents(right), p.printedReductions(t, from)))
	etas := map[string]*Term{}
	for _, u := range p.printedReductions(t, start(variable(x), variable(star))) {
		for _, v := range p.printedSteps(t, u, true) {
			etas[v.String()] = v
		}
	}
	require.True(t, p.among(pair(variable(x), eta()), etas))
}

// TestPaperLinGarbage: D(1·1) does not come to D(1), nor to a term ≡ to it, by the rules as they are printed, all of
// them: against Lemma Commutation for (8), and Theorem 1 for x + 1·1 → x + 1. The substitutions [b:=1·a] that are left
// under λa are linear, so that (4) is not for them, and 1·a is no value, so that (5) isn't. With (5') it does.
func TestPaperLinGarbage(t *testing.T) {
	p := paper()
	d := p.Reverser()
	from := p.numericZeros(d.Term(function(term.Mul, p.num(1), p.num(1))))
	to := p.numericZeros(d.Term(p.num(1)))
	all := p.printedReductions(t, from)
	require.False(t, p.meets(p.equivalents(to), all))
	normal := 0
	for _, u := range all {
		if len(p.printedSteps(t, u, false)) > 0 {
			continue
		}
		normal++
		require.Equal(t, "⟨1, λa.0[a2:=1·a][a3:=1·a]⟩", u.String())
		for range 2 {
			s := p.State(u, false)
			require.True(t, s.Redex[0].Garbage)
			v, err := s.Fire(&s.Redex[0])
			require.NoError(t, err)
			u = v
		}
		require.True(t, Equal(to, u))
	}
	require.Equal(t, 1, normal)
}

// TestPaperUnusedInputs: t = 1[y:=⟨x1,…⟨xn−1,xn⟩…⟩] comes to the ground term 1 in m = 1 step, whatever n is. But each of
// the n substitutions of D(t)[x1:=⟨x1,λa.x1* a⟩]… has to be collected by a (4) of its own: no step removes two. So
// D(t) takes n + 1 steps at least, where Theorem 1 has O(m + |G|) = O(1).
func TestPaperUnusedInputs(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 0))
	for n := 2; n <= 20; n += 6 {
		p := paper()
		var xs []*Var
		var args []*Term
		for i := range n {
			x := real(fmt.Sprintf("x%d", i+1))
			xs, args = append(xs, x), append(args, variable(x))
		}
		u := Tuple(args...)
		y := &Var{Name: "y", Type: p.of(u)}
		source := let(p.num(1), single(y), u)
		require.Len(t, p.printedSteps(t, source, false), 1)
		require.True(t, p.among(p.num(1), p.printedReductions(t, source)))

		d := p.Reverser()
		v := p.numericZeros(d.Term(source))
		unused := map[*Var]bool{}
		for _, x := range xs {
			star := p.dualOf(x)
			z := d.Var(x)
			v = let(v, single(z), pair(variable(x), dual(func(a *Term) *Term { return apply(variable(star), a) })))
			unused[z] = true
		}
		left := func(w *Term) (k int) {
			for ; w.Op == Let; w = w.Kids[0] {
				if w.P.X != nil && unused[w.P.X] {
					k++
				}
			}
			return k
		}
		require.Equal(t, n, left(v))
		steps := 0
		for ; ; steps++ {
			next := p.printedSteps(t, v, false)
			if len(next) == 0 {
				break
			}
			for _, w := range next {
				require.LessOrEqual(t, left(v)-left(w), 1)
			}
			v = next[rng.IntN(len(next))]
		}
		require.GreaterOrEqual(t, steps, n+1)
		require.Equal(t, "⟨1, λa.0⟩", v.String())
	}
}
