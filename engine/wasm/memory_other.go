//go:build !linux

package wasm

// inHugePages does nothing on this system.
func inHugePages([]byte) {}
