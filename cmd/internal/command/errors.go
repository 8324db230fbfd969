package command

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"syscall"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/limits"
)

// UsageError says that the command line is wrong.
type UsageError struct{ Text string }

// Error implements error.
func (e *UsageError) Error() string { return e.Text }

// Usagef returns a usage error with a text that is made as by [fmt.Sprintf].
//
//go:noinline
func Usagef(format string, args ...any) error {
	return &UsageError{fmt.Sprintf(format, args...)}
}

// Misfit returns a usage error if wrong is true, and nil otherwise.
func Misfit(wrong bool, format string, args ...any) error {
	if !wrong {
		return nil
	}
	return Usagef(format, args...)
}

// ReadError describes the error of a program that could not be read.
func ReadError(name string, err error) error {
	return cmp.Or(LimitError(err, "reading "+name), FileError(name, err))
}

// LimitError returns the limit that an error says was reached in a phase: of memory, or of the context. It returns nil
// for other errors.
func LimitError(err error, phase string) error {
	var memory *limits.MemoryError
	switch {
	case errors.As(err, &memory):
		return &gram.LimitError{Limit: "memory", Max: memory.Max, Phase: phase, Err: err}
	case errors.Is(err, context.DeadlineExceeded):
		return &gram.LimitError{Limit: "time", Phase: phase, Err: err}
	case errors.Is(err, context.Canceled):
		return &gram.LimitError{Limit: "interrupt", Phase: phase, Err: err}
	}
	return nil
}

// FileError describes a system error on a file that was to be read.
func FileError(path string, err error) error {
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if with := path + ".gram"; IsFile(with) {
			return fmt.Errorf("%s: no such file; did you mean %s?", path, with)
		}
		return fmt.Errorf("%s: no such file", path)
	case errors.Is(err, fs.ErrPermission):
		return fmt.Errorf("%s: permission denied", path)
	case errors.Is(err, syscall.EISDIR):
		return fmt.Errorf("%s: this is a directory, not a program", path)
	}
	var system *fs.PathError
	if errors.As(err, &system) {
		err = system.Err
	}
	return fmt.Errorf("%s: %w", path, err)
}

// IsFile reports whether there is a regular file at path.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}
