package exec

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/rule"
)

// doubler is 2 · x for each input x, a record of two results.
type doubler struct{}

func (doubler) backward(m *Machine, r *record) (arrivals, cells uint64, err error) {
	for i := range r.n {
		if at := r.base + i; m.reached[at] {
			x := m.tape.words[r.words] + uint64(i)
			m.adjoint[x] += 2 * m.adjoint[at]
			m.reached[x] = true
			m.adjoint[at], m.reached[at] = 0, false
			m.fired[inputKind]++
			arrivals, cells = arrivals+1, cells+1
		}
	}
	return arrivals, cells, nil
}

// TestRecord: a record on the tape takes part in the backward phase at each of its addresses.
func TestRecord(t *testing.T) {
	l, err := lang.Load("t.gram", []byte("input x : R^2 = vec i < 2 -> i\nx.(0) + x.(1)"), lang.Options{})
	require.NoError(t, err)
	code, err := lower.Program(l.Written(), lower.Options{Inputs: l.Scalars, Gradient: true})
	require.NoError(t, err)
	m := New(code).NewMachine(limits.Bounds{})
	require.NoError(t, m.start([]float64{1, 2}))
	base, err := m.pushRecord(doubler{}, 2, 0)
	require.NoError(t, err)
	m.tape.words = append(m.tape.words, 1)
	m.adjoint, m.reached = make([]float64, m.tape.n), make([]bool, m.tape.n)
	gradient := make([]float64, 2)
	require.NoError(t, m.backward([]Slot{{A: base + 1}}, 1, gradient, 2))
	require.Equal(t, []float64{0, 2}, gradient)
	require.Equal(t, uint64(2), m.fired[inputKind])
	s := m.Stats()
	require.Zero(t, s.Counts[rule.Factor])
	require.NoError(t, m.backward([]Slot{{A: base}}, 1, gradient, 2))
	require.Equal(t, []float64{2, 2}, gradient)
}

// TestDense: vectors of numbers that nothing refers to are freed, and their memory used again.
func TestDense(t *testing.T) {
	l, err := lang.Load("t.gram", []byte("1"), lang.Options{})
	require.NoError(t, err)
	code, err := lower.Program(l.Written(), lower.Options{})
	require.NoError(t, err)
	m := New(code).NewMachine(limits.Bounds{})
	require.NoError(t, m.Value(nil))
	m.base, m.size = 0, 1
	for i := range 5000 {
		id, err := m.newDense(100, 0)
		require.NoError(t, err)
		m.dense[id].data[0] = float64(i)
		m.stack[0].A = isDense | ref(uint64(id), 0)
		if _, err := m.alloc(1+i%50, 0, 0); err != nil {
			t.Fatal(err)
		}
	}
	s, err := m.load(m.stack[0].A, 0, 0)
	require.NoError(t, err)
	require.Equal(t, 4999.0, s.V)
	require.Less(t, len(m.dense), 200)
	require.Less(t, m.Stats().Bytes, uint64(1<<20))
}
