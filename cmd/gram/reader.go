package main

import (
	"context"
	"io"
	"io/fs"
	"os"
)

// reader reads a pipe or a terminal, which may block. It stops waiting when the context is
// done; what it reads after that is lost.
type reader struct {
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

func newReader(ctx context.Context, r io.Reader) *reader {
	return &reader{ctx: ctx, r: r, buf: make([]byte, 1<<16), done: make(chan readResult, 1)}
}

// Read implements [io.Reader]. Its error may be that of the context.
func (p *reader) Read(b []byte) (int, error) {
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
	*reader
}

func (f specialFile) Read(b []byte) (int, error) { return f.reader.Read(b) }

// open opens a file. Neither opening nor reading it blocks after the context is done.
func open(ctx context.Context, path string) (fs.File, error) {
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
		return specialFile{got.file, newReader(ctx, got.file)}, nil
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}
