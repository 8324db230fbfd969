package engine_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
)

// looked compiles a program and makes a machine whose looks are counted; after the one with the number last, each is
// an error. The test closes the machine.
func looked(t *testing.T, src string) (m *engine.Machine, s testprogram.Source, looks, last *int, stop error) {
	s = testprogram.FromSource(t, src)
	prog, err := compile.Compile(s.Term, compile.Options{Inputs: s.Inputs})
	require.NoError(t, err)
	looks, last, stop = new(int), new(int), errors.New("stop")
	*last = 1 << 30
	m, err = engine.New(prog, engine.Options{Limits: limits.Bounds{Look: func() error {
		if *looks++; *looks > *last {
			return stop
		}
		return nil
	}}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, m.Close()) })
	return m, s, looks, last, stop
}

// TestReadLooks: reading a long value looks at the limits for each LookEvery numbers, of a list also while its elements
// are gathered, and ends when it is told to.
func TestReadLooks(t *testing.T) {
	const n = 4 * engine.LookEvery
	for _, src := range []string{
		"input x = 2\nmap (fun y -> y * x) xs", "input x = 2\n(xs, x)",
	} {
		m, s, looks, last, stop := looked(t, fmt.Sprintf("data xs : List R = list i < %d -> 1\n%s", n, src))
		require.NoError(t, m.Value(s.Point))
		before := *looks
		out, lengths, err := m.Read(nil, nil)
		require.NoError(t, err)
		require.GreaterOrEqual(t, len(out), n)
		require.Equal(t, []int{n}, lengths)
		all := *looks - before
		for at := 0; at < all; at += max(1, all/6) {
			*looks, *last = 0, at
			_, _, err = m.Read(nil, nil)
			require.ErrorIs(t, err, stop, "look %d of %d", at, all)
		}
		for err, at := error(nil), all; err == nil; at-- { // a second time there are fewer looks: the memory is there
			*last = 1 << 30
			require.NoError(t, m.Value(s.Point))
			*looks, *last = 0, at
			out, _, err = m.Read(nil, nil)
		}
		require.GreaterOrEqual(t, len(out), n-engine.LookEvery, "the last look is while the numbers are read")
	}
}

// TestCollectionLooks: a collection looks while it marks and while it moves what is live, and a run that ends there can
// be made again.
func TestCollectionLooks(t *testing.T) {
	const n = 4 * engine.LookEvery
	src := fmt.Sprintf("input x = 2\n#%d (fun k y -> if y < 0 then y else k (y * x)) (fun y -> y) 1", n)
	m, s, looks, last, stop := looked(t, src)
	engine.CollectEvery(m, 1<<30)
	require.NoError(t, m.Value(s.Point))
	without := *looks
	engine.CollectEvery(m, n)
	*looks = 0
	require.NoError(t, m.Value(s.Point))
	require.NotZero(t, m.Stats().Freed)
	require.Greater(t, *looks, without)
	all := *looks
	for at := 0; at < all; at += max(1, all/property.Size(50)) {
		*looks, *last = 0, at
		require.ErrorIs(t, m.Value(s.Point), stop)
	}
	*looks, *last = 0, all
	require.NoError(t, m.Value(s.Point))
}

// TestCompiledLooks: machine code and bytecode of loops stop for a look at the limits at least every LookEvery steps, forward and
// backward, and end when they are told to.
func TestCompiledLooks(t *testing.T) {
	values, jacobian := make([]float64, 1), make([]float64, 2)
	for _, noNative := range []bool{false, true} {
		s := testprogram.FromSource(t, "input e = 0.7\ninput r = 0.9\nfold (fun x h -> sin (e * x + r * h)) 0 (list i < 100000 -> 1)")
		prog := s.Compiled(t, compile.Options{Reversed: true})
		looks, last, stop := 0, 1<<30, errors.New("stop")
		m, err := engine.New(prog, engine.Options{NoNative: noNative, Limits: limits.Bounds{Look: func() error {
			if looks++; looks > last {
				return stop
			}
			return nil
		}}})
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, m.Gradient(s.Point, values, jacobian))
		require.True(t, engine.HasCode(m))
		require.Equal(t, !noNative && wasm.Supported(), engine.Compiled(m))
		looks = 0
		require.NoError(t, m.Gradient(s.Point, values, jacobian), "now all of it is compiled code")
		all := looks
		require.Greater(t, uint64(all)*engine.LookEvery*11/10, m.Steps(), "a chunk of runs may go on for a run")
		for at := 0; at < all; at += max(1, all/12) {
			looks, last = 0, at
			require.ErrorIs(t, m.Gradient(s.Point, values, jacobian), stop, "look %d of %d", at, all)
			require.Equal(t, at+1, looks, "it ends at once")
		}
	}
}
