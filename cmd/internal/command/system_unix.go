//go:build unix

package command

import (
	"context"
	"os"
	"os/signal"
	"path/filepath"
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

// become makes the process one of another program. It returns only an error. That program can't know which signals this
// one has got: it is not run then.
func become(ctx context.Context, path string, args []string) error {
	signal.Reset(os.Interrupt, syscall.SIGTERM)
	if handled(); ctx.Err() != nil {
		return LimitError(ctx.Err(), "starting "+filepath.Base(path))
	}
	return syscall.Exec(path, append([]string{path}, args...), os.Environ())
}
