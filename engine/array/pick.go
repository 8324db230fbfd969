package array

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/kernel"
)

// PreparePicks says of the numbers that instructions pick from whether they are finite.
func PreparePicks(picked []graph.Picked, regs []float64) {
	for _, p := range picked {
		regs[p.Reg] = 0
		if finite(regs[p.Span.Reg : p.Span.Reg+p.Span.N]) {
			regs[p.Reg] = 1
		}
	}
}

func finite(xs []float64) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return x-x != 0 })
}

// runPick runs the sum of the products of a matrix with a vector that has one 1 and else zeros: it is a row of the matrix. Or it adds a
// row to one of a matrix of sums. The result has the bits of all products: of finite numbers these are zeros, but for one row, and a zero
// changes a sum only if that is a zero.
func runPick(in *graph.Array, regs []float64) {
	k := len(in.Dims) - 1
	n, columns := in.Dims[k].Size, in.Dims[k-1].Size
	Outer(in, in.Dims[:k-1], true, func(d, a, b int) {
		x := slices.Index(regs[a:a+n], 1)
		switch {
		case x >= 0 && in.Kind == graph.ArrayDot:
			row := regs[b+x*in.B.Stride[k]:][:columns]
			copy(regs[d:d+columns], row)
			for j := slices.Index(row, 0); j >= 0 && j < columns; j++ {
				if row[j] == 0 {
					runSum(part(in, k, d+j, a, b+j), regs)
				}
			}
		case x >= 0 && in.B.Stride[k] == 0 && finite(regs[b:b+columns]):
			above := regs[int(in.Pick)+d-in.D.Base:][:columns]
			for j := range above {
				if above[j] == 0 && !math.Signbit(regs[b+j]) { // −0 + 0·B is 0
					above[j] = 1
					for i := range n {
						if sum := &regs[d+j+i*in.D.Stride[k]]; *sum == 0 {
							*sum = 0
						}
					}
				}
			}
			sums := regs[d+x*in.D.Stride[k]:][:columns]
			kernel.Add(sums, sums, regs[b:])
		case in.Kind == graph.ArrayDot:
			runSum(part(in, k-1, d, a, b), regs)
		default:
			runAdd(part(in, k-1, d, a, b), regs)
		}
	})
}

// part is an instruction in the dimensions from number k on, with operands at these places.
func part(in *graph.Array, k, d, a, b int) *graph.Array {
	return &graph.Array{Kind: in.Kind, Op: in.Op, Sym: in.Sym, Dims: in.Dims[k:], D: graph.Address{Base: d, Stride: in.D.Stride[k:]},
		A: graph.Address{Base: a, Stride: in.A.Stride[k:]}, B: graph.Address{Base: b, Stride: in.B.Stride[k:]}}
}
