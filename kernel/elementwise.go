package kernel

import "unsafe"

// The functions of this file go through slices of one length, that of dst; they panic if
// another is shorter. dst may be x or y; else it must not overlap them.

// Add sets dst[i] to x[i] + y[i].
func Add(dst, x, y []float64) { add(dst, x[:len(dst)], y[:len(dst)]) }

// Sub sets dst[i] to x[i] − y[i].
func Sub(dst, x, y []float64) { sub(dst, x[:len(dst)], y[:len(dst)]) }

// Mul sets dst[i] to x[i]·y[i].
func Mul(dst, x, y []float64) { mul(dst, x[:len(dst)], y[:len(dst)]) }

// Div sets dst[i] to x[i]/y[i].
func Div(dst, x, y []float64) { div(dst, x[:len(dst)], y[:len(dst)]) }

// AddScalar sets dst[i] to x[i] + a.
func AddScalar(dst, x []float64, a float64) { addScalar(dst, x[:len(dst)], a) }

// MulScalar sets dst[i] to x[i]·a. For a = −1 that is −x[i].
func MulScalar(dst, x []float64, a float64) { mulScalar(dst, x[:len(dst)], a) }

// DivScalar sets dst[i] to x[i]/a.
func DivScalar(dst, x []float64, a float64) { divScalar(dst, x[:len(dst)], a) }

// ScalarSub sets dst[i] to a − x[i].
func ScalarSub(dst []float64, a float64, x []float64) { scalarSub(dst, x[:len(dst)], a) }

// ScalarDiv sets dst[i] to a/x[i].
func ScalarDiv(dst []float64, a float64, x []float64) { scalarDiv(dst, x[:len(dst)], a) }

// AddMul adds x[i]·y[i] to dst[i].
func AddMul(dst, x, y []float64) { addMul(dst, x[:len(dst)], y[:len(dst)]) }

// AddMulScalar adds x[i]·a to dst[i].
func AddMulScalar(dst, x []float64, a float64) { addMulScalar(dst, x[:len(dst)], a) }

// Less sets dst[i] to 1 where x[i] < y[i], and to 0 elsewhere.
func Less(dst, x, y []float64) { less(dst, x[:len(dst)], y[:len(dst)]) }

// LessEqual sets dst[i] to 1 where x[i] ≤ y[i], and to 0 elsewhere.
func LessEqual(dst, x, y []float64) { lessEqual(dst, x[:len(dst)], y[:len(dst)]) }

// Equal sets dst[i] to 1 where x[i] = y[i], and to 0 elsewhere.
func Equal(dst, x, y []float64) { equal(dst, x[:len(dst)], y[:len(dst)]) }

// Blend sets dst[i] to x[i] where y[i] is not 0.
func Blend(dst, x, y []float64) { blend(dst, x[:len(dst)], y[:len(dst)]) }

// AddWhere adds x[i] to dst[i] where y[i] is not 0.
func AddWhere(dst, x, y []float64) { addWhere(dst, x[:len(dst)], y[:len(dst)]) }

// Sqrt sets dst[i] to the square root of x[i].
func Sqrt(dst, x []float64) { sqrt(dst, x[:len(dst)]) }

// Apply sets dst[i] to f(x[i]).
func Apply(dst, x []float64, f func(x float64) float64) {
	for i, v := range x[:len(dst)] {
		dst[i] = f(v)
	}
}

// Abs sets dst[i] to |x[i]|.
func Abs(dst, x []float64) { abs(dst, x[:len(dst)]) }

// Sign sets dst[i] to 1 where x[i] is positive, to −1 where it is negative, and to x[i] where it is 0 or NaN.
func Sign(dst, x []float64) { sign(dst, x[:len(dst)]) }

// Apply2 sets dst[i] to f(x[i], y[i]).
func Apply2(dst, x, y []float64, f func(x, y float64) float64) {
	y = y[:len(dst)]
	for i, v := range x[:len(dst)] {
		dst[i] = f(v, y[i])
	}
}

// Fill sets dst[i] to x.
func Fill[T any](dst []T, x T) {
	n := min(len(dst), 16)
	for i := range dst[:n] {
		dst[i] = x
	}
	for ; n < len(dst); n *= 2 {
		copy(dst[n:], dst[:n])
	}
}

// CopyApart sets dst[i] to x[at + i·by], of which there is at least one.
func CopyApart[T any](dst, x []T, at, by int) {
	const short = 16
	switch {
	case by == 0:
		Fill(dst, x[at])
	case by == 1 && len(dst) > short:
		copy(dst, x[at:])
	case by == 1:
		for i, x := range x[at : at+len(dst)] {
			dst[i] = x
		}
	default:
		from, apart := unsafe.Pointer(&x[at]), by*int(unsafe.Sizeof(x[0]))
		_ = x[at+(len(dst)-1)*by]
		i, to := 0, 0
		for ; i+4 <= len(dst); i += 4 {
			d := (*[4]T)(dst[i:])
			d[0], d[1] = *(*T)(unsafe.Add(from, to)), *(*T)(unsafe.Add(from, to+apart))
			d[2], d[3] = *(*T)(unsafe.Add(from, to+2*apart)), *(*T)(unsafe.Add(from, to+3*apart))
			to += 4 * apart
		}
		for ; i < len(dst); i++ {
			dst[i] = *(*T)(unsafe.Add(from, to))
			to += apart
		}
	}
}

// SetApart sets dst[at + i·by] to x[i], of which there is at least one.
func SetApart(dst, x []float64, at, by int) {
	to, apart := unsafe.Pointer(&dst[at]), 8*by
	_ = dst[at+(len(x)-1)*by]
	i, from := 0, 0
	for ; i+4 <= len(x); i += 4 {
		s := (*[4]float64)(x[i:])
		*(*float64)(unsafe.Add(to, from)), *(*float64)(unsafe.Add(to, from+apart)) = s[0], s[1]
		*(*float64)(unsafe.Add(to, from+2*apart)), *(*float64)(unsafe.Add(to, from+3*apart)) = s[2], s[3]
		from += 4 * apart
	}
	for ; i < len(x); i++ {
		*(*float64)(unsafe.Add(to, from)) = x[i]
		from += apart
	}
}

// Cycle sets all of x to repetitions of its first n elements.
func Cycle[T any](x []T, n int) {
	for ; n < len(x); n *= 2 {
		copy(x[n:], x[:n])
	}
}

// Repeat sets dst to n times each number of x.
func Repeat[T any](dst, x []T, n int) {
	switch {
	case n > 8:
		for k := range len(dst) / n {
			Fill(dst[k*n:][:n], x[k])
		}
	case n == 4:
		for k, x := range x[:len(dst)/4] {
			*(*[4]T)(dst[4*k:]) = [4]T{x, x, x, x}
		}
	case n == 3:
		for k, x := range x[:len(dst)/3] {
			*(*[3]T)(dst[3*k:]) = [3]T{x, x, x}
		}
	default:
		for _, x := range x[:len(dst)/n] {
			for k := range dst[:n] {
				dst[k] = x
			}
			dst = dst[n:]
		}
	}
}
