//go:build linux && !race

package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
	"syscall"
	"time"
)

// timeOfProcess returns the processor time that a process has taken, to a hundredth of a second, and at
// least 1 ns; 0 if it isn't known.
func timeOfProcess(pid int) time.Duration {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return 0
	}
	// After the name of the program, in parentheses, there are eleven fields, and then the user and
	// the system time in ticks of 10 ms.
	fields := strings.Fields(string(text[strings.LastIndexByte(string(text), ')')+1:]))
	var user, system time.Duration
	if _, err := fmt.Sscan(fields[11], &user); err != nil {
		return 0
	}
	if _, err := fmt.Sscan(fields[12], &system); err != nil {
		return 0
	}
	return max(1, (user+system)*(time.Second/100))
}

// forgetPeak makes the most memory that this process has had what it has now: Linux counts that for a process that it starts.
func forgetPeak() {
	debug.FreeOSMemory()
	_ = os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
}

// peakMemory returns the most memory that a process has had, in bytes.
func peakMemory(p *os.ProcessState) (uint64, bool) {
	usage, ok := p.SysUsage().(*syscall.Rusage)
	if !ok {
		return 0, false
	}
	return uint64(usage.Maxrss) << 10, true
}
