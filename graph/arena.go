package graph

import (
	"fmt"
	"unsafe"
)

// SlabNodes is how many nodes the arena grows by: 4 MiB.
const SlabNodes = 1 << 18

// Arena is a sequence of nodes that grows by fixed slabs in one range of
// addresses: nodes never move, so a slice of them stays valid while it grows.
// Elsewhere than on Linux it is one Go slice of at most 1 GiB, whose memory the
// system gives when it is touched.
type Arena struct {
	nodes     []Node // the whole reserved range
	words     []uint32
	committed uint32 // nodes that may be used
	release   func() error
	commit    func(from, to uint32) error
}

// ArenaFullError says that the reserved range, or the memory, is used up.
type ArenaFullError struct {
	Bytes uint64
	Cause error
}

func (e *ArenaFullError) Error() string {
	if e.Cause != nil {
		return fmt.Sprintf("the arena cannot grow beyond %d bytes: %v", e.Bytes, e.Cause)
	}
	return fmt.Sprintf("the arena is full at %d bytes", e.Bytes)
}

func (e *ArenaFullError) Unwrap() error { return e.Cause }

// MaxArenaNodes is the largest arena that a [Ref] reaches, less one slab.
const MaxArenaNodes = 1<<32 - SlabNodes

// NewArena reserves an arena of at most maxBytes and commits its first slab.
func NewArena(maxBytes uint64) (*Arena, error) {
	n := min(maxBytes/NodeBytes, MaxArenaNodes)
	n = max((n+SlabNodes-1)/SlabNodes*SlabNodes, SlabNodes)
	a := &Arena{}
	if err := a.reserve(n); err != nil {
		return nil, err
	}
	a.words = unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(a.nodes))), 4*len(a.nodes))
	if err := a.Grow(SlabNodes); err != nil {
		a.Close()
		return nil, err
	}
	return a, nil
}

// Nodes returns all nodes of the reserved range; only those below [Arena.Len] may
// be touched.
func (a *Arena) Nodes() []Node { return a.nodes }

// Words returns the same memory as words of 32 bits: node r is words 4r … 4r+3.
func (a *Arena) Words() []uint32 { return a.words }

// Floats returns the same memory as numbers: node r is numbers 2r and 2r+1.
func (a *Arena) Floats() []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(a.nodes))), 2*len(a.nodes))
}

// Len returns how many nodes may be touched.
func (a *Arena) Len() uint32 { return a.committed }

// Bytes returns how much memory the arena holds.
func (a *Arena) Bytes() uint64 { return uint64(a.committed) * NodeBytes }

// Grow makes at least n nodes usable. The error is an [*ArenaFullError].
func (a *Arena) Grow(n uint32) error {
	if n <= a.committed {
		return nil
	}
	to := (uint64(n) + SlabNodes - 1) / SlabNodes * SlabNodes
	if to > uint64(len(a.nodes)) {
		return &ArenaFullError{Bytes: uint64(len(a.nodes)) * NodeBytes}
	}
	if err := a.commit(a.committed, uint32(to)); err != nil {
		return &ArenaFullError{Bytes: a.Bytes(), Cause: err}
	}
	a.committed = uint32(to)
	return nil
}

// Close returns the memory to the system. The arena is not to be used after it.
func (a *Arena) Close() error {
	release := a.release
	a.nodes, a.words, a.committed, a.release = nil, nil, 0, nil
	if release == nil {
		return nil
	}
	return release()
}
