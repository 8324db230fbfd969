package elementary

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestTanhSpecial: zeros keep their sign, small numbers are their tanh, and from 20 on it
// is 1.
func TestTanhSpecial(t *testing.T) {
	for _, x := range []float64{0, 5e-324, 1e-300, 1e-9, 19.1, 19.99, math.Nextafter(maxTanh, 0), maxTanh, 1e300, math.Inf(1), math.NaN()} {
		for _, x := range []float64{x, -x} {
			same(t, math.Tanh(x), Tanh(x), x)
		}
	}
}

// TestTanhSlopeSpecial: 1 at zeros, 0 where e^(−2|x|) is.
func TestTanhSlopeSpecial(t *testing.T) {
	for x, want := range map[float64]float64{0: 1, math.Copysign(0, -1): 1, 5e-324: 1, 400: 0, math.Inf(1): 0, math.Inf(-1): 0, math.NaN(): math.NaN()} {
		same(t, want, TanhSlope(x), x)
	}
}

// TestSigmoidSpecial: ½ at zeros; from 40 on it is 1, and to −40 it is e^x.
func TestSigmoidSpecial(t *testing.T) {
	for x, want := range map[float64]float64{
		0: 0.5, math.Copysign(0, -1): 0.5, 5e-324: 0.5, 1e-17: 0.5,
		math.Nextafter(maxSigmoid, 0): 1, maxSigmoid: 1, 1e300: 1, math.Inf(1): 1,
		-maxSigmoid: Exp(-maxSigmoid), -745: math.Exp(-745), -1e300: 0, math.Inf(-1): 0, math.NaN(): math.NaN(),
	} {
		same(t, want, Sigmoid(x), x)
	}
}

// FuzzTanh: tanh is odd, sigmoid x and sigmoid −x add up to 1, both are bounded, and they
// agree with the formulas by e^x to what those are accurate to.
func FuzzTanh(f *testing.F) {
	for _, x := range []float64{0, 1, 1.0 / 64, -3, maxTanh, maxSigmoid, 1e300, math.Inf(1)} {
		f.Add(x)
	}
	f.Fuzz(func(t *testing.T, x float64) {
		y, s := Tanh(x), Sigmoid(x)
		same(t, -y, Tanh(-x), x)
		if math.IsNaN(x) {
			return
		}
		require.LessOrEqual(t, math.Abs(y), 1.0)
		require.InDelta(t, 1, s+Sigmoid(-x), 0x1p-52)
		require.InDelta(t, math.Tanh(x), y, 0x1p-52*2)
		require.InDelta(t, 1/(1+math.Exp(-x)), s, 0x1p-52)
	})
}
