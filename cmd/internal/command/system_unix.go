//go:build unix

package command

import (
	"os"
	"os/signal"
	"syscall"
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

// become makes the process one of another program. It returns only an error.
func become(path string, args []string) error {
	signal.Reset(os.Interrupt, syscall.SIGTERM) // the other program can't know what this one gets
	return syscall.Exec(path, append([]string{path}, args...), os.Environ())
}
