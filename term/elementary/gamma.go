package elementary

import "math"

// Lgamma is log |Γ(x)|, within 4·10⁻¹⁵ of max(1, |log |Γ(x)||) for positive x. It is +Inf at 0 and at the negative
// integers.
func Lgamma(x float64) float64 {
	switch {
	case math.IsNaN(x):
		return x
	case math.IsInf(x, 0) || x <= 0 && x == math.Floor(x):
		return math.Inf(1)
	case x < 0: // Γ(x)·Γ(1−x) = π/sin πx
		return Log(math.Pi) - Log(math.Abs(sinPi(x))) - Lgamma(1-x)
	case x < 0.5:
		return lgammaAtTwo(x) - Log(float64(x*(x+1)))
	case x < 1.5:
		return lgammaAtTwo(x-1) - Log(x)
	case x >= 8: // Stirling's series
		u := 1 / x
		return float64((x-0.5)*(Log(x)-1)) + (0.41893853320467274178 + float64(u*poly(float64(u*u), stirling)))
	}
	product := 1.0
	for x > 2.5 {
		x--
		product = float64(product * x)
	}
	return Log(product) + lgammaAtTwo(x-2)
}

// lgammaAtTwo is log Γ(2 + z) for |z| ≤ 1/2: its series has 1 − γ, and (−1)^k·(ζ(k) − 1)/k for k > 1.
func lgammaAtTwo(z float64) float64 { return float64(z * poly(z, lgammaSeries)) }

var lgammaSeries = []float64{
	0.42278433509846713939, 0.32246703342411321824, -0.067352301053198095133, 0.020580808427784547879,
	-0.0073855510286739852663, 0.0028905103307415232858, -0.0011927539117032609771, 0.00050966952474304242234,
	-0.00022315475845357937976, 0.000099457512781808533715, -0.000044926236738133141700, 0.000020507212775670691553,
	-0.0000094394882752683959040, 0.0000043748667899074878042, -0.0000020392157538013662368, 9.5514121304074198329e-7,
	-4.4924691987645660433e-7, 2.1207184805554665869e-7, -1.0043224823968099609e-7, 4.7698101693639805658e-8,
	-2.2711094608943164910e-8, 1.0838659214896954091e-8, -5.1834750419700466551e-9, 2.4836745438024783172e-9,
	-1.1921401405860912074e-9, 5.7313672416788620133e-10, -2.7595228851242331452e-10, 1.3304764374244489481e-10,
	-6.4229645638381000221e-11, 3.1044247747322272762e-11,
}

// stirling has the coefficients B₂ₖ/(2k·(2k−1)) of Stirling's series.
var stirling = []float64{1.0 / 12, -1.0 / 360, 1.0 / 1260, -1.0 / 1680, 1.0 / 1188, -691.0 / 360360, 1.0 / 156}

// sinPi is sin πx.
func sinPi(x float64) float64 {
	n := math.Floor(x + 0.5)
	s := Sin(math.Pi * (x - n))
	if math.Mod(n, 2) != 0 {
		return -s
	}
	return s
}

// Digamma is the derivative of log |Γ(x)|, within 10⁻¹⁴ of max(1, |ψ(x)|) for positive x. It is NaN at 0 and at the
// negative integers.
func Digamma(x float64) float64 {
	if x <= 0 {
		if x == math.Floor(x) {
			return math.NaN()
		}
		// ψ(1−x) − ψ(x) = π·cot πx
		return Digamma(1-x) - float64(math.Pi*(sinPi(x+0.5)/sinPi(x)))
	}
	if math.IsInf(x, 1) {
		return x
	}
	sum := 0.0
	for x < 8 {
		sum -= 1 / x
		x++
	}
	u := 1 / x
	square := float64(u * u)
	return sum + (Log(x) - (float64(0.5*u) + float64(square*poly(square, digammaSeries))))
}

// digammaSeries has the coefficients B₂ₖ/2k of the asymptotic series.
var digammaSeries = []float64{1.0 / 12, -1.0 / 120, 1.0 / 252, -1.0 / 240, 1.0 / 132, -691.0 / 32760, 1.0 / 12}

// Polygamma is the n-th derivative of [Digamma], within 10⁻¹³ of its size for positive x and n ≤ 10. It is NaN at 0 and
// at the negative integers, and for an n that is not a natural number up to 100.
func Polygamma(n, x float64) float64 {
	switch {
	case n == 0:
		return Digamma(x)
	case !(n > 0 && n <= 100) || n != math.Floor(n) || x <= 0 && x == math.Floor(x):
		return math.NaN()
	}
	k, sign := int(n), 1.0 // −(−1)ⁿ
	if k%2 == 0 {
		sign = -1
	}
	if x < 0 { // (−1)ⁿψ⁽ⁿ⁾(1−x) − ψ⁽ⁿ⁾(x) is the n-th derivative of π·cot πx
		return -float64(sign*Polygamma(n, 1-x)) - float64(math.Pi*cotDerivative(k, sinPi(x+0.5)/sinPi(x)))
	}
	// sign·ψ⁽ⁿ⁾(x) = n!/xⁿ⁺¹ + sign·ψ⁽ⁿ⁾(x+1) until the asymptotic series is exact.
	sum := 0.0
	for x < 16+2*n {
		term := 1 / x
		for j := 1.0; j <= n; j++ {
			term = float64(term * (j / x))
		}
		sum += term
		x++
	}
	series, factor := 1+0.5*n/x, float64(n/x) // n·(n+1)⋯(n+2j)/x²ʲ⁺¹/(2j+1)!
	for j, b := range digammaSeries {
		at := float64(2*j + 1)
		factor = float64(factor * ((n + at) / x))
		series += float64(b * factor)
		factor = float64(factor * ((n + at + 1) / x / (at + 1) / (at + 2)))
	}
	for j := 1.0; j < n; j++ {
		series = float64(series * (j / x))
	}
	return sign * (sum + series/x)
}

// cotDerivative is the n-th derivative of cot πx, where that is c: a polynomial in c, since cot′ = −(1 + cot²).
func cotDerivative(n int, c float64) float64 {
	p := []float64{0, 1}
	for range n {
		next := make([]float64, len(p)+1)
		for i := 1; i < len(p); i++ {
			a := float64(-math.Pi * float64(i) * p[i])
			next[i-1] += a
			next[i+1] += a
		}
		p = next
	}
	return poly(c, p)
}
