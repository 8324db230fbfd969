package collect_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/engine/collect"
	"github.com/gram-machine/gram/graph"
)

// TestCollect: what the roots reach is left, in its order, and refers to where the others have gone; what is below the pin stays, dead or not.
func TestCollect(t *testing.T) {
	const base = 8
	for _, pin := range []graph.Ref{0, base + 2} {
		arena, err := graph.NewArena(1 << 20)
		require.NoError(t, err)
		defer arena.Close()
		require.NoError(t, arena.Grow(base+5))
		nodes := arena.Nodes()
		number := func(r graph.Ref, v uint64) { nodes[r] = graph.Node{Head: uint32(graph.Num), V: v} }
		number(base, 10) // dead
		number(base+1, 11)
		number(base+2, 12) // dead
		number(base+3, 13)
		nodes[base+4] = graph.Node{Head: uint32(graph.Pair), V: base + 1 | (base+3)<<32}
		root := graph.Ref(base + 4)
		run := &collect.Run{Base: base, Top: base + 5, Pin: pin, Exact: true, Look: func(int) error { return errors.New("too few to look") },
			Roots: func(f func(graph.Ref) graph.Ref) { root = f(root) }}
		c := collect.New(&graph.Program{}, arena)
		n, err := c.Reachable(run)
		require.NoError(t, err)
		require.Equal(t, 3, n)
		left, kept, err := c.Collect(run)
		require.NoError(t, err)
		require.Equal(t, map[graph.Ref]uint32{0: 0, base + 2: 1}[pin], kept)
		require.Equal(t, 3+kept, left)
		require.Equal(t, base+left-1, root)
		a, b := uint32(nodes[root].V), uint32(nodes[root].V>>32)
		require.Equal(t, []uint64{11, 13}, []uint64{nodes[a].V, nodes[b].V})
		require.Equal(t, root-1, b)
		require.Equal(t, base+kept, a)
	}
}
