package gram_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestExamplesAreFormatted: the canonical form of every example is the example.
func TestExamplesAreFormatted(t *testing.T) {
	for _, name := range exampleNames(t) {
		src, err := os.ReadFile("examples/" + name + ".gram")
		require.NoError(t, err)
		text, err := gram.Format(t.Context(), name, src)
		require.NoError(t, err)
		require.Equal(t, string(src), string(text), name)
	}
}

// TestFormatKeepsMeaning: a formatted program has the value, gradient and counts of
// the one that it was made from, and is its own canonical form.
func TestFormatKeepsMeaning(t *testing.T) {
	for _, c := range handWorked {
		loose := strings.ReplaceAll(c.src, "+", " +  ")
		text, err := gram.Format(t.Context(), "test.gram", []byte(loose))
		require.NoError(t, err, c.name)
		again, err := gram.Format(t.Context(), "test.gram", text)
		require.NoError(t, err, c.name)
		require.Equal(t, string(text), string(again), c.name)
		res, err := load(t, string(text)).Gradient(t.Context(), gram.EvalOptions{})
		require.NoError(t, err, c.name)
		require.Equal(t, c.gradient, res.Cost.Steps, c.name)
	}
	_, err := gram.Format(t.Context(), "test.gram", []byte("let x = in x"))
	require.ErrorContains(t, err, "test.gram:1:")
}
