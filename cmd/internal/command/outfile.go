package command

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"syscall"
)

// OutFile is a file that is written whole or not at all: as a temporary file in the same folder,
// which is renamed at the end. A pipe or a device is written directly. A replaced file keeps its mode,
// and a link keeps its target.
type OutFile struct {
	*os.File
	Path  string // as it was given
	place string // the name to rename it to; "" if it is written directly or has been kept
}

// CreateFile opens a file to be written.
func CreateFile(path string) (*OutFile, error) {
	f, err := create(path)
	if err != nil {
		return nil, WriteError(path, err)
	}
	return f, nil
}

func create(path string) (*OutFile, error) {
	mode := fs.FileMode(0o666) // the umask applies
	info, err := os.Stat(path)
	switch {
	case err == nil:
		// A file that may not be written may not be replaced.
		f, err := os.OpenFile(path, os.O_WRONLY, 0)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() {
			return &OutFile{File: f, Path: path}, nil
		}
		if err := f.Close(); err != nil {
			return nil, err
		}
		mode = info.Mode().Perm()
	case !errors.Is(err, fs.ErrNotExist):
		return nil, err
	}
	place := linkTarget(path)
	f, err := createBeside(place, mode)
	if err != nil {
		return nil, err
	}
	out := &OutFile{f, path, place}
	if info != nil {
		if err := f.Chmod(mode); err != nil {
			out.Discard()
			return nil, err
		}
	}
	return out, nil
}

// linkTarget follows the links at path. The target need not exist.
func linkTarget(path string) string {
	for {
		to, err := os.Readlink(path)
		if err != nil {
			return path
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(path)
			to = dir + to // not cleaned: x/.. means something else if x is a link
		}
		path = to
	}
}

// IsPending reports whether the file is temporary and still to be renamed.
func (f *OutFile) IsPending() bool { return f.place != "" }

// Keep closes the file and gives it its name.
func (f *OutFile) Keep() error {
	err := f.Close()
	if err == nil && f.IsPending() {
		pending.Lock()
		defer pending.Unlock()
		if err = os.Rename(f.Name(), f.place); err == nil {
			delete(pending.names, f.Name())
			f.place = ""
		}
	}
	return WriteError(f.Path, err)
}

// Finish writes text to the file, and keeps it.
func (f *OutFile) Finish(text []byte) error {
	if _, err := f.Write(text); err != nil {
		return WriteError(f.Path, err)
	}
	return f.Keep()
}

// Discard closes the file, and removes it unless it has been kept.
func (f *OutFile) Discard() {
	f.Close()
	if f.IsPending() {
		pending.Lock()
		defer pending.Unlock()
		delete(pending.names, f.Name())
		os.Remove(f.Name())
		f.place = ""
	}
}

// pending holds the temporary files of this process.
var pending = struct {
	sync.Mutex
	names map[string]bool
}{names: map[string]bool{}}

// createBeside makes a temporary file in the folder of path.
func createBeside(path string, mode fs.FileMode) (*os.File, error) {
	pending.Lock()
	defer pending.Unlock()
	dir, base := filepath.Split(path)
	for {
		f, err := os.OpenFile(fmt.Sprintf("%s.%s.%08x", dir, base, rand.Uint32()), os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
		if err == nil {
			pending.names[f.Name()] = true
		}
		if !errors.Is(err, fs.ErrExist) {
			return f, err
		}
	}
}

// Exit removes the temporary files that were not kept and ends the process. No more files are made.
func Exit(status int) {
	pending.Lock()
	for name := range pending.names {
		os.Remove(name)
	}
	os.Exit(status)
}

// WriteError describes an error of writing a file, or the result. It returns nil for no error and for a closed pipe.
func WriteError(what string, err error) error {
	if err == nil || ReaderGone(err) {
		return nil
	}
	var system *fs.PathError
	var link *os.LinkError
	switch {
	case errors.As(err, &system):
		err = system.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return fmt.Errorf("cannot write %s: %w", what, err)
}

// ReaderGone reports whether an error says that a pipe has been closed by its reader.
func ReaderGone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

// WriteFile writes a file whole or not at all.
func WriteFile(path string, text []byte) error {
	f, err := CreateFile(path)
	if err != nil {
		return err
	}
	defer f.Discard()
	return f.Finish(text)
}

// Stream receives a long answer while it is computed. It is standard output, or a file that
// is written whole or not at all.
type Stream struct {
	*bufio.Writer
	file *OutFile // nil for standard output
}

// NewStream opens the file at path, or if path is "" writes to stdout.
func NewStream(path string, stdout io.Writer) (*Stream, error) {
	const size = 1 << 16
	if path == "" {
		return &Stream{Writer: bufio.NewWriterSize(stdout, size)}, nil
	}
	f, err := CreateFile(path)
	if err != nil {
		return nil, err
	}
	return &Stream{bufio.NewWriterSize(f, size), f}, nil
}

// Finish ends the answer and returns the error of the command. err, if not nil, has cut
// the answer short. What is on standard output already stays there. A closed pipe is not
// an error.
func (s *Stream) Finish(err error) error {
	failed := s.Flush()
	if s.file != nil {
		defer s.file.Discard()
		switch {
		case failed != nil:
			return WriteError(s.file.Path, failed)
		case err != nil:
			return err
		}
		return s.file.Keep()
	}
	if failed == nil {
		return err
	}
	return WriteError("the result", failed)
}
