package gram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestCharacters: the gradients of the language models of characters, with families as arrays, are those of differences, and the
// expansion has the same bits and steps.
func TestCharacters(t *testing.T) {
	text := make([]float64, 66)
	for i, c := range []byte("Two\nrows of 33 characters, the second ends with the\nline's end.  \n") {
		text[i] = float64(c)
	}
	for name, params := range map[string][]string{"characters": {"hidden=2", "length=5"}, "bigram": {"length=5"}} {
		p, err := gram.LoadFile(t.Context(), "examples/"+name+".gram", gram.Options{Params: params, Values: map[string][]float64{"text": text}})
		require.NoError(t, err)
		res, err := p.Gradient(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		require.Greater(t, res.Values[0], 6.5) // bits for one of 96 characters
		e, err := p.NewValue(t.Context(), gram.EvalOptions{})
		require.NoError(t, err)
		defer e.Close()
		var inputs []int
		for i, d := range res.Jacobian {
			if d > 1e-3 || d < -1e-3 {
				inputs = append(inputs, i)
			}
		}
		require.Greater(t, len(inputs), 8)
		requireDifferences(t, e, p.Point(), res.Jacobian, inputs[:8])
		expanded, err := p.Gradient(t.Context(), gram.EvalOptions{NoFuse: true})
		require.NoError(t, err)
		require.Equal(t, res.Values, expanded.Values)
		require.InDeltaSlice(t, res.Jacobian, expanded.Jacobian, 1e-13) // other forms round otherwise
		require.Equal(t, res.Cost.Steps, expanded.Cost.Steps)
	}
}
