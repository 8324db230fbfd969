package gram

import (
	"context"
	"fmt"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
)

// smallStack bounds every goroutine's stack for the rest of the test: what recurses on
// the depth of a term dies.
func smallStack(t *testing.T, bytes int) {
	old := debug.SetMaxStack(bytes)
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
		{"parentheses", "input x = 1\n" + strings.Repeat("x + (", nest) + "x" + strings.Repeat(")", nest), float64(nest + 1),
			float64(nest + 1)},
		{"lets", lets.String(), float64(1 + n/5), 1},
		{"applications", "input x = 1\nlet f = fun y -> y * x in " + strings.Repeat("f (", nest) + "x" + strings.Repeat(")",
			nest), 1, float64(nest + 1)},
		{"a literal list", "input x = 1\nfold (fun a b -> a * x + b) 0 [" + strings.Repeat("1; ", n-1) + "1]", float64(n),
			float64(n)},
		{"functions", "input x = 1\n" + strings.Repeat("(fun y -> ", nest/2) + "x" + strings.Repeat(") 1", nest/2), 1, 1},
	}
}

// loadAll loads programs, which takes a stack as deep as their sources nest.
func loadAll(t *testing.T, all []deepProgram) []*Program {
	var out []*Program
	for _, c := range all {
		out = append(out, mustLoad(t, c.src))
	}
	return out
}

// TestDepth: typing, D, compiling and running at depth 10⁶ use no stack, or at depth
// 10⁵ without FULL_SIZE.
func TestDepth(t *testing.T) {
	n := property.Size(1_000_000)
	all := deepPrograms(n)
	programs := loadAll(t, all)
	smallStack(t, 1<<20)
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) {
			res, err := programs[i].Gradient(context.Background(), EvalOptions{})
			require.NoError(t, err)
			require.Equal(t, c.value, res.Values[0])
			require.Equal(t, c.gradient, res.Jacobian[0])
		})
	}
}

// TestDepthOfStages: nor do printing, graphs and normal forms, less deep.
func TestDepthOfStages(t *testing.T) {
	n := property.Size(200_000)
	all := deepPrograms(n)
	programs := loadAll(t, all)
	smallStack(t, 16<<20) // what is printed is parsed, to be formatted
	for i, c := range all {
		t.Run(c.name, func(t *testing.T) {
			p := programs[i]
			require.NotEmpty(t, bridge.Of(p).Term().String())
			require.NotEmpty(t, groundText(t, p))
			normal, err := bridge.Of(p).Normal(context.Background(), EvalOptions{})
			require.NoError(t, err)
			_, err = normal.Check()
			require.NoError(t, err)
		})
	}
}

// TestLength: lists and numerals of 10⁷ are single values; of 10⁶ without FULL_SIZE.
func TestLength(t *testing.T) {
	n := property.Size(10_000_000)
	for _, src := range []string{
		"input x = 1\ndata l : List R = list i < %d -> 1\nfold (fun a b -> a * x + b) 0 l",
		"input x = 1\niter #%d (fun y -> y + x) 0",
	} {
		res, err := mustLoad(t, fmt.Sprintf(src, n)).Gradient(context.Background(), EvalOptions{})
		require.NoError(t, err)
		require.Equal(t, float64(n), res.Values[0])
		require.Equal(t, float64(n), res.Jacobian[0])
	}
}
