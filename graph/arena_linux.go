//go:build linux && !heaparena

package graph

import (
	"unsafe"

	"golang.org/x/sys/unix"
)

// reserve maps size bytes without access rights: addresses, no memory. A slab is made usable by giving it rights, in huge pages where
// the system has them; the memory comes when a page is first touched. Where there are not as many addresses, the range is shorter.
func (a *Arena) reserve(size uint64) error {
	var mem []byte
	var err error
	for ; size >= SlabBytes; size = size / 2 / SlabBytes * SlabBytes {
		mem, err = unix.Mmap(-1, 0, int(size), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err == nil {
			break
		}
	}
	if err != nil {
		return &ArenaFullError{Cause: err}
	}
	a.base, a.size, a.mapped = unsafe.Pointer(unsafe.SliceData(mem)), uint64(len(mem)), true
	a.commit = func(from, to uint64) error {
		if err := unix.Mprotect(mem[from:to], unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return err
		}
		// Huge pages are a matter of speed only: a system without them says no.
		_ = unix.Madvise(mem[from:to], unix.MADV_HUGEPAGE)
		return nil
	}
	a.release = func() error { return unix.Munmap(mem) }
	return nil
}
