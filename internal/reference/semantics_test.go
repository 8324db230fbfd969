package reference_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/term"
)

// shortSteps bounds the runs whose every term is looked at.
const shortSteps = 250

// rational makes every symbol of the term one that maps rationals to rationals.
func rational(t *term.Term) {
	instead := map[term.Symbol]term.Symbol{
		term.Sin: term.Neg, term.Cos: term.Abs, term.Tanh: term.Relu, term.Sigmoid: term.Sign, term.Atan: term.Step,
	}
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Op == term.FunOp && !denote.Rational(n.Sym) {
			n.Sym = instead[n.Sym]
		}
	}
}

// strategies are all of them but the machine's, by name.
func strategies(seed uint64) map[string]reference.Strategy {
	return map[string]reference.Strategy{
		"leftmost": reference.Leftmost, "by value": reference.ByValue, "by name": reference.ByName,
		"by need": reference.ByNeed, "random": reference.Random(rand.New(rand.NewPCG(seed, 0))),
		"machine": reference.Machine(nil), "machine, random": reference.Machine(rand.New(rand.NewPCG(seed, 1))),
	}
}

var strategyNames = []string{"leftmost", "by value", "by name", "by need", "random", "machine", "machine, random"}

// run is a start term to reduce, drawn with its strategy.
type run struct {
	*reference.Start
	subject
	gradient bool
	strategy reference.Strategy
	name     string
}

// drawRun draws a small rational program, its value or its gradient, and a strategy.
func drawRun(t *rapid.T) run { return drawRunOf(t, false) }

// drawRunOf is drawRun of a program with or without inductive types and recursion.
func drawRunOf(t *rapid.T, recursive bool) run {
	opt := property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(3, 40).Draw(t, "size"), Recursive: recursive}
	p := property.Draw(t, opt)
	rational(p.Term)
	r := run{subject: subject{t: p.Term, inputs: p.Inputs, point: p.Point}, gradient: rapid.Bool().Draw(t, "gradient")}
	r.name = rapid.SampledFrom(strategyNames).Draw(t, "strategy")
	r.strategy = strategies(rapid.Uint64().Draw(t, "seed"))[r.name]
	r.Start = r.start(t, denote.Rationals{}, r.gradient)
	if rapid.Bool().Draw(t, "named") {
		r.Start = r.Named()
	}
	return r
}

// start is the start term of a program over the given numbers.
func (p subject) start(t require.TestingT, ground denote.Ground, gradient bool) *reference.Start {
	if gradient {
		return reference.Convert(p.reversed(t), ground).GradientStart(p.inputs, p.point, p.outputs(t))
	}
	return reference.Convert(p.t, ground).ValueStart(p.inputs, p.point)
}

// tooLong reports whether an error says that a run, or a number in it, is too long. Such runs are counted.
func tooLong(t require.TestingT, err error) bool {
	var steps *reference.LimitError
	var undefined *denote.UndefinedError
	var limit *limits.ReachedError
	switch {
	case errors.As(err, &steps):
		property.Leave(t, fmt.Sprintf("more than %d steps", steps.Steps))
	case errors.As(err, &limit) && limit.Limit == "steps":
		property.Leave(t, "more steps than the limit")
	case errors.As(err, &undefined):
		property.Leave(t, "a number is too long or undefined")
	default:
		return false
	}
	return true
}

// look reduces, and looks at each term.
func (r run) look(t require.TestingT, see func(rule fmt.Stringer, u *reference.Term)) *reference.Result {
	res, err := r.Run(r.strategy, shortSteps, func(redex *reference.Redex, u *reference.Term) error {
		see(redex.Rule, u)
		return nil
	})
	if tooLong(t, err) {
		return nil
	}
	require.NoError(t, err)
	return res
}

// TestPropertySubjectReduction: each step of each strategy keeps the type.
func TestPropertySubjectReduction(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		want, err := r.Check(r.Term)
		require.NoError(t, err)
		r.look(t, func(rule fmt.Stringer, u *reference.Term) {
			got, err := r.Check(u)
			require.NoError(t, err, "after %s, %s", rule, r.name)
			require.Equal(t, want, got)
		})
	})
}

// TestPropertyProgress: a closed normal form is a value, and that of a gradient's start term
// a tagged sum.
func TestPropertyProgress(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		res := r.look(t, func(fmt.Stringer, *reference.Term) {})
		if res == nil {
			return
		}
		ok := false
		if r.gradient {
			_, ok = r.Jacobian(res.Term)
		} else {
			_, ok = reference.Numbers(res.Term)
		}
		require.True(t, ok, "%s stops at %s", r.name, res.Term)
	})
}

// model is the model of a gradient's start term: each x* is the injection of its
// input.
func (r run) model() (denote.Model, map[*reference.Var]denote.Value) {
	m := denote.Model{Ground: r.Ground, Dim: len(r.Duals)}
	free := map[*reference.Var]denote.Value{}
	for i, x := range r.Duals {
		free[x] = m.Injection(i)
	}
	return m, free
}

// denotation is ⟦u⟧; nil where a number is too long.
func (r run) denotation(t require.TestingT, u *reference.Term) denote.Value {
	m, free := r.model()
	im := r.Back(u)
	v, err := m.Denote(im.Term).At(im.Env(free))
	if tooLong(t, err) {
		return nil
	}
	require.NoError(t, err)
	return v
}

// TestPropertySemanticSoundness: each step of each strategy keeps the denotation, exactly.
func TestPropertySemanticSoundness(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		m, _ := r.model()
		want := r.denotation(t, r.Term)
		if want == nil {
			return
		}
		require.True(t, m.Member(r.t.Types, r.Of(r.Term), want) || r.gradient)
		r.look(t, func(rule fmt.Stringer, u *reference.Term) {
			got := r.denotation(t, u)
			require.True(t, got == nil || m.Same(want, got), "(%s), %s: %v instead of %v", rule, r.name, got, want)
		})
	})
}

// TestPropertyUnicity is Cor. unicity_value: all strategies, and the machine, come to one
// value: with rationals exactly, with floats to rounding.
func TestPropertyUnicity(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := drawRun(t)
		floating := r.start(t, denote.Floats{}, r.gradient)
		var exact, close []float64
		if out, ok := onMachine(t, r.subject, r.gradient); ok {
			close = out.values
			if r.gradient {
				close = out.jacobian
			}
		}
		for _, name := range strategyNames {
			if numbers := r.numbers(t, r.Start, name); numbers != nil {
				if exact == nil {
					exact = numbers
				}
				require.True(t, slices.Equal(exact, numbers), "%s: %v instead of %v", name, numbers, exact)
			}
			if numbers := r.numbers(t, floating, name); numbers != nil {
				if close == nil {
					close = numbers
				}
				for i := range close {
					require.True(t, property.Close(close[i], numbers[i], 1e-9), "%s: %v instead of %v", name, numbers, close)
				}
			}
		}
	})
}

// numbers reduces by the named strategy and returns the value, or the Jacobian; nil
// if the run is too long.
func (r run) numbers(t require.TestingT, s *reference.Start, name string) []float64 {
	res, err := s.Run(strategies(1)[name], shortSteps, nil)
	if tooLong(t, err) {
		return nil
	}
	require.NoError(t, err)
	out := []float64{}
	if r.gradient {
		rows, ok := s.Jacobian(res.Term)
		require.True(t, ok, "%s stops at %s", name, res.Term)
		return append(out, slices.Concat(rows...)...)
	}
	numbers, ok := reference.Numbers(res.Term)
	require.True(t, ok, "%s stops at %s", name, res.Term)
	for _, q := range numbers {
		out = append(out, s.Ground.Float(q))
	}
	return out
}
