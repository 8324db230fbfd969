package gram

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

const w2 = `param n = 5
param k = 12
input E : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
input W : R^k^k = vec i < k -> vec j < k -> 0.1 * cos (1 + i*k + j)
data  a : List R^k = list t < n -> vec j < k -> sin ((n - 1 - t)*k + j)
def   cell x h = vec i < k -> sigmoid ((sum j < k -> E.(i).(j) * x.(j)) + (sum j < k -> W.(i).(j) * h.(j)))
let h = fold cell (vec i < k -> 0) a in
sum i < k -> h.(i)
`

// TestFamilyBlocks: a program whose families run as arrays has the value, the gradient and the counts of its expansion.
func TestFamilyBlocks(t *testing.T) {
	p, err := Load(t.Context(), "w2.gram", []byte(w2), Options{})
	require.NoError(t, err)
	run := func(src *term.Term) (values, jacobian []float64, s engine.Stats) {
		d, err := revgrad.Reverse(src, nil)
		require.NoError(t, err)
		prog, err := compile.Compile(d, compile.Options{Inputs: p.inputs, Reversed: true})
		require.NoError(t, err)
		m, err := engine.New(prog, engine.Options{})
		require.NoError(t, err)
		values, jacobian = make([]float64, 1), make([]float64, len(p.inputs))
		require.NoError(t, m.Gradient(p.Point(), values, jacobian))
		return values, jacobian, m.Stats()
	}
	require.True(t, p.src.Families.Families())
	v1, j1, s1 := run(p.src.Term)
	v2, j2, s2 := run(p.src.Families)
	require.Equal(t, v1, v2)
	require.Equal(t, j1, j2)
	require.Equal(t, s1.Counts, s2.Counts)
	_ = graph.ErrFamilies
}
