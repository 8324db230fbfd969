package kernel

import (
	"bytes"
	"encoding/binary"
	"math"
	"unsafe"
)

// CountTrue is how many of flags are set.
func CountTrue(flags []bool) uint64 {
	if len(flags) == 0 {
		return 0
	}
	return uint64(bytes.Count(bytesOf(flags), []byte{1}))
}

// LastTrue is the place of the last of flags that is set, −1 if none is.
func LastTrue(flags []bool) int { return bytes.LastIndexByte(bytesOf(flags), 1) }

// bytesOf are flags as bytes, 1 or 0.
func bytesOf(flags []bool) []byte {
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(flags))), len(flags))
}

var ones = func() (flags [1 << 10]bool) {
	for i := range flags {
		flags[i] = true
	}
	return flags
}()

// Or sets the flags of to that are set in from.
func Or(to, from []bool) {
	const word = 8
	n := len(from) &^ (word - 1)
	for k := 0; k < n; k += word {
		*(*uint64)(unsafe.Pointer(&to[k])) |= *(*uint64)(unsafe.Pointer(&from[k]))
	}
	for k, f := range from[n:] {
		to[n+k] = to[n+k] || f
	}
}

// And clears the flags of to that are not set in from.
func And(to, from []bool) {
	a, b := bytesOf(to), bytesOf(from)[:len(to)]
	k := 0
	for ; k+8 <= len(a); k += 8 {
		binary.LittleEndian.PutUint64(a[k:], binary.LittleEndian.Uint64(a[k:])&binary.LittleEndian.Uint64(b[k:]))
	}
	for ; k < len(a); k++ {
		a[k] &= b[k]
	}
}

// SetTrue sets flags.
func SetTrue(flags []bool) {
	for len(flags) > 0 {
		flags = flags[copy(flags, ones[:]):]
	}
}

// Flags sets flags where numbers, which are 0 or 1, are 1, or where they are 0.
func Flags(flags []bool, numbers []float64, zero bool) {
	bytes, flip := bytesOf(flags), uint64(0)
	if zero {
		flip = 1
	}
	bit := func(x float64) uint64 { return math.Float64bits(x)>>61 ^ flip }
	k := 0
	for ; k+8 <= len(bytes); k += 8 {
		x := numbers[k : k+8 : k+8]
		binary.LittleEndian.PutUint64(bytes[k:], bit(x[0])|bit(x[1])<<8|bit(x[2])<<16|bit(x[3])<<24|
			bit(x[4])<<32|bit(x[5])<<40|bit(x[6])<<48|bit(x[7])<<56)
	}
	for ; k < len(bytes); k++ {
		bytes[k] = byte(bit(numbers[k]))
	}
}

// Finite reports whether rows × columns numbers of x are neither infinite nor NaN. It may say no where they are
// large.
func Finite(x []float64, rows, apart, columns, by int) bool {
	for i := range rows {
		if by == 1 { // a sum of finite numbers is not finite only if it is too large
			if y := Sum(x[i*apart:][:columns]); y-y != 0 {
				return false
			}
			continue
		}
		for j := range columns {
			if y := x[i*apart+j*by]; y-y != 0 {
				return false
			}
		}
	}
	return true
}

// AnyTrue reports whether one of n flags is set.
func AnyTrue(flags []bool, n, apart int) bool {
	for i := range n {
		if flags[i*apart] {
			return true
		}
	}
	return false
}
