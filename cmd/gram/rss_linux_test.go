//go:build linux && !race

package main

import (
	"os"
	"syscall"
)

// peakMemory returns the most memory that a process has had, in bytes.
func peakMemory(p *os.ProcessState) (uint64, bool) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return uint64(usage.Maxrss) << 10, true
}
