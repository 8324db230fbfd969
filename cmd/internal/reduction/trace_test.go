package reduction_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"golang.org/x/sync/errgroup"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
	"github.com/gram-machine/gram/cmd/internal/reduction"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/rule"
)

// tracedSteps sums the steps of a trace in JSON by the name of their rule.
func tracedSteps(t *testing.T, text []byte) map[string]uint64 {
	counts := map[string]uint64{}
	var last uint64
	for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); {
		var step struct {
			Step uint64
			Rule string
		}
		require.NoError(t, dec.Decode(&step))
		require.Equal(t, last+1, step.Step)
		last = step.Step
		counts[step.Rule]++
	}
	return counts
}

// runSteps are the steps of the machine by the name of their rule.
func runSteps(t *testing.T, p *gram.Program, gradient bool, opt gram.EvalOptions) map[string]uint64 {
	var cost gram.Cost
	if gradient {
		res, err := p.Gradient(t.Context(), opt)
		require.NoError(t, err)
		cost = res.Cost
	} else {
		res, err := p.Value(t.Context(), opt)
		require.NoError(t, err)
		cost = res.Cost
	}
	counts := map[string]uint64{}
	for r, n := range cost.Steps {
		if n > 0 {
			counts[rule.Rule(r).String()] = n
		}
	}
	return counts
}

// TestTraceCalculusCounts: the rewriter takes as many steps of each rule as the machine,
// on the examples whose terms are small.
func TestTraceCalculusCounts(t *testing.T) {
	traced := 0
	for _, name := range gramtest.Examples(t) {
		for _, gradient := range []bool{false, true} {
			p := gramtest.Example(t, name)
			if gradient && name == "mapfold" {
				continue // some seconds
			}
			if gradient && p.Differentiable() != nil {
				continue
			}
			want, steps := runSteps(t, p, gradient, gram.EvalOptions{}), uint64(0)
			for _, n := range want {
				steps += n
			}
			if !property.Full() && steps > 300 {
				continue
			}
			var text bytes.Buffer
			err := reduction.Calculus(t.Context(), p, &text, reduction.TraceOptions{Gradient: gradient, Format: reduction.JSON, MaxSize: 1000})
			if err != nil {
				var program *gram.Error
				require.True(t, errors.As(err, &program), "%s: %v", name, err)
				continue
			}
			traced++
			require.Equal(t, want, tracedSteps(t, text.Bytes()), "%s, gradient %v", name, gradient)
		}
	}
	require.Greater(t, traced, 8)
}

// TestTraceAtOnce: a program may be traced by several goroutines while others run it.
func TestTraceAtOnce(t *testing.T) {
	p := gramtest.Example(t, "jacobian")
	var want bytes.Buffer
	require.NoError(t, reduction.Calculus(t.Context(), p, &want, reduction.TraceOptions{Gradient: true}))
	var all errgroup.Group
	for i := range 4 {
		all.Go(func() error {
			if i == 0 {
				_, err := p.Gradient(t.Context(), gram.EvalOptions{Strategy: gram.Modular})
				return err
			}
			var got bytes.Buffer
			err := reduction.Calculus(t.Context(), p, &got, reduction.TraceOptions{Gradient: true})
			if err == nil && got.String() != want.String() {
				err = errors.New("a trace that differs")
			}
			return err
		})
	}
	require.NoError(t, all.Wait())
}

// traceCounter counts the lines of a trace in text by the name of their rule, and checks
// that numbers and nodes go on where they were.
type traceCounter struct {
	counts    map[string]uint64
	placeless map[string]uint64 // of these, those without a place
	step      uint64
	nodes     string
	rest      []byte
}

func (c *traceCounter) Write(b []byte) (int, error) {
	c.rest = append(c.rest, b...)
	for {
		line, rest, ok := bytes.Cut(c.rest, []byte("\n"))
		if !ok {
			return len(b), nil
		}
		c.rest = rest
		words := strings.Fields(string(line))
		c.step++
		if len(words) != 8 || words[0] != strconv.FormatUint(c.step, 10) || c.step > 1 && words[5] != c.nodes {
			return 0, fmt.Errorf("after %d steps with %s nodes: %s", c.step-1, c.nodes, line)
		}
		c.nodes = words[7]
		c.counts[words[2]]++
		if words[4] == "-" {
			c.placeless[words[2]]++
		}
	}
}

// checkPlaceless checks that the steps without a place are those of the start term: the
// substitutions of the inputs, and of a gradient the duals of the inputs and the seeds too.
func checkPlaceless(t *testing.T, p *gram.Program, gradient bool, got map[string]uint64) {
	n := uint64(len(p.Point()))
	if !gradient {
		require.Equal(t, map[string]uint64{"gc": n}, got)
		return
	}
	want := map[string]uint64{"lambda": 1, "pair": 1, "subst": 2, "substNumeral": n, "gc": 3*n + 2, "lin": n}
	if shape := p.Shape(); shape.Kind == load.Vector {
		k := uint64(shape.Size)
		require.LessOrEqual(t, got["lin"], k*n) // a row has those of the inputs that it depends on
		want = map[string]uint64{"lambda": k, "pair": 2*k - 1, "subst": 3 * k, "substNumeral": n, "gc": 3 * (n + k), "lin": got["lin"]}
	}
	require.Equal(t, want, got)
}

// TestTraceCounts: the rewrites of a trace are those that the machine counts, rule by rule,
// on all examples, by either schedule, for values and gradients.
func TestTraceCounts(t *testing.T) {
	for _, name := range gramtest.Examples(t) {
		p := gramtest.Example(t, name)
		for _, gradient := range []bool{false, true} {
			if gradient && name == "backpropagators" {
				continue
			}
			for _, schedule := range []gram.Schedule{gram.LIFO, gram.Random} {
				if schedule == gram.Random && testing.Short() {
					continue
				}
				c := &traceCounter{counts: map[string]uint64{}, placeless: map[string]uint64{}}
				opt := gram.EvalOptions{Schedule: schedule, Seed: 7}
				require.NoError(t, reduction.Rewrites(t.Context(), p, c, reduction.TraceOptions{EvalOptions: opt, Gradient: gradient}))
				require.Equal(t, runSteps(t, p, gradient, opt), c.counts, "%s, gradient %v, schedule %v", name, gradient, schedule)
				checkPlaceless(t, p, gradient, c.placeless)
			}
		}
	}
}

// TestTraceOptions: a trace has no options of the compiler's code alone.
func TestTraceOptions(t *testing.T) {
	p := gramtest.Example(t, "figure1")
	for _, opt := range []gram.EvalOptions{{NoFuse: true}, {Schedule: gram.Parallel}, {Mode: gram.Tape}, {Strategy: gram.Modular}} {
		err := reduction.Rewrites(t.Context(), p, io.Discard, reduction.TraceOptions{EvalOptions: opt})
		require.ErrorContains(t, err, "literal machine")
	}
}

// TestTraceSteps: a limit of steps is exact, and what has been traced before stays.
func TestTraceSteps(t *testing.T) {
	p := gramtest.Example(t, "figure1")
	var all bytes.Buffer
	require.NoError(t, reduction.Rewrites(t.Context(), p, &all, reduction.TraceOptions{Gradient: true}))
	lines := strings.SplitAfter(strings.TrimSuffix(all.String(), "\n"), "\n")
	for n := 1; n < len(lines); n++ {
		var text bytes.Buffer
		err := reduction.Rewrites(t.Context(), p, &text, reduction.TraceOptions{Gradient: true, EvalOptions: gram.EvalOptions{MaxSteps: uint64(n)}})
		var limit *gram.LimitError
		require.ErrorAs(t, err, &limit)
		require.Equal(t, uint64(n), limit.Steps)
		require.Equal(t, strings.Join(lines[:n], ""), text.String())
	}
	var text bytes.Buffer
	require.NoError(t, reduction.Rewrites(t.Context(), p, &text, reduction.TraceOptions{Gradient: true, EvalOptions: gram.EvalOptions{MaxSteps: uint64(len(lines))}}))
	require.Equal(t, all.String(), text.String())
}

// TestDrawStep: there is a picture before and after each step, the one after a step is the one
// before the next unless a row of a Jacobian is read between them, and no other has one.
func TestDrawStep(t *testing.T) {
	for name, gradient := range map[string]bool{"figure1": true, "jacobian": true, "mapfold": false} {
		p := gramtest.Example(t, name)
		var steps uint64
		for _, n := range runSteps(t, p, gradient, gram.EvalOptions{}) {
			steps += n
		}
		opt := reduction.TraceOptions{Gradient: gradient}
		last, read := "", 0
		for step := uint64(1); step <= steps; step++ {
			var before, after bytes.Buffer
			left, err := reduction.Draw(t.Context(), p, &before, step, true, 0, show.DOT, opt)
			require.NoError(t, err)
			require.Zero(t, left)
			if step > 1 && last != before.String() {
				read++
			}
			_, err = reduction.Draw(t.Context(), p, &after, step, false, 0, show.DOT, opt)
			require.NoError(t, err)
			last = after.String()
			require.Contains(t, last, " o")
		}
		require.Equal(t, max(p.Shape().Size, 1)-1, read, name)
		for _, before := range []bool{false, true} {
			var usage *gram.UsageError
			_, err := reduction.Draw(t.Context(), p, io.Discard, steps+1, before, 0, show.DOT, opt)
			require.ErrorAs(t, err, &usage)
		}
	}
}

// drawn returns what a picture shows, an edge a line, without the numbers of nodes: a node in
// brackets if it waits, and red with a star.
func drawn(dot string) []string {
	texts := map[string]string{}
	var lines []string
	node := regexp.MustCompile(`(?m)^  (o\d+) \[label=(?:"\d+: ([^"]*)"|<.*?>\d+: (.*?)</TD>.*>), color="(#\d+)".* height.*style="([^"]*)"`)
	for _, m := range node.FindAllStringSubmatch(dot, -1) {
		text := m[2] + m[3]
		if m[5] == "rounded,dashed" {
			text = "(" + text + ")"
		}
		if m[4] == "#800020" {
			text += " *"
		}
		texts[m[1]] = text
	}
	for _, m := range regexp.MustCompile(`(?m)^  (o\d+) -> (o\d+) `).FindAllStringSubmatch(dot, -1) {
		lines = append(lines, texts[m[1]]+" -> "+texts[m[2]])
	}
	return lines
}

// TestDrawFactor: two applications of one dual, and what (11) makes of them.
func TestDrawFactor(t *testing.T) {
	p := gramtest.Example(t, "figure1")
	below := []string{"[d:=λ] * -> λa *", "λa * -> [x*:=d]", "λa * -> [x*:=d]", "[x*:=d] -> [d:=λ] *", "[x*:=d] -> [d:=λ] *",
		"[d:=λ] * -> λa *", "[d:=λ] * -> λa *", "λa * -> x1* *", "λa * -> x2* *"}
	for before, want := range map[bool][]string{
		true:  {"(Σ □) * -> d −2.733 *", "(Σ □) * -> d −2.733 *", "d −2.733 * -> [d:=λ] *", "d −2.733 * -> [d:=λ] *"},
		false: {"(Σ □) * -> (d □) *", "(d □) * -> [d:=λ] *", "(d □) * -> −2.733 + −2.733"},
	} {
		var dot bytes.Buffer
		_, err := reduction.Draw(t.Context(), p, &dot, 57, before, 0, show.DOT, reduction.TraceOptions{Gradient: true})
		require.NoError(t, err)
		require.ElementsMatch(t, append(want, below...), drawn(dot.String()))
	}
}
