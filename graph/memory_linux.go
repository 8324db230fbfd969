package graph

import "golang.org/x/sys/unix"

// reserve maps n bytes without access rights: addresses, no memory. A part is made usable by giving it rights, in huge
// pages where the system has them. Where there are not as many addresses, there are fewer.
func (m *memory) reserve(n uint64) error {
	var mem []byte
	var err error
	for ; ; n = n / 2 / slab * slab {
		mem, err = unix.Mmap(-1, 0, int(n), unix.PROT_NONE, unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
		if err == nil {
			break
		}
		if n <= slab {
			return full(0, err)
		}
	}
	m.bytes, m.mapped = mem, true
	m.release = func() error { return unix.Munmap(mem) }
	m.commit = func(part []byte) error {
		if err := unix.Mprotect(part, unix.PROT_READ|unix.PROT_WRITE); err != nil {
			return err
		}
		_ = unix.Madvise(part, unix.MADV_HUGEPAGE) // a matter of speed only
		return nil
	}
	return nil
}
