package kernel

import (
	"fmt"
	"testing"
)

// eachFormAndSize measures f for each form and several sizes.
func eachFormAndSize(b *testing.B, f func(b *testing.B, k int)) {
	defer func(before string) { _ = Use(before) }(Form())
	for _, name := range Forms() {
		for _, k := range []int{16, 64, 256, 512} {
			b.Run(fmt.Sprintf("%s/k=%d", name, k), func(b *testing.B) {
				if err := Use(name); err != nil {
					b.Fatal(err)
				}
				f(b, k)
			})
		}
	}
}

func ramp(n int) []float64 {
	x := make([]float64, n)
	for i := range x {
		x[i] = 1e-3 * float64(i%1000)
	}
	return x
}

func BenchmarkMatVec(b *testing.B) {
	eachFormAndSize(b, func(b *testing.B, k int) {
		w, x, y := ramp(k*k), ramp(k), ramp(k)
		for b.Loop() {
			MatVec(y, w, k, x)
		}
	})
}

func BenchmarkMatVecT(b *testing.B) {
	eachFormAndSize(b, func(b *testing.B, k int) {
		w, x, y := ramp(k*k), ramp(k), ramp(k)
		for b.Loop() {
			AddMatVecT(x, w, k, y)
		}
	})
}

func BenchmarkOuter(b *testing.B) {
	for _, steps := range []int{1, 32} {
		b.Run(fmt.Sprintf("steps=%d", steps), func(b *testing.B) {
			eachFormAndSize(b, func(b *testing.B, k int) {
				c, x, y := ramp(k*k), ramp(steps*k), ramp(steps*k)
				for b.Loop() {
					AddOuter(c, k, k, k, x, k, y, k, steps)
				}
			})
		})
	}
}

func square(k int) Matrix { return Matrix{ramp(k * k), k, k, k, 1} }

func BenchmarkMatMul(b *testing.B) {
	eachFormAndSize(b, func(b *testing.B, k int) {
		x, y, z := square(k), square(k), square(k)
		for b.Loop() {
			MatMul(z, x, y)
		}
	})
}

func BenchmarkAddMatMul(b *testing.B) {
	eachFormAndSize(b, func(b *testing.B, k int) {
		x, y, z := square(k), square(k), square(k)
		for b.Loop() {
			AddMatMul(z, x, y.T())
		}
	})
}
