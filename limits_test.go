package gram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestEvaluatorsShareALimit: a limit of memory is one of the process. Evaluators that run
// one after the other and keep their arenas do not pass it together.
func TestEvaluatorsShareALimit(t *testing.T) {
	const most, evaluators = 224 << 20, 6
	const src = "input x = 0.3\ntype nums = Nil | Cons of R * nums\n" +
		"match iter #400000 (fun (l : nums) -> Cons (x * x, l)) Nil with Nil -> 0 | Cons (y, l) -> y"
	p, err := gram.Load(t.Context(), "x.gram", []byte(src), gram.Options{MaxMemory: most})
	require.NoError(t, err)
	held, failed := uint64(0), 0
	for range evaluators {
		e, err := p.NewGradient(t.Context(), gram.EvalOptions{NoFuse: true}) // of a list
		if err == nil {
			defer e.Close()
			_, err = e.Gradient(t.Context(), p.Point())
			held += e.Cost().ArenaBytes
		}
		if err != nil {
			var limit *gram.LimitError
			require.ErrorAs(t, err, &limit)
			require.EqualValues(t, "memory", limit.Limit)
			failed++
		}
	}
	require.LessOrEqual(t, held, uint64(most))
	require.NotZero(t, failed)
	require.Less(t, failed, evaluators)
}
