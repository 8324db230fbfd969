//go:build !linux

package wasm

// InHugePages does nothing on this system.
func InHugePages([]byte) {}

// Scarce says how much less memory [Map] is to be asked for on this system: by so many bits.
const Scarce = 5

// Map returns so many bytes.
func Map(bytes int) []byte { return NewMemory(uint64(bytes), false) }

// Unmap leaves the memory of [Map] to Go.
func Unmap([]byte) {}
