package bench

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Hand is the workloads' gradients as one would write them by hand in Go: a loop forward that keeps the
// states, and one backward. It holds their memory from one run to the next.
type Hand struct {
	memory
	// BLAS says that gonum's BLAS multiplies the matrices and vectors of W2 and W5, on one thread. A matrix's gradient
	// is a sum of outer products, one for each step.
	BLAS bool
}

// products are those of matrices and vectors.
func (h *Hand) products() algebra {
	if h.BLAS {
		return gonum{}
	}
	return loops{}
}

// memory is the numbers of a run.
type memory []float64

// Bytes is the memory that the last run used.
func (m *memory) Bytes() float64 { return float64(8 * len(*m)) }

// take returns arrays of so many numbers, which are those that the last run has left there.
func (m *memory) take(sizes ...int) [][]float64 {
	sum := 0
	for _, n := range sizes {
		sum += n
	}
	*m = slices.Grow((*m)[:0], sum)[:sum]
	out, rest := make([][]float64, len(sizes)), *m
	for i, n := range sizes {
		out[i], rest = rest[:n:n], rest[n:]
	}
	return out
}

// W1 is the scalar recurrent network on data, in the order in which it is applied.
func (h *Hand) W1(e, r float64, data []float64) (value float64, gradient []float64) {
	u := h.take(len(data) + 1)[0]
	u[0] = 0
	for i, a := range data {
		u[i+1] = 1 / (1 + math.Exp(-(e*a + r*u[i])))
	}
	adjoint, ge, gr := 1.0, 0.0, 0.0
	for i := len(data) - 1; i >= 0; i-- {
		s := u[i+1]
		dz := adjoint * s * (1 - s)
		ge += dz * data[i]
		gr += dz * u[i]
		adjoint = dz * r
	}
	return u[len(data)], []float64{ge, gr}
}

// W3 is the chain z ← sin(z·z) + z, n times.
func (h *Hand) W3(x float64, n int) (value float64, gradient []float64) {
	z := h.take(n + 1)[0]
	z[0] = x
	for i := range n {
		z[i+1] = math.Sin(z[i]*z[i]) + z[i]
	}
	adjoint := 1.0
	for i := n - 1; i >= 0; i-- {
		adjoint += adjoint * math.Cos(z[i]*z[i]) * 2 * z[i]
	}
	return z[n], []float64{adjoint}
}

// W4 is the polynomial y ← w·y + x, n times.
func (h *Hand) W4(w, x float64, n int) (value float64, gradient []float64) {
	y := h.take(n + 1)[0]
	y[0] = x
	for i := range n {
		y[i+1] = w*y[i] + x
	}
	adjoint, gw, gx := 1.0, 0.0, 0.0
	for i := n - 1; i >= 0; i-- {
		gw += adjoint * y[i]
		gx += adjoint
		adjoint *= w
	}
	return y[n], []float64{gw, gx + adjoint}
}

// W2 is the network with vectors of k: weights E and W row by row, data row by row.
func (h *Hand) W2(k int, weightsE, weightsW, data []float64) (value float64, gradient []float64) {
	n, by := len(data)/k, h.products()
	a := h.take((n+1)*k, k*k, k*k, k, k)
	states, gradE, gradW := a[0], a[1], a[2]
	adjoint, inner := a[3], a[4] // of a state, and of what the sigmoid is applied to
	clear(states[:k])
	clear(gradE)
	clear(gradW)
	for t := range n {
		after := states[(t+1)*k:][:k]
		by.mul(after, weightsE, data[t*k:][:k], 0)
		by.mul(after, weightsW, states[t*k:][:k], 1)
		for i, s := range after {
			after[i] = 1 / (1 + math.Exp(-s))
		}
	}
	for i, s := range states[n*k:] {
		value += s
		adjoint[i] = 1
	}
	for t := n - 1; t >= 0; t-- {
		for i, s := range states[(t+1)*k:][:k] {
			inner[i] = adjoint[i] * s * (1 - s)
		}
		by.addOuter(gradE, inner, data[t*k:][:k])
		by.addOuter(gradW, inner, states[t*k:][:k])
		by.mulT(adjoint, weightsW, inner)
	}
	return value, slices.Concat(gradE, gradW)
}

// lstm is what W5's gradient keeps.
type lstm struct {
	k             int
	states, cells []float64 // of k for each step, after those that are 0
	tanhs         []float64 // of the cells that steps make
	gates         []float64 // of 4k for each step: i, f, o and g
	byState       []float64 // the adjoint of a state
	byCell        []float64 // that of a cell
	inner         []float64 // that of what the gates' functions are applied to
}

// W5 is an LSTM of k units: the weights of the gates i, f, o and g below each other, row by row, and data row by row.
func (h *Hand) W5(k int, weightsW, weightsU, data []float64) (value float64, gradient []float64) {
	n, by := len(data)/k, h.products()
	a := h.take((n+1)*k, (n+1)*k, n*k, n*4*k, k, k, 4*k, 4*k*k, 4*k*k)
	l := lstm{k, a[0], a[1], a[2], a[3], a[4], a[5], a[6]}
	gradW, gradU := a[7], a[8]
	clear(l.states[:k])
	clear(l.cells[:k])
	clear(l.byCell)
	clear(gradW)
	clear(gradU)
	for t := range n {
		gates := l.gates[t*4*k:][:4*k]
		by.mul(gates, weightsW, data[t*k:][:k], 0)
		by.mul(gates, weightsU, l.states[t*k:][:k], 1)
		l.forward(t)
	}
	for i, s := range l.states[n*k:] {
		value += s
		l.byState[i] = 1
	}
	for t := n - 1; t >= 0; t-- {
		l.backward(t)
		by.addOuter(gradW, l.inner, data[t*k:][:k])
		by.addOuter(gradU, l.inner, l.states[t*k:][:k])
		by.mulT(l.byState, weightsU, l.inner)
	}
	return value, slices.Concat(gradW, gradU)
}

// forward makes the gates, the cell and the state of step t from what the gates' functions are applied to.
func (l *lstm) forward(t int) {
	k, gates, cells, states := l.k, l.gates[t*4*l.k:], l.cells[t*l.k:], l.states[(t+1)*l.k:]
	for i, x := range gates[:3*k] {
		gates[i] = 1 / (1 + math.Exp(-x))
	}
	for q := range k {
		g := math.Tanh(gates[3*k+q])
		c := gates[k+q]*cells[q] + gates[q]*g
		tanh := math.Tanh(c)
		gates[3*k+q], cells[k+q], l.tanhs[t*k+q], states[q] = g, c, tanh, gates[2*k+q]*tanh
	}
}

// backward makes inner and the adjoint of the cell before step t from the adjoints of the cell and of the state after
// it.
func (l *lstm) backward(t int) {
	k, gates, before, tanhs := l.k, l.gates[t*4*l.k:], l.cells[t*l.k:], l.tanhs[t*l.k:]
	for q := range k {
		i, f, o, g := gates[q], gates[k+q], gates[2*k+q], gates[3*k+q]
		byCell := l.byCell[q] + l.byState[q]*o*(1-tanhs[q]*tanhs[q])
		l.inner[q] = byCell * g * i * (1 - i)
		l.inner[k+q] = byCell * before[q] * f * (1 - f)
		l.inner[2*k+q] = l.byState[q] * tanhs[q] * o * (1 - o)
		l.inner[3*k+q] = byCell * i * (1 - g*g)
		l.byCell[q] = byCell * f
	}
}

// algebra multiplies matrices and vectors. A matrix has as many columns as its vector x has numbers; its rows follow
// each other.
type algebra interface {
	mul(y, m, x []float64, keep float64) // y ← m·x + keep·y; keep is 0 or 1
	mulT(x, m, y []float64)              // x ← mᵀ·y
	addOuter(m, y, x []float64)          // m ← m + y·xᵀ
}

// loops is plain Go.
type loops struct{}

func (loops) mul(y, m, x []float64, keep float64) {
	for i := range y {
		s := keep * y[i]
		row := m[i*len(x):][:len(x)]
		for j, v := range x {
			s += row[j] * v
		}
		y[i] = s
	}
}

func (loops) mulT(x, m, y []float64) {
	clear(x)
	for i, v := range y {
		row := m[i*len(x):][:len(x)]
		for j := range x {
			x[j] += v * row[j]
		}
	}
}

func (loops) addOuter(m, y, x []float64) {
	for i, v := range y {
		row := m[i*len(x):][:len(x)]
		for j, w := range x {
			row[j] += v * w
		}
	}
}

// gonum is gonum's BLAS.
type gonum struct{}

func (gonum) mul(y, m, x []float64, keep float64) {
	blas64.Gemv(blas.NoTrans, 1, matrix(m, len(y), len(x)), vector(x), keep, vector(y))
}

func (gonum) mulT(x, m, y []float64) {
	blas64.Gemv(blas.Trans, 1, matrix(m, len(y), len(x)), vector(y), 0, vector(x))
}

func (gonum) addOuter(m, y, x []float64) {
	blas64.Ger(1, vector(y), vector(x), matrix(m, len(y), len(x)))
}

func matrix(m []float64, rows, columns int) blas64.General {
	return blas64.General{Rows: rows, Cols: columns, Stride: columns, Data: m}
}

func vector(x []float64) blas64.Vector { return blas64.Vector{N: len(x), Inc: 1, Data: x} }
