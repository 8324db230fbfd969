package command

import (
	"cmp"
	"context"
	"io"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/gram-machine/gram/limits"
)

// Reader reads a pipe or a terminal, which may block. It stops waiting when the context is
// done; what it reads after that is lost.
type Reader struct {
	ctx  context.Context
	r    io.Reader
	buf  []byte
	rest []byte // of buf, not yet handed out
	done chan readResult
}

type readResult struct {
	n   int
	err error
}

// NewReader returns a reader of r.
func NewReader(ctx context.Context, r io.Reader) *Reader {
	return &Reader{ctx: ctx, r: r, buf: make([]byte, 1<<16), done: make(chan readResult, 1)}
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
		n, err := p.r.Read(p.buf)
		p.done <- readResult{n, err}
	}()
	select {
	case got := <-p.done:
		n := copy(b, p.buf[:got.n])
		p.rest = p.buf[n:got.n]
		return n, got.err
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
	type opened struct {
		file *os.File
		err  error
	}
	done := make(chan opened, 1)
	go func() {
		f, err := os.Open(path) // of a named pipe: waits for a writer
		done <- opened{f, err}
	}()
	select {
	case got := <-done:
		if got.err != nil {
			return nil, got.err
		}
		return specialFile{got.file, NewReader(ctx, got.file)}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// ProgramName returns the name of a program in messages, and the folder that its paths are
// relative to.
func ProgramName(path string) (name, dir string) {
	if path == "-" {
		return "standard input", ""
	}
	return path, filepath.Dir(path)
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
