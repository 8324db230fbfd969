package graph

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve maps n nodes without access rights: addresses, no memory. A slab is
// made usable by giving it rights, in huge pages where the system has them; the
// memory comes when a page is first touched.
func (a *Arena) reserve(n uint64) error {
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
	n = uint64(len(mem)) / NodeBytes
	a.nodes = unsafe.Slice((*Node)(unsafe.Pointer(unsafe.SliceData(mem))), n)
	a.release = func() error { return unix.Munmap(mem) }
	a.commit = func(from, to uint32) error {
		part := mem[uint64(from)*NodeBytes : uint64(to)*NodeBytes]
		if err := unix.Mprotect(part, unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return err
		}
		// Huge pages are a matter of speed only: a system without them says no.
		_ = unix.Madvise(part, unix.MADV_HUGEPAGE)
		return nil
	}
	return nil
}
