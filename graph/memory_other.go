//go:build !linux

package graph

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/compile"
)

// reserve makes one Go slice of nodes.
func (m *memory) reserve(n uint64) error {
	n = min(n, 1<<30, math.MaxInt/8+1)
	nodes := make([]compile.Node, n/compile.NodeBytes)
	m.bytes = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(nodes))), n)
	m.release = func() error { return nil }
	m.commit = func([]byte) error { return nil }
	return nil
}
