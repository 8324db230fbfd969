package gram

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

const familyHead = `param n = 5
param k = 12
input E : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
input W : R^k^k = vec i < k -> vec j < k -> 0.1 * cos (1 + i*k + j)
input b : R^k = vec i < k -> 0.01 * i
input s = 0.3
data  a : List R^k = list t < n -> vec j < k -> sin ((n - 1 - t)*k + j)
def   start = vec i < k -> 0.1 * i
`

// familyPrograms are bodies of folds, with what is read of the result, and whether their families run as arrays.
var familyPrograms = []struct {
	cell, result string
	arrays       bool
}{
	{"vec i < k -> sigmoid ((sum j < k -> E.(i).(j) * x.(j)) + (sum j < k -> W.(i).(j) * h.(j)))", "sum i < k -> h.(i)", true},
	{"vec i < k -> tanh (dot E.(i) x + dot W.(i) h + b.(i))", "sum i < k -> h.(i) * h.(i)", true},
	{"let y = matvec W h in vec i < k -> sin (y.(i) + x.(i)) * y.(i)", "sum i < k -> h.(i)", true},
	{"vec i < k -> s * h.(k - 1 - i) + 0.1 * i * x.(i)", "sum i < k -> h.(i)", true},
	{"vec i < k -> exp (0.01 * h.(i)) - s", "sum i < k -> h.(i)", true},
	{"vec i < k -> sum j < 5 -> W.(i).(j + 2) * h.(j) * x.(i)", "sum i < 5 -> h.(i)", false},
	{"let m = vec i < k -> vec j < k -> E.(i).(j) * h.(j) in vec i < k -> sum j < k -> m.(j).(i) * s", "sum i < k -> h.(i)", true},
	{"vec i < k -> tanh (dot E.(i) h) * tanh (dot W.(i) h)", "sum i < k -> h.(i)", false}, // arrivals at h in turns
	{"vec i < k -> (sum j < k -> h.(j)) * x.(i)", "sum i < k -> h.(i)", true},
	{"vec i < k -> dot W.(i) h", "h.(0)", false}, // one component is reached
	{"vec i < k -> if h.(i) < 0 then x.(i) else s * h.(i)", "sum i < k -> h.(i)", false},
}

// TestFamilyBlocks: a program whose families run as arrays has the value, the gradient and the counts of its expansion,
// to the bit.
func TestFamilyBlocks(t *testing.T) {
	run := func(p *Program, src *term.Term) (values, jacobian []float64, counts rule.Counts, err error) {
		d, err := revgrad.Reverse(src, nil)
		require.NoError(t, err)
		prog, err := compile.Compile(d, compile.Options{Inputs: p.inputs, Reversed: true})
		if err != nil {
			return nil, nil, counts, err
		}
		m, err := engine.New(prog, engine.Options{})
		require.NoError(t, err)
		defer m.Close()
		values, jacobian = make([]float64, 1), make([]float64, len(p.inputs))
		err = m.Gradient(p.Point(), values, jacobian)
		return values, jacobian, m.Stats().Counts, err
	}
	check := func(name, src string, params []string, arrays bool) {
		p, err := Load(t.Context(), name, []byte(src), Options{Params: params})
		require.NoError(t, err, src)
		require.True(t, p.src.Families.Families(), src)
		v1, j1, c1, err := run(p, p.src.Term)
		require.NoError(t, err)
		v2, j2, c2, err := run(p, p.src.Families)
		if err != nil || !arrays {
			require.ErrorIs(t, err, graph.ErrFamilies, src)
			require.False(t, arrays, src)
			return
		}
		require.Equal(t, v1, v2, src)
		require.Equal(t, j1, j2, src)
		require.Equal(t, c1, c2, src)
	}
	for _, q := range familyPrograms {
		for _, params := range [][]string{nil, {"k=7"}} {
			check("t.gram", familyHead+"def cell x h = "+q.cell+"\nlet h = fold cell start a in\n"+q.result+"\n", params, q.arrays)
		}
	}
	w2, err := os.ReadFile("examples/w2.gram")
	require.NoError(t, err)
	check("w2.gram", string(w2), []string{"n=200", "k=20"}, true)
}
