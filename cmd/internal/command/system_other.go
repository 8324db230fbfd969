//go:build !unix

package command

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"time"
)

// processorTime returns the time since the process started, where its processor time is not known.
func processorTime() time.Duration { return time.Since(started) }

// become runs another program and ends the process with its status. It returns only an error.
func become(_ context.Context, path string, args []string) error {
	cmd := exec.Command(path, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	err := cmd.Run()
	var exit *exec.ExitError
	if err == nil || errors.As(err, &exit) {
		Exit(cmd.ProcessState.ExitCode())
	}
	return err
}
