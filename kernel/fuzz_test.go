package kernel

import (
	"encoding/binary"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// FuzzForms compares the forms with the Go form, on numbers with any bits.
func FuzzForms(f *testing.F) {
	bits := binary.LittleEndian
	var seed []byte
	for _, x := range special {
		seed = bits.AppendUint64(seed, math.Float64bits(x))
	}
	f.Add(uint8(3), uint8(5), uint8(7), seed)
	f.Add(uint8(9), uint8(17), uint8(33), seed)
	f.Fuzz(func(t *testing.T, m, n, k uint8, data []byte) {
		if len(data) < 8 {
			return
		}
		at := 0
		numbers := func(count int) []float64 {
			x := make([]float64, count)
			for i := range x {
				if at+8 > len(data) {
					at = (at + 1) % 8
				}
				if at+8 > len(data) {
					at = 0
				}
				x[i] = math.Float64frombits(bits.Uint64(data[at:]))
				at += 8
			}
			return x
		}
		rows, columns, steps := int(m%40), int(n%70), int(k)
		a := Matrix{numbers(rows * steps), rows, steps, steps, 1}
		b := Matrix{numbers(steps * columns), steps, columns, columns, 1}
		start := numbers(rows * columns)
		x := numbers(steps)
		var want []float64
		eachForm(t, func(name string) {
			var got []float64
			c := Matrix{make([]float64, rows*columns), rows, columns, columns, 1}
			MatMul(c, a, b)
			got = append(got, c.Data...)
			copy(c.Data, start)
			AddMatMul(c, a, b)
			got = append(got, c.Data...)
			y := make([]float64, rows)
			MatVec(y, a.Data, steps, x)
			got = append(got, y...)
			z := clone(x)
			AddMatVecT(z, a.Data, steps, y)
			got = append(got, z...)
			for _, f := range []func(dst, x []float64){Exp, Log, Sin, Cos, Tanh, Sigmoid, TanhSlope, sigmoidSlope, Sqrt} {
				f(z, x)
				got = append(got, z...)
			}
			if want == nil {
				want = got
			}
			requireSame(t, want, got, name)
		})
		if want != nil && steps > 0 {
			require.True(t, same(want[len(want)-1], math.Sqrt(x[steps-1])))
		}
	})
}
