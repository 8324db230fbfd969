package gram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestEvaluatorsShareALimit: a limit of memory is one of the process. Evaluators that run
// one after the other and keep their arenas do not pass it together.
func TestEvaluatorsShareALimit(t *testing.T) {
	const most = 256 << 20
	p, err := gram.Load(t.Context(), "x.gram", []byte("input x = 0.3\n#1000000 (fun y -> sin (y * x)) x"), gram.Options{MaxMemory: most})
	require.NoError(t, err)
	held, failed := uint64(0), 0
	for range 4 {
		e, err := p.NewGradient(t.Context(), gram.EvalOptions{NoFuse: true}) // of 110 MB
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
	require.Less(t, failed, 4)
}
