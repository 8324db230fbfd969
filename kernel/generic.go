//lint:file-ignore U1000 The assembly jumps to what it has no other form for.

package kernel

import (
	"math"

	"github.com/gram-machine/gram/term/elementary"
)

// The functions of this file are the Go forms. What they compute is what the forms in assembly compute, bit by bit. A
// product is converted to float64 before it is added: this forbids the compiler to fuse the two.

// minusZero is where a sum may begin: −0 + x is x, bit by bit.
var minusZero = math.Copysign(0, -1)

// join adds eight lanes.
func join(l *[8]float64) float64 {
	return ((l[0] + l[4]) + (l[2] + l[6])) + ((l[1] + l[5]) + (l[3] + l[7]))
}

// matVecGo sets y[i] to the sum of w[i·ld+j]·x[j] over all j, in lanes: len(x) > 8.
func matVecGo(y, w []float64, ld int, x []float64) {
	for i := range y {
		var l [8]float64
		row := w[i*ld:][:len(x)]
		for j := range l {
			l[j] = row[j] * x[j]
		}
		dotLanesGo(&l, row[8:], x[8:])
		y[i] = join(&l)
	}
}

// sumLanesGo adds x[j] to lane j mod 8.
func sumLanesGo(lanes *[8]float64, x []float64) {
	for ; len(x) >= 8; x = x[8:] {
		for l, v := range x[:8] {
			lanes[l] += v
		}
	}
	for l, v := range x {
		lanes[l] += v
	}
}

// dotLanesGo adds x[j]·y[j] to lane j mod 8.
func dotLanesGo(lanes *[8]float64, x, y []float64) {
	y = y[:len(x)]
	for ; len(x) >= 8 && len(y) >= 8; x, y = x[8:], y[8:] {
		lanes[0] += float64(x[0] * y[0])
		lanes[1] += float64(x[1] * y[1])
		lanes[2] += float64(x[2] * y[2])
		lanes[3] += float64(x[3] * y[3])
		lanes[4] += float64(x[4] * y[4])
		lanes[5] += float64(x[5] * y[5])
		lanes[6] += float64(x[6] * y[6])
		lanes[7] += float64(x[7] * y[7])
	}
	for l, v := range x {
		lanes[l] += float64(v * y[l])
	}
}

// joinLanesGo sets dst[j] to the sum of the eight lanes lanes[at+l·stride+j].
func joinLanesGo(dst, lanes []float64, at, stride int) {
	for j := range dst {
		var l [8]float64
		for i := range l {
			l[i] = lanes[at+i*stride+j]
		}
		dst[j] = join(&l)
	}
}

// addRowsGo adds w[wAt+i·ld+j]·s[sAt+i·inc] to dst[j], for i from 0 to rows − 1 one after the other.
func addRowsGo(dst, w []float64, wAt, ld int, s []float64, sAt, inc, rows int) {
	for range rows {
		by := s[sAt]
		row := w[wAt:][:len(dst)]
		for j, v := range row {
			dst[j] += float64(v * by)
		}
		wAt += ld
		sAt += inc
	}
}

// addTilesGo adds to tiles of the given rows and 8 columns that stand beside each other: to element
// (r, j) of tile p, c[cAt+r·ldc+8·p+j], the products a[aAt+t·aStep+r]·b[bAt+p·bPanel+t·bStep+j],
// for t from 0 to steps − 1 one after the other. If fresh, the element begins at −0.
func addTilesGo(rows int, c []float64, cAt, ldc int, a []float64, aAt, aStep int, b []float64, bAt, bStep, bPanel,
	panels, steps int, fresh bool) {
	const columns = 8
	for range panels {
		for r := range rows {
			for j := 0; j < columns; j += 4 {
				tile := (*[4]float64)(c[cAt+r*ldc+j:])
				c0, c1, c2, c3 := tile[0], tile[1], tile[2], tile[3]
				if fresh {
					c0, c1, c2, c3 = minusZero, minusZero, minusZero, minusZero
				}
				aT, bT := aAt+r, bAt+j
				for range steps {
					by, row := a[aT], (*[4]float64)(b[bT:])
					c0 += float64(row[0] * by)
					c1 += float64(row[1] * by)
					c2 += float64(row[2] * by)
					c3 += float64(row[3] * by)
					aT += aStep
					bT += bStep
				}
				tile[0], tile[1], tile[2], tile[3] = c0, c1, c2, c3
			}
		}
		cAt += columns
		bAt += bPanel
	}
}

// each sets each element of dst to f of it and of the elements of x and y at its place. It is inlined, and so is f.
func each(dst, x, y []float64, f func(d, x, y float64) float64) {
	x, y = x[:len(dst)], y[:len(dst)]
	for i, d := range dst {
		dst[i] = f(d, x[i], y[i])
	}
}

func addGo(dst, x, y []float64) { each(dst, x, y, func(_, x, y float64) float64 { return x + y }) }
func subGo(dst, x, y []float64) { each(dst, x, y, func(_, x, y float64) float64 { return x - y }) }
func mulGo(dst, x, y []float64) { each(dst, x, y, func(_, x, y float64) float64 { return x * y }) }
func divGo(dst, x, y []float64) { each(dst, x, y, func(_, x, y float64) float64 { return x / y }) }

func addScalarGo(dst, x []float64, a float64) {
	each(dst, x, x, func(_, x, _ float64) float64 { return x + a })
}
func mulScalarGo(dst, x []float64, a float64) {
	each(dst, x, x, func(_, x, _ float64) float64 { return x * a })
}
func divScalarGo(dst, x []float64, a float64) {
	each(dst, x, x, func(_, x, _ float64) float64 { return x / a })
}
func scalarSubGo(dst, x []float64, a float64) {
	each(dst, x, x, func(_, x, _ float64) float64 { return a - x })
}
func scalarDivGo(dst, x []float64, a float64) {
	each(dst, x, x, func(_, x, _ float64) float64 { return a / x })
}

func addMulGo(dst, x, y []float64) {
	each(dst, x, y, func(d, x, y float64) float64 { return d + float64(x*y) })
}

func addMulScalarGo(dst, x []float64, a float64) {
	each(dst, x, x, func(d, x, _ float64) float64 { return d + float64(x*a) })
}

func sqrtGo(dst, x []float64) { each(dst, x, x, func(_, x, _ float64) float64 { return math.Sqrt(x) }) }
func absGo(dst, x []float64)  { each(dst, x, x, func(_, x, _ float64) float64 { return math.Abs(x) }) }

func signGo(dst, x []float64) {
	each(dst, x, x, func(_, x, _ float64) float64 {
		if x != 0 && x == x {
			return math.Copysign(1, x)
		}
		return x
	})
}

func lessGo(dst, x, y []float64) {
	each(dst, x, y, func(_, x, y float64) float64 { return oneIf(x < y) })
}
func equalGo(dst, x, y []float64) {
	each(dst, x, y, func(_, x, y float64) float64 { return oneIf(x == y) })
}
func lessEqualGo(dst, x, y []float64) {
	each(dst, x, y, func(_, x, y float64) float64 { return oneIf(x <= y) })
}

func oneIf(holds bool) float64 {
	if holds {
		return 1
	}
	return 0
}

// blendGo sets dst[i] to x[i] where y[i] is not 0.
func blendGo(dst, x, y []float64) {
	for i, v := range x {
		if y[i] != 0 {
			dst[i] = v
		}
	}
}

// addWhereGo adds x[i] to dst[i] where y[i] is not 0.
func addWhereGo(dst, x, y []float64) {
	for i, v := range x {
		if y[i] != 0 {
			dst[i] += v
		}
	}
}

// slopeGo sets dst[i] to x[i]·(1 − x[i]).
func slopeGo(dst, x []float64) { each(dst, x, x, func(_, x, _ float64) float64 { return x * (1 - x) }) }

// The Go forms of the elementary functions set all elements, and return how many.

func expGo(dst, x []float64, _, _ *float64) int       { return apply(dst, x, elementary.Exp) }
func logGo(dst, x []float64, _, _ *float64) int       { return apply(dst, x, elementary.Log) }
func sinGo(dst, x []float64, _, _ *float64) int       { return apply(dst, x, elementary.Sin) }
func cosGo(dst, x []float64, _, _ *float64) int       { return apply(dst, x, elementary.Cos) }
func tanhGo(dst, x []float64, _, _ *float64) int      { return apply(dst, x, elementary.Tanh) }
func tanhSlopeGo(dst, x []float64, _, _ *float64) int { return apply(dst, x, elementary.TanhSlope) }
func sigmoidGo(dst, x []float64, _, _ *float64) int   { return apply(dst, x, elementary.Sigmoid) }

func apply(dst, x []float64, f func(float64) float64) int {
	Apply(dst, x, f)
	return len(dst)
}

func powGo(dst, x, y []float64, _, _, _ *float64) int {
	Apply2(dst, x, y, elementary.Pow)
	return len(dst)
}
