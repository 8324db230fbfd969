package gram_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestEvaluationFrees: a program that is evaluated keeps what is live, not what it has made.
func TestEvaluationFrees(t *testing.T) {
	ctx := context.Background()
	const closures = "input x = 0.5\n(iter #800000 (fun (f : R -> R) -> if f 0 < 1 then (fun y -> f 0 + x + y) else (fun y -> y)) (fun y -> x)) 0"
	for name, src := range map[string]string{
		"a loop that branches": "input x = 0.5\niter #800000 (fun y -> if y < 1 then y + x else y - 1) x",
		"functions":            "input x = 0.5\niter #800000 (fun y -> (fun f -> f (f y)) (fun z -> sin z * x)) x",
		"closures":             closures,
		"pairs":                "input x = 0.5\nfst (iter #800000 (fun (p : R * R) -> let (a, b) = p in if a < 2 then (a + x, b * x) else (b, a - 2)) (x, 1))",
		"a list":               "input x = 0.5\ndata l : List R = list i < 800000 -> i\nfold (fun a s -> if a < s then s * x else a) 0 l",
	} {
		p := load(t, src)
		res, err := p.Value(ctx, gram.EvalOptions{NoFuse: true})
		require.NoError(t, err, name)
		n := res.Cost.Nodes
		require.LessOrEqual(t, n.Peak, uint64(10_000), name)
		require.LessOrEqual(t, n.Allocated-n.Freed, n.Peak, name)
		require.Less(t, res.Cost.ArenaBytes, uint64(1<<18), name)
		gradient, err := p.Gradient(ctx, gram.EvalOptions{})
		require.NoError(t, err, name)
		require.Equal(t, res.Values, gradient.Values, name)
		// A limit is one of what is live.
		_, err = p.Value(ctx, gram.EvalOptions{NoFuse: true, MaxNodes: 10_000})
		require.NoError(t, err, name)
	}
	made, err := load(t, closures).Value(ctx, gram.EvalOptions{})
	require.NoError(t, err)
	require.Greater(t, made.Cost.Nodes.Allocated, uint64(1_000_000))
	var limit *gram.LimitError
	_, err = load(t, "input x = 1\nlet l = iter #100000 (fun (s : R -> R) -> fun (y : R) -> s (y + x)) (fun (y : R) -> y) in l 0").
		Value(ctx, gram.EvalOptions{NoFuse: true, MaxNodes: 10_000})
	require.ErrorAs(t, err, &limit)
	require.Greater(t, limit.Nodes, uint64(10_000))
}
