package graph

import (
	"unsafe"

	"github.com/gram-machine/gram/compile"
)

// Arena is the memory of nodes, with a list of those that are free. Nodes do not move.
type Arena struct {
	memory *memory
	base   unsafe.Pointer // of the nodes; nil once the arena is closed
	top    compile.Ref    // nodes from here on have never been used
	limit  compile.Ref    // they are committed below this
	free   compile.Place  // the node that has been released last; C links it to the others
	freed  uint64         // how many these are
}

// maxRef bounds the arena: a Place has two bits beside the Ref.
const maxRef = 1<<30 - 1

// NewArena returns an arena of at most so many bytes.
func NewArena(maxBytes uint64) (Arena, error) {
	memory, err := newMemory(maxBytes)
	if err != nil {
		return Arena{}, err
	}
	return Arena{memory: memory, base: unsafe.Pointer(unsafe.SliceData(memory.bytes))}, nil
}

// Close returns the memory.
func (a *Arena) Close() error {
	a.base = nil
	return a.memory.close()
}

// Closed reports whether the arena is closed.
func (a *Arena) Closed() bool { return a.base == nil }

// Reset makes the arena empty. Node 0 is nobody's.
func (a *Arena) Reset() { a.top, a.limit, a.free, a.freed = 1, 0, 0, 0 }

// Bytes returns how much memory the arena holds.
func (a *Arena) Bytes() uint64 { return a.memory.used }

// Peak returns how many nodes have been in use at once.
func (a *Arena) Peak() uint64 { return uint64(a.top) - 1 }

// Live returns how many nodes are in use.
func (a *Arena) Live() uint64 { return uint64(a.top) - 1 - a.freed }

// Nodes returns the nodes that have ever been used.
func (a *Arena) Nodes() []compile.Node { return unsafe.Slice(a.Node(0), a.top) }

// Node returns the node at r.
func (a *Arena) Node(r compile.Place) *compile.Node {
	return (*compile.Node)(unsafe.Add(a.base, uintptr(r)*(compile.NodeBytes/4)))
}

// Operand returns the operand at p.
func (a *Arena) Operand(p compile.Place) *uint64 {
	return (*uint64)(unsafe.Add(a.base, uintptr(p)*(compile.NodeBytes/4)+unsafe.Offsetof(compile.Node{}.Val)))
}

// Take puts nodes that nothing uses into out, those that have been released last first. It returns the part of out
// for which no memory is committed.
func (a *Arena) Take(out []compile.Place) []compile.Place {
	free := a.free
	n := 0
	for n < len(out) && free != 0 {
		out[n] = free
		free = a.Node(free).C
		n++
	}
	a.free = free
	a.freed -= uint64(n)
	out = out[n:]
	top := a.top
	n = min(len(out), int(max(a.limit, top)-top))
	for i := range out[:n] {
		out[i] = top << 2
		top++
	}
	a.top = top
	return out[n:]
}

// Release puts a node on the free list.
func (a *Arena) Release(r compile.Place, n *compile.Node) {
	n.Kind, n.C = compile.Free, a.free
	a.free = r
	a.freed++
}

// Commit commits the memory of at least one more node, and of at most so many.
func (a *Arena) Commit(most uint64) error {
	want := uint64(a.top) + 1
	if want > maxRef {
		return full(a.Bytes(), nil)
	}
	if err := a.memory.grow(want * compile.NodeBytes); err != nil {
		return err
	}
	a.limit = compile.Ref(min(a.Bytes()/compile.NodeBytes, uint64(a.top)+most, maxRef))
	return nil
}

// Table keeps something for each number from 0 on, in pieces that don't move. The zero value has zero values.
type Table[T any] struct {
	pieces []*[1 << pieceBits]T
}

const pieceBits = 16 // of the numbers in one piece

// At returns where that of i is kept.
func (t *Table[T]) At(i int) *T {
	for i>>pieceBits >= len(t.pieces) {
		t.pieces = append(t.pieces, new([1 << pieceBits]T))
	}
	return &t.pieces[i>>pieceBits][i&(1<<pieceBits-1)]
}

// Places keeps a number for each operand of the nodes of an arena. The zero value is empty.
type Places struct{ numbers Table[uint32] }

// At returns where the number of the operand at p is kept.
func (t *Places) At(p compile.Place) *uint32 {
	return t.numbers.At(int(p>>2)*2 + int(p&1)) // operands are numbered two to a node
}
