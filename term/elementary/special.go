package elementary

import "math"

// poly is c[0] + c[1]·x + c[2]·x² + …
func poly(x float64, c []float64) float64 {
	p := c[len(c)-1]
	for i := len(c) - 2; i >= 0; i-- {
		p = c[i] + float64(x*p)
	}
	return p
}

// Erf is the error function, within a unit in the last place, by the quotients of polynomials of Sun Microsystems'
// s_erf.c (copyright 1993 by Sun Microsystems, Inc.; permission to use, copy, modify, and distribute is freely granted,
// provided that this notice is preserved).
func Erf(x float64) float64 {
	a := math.Abs(x)
	var y float64
	switch {
	case math.IsNaN(x):
		return x
	case a < 0x1p-28:
		return x + float64(1.28379167095512586316e-01*x)
	case a < 0.84375:
		z := float64(x * x)
		return x + float64(x*(poly(z, erfP)/poly(z, erfQ)))
	case a < 1.25:
		y = 8.45062911510467529297e-01 + poly(a-1, erfPA)/poly(a-1, erfQA)
	case a < 6:
		s := 1 / float64(a*a)
		p, q := erfRA, erfSA
		if a >= 1/0.35 {
			p, q = erfRB, erfSB
		}
		z := math.Float64frombits(math.Float64bits(a) &^ (1<<32 - 1)) // its square is exact
		y = 1 - float64(Exp(-float64(z*z)-0.5625)*Exp(float64((z-a)*(z+a))+poly(s, p)/poly(s, q)))/a
	default:
		y = 1
	}
	return math.Copysign(y, x)
}

// The coefficients of Erf: below 0.84375, below 1.25, below 1/0.35 and from there on.
var (
	erfP = []float64{1.28379167095512558561e-01, -3.25042107247001499370e-01, -2.84817495755985104766e-02,
		-5.77027029648944159157e-03, -2.37630166566501626084e-05}
	erfQ = []float64{1, 3.97917223959155352819e-01, 6.50222499887672944485e-02, 5.08130628187576562776e-03,
		1.32494738004321644526e-04, -3.96022827877536812320e-06}
	erfPA = []float64{-2.36211856075265944077e-03, 4.14856118683748331666e-01, -3.72207876035701323847e-01,
		3.18346619901161753674e-01, -1.10894694282396677476e-01, 3.54783043256182359371e-02,
		-2.16637559486879084300e-03}
	erfQA = []float64{1, 1.06420880400844228286e-01, 5.40397917702171048937e-01, 7.18286544141962662868e-02,
		1.26171219808761642112e-01, 1.36370839120290507362e-02, 1.19844998467991074170e-02}
	erfRA = []float64{-9.86494403484714822705e-03, -6.93858572707181764372e-01, -1.05586262253232909814e+01,
		-6.23753324503260060396e+01, -1.62396669462573470355e+02, -1.84605092906711035994e+02,
		-8.12874355063065934246e+01, -9.81432934416914548592e+00}
	erfSA = []float64{1, 1.96512716674392571292e+01, 1.37657754143519042600e+02, 4.34565877475229228821e+02,
		6.45387271733267880336e+02, 4.29008140027567833386e+02, 1.08635005541779435134e+02, 6.57024977031928170135e+00,
		-6.04244152148580987438e-02}
	erfRB = []float64{-9.86494292470009928597e-03, -7.99283237680523006574e-01, -1.77579549177547519889e+01,
		-1.60636384855821916062e+02, -6.37566443368389627722e+02, -1.02509513161107724954e+03,
		-4.83519191608651397019e+02}
	erfSB = []float64{1, 3.03380607434824582924e+01, 3.25792512996573918826e+02, 1.53672958608443695994e+03,
		3.19985821950859553908e+03, 2.55305040643316442583e+03, 4.74528541206955367215e+02,
		-2.24409524465858183362e+01}
)

// ErfSlope is 2/√π·e^(−x²).
func ErfSlope(x float64) float64 {
	square := float64(x * x)
	e := Exp(-square)
	if e == 0 {
		return 0
	}
	return 2 / math.SqrtPi * (e - float64(e*math.FMA(x, x, -square)))
}

// Softplus is log(1 + e^x), within two units in the last place.
func Softplus(x float64) float64 {
	y := Exp(-math.Abs(x))
	if u := 1 + y; u != 1 {
		y = float64(Log(u)*y) / (u - 1) // log(1+y), where u is 1+y rounded
	}
	return math.Max(x, 0) + y
}

// Sinh is (e^x − e^−x)/2, within three units in the last place.
func Sinh(x float64) float64 {
	if a := math.Abs(x); a < 1 {
		u := float64(x * x)
		return x + float64(float64(x*u)*poly(u, sinhSeries))
	}
	if h := Exp(x / 2); math.Abs(x) > 700 {
		return float64(float64(h/2)*h) - float64(1/(2*h))/h
	}
	e := Exp(x)
	return float64(0.5*e) - 0.5/e
}

// sinhSeries has 1/3!, 1/5!, …, 1/19!.
var sinhSeries = []float64{1.0 / 6, 1.0 / 120, 1.0 / 5040, 1.0 / 362880, 1.0 / 39916800, 1.0 / 6227020800,
	1.0 / 1307674368000,
	1.0 / 355687428096000, 1.0 / 121645100408832000}

// Cosh is (e^x + e^−x)/2, within three units in the last place.
func Cosh(x float64) float64 {
	a := math.Abs(x)
	if a > 700 {
		h := Exp(a / 2)
		return float64(float64(h/2) * h)
	}
	e := Exp(a)
	return float64(0.5*e) + 0.5/e
}

// Asin is the angle whose sine is x, within two units in the last place, by the quotient of polynomials of Sun
// Microsystems' e_asin.c (see [Erf]).
func Asin(x float64) float64 {
	a := math.Abs(x)
	switch {
	case !(a <= 1):
		return math.NaN()
	case a < 0.5:
		u := float64(x * x)
		return x + float64(x*float64(u*poly(u, asinP)/poly(u, asinQ)))
	}
	const halfPiLow = 6.12323399573676603587e-17 // what rounding π/2 leaves
	u := (1 - a) / 2
	s := math.Sqrt(u)
	return math.Copysign(math.Pi/2-(2*(s+float64(s*float64(u*poly(u, asinP)/poly(u, asinQ))))-halfPiLow), x)
}

var (
	asinP = []float64{1.66666666666666657415e-01, -3.25565818622400915405e-01, 2.01212532134862925881e-01,
		-4.00555345006794114027e-02, 7.91534994289814532176e-04, 3.47933107596021167570e-05}
	asinQ = []float64{1, -2.40339491173441421878e+00, 2.02094576023350569471e+00, -6.88283971605453293030e-01,
		7.70381505559019352791e-02}
)
