package gram_test

import (
	"bytes"
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// smallStack bounds every goroutine's stack to 1 MiB for the rest of the test: what
// recurses on the depth of a program dies.
func smallStack(t *testing.T) {
	old := debug.SetMaxStack(1 << 20)
	t.Cleanup(func() { debug.SetMaxStack(old) })
}

// deepProgram is a program that nests, its value and its derivative.
type deepProgram struct {
	name, src       string
	value, gradient float64
}

// deepPrograms nest about n deep, in each way that a program can, or as deep as a
// source may nest.
func deepPrograms(n int) []deepProgram {
	nest := min(n/5, 9_900)
	lets := &strings.Builder{}
	lets.WriteString("input x = 1\n")
	last := "x"
	for i := range n / 5 {
		fmt.Fprintf(lets, "let y%d = %s + 1 in\n", i, last)
		last = fmt.Sprintf("y%d", i)
	}
	lets.WriteString(last)
	return []deepProgram{
		{"sums nested to the right", fmt.Sprintf("input x = 1\nsum i < %d -> x", n), float64(n), float64(n)},
		{"parentheses", "input x = 1\n" + strings.Repeat("x + (", nest) + "x" + strings.Repeat(")", nest), float64(nest + 1), float64(nest + 1)},
		{"lets", lets.String(), float64(1 + n/5), 1},
		{"applications", "input x = 1\nlet f = fun y -> y * x in " + strings.Repeat("f (", nest) + "x" + strings.Repeat(")", nest), 1, float64(nest + 1)},
		{"a literal list", "input x = 1\nfold (fun a b -> a * x + b) 0 [" + strings.Repeat("1; ", n-1) + "1]", float64(n), float64(n)},
		{"functions", "input x = 1\n" + strings.Repeat("(fun y -> ", nest/2) + "x" + strings.Repeat(") 1", nest/2), 1, 1},
	}
}

// loadAll loads programs, which takes a stack as deep as their sources nest.
func loadAll(t *testing.T, all []deepProgram) []*gram.Program {
	var out []*gram.Program
	for _, c := range all {
		out = append(out, load(t, c.src))
	}
	return out
}

// TestDepth: typing, D, compiling and running at depth 10⁶ use no stack.
func TestDepth(t *testing.T) {
	n := 1_000_000
	if testing.Short() {
		n = 100_000
	}
	all := deepPrograms(n)
	programs := loadAll(t, all)
	smallStack(t)
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) {
			res, err := programs[i].Gradient(context.Background(), gram.EvalOptions{})
			require.NoError(t, err)
			require.Equal(t, c.value, res.Values[0])
			require.Equal(t, c.gradient, res.Jacobian[0])
		})
	}
}

// TestDepthOfStages: nor do printing, graphs and normal forms, less deep: 2·10⁴ frames of
// any function are more than the stack that there is.
func TestDepthOfStages(t *testing.T) {
	all := deepPrograms(200_000)
	programs := loadAll(t, all)
	smallStack(t)
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) {
			p := programs[i]
			require.NotEmpty(t, p.Term().String())
			require.NoError(t, p.WriteStage(context.Background(), &bytes.Buffer{}, gram.GroundStage, gram.Text, gram.EvalOptions{}))
			normal, err := p.Normal(context.Background(), gram.EvalOptions{})
			require.NoError(t, err)
			_, err = normal.Check()
			require.NoError(t, err)
		})
	}
}

// TestLength: lists and numerals of 10⁷ are single values.
func TestLength(t *testing.T) {
	if testing.Short() {
		t.Skip("ten million elements")
	}
	for _, src := range []string{
		"input x = 1\ndata l : List R = list i < 10000000 -> 1\nfold (fun a b -> a * x + b) 0 l",
		"input x = 1\niter #10000000 (fun y -> y + x) 0",
	} {
		res, err := load(t, src).Gradient(context.Background(), gram.EvalOptions{})
		require.NoError(t, err)
		require.Equal(t, 1e7, res.Values[0])
		require.Equal(t, 1e7, res.Jacobian[0])
	}
}

// TestGroundParsesBack: the graph G of every example is a program; it is its own
// graph, and has the example's value and gradient.
func TestGroundParsesBack(t *testing.T) {
	ctx := context.Background()
	for _, name := range differentiable(t) {
		p := loadExample(t, name)
		var first, second bytes.Buffer
		require.NoError(t, p.WriteStage(ctx, &first, gram.GroundStage, gram.Text, gram.EvalOptions{}), name)
		g, err := gram.Load(ctx, name+"-ground.gram", first.Bytes(), gram.Options{})
		require.NoError(t, err, name)
		require.NoError(t, g.WriteStage(ctx, &second, gram.GroundStage, gram.Text, gram.EvalOptions{}), name)
		require.Equal(t, first.String(), second.String(), name)
		want, err := p.Gradient(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		got, err := g.Gradient(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		require.Equal(t, want.Values, got.Values, name)
		requireClose(t, want.Jacobian, got.Jacobian, 1e-9)
		a, err := p.Bound(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		b, err := g.Bound(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		require.Equal(t, a.Graph, b.Graph, name)
	}
}
