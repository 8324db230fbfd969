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
func Exp(dst, x []float64) { evaluate(dst, x, ofExp) }

// Log sets dst[i] to log x[i].
func Log(dst, x []float64) { evaluate(dst, x, ofLog) }

// Sin sets dst[i] to sin x[i].
func Sin(dst, x []float64) { evaluate(dst, x, ofSin) }

// Cos sets dst[i] to cos x[i].
func Cos(dst, x []float64) { evaluate(dst, x, ofCos) }

// Tanh sets dst[i] to tanh x[i].
func Tanh(dst, x []float64) { evaluate(dst, x, ofTanh) }

// Sigmoid sets dst[i] to sigmoid x[i].
func Sigmoid(dst, x []float64) { evaluate(dst, x, ofSigmoid) }

// function is a function of this file.
type function uint8

const (
	ofExp function = iota
	ofLog
	ofSin
	ofCos
	ofTanh
	ofSigmoid
)

// one are the functions at one number.
var one = [...]func(float64) float64{ofExp: elementary.Exp, ofLog: elementary.Log, ofSin: elementary.Sin,
	ofCos: elementary.Cos, ofTanh: elementary.Tanh, ofSigmoid: elementary.Sigmoid}

// some evaluates a function at a number of elements, which it returns: it stops where too few are left for a register, or
// where one of those in a register is out of the range of its formula.
func (f function) some(dst, x []float64) int {
	switch f {
	case ofExp:
		return exp(dst, x, (*float64)(unsafe.Pointer(tables.Exp)), &tables.Ln2[0])
	case ofLog:
		return log(dst, x, tables.Log, &tables.Ln2[0])
	case ofSin:
		return sin(dst, x, tables.Sine, &tables.Angle[0])
	case ofCos:
		return cos(dst, x, tables.Sine, &tables.Angle[0])
	case ofTanh:
		return tanh(dst, x, tables.Tanh, nil)
	}
	return sigmoid(dst, x, tables.Sigmoid, nil)
}

// register is how many numbers a register has at most.
const register = 8

// evaluate sets dst[i] to f(x[i]). Those that are left when too few are left for a register get the rest of one; elements
// in a register of which one is out of range are evaluated one by one.
func evaluate(dst, x []float64, f function) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		done := f.some(dst, x)
		if left := len(dst) - done; left < register {
			if left == 0 {
				return
			}
			var full [register]float64
			for i := range full {
				full[i] = x[done+min(i, left-1)]
			}
			if f.some(full[:], full[:]) == register {
				copy(dst[done:], full[:])
				return
			}
		}
		next := min(len(dst), done+register)
		Apply(dst[done:next], x[done:next], one[f])
		dst, x = dst[next:], x[next:]
	}
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

// SlopeOfSigmoid sets dst[i] to the derivative of sigmoid where sigmoid is s[i].
func SlopeOfSigmoid(dst, s []float64) { slope(dst, s[:len(dst)]) }
