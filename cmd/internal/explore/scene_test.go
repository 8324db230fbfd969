package explore_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/explore"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
	"github.com/gram-machine/gram/cmd/internal/reduction"
)

// look is how objects look in one state, by their IDs.
type look map[int]explore.Version

// stateOf returns what a window shows in a state.
func stateOf(w *explore.Window, k uint64) look {
	out := look{}
	for _, n := range w.Nodes {
		for _, v := range n.Versions {
			if v.From <= k && k < v.Until {
				v.From, v.Until = 0, 0
				out[n.ID] = v
			}
		}
	}
	return out
}

func explored(t *testing.T, p *gram.Program, gradient bool, opt gram.EvalOptions) *explore.Exploration {
	t.Helper()
	x, err := explore.Explore(t.Context(), p, gradient, opt)
	require.NoError(t, err)
	return x
}

func windowAt(t *testing.T, x *explore.Exploration, at uint64) *explore.Window {
	t.Helper()
	w, err := x.Window(t.Context(), at)
	require.NoError(t, err)
	require.LessOrEqual(t, w.From, at)
	require.LessOrEqual(t, at, w.To)
	require.Len(t, w.Steps, int(w.To-w.From))
	for _, n := range w.Nodes {
		for i, v := range n.Versions {
			if v.From >= v.Until || v.Until > w.To+1 || i > 0 && n.Versions[i-1].Until > v.From {
				require.Fail(t, "versions overlap", "%+v", n)
			}
		}
	}
	return w
}

// withLabel returns the objects of a state with a label.
func withLabel(s look, label string) (found []explore.Version) {
	for _, v := range s {
		if v.Label == label {
			found = append(found, v)
		}
	}
	return found
}

// byLabel returns the only object of a state with a label.
func byLabel(t *testing.T, s look, label string) explore.Version {
	t.Helper()
	found := withLabel(s, label)
	require.Len(t, found, 1, label)
	return found[0]
}

// TestExploreFigure1: the states of the paper's Figure 1 have the numbers of section 2.4.
func TestExploreFigure1(t *testing.T) {
	p := gramtest.Example(t, "figure1")
	x := explored(t, p, true, gram.EvalOptions{})
	info := x.Info()
	require.Equal(t, uint64(76), info.Steps)
	require.Empty(t, info.Stopped)
	require.InDelta(t, 0.4121, info.Values[0], 1e-4)
	primal, w := windowAt(t, x, 0), windowAt(t, x, info.Steps)
	require.Equal(t, info.Backward-1, primal.To, "each phase has a window")
	require.Equal(t, primal.To, w.From)
	require.Equal(t, info.Steps, w.To)

	before := stateOf(primal, info.Backward-1)
	require.Equal(t, "1", byLabel(t, before, "[(sin z2)*:=λ]").Value, "the seed has arrived")
	require.Len(t, withLabel(stateOf(primal, 22), "3 · 3"), 1)
	require.Equal(t, "[z1:=⟨3,z1*⟩], an explicit substitution; 2 occurrences left", byLabel(t, stateOf(primal, 15), "[z1:=⟨3,z1*⟩]").Text)
	factor := 0
	for i, step := range w.Steps {
		if info.Rules[step.Rule].Name == "factor" {
			factor = int(w.From) + i + 1
		}
	}
	sum := byLabel(t, stateOf(w, uint64(factor)), "−2.733 + −2.733")
	require.Equal(t, "dual", sum.Role)
	require.Equal(t, "−5.467", byLabel(t, stateOf(w, uint64(factor)+1), "[z1*:=λ]").Value)
	var says []string
	for _, step := range slices.Concat(primal.Steps, w.Steps) {
		says = append(says, step.Says)
	}
	for _, want := range []string{
		"5 − 2 = 3: x1 - x2.",
		"3 × 3 = 9: z1 * z1.",
		"sin′ 9 = −0.9111: the derivative of sin z2 at 9.",
		"3 × −0.9111 = −2.733: the derivative of z1 * z1 by z1 is 3, and −0.9111 arrived.",
		"−2.733 has arrived at z1, and now −2.733: one call, of the sum, takes the place of two.",
		"−2.733 + −2.733 = −5.467: the derivatives that have arrived at z1 are added.",
		"−5.467 has arrived at z1, and goes on to what z1 was made of.",
		"z1 is 3, in z1 · −0.9111.",
	} {
		require.Contains(t, says, want)
	}
	require.NotContains(t, says, "", "each step says its numbers")
	end := stateOf(w, info.Steps)
	require.Equal(t, "−5.467", byLabel(t, end, "x1*").Value)
	require.Equal(t, "5.467", byLabel(t, end, "x2*").Value)
	require.Len(t, w.Arrivals, 6)
	seed := primal.Arrivals[0]
	require.Equal(t, []explore.Arrival{{Step: info.Backward - 1, From: seed.From, To: seed.To, Value: "1"}}, primal.Arrivals)
}

// TestExploreValue: of a value everything is gone in the end but what waits for the result.
func TestExploreValue(t *testing.T) {
	p := gramtest.Example(t, "figure1")
	x := explored(t, p, false, gram.EvalOptions{})
	w := windowAt(t, x, 0)
	last := stateOf(w, w.To)
	require.Len(t, last, 1)
	result := byLabel(t, last, "result")
	require.True(t, result.Root)
	require.Equal(t, "0.4121", result.Value)
	require.Len(t, withLabel(stateOf(w, w.To-1), "sin 9"), 1)
}

// TestExploreSteps: the steps of the windows are those of the trace, and each window's
// last state is the first of the next.
func TestExploreSteps(t *testing.T) {
	for _, name := range gramtest.Examples(t) {
		for _, gradient := range []bool{false, true} {
			if gradient && name == "backpropagators" {
				continue
			}
			t.Run(fmt.Sprintf("%s/%v", name, gradient), func(t *testing.T) {
				t.Parallel()
				p := gramtest.Example(t, name)
				x := explored(t, p, gradient, gram.EvalOptions{})
				for _, at := range []uint64{0, x.Info().Steps / 2, x.Info().Steps} {
					checkWindow(t, p, x, at, gradient)
				}
			})
		}
	}
}

func checkWindow(t *testing.T, p *gram.Program, x *explore.Exploration, at uint64, gradient bool) {
	w := windowAt(t, x, at)
	var text bytes.Buffer
	opt := reduction.TraceOptions{Gradient: gradient, Format: reduction.JSON, From: w.From + 1, To: w.To}
	require.NoError(t, reduction.Rewrites(t.Context(), p, &text, opt))
	rules := x.Info().Rules
	for i, line := range strings.Split(strings.TrimSpace(text.String()), "\n") {
		var want struct {
			Step         uint64
			Rule, Phase  string
			Line, Column int
		}
		require.NoError(t, json.Unmarshal([]byte(line), &want))
		got := w.Steps[i]
		require.Equal(t, want.Step, w.From+1+uint64(i))
		require.Equal(t, want.Rule, rules[got.Rule].Name)
		require.Equal(t, []any{want.Phase, want.Line, want.Column}, []any{got.Phase, got.Line, got.Column})
	}
	checkEdges(t, w)
	if w.To == x.Info().Steps {
		return
	}
	next := windowAt(t, x, w.To+1)
	require.Equal(t, w.To, next.From)
	a, b := stateOf(w, w.To), stateOf(next, w.To)
	for id, v := range b {
		if other, ok := a[id]; ok { // the neighbourhood of another redex may be another
			v.Edges, other.Edges = nil, nil
			require.Equal(t, other, v)
		}
	}
	counts := append([]uint64(nil), w.Counts...)
	for _, step := range w.Steps {
		counts[step.Rule]++
	}
	require.Equal(t, counts, next.Counts)
}

// checkEdges checks that what an object refers to is there as long as it is, where all
// objects are shown.
func checkEdges(t *testing.T, w *explore.Window) {
	for i, step := range w.Steps {
		k := w.From + 1 + uint64(i)
		if step.Left != 0 || i%97 != 0 && k != w.To {
			continue
		}
		s := stateOf(w, k)
		for id, v := range s {
			for _, e := range v.Edges {
				_, ok := s[e.To]
				require.True(t, ok, "state %d: %d %s refers to %d", k, id, v.Text, e.To)
			}
		}
	}
}

// TestExploreFind finds steps forward and back.
func TestExploreFind(t *testing.T) {
	p := gramtest.Example(t, "figure1")
	x := explored(t, p, true, gram.EvalOptions{})
	w := windowAt(t, x, x.Info().Backward)
	name := func(step uint64) string { return x.Info().Rules[w.Steps[step-w.From-1].Rule].Name }
	for _, c := range []struct {
		find explore.Find
		want uint64
	}{
		{explore.Find{Rule: "factor"}, 57},
		{explore.Find{Rule: "11", From: 56}, 57},
		{explore.Find{Rule: "factor", From: 57}, 0},
		{explore.Find{Rule: "factor", From: 70, Back: true}, 57},
		{explore.Find{Rule: "times", From: 24, Back: true}, 23},
		{explore.Find{Line: 7, From: 20, Rule: "function"}, 28},
	} {
		step, ok, err := x.Find(t.Context(), c.find)
		require.NoError(t, err)
		require.Equal(t, c.want != 0, ok, "%+v", c.find)
		require.Equal(t, c.want, step, "%+v", c.find)
	}
	require.Equal(t, "factor", name(57))
	_, _, err := x.Find(t.Context(), explore.Find{Rule: "fuse"})
	var usage *gram.UsageError
	require.ErrorAs(t, err, &usage)
}

// TestExploreLimits: a run that a limit ends can be explored as far as it got.
func TestExploreLimits(t *testing.T) {
	p := gramtest.Example(t, "rnn")
	x := explored(t, p, true, gram.EvalOptions{MaxSteps: 50})
	require.Contains(t, x.Info().Stopped, "limit of 50 steps reached")
	require.GreaterOrEqual(t, x.Info().Steps, uint64(1))
	w := windowAt(t, x, x.Info().Steps)
	require.NotEmpty(t, stateOf(w, w.To))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := explore.Explore(ctx, p, false, gram.EvalOptions{})
	require.ErrorIs(t, err, context.Canceled)
	_, err = x.Window(ctx, 0)
	require.ErrorIs(t, err, context.Canceled)
}

// TestExploreSays: the derivative of a function of two numbers is said in the words of the source.
func TestExploreSays(t *testing.T) {
	x := explored(t, gramtest.Load(t, "input x = 6\ninput y = 2\nx / y\n"), true, gram.EvalOptions{})
	var says []string
	for _, step := range windowAt(t, x, x.Info().Steps).Steps {
		says = append(says, step.Says)
	}
	require.Contains(t, says, "div′1 6 2 = 0.5: the derivative of x / y by x, at 6 and 2.")
	require.Contains(t, says, "div′2 6 2 = −1.5: the derivative of x / y by y, at 6 and 2.")
}

// TestOperations: the graph of a gradient has its values and derivatives, and a step for each value, each dual and each
// (11).
func TestOperations(t *testing.T) {
	x := explored(t, gramtest.Load(t, "input x1 = 5\ninput x2 = 2\nlet z1 = x1 - x2 in\nlet z2 = z1 * z1 in\nsin z2"), true, gram.EvalOptions{})
	info := x.Info()
	g := info.Operations
	require.NotNil(t, g)
	var names, values, derivatives []string
	for _, n := range g.Nodes {
		names, values, derivatives = append(names, n.Name), append(values, n.Value), append(derivatives, n.Derivative)
	}
	require.Equal(t, []string{"x1", "x2", "z1", "z2", ""}, names)
	require.Equal(t, []string{"5", "2", "3", "9", "0.4121"}, values)
	require.Equal(t, []string{"−5.467", "5.467", "−5.467", "−0.9111", "1"}, derivatives)
	require.Equal(t, 4, g.Output)
	require.Equal(t, 2, g.Inputs)
	require.Len(t, g.Factors, 1)
	var symbols, numbers []string
	fires := 0
	for i, n := range g.Nodes[g.Inputs:] {
		require.Equal(t, i, n.At)
		symbols, numbers = append(symbols, n.Symbol), append(numbers, g.Places[i].Numbers...)
		fires += len(g.Places[i].Fires)
	}
	require.Equal(t, []string{"−", "·", "sin"}, symbols)
	require.Equal(t, []string{"3", "9", "0.4121"}, numbers)
	require.Equal(t, 3, fires)
}
