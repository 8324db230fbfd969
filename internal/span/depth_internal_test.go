package span

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// TestDepth: evaluations that are nested too deep are an error, and other panics pass.
func TestDepth(t *testing.T) {
	old := maxDepth
	maxDepth = 100
	t.Cleanup(func() { maxDepth = old })
	for _, n := range []int{50, 200} {
		u := term.New(term.NewTypes())
		u.Root = u.Num(0, 1)
		for range n {
			u.Root = u.Fun(0, term.Sin, u.Root)
		}
		res, err := Value(u, nil, nil, Options{})
		if n < maxDepth {
			require.NoError(t, err)
			require.Equal(t, uint64(n), res.Span)
			continue
		}
		var deep *UnknownError
		require.ErrorAs(t, err, &deep)
		require.EqualError(t, err, "the span is not known: more than 100 evaluations are nested")
	}
	u := term.New(term.NewTypes())
	u.Root = u.Num(0, 1)
	require.Panics(t, func() { _, _ = Value(u, nil, nil, Options{Check: func() error { panic("a fault") }}) })
}
