package exec

import (
	"sync"

	"github.com/gram-machine/gram/kernel"
)

// This file has the products of matrices whose rows are shared among workers. What one worker does takes no closure:
// a loop of small products allocates nothing.

// leastPart is how many multiplications are worth a goroutine.
const leastPart = 1 << 15

// parts is among how many workers n rows are divided, which take so much work together.
func (m *Machine) parts(n, work int) int { return min(m.Workers, n, work/leastPart) }

// split runs f on parts of n rows, in as many goroutines. The rows are independent, so results don't depend on how they
// are divided.
func split(n, parts int, f func(from, to int)) {
	var wg sync.WaitGroup
	for k := 1; k < parts; k++ {
		wg.Go(func() { f(k*n/parts, (k+1)*n/parts) })
	}
	f(0, n/parts)
	wg.Wait()
}

// matVec is [kernel.MatVec].
func (m *Machine) matVec(y, w []float64, apart int, x []float64) {
	if k := m.parts(len(y), len(y)*len(x)); k > 1 {
		split(len(y), k, func(from, to int) { kernel.MatVec(y[from:to], w[from*apart:], apart, x) })
		return
	}
	kernel.MatVec(y, w, apart, x)
}

// addMatVecT is [kernel.AddMatVecT].
func (m *Machine) addMatVecT(x, w []float64, apart int, y []float64) {
	if k := m.parts(len(x), len(x)*len(y)); k > 1 {
		split(len(x), k, func(from, to int) { kernel.AddMatVecT(x[from:to], w[from:], apart, y) })
		return
	}
	kernel.AddMatVecT(x, w, apart, y)
}

// matMul is f, [kernel.MatMul] or [kernel.AddMatMul].
func (m *Machine) matMul(f func(c, a, b kernel.Matrix), c, a, b kernel.Matrix) {
	if k := m.parts(c.Rows, c.Rows*c.Columns*a.Columns); k > 1 {
		splitProduct(f, c, a, b, k)
		return
	}
	f(c, a, b)
}

func splitProduct(f func(c, a, b kernel.Matrix), c, a, b kernel.Matrix, parts int) {
	split(c.Rows, parts, func(from, to int) { f(rowsOf(c, from, to), rowsOf(a, from, to), b) })
}

// addOuter adds what is pending to the adjoints.
func (m *Machine) addOuter(p *pending) {
	if k := m.parts(p.rows, p.rows*p.columns*p.count); k > 1 {
		split(p.rows, k, func(from, to int) { m.addRows(p, from, to) })
		return
	}
	m.addRows(p, 0, p.rows)
}

func (m *Machine) addRows(p *pending, from, to int) {
	kernel.AddOuter(m.adjoint[p.adr+from*p.apart:], p.apart, to-from, p.columns, p.a[from:], p.rows, p.b, p.columns, p.count)
}

// matrix is a matrix in a slice.
func matrix(x []float64, rows, columns, apart, by int) kernel.Matrix {
	return kernel.Matrix{Data: x, Rows: rows, Columns: columns, RowStride: apart, ColumnStride: by}
}

// rowsOf are rows of a matrix.
func rowsOf(x kernel.Matrix, from, to int) kernel.Matrix {
	x.Data, x.Rows = x.Data[from*x.RowStride:], to-from
	return x
}
