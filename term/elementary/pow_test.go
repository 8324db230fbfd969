package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestPow: powers are within 1.1 units in the last place of those from logarithms of 200 bits.
func TestPow(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	worst := 0.0
	for range 600 {
		x, y := math.Exp(40*r.Float64()-20), 20*r.NormFloat64()
		if r.IntN(4) == 0 {
			x = 1 + 1e-3*r.NormFloat64()
			y *= 100
		}
		got := Pow(x, y)
		want := bigPow(x, y)
		d, _ := new(big.Float).Sub(want, big.NewFloat(got)).Float64()
		f, _ := want.Float64()
		if f < 1e-300 || f > 1e300 {
			continue
		}
		worst = max(worst, math.Abs(d)/(math.Nextafter(f, math.Inf(1))-f))
	}
	require.Less(t, worst, 1.1)
}

// bigPow is exp (y log x) by series, of 300 bits.
func bigPow(x, y float64) *big.Float {
	num := func(x float64) *big.Float { return new(big.Float).SetPrec(300).SetFloat64(x) }
	// x = 2^n m, and log m = 2 atanh ((m − 1)/(m + 1)).
	m, n := math.Frexp(x)
	log := func(m float64) *big.Float {
		z := new(big.Float).Quo(num(m).Sub(num(m), num(1)), num(m).Add(num(m), num(1)))
		z2, sum, power := new(big.Float).Mul(z, z), num(0), new(big.Float).Set(z)
		for k := 1.0; k < 400; k += 2 {
			sum.Add(sum, new(big.Float).Quo(power, num(k)))
			power.Mul(power, z2)
		}
		return sum.Mul(sum, num(2))
	}
	l := new(big.Float).Add(log(m), new(big.Float).Mul(num(float64(n)), log(2)))
	l.Mul(l, num(y))
	k := 1 << 20 // e^l = (e^(l/k))^k
	l.Quo(l, num(float64(k)))
	sum, power := num(1), num(1)
	for i := 1.0; i < 30; i++ {
		power.Mul(power, l).Quo(power, num(i))
		sum.Add(sum, power)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

// TestPowSpecial: where nothing is rounded, and where x is not positive, powers are those of the standard library.
func TestPowSpecial(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), 1, -1, 2, -2, 3, 0.5, -0.5, 10, 64, -64, math.Inf(1), math.Inf(-1), math.NaN(), 5e-324, 1e308}
	for _, x := range special {
		for _, y := range special {
			if want, got := math.Pow(x, y), Pow(x, y); want != got && !(math.IsNaN(want) && math.IsNaN(got)) {
				require.InEpsilon(t, want, got, 3e-16, "pow %v %v", x, y)
			}
		}
	}
	require.Equal(t, 1024.0, Pow(2, 10))
	require.Equal(t, 3.0, Pow(9, 0.5))
}

func BenchmarkPow(b *testing.B) {
	for _, of := range []struct {
		name string
		pow  func(x, y float64) float64
	}{{"Pow", Pow}, {"math", math.Pow}} {
		b.Run(of.name, func(b *testing.B) {
			x := 0.7
			for b.Loop() {
				x = of.pow(x+1, 0.37)
			}
		})
	}
}
