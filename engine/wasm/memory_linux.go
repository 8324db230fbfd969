package wasm

import "golang.org/x/sys/unix"

// InHugePages asks for huge pages for memory that has not been touched. They are a matter of speed only: a system
// without them says no.
func InHugePages(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }

// Scarce says how much less memory [Map] is to be asked for on this system: by so many bits.
const Scarce = 0

// Map returns so many bytes, which take memory where they are used, nil if there are none.
func Map(bytes int) []byte {
	memory, err := unix.Mmap(-1, 0, bytes, unix.PROT_READ|unix.PROT_WRITE,
		unix.MAP_PRIVATE|unix.MAP_ANON|unix.MAP_NORESERVE)
	if err != nil {
		return nil
	}
	return memory
}

// Unmap gives the memory of [Map] back.
func Unmap(memory []byte) { _ = unix.Munmap(memory) }
