package gram

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestNoCode: a program for which the compiler has no code runs on the literal machine.
func TestNoCode(t *testing.T) {
	src := "symbol five a b c d e = a * b + c * d + e with b, a, d, c, 1\ninput x = 2\nfive x 1 x 3 x\n"
	p, err := Load(t.Context(), "t.gram", []byte(src), Options{})
	require.NoError(t, err)
	res, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, []float64{10}, res.Values)
	require.Equal(t, []float64{5}, res.Jacobian)
}
