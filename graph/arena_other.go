//go:build !linux || heaparena

package graph

import (
	"math"
	"unsafe"
)

// maxSlice bounds the arena where addresses cannot be reserved without memory.
const maxSlice = min(1<<30, math.MaxInt/8+1)

// reserve makes one Go slice; the system gives its memory when it is touched.
func (a *Arena) reserve(size uint64) error {
	mem := make([]uint64, min(size, maxSlice)/8)
	a.base, a.size = unsafe.Pointer(unsafe.SliceData(mem)), 8*uint64(len(mem))
	a.commit = func(from, to uint64) error { return nil }
	a.release = func() error { return nil }
	return nil
}
