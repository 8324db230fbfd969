package wasm

import "golang.org/x/sys/unix"

// inHugePages asks for huge pages for memory that has not been touched. They are a matter of speed only: a system
// without them says no.
func inHugePages(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
