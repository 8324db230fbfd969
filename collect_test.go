package gram_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestEvaluationFrees: a program that is evaluated keeps what is live, not what it has
// made: of three million nodes at most some thousands beside the collector's reserve.
func TestEvaluationFrees(t *testing.T) {
	ctx := context.Background()
	for name, src := range map[string]string{
		"a loop that branches": "input x = 0.5\niter #800000 (fun y -> if y < 1 then y + x else y - 1) x",
		"functions":            "input x = 0.5\niter #800000 (fun y -> (fun f -> f (f y)) (fun z -> sin z * x)) x",
		"pairs":                "input x = 0.5\nfst (iter #800000 (fun (p : R * R) -> let (a, b) = p in if a < 2 then (a + x, b * x) else (b, a - 2)) (x, 1))",
		"a list":               "input x = 0.5\ndata l : List R = list i < 800000 -> i\nfold (fun a s -> if a < s then s * x else a) 0 l",
	} {
		p := load(t, src)
		res, err := p.Value(ctx, gram.EvalOptions{NoFuse: true})
		require.NoError(t, err, name)
		n := res.Cost.Nodes
		require.Greater(t, n.Allocated, uint64(1_590_000), name)
		require.LessOrEqual(t, n.Peak, uint64(1<<20+10_000), name)
		require.Greater(t, n.Freed, n.Allocated-(1<<20)-10_000, name)
		gradient, err := p.Gradient(ctx, gram.EvalOptions{}) // its run frees nothing
		require.NoError(t, err, name)
		require.Equal(t, res.Values, gradient.Values, name)
		// A limit is one of what is live.
		_, err = p.Value(ctx, gram.EvalOptions{NoFuse: true, MaxNodes: 10_000})
		require.NoError(t, err, name)
	}
	var limit *gram.LimitError
	_, err := load(t, "input x = 1\nlet l = iter #100000 (fun (s : R -> R) -> fun (y : R) -> s (y + x)) (fun (y : R) -> y) in l 0").
		Value(ctx, gram.EvalOptions{NoFuse: true, MaxNodes: 10_000})
	require.ErrorAs(t, err, &limit)
	require.Greater(t, limit.Nodes, uint64(10_000))
}

// TestEvaluationReturnsMemory: what was live for a while goes back to the system.
func TestEvaluationReturnsMemory(t *testing.T) {
	const tower = "let l = iter #2000000 (fun (s : R -> R) -> fun (y : R) -> s (y + x)) (fun (y : R) -> y) in"
	res, err := load(t, "input x = 0.5\n"+tower+"\niter #500000 (fun y -> if y < 1 then y + x else y - 1) (l 0)").
		Value(context.Background(), gram.EvalOptions{NoFuse: true})
	require.NoError(t, err)
	require.Greater(t, res.Cost.Nodes.Peak, uint64(2_000_000))
	require.Less(t, res.Cost.ArenaBytes, 16*res.Cost.Nodes.Peak/2)
}
