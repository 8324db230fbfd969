package gram

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// onMachine makes the programs of a test run on the machine, as blocks or as nodes, and not as code of the compiler.
func onMachine(t testing.TB) {
	was := force
	force = -1
	t.Cleanup(func() { force = was })
}

// TestNoCode: a program for which the compiler has no code runs on the machine.
func TestNoCode(t *testing.T) {
	src := "symbol five a b c d e = a * b + c * d + e with b, a, d, c, 1\ninput x = 2\nfive x 1 x 3 x\n"
	p, err := Load(t.Context(), "t.gram", []byte(src), Options{})
	require.NoError(t, err)
	res, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.Equal(t, []float64{10}, res.Values)
	require.Equal(t, []float64{5}, res.Jacobian)
}

// TestRunsAsCode: programs whose first gradient took far longer as blocks or routines than as nodes run as code of the compiler.
func TestRunsAsCode(t *testing.T) {
	for _, path := range []string{"examples/newton.gram", "gradbench/saddle.gram"} {
		p, err := LoadFile(t.Context(), path, Options{})
		require.NoError(t, err)
		require.True(t, p.general(&EvalOptions{}, true), path)
	}
}
