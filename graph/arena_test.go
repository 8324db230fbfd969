package graph

import (
	"errors"
	"testing"
	"unsafe"

	"github.com/stretchr/testify/require"
)

// TestArenaGrows: an arena grows by slabs up to what was reserved, and its bytes do not move.
func TestArenaGrows(t *testing.T) {
	a, err := NewArena(2 * SlabBytes)
	require.NoError(t, err)
	require.EqualValues(t, SlabBytes, a.Len())
	all := unsafe.Slice((*byte)(a.Base()), 2*SlabBytes)
	all[SlabBytes-1] = 7

	require.NoError(t, a.Grow(SlabBytes))
	require.EqualValues(t, SlabBytes, a.Len())
	require.NoError(t, a.Grow(SlabBytes+1))
	require.EqualValues(t, 2*SlabBytes, a.Len())
	all[2*SlabBytes-1] = 1
	require.EqualValues(t, 7, all[SlabBytes-1])

	err = a.Grow(2*SlabBytes + 1)
	var full *ArenaFullError
	require.ErrorAs(t, err, &full)
	require.EqualError(t, err, "the arena is full at 8388608 bytes")
	require.NoError(t, errors.Unwrap(err))
	require.EqualValues(t, 2*SlabBytes, a.Len(), "it is as it was")

	require.NoError(t, a.Close())
	require.Zero(t, a.Len())
	require.NoError(t, a.Close(), "closing again does nothing")
}

// TestArenaSize: what is reserved is rounded up to a slab, and is one at least.
func TestArenaSize(t *testing.T) {
	for bytes, slabs := range map[uint64]uint64{0: 1, 1: 1, SlabBytes: 1, SlabBytes + 1: 2} {
		a, err := NewArena(bytes)
		require.NoError(t, err)
		require.Equal(t, slabs*SlabBytes, a.size, "%d bytes", bytes)
		require.NoError(t, a.Close())
	}
	// More bytes than 32 bits count are not reduced modulo 2³².
	a, err := NewArena(1<<32 + SlabBytes)
	require.NoError(t, err)
	require.GreaterOrEqual(t, a.size, uint64(1<<28))
	require.NoError(t, a.Close())
}

// TestArenaNoMemory: the system may have no memory for a slab. The error says so, and the arena is as large as it was.
func TestArenaNoMemory(t *testing.T) {
	a, err := NewArena(2 * SlabBytes)
	require.NoError(t, err)
	none := errors.New("cannot allocate memory")
	commit := a.commit
	a.commit = func(from, to uint64) error { return none }
	err = a.Grow(SlabBytes + 1)
	require.ErrorIs(t, err, none)
	require.EqualError(t, err, "the arena cannot grow beyond 4194304 bytes: cannot allocate memory")
	require.EqualValues(t, SlabBytes, a.Len())
	a.commit = commit
	require.NoError(t, a.Grow(SlabBytes+1))
	require.NoError(t, a.Close())
}
