package main

import (
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
)

// outFile is a file that is written whole or not at all: beside its place first, then in
// it. What is no regular file, like a device, is written as it is.
type outFile struct {
	*os.File
	path  string // where the file goes; the file itself, unless it is beside it
	aside bool
}

// createFile opens a file to be written. The error says that nothing can be written there.
func createFile(path string) (*outFile, error) {
	if to, err := filepath.EvalSymlinks(path); err == nil {
		path = to
	}
	mode := fs.FileMode(0o666)
	if info, err := os.Stat(path); err == nil {
		if !info.Mode().IsRegular() {
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				return nil, outError(path, err)
			}
			return &outFile{File: f, path: path}, nil
		}
		mode = info.Mode().Perm()
	}
	for {
		aside := filepath.Join(filepath.Dir(path), fmt.Sprintf(".%s.%08x", filepath.Base(path), rand.Uint32()))
		f, err := os.OpenFile(aside, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			return &outFile{File: f, path: path, aside: true}, nil
		}
		if !errors.Is(err, fs.ErrExist) {
			return nil, outError(path, err)
		}
	}
}

// place puts the file, which is closed, in its place, or, if the work that it is of has come
// to an error, takes it away. It returns that error, or its own.
func (f *outFile) place(err error) error {
	if !f.aside {
		return err
	}
	if err == nil {
		if err = os.Rename(f.Name(), f.path); err == nil {
			return nil
		}
		err = outError(f.path, err)
	}
	os.Remove(f.Name())
	return err
}

// outError words an error of the system about a file that is to be written.
func outError(path string, err error) error {
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
