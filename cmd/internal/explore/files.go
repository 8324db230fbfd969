package explore

import (
	"bytes"
	"context"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"syscall"

	"github.com/gram-machine/gram/examples"
	"github.com/gram-machine/gram/lang/load"
)

var (
	errOutside = errors.New("a program of the explorer may read the files in the folder of its FILE, and those that " +
		"FILE names; this is neither")
	errNoFile = errors.New("this is no regular file")
)

// files are the files that programs may read. The program of the command line may read all files. A program that the
// page sends may read those in its folder, and those that the first program or the command line has named.
type files struct {
	dir   string            // the folder, absolute
	root  *os.Root          // nil if the folder cannot be opened
	named map[string]string // paths as they were named, by absolute path
	open  func(ctx context.Context, path string) (fs.File, error)
	once  onceFiles
}

// newFiles returns the files of a program in the folder dir, those that sets names, and the file inputs, unless that is
// "".
func newFiles(dir string, sets []string, inputs string, open func(context.Context, string) (fs.File, error)) (*files,
	error) {
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	f := &files{dir: abs, named: map[string]string{}, open: open}
	f.root, _ = os.OpenRoot(abs)
	if inputs != "" {
		f.name(inputs)
	}
	for _, text := range sets {
		set, err := load.ParseSet(text)
		if err != nil {
			return nil, err
		}
		if path := set.Path(); path != "" {
			f.name(path)
		}
	}
	return f, nil
}

func (f *files) name(path string) {
	if abs, err := filepath.Abs(path); err == nil {
		f.named[abs] = path
	}
}

func (f *files) close() {
	if f.root != nil {
		f.root.Close()
	}
}

// first opens the files of the program of the command line, and remembers them.
func (f *files) first(ctx context.Context) func(string) (fs.File, error) {
	return func(path string) (fs.File, error) {
		f.name(path)
		return f.once.open(ctx, path, f.open)
	}
}

// later opens the files of a program that the page sends. [os.Root] keeps links from leading
// out of the folder. Pipes are refused, since they could block the reader.
func (f *files) later(ctx context.Context) func(string) (fs.File, error) {
	return func(path string) (fs.File, error) {
		abs, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		if name, ok := f.named[abs]; ok { // x/../y may be another file than y
			return f.once.open(ctx, name, f.open)
		}
		inside, err := filepath.Rel(f.dir, abs)
		if err != nil || !filepath.IsLocal(inside) || f.root == nil {
			return nil, errOutside
		}
		info, err := f.root.Stat(inside)
		if errors.Is(err, fs.ErrNotExist) { // it may be one that an example of the gallery reads
			if file, err := examples.Files.Open(filepath.Base(inside)); err == nil {
				return file, nil
			}
		}
		if err != nil {
			return nil, worded(err)
		}
		if !info.Mode().IsRegular() && !info.IsDir() {
			return nil, errNoFile
		}
		file, err := f.root.Open(inside)
		if err != nil {
			return nil, worded(err)
		}
		return file, nil
	}
}

// worded returns errOutside for the error of [os.Root] about a link that leads outside, which
// is no error of the system, and err otherwise.
func worded(err error) error {
	if _, ok := errors.AsType[syscall.Errno](err); ok {
		return err
	}
	return errOutside
}

// onceFiles are files that can be read only once, such as pipes, by path. The text of a file
// that has been read to its end is kept for later runs.
type onceFiles struct {
	mu   sync.Mutex
	kept map[string]keptReader // of texts that have not been read again
}

// open opens the file at path, or the text that is kept of it.
func (o *onceFiles) open(ctx context.Context, path string,
	open func(context.Context, string) (fs.File, error)) (fs.File, error) {
	o.mu.Lock()
	k, ok := o.kept[path]
	o.mu.Unlock()
	if ok {
		k.Buffer = bytes.NewBuffer(k.Bytes())
		return k, nil
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
			o.kept = map[string]keptReader{}
		}
		o.kept[path] = keptReader{bytes.NewBuffer(text), info}
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
	*bytes.Buffer
	info fs.FileInfo
}

func (r keptReader) Stat() (fs.FileInfo, error) { return r.info, nil }
func (r keptReader) Close() error               { return nil }
