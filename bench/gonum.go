package bench

import (
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/blas64"
)

// Gonum is the gradients of W2 and W5 by hand with gonum's BLAS for the products of matrices and vectors, on one
// thread. A matrix's gradient is a sum of outer products, one for each step.
type Gonum struct{ memory Hand }

// Bytes is the memory that the last run used.
func (g *Gonum) Bytes() float64 { return g.memory.Bytes() }

// W2 is the network with vectors of k: weights E and W row by row, data row by row.
func (g *Gonum) W2(k int, weightsE, weightsW, data []float64) (value float64, gradient []float64) {
	return g.memory.network(gonum{}, k, weightsE, weightsW, data)
}

// W5 is an LSTM of k units: the weights of the gates i, f, o and g, row by row, and data row by row.
func (g *Gonum) W5(k int, weightsW, weightsU, data []float64) (value float64, gradient []float64) {
	return g.memory.lstm.run(gonum{}, k, weightsW, weightsU, data)
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
