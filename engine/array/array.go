package array

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// Run runs a block's code on arrays.
func Run(code []graph.Array, regs []float64, look func() error) error {
	for i := range code {
		if err := RunOne(&code[i], regs, look); err != nil {
			return err
		}
	}
	return nil
}

// Load moves numbers into registers.
func Load(regs []float64, spans []graph.Span, from []float64) {
	for _, s := range spans {
		copy(regs[s.Reg:s.Reg+s.N], from[s.At:])
	}
}

// Store moves numbers out of registers.
func Store(to, regs []float64, spans []graph.Span) {
	for _, s := range spans {
		copy(to[s.At:], regs[s.Reg:s.Reg+s.N])
	}
}

// RunOne runs an instruction on arrays: by a kernel where there is one, and else instance by instance. Between the parts of a
// large one it calls look; its error ends the run.
func RunOne(in *graph.Array, regs []float64, look func() error) error {
	if in.Pick != 0 && (in.Kind != graph.ArrayDot || regs[in.Pick] != 0) {
		runPick(in, regs)
		return nil
	}
	if in.Kind == graph.ArrayTurns {
		return runTurns(in.Parts, regs, look)
	}
	if in.Large {
		if first, second, ok := in.Halves(); ok {
			if err := RunOne(&first, regs, look); err != nil {
				return err
			}
			if err := look(); err != nil {
				return err
			}
			return RunOne(&second, regs, look)
		}
	}
	dims := in.Dims
	if len(dims) == 0 {
		dims = []graph.Dim{{Size: 1}}
		in = &graph.Array{Kind: in.Kind, Op: in.Op, Sym: in.Sym, Cmp: in.Cmp, Dims: dims, D: scalar(in.D), A: scalar(in.A), B: scalar(in.B)}
	}
	switch in.Kind {
	case graph.ArrayEach:
		if len(dims) == 1 {
			each(in, regs, in.D.Base, in.A.Base, in.B.Base)
			return nil
		}
		Outer(in, dims[:len(dims)-1], false, func(d, a, b int) { each(in, regs, d, a, b) })
	case graph.ArrayDot, graph.ArraySum, graph.ArrayMax:
		runSum(in, regs)
	case graph.ArrayMaxBack:
		runMaxBack(in, regs)
	default:
		runAdd(in, regs)
	}
	return nil
}

// scalar is the address of an instruction without dimensions in one dimension.
func scalar(a graph.Address) graph.Address { return graph.Address{Base: a.Base, Stride: []int{0}} }

// Outer calls f with the places of the operands for each instance of some dimensions: from the first to the last, or in the order
// in which they fire.
func Outer(in *graph.Array, dims []graph.Dim, firing bool, f func(d, a, b int)) {
	masked(in, dims, firing, func(d, a, b, _ int) { f(d, a, b) })
}

// masked is [Outer] with the place of the mask.
func masked(in *graph.Array, dims []graph.Dim, firing bool, f func(d, a, b, mask int)) {
	d, a, b, mask := in.D.Base, in.A.Base, in.B.Base, in.Mask.Base
	if len(dims) == 0 {
		f(d, a, b, mask)
		return
	}
	at, orders := make([]int, len(dims)), make([][]int, len(dims))
	index := func(k int) int { // of the instance
		if orders[k] == nil {
			return at[k]
		}
		return orders[k][at[k]]
	}
	move := func(k, by int) {
		d, a, b = d+by*in.D.Stride[k], a+by*in.A.Stride[k], b+by*in.B.Stride[k]
		if in.Mask.Base != 0 {
			mask += by * in.Mask.Stride[k]
		}
	}
	for k := range dims {
		if firing {
			orders[k] = dims[k].FiringOrder()
		}
		move(k, index(k))
	}
	for {
		f(d, a, b, mask)
		k := len(dims) - 1
		for ; k >= 0; k-- {
			from := index(k)
			if at[k]++; at[k] < dims[k].Size {
				move(k, index(k)-from)
				break
			}
			at[k] = 0
			move(k, index(k)-from)
		}
		if k < 0 {
			return
		}
	}
}

// each runs an operation on the instances of the last dimension.
func each(in *graph.Array, regs []float64, d, a, b int) {
	k := len(in.Dims) - 1
	n, sd, sa, sb := in.Dims[k].Size, in.D.Stride[k], in.A.Stride[k], in.B.Stride[k]
	if sd == 1 && eachKernel(in, regs[d:d+n], regs[a:], regs[b:], sa, sb) {
		return
	}
	different, first := n, d
	if sd == 1 && sa == 0 && sb == 0 {
		different = min(n, 1)
	}
	for range different {
		x, y := regs[a], regs[b]
		switch in.Op {
		case graph.BlockMul:
			regs[d] = x * y
		case graph.BlockAdd:
			regs[d] = x + y
		case graph.BlockSub:
			regs[d] = x - y
		case graph.BlockSlope:
			regs[d] = x * (1 - x)
		case graph.BlockTest:
			regs[d] = 0
			if in.Cmp.Holds(x, y) {
				regs[d] = 1
			}
		case graph.BlockWhere:
			regs[d] = x
			if y == 0 {
				regs[d] = math.Copysign(0, -1)
			}
		case graph.BlockFun1:
			regs[d] = in.Sym.Info().Eval1(x)
		case graph.BlockFun2:
			regs[d] = in.Sym.Info().Eval2(x, y)
		}
		d, a, b = d+sd, a+sa, b+sb
	}
	for i := different; i < n; i++ {
		regs[first+i] = regs[first]
	}
}

// eachKernel runs an operation by a kernel, if there is one.
func eachKernel(in *graph.Array, dst, a, b []float64, sa, sb int) bool {
	switch in.Op {
	case graph.BlockMul:
		switch {
		case sa == 1 && sb == 1:
			kernel.Mul(dst, a, b)
		case sa == 1 && sb == 0:
			kernel.MulScalar(dst, a, b[0])
		case sa == 0 && sb == 1:
			kernel.MulScalar(dst, b, a[0])
		default:
			return false
		}
		return true
	case graph.BlockAdd:
		switch {
		case sa == 1 && sb == 1:
			kernel.Add(dst, a, b)
		case sa == 1 && sb == 0:
			kernel.AddScalar(dst, a, b[0])
		case sa == 0 && sb == 1:
			kernel.AddScalar(dst, b, a[0])
		default:
			return false
		}
		return true
	case graph.BlockSub:
		switch {
		case sa == 1 && sb == 1:
			kernel.Sub(dst, a, b)
		case sa == 1 && sb == 0:
			kernel.AddScalar(dst, a, -b[0])
		case sa == 0 && sb == 1:
			kernel.ScalarSub(dst, a[0], b)
		default:
			return false
		}
		return true
	case graph.BlockSlope:
		if sa == 1 {
			kernel.SlopeOfSigmoid(dst, a)
			return true
		}
	case graph.BlockFun1:
		if f := kernels[in.Sym]; f != nil && sa == 1 {
			f(dst, a)
			return true
		}
	}
	return false
}

// kernels are those of unary symbols.
var kernels = map[term.Symbol]func(dst, x []float64){
	term.Sigmoid: kernel.Sigmoid, term.Tanh: kernel.Tanh, term.Exp: kernel.Exp, term.Log: kernel.Log,
	term.Sin: kernel.Sin, term.Cos: kernel.Cos, term.Sqrt: kernel.Sqrt, term.DTanh: kernel.TanhSlope, term.DSigmoid: kernel.SigmoidSlope,
}

// runSum adds over the last dimension, in the order of sums.
func runSum(in *graph.Array, regs []float64) {
	k := len(in.Dims) - 1
	n, sa, sb := in.Dims[k].Size, in.A.Stride[k], in.B.Stride[k]
	if in.Kind == graph.ArrayDot && contraction(in, regs) {
		return
	}
	if in.Kind == graph.ArrayDot && k > 0 && in.D.Stride[k-1] == 1 && n > 0 {
		m := in.Dims[k-1].Size
		one := func(w, x graph.Address) bool {
			return w.Stride[k] == 1 && x.Stride[k] == 1 && x.Stride[k-1] == 0 && w.Stride[k-1] >= 0
		}
		w, x, swap := in.A, in.B, false
		if !one(w, x) {
			w, x, swap = x, w, true
		}
		if one(w, x) {
			Outer(in, in.Dims[:k-1], false, func(d, a, b int) {
				if swap {
					a, b = b, a
				}
				kernel.MatVec(regs[d:d+m], regs[a:], w.Stride[k-1], regs[b:b+n])
			})
			return
		}
	}
	rowX, rowY := rowOf(sa, n), rowOf(sb, n)
	Outer(in, in.Dims[:k], false, func(d, a, b int) {
		x := gather(rowX, regs, a, sa, n)
		switch in.Kind {
		case graph.ArraySum:
			regs[d] = kernel.Sum(x)
			return
		case graph.ArrayMax:
			regs[d] = kernel.Max(x)
			return
		}
		y := gather(rowY, regs, b, sb, n)
		regs[d] = kernel.Dot(x, y)
	})
}

// runMaxBack gives what arrives at the largest number of the last dimension to the numbers. D is dense.
func runMaxBack(in *graph.Array, regs []float64) {
	k := len(in.Dims) - 1
	n, sa := in.Dims[k].Size, in.A.Stride[k]
	row := rowOf(sa, n)
	Outer(in, in.Dims[:k], false, func(d, a, b int) {
		kernel.MaxBack(regs[d:d+n], gather(row, regs, a, sa, n), regs[b])
	})
}

// rowOf makes room for n numbers at a distance from one another, for gather.
func rowOf(stride, n int) []float64 {
	if stride == 1 {
		return nil
	}
	return make([]float64, 0, n)
}

// gather returns n numbers at a distance from one another, in to if they are not side by side.
func gather(to, regs []float64, at, stride, n int) []float64 {
	if stride == 1 {
		return regs[at : at+n]
	}
	for range n {
		to = append(to, regs[at])
		at += stride
	}
	return to
}

// runAdd adds to registers, each in the order in which the instances fire.
func runAdd(in *graph.Array, regs []float64) {
	k := len(in.Dims) - 1
	last := in.Dims[k]
	n, sd, sa, sb := last.Size, in.D.Stride[k], in.A.Stride[k], in.B.Stride[k]
	product := in.Kind == graph.ArrayAddMul
	if product && in.Mask.Base == 0 && (contraction(in, regs) || k > 0 && matrixAdd(in, regs)) {
		return
	}
	masked(in, in.Dims[:k], true, func(d, a, b, mask int) {
		switch {
		case in.Mask.Base != 0 && regs[mask] == 0:
		case product && sd == 1 && sa == 1 && sb == 1:
			kernel.AddMul(regs[d:d+n], regs[a:], regs[b:])
		case product && sd == 1 && sa == 1 && sb == 0:
			kernel.AddMulScalar(regs[d:d+n], regs[a:], regs[b])
		case product && sd == 1 && sa == 0 && sb == 1:
			kernel.AddMulScalar(regs[d:d+n], regs[b:], regs[a])
		case !product && sd == 1 && sa == 1:
			kernel.Add(regs[d:d+n], regs[d:], regs[a:])
		case !product && sd == 1 && sa == 0:
			kernel.AddScalar(regs[d:d+n], regs[d:], regs[a])
		default:
			addOrders(last, func(first, step, n int, order kernel.Order) {
				if order == kernel.Descending {
					first, step = first+(n-1)*step, -step
				}
				d, a, b := d+first*sd, a+first*sa, b+first*sb
				sum := regs[d]
				for range n {
					x := regs[a]
					if product {
						x = float64(x * regs[b]) // rounded: no fused multiply-add
					}
					if sd == 0 {
						sum += x
					} else {
						regs[d] += x
					}
					d, a, b = d+step*sd, a+step*sa, b+step*sb
				}
				if sd == 0 {
					regs[d] = sum
				}
			})
		}
	})
}

// addOrders calls f with the ranges of a dimension, from each lane of a sum on, and the order in which its instances fire.
func addOrders(dim graph.Dim, f func(first, step, n int, order kernel.Order)) {
	switch {
	case dim.Reversed && (!dim.Sum || dim.Size <= 8):
		order := kernel.Ascending
		if dim.Sum {
			order = kernel.Descending
		}
		f(0, 1, dim.Size, order)
	case dim.Reversed:
		for _, lane := range slices.Backward(graph.LaneOrder[:]) {
			f(lane, 8, (dim.Size-lane+7)/8, kernel.Descending)
		}
	case !dim.Sum:
		f(0, 1, dim.Size, kernel.Descending)
	case dim.Size <= 8:
		f(0, 1, dim.Size, kernel.Ascending)
	default:
		for _, lane := range graph.LaneOrder {
			f(lane, 8, (dim.Size-lane+7)/8, kernel.Ascending)
		}
	}
}

// matrixAdd runs the products of the last two dimensions as those of a matrix, if they are.
func matrixAdd(in *graph.Array, regs []float64) bool {
	k := len(in.Dims) - 1
	rows, columns := in.Dims[k-1], in.Dims[k].Size
	at := func(a graph.Address) [2]int { return [2]int{a.Stride[k-1], a.Stride[k]} }
	d, a, b := at(in.D), at(in.A), at(in.B)
	swap := false
	if a[1] == 0 && b[1] == 1 && d[0] == 0 || a == [2]int{0, 1} && b == [2]int{1, 0} {
		a, b, swap = b, a, true
	}
	transposed := d == [2]int{0, 1} && a[1] == 1 && a[0] >= 0 && b == [2]int{1, 0}
	outerProduct := d[1] == 1 && d[0] >= columns && a == [2]int{1, 0} && b == [2]int{0, 1}
	if !transposed && !outerProduct || transposed && rows.Sum && rows.Size > 8 {
		return false
	}
	Outer(in, in.Dims[:k-1], true, func(to, x, y int) {
		if swap {
			x, y = y, x
		}
		if !transposed {
			kernel.AddOuter(regs[to:], d[0], rows.Size, columns, regs[x:], rows.Size, regs[y:], columns, 1, kernel.Ascending)
			return
		}
		addOrders(rows, func(_, _, n int, order kernel.Order) {
			kernel.AddMatVecT(regs[to:to+columns], regs[x:], a[0], regs[y:y+n], order)
		})
	})
	return true
}

// contraction runs the products of the last three dimensions as those of two matrices, if they are.
func contraction(in *graph.Array, regs []float64) bool {
	first := len(in.Dims) - 3
	if first < 0 {
		return false
	}
	rows, columns, steps := -1, -1, -1
	for k := first; k < len(in.Dims); k++ {
		d, a, b := in.D.Stride[k], in.A.Stride[k], in.B.Stride[k]
		switch {
		case d < 0 || a < 0 || b < 0:
			return false
		case d > 0 && a > 0 && b == 0:
			rows = k
		case d > 0 && a == 0 && b > 0:
			columns = k
		case d == 0 && a > 0 && b > 0:
			steps = k
		}
	}
	if rows < 0 || columns < 0 || steps < 0 || in.Kind == graph.ArrayDot && steps != len(in.Dims)-1 {
		return false
	}
	matrix := func(a graph.Address, at, row, column int) kernel.Matrix {
		return kernel.Matrix{Data: regs[at:], Rows: in.Dims[row].Size, Columns: in.Dims[column].Size, RowStride: a.Stride[row], ColumnStride: a.Stride[column]}
	}
	Outer(in, in.Dims[:first], true, func(d, a, b int) {
		c, x, y := matrix(in.D, d, rows, columns), matrix(in.A, a, rows, steps), matrix(in.B, b, steps, columns)
		if in.Kind == graph.ArrayDot {
			kernel.MatMul(c, x, y)
			return
		}
		addOrders(in.Dims[steps], func(first, step, n int, order kernel.Order) {
			part, with := x, y
			part.Data, part.Columns, part.ColumnStride = x.Data[first*x.ColumnStride:], n, step*x.ColumnStride
			with.Data, with.Rows, with.RowStride = y.Data[first*y.RowStride:], n, step*y.RowStride
			kernel.AddMatMul(c, part, with, order)
		})
	})
	return true
}
