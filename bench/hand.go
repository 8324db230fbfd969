package bench

import (
	"math"
	"slices"
)

// Hand is the workloads' gradients as one would write them by hand in Go: a loop forward that keeps the
// states, and one backward. It holds their memory from one run to the next.
type Hand struct {
	states         []float64
	gradE, gradW   []float64
	adjoint, inner []float64 // of a state, and of what the sigmoid is applied to
	lstm           lstm      // of W5
}

// Bytes is the memory that the last run used.
func (h *Hand) Bytes() float64 {
	return float64(8*(len(h.states)+len(h.gradE)+len(h.gradW)+len(h.adjoint)+len(h.inner))) + h.lstm.bytes()
}

// resized is s with n numbers.
func resized(s []float64, n int) []float64 { return slices.Grow(s[:0], n)[:n] }

// W1 is the scalar recurrent network on data, in the order in which it is applied.
func (h *Hand) W1(e, r float64, data []float64) (value float64, gradient []float64) {
	h.states = resized(h.states, len(data)+1)
	u := h.states
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

// W2 is the network with vectors of k: weights E and W row by row, data row by row.
func (h *Hand) W2(k int, weightsE, weightsW, data []float64) (value float64, gradient []float64) {
	return h.network(loops{}, k, weightsE, weightsW, data)
}

// network is W2 with products by an algebra.
func (h *Hand) network(by algebra, k int, weightsE, weightsW, data []float64) (value float64, gradient []float64) {
	n := len(data) / k
	h.states = resized(h.states, (n+1)*k)
	h.gradE, h.gradW = resized(h.gradE, k*k), resized(h.gradW, k*k)
	h.adjoint, h.inner = resized(h.adjoint, k), resized(h.inner, k)
	clear(h.states[:k])
	clear(h.gradE)
	clear(h.gradW)
	for t := range n {
		after := h.states[(t+1)*k:][:k]
		by.mul(after, weightsE, data[t*k:][:k], 0)
		by.mul(after, weightsW, h.states[t*k:][:k], 1)
		for i, s := range after {
			after[i] = 1 / (1 + math.Exp(-s))
		}
	}
	for i, s := range h.states[n*k:] {
		value += s
		h.adjoint[i] = 1
	}
	for t := n - 1; t >= 0; t-- {
		for i, s := range h.states[(t+1)*k:][:k] {
			h.inner[i] = h.adjoint[i] * s * (1 - s)
		}
		by.addOuter(h.gradE, h.inner, data[t*k:][:k])
		by.addOuter(h.gradW, h.inner, h.states[t*k:][:k])
		by.mulT(h.adjoint, weightsW, h.inner)
	}
	return value, slices.Concat(h.gradE, h.gradW)
}

// W3 is the chain z ← sin(z·z) + z, n times.
func (h *Hand) W3(x float64, n int) (value float64, gradient []float64) {
	h.states = resized(h.states, n+1)
	z := h.states
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
	h.states = resized(h.states, n+1)
	y := h.states
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
