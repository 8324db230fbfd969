package engine

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// byInstance runs an instruction instance by instance, without a kernel for more than one sum.
func byInstance(in *graph.Array, regs []float64) {
	dims, last := in.Dims, len(in.Dims)-1
	if folds(in) || in.Kind == graph.ArrayMaxBack {
		dims = dims[:last]
	}
	outer(in, dims, true, func(d, a, b int) {
		switch in.Kind {
		case graph.ArrayEach:
			regs[d] = regs[a] * regs[b]
		case graph.ArrayAdd:
			regs[d] += regs[a]
		case graph.ArrayAddMul:
			regs[d] += float64(regs[a] * regs[b])
		default:
			var terms []float64
			for i := range in.Dims[last].Size {
				x := regs[a+i*in.A.Stride[last]]
				if in.Kind == graph.ArrayDot {
					x *= regs[b+i*in.B.Stride[last]]
				}
				terms = append(terms, x)
			}
			switch in.Kind {
			case graph.ArrayMax:
				regs[d] = kernel.Max(terms)
			case graph.ArrayMaxBack:
				kernel.MaxBack(regs[d:d+len(terms)], terms, regs[b])
			default:
				regs[d] = kernel.Sum(terms)
			}
		}
	})
}

// folds reports whether an instruction has one result for the numbers of its last dimension.
func folds(in *graph.Array) bool {
	return in.Kind == graph.ArraySum || in.Kind == graph.ArrayDot || in.Kind == graph.ArrayMax
}

// TestArrays: an instruction has the bits of its instances, one after the other in the order of sums and of firing. So has one that
// is run in parts, and it looks between them.
func TestArrays(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	cut := 0
	for range 3000 {
		in := graph.Array{Kind: graph.ArrayKind(r.IntN(7)), Op: graph.BlockMul, Sym: term.Mul}
		for range 1 + r.IntN(4) {
			in.Dims = append(in.Dims, graph.Dim{Size: 1 + r.IntN(12), Sum: r.IntN(2) == 0})
		}
		n := graph.Instances(in.Dims)
		in.D, in.A, in.B = graph.Dense(0, in.Dims), graph.Dense(n, in.Dims), graph.Dense(2*n, in.Dims)
		for k := range in.Dims {
			if in.Kind != graph.ArrayEach && in.Kind != graph.ArrayMaxBack && r.IntN(3) == 0 || folds(&in) && k == len(in.Dims)-1 {
				in.D.Stride[k] = 0
			}
			for _, a := range []*graph.Address{&in.A, &in.B} {
				if r.IntN(3) == 0 {
					a.Stride[k] = 0
				}
			}
		}
		regs := make([]float64, 3*n)
		for i := range regs {
			regs[i] = r.NormFloat64()
		}
		want, got, looks := append([]float64(nil), regs...), append([]float64(nil), regs...), 0
		if in.Kind == graph.ArrayMaxBack {
			in.B.Stride[len(in.Dims)-1] = 0
		}
		if folds(&in) {
			for k := range in.Dims[:len(in.Dims)-1] { // each sum has a register
				in.D.Stride[k] = graph.Dense(0, in.Dims).Stride[k]
			}
		}
		byInstance(&in, want)
		whole := append([]float64(nil), regs...)
		require.NoError(t, runArray(&in, whole, nil))
		require.Equal(t, want, whole, "%+v", in)
		in.Large = true
		require.NoError(t, runArray(&in, got, func() error { looks++; return nil }))
		require.Equal(t, want, got, "%+v", in)
		cut += looks
	}
	require.Greater(t, cut, 1000)
}
