package reference

import (
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// paper is a program over the rationals, to build terms in.
func paper() *Program {
	return &Program{tt: term.NewTypes(), free: map[*Var]bool{}, Ground: denote.Rationals{}, vars: map[term.Var]*Var{}}
}

func (p *Program) num(r float64) *Term { return numeral(p.Ground.Of(r)) }

func real(name string) *Var { return &Var{Name: name, Type: term.R} }

// β as it is printed, without (12).
var printedBeta = []rule.Rule{
	rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Lin, rule.Plus, rule.PlusPair, rule.Times,
}

// reachable lists the terms that u comes to by the rules of X, by their text. (5') is
// none of them.
func (p *Program) reachable(t *testing.T, u *Term, x ...rule.Rule) map[string]*Term {
	seen := map[string]*Term{u.String(): u}
	for queue := []*Term{u}; len(queue) > 0; queue = queue[1:] {
		s := p.State(queue[0], false)
		for i := range s.Redex {
			r := &s.Redex[i]
			if r.Garbage || !commutes(x, r.Rule) {
				continue
			}
			v, err := s.Fire(r)
			require.NoError(t, err)
			if seen[v.String()] == nil {
				seen[v.String()] = v
				queue = append(queue, v)
			}
		}
	}
	return seen
}

// reaches reports whether X leads from u to v, up to the names of bound variables.
func (p *Program) reaches(t *testing.T, u, v *Term, x ...rule.Rule) bool {
	for _, w := range p.reachable(t, u, x...) {
		if Equal(v, w) {
			return true
		}
	}
	return false
}

// TestPaperFunctionInBeta: without (12), neg 1 is a closed β-normal form and no value:
// against Prop. values. No smaller closed term is one.
func TestPaperFunctionInBeta(t *testing.T) {
	p := paper()
	u := function(term.Neg, p.num(1))
	require.Len(t, p.reachable(t, u, printedBeta...), 1)
	require.False(t, isValue(u))
	require.True(t, p.reaches(t, u, p.num(-1), append(printedBeta, rule.Function)...))
}

// TestPaperCommutationRules: with the X that is printed, {ι, (1), (3), (4)} for (6) and (8)
// and {ι} for (12), D(1+1) does not come to D(2), nor D(1·1) to D(1), nor D(neg 1) to
// D(−1); with that of note C1 they do, and each of (2) and (5) is needed.
func TestPaperCommutationRules(t *testing.T) {
	p := paper()
	printed := []rule.Rule{rule.Lambda, rule.Subst, rule.GC}
	for _, c := range []struct {
		rule rule.Rule
		from *Term
		to   float64
		x    []rule.Rule // besides ι, as it is printed
	}{
		{rule.Plus, Sum(p.num(1), p.num(1)), 2, printed},
		{rule.Times, function(term.Mul, p.num(1), p.num(1)), 1, printed},
		{rule.Function, function(term.Neg, p.num(1)), -1, nil},
	} {
		d := p.Reverser()
		from, to := d.Term(c.from), d.Term(p.num(c.to))
		require.False(t, p.reaches(t, from, to, append(c.x, c.rule)...), "%s", c.rule)
		corrected := append(slices.Clone(numeric), c.rule)
		u := from
		for i := 0; !Equal(u, to); i++ {
			require.Less(t, i, 30)
			next, err := p.commutingStep(corrected, u, nil, nil)
			require.NoError(t, err)
			require.NotNil(t, next)
			u = next
		}
		for _, needed := range []rule.Rule{rule.Pair, rule.Lin} {
			var less []rule.Rule
			for _, r := range corrected {
				if r != needed {
					less = append(less, r)
				}
			}
			require.False(t, p.reaches(t, from, to, less...), "%s without %s", c.rule, needed)
		}
	}
}

// numericZeros is the term with the numeral 0 for 0⃗, and sums as they are written: what
// Table 3 prints, for d = 1.
func (p *Program) numericZeros(t *Term) *Term {
	if t.Op == Zero {
		return p.num(0)
	}
	u := *t
	u.Kids = nil
	for _, k := range t.Kids {
		u.Kids = append(u.Kids, p.numericZeros(k))
	}
	return &u
}

// gradientOf is the normal form, under every λ, of the gradient's start term of t, with 0
// a numeral and without (5') and, if binary is set, with (11) for the two sides of one +.
func (p *Program) gradientOf(t *testing.T, u *Term, inputs []*Var, rules ...rule.Rule) (*Start, *Term) {
	q := *p
	d := p.Reverser()
	q.Term = d.Term(u)
	q.vars = map[term.Var]*Var{}
	var xs []term.Var
	var point []float64
	for i, x := range inputs {
		q.vars[term.Var(i+1)] = d.Var(x)
		xs, point = append(xs, term.Var(i+1)), append(point, 3)
	}
	s := q.GradientStart(xs, point, 0)
	v := p.numericZeros(s.Term)
	for range 200 {
		st := s.State(v, false)
		var next *Redex
		for i := range st.Redex {
			if r := &st.Redex[i]; !r.Garbage && commutes(rules, r.Rule) {
				next = r
				break
			}
		}
		if next == nil {
			return s, v
		}
		w, err := st.Fire(next)
		require.NoError(t, err)
		v = w
	}
	require.Fail(t, "no normal form")
	return nil, nil
}

var betaLinear = append(append([]rule.Rule{}, printedBeta...), rule.Function, rule.Factor)

// TestPaperZeroIsNoUnit: the right side of Lemma main for G = x + 2 is ⟨x + 2, λa.x* a⟩, and no rule as it is printed
// makes that of ⟨x + 2, λa.(x* a + 0)⟩, nor x* 1 of the gradient x* 1 + 0. Sums are built by ⊕.
func TestPaperZeroIsNoUnit(t *testing.T) {
	p := paper()
	x := real("x")
	s, u := p.gradientOf(t, Sum(variable(x), p.num(2)), []*Var{x}, betaLinear...)
	require.Equal(t, "x1* 1 + 0", u.String())
	_, ok := s.Gradient(u)
	require.False(t, ok)
	require.Empty(t, s.State(u, false).Redex)
	require.Empty(t, s.State(u, false).moves(true))

	d := p.Reverser()
	star := p.dualOf(x)
	goal := p.equivalents(pair(Sum(variable(x), p.num(2)), dual(func(a *Term) *Term { return apply(variable(star), a) })))
	from := p.numericZeros(d.Term(Sum(variable(x), p.num(2))))
	from = let(from, single(d.Var(x)), pair(variable(x), variable(star)))
	all := p.printedReductions(t, from)
	require.False(t, p.meets(goal, all))
	for _, v := range all {
		if len(p.printedSteps(t, v, false)) == 0 {
			require.Equal(t, "⟨x + 2, λa.x* a + 0⟩", v.String())
		}
	}
}

// TestPaperBinarySums: (11) as it is printed is for the two sides of one +. Of (x + y) + x every reduction, in any order
// of the rules as they are printed, ends in a sum with x* in two summands, to which no equation of ≡ applies: the tagged
// sum of Cor. gradient is not reached.
func TestPaperBinarySums(t *testing.T) {
	p := paper()
	x, y := real("x"), real("y")
	sum := Sum(Sum(variable(x), variable(y)), variable(x))
	s, u := p.gradientOf(t, sum, []*Var{x, y}, betaLinear...)
	require.Equal(t, "x1* 2 + x2* 1", u.String()) // by the bag of note B2
	for seed := range uint64(40) {
		rng := rand.New(rand.NewPCG(seed, 0))
		u := p.numericZeros(s.Term)
		for next := s.printedSteps(t, u, false); len(next) > 0; next = s.printedSteps(t, u, false) {
			u = next[rng.IntN(len(next))]
		}
		require.Equal(t, "x1* 1 + x2* 1 + x1* 1", u.String())
		require.Empty(t, s.State(u, false).moves(true))
	}

	// Nor are the rules as they are printed confluent up to ≡.
	xd, yd, d := p.dualOf(x), p.dualOf(y), &Var{Name: "p*", Type: term.AbstractDual}
	call := func(x *Var, u *Term) *Term { return apply(variable(x), u) }
	both := dual(func(a *Term) *Term { return Sum(call(xd, a), call(yd, a)) })
	var normal []string
	for text, v := range p.printedReductions(t, let(Sum(call(d, p.num(1)), call(d, p.num(2))), single(d), both)) {
		if len(p.printedSteps(t, v, false)) == 0 {
			require.Empty(t, p.State(v, false).moves(true))
			normal = append(normal, text)
		}
	}
	require.ElementsMatch(t, []string{"x* 3 + y* 3", "x* 1 + y* 1 + (x* 2 + y* 2)"}, normal)
}

// TestPaperReverseOfTupleSum: D(t+u) as it is printed has no type where t and u are
// tuples, though the calculus adds those: note C2 has D and the source's + on R only.
func TestPaperReverseOfTupleSum(t *testing.T) {
	p := paper()
	two := func() *Term { return pair(p.num(1), p.num(2)) }
	u := Sum(two(), two())
	_, err := p.Check(u)
	require.NoError(t, err)
	_, err = p.Check(p.Reverser().Term(u))
	require.Error(t, err)
}

// TestPaperSizeShrinks: (7) does not make the measure of the proof of Lemma size_shrinks
// smaller, the number of symbols with each variable counted twice. The lemma holds: count
// pairs twice too.
func TestPaperSizeShrinks(t *testing.T) {
	p := paper()
	u := Sum(pair(p.num(1), p.num(1)), pair(p.num(1), p.num(1)))
	s := p.State(u, false)
	require.Len(t, s.Redex, 1)
	require.Equal(t, rule.PlusPair, s.Redex[0].Rule)
	v, err := s.Fire(&s.Redex[0])
	require.NoError(t, err)
	require.Equal(t, symbols(u, 1), symbols(v, 1))
	require.Less(t, symbols(v, 2), symbols(u, 2))
}

// symbols is the number of symbols with each variable counted twice, and each pair as
// often as told.
func symbols(t *Term, pairs int) int {
	n := 1
	switch t.Op {
	case Variable:
		n = 2
	case MakePair:
		n = pairs
	}
	for _, k := range t.Kids {
		n += symbols(k, pairs)
	}
	return n
}
