package elementary

import (
	"math"
	"math/big"
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// exactly is x as a number of 400 bits.
func exactly(x float64) *big.Float { return new(big.Float).SetPrec(400).SetFloat64(x) }

// exactExp is e^x to some 350 bits: the series at x/2²⁰, squared twenty times.
func exactExp(x float64) *big.Float {
	t := exactly(x)
	t.SetMantExp(t, -20)
	sum, summand := exactly(1), exactly(1)
	for i := 1.0; i < 20; i++ {
		summand.Quo(summand.Mul(summand, t), exactly(i))
		sum.Add(sum, summand)
	}
	for range 20 {
		sum.Mul(sum, sum)
	}
	return sum
}

// exactTanh is tanh x = (e^2x − 1)/(e^2x + 1), to some 350 bits less those that cancel.
func exactTanh(x float64) *big.Float {
	e := exactExp(2 * x)
	return exactly(0).Quo(exactly(0).Sub(e, exactly(1)), exactly(0).Add(e, exactly(1)))
}

// exactSigmoid is 1/(1 + e^−x).
func exactSigmoid(x float64) *big.Float {
	return exactly(0).Quo(exactly(1), exactly(0).Add(exactly(1), exactExp(-x)))
}

// exactLog is log x, for x > 0: 2·atanh((m − 1)/(m + 1)) and a multiple of that for 2,
// where x = m·2ⁿ with m between √½ and √2.
func exactLog(x float64) *big.Float {
	small := func(m float64) *big.Float {
		power := exactly(m - 1)
		power.Quo(power, exactly(0).Add(exactly(m), exactly(1)))
		square, sum := exactly(0).Mul(power, power), exactly(0)
		for i := 1.0; i < 160; i += 2 {
			sum.Add(sum, exactly(0).Quo(power, exactly(i)))
			power.Mul(power, square)
		}
		return sum.Add(sum, sum)
	}
	m, n := math.Frexp(x)
	if m < math.Sqrt2/2 {
		m, n = 2*m, n-1
	}
	two := small(2)
	return two.Add(two.Mul(two, exactly(float64(n))), small(m))
}

// exactPi is π by Machin's formula, 16·atan(1/5) − 4·atan(1/239).
var exactPi = func() *big.Float {
	atanInverse := func(k float64) *big.Float {
		power := exactly(0).Quo(exactly(1), exactly(k))
		sum := exactly(0)
		for i := 1.0; i < 200; i += 2 {
			sum.Add(sum, exactly(0).Quo(power, exactly(i)))
			power.Quo(power, exactly(-k*k))
		}
		return sum
	}
	a, b := atanInverse(5), atanInverse(239)
	return exactly(0).Sub(a.Mul(a, exactly(16)), b.Mul(b, exactly(4)))
}()

// exactSin is sin(x + quarters·π/2), to some 300 bits for |x| < 2¹⁶: the series at what is
// left of x by the nearest multiple of π/2.
func exactSin(x float64, quarters int) *big.Float {
	half := exactly(0).SetMantExp(exactPi, -1)
	turns := math.Round(x / (math.Pi / 2))
	r := exactly(0).Sub(exactly(x), exactly(0).Mul(half, exactly(turns)))
	quadrant := (int(turns)%4 + quarters + 4) % 4
	square := exactly(0).Mul(r, r)
	sum, summand, i := exactly(0), exactly(1), 1.0
	if quadrant%2 == 0 {
		summand, i = r, 2.0
	}
	for ; i < 60; i += 2 {
		sum.Add(sum, summand)
		summand = exactly(0).Quo(summand.Mul(summand, square), exactly(-i*(i+1)))
	}
	if quadrant >= 2 {
		sum.Neg(sum)
	}
	return sum
}

// ulpsFrom is by how many units in the last place of the number nearest to exact y
// differs from it.
func ulpsFrom(y float64, exact *big.Float) float64 {
	near, _ := exact.Float64()
	near = math.Abs(near)
	d := exactly(y)
	ulps, _ := d.Quo(d.Sub(d, exact), big.NewFloat(math.Nextafter(near, math.Inf(1))-near)).Float64()
	return math.Abs(ulps)
}

// elementary is a function, what it replaces, and its value to hundreds of bits.
type elementary struct {
	name        string
	f, standard func(x float64) float64
	exact       func(x float64) *big.Float
	scales      []float64 // of the arguments at which it is measured
	bound       float64   // of its error, in units in the last place
}

var elementaries = []elementary{
	{"sin", Sin, math.Sin, func(x float64) *big.Float { return exactSin(x, 0) }, []float64{1e-5, 0.05, 1, 4, 100, maxAngle}, 0.56},
	{"cos", Cos, math.Cos, func(x float64) *big.Float { return exactSin(x, 1) }, []float64{1e-5, 0.05, 1, 4, 100, maxAngle}, 0.56},
	{"tanh", Tanh, math.Tanh, exactTanh, []float64{1e-6, 0.02, 0.1, 1, 5, maxTanh}, 0.6},
	{"sigmoid", Sigmoid, func(x float64) float64 { return 1 / (1 + math.Exp(-x)) }, exactSigmoid, []float64{1e-6, 0.1, 1, 6, maxSigmoid, 700}, 0.65},
	{"tanh'", TanhSlope, func(x float64) float64 { return 1 / (math.Cosh(x) * math.Cosh(x)) }, func(x float64) *big.Float {
		t := exactTanh(x)
		return t.Sub(exactly(1), t.Mul(t, t))
	}, []float64{1e-6, 0.1, 1, 6, maxTanh}, 4},
}

// TestElementary measures the errors on random arguments.
func TestElementary(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for _, e := range elementaries {
		var worst, standard float64
		for _, scale := range e.scales {
			for range 500 {
				x := (2*rng.Float64() - 1) * scale
				exact := e.exact(x)
				worst, standard = max(worst, ulpsFrom(e.f(x), exact)), max(standard, ulpsFrom(e.standard(x), exact))
			}
		}
		t.Logf("%s: at most %.3f ulp, the standard library's %.3f", e.name, worst, standard)
		require.LessOrEqual(t, worst, e.bound, e.name)
	}
}

// TestElementaryBetweenEntries: so they are where one entry of a table ends and the next
// begins, at the entries, and where a series takes over.
func TestElementaryBetweenEntries(t *testing.T) {
	steps := map[string]float64{"sin": math.Pi / 128, "cos": math.Pi / 128, "tanh": 1.0 / 64, "sigmoid": 1.0 / 32, "tanh'": 1.0 / 64}
	for _, e := range elementaries {
		for i := range 300 {
			for _, x := range near(float64(i) * steps[e.name]) {
				require.LessOrEqual(t, ulpsFrom(e.f(x), e.exact(x)), e.bound, "%s %v", e.name, x)
				require.LessOrEqual(t, ulpsFrom(e.f(-x), e.exact(-x)), e.bound, "%s %v", e.name, -x)
			}
		}
	}
}

// TestLog: the logarithm of numbers of all sizes, of numbers close to 1, and where one
// entry of the table ends and the next begins.
func TestLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	var worst, standard float64
	measure := func(x float64) {
		if x == 1 {
			return
		}
		exact := exactLog(x)
		worst, standard = max(worst, ulpsFrom(Log(x), exact)), max(standard, ulpsFrom(math.Log(x), exact))
	}
	for range 500 {
		measure(0.7 + 0.8*rng.Float64())
		measure(1 + 0.02*(rng.Float64()-0.5))
		measure(math.Exp(1e-6 * rng.NormFloat64()))
		measure(math.Exp(1400*rng.Float64() - 700))
	}
	for i := range uint64(300) {
		for _, x := range near(math.Float64frombits(logFirst + i<<(52-logBits))) {
			measure(x)
		}
	}
	for _, x := range append(near(1), 0x1p-1022, math.MaxFloat64) {
		measure(x)
	}
	t.Logf("at most %.3f ulp, the standard library's %.3f", worst, standard)
	require.LessOrEqual(t, worst, 0.6)
	for _, x := range []float64{1, 0, math.Copysign(0, -1), 5e-324, 1e-310, -1, math.Inf(1), math.Inf(-1), math.NaN()} {
		same(t, math.Log(x), Log(x), x)
	}
}

// TestElementaryBits: the results have the same bits everywhere. A product that some
// platform adds up without rounding it changes them.
func TestElementaryBits(t *testing.T) {
	for _, c := range []struct {
		name string
		f    func(x float64) float64
		want uint64
	}{
		{"exp", Exp, 0x3bb4cf3a14335817},
		{"sin", Sin, 0x2a18fa3786ab2758},
		{"cos", Cos, 0xd1b613fed20a5e37},
		{"tanh", Tanh, 0xa5212545952a08b5},
		{"sigmoid", Sigmoid, 0x62672975a85d9fdf},
		{"log", func(x float64) float64 { return Log(x + 10) }, 0x2ecce4d7481fa9b9},
		{"tanh'", TanhSlope, 0xa6a0ccd3da42b03c},
		{"erf", Erf, 0xb77df1687e1439ff},
		{"erf'", ErfSlope, 0xe0b1cc828c2490ed},
		{"softplus", Softplus, 0x2e1785ad1fd662a9},
		{"sinh", Sinh, 0xb58722072216399a},
		{"cosh", Cosh, 0x47b6564daf19c299},
		{"asin", func(x float64) float64 { return Asin(x / 10) }, 0xcbb1ad8d912771e1},
		{"lgamma", Lgamma, 0x5b3838f9e9024d7b},
		{"digamma", Digamma, 0x2b9122c615279882},
	} {
		rng := rand.New(rand.NewPCG(3, 4))
		var sum uint64
		for range 10000 {
			sum = 31*sum + math.Float64bits(c.f(20*rng.Float64()-10))
		}
		assert.Equal(t, c.want, sum, "%s: %#x", c.name, sum)
	}
}

// near is x and the numbers next to it, without 0.
func near(x float64) []float64 {
	if x == 0 {
		return []float64{minAngle, math.Nextafter(minAngle, 0), 1e-10, 1e-20}
	}
	return []float64{math.Nextafter(x, 0), x, math.Nextafter(x, math.Inf(1))}
}
