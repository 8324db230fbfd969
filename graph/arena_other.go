//go:build !linux || heaparena

package graph

import "math"

// maxSliceNodes bounds the arena where addresses cannot be reserved without
// memory: 1 GiB, 256 MiB where an int has 32 bits.
const maxSliceNodes = min(1<<26, math.MaxInt/(8*NodeBytes)+1)

// reserve makes one Go slice; the system gives its memory when it is touched.
func (m *reservation) reserve(n, _ uint64) error {
	m.nodes = make([]Node, min(n, maxSliceNodes))
	m.release = func() error { return nil }
	m.commit = func(from, to uint32) error { return nil }
	m.give = func(from, to uint32) {}
	return nil
}
