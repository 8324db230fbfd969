//go:build linux && !heaparena

package graph

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve maps n nodes, and front bytes before them, without access rights: addresses, no memory. A slab is
// made usable by giving it rights, in huge pages where the system has them; the
// memory comes when a page is first touched. Where there are not as many addresses, there are fewer nodes, and none before them.
func (m *reservation) reserve(n, front uint64) error {
	var mem []byte
	var err error
	for ; n >= SlabNodes; n, front = n/2, 0 {
		mem, err = unix.Mmap(-1, 0, int(front+n*NodeBytes), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err == nil {
			break
		}
	}
	if err != nil {
		return &ArenaFullError{Cause: err}
	}
	m.mapped = true
	m.front = front
	m.window = mem[:min(uint64(len(mem)), windowBytes)]
	nodes := mem[front:]
	m.nodes = unsafe.Slice((*Node)(unsafe.Pointer(unsafe.SliceData(nodes))), uint64(len(nodes))/NodeBytes)
	part := func(from, to uint32) []byte { return nodes[uint64(from)*NodeBytes : uint64(to)*NodeBytes] }
	m.release = func() error { return unix.Munmap(mem) }
	commit := func(part []byte) error {
		if err := unix.Mprotect(part, unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return err
		}
		// Huge pages are a matter of speed only: a system without them says no.
		_ = unix.Madvise(part, unix.MADV_HUGEPAGE)
		return nil
	}
	m.commit = func(from, to uint32) error { return commit(part(from, to)) }
	m.commitFront = func(from, to uint64) error { return commit(mem[from:to]) }
	m.give = func(from, to uint32) { _ = unix.Madvise(part(from, to), unix.MADV_DONTNEED) }
	return nil
}
