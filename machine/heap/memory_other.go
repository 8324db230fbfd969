//go:build !linux

package heap

import (
	"math"
	"unsafe"

	"github.com/gram-machine/gram/compile/literal"
)

// reserve makes one Go slice of nodes.
func (m *memory) reserve(n uint64) error {
	n = min(n, 1<<30, math.MaxInt/8+1)
	nodes := make([]literal.Node, n/literal.NodeBytes)
	m.bytes = unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(nodes))), n)
	m.release = func() error { return nil }
	m.commit = func([]byte) error { return nil }
	return nil
}
