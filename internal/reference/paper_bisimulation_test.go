package reference

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// rulesPrinted returns the rules that have a redex in u as they are printed.
func (p *Program) rulesPrinted(u *Term) map[rule.Rule]bool {
	out := map[rule.Rule]bool{}
	s := p.State(u, true)
	for i := range s.Redex {
		if r := &s.Redex[i]; s.printed(r) {
			out[r.Rule] = true
		}
	}
	return out
}

// TestPaperBisimulation: ≡ is no strong bisimulation, also without (dup), where the rules are taken as they are
// printed. ⟨1,3⟩[y:=2] is a vα and ⟨1[y:=2],3⟩, which is ≡ to it by (app1), is none: so (3) and (4) apply to
// the first term of a pair and not to the second. Nor does (10) see a pair behind a substitution.
func TestPaperBisimulation(t *testing.T) {
	p := paper()
	tt := p.tt
	one, two, three := p.num(1), p.num(2), p.num(3)
	x := &Var{Name: "x", Type: tt.Prod(term.R, term.R)}
	y := real("y")
	// z is free, so that [y:=z 1] is no redex of (4).
	z := &Var{Name: "z", Type: tt.Arrow(term.R, term.R)}
	call := apply(variable(z), one)
	for _, c := range []struct {
		rule     rule.Rule
		from, to *Term
	}{
		{
			rule.Subst,
			let(variable(x), single(x), let(pair(one, three), single(y), two)),
			let(variable(x), single(x), pair(let(one, single(y), two), three)),
		},
		{
			rule.GC,
			let(one, single(x), let(pair(one, three), single(y), call)),
			let(one, single(x), pair(let(one, single(y), call), three)),
		},
		{
			rule.EtaPair,
			let(let(variable(x), single(x), pair(variable(y), three)), single(y), two),
			let(variable(x), single(x), let(pair(variable(y), three), single(y), two)),
		},
	} {
		require.True(t, p.among(c.to, p.equivalents(c.from)), "%s", c.rule)
		require.True(t, p.rulesPrinted(c.from)[c.rule], "%s", c.from)
		require.False(t, p.rulesPrinted(c.to)[c.rule], "%s", c.to)
	}
}

// TestPaperBisimulationEta: (x 1)[x:=λz.z] ≡ x[x:=λz.z] 1 by (app1). (9) makes (λy.x[x:=λz.z] y) 1 of the right
// side. No (9) of the left side makes a term ≡ to that, since no substitution passes a λ. Where (9) is for variables only,
// which is all that Lemma main needs, each step of the one has its step of the other.
func TestPaperBisimulationEta(t *testing.T) {
	p := paper()
	x := &Var{Name: "x", Type: p.tt.Arrow(term.R, term.R)}
	z := real("z")
	identity := lambda(z, variable(z))
	left := let(apply(variable(x), p.num(1)), single(x), identity)
	right := apply(let(variable(x), single(x), identity), p.num(1))
	require.True(t, p.among(right, p.equivalents(left)))

	// expansions are what (9) makes of u, at any place or at variables.
	expansions := func(u *Term, variables bool) (out []*Term) {
		s := p.State(u, true)
		for i := range s.Redex {
			r := &s.Redex[i]
			if r.Rule != rule.EtaLambda || variables && s.places[r.at].t.Op != Variable {
				continue
			}
			v, err := s.Fire(r)
			require.NoError(t, err)
			out = append(out, v)
		}
		return out
	}
	matched := func(v *Term, us []*Term) bool {
		same := p.equivalents(v)
		return slices.ContainsFunc(us, func(u *Term) bool { return p.among(u, same) })
	}
	unmatched := map[string]bool{}
	for _, v := range expansions(right, false) {
		if !matched(v, expansions(left, false)) {
			unmatched[v.String()] = true
		}
	}
	require.Equal(t, map[string]bool{"(λy.x[x:=λz.z] y) 1": true}, unmatched)
	require.Len(t, expansions(right, true), 1)
	require.True(t, matched(expansions(right, true)[0], expansions(left, true)))
}
