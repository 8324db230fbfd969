package reference

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// paper is a program over the rationals, to build terms in.
func paper() *Program {
	return &Program{Typing: &Typing{tt: term.NewTypes(), free: map[*Var]bool{}}, Ground: denote.Rationals{}, vars: map[term.Var]*Var{}}
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
		if Equal(v, w, p.Ground) {
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
		{rule.Plus, plus(p.num(1), p.num(1)), 2, printed},
		{rule.Times, function(term.Mul, p.num(1), p.num(1)), 1, printed},
		{rule.Function, function(term.Neg, p.num(1)), -1, nil},
	} {
		d := p.Reverser()
		from, to := d.Term(c.from), d.Term(p.num(c.to))
		require.False(t, p.reaches(t, from, to, append(c.x, c.rule)...), "%s", c.rule)
		corrected := append(slices.Clone(numeric), c.rule)
		u := from
		for i := 0; !Equal(u, to, p.Ground); i++ {
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

// TestPaperZeroIsNoUnit: the gradient of x + 2 is the sum x* 1 + 0, which no printed rule
// makes the x* 1 of Cor. gradient: 0 + t → t is none of them. Sums are built by ⊕.
func TestPaperZeroIsNoUnit(t *testing.T) {
	p := paper()
	x := real("x")
	s, u := p.gradientOf(t, plus(variable(x), p.num(2)), []*Var{x}, betaLinear...)
	require.Equal(t, "x1* 1 + 0", u.String())
	_, ok := s.Gradient(u)
	require.False(t, ok)
	require.Empty(t, s.State(u, false).Redex)
	require.Empty(t, s.State(u, false).moves(true))
}

// TestPaperBinarySums: (11) as it is printed is for the two sides of one +. Of (x + y) + x
// the gradient is (x* 1 + y* 1) + x* 1, where no sum has two equal heads, whatever ≡ makes
// of it: the tagged sum of Cor. gradient is not reached.
func TestPaperBinarySums(t *testing.T) {
	p := paper()
	x, y := real("x"), real("y")
	sum := plus(plus(variable(x), variable(y)), variable(x))
	var printed []rule.Rule
	for _, r := range betaLinear {
		if r != rule.Factor {
			printed = append(printed, r)
		}
	}
	s, u := p.gradientOf(t, sum, []*Var{x, y}, printed...)
	require.Equal(t, "x1* 1 + x2* 1 + x1* 1", u.String())
	require.Empty(t, s.State(u, false).moves(true))
	require.False(t, factors(u))
	// The bag of note B2 has the step.
	_, u = p.gradientOf(t, sum, []*Var{x, y}, betaLinear...)
	require.Equal(t, "x1* 2 + x2* 1", u.String())
}

// factors reports whether a + in t has two sides with one head.
func factors(t *Term) bool {
	if t.Op == Plus {
		x, _ := head(t.Kids[0])
		if y, _ := head(t.Kids[1]); x != nil && x == y {
			return true
		}
	}
	for _, k := range t.Kids {
		if factors(k) {
			return true
		}
	}
	return false
}

// TestPaperLinGarbage: (λb.0)(q·a) under λa is stuck at 0[b:=q·a] without (5'), since q·a is
// no value: against Lemma main, already for the ground term neg 1, whose dual is λa.0.
func TestPaperLinGarbage(t *testing.T) {
	p := paper()
	u := p.numericZeros(p.Reverser().Term(function(term.Neg, p.num(1))))
	var stuck []string
	for text, v := range p.reachable(t, u, betaLinear...) {
		s := p.State(v, false)
		if len(s.Redex) == 1 && s.Redex[0].Garbage {
			stuck = append(stuck, text)
			next, err := s.Fire(&s.Redex[0])
			require.NoError(t, err)
			require.Equal(t, "⟨-1, λa.0⟩", next.String())
		}
	}
	require.Equal(t, []string{"⟨-1, λa.0[a2:=-1·a]⟩"}, stuck)
}

// TestPaperReverseOfTupleSum: D(t+u) as it is printed has no type where t and u are
// tuples, though the calculus adds those: note C2 has D and the source's + on R only.
func TestPaperReverseOfTupleSum(t *testing.T) {
	p := paper()
	two := func() *Term { return pair(p.num(1), p.num(2)) }
	u := plus(two(), two())
	_, err := p.Typing.Check(u, p.Ground)
	require.NoError(t, err)
	_, err = p.Typing.Check(p.Reverser().Term(u), p.Ground)
	require.Error(t, err)
}

// TestPaperSizeShrinks: (7) does not make the measure of the proof of Lemma size_shrinks
// smaller, the number of symbols with each variable counted twice. The lemma holds: count
// pairs twice too.
func TestPaperSizeShrinks(t *testing.T) {
	p := paper()
	u := plus(pair(p.num(1), p.num(1)), pair(p.num(1), p.num(1)))
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
