//go:build !linux

package graph

// maxSliceNodes bounds the arena where addresses cannot be reserved without
// memory: 1 GiB.
const maxSliceNodes = 1 << 26

// reserve makes one Go slice; the system gives its memory when it is touched.
func (a *Arena) reserve(n uint64) error {
	a.nodes = make([]Node, min(n, maxSliceNodes))
	a.release = func() error { return nil }
	a.commit = func(from, to uint32) error { return nil }
	return nil
}
