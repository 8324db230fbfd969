package reference

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// drawRational draws a program over the rationals, with its inputs free.
func drawRational(t *rapid.T) (*Program, *generate.Program) {
	p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(3, generate.MaxSize).Draw(t, "size")})
	for i := range p.Term.Nodes {
		if n := &p.Term.Nodes[i]; n.Op == term.FunOp && !denote.Rational(n.Sym) {
			n.Sym = term.Neg
		}
	}
	return Convert(p.Term, denote.Rationals{}), p
}

// TestPropertyReverseTwice: D of this package and D of package revgrad are one.
func TestPropertyReverseTwice(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p, src := drawRational(t)
		image, err := revgrad.Reverse(src.Term, nil)
		require.NoError(t, err)
		q := Convert(image, p.Ground)
		d := p.Reverser()
		for _, x := range src.Inputs { // the inputs are free in both
			if v := p.Var(x); v != nil && q.Var(x) != nil {
				d.vars[v] = q.Var(x)
			}
		}
		require.True(t, Equal(q.Term, d.Term(p.Term), p.Ground), "%s", src.Term)
	})
}

// equivalenceMoves is how many moves of ≡ it takes at most from D(t) to D(t') for one
// from t to t': a substitution of a sum or a product passes the openings that D makes.
const equivalenceMoves = 2

// TestPropertyCommutationEquivalence is Lemma Commutation, item 1: where t ≡ t', D(t) ≡
// D(t').
func TestPropertyCommutationEquivalence(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p, _ := drawRational(t)
		d := p.Reverser()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "walk"), 0))
		for u, steps := p.Term, 0; steps < 10; steps++ {
			s := p.State(u, false)
			if moves := s.Moves(); len(moves) > 0 {
				m := moves[rng.IntN(len(moves))]
				from, to := s.places[m.at].t, m.local()
				require.True(t, p.equivalent(d.Term(from), d.Term(to), equivalenceMoves), "%s: %s and %s", m.Name, from, to)
				u = m.Fire()
				continue
			}
			r := Random(rng)(s)
			if r == nil {
				return
			}
			next, err := s.Fire(r)
			if err != nil {
				return
			}
			u = next
		}
	})
}

// equivalent reports whether k moves of ≡ lead from t to u.
func (p *Program) equivalent(t, u *Term, k int) bool {
	if Equal(t, u, p.Ground) {
		return true
	}
	if k == 0 {
		return false
	}
	for _, m := range p.State(t, false).Moves() {
		if p.equivalent(m.Fire(), u, k-1) {
			return true
		}
	}
	return false
}

// commutation are the rules X of Lemma Commutation for a rule ι, and the constant: how
// many steps of X it takes at most from D(t) to D(t').
type commutation struct {
	x     []graph.Rule
	bound float64
}

// numeric is X without ι for the numeric rules: decision 17 of the calculus.
var numeric = []graph.Rule{
	graph.Lambda, graph.PairRule, graph.Subst, graph.SubstNumeral, graph.GC, graph.Lin, graph.Function,
}

// The constants of Lemma Commutation.
const (
	commutesPlus     = 15
	commutesTimes    = 17
	commutesFunction = 19
	commutesBranch   = 9
)

var commutations = map[graph.Rule]commutation{
	graph.Lambda:       {[]graph.Rule{graph.Lambda}, 1},
	graph.PairRule:     {[]graph.Rule{graph.PairRule}, 1},
	graph.Subst:        {[]graph.Rule{graph.Subst}, 1},
	graph.SubstNumeral: {[]graph.Rule{graph.Subst}, 1},
	graph.GC:           {[]graph.Rule{graph.GC}, 1},
	graph.EtaLambda:    {[]graph.Rule{graph.EtaLambda}, 1},
	graph.EtaPair:      {[]graph.Rule{graph.EtaPair}, 1},
	graph.Plus:         {append(numeric, graph.Plus), commutesPlus},
	graph.Times:        {append(numeric, graph.Times), commutesTimes},
	graph.Function:     {numeric, commutesFunction},
	graph.Branch:       {append(numeric, graph.Branch), commutesBranch},
}

// TestPropertyCommutation is Lemma Commutation, item 2: where t → t' by a rule ι at any
// place, D(t) →* D(t') by at most a constant number of steps of X.
func TestPropertyCommutation(t *testing.T) {
	constants := map[graph.Rule]*property.Constant{}
	for rule := range commutations {
		constants[rule] = &property.Constant{}
	}
	t.Cleanup(func() {
		for rule := range graph.NumRules {
			if c := constants[rule]; c != nil {
				c.Report(t, fmt.Sprintf("steps of X for (%s)", graph.Rules[rule].Number), commutations[rule].bound)
			}
		}
	})
	property.Check(t, func(t *rapid.T) {
		p, src := drawRational(t)
		if rapid.Bool().Draw(t, "at a point") {
			p = p.ValueStart(src.Inputs, src.Point).Program
		}
		d := p.Reverser()
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "walk"), 0))
		for u, steps := p.Term, 0; steps < 40; steps++ {
			s := p.State(u, rng.IntN(8) == 0)
			r := Random(rng)(s)
			if r == nil {
				return
			}
			next, err := s.Fire(r)
			var undefined *denote.UndefinedError
			if errors.As(err, &undefined) {
				return
			}
			require.NoError(t, err)
			k := requireCommutes(t, p, d, s, r, next)
			require.LessOrEqual(t, float64(k), commutations[r.Rule].bound, "%s of %s", r.Rule, u)
			constants[r.Rule].Measure(float64(k), r.Rule)
			u = next
		}
	})
}

// requireCommutes requires D(t) →_X* D(t') for a step t → t', and returns its length.
// The steps are made in D(w), where w is the subterm that the rule rewrites; D(t) is
// D(w) in the image of the context.
func requireCommutes(t require.TestingT, p *Program, d *Reverser, s *State, r *Redex, next *Term) int {
	hole := &Var{Name: "hole", Type: p.Typing.of(s.places[r.at].t)}
	context := d.Term(s.replace(r.at, variable(hole), -1))
	in := func(w *Term) *Term { return substitute(context, d.Var(hole), w) }
	opaque := map[*Term]bool{}
	w := s.places[r.at].t
	dw := d.opaque(w, r.Rule, opaque)
	require.True(t, Equal(d.Term(s.Term), in(dw), p.Ground))
	want := d.Term(next)
	steps := 0
	for ; !Equal(want, in(dw), p.Ground); steps++ {
		require.Less(t, steps, 100, "from %s to %s: stuck at %s", d.Term(s.Term), want, in(dw))
		dw = p.stepOf(t, commutations[r.Rule].x, dw, opaque, func(u *Term) bool { return Equal(want, in(u), p.Ground) })
	}
	return steps
}

// opaque is D(w), where what stands in the substitutions between a numeric rule and its
// numerals, and in branches, is put into the set: X has no steps to make there.
func (d *Reverser) opaque(w *Term, rule graph.Rule, set map[*Term]bool) *Term {
	switch rule {
	case graph.Plus, graph.Times, graph.Function, graph.Branch:
	default:
		return d.Term(w)
	}
	u := d.Term(w)
	v, a := split(u)
	for _, s := range a {
		_, b := split(s.u)
		for _, o := range b {
			set[o.u] = true
		}
	}
	if rule == graph.Branch {
		set[v.Kids[2]], set[v.Kids[3]] = true, true
	}
	return u
}

// stepOf makes one step of X outside of the opaque terms. For a rule that is no numeric
// one the step has to reach the goal.
func (p *Program) stepOf(t require.TestingT, x []graph.Rule, u *Term, opaque map[*Term]bool, goal func(*Term) bool) *Term {
	s := p.State(u, x[0] == graph.EtaLambda || x[0] == graph.EtaPair)
	for i := range s.Redex {
		r := &s.Redex[i]
		if !contains(x, r.Rule) || s.inOpaque(r.at, opaque) {
			continue
		}
		next, err := s.Fire(r)
		require.NoError(t, err)
		if len(x) > 1 || goal(next) {
			return next
		}
	}
	require.Fail(t, "no step", "of %v in %s", x, u)
	return nil
}

func contains(x []graph.Rule, r graph.Rule) bool {
	for _, y := range x {
		if y == r || y == graph.Subst && r == graph.SubstNumeral {
			return true
		}
	}
	return false
}

// inOpaque reports whether place i is in an opaque term, or a substitution of one.
func (s *State) inOpaque(i int, opaque map[*Term]bool) bool {
	if n := s.places[i].t; n.Op == Let && opaque[n.Kids[1]] {
		return true
	}
	for ; i >= 0; i = s.places[i].parent {
		if opaque[s.places[i].t] {
			return true
		}
	}
	return false
}
