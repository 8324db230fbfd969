package graph

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestMemory: memory grows by slabs up to what was reserved, and does not move. Where the system has none for a slab,
// the error says so, and there is as much as there was.
func TestMemory(t *testing.T) {
	m, err := newMemory(slab + 1)
	require.NoError(t, err)
	require.EqualValues(t, slab, m.used)
	bytes := m.bytes
	require.Len(t, bytes, 2*slab)
	bytes[slab-1] = 7

	none, commit := errors.New("cannot allocate memory"), m.commit
	m.commit = func([]byte) error { return none }
	require.NoError(t, m.grow(slab))
	err = m.grow(slab + 1)
	require.ErrorIs(t, err, none)
	require.EqualError(t, err, "the arena cannot grow beyond 4194304 bytes: cannot allocate memory")
	require.EqualValues(t, slab, m.used)

	m.commit = commit
	require.NoError(t, m.grow(slab+1))
	require.EqualValues(t, 2*slab, m.used)
	bytes[2*slab-1] = 1
	require.EqualValues(t, 7, bytes[slab-1])
	require.EqualError(t, m.grow(2*slab+1), "the arena is full at 8388608 bytes")
	require.EqualValues(t, 2*slab, m.used)

	require.NoError(t, m.close())
	require.NoError(t, m.close(), "closing again does nothing")
}

// TestMemorySize: what is reserved is rounded up to a slab, is one at least, and is no more than nodes have numbers.
func TestMemorySize(t *testing.T) {
	for most, slabs := range map[uint64]uint64{0: 1, 1: 1, slab: 1, slab + 1: 2, 1 << 63: 1 << 13} {
		m, err := newMemory(most)
		require.NoError(t, err)
		if most < 1<<32 {
			require.Len(t, m.bytes, int(slabs*slab), "%d bytes", most)
		} else {
			require.LessOrEqual(t, uint64(len(m.bytes)), slabs*slab)
		}
		require.NoError(t, m.close())
	}
}
