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
		if k := largest(x); k >= 0 {
			if fresh {
				clear(dst)
			}
			dst[k] += a
			return
		}
	}
	n := len(x)
	out, before := tmp[:n], tmp[n:] // before[k] is what x[k] is joined with
	f := l.two
	if n <= 8 {
		before[n-1] = x[n-1]
		for k := n - 2; k >= 0; k-- {
			before[k] = f.value(x[k], before[k+1])
		}
		for k := range n - 1 {
			out[k] = a * f.slopes[0](x[k], before[k+1])
			a *= f.slopes[1](x[k], before[k+1])
		}
		out[n-1] = a
	} else {
		lane := [8]float64(x)
		for k := 8; k < n; k++ {
			before[k] = lane[k%8]
			lane[k%8] = f.value(lane[k%8], x[k])
		}
		at := f.join(lane, a)
		for k := n - 1; k >= 8; k-- {
			p := &at[k%8]
			out[k] = *p * f.slopes[1](before[k], x[k])
			*p *= f.slopes[0](before[k], x[k])
		}
		copy(out, at[:])
	}
	if fresh {
		copy(dst, out)
	} else {
		kernel.Add(dst, dst, out)
	}
}

// rankOf says which of equal numbers in eight lanes is the largest: that of the least rank.
var rankOf = [8]int{0, 4, 2, 6, 1, 5, 3, 7}

// largest is the number that the largest of some is, −1 if one is NaN. Of equal ones it is the first to be joined.
func largest(x []float64) int {
	most, best, rank := kernel.Max(x), -1, 8
	for k, y := range x {
		if y != most {
			continue
		}
		r := 0
		if len(x) > 8 {
			r = rankOf[k%8]
		}
		if r < rank {
			best, rank = k, r
		}
	}
	return best
}

// join is what arrives at eight lanes if a arrives at what a symbol makes of them.
func (f *fun2) join(lane [8]float64, a float64) (at [8]float64) {
	share := func(x, y, a float64) (float64, float64) { return a * f.slopes[0](x, y), a * f.slopes[1](x, y) }
	of := f.value
	four := func(i, j, k, l int, a float64) {
		left, right := share(of(lane[i], lane[j]), of(lane[k], lane[l]), a)
		at[i], at[j] = share(lane[i], lane[j], left)
		at[k], at[l] = share(lane[k], lane[l], right)
	}
	even, odd := share(of(of(lane[0], lane[4]), of(lane[2], lane[6])), of(of(lane[1], lane[5]), of(lane[3], lane[7])), a)
	four(0, 4, 2, 6, even)
	four(1, 5, 3, 7, odd)
	return at
}
