package kernel

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/term/elementary"
)

// The functions of this file set dst[i] to the function of package elementary, or of the
// table of symbols of package term, at x[i]. They panic if x is shorter than dst. dst may be
// x; else it must not overlap it.

// tables are those of package elementary.
var tables = elementary.AllTables()

// Exp sets dst[i] to e^x[i].
func Exp(dst, x []float64) {
	table := (*float64)(unsafe.Pointer(tables.Exp))
	for x = x[:len(dst)]; len(dst) > 0; dst, x = rest(dst, x, elementary.Exp) {
		n := exp(dst, x, table, &tables.Ln2[0])
		dst, x = dst[n:], x[n:]
	}
}

// Log sets dst[i] to log x[i].
func Log(dst, x []float64) {
	for x = x[:len(dst)]; len(dst) > 0; dst, x = rest(dst, x, elementary.Log) {
		n := log(dst, x, tables.Log, &tables.Ln2[0])
		dst, x = dst[n:], x[n:]
	}
}

// Sin sets dst[i] to sin x[i].
func Sin(dst, x []float64) {
	for x = x[:len(dst)]; len(dst) > 0; dst, x = rest(dst, x, elementary.Sin) {
		n := sin(dst, x, tables.Sine, &tables.Angle[0])
		dst, x = dst[n:], x[n:]
	}
}

// Cos sets dst[i] to cos x[i].
func Cos(dst, x []float64) {
	for x = x[:len(dst)]; len(dst) > 0; dst, x = rest(dst, x, elementary.Cos) {
		n := cos(dst, x, tables.Sine, &tables.Angle[0])
		dst, x = dst[n:], x[n:]
	}
}

// Tanh sets dst[i] to tanh x[i].
func Tanh(dst, x []float64) {
	for x = x[:len(dst)]; len(dst) > 0; dst, x = rest(dst, x, elementary.Tanh) {
		n := tanh(dst, x, tables.Tanh, nil)
		dst, x = dst[n:], x[n:]
	}
}

// Sigmoid sets dst[i] to sigmoid x[i].
func Sigmoid(dst, x []float64) {
	for x = x[:len(dst)]; len(dst) > 0; dst, x = rest(dst, x, elementary.Sigmoid) {
		n := sigmoid(dst, x, tables.Sigmoid, nil)
		dst, x = dst[n:], x[n:]
	}
}

// rest sets one register's numbers of dst, or those that are left: the assembly has stopped
// before them, since they are too few, or one is out of the range of its formula. It returns
// what is behind them.
func rest(dst, x []float64, f func(float64) float64) (dstLeft, xLeft []float64) {
	n := min(len(dst), 8)
	for i, v := range x[:n] {
		dst[i] = f(v)
	}
	return dst[n:], x[n:]
}

// TanhSlope sets dst[i] to the derivative of tanh at x[i].
func TanhSlope(dst, x []float64) {
	x = x[:len(dst)]
	for i, v := range x {
		dst[i] = -2 * math.Abs(v)
	}
	Exp(dst, dst)
	for i, e := range dst {
		dst[i] = 4 * e / ((1 + e) * (1 + e))
	}
}

// SigmoidSlope sets dst[i] to the derivative of sigmoid at x[i].
func SigmoidSlope(dst, x []float64) {
	Sigmoid(dst, x)
	SlopeOfSigmoid(dst, dst)
}

// SlopeOfSigmoid sets dst[i] to the derivative of sigmoid where sigmoid is s[i].
func SlopeOfSigmoid(dst, s []float64) { slope(dst, s[:len(dst)]) }
