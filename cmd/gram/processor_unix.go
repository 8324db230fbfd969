//go:build unix

package main

import (
	"time"

	"golang.org/x/sys/unix"
)

// processorTime returns the processor time that the process has taken.
func processorTime() time.Duration {
	var used unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &used); err != nil {
		return time.Since(started)
	}
	return time.Duration(used.Utime.Nano() + used.Stime.Nano())
}
