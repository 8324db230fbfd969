package explore

import (
	"bytes"
	"context"
	"io"
	"io/fs"
	"sync"
)

// onceFiles are files that can be read only once, such as pipes, by path. The text of a file
// that has been read to its end is kept for later runs.
type onceFiles struct {
	mu   sync.Mutex
	kept map[string]keptFile
}

// keptFile is a file that has been read.
type keptFile struct {
	info fs.FileInfo
	text []byte
}

// open opens the file at path, or the text that is kept of it.
func (o *onceFiles) open(ctx context.Context, path string,
	open func(context.Context, string) (fs.File, error)) (fs.File, error) {
	o.mu.Lock()
	k, ok := o.kept[path]
	o.mu.Unlock()
	if ok {
		return &keptReader{bytes.NewReader(k.text), k.info}, nil
	}
	file, err := open(ctx, path)
	if err != nil {
		return nil, err
	}
	info, err := file.Stat()
	if err != nil || info.Mode().IsRegular() {
		return file, nil // reading it returns the error
	}
	return &onceReader{File: file, keep: func(text []byte) {
		o.mu.Lock()
		defer o.mu.Unlock()
		if o.kept == nil {
			o.kept = map[string]keptFile{}
		}
		o.kept[path] = keptFile{info, text}
	}}, nil
}

// onceReader keeps the text of a file once it has been read to its end.
type onceReader struct {
	fs.File
	text []byte
	keep func(text []byte)
}

func (r *onceReader) Read(b []byte) (int, error) {
	n, err := r.File.Read(b)
	r.text = append(r.text, b[:n]...)
	if err == io.EOF {
		r.keep(r.text)
	}
	return n, err
}

// keptReader reads the kept text of a file.
type keptReader struct {
	*bytes.Reader
	info fs.FileInfo
}

func (r *keptReader) Stat() (fs.FileInfo, error) { return r.info, nil }
func (r *keptReader) Close() error               { return nil }
