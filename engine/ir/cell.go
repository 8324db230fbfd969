package ir

import (
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// InputSteps are what each cell counts when it is reached, and all of those of inputs: (3) puts its λ in place, (1)
// applies it, (5) binds a.
func InputSteps() (s rule.Counts) {
	s[rule.Subst], s[rule.Lambda], s[rule.Lin] = 1, 1, 1
	return s
}

// CellSteps are what a cell of a symbol counts when it is reached, NoSymbol is +. live has a bit for each operand that
// has an adjoint.
func CellSteps(f term.Symbol, live uint8) rule.Counts {
	arity := 2
	if f != term.NoSymbol {
		arity = f.Info().Arity
	}
	s := InputSteps()
	s[rule.Subst] += uint64(arity) // the heads xi*
	for i := range arity {
		if live>>i&1 == 0 { // what arrives at the dual of a numeral, λa.0⃗, is applied to it
			s[rule.Lambda]++
			s[rule.Lin]++
		}
		if f != term.NoSymbol {
			s[rule.Times]++
			slope(&s, &f.Info().Partials[i], arity)
		}
	}
	return s
}

// slope adds the steps of a partial derivative as a term.
func slope(s *rule.Counts, p *term.Partial, k int) {
	type none = struct{}
	term.Interpret(p, k, func(float64) (_ none) { return },
		func(int) (_ none) { s[rule.SubstNumeral]++; return },
		func(f term.Symbol, _ ...none) (_ none) {
			switch f {
			case term.NoSymbol:
				s[rule.Plus]++
			case term.Mul:
				s[rule.Times]++
			default:
				s[rule.Function]++
			}
			return
		})
}

// Dropped tells which instructions of f are left out when it runs: counts of no steps, of blocks that append nothing to
// the tape. A loop keeps its count, to look at the limits, and a function its first two.
func (p *Program) Dropped(f *Func) []bool {
	again := map[uint32]bool{}
	for i := range f.Code {
		if in := &f.Code[i]; in.Op == Next || in.Op == Prev {
			again[in.N] = true
		}
	}
	drop, count := make([]bool, len(f.Code)), 0
	for i := range f.Code {
		switch in := &f.Code[i]; {
		case in.Op == Count:
			count = i
			at := i - 1
			if at > 0 && f.Code[at].Op == Enter {
				at--
			}
			drop[i] = i > 1 && p.Blocks[in.N].Steps == rule.Counts{} && !(f.Code[at].Op == Label && again[f.Code[at].N])
		case in.Taped:
			drop[count] = false
		}
	}
	return drop
}

// SumKinds are the additions of a sum of n numbers by the kind of their operands: 1 and 2 where the left one and the
// right one has an adjoint. head says which of the first summands have one. Of a long sum, those of the others are left
// out.
func SumKinds(head []bool, n int) (kinds [4]uint64) {
	if n <= 8 {
		for k := range n - 1 {
			kinds[KindOf(head[k], k < n-2 || head[n-1])]++
		}
		return kinds
	}
	var live [8]bool // the partial sums
	copy(live[:], head)
	for k, x := range head[8:] {
		kinds[KindOf(live[k], x)]++
		live[k] = true
	}
	for l := range 4 {
		kinds[KindOf(live[l], live[l+4])]++
	}
	kinds[3] += 3
	return kinds
}

// KindOf is the number that is added to the first kind of an operation.
func KindOf(a, b bool) (k int) {
	if a {
		k = 1
	}
	if b {
		k += 2
	}
	return k
}

// Sum is what f makes of numbers in the order of sums, see [term.Sum].
func Sum(x []float64, f func(x, y float64) float64) float64 {
	if last := len(x) - 1; last < 8 {
		y := x[last]
		for k := last - 1; k >= 0; k-- {
			y = f(x[k], y)
		}
		return y
	}
	lane := [8]float64(x)
	for k, y := range x[8:] {
		lane[k%8] = f(lane[k%8], y)
	}
	return f(f(f(lane[0], lane[4]), f(lane[2], lane[6])), f(f(lane[1], lane[5]), f(lane[3], lane[7])))
}

// SumBack sets out to what arrives at the numbers x if a arrives at what f, with its slopes, makes of them in the order
// of sums. before has as many numbers.
func SumBack(out, x, before []float64, a float64, f func(x, y float64) float64,
	slopes [2]func(x, y, v float64) float64) {
	n := len(x)
	share := func(x, y, a float64) (float64, float64) {
		v := f(x, y)
		return a * slopes[0](x, y, v), a * slopes[1](x, y, v)
	}
	if n <= 8 {
		before[n-1] = x[n-1] // before[k] is what x[k] is joined with
		for k := n - 2; k >= 0; k-- {
			before[k] = f(x[k], before[k+1])
		}
		for k := range n - 1 {
			out[k], a = share(x[k], before[k+1], a)
		}
		out[n-1] = a
		return
	}
	lane := [8]float64(x)
	for k := 8; k < n; k++ {
		before[k] = lane[k%8]
		lane[k%8] = f(lane[k%8], x[k])
	}
	var at [8]float64
	four := func(i, j, k, l int, a float64) {
		left, right := share(f(lane[i], lane[j]), f(lane[k], lane[l]), a)
		at[i], at[j] = share(lane[i], lane[j], left)
		at[k], at[l] = share(lane[k], lane[l], right)
	}
	even, odd := share(f(f(lane[0], lane[4]), f(lane[2], lane[6])), f(f(lane[1], lane[5]), f(lane[3], lane[7])), a)
	four(0, 4, 2, 6, even)
	four(1, 5, 3, 7, odd)
	for k := n - 1; k >= 8; k-- {
		p := &at[k%8]
		*p, out[k] = share(before[k], x[k], *p)
	}
	copy(out, at[:])
}

// rankOf says which of equal numbers in eight lanes is the largest: that of the least rank.
var rankOf = [8]int{0, 4, 2, 6, 1, 5, 3, 7}

// Largest is the number in x that is most, its maximum, −1 if that is NaN. Of equal ones it is the first to be joined.
func Largest(x []float64, most float64) int {
	best, rank := -1, 8
	for k, y := range x {
		r := 0
		if len(x) > 8 {
			r = rankOf[k%8]
		}
		if y == most && r < rank {
			best, rank = k, r
		}
	}
	return best
}
