//go:build linux && !heaparena

package graph

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve maps n nodes without access rights: addresses, no memory. A slab is
// made usable by giving it rights, in huge pages where the system has them; the
// memory comes when a page is first touched.
func (m *reservation) reserve(n uint64) error {
	var mem []byte
	var err error
	for ; n >= SlabNodes; n /= 2 {
		mem, err = unix.Mmap(-1, 0, int(n*NodeBytes), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err == nil {
			break
		}
	}
	if err != nil {
		return &ArenaFullError{Cause: err}
	}
	m.mapped = true
	m.nodes = unsafe.Slice((*Node)(unsafe.Pointer(unsafe.SliceData(mem))), uint64(len(mem))/NodeBytes)
	part := func(from, to uint32) []byte { return mem[uint64(from)*NodeBytes : uint64(to)*NodeBytes] }
	m.release = func() error { return unix.Munmap(mem) }
	m.commit = func(from, to uint32) error {
		if err := unix.Mprotect(part(from, to), unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return err
		}
		// Huge pages are a matter of speed only: a system without them says no.
		_ = unix.Madvise(part(from, to), unix.MADV_HUGEPAGE)
		return nil
	}
	m.give = func(from, to uint32) { _ = unix.Madvise(part(from, to), unix.MADV_DONTNEED) }
	return nil
}
