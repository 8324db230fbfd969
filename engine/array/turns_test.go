package array

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/graph"
)

// TestTurns: instructions that share a loop add in turns, iteration by iteration from the last to the first, and a look ends them.
func TestTurns(t *testing.T) {
	const n = 5
	i, j, l := graph.Dim{Size: n, Loop: 1}, graph.Dim{Size: n, Loop: 2}, graph.Dim{Size: n, Loop: 3}
	// Registers 1 to 5 are sums, a is from 10 on, and b from 20 on.
	row := graph.Address{Base: 1, Stride: []int{0, 1}}
	parts := []graph.Array{
		{Kind: graph.ArrayAddMul, Dims: []graph.Dim{i, j}, D: row, A: graph.Address{Base: 10, Stride: []int{1, 0}}, B: graph.Address{Base: 20, Stride: []int{0, 1}}},
		{Kind: graph.ArrayAdd, Dims: []graph.Dim{i}, D: graph.Address{Base: 1, Stride: []int{1}}, A: graph.Address{Base: 10, Stride: []int{1}}},
		{Kind: graph.ArrayAdd, Dims: []graph.Dim{i, l}, D: row, A: graph.Address{Base: 20, Stride: []int{1, 0}}},
	}
	for k := range parts {
		if len(parts[k].B.Stride) == 0 {
			parts[k].B = graph.Address{Base: parts[k].A.Base, Stride: make([]int, len(parts[k].Dims))}
		}
	}
	regs := make([]float64, 30)
	for k := range n {
		regs[10+k], regs[20+k] = 1e16/float64(1+k), 1/float64(3+k)
	}
	want := append([]float64(nil), regs...)
	for i := n - 1; i >= 0; i-- {
		for j := range n {
			want[1+j] += float64(want[10+i] * want[20+j])
		}
		want[1+i] += want[10+i]
		for j := range n {
			want[1+j] += want[20+i]
		}
	}
	in := graph.Array{Kind: graph.ArrayTurns, D: row, Parts: parts}
	require.NoError(t, RunOne(&in, regs, func() error { return nil }))
	require.Equal(t, want, regs)

	stop := errors.New("stop")
	long := graph.Dim{Size: 2 * lookInTurns, Loop: 1}
	one := graph.Array{Kind: graph.ArrayAdd, Dims: []graph.Dim{long}, D: graph.Address{Base: 1, Stride: []int{0}},
		A: graph.Address{Base: 2, Stride: []int{0}}, B: graph.Address{Base: 2, Stride: []int{0}}}
	in = graph.Array{Kind: graph.ArrayTurns, Parts: []graph.Array{one, one}}
	require.ErrorIs(t, RunOne(&in, make([]float64, 3), func() error { return stop }), stop)
}
