package array

import (
	"math"
	"math/rand/v2"
	"slices"
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
	masked(in, dims, true, func(d, a, b, mask int) {
		if in.Mask.Base != 0 && regs[mask] == 0 {
			return
		}
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

// TestPicks: a product with a vector of one 1 has the bits of all its products, whatever the numbers are.
func TestPicks(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	numbers := []float64{0, math.Copysign(0, -1), 1, -1, 0.3, -0.7, math.Inf(1), math.NaN()}
	for range 3000 {
		some := numbers[:6+r.IntN(3)]
		times, columns, n := 1+r.IntN(3), 1+r.IntN(5), 1+r.IntN(12)
		dims := []graph.Dim{{Size: times}, {Size: columns}, {Size: n, Sum: true}}
		// The vectors, the rows of the matrix or what is added to its rows, the results or the matrix of sums, the registers of picks.
		vectors, matrix := 1, 1+times*n
		results := matrix + max(n, times)*columns
		picks := results + max(n, times)*columns
		in := graph.Array{Kind: graph.ArrayDot, Op: graph.BlockMul, Sym: term.Mul, Dims: dims, Pick: uint32(picks),
			A: graph.Address{Base: vectors, Stride: []int{n, 0, 1}},
			B: graph.Address{Base: matrix, Stride: []int{0, 1, columns}}, D: graph.Address{Base: results, Stride: []int{columns, 1, 0}}}
		if r.IntN(2) == 0 {
			in.Kind = graph.ArrayAddMul
			in.B.Stride, in.D.Stride = []int{columns, 1, 0}, []int{0, 1, columns}
		}
		regs := make([]float64, picks+columns)
		for i := range regs[matrix:picks] {
			regs[matrix+i] = some[r.IntN(len(some))]
		}
		if r.IntN(2) == 0 {
			for i := results; i < picks; i++ {
				regs[i] = math.Copysign(0, -1) // where sums begin
			}
		}
		PreparePicks([]graph.Picked{{Reg: uint32(picks), Span: graph.Span{Reg: uint32(matrix), N: uint32(n * columns)}}}, regs)
		if in.Kind == graph.ArrayAddMul {
			clear(regs[picks:])
		}
		for runs := range 3 {
			clear(regs[vectors:matrix])
			for i := range times {
				if r.IntN(8) > 0 {
					regs[vectors+i*n+r.IntN(n)] = 1
				}
			}
			if runs > 0 && in.Kind == graph.ArrayAddMul {
				for i := matrix; i < results; i++ {
					regs[i] = some[r.IntN(len(some))]
				}
			}
			want := slices.Clone(regs)
			byInstance(&in, want)
			require.NoError(t, RunOne(&in, regs, nil))
			for i := range want[:picks] {
				same := math.Float64bits(want[i]) == math.Float64bits(regs[i]) || math.IsNaN(want[i]) && math.IsNaN(regs[i])
				require.True(t, same, "%+v, %v: %v, not %v", in, i, regs[i], want[i])
			}
		}
	}
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
		regs := make([]float64, 4*n)
		for i := range regs {
			regs[i] = r.NormFloat64()
		}
		if last := len(in.Dims) - 1; (in.Kind == graph.ArrayAdd || in.Kind == graph.ArrayAddMul) && r.IntN(2) == 0 {
			in.Mask = graph.Dense(3*n, in.Dims)
			in.Mask.Stride[last] = 0
			for i := range n {
				regs[3*n+i] = float64(r.IntN(2))
			}
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
		require.NoError(t, RunOne(&in, whole, nil))
		require.Equal(t, want, whole, "%+v", in)
		in.Large = true
		require.NoError(t, RunOne(&in, got, func() error { looks++; return nil }))
		require.Equal(t, want, got, "%+v", in)
		cut += looks
	}
	require.Greater(t, cut, 1000)
}
