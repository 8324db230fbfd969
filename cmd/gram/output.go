package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
)

func addOutput(cmd *cobra.Command, output *string) {
	cmd.Flags().StringVarP(output, "output", "o", "", "write the result to a `file`, whole or not at all, instead of standard output")
}

// writeOutput writes the answer to a file, if there is one, instead of standard output.
func (a *app) writeOutput(ctx context.Context, path string) error {
	if path == "" {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return &gram.LimitError{Limit: "interrupt", Phase: "printing", Err: err}
	}
	f, err := newOutputFile(path)
	if err == nil {
		defer f.discard()
		_, err = f.Write(a.out.Bytes())
	}
	if err == nil {
		err = f.keep()
	}
	if err != nil {
		return outputError(path, err)
	}
	a.out.Reset()
	return nil
}

// outputError words an error of the system about a file that is written.
func outputError(path string, err error) error {
	var system *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &system):
		err = system.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("cannot write %s: %w", path, err)
}

// outputFile is a file that is written whole or not at all: beside it first, then in its
// place. What is no regular file, a pipe or a device, is written at once.
type outputFile struct {
	*os.File
	path string // "" of a file that is written at once, or has been kept
}

func newOutputFile(path string) (*outputFile, error) {
	info, err := os.Stat(path)
	if err == nil && !info.Mode().IsRegular() {
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		return &outputFile{f, ""}, err
	}
	mode := fs.FileMode(0o644)
	if err == nil {
		mode = info.Mode().Perm()
		if path, err = filepath.EvalSymlinks(path); err != nil {
			return nil, err
		}
	}
	f, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+".*")
	if err != nil {
		return nil, err
	}
	out := &outputFile{f, path}
	if err := f.Chmod(mode); err != nil {
		out.discard()
		return nil, err
	}
	return out, nil
}

// keep puts the file in its place.
func (f *outputFile) keep() error {
	if err := f.Close(); err != nil {
		return err
	}
	if f.path == "" {
		return nil
	}
	if err := os.Rename(f.Name(), f.path); err != nil {
		return err
	}
	f.path = ""
	return nil
}

// discard removes a file that has not been kept.
func (f *outputFile) discard() {
	f.Close()
	if f.path != "" {
		os.Remove(f.Name())
	}
}
