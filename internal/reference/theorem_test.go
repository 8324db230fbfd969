package reference_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// theoremSteps is the constant of Theorem 1: D(t) takes at most so many steps for each
// of m + |G| + n + 1, where symbols have three parameters at most.
const theoremSteps = 40

// TestTheoremConstant: symbols of numerals, nested, come close to theoremSteps. One step of t, a (12), is as many steps
// of D(t) as the notes say, more for a symbol of more parameters.
func TestTheoremConstant(t *testing.T) {
	const declared = "symbol blend x y = x * y + y with y, x + 1\n" +
		"symbol scale x y z = blend x y * z with y * z, (x + 1) * z, blend x y\n" +
		"symbol four x y z w = x * y * z * w with y * z * w, x * z * w, x * y * w, x * y * z\n"
	notes, err := os.ReadFile("../../docs/paper-notes.md")
	require.NoError(t, err)
	var one []any
	for _, form := range [][2]string{{"pow (", ") 1"}, {"scale (", ") 1 1"}, {"four (", ") 1 1 1"}} {
		var open, at [2]uint64
		for k := range open {
			nested := strings.Repeat(form[0], k+5) + "1" + strings.Repeat(form[1], k+5)
			p := load(t, declared+"input x = 0.5\nx + "+nested)
			s := reference.Convert(p.reversed(t), denote.Floats{}).OpenGradientStart(p.inputs, p.point).Named()
			nf, err := s.Run(reference.Open(nil), 2000, nil)
			require.NoError(t, err)
			open[k], at[k] = nf.Counts.Total(), onReference(t, p, true, nil).counts.Total()
		}
		one = append(one, open[1]-open[0], at[1]-at[0])
	}
	require.Contains(t, strings.Join(strings.Fields(string(notes)), " "), fmt.Sprintf("one (12) of t is %d steps of D(t) "+
		"for pow, %[3]d for a declared symbol of three parameters and %[5]d for one of four; "+
		"at a point %[2]d, %[4]d and %[6]d.", one...))
}

// drawScalar draws a rational program of type R with one input at least.
func drawScalar(t *rapid.T) subject { return drawScalarOf(t, false) }

// drawScalarOf is drawScalar of a program with or without inductive types and recursion.
func drawScalarOf(t *rapid.T, recursive bool) subject {
	for {
		p := property.Draw(t, property.Options{Size: rapid.IntRange(3, property.MaxSize).Draw(t, "size"), Recursive: recursive})
		if len(p.Inputs) > 0 {
			rational(p.Term)
			return subject{t: p.Term, inputs: p.Inputs, point: p.Point}
		}
	}
}

// limited runs a reduction; nil if it, or a number in it, is too long.
func limited(t require.TestingT, s *reference.Start, strategy reference.Strategy, limit int) *reference.Result {
	res, err := s.Run(strategy, limit, nil)
	if tooLong(t, err) {
		return nil
	}
	require.NoError(t, err)
	return res
}

// within runs a reduction that has at most so many steps: a longer one is a failure. It is nil if a number gets too long.
func within(t require.TestingT, s *reference.Start, strategy reference.Strategy, most float64, of fmt.Stringer) *reference.Result {
	res, err := s.Run(strategy, int(most), nil)
	var undefined *denote.UndefinedError
	if errors.As(err, &undefined) && tooLong(t, err) {
		return nil
	}
	require.NoError(t, err, "%s", of)
	return res
}

// sourceSteps is how many steps t may take to its graph.
const sourceSteps = 300

// isGround reports whether t is a ground term, with sums and symbols nested.
func isGround(t *reference.Term) bool {
	switch t.Op {
	case reference.Variable:
		return t.X.Type == term.R
	case reference.Numeral:
		return true
	case reference.Let:
		if t.P.X == nil || t.P.X.Type != term.R {
			return false
		}
	case reference.Plus, reference.Function:
	default:
		return false
	}
	for _, k := range t.Kids {
		if !isGround(k) {
			return false
		}
	}
	return true
}

// requireTaggedSum requires the shape (Σ xj* Gj)α, each xj* at most once, or 0⃗.
func requireTaggedSum(t require.TestingT, u *reference.Term, duals map[*reference.Var]bool) {
	switch u.Op {
	case reference.Let:
		require.True(t, isGround(u.Kids[1]), "%s", u)
		requireTaggedSum(t, u.Kids[0], duals)
	case reference.Plus:
		requireTaggedSum(t, u.Kids[0], duals)
		requireTaggedSum(t, u.Kids[1], duals)
	case reference.Zero:
	default:
		require.Equal(t, reference.Apply, u.Op, "%s", u)
		x := u.Kids[0].X
		require.True(t, x != nil && duals[x], "%s", u)
		delete(duals, x)
		require.True(t, isGround(u.Kids[1]), "%s", u)
	}
}

// requireNormal requires the shape ⟨G0, (Σ xj* Gj)α⟩β of Theorem 1.
func requireNormal(t require.TestingT, s *reference.Start, u *reference.Term) {
	for ; u.Op == reference.Let; u = u.Kids[0] {
		require.True(t, isGround(u.Kids[1]), "%s", u)
	}
	require.Equal(t, reference.MakePair, u.Op, "%s", u)
	require.True(t, isGround(u.Kids[0]), "%s", u)
	duals := map[*reference.Var]bool{}
	for _, x := range s.Duals {
		duals[x] = true
	}
	requireTaggedSum(t, u.Kids[1], duals)
}

// groundImage is a computational graph of the reference as a ground term, with its
// inputs.
func groundImage(s *reference.Start, u *reference.Term, inputs []*reference.Var) (*term.Term, []term.Var, *reference.Image) {
	im := s.Back(u)
	var xs []term.Var
	for _, x := range inputs {
		xs = append(xs, im.Variable(x))
	}
	return im.Term, xs, im
}

// TestPropertyTheorem1 is Lemma main and Theorem 1, by the strategy of note C4:
// D(t) with symbolic inputs comes to ⟨G0, λa.(Σ xj* Gj)α⟩β, which denotes what
// bp(G) does, exactly and at any point, in O(m + |G|) steps, where t comes to G in m.
func TestPropertyTheorem1(t *testing.T) {
	var constant property.Constant
	t.Cleanup(func() { constant.Report(t, "steps of D(t) for each of m + |G| + n + 1", theoremSteps) })
	property.Check(t, func(t *rapid.T) {
		p := drawScalarOf(t, rapid.IntRange(0, 2).Draw(t, "recursive") == 0)
		var rng *rand.Rand
		if rapid.Bool().Draw(t, "random") {
			rng = rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 0))
		}
		source := reference.Convert(p.t, denote.Rationals{}).OpenStart(p.inputs, p.point)
		g := limited(t, source, reference.Open(rng), sourceSteps)
		if g == nil {
			return
		}
		require.True(t, isGround(g.Term))
		s := reference.Convert(p.reversed(t), denote.Rationals{}).OpenGradientStart(p.inputs, p.point).Named()
		size := source.GraphSize(g.Term)
		work := float64(g.Counts.Total()+size.Total()) + float64(len(p.inputs)) + 1
		nf := within(t, s, reference.Open(rng), theoremSteps*work, p.t)
		if nf == nil {
			return
		}
		requireNormal(t, s, nf.Term)
		constant.Measure(float64(nf.Counts.Total())/work, source.Term)

		requireBP(t, source, s, g.Term, nf.Term)
	})
}

// requireBP holds the normal form of D(t) against bp(G), at random points.
func requireBP(t *rapid.T, source, s *reference.Start, g, nf *reference.Term) {
	inputs := source.Inputs
	q, xs, im := groundImage(source, g, inputs)
	bp, a, err := revgrad.BP(q, append(xs, im.Numbers()...), nil)
	require.NoError(t, err)
	m := denote.Model{Ground: denote.Rationals{}, Dim: len(inputs)}
	back := s.Back(nf)
	for range 2 {
		free := map[*reference.Var]denote.Value{}
		env := im.Env(nil).With(a, s.Ground.Of(number(t)))
		free[s.Seed] = env.At(a)
		for i, x := range inputs {
			r := s.Ground.Of(number(t))
			env = env.With(im.Variable(x), r)
			free[s.Inputs[i]], free[s.Duals[i]] = r, m.Injection(i)
		}
		want, err1 := m.Denote(bp).At(env)
		got, err2 := m.Denote(back.Term).At(back.Env(free))
		if tooLong(t, err1) || tooLong(t, err2) {
			return
		}
		require.NoError(t, err1)
		require.NoError(t, err2)
		want = first(want, len(inputs), len(im.Numbers()))
		require.True(t, m.Same(want, got), "%v instead of %v: %s", got, want, nf)
	}
}

func number(t *rapid.T) float64 { return float64(rapid.IntRange(-12, 12).Draw(t, "number")) / 4 }

// first is ⟨G0, ⟨G1,…,Gn⟩⟩ of one with n + k components.
func first(v denote.Value, n, k int) denote.Value {
	if k == 0 {
		return v
	}
	p := v.(denote.Pair)
	var comps []denote.Value
	rest := p.Right
	for range n {
		q := rest.(denote.Pair)
		comps, rest = append(comps, q.Left), q.Right
	}
	return denote.Pair{Left: p.Left, Right: denote.Tuple(comps...)}
}
