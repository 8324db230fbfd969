package command

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"syscall"

	"github.com/gram-machine/gram/limits"
)

// Reader reads a pipe or a terminal, which may block. It stops waiting when the context is
// done; what it reads after that is lost.
type Reader struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte
	rest []byte // of buf, not yet handed out
	done chan struct{}
	n    int // of the last read, which done tells of
	err  error
}

// NewReader returns a reader of r.
func NewReader(ctx context.Context, r io.Reader) *Reader {
	return &Reader{ctx: ctx, r: r, buf: make([]byte, 1<<16), done: make(chan struct{}, 1)}
}

// Read implements [io.Reader]. Its error may be that of the context.
func (p *Reader) Read(b []byte) (int, error) {
	if len(p.rest) > 0 {
		n := copy(b, p.rest)
		p.rest = p.rest[n:]
		return n, nil
	}
	if err := p.ctx.Err(); err != nil {
		return 0, err // a reader may still be waiting with buf
	}
	go func() {
		p.n, p.err = p.r.Read(p.buf)
		p.done <- struct{}{}
	}()
	select {
	case <-p.done:
		n := copy(b, p.buf[:p.n])
		p.rest = p.buf[n:p.n]
		return n, p.err
	case <-p.ctx.Done():
		return 0, p.ctx.Err()
	}
}

// specialFile is a file that is not regular: a pipe or a device.
type specialFile struct {
	*os.File
	*Reader
}

func (f specialFile) Read(b []byte) (int, error) { return f.Reader.Read(b) }

// Open opens a file. Neither opening nor reading it blocks after the context is done.
func Open(ctx context.Context, path string) (fs.File, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if info.Mode().IsRegular() || info.IsDir() {
		return os.Open(path)
	}
	var file *os.File
	done := make(chan struct{})
	go func() {
		file, err = os.Open(path) // of a named pipe: waits for a writer
		close(done)
	}()
	select {
	case <-done:
		if err != nil {
			return nil, err
		}
		return specialFile{file, NewReader(ctx, file)}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ProgramName returns the name of a program in messages, and the folder that its paths are relative to.
func ProgramName(path string) (name, dir string) {
	if path == "-" {
		return "standard input", ""
	}
	return path, filepath.Dir(path)
}

// About returns the comment at the beginning of a program, on one line.
func About(source []byte) string {
	var lines []string
	for line := range strings.Lines(string(source)) {
		text, comment := strings.CutPrefix(line, "--")
		if !comment {
			break
		}
		lines = append(lines, strings.TrimSpace(text))
	}
	return strings.Join(lines, " ")
}

// ReadProgram returns the text of the file at path, or of standard input if path is "-".
func (a *App) ReadProgram(ctx context.Context, path string, meter *limits.Meter) ([]byte, error) {
	src, err := readAll(ctx, a.Stdin, path, meter)
	if err != nil {
		name, _ := ProgramName(path)
		return nil, cmp.Or(LimitError(err, "reading "+name), FileError(name, err))
	}
	return src, nil
}

func readAll(ctx context.Context, stdin io.Reader, path string, meter *limits.Meter) ([]byte, error) {
	if err := meter.Reserve(0); err != nil {
		return nil, err // a bound below what the process starts with
	}
	r := io.Reader(NewReader(ctx, stdin))
	if path != "-" {
		f, err := Open(ctx, path)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		r = f
	}
	src := make([]byte, 0, 1<<16)
	for {
		if len(src) == cap(src) {
			if err := meter.Reserve(int64(2 * cap(src))); err != nil {
				return nil, err
			}
			src = append(make([]byte, 0, 2*cap(src)), src...)
		}
		if err := meter.Check(); err != nil {
			return nil, err
		}
		n, err := r.Read(src[len(src):cap(src)])
		src = src[:len(src)+n]
		if err == io.EOF {
			return src, nil
		}
		if err != nil {
			return nil, err
		}
	}
}

// OutFile is a file that is written whole or not at all: as a temporary file in the same folder, which is renamed at
// the end. A pipe or a device is written directly. A replaced file keeps its mode, and a link keeps its target.
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
	place := path
	for { // follow links; the target need not exist
		to, err := os.Readlink(place)
		if err != nil {
			break
		}
		if !filepath.IsAbs(to) {
			dir, _ := filepath.Split(place)
			to = dir + to // not cleaned: x/.. means something else if x is a link
		}
		place = to
	}
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
	if system, ok := errors.AsType[*fs.PathError](err); ok {
		err = system.Err
	} else if link, ok := errors.AsType[*os.LinkError](err); ok {
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

// Finish ends the answer and returns the error of the command. err, if not nil, has cut the answer short. What is on
// standard output already stays there. A closed pipe is not an error.
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
