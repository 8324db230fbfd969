package gram_test

import (
	"context"
	"fmt"
	"maps"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/rule"
)

// requireSame asserts that two machines computed the same numbers, to the bit or to rounding.
func requireSame(t *testing.T, want, got []float64, bits bool) {
	t.Helper()
	require.Len(t, got, len(want))
	most := 0.0
	for _, x := range want {
		most = max(most, math.Abs(x))
	}
	for i := range want {
		if !bits {
			require.InDelta(t, want[i], got[i], 1e-9*math.Abs(want[i])+1e-14*most)
			continue
		}
		require.Equal(t, math.Float64bits(want[i]), math.Float64bits(got[i]), "%d: %v and %v", i, want[i], got[i])
	}
}

// TestLiteralExamples: the literal machine computes what code of the compiler does, in as many steps
// by each rule, whatever the schedule, and whether or not its work is measured.
func TestLiteralExamples(t *testing.T) {
	for _, name := range exampleNames(t) {
		t.Run(name, func(t *testing.T) {
			checkLiteral(t, name, loadExample(t, name), gram.EvalOptions{Literal: true},
				gram.EvalOptions{Literal: true, Work: true, Schedule: gram.Random, Seed: 7})
		})
	}
}

// TestLiteralWorkloads: and at the sizes of the workloads too, some 10⁸ steps each; some 10⁶
// without FULL_SIZE.
func TestLiteralWorkloads(t *testing.T) {
	sizes := map[string][]string{"w1": {"n=2e4"}, "w2": {"n=50", "k=16"}, "w3": {"n=2e4"}, "w4": {"n=2e4"}}
	if property.Full() {
		sizes = map[string][]string{"w1": {"n=1e6"}, "w2": {"n=1000", "k=16"}, "w3": {"n=1e6"}, "w4": {"n=1e6"}}
	}
	for _, name := range slices.Sorted(maps.Keys(sizes)) {
		t.Run(name, func(t *testing.T) {
			p, err := gram.LoadFile(t.Context(), filepath.Join("examples", name+".gram"), gram.Options{Params: sizes[name]})
			require.NoError(t, err)
			checkLiteral(t, name, p, gram.EvalOptions{Literal: true})
		})
	}
}

// forms are the forms of a run.
var forms = []gram.EvalOptions{{}, {NoFuse: true}, {Literal: true}, {Schedule: gram.Parallel, Workers: 1}, {Schedule: gram.Parallel, Workers: 2},
	{Schedule: gram.Parallel, Workers: 3}}

// checkForms asserts that all forms of a run compute the same values, to the bit, and the same gradient, to rounding, in as
// many steps.
func checkForms(t *testing.T, p *gram.Program) {
	t.Helper()
	runs := []func(context.Context, gram.EvalOptions) (*gram.Result, error){p.Value}
	if p.Differentiable() == nil {
		runs = append(runs, p.Gradient)
	}
	for _, run := range runs {
		want, err := run(t.Context(), forms[0])
		require.NoError(t, err)
		for _, opt := range forms[1:] {
			got, err := run(t.Context(), opt)
			require.NoError(t, err)
			require.Equal(t, want.Cost.Steps, got.Cost.Steps)
			requireSame(t, want.Values, got.Values, true)
			requireSame(t, want.Jacobian, got.Jacobian, false)
		}
	}
}

// TestForms: all forms compute the same values, to the bit, and gradients to rounding, of the examples, the workloads and
// programs of straight-line λs.
func TestForms(t *testing.T) {
	for _, name := range exampleNames(t) {
		t.Run(name, func(t *testing.T) { checkForms(t, loadExample(t, name)) })
	}
	for _, p := range straightLine {
		t.Run(p.name, func(t *testing.T) { checkForms(t, load(t, p.src)) })
	}
	for name, params := range map[string]string{"w1": "n=70000", "w2": "n=100", "w3": "n=70000", "w4": "n=140000", "batch": "n=3000"} {
		t.Run(name+" "+params, func(t *testing.T) {
			p, err := gram.LoadFile(t.Context(), filepath.Join("examples", name+".gram"), gram.Options{Params: []string{params}})
			require.NoError(t, err)
			checkForms(t, p)
		})
	}
}

// TestPropertyForms: all forms take the same steps and have the same gradient, to rounding, of random programs in which λs
// exchange, pass on and repeat their arguments, once and in iterations.
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
		p, err := gram.Load(t.Context(), "random.gram", []byte(src.String()), gram.Options{})
		require.NoError(rt, err, src.String())
		want, err := p.Gradient(t.Context(), forms[0])
		require.NoError(rt, err)
		for _, opt := range forms[1:] {
			got, err := p.Gradient(t.Context(), opt)
			require.NoError(rt, err)
			require.Equal(rt, want.Cost.Steps, got.Cost.Steps, src.String())
			for i := range want.Jacobian {
				require.InDelta(rt, want.Jacobian[i], got.Jacobian[i], 1e-9*max(1, math.Abs(want.Jacobian[i])), src.String())
			}
		}
	})
}

// checkLiteral holds literal runs of a program, its value and its gradient, against the
// engine.
func checkLiteral(t *testing.T, name string, p *gram.Program, opts ...gram.EvalOptions) {
	runs := []func(context.Context, gram.EvalOptions) (*gram.Result, error){p.Value}
	if p.Differentiable() == nil {
		runs = append(runs, p.Gradient)
	}
	for _, run := range runs {
		want, err := run(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		for _, opt := range opts {
			got, err := run(t.Context(), opt)
			require.NoError(t, err)
			require.Equal(t, want.Cost.Steps, got.Cost.Steps)
			require.Equal(t, want.Cost.Size, got.Cost.Size)
			require.Equal(t, want.Cost.Inputs, got.Cost.Inputs)
			require.Equal(t, want.Lengths, got.Lengths)
			requireSame(t, want.Values, got.Values, opt.Schedule != gram.Random)
			requireSame(t, want.Jacobian, got.Jacobian, false)
			checkWork(t, &got.Cost, opt.Work)
		}
	}
}

// checkWork asserts that the work of a run agrees with its steps and its overhead.
func checkWork(t *testing.T, c *gram.Cost, measured bool) {
	t.Helper()
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

// TestLiteralAgain: an evaluator runs at many points, and one run leaves nothing to the next.
func TestLiteralAgain(t *testing.T) {
	p := load(t, "input v : R^2 = [| 1, 2 |]\n[| v.(0) * v.(1), if v.(0) < 0 then sin v.(1) else v.(1) |]")
	points := [][]float64{{3, 4}, {-1, 0.5}, {3, 4}}
	fast, err := p.NewGradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	defer fast.Close()
	literal, err := p.NewGradient(t.Context(), gram.EvalOptions{Literal: true, Work: true})
	require.NoError(t, err)
	defer literal.Close()
	var work []*cost.Work
	for _, point := range points {
		want, err := fast.Gradient(t.Context(), point)
		require.NoError(t, err)
		got, err := literal.Gradient(t.Context(), point)
		require.NoError(t, err)
		require.Len(t, got.Values, 2)
		require.Equal(t, want, got)
		require.Equal(t, fast.Cost().Steps, literal.Cost().Steps)
		work = append(work, literal.Cost().Work)
	}
	require.Equal(t, work[0], work[2])
	require.NotEqual(t, work[0], work[1])
}

// TestLiteralLimits: a limit of steps stops the literal machine after exactly so many, and
// the evaluator can be used again.
func TestLiteralLimits(t *testing.T) {
	p := load(t, "input x1 = 5\ninput x2 = 2\nlet z1 = x1 - x2 in let z2 = z1 * z1 in sin z2")
	for steps := uint64(1); steps <= 77; steps++ {
		res, err := p.Gradient(t.Context(), gram.EvalOptions{Literal: true, MaxSteps: steps})
		if steps >= 76 {
			require.NoError(t, err)
			require.EqualValues(t, 76, res.Cost.Steps.Total())
			continue
		}
		var limit *gram.LimitError
		require.ErrorAs(t, err, &limit)
		require.EqualValues(t, "steps", limit.Limit)
		require.Equal(t, steps, limit.Steps)
	}
	_, err := p.Gradient(t.Context(), gram.EvalOptions{Literal: true, MaxNodes: 10})
	var limit *gram.LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "nodes", limit.Limit)
}

// TestLiteralCancelled: cancelling ends a run, and not the evaluator.
func TestLiteralCancelled(t *testing.T) {
	looks := 0
	var cancel func()
	p, err := gram.Load(t.Context(), "x.gram", []byte("input x = 0.5\niter #100000 (fun y -> sin (x * y)) x"), gram.Options{Progress: func(phase string) {
		if phase == "reduce" {
			if looks++; looks == 3 && cancel != nil {
				cancel()
			}
		}
	}})
	require.NoError(t, err)
	e, err := p.NewValue(t.Context(), gram.EvalOptions{Literal: true})
	require.NoError(t, err)
	defer e.Close()
	var ctx context.Context
	ctx, cancel = context.WithCancel(t.Context())
	_, err = e.Value(ctx, p.Point())
	require.ErrorIs(t, err, context.Canceled)
	var limit *gram.LimitError
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "interrupt", limit.Limit)
	require.NotZero(t, limit.Steps)
	cancel = nil
	got, err := e.Value(t.Context(), p.Point())
	require.NoError(t, err)
	want, err := p.Value(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, want.Values, got.Values)
	require.Equal(t, want.Cost.Steps, e.Cost().Steps)

	ctx, stop := context.WithTimeout(t.Context(), time.Nanosecond)
	defer stop()
	_, err = e.Value(ctx, p.Point())
	require.ErrorAs(t, err, &limit)
	require.EqualValues(t, "time", limit.Limit)
}

// TestLiteralFinite: a number that is not finite is an error with its place.
func TestLiteralFinite(t *testing.T) {
	p := load(t, "input x = 0\nlet y = x + 1 in\ny * log x")
	for _, run := range []func(context.Context, gram.EvalOptions) (*gram.Result, error){p.Value, p.Gradient} {
		_, err := run(t.Context(), gram.EvalOptions{Literal: true})
		require.NoError(t, err)
		_, err = run(t.Context(), gram.EvalOptions{Literal: true, Finite: true})
		var e *gram.Error
		require.ErrorAs(t, err, &e)
		require.Len(t, e.Diagnostics, 1)
		require.Equal(t, gram.Diagnostic{Line: 3, Column: 5, Width: 3, Headline: "not finite", Label: "log gives -Inf",
			File: "test.gram", FileLine: 3, FileColumn: 5}, e.Diagnostics[0])
	}
}

// TestLiteralHasNoGradient: what has no gradient has none on the literal machine either.
func TestLiteralHasNoGradient(t *testing.T) {
	for _, src := range []string{"(1, 2)", "input x = 1\n(lin a -> 2 * a) x"} {
		p := load(t, src)
		_, err := p.Gradient(t.Context(), gram.EvalOptions{Literal: true})
		require.ErrorContains(t, err, "no gradient")
		_, want := p.Gradient(t.Context(), gram.EvalOptions{})
		require.Equal(t, want.Error(), err.Error())
	}
}

// TestLiteralBound: m and |G| don't depend on the schedule. The reduction of Theorem 1 takes O(m + |G|) steps.
func TestLiteralBound(t *testing.T) {
	for _, name := range differentiable(t) {
		t.Run(name, func(t *testing.T) {
			p := loadExample(t, name)
			want, err := p.Bound(t.Context(), gram.EvalOptions{})
			require.NoError(t, err)
			for _, schedule := range []gram.Schedule{gram.LIFO, gram.Random} {
				got, err := p.Bound(t.Context(), gram.EvalOptions{Literal: true, Schedule: schedule, Seed: 3})
				require.NoError(t, err)
				if got.Theorem != nil {
					by := got.M + got.Graph + uint64(len(p.Point())) + 1
					require.LessOrEqual(t, got.Theorem.Steps.Total(), 5*by)
					require.LessOrEqual(t, got.Theorem.Units, 12*by)
				}
				got.Theorem = nil
				require.Equal(t, want, got)
			}
		})
	}
}

// TestLiteralPhases: a run of the literal machine is one phase.
func TestLiteralPhases(t *testing.T) {
	var phases []string
	p, err := gram.Load(t.Context(), "x.gram", []byte("input x = 2\nx * x"), gram.Options{Phase: func(name string) { phases = append(phases, name) }})
	require.NoError(t, err)
	_, err = p.Gradient(t.Context(), gram.EvalOptions{Literal: true})
	require.NoError(t, err)
	require.Equal(t, "load compile reduce", strings.Join(phases, " "))
}
