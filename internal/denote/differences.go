package denote

import (
	"math"

	"github.com/gram-machine/gram/term"
)

// step is the relative step of a central difference: ε^{1/3} balances the error of
// the formula, O(h²), against that of rounding, O(ε/h).
var step = math.Cbrt(0x1p-52)

// Differences returns, row by row, the central differences of each output of t by
// each input at the point, with step ε^{1/3}·max(1,|x|).
func Differences(t *term.Term, inputs []term.Var, point []float64) []float64 {
	at := make([]Dual, len(point))
	for i, x := range point {
		at[i].V = x
	}
	outputs := len(Eval(t, inputs, at))
	out := make([]float64, outputs*len(point))
	for j, x := range point {
		h := step * math.Max(1, math.Abs(x))
		at[j].V = x + h
		up := Eval(t, inputs, at)
		at[j].V = x - h
		down := Eval(t, inputs, at)
		at[j].V = x
		for i := range up {
			out[i*len(point)+j] = (up[i].V - down[i].V) / ((x + h) - (x - h))
		}
	}
	return out
}
