package graph

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestArenaGrows: an arena grows by slabs up to what was reserved, its nodes do not move,
// and nodes, words and numbers are one memory.
func TestArenaGrows(t *testing.T) {
	a, err := NewArena(2 * SlabNodes * NodeBytes)
	require.NoError(t, err)
	require.EqualValues(t, SlabNodes, a.Len())
	nodes, words, floats := a.Nodes(), a.Words(), a.Floats()
	nodes[SlabNodes-1] = Node{Head: uint32(Num), A: 7}
	floats[2*(SlabNodes-1)+1] = 2.5
	require.Equal(t, 2.5, nodes[SlabNodes-1].Number())
	require.Equal(t, Num, nodes[SlabNodes-1].Kind())
	require.EqualValues(t, 7, words[4*(SlabNodes-1)+1])

	require.NoError(t, a.Grow(SlabNodes))
	require.EqualValues(t, SlabNodes, a.Len())
	require.NoError(t, a.Grow(SlabNodes+1))
	require.EqualValues(t, 2*SlabNodes, a.Len())
	require.EqualValues(t, 2*SlabNodes*NodeBytes, a.Bytes())
	nodes[2*SlabNodes-1].V = 1
	require.Equal(t, 2.5, nodes[SlabNodes-1].Number())

	err = a.Grow(2*SlabNodes + 1)
	var full *ArenaFullError
	require.ErrorAs(t, err, &full)
	require.EqualError(t, err, "the arena is full at 8388608 bytes")
	require.NoError(t, errors.Unwrap(err))
	require.EqualValues(t, 2*SlabNodes, a.Len(), "it is as it was")

	require.NoError(t, a.Close())
	require.Zero(t, a.Len())
	require.NoError(t, a.Close(), "closing again does nothing")
}

// TestArenaSize: what is reserved is rounded up to a slab, and is one at least.
func TestArenaSize(t *testing.T) {
	for bytes, slabs := range map[uint64]int{0: 1, NodeBytes: 1, SlabNodes * NodeBytes: 1, (SlabNodes + 1) * NodeBytes: 2} {
		a, err := NewArena(bytes)
		require.NoError(t, err)
		require.Len(t, a.Nodes(), slabs*SlabNodes, "%d bytes", bytes)
		require.NoError(t, a.Close())
	}
	// More bytes than 32 bits count are not reduced modulo 2³².
	a, err := NewArena(1<<32 + SlabNodes*NodeBytes)
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(a.Nodes()), 1<<24)
	require.NoError(t, a.Close())
}

// TestArenaNoMemory: the system may have no memory for a slab. The error says so, and the
// arena is as large as it was.
func TestArenaNoMemory(t *testing.T) {
	a, err := NewArena(2 * SlabNodes * NodeBytes)
	require.NoError(t, err)
	none := errors.New("cannot allocate memory")
	commit := a.memory.commit
	a.memory.commit = func(from, to uint32) error { return none }
	err = a.Grow(SlabNodes + 1)
	require.ErrorIs(t, err, none)
	require.EqualError(t, err, "the arena cannot grow beyond 4194304 bytes: cannot allocate memory")
	require.EqualValues(t, SlabNodes, a.Len())
	a.memory.commit = commit
	require.NoError(t, a.Grow(SlabNodes+1))
	require.NoError(t, a.Close())
}

// TestArenasShareARange: a reference of one arena is good in the others, each grows in its
// own part of the range, and what they hold together is bounded.
func TestArenasShareARange(t *testing.T) {
	arenas, err := NewArenas(3*SlabNodes*NodeBytes, 2)
	require.NoError(t, err)
	a, b := arenas[0], arenas[1]
	require.EqualValues(t, 3*SlabNodes, b.Start())
	require.Equal(t, b.Start(), b.Len(), "nothing is committed yet")
	require.NoError(t, b.Grow(b.Start()+1))
	b.Nodes()[b.Start()] = Node{A: 7}
	require.EqualValues(t, 7, a.Nodes()[b.Start()].A)
	require.EqualValues(t, 2*SlabNodes*NodeBytes, a.Bytes())
	require.NoError(t, a.Grow(2*SlabNodes))
	var full *ArenaFullError
	require.ErrorAs(t, b.Grow(b.Start()+SlabNodes+1), &full, "three slabs are all")

	a.Shrink(1)
	require.EqualValues(t, SlabNodes, a.Len())
	require.EqualValues(t, 2*SlabNodes*NodeBytes, a.Bytes())
	require.NoError(t, b.Grow(b.Start()+SlabNodes+1))
	require.EqualValues(t, 7, a.Nodes()[b.Start()].A)
	require.NoError(t, a.Close())
}

// TestArenaShrinks: what is given back is usable again after it has grown.
func TestArenaShrinks(t *testing.T) {
	a, err := NewArena(4 * SlabNodes * NodeBytes)
	require.NoError(t, err)
	require.NoError(t, a.Grow(4*SlabNodes))
	a.Nodes()[0].A, a.Nodes()[3*SlabNodes].A = 1, 2
	a.Shrink(SlabNodes + 1)
	require.EqualValues(t, 2*SlabNodes, a.Len())
	a.Shrink(3 * SlabNodes)
	require.EqualValues(t, 2*SlabNodes, a.Len(), "it is smaller already")
	require.NoError(t, a.Grow(4*SlabNodes))
	a.Nodes()[3*SlabNodes].A = 3
	require.EqualValues(t, 1, a.Nodes()[0].A)
	require.NoError(t, a.Close())
}
