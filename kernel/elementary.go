package kernel

import (
	"unsafe"

	"github.com/gram-machine/gram/term/elementary"
)

// The functions of this file set dst[i] to the function of package elementary, or of the table of symbols of package
// term, at x[i]. They panic if x is shorter than dst. dst may be x; else it must not overlap it.

// tables are those of package elementary.
var tables = elementary.AllTables()

// Exp sets dst[i] to e^x[i].
func Exp(dst, x []float64) {
	evaluate(dst, x, exp, elementary.Exp, (*float64)(unsafe.Pointer(tables.Exp)), &tables.Ln2[0])
}

// Log sets dst[i] to log x[i].
func Log(dst, x []float64) { evaluate(dst, x, log, elementary.Log, tables.Log, &tables.Ln2[0]) }

// Sin sets dst[i] to sin x[i].
func Sin(dst, x []float64) { evaluate(dst, x, sin, elementary.Sin, tables.Sine, &tables.Angle[0]) }

// Cos sets dst[i] to cos x[i].
func Cos(dst, x []float64) { evaluate(dst, x, cos, elementary.Cos, tables.Sine, &tables.Angle[0]) }

// Tanh sets dst[i] to tanh x[i].
func Tanh(dst, x []float64) { evaluate(dst, x, tanh, elementary.Tanh, tables.Tanh, nil) }

// Sigmoid sets dst[i] to sigmoid x[i].
func Sigmoid(dst, x []float64) { evaluate(dst, x, sigmoid, elementary.Sigmoid, tables.Sigmoid, nil) }

// Pow sets dst[i] to x[i] to the power y[i]. dst may be x or y.
func Pow(dst, x, y []float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for len(dst) > 0 {
		done := pow(dst, x, y, tables.Log, &tables.Ln2[0], (*float64)(unsafe.Pointer(tables.Exp)))
		next := min(len(dst), done+8)
		Apply2(dst[done:next], x[done:next], y[done:next], elementary.Pow)
		dst, x, y = dst[next:], x[next:], y[next:]
	}
}

// evaluate sets dst[i] to one(x[i]). The function all does this for a number of elements that it returns: it stops
// where too few are left for a register, or where one of those in a register is out of the range of its formula.
// Where too few are left, all evaluates the last 8 elements, some of them again. Otherwise the next 8 elements, or
// those that are left, are evaluated one by one.
func evaluate(dst, x []float64, all func(dst, x []float64, table, numbers *float64) int, one func(float64) float64,
	table, numbers *float64) {
	x = x[:len(dst)]
	for len(dst) > 0 {
		done := all(dst, x, table, numbers)
		if n := len(dst) - 8; n >= 0 && n < done && done < len(dst) && &dst[0] != &x[0] {
			done = n + all(dst[n:], x[n:], table, numbers)
		}
		next := min(len(dst), done+8)
		Apply(dst[done:next], x[done:next], one)
		dst, x = dst[next:], x[next:]
	}
}

// TanhSlope sets dst[i] to the derivative of tanh at x[i].
func TanhSlope(dst, x []float64) {
	evaluate(dst, x, tanhSlope, elementary.TanhSlope, (*float64)(unsafe.Pointer(tables.Exp)), &tables.Ln2[0])
}

// SlopeOfSigmoid sets dst[i] to the derivative of sigmoid where sigmoid is s[i].
func SlopeOfSigmoid(dst, s []float64) { slope(dst, s[:len(dst)]) }
