package bench

import (
	"math"
	"slices"
)

// algebra multiplies matrices and vectors. A matrix has as many columns as its vector x has numbers; its rows follow
// each other.
type algebra interface {
	mul(y, m, x []float64, keep float64) // y ← m·x + keep·y; keep is 0 or 1
	mulT(x, m, y []float64)              // x ← mᵀ·y
	addOuter(m, y, x []float64)          // m ← m + y·xᵀ
}

// lstm is the memory of W5's gradient. It is kept from one run to the next.
type lstm struct {
	k             int
	states, cells []float64 // of k for each step, after those that are 0
	tanhs         []float64 // of the cells that steps make
	gates         []float64 // of 4k for each step: i, f, o and g
	gradW, gradU  []float64
	byState       []float64 // the adjoint of a state
	byCell        []float64 // that of a cell
	inner         []float64 // that of what the gates' functions are applied to
}

func (l *lstm) arrays() []*[]float64 {
	return []*[]float64{&l.states, &l.cells, &l.tanhs, &l.gates, &l.gradW, &l.gradU, &l.byState, &l.byCell, &l.inner}
}

func (l *lstm) bytes() (sum float64) {
	for _, a := range l.arrays() {
		sum += float64(8 * len(*a))
	}
	return sum
}

// run takes value and gradient. Matrices of the gates are below each other: i, f, o and g.
func (l *lstm) run(by algebra, k int, weightsW, weightsU, data []float64) (value float64, gradient []float64) {
	n := len(data) / k
	l.k = k
	for i, size := range []int{(n + 1) * k, (n + 1) * k, n * k, n * 4 * k, 4 * k * k, 4 * k * k, k, k, 4 * k} {
		a := l.arrays()[i]
		*a = resized(*a, size)
	}
	clear(l.states[:k])
	clear(l.cells[:k])
	clear(l.gradW)
	clear(l.gradU)
	clear(l.byCell)
	for t := range n {
		gates := l.gates[t*4*k:][:4*k]
		by.mul(gates, weightsW, data[t*k:][:k], 0)
		by.mul(gates, weightsU, l.states[t*k:][:k], 1)
		l.forward(t)
	}
	for i, h := range l.states[n*k:] {
		value += h
		l.byState[i] = 1
	}
	for t := n - 1; t >= 0; t-- {
		l.backward(t)
		by.addOuter(l.gradW, l.inner, data[t*k:][:k])
		by.addOuter(l.gradU, l.inner, l.states[t*k:][:k])
		by.mulT(l.byState, weightsU, l.inner)
	}
	return value, slices.Concat(l.gradW, l.gradU)
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

// W5 is an LSTM of k units: the weights of the gates i, f, o and g, row by row, and data row by row.
func (h *Hand) W5(k int, weightsW, weightsU, data []float64) (value float64, gradient []float64) {
	return h.lstm.run(loops{}, k, weightsW, weightsU, data)
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
