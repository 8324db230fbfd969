// Package graph holds the memory of graphs: arenas, whose nodes do not move.
package graph

import (
	"fmt"
	"math"
	"unsafe"

	"github.com/gram-machine/gram/limits"
)

// SlabBytes is how many bytes an arena grows by.
const SlabBytes = 4 << 20

// Arena is memory that grows by slabs in a range of addresses: nothing in it moves. Elsewhere than on Linux it is a Go slice of
// at most 1 GiB, 256 MiB where an int has 32 bits, whose memory the system gives when it is touched; the build tag heaparena asks for
// that, so that the race detector sees what it is used for.
type Arena struct {
	base      unsafe.Pointer // nil once the arena is closed
	size      uint64         // of the range
	committed uint64         // bytes that may be used
	mapped    bool           // the memory is outside the Go heap: it is booked with the meters
	commit    func(from, to uint64) error
	release   func() error
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

// NewArena reserves an arena of at most maxBytes and commits its first slab. The error is an [*ArenaFullError].
func NewArena(maxBytes uint64) (*Arena, error) {
	slabs := min(max(1, (maxBytes+SlabBytes-1)/SlabBytes), math.MaxInt/SlabBytes)
	a := &Arena{}
	if err := a.reserve(slabs * SlabBytes); err != nil {
		return nil, err
	}
	if err := a.Grow(SlabBytes); err != nil {
		_ = a.Close()
		return nil, err
	}
	return a, nil
}

// Base returns the address of the first byte, nil once the arena is closed. Only the bytes below [Arena.Len] may be touched.
func (a *Arena) Base() unsafe.Pointer { return a.base }

// Len returns how many bytes may be touched.
func (a *Arena) Len() uint64 { return a.committed }

// Grow makes the first n bytes usable. The error is an [*ArenaFullError].
func (a *Arena) Grow(n uint64) error {
	if n <= a.committed {
		return nil
	}
	to := (n + SlabBytes - 1) / SlabBytes * SlabBytes
	if to > a.size {
		return &ArenaFullError{Bytes: a.size}
	}
	if err := a.commit(a.committed, to); err != nil {
		return &ArenaFullError{Bytes: a.committed, Cause: err}
	}
	a.hold(int64(to - a.committed))
	a.committed = to
	return nil
}

// hold books bytes with the memory of the process.
func (a *Arena) hold(bytes int64) {
	if a.mapped {
		limits.Outside(bytes)
	}
}

// Close returns the memory to the system. The arena is not to be used after it.
func (a *Arena) Close() error {
	if a.base == nil {
		return nil
	}
	a.hold(-int64(a.committed))
	a.base, a.committed = nil, 0
	return a.release()
}
