package graph

import (
	"fmt"
	"math"
	"strconv"
	"sync/atomic"
	"unsafe"

	"github.com/gram-machine/gram/limits"
)

// SlabNodes is how many nodes the arena grows by: 4 MiB.
const SlabNodes = 1 << 18

// Arena is a sequence of nodes that grows by fixed slabs in a range of addresses:
// nodes never move, so a slice of them stays valid while it grows. Elsewhere than on
// Linux it is a part of one Go slice of at most 1 GiB, 256 MiB where an int has 32 bits,
// whose memory the system gives when it is touched; the build tag heaparena asks for
// that, so that the race detector sees what the nodes are used for.
type Arena struct {
	nodes     []Node // the whole reserved range
	words     []uint32
	from, to  uint32 // the part of the range that is this arena's
	committed uint32 // nodes below may be used
	memory    *reservation
}

// reservation is a range of addresses, that several arenas may share.
type reservation struct {
	nodes  []Node
	most   int64        // bytes that may be committed
	held   atomic.Int64 // bytes that are
	mapped bool         // the memory is outside the Go heap: it is booked with the meters
	commit func(from, to uint32) error
	// Before the nodes there are front bytes, of which the first fronts may be used.
	front, fronts uint64
	commitFront   func(from, to uint64) error
	window        []byte
	give          func(from, to uint32) // the memory back
	release       func() error
}

// hold adds to the bytes that are committed, and returns how many there are then.
func (m *reservation) hold(bytes int64) int64 {
	if m.mapped {
		limits.Outside(bytes)
	}
	return m.held.Add(bytes)
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

// maxSlabs is how many slabs an int can count the bytes of: it matters where it has 32 bits.
const maxSlabs = math.MaxInt / (SlabNodes * NodeBytes)

// NewArena reserves an arena of at most maxBytes and commits its first slab. The error
// is an [*ArenaFullError].
func NewArena(maxBytes uint64) (*Arena, error) {
	arenas, err := NewArenas(maxBytes, 1)
	if err != nil {
		return nil, err
	}
	return arenas[0], nil
}

// NewArenas reserves n arenas that share one range of addresses, so that a [Ref] of one
// is good in the others, and together hold at most maxBytes. The first has a slab
// committed. Arenas may grow at once in several goroutines.
func NewArenas(maxBytes uint64, n int) ([]*Arena, error) {
	slabs := max(1, (maxBytes/NodeBytes+SlabNodes-1)/SlabNodes)
	each := max(1, min(slabs, min(MaxArenaNodes/SlabNodes, maxSlabs)/uint64(n))) * SlabNodes
	mem := &reservation{most: int64(min(slabs, uint64(n)*each/SlabNodes) * SlabNodes * NodeBytes)}
	front := uint64(0)
	if strconv.IntSize == 64 {
		front = frontBytes
	}
	if err := mem.reserve(each*uint64(n), front); err != nil {
		return nil, err
	}
	each = uint64(len(mem.nodes)/n) / SlabNodes * SlabNodes
	words := unsafe.Slice((*uint32)(unsafe.Pointer(unsafe.SliceData(mem.nodes))), 4*len(mem.nodes))
	arenas := make([]*Arena, n)
	for i := range arenas {
		from := uint32(uint64(i) * each)
		arenas[i] = &Arena{nodes: mem.nodes, words: words, from: from, to: from + uint32(each), committed: from, memory: mem}
	}
	if err := arenas[0].Grow(SlabNodes); err != nil {
		arenas[0].Close()
		return nil, err
	}
	return arenas, nil
}

// Beside returns an arena that has a node for each below end of this arena's range, for
// what is kept beside some of them. It is held to take as much memory as the arena does,
// with those that share its range: more can't be touched.
func (a *Arena) Beside(end uint32) (*Arena, error) {
	n := (uint64(end) + SlabNodes - 1) / SlabNodes * SlabNodes
	mem := &reservation{}
	if err := mem.reserve(n, 0); err != nil {
		return nil, err
	}
	b := &Arena{nodes: mem.nodes, to: uint32(len(mem.nodes)), committed: uint32(len(mem.nodes)), memory: mem}
	mem.hold(int64(a.Bytes()))
	var err error
	if uint64(len(mem.nodes)) < n {
		err = &ArenaFullError{Bytes: n * NodeBytes}
	} else {
		err = mem.commit(0, uint32(n))
	}
	if err != nil {
		b.Close()
		return nil, err
	}
	return b, nil
}

// Nodes returns all nodes of the reserved range; only those below [Arena.Len] may
// be touched, and from [Arena.Start] on.
func (a *Arena) Nodes() []Node { return a.nodes }

// Words returns the same memory as words of 32 bits: node r is words 4r … 4r+3.
func (a *Arena) Words() []uint32 { return a.words }

// Floats returns the same memory as numbers: node r is numbers 2r and 2r+1.
func (a *Arena) Floats() []float64 {
	return unsafe.Slice((*float64)(unsafe.Pointer(unsafe.SliceData(a.nodes))), 2*len(a.nodes))
}

// The memory of the first arena of a range that machine code can use: it has addresses of 32 bits.
const (
	frontBytes  = 1 << 30 // before the nodes
	windowBytes = 1<<32 - 1<<16
	frontStep   = 1 << 16
)

// Front makes the first bytes of the memory before the nodes usable, and returns the window: this memory and the nodes behind it, of which
// only those below [Arena.Len] may be touched. It returns nil where there is no such memory, or not so much. What is used stays so, and
// is booked with the memory of the process.
func (a *Arena) Front(bytes uint64) []byte {
	m := a.memory
	if bytes > m.front || a.from > 0 {
		return nil
	}
	if to := (bytes + frontStep - 1) / frontStep * frontStep; to > m.fronts {
		if m.commitFront(m.fronts, to) != nil {
			return nil
		}
		limits.Outside(int64(to - m.fronts))
		m.fronts = to
	}
	return m.window
}

// Start returns the first node of the arena.
func (a *Arena) Start() uint32 { return a.from }

// Len returns below which node the arena may be touched.
func (a *Arena) Len() uint32 { return a.committed }

// Bytes returns how much memory the arena holds, with those that share its range.
func (a *Arena) Bytes() uint64 { return uint64(a.memory.held.Load()) }

// Grow makes the nodes below n usable. The error is an [*ArenaFullError].
func (a *Arena) Grow(n uint32) error {
	if n <= a.committed {
		return nil
	}
	to := (uint64(n) + SlabNodes - 1) / SlabNodes * SlabNodes
	if to > uint64(a.to) {
		return &ArenaFullError{Bytes: uint64(a.to-a.from) * NodeBytes}
	}
	mem, bytes := a.memory, int64(to-uint64(a.committed))*NodeBytes
	if mem.hold(bytes) > mem.most {
		mem.hold(-bytes)
		return &ArenaFullError{Bytes: uint64(mem.most)}
	}
	if err := mem.commit(a.committed, uint32(to)); err != nil {
		mem.hold(-bytes)
		return &ArenaFullError{Bytes: a.Bytes(), Cause: err}
	}
	a.committed = uint32(to)
	return nil
}

// Shrink gives the memory of the nodes from n on back to the system, in whole slabs.
func (a *Arena) Shrink(n uint32) {
	to := (uint64(max(n, a.from+1)) + SlabNodes - 1) / SlabNodes * SlabNodes
	if to >= uint64(a.committed) {
		return
	}
	a.memory.give(uint32(to), a.committed)
	a.memory.hold(-int64(uint64(a.committed)-to) * NodeBytes)
	a.committed = uint32(to)
}

// Close returns the memory of the arena, and of those that share its range, to the
// system. They are not to be used after it.
func (a *Arena) Close() error {
	if a.memory == nil {
		return nil
	}
	release := a.memory.release
	a.memory.release = func() error { return nil }
	a.nodes, a.words, a.committed = nil, nil, 0
	a.memory.hold(-a.memory.held.Load())
	if a.memory.fronts > 0 {
		limits.Outside(-int64(a.memory.fronts))
		a.memory.fronts, a.memory.front = 0, 0
	}
	return release()
}
