package exec

import (
	"math"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// sum is the sum of numbers, or what a symbol makes of them, in the order of sums.
func (l *lane) sum(x []float64) float64 {
	switch {
	case l.two == nil:
		return kernel.Sum(x)
	case l.sym == term.Max:
		return kernel.Max(x)
	}
	return ir.Sum(x, l.two.value)
}

// reduceBack adds to dst what arrives at the numbers x if a arrives at what a symbol makes of them; fresh says that it
// sets dst. tmp has twice as many numbers as x.
func (l *lane) reduceBack(dst, x []float64, a float64, tmp []float64, fresh bool) {
	if l.sym == term.Max && !math.IsInf(a, 0) && !math.IsNaN(a) {
		if k := ir.Largest(x, kernel.Max(x)); k >= 0 {
			if fresh {
				clear(dst)
			}
			dst[k] += a
			return
		}
	}
	out := tmp[:len(x)]
	ir.SumBack(out, x, tmp[len(x):], a, l.two.value, l.two.slopes)
	if fresh {
		copy(dst, out)
	} else {
		kernel.Add(dst, dst, out)
	}
}
