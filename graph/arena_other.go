//go:build !linux || heaparena

package graph

// maxSliceNodes bounds the arena where addresses cannot be reserved without
// memory: 1 GiB.
const maxSliceNodes = 1 << 26

// reserve makes one Go slice; the system gives its memory when it is touched.
func (m *reservation) reserve(n uint64) error {
	m.nodes = make([]Node, min(n, maxSliceNodes))
	m.release = func() error { return nil }
	m.commit = func(from, to uint32) error { return nil }
	m.give = func(from, to uint32) {}
	return nil
}
