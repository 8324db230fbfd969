package gram

import (
	"context"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/rule"
)

// form is a way to run a program.
type form struct {
	name  string
	opt   EvalOptions
	eager bool
}

// forms are the ways to run a program. Steps by rule are equal in all, and numbers to rounding.
var forms = []form{
	{"literal", EvalOptions{Literal: true}, false},
	{"default", EvalOptions{}, false},
	{"plain", EvalOptions{NoFuse: true}, false},
	{"machine code", EvalOptions{}, true},
	{"interpreted", EvalOptions{NoNative: true}, false},
	{"random", EvalOptions{Schedule: Random, Seed: 1}, false},
	{"literal, random", EvalOptions{Literal: true, Schedule: Random, Seed: 7}, false},
	{"parallel", EvalOptions{Schedule: Parallel, Workers: 2}, true},
}

// allForms are those, and some more of their options.
var allForms = append(slices.Clone(forms), form{"random again", EvalOptions{Schedule: Random, Seed: 2}, false},
	form{"one worker", EvalOptions{Schedule: Parallel, Workers: 1}, false}, form{"three workers",
		EvalOptions{Schedule: Parallel, Workers: 3}, false},
	form{"literal, measured", EvalOptions{Literal: true, Work: true, Schedule: Random, Seed: 7}, false})

// mustLoad loads a program, test.gram.
func mustLoad(t require.TestingT, src string, params ...string) *Program {
	p, err := Load(context.Background(), "test.gram", []byte(src), Options{Params: params})
	require.NoError(t, err, "%s", src)
	return p
}

// runs are the value of a program, and its gradient if it has one.
func runs(p *Program) []func(context.Context, EvalOptions) (*Result, error) {
	if p.Differentiable() != nil {
		return []func(context.Context, EvalOptions) (*Result, error){p.Value}
	}
	return []func(context.Context, EvalOptions) (*Result, error){p.Value, p.Gradient}
}

// checkForms asserts that forms of a program compute what the first one does, in as many steps by each rule: numbers to
// this rounding, relative to the largest. Rounding 0 is 1e-12 for each number. It returns the value and the gradient of
// the first form.
func checkForms(t require.TestingT, p *Program, rounding float64, forms ...form) (value, gradient *Result) {
	var first [2]*Result
	for i, run := range runs(p) {
		for _, f := range forms {
			p.eager = f.eager
			got, err := run(context.Background(), f.opt)
			what := f.name + "\n" + p.src.File.Text(p.src.File.Own())
			require.NoError(t, err, what)
			if first[i] == nil {
				first[i] = got
			}
			want := first[i]
			require.Equal(t, want.Cost.Steps, got.Cost.Steps, what)
			require.Equal(t, want.Lengths, got.Lengths, what)
			require.Equal(t, want.Cost.Inputs, got.Cost.Inputs, what)
			requireNear(t, want.Values, got.Values, rounding, what)
			requireNear(t, want.Jacobian, got.Jacobian, rounding, what)
			if f.opt.Literal {
				require.Equal(t, want.Cost.Size, got.Cost.Size, what)
				checkWork(t, &got.Cost, f.opt.Work)
			}
		}
	}
	p.eager = false
	return first[0], first[1]
}

// requireNear asserts that numbers differ by rounding: by so much of the largest, or by 1e-12 of each if it is 0.
func requireNear(t require.TestingT, want, got []float64, rounding float64, what string) {
	require.Len(t, got, len(want))
	most := 0.0
	for _, x := range want {
		if !math.IsInf(x, 0) {
			most = max(most, math.Abs(x))
		}
	}
	for i, x := range want {
		bound := rounding*most + 1e-15
		if rounding == 0 {
			bound = 1e-12*math.Abs(x) + 1e-14*most
		}
		if x != got[i] && !(math.IsNaN(x) && math.IsNaN(got[i])) {
			require.LessOrEqual(t, math.Abs(x-got[i]), bound, "%v instead of %v at %d: %s", got[i], x, i, what)
		}
	}
}

// checkWork asserts that the work of a run agrees with its steps and its overhead.
func checkWork(t require.TestingT, c *Cost, measured bool) {
	require.Less(t, c.Nodes.Freed, c.Nodes.Allocated+1)
	require.LessOrEqual(t, c.Nodes.Peak, c.Nodes.Allocated)
	if !measured {
		require.Nil(t, c.Work)
		return
	}
	for r, name := range rule.Names() {
		require.Equal(t, c.Steps[r], c.Work.Rules[name].Fired, name)
	}
	units := uint64(0)
	for u := rule.Instantiate; u < rule.NumMoves; u++ {
		name := u.String()
		units += c.Work.Units[name].Fired
	}
	require.Equal(t, c.Overhead.Total, units+c.Steps.Total())
	for _, w := range []map[string]rule.Work{c.Work.Rules, c.Work.Units} {
		for name, m := range w {
			require.LessOrEqual(t, m.Most, m.Words, name)
			require.LessOrEqual(t, m.Words, m.Most*m.Fired, name)
		}
	}
}

// TestPropertyForms: all forms take the same steps and have the same gradient, to rounding, of random programs in which
// λs exchange, pass on and repeat their arguments, once and in iterations.
func TestPropertyForms(t *testing.T) {
	property.Check(t, func(rt *rapid.T) {
		const width = 3
		operand := func(names []string) string { return rapid.SampledFrom(names).Draw(rt, "operand") }
		expression := func(names []string) string {
			switch rapid.IntRange(0, 6).Draw(rt, "expression") {
			case 0:
				return fmt.Sprintf("sin (%s * %s)", operand(names), operand(names))
			case 1:
				return fmt.Sprintf("%s * %s + 0.3 * %s", operand(names), operand(names), operand(names))
			case 2:
				return fmt.Sprintf("%s + sigmoid %s", operand(names), operand(names))
			default:
				return operand(names)
			}
		}
		tuple := func(names []string) string {
			return fmt.Sprintf("(%s, (%s, %s))", expression(names), expression(names), expression(names))
		}
		inputs := []string{"x", "w", "v"}
		state := append([]string{"a", "b", "c"}, inputs...)
		var src strings.Builder
		src.WriteString("input x = 0.75\ninput w = -0.3\ninput v = 1.7\ndata xs : List R = list i < 3 -> 0.1 + i\n")
		outer := inputs
		for i := range rapid.IntRange(1, 3).Draw(rt, "blocks") {
			body, start := tuple(state), tuple(outer)
			if rapid.Bool().Draw(rt, "let") {
				body = fmt.Sprintf("let d = %s in %s", expression(state), tuple(append(state, "d")))
			}
			call := fmt.Sprintf("(fun (a, (b, c)) -> %s) %s", body, start)
			switch rapid.IntRange(0, 2).Draw(rt, "kind") {
			case 0:
				call = fmt.Sprintf("iter #%d %s", rapid.IntRange(1, 5).Draw(rt, "times"), call)
			case 1:
				call = fmt.Sprintf("fold (fun y (a, (b, c)) -> let c = c * y in %s) %s xs", body, start)
			}
			names := make([]string, width)
			for j := range names {
				names[j] = fmt.Sprintf("r%d%d", i, j)
			}
			fmt.Fprintf(&src, "let (%s, (%s, %s)) = %s in\n", names[0], names[1], names[2], call)
			outer = append(slices.Clone(outer), names...)
		}
		last := outer[len(outer)-width:]
		fmt.Fprintf(&src, "%s * %s + %s * %s + %s", last[0], operand(outer), last[1], operand(outer), last[2])
		checkForms(rt, mustLoad(rt, src.String()), 1e-10, forms...)
	})
}

func bits(xs []float64) []uint64 {
	out := make([]uint64, len(xs))
	for i, x := range xs {
		out[i] = math.Float64bits(x)
	}
	return out
}

// exact is a cost without times and without what tells of the cache.
func exact(c Cost) Cost {
	c.Seconds, c.NsPerStep, c.Cache = cost.Seconds{}, 0, nil
	return c
}
