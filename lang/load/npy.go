package load

import (
	"archive/zip"
	"bytes"
	"cmp"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/gram-machine/gram/lang/syntax"
)

// The format .npy is that of numpy.lib.format, versions 1 to 3: a header, which is a Python dictionary, and the
// numbers. It is read here because the readers of libraries take a file that is cut off for a whole one.

// npyHeader describes the array of a .npy file.
type npyHeader struct {
	kind    byte // f, i, u or b
	width   int  // of a number in bytes
	order   binary.ByteOrder
	fortran bool // the first index varies fastest
	dims    []int
	count   int   // of the numbers
	offset  int64 // where in the file they begin
}

var npyMagic = []byte("\x93NUMPY")

const maxNpyHeader = 1 << 16

func readNpyHeader(in io.Reader) (*npyHeader, error) {
	start := make([]byte, 12) // the last four are the size of the text, of which version 1 has two
	if _, err := io.ReadFull(in, start[:8]); err != nil || !bytes.HasPrefix(start, npyMagic) {
		return nil, cmpError(err, "this is no .npy file: it does not begin as one")
	}
	switch start[6] {
	case 1:
		start = start[:10]
	case 2, 3:
	default:
		return nil, fmt.Errorf("version %d of the format .npy is not known", start[6])
	}
	if _, err := io.ReadFull(in, start[8:]); err != nil {
		return nil, cutOff(err)
	}
	size := int(binary.LittleEndian.Uint32(append(start[8:len(start):len(start)], 0, 0)))
	if size > maxNpyHeader {
		return nil, errors.New("the header is too long")
	}
	text := make([]byte, size)
	if _, err := io.ReadFull(in, text); err != nil {
		return nil, cutOff(err)
	}
	h := &npyHeader{offset: int64(len(start) + size)}
	return h, h.parse(text)
}

func (h *npyHeader) parse(text []byte) error {
	find := func(form string) [][]byte { return regexp.MustCompile(form).FindSubmatch(text) }
	descr := find(`'descr':\s*'([<>=|]?)([fiub])([1248])'`)
	order, shape := find(`'fortran_order':\s*(True|False)`), find(`'shape':\s*\(([0-9L, ]*)\)`)
	if order == nil || shape == nil {
		return errors.New("the header is malformed")
	}
	if descr == nil {
		return errors.New("this is no array of numbers: it must be of float64, float32, integers or bool")
	}
	h.kind, h.width, h.fortran = descr[2][0], int(descr[3][0]-'0'), order[1][0] == 'T'
	if h.kind == 'f' && h.width < 4 || h.kind == 'b' && h.width != 1 {
		return fmt.Errorf("numbers of the type %s%s cannot be read", descr[2], descr[3])
	}
	h.order = binary.LittleEndian
	if string(descr[1]) == ">" {
		h.order = binary.BigEndian
	}
	h.count = 1
	for text := range strings.FieldsFuncSeq(string(shape[1]),
		func(r rune) bool { return r == ',' || r == ' ' || r == 'L' }) {
		n, err := strconv.Atoi(text)
		if err != nil || n > 0 && h.count > MaxWidth/n {
			return errors.New("the array is too large")
		}
		h.count *= n
		if h.dims = append(h.dims, n); len(h.dims) > maxBrackets {
			return errors.New("the array has too many dimensions")
		}
	}
	return nil
}

// number decodes a number. ok is false if there is no such float64.
func (h *npyHeader) number(b []byte) (x float64, ok bool) {
	var bits uint64
	switch h.width {
	case 1:
		bits = uint64(b[0])
	case 2:
		bits = uint64(h.order.Uint16(b))
	case 4:
		bits = uint64(h.order.Uint32(b))
	default:
		bits = h.order.Uint64(b)
	}
	switch {
	case h.kind == 'f' && h.width == 8:
		return math.Float64frombits(bits), true
	case h.kind == 'f':
		return float64(math.Float32frombits(uint32(bits))), true
	case h.kind == 'i':
		shift := 64 - 8*h.width
		n := int64(bits<<shift) >> shift
		x = float64(n)
		return x, x < 1<<63 && int64(x) == n
	}
	x = float64(bits)
	return x, x < 1<<64 && uint64(x) == bits
}

// index describes the position of the k-th number of the file.
func (h *npyHeader) index(k int) string {
	index := make([]string, len(h.dims))
	for i := range h.dims {
		if !h.fortran {
			i = len(h.dims) - 1 - i
		}
		index[i] = strconv.Itoa(k % h.dims[i])
		k /= h.dims[i]
	}
	return "[" + strings.Join(index, ", ") + "]"
}

// array reads an array; size is that of the file in bytes, 0 if it is not known. finite says that NaN and infinities
// are errors.
func (s *Source) array(in io.Reader, size int64, finite bool) (*content, error) {
	in = checkedReader{in, s.Guard}
	h, err := readNpyHeader(in)
	if err != nil {
		return nil, err
	}
	if whole := h.offset + int64(h.count)*int64(h.width); size > 0 && size != whole {
		return nil, fmt.Errorf("an array %v of %d numbers needs %d bytes, but the file has %d", h.dims, h.count, whole, size)
	}
	s.Announce(8 * int64(h.count))
	c := &content{layout: dimsLayout(h.dims), Value: Value{Data: make([]float64, h.count)}}
	if err := h.read(in, c.Data, 0, finite, h.places()); err != nil {
		return nil, err
	}
	if n, err := in.Read(make([]byte, 1)); n > 0 || err != nil && err != io.EOF {
		return nil, cmpError(err, "there is more behind the array")
	}
	return c, nil
}

// read reads len(dst) numbers, of which the first is the k-th of the file, and puts number k + i at place(i). finite
// says that NaN and infinities are errors.
func (h *npyHeader) read(in io.Reader, dst []float64, k int, finite bool, place func(i int) int) error {
	text := make([]byte, min(len(dst), 1<<16/h.width)*h.width)
	for i := 0; i < len(dst); {
		some := text[:min(len(text), (len(dst)-i)*h.width)]
		if _, err := io.ReadFull(in, some); err != nil {
			return cutOff(err)
		}
		for ; len(some) > 0; some = some[h.width:] {
			x, ok := h.number(some)
			if !ok {
				return fmt.Errorf("element %s is an integer that no float64 equals", h.index(k+i))
			}
			if finite && x-x != 0 {
				return fmt.Errorf("element %s is %v", h.index(k+i), x)
			}
			dst[place(i)] = x
			i++
		}
	}
	return nil
}

// streamed returns the content of a .npy file without its numbers, which its chunk reads, where they would take more
// than half of the memory that is left; nil if they don't, or are not in row-major order.
func (o *opened) streamed() (*content, error) {
	at, s, f := o.random(), o.s, o.File
	if at == nil || s.Reserve == nil {
		return nil, nil
	}
	h, err := readNpyHeader(io.NewSectionReader(at, 0, o.size))
	if err != nil || h.fortran || h.offset+int64(h.count)*int64(h.width) != o.size ||
		s.Reserve(16*int64(h.count)) == nil {
		return nil, err
	}
	each := 1 // numbers of an element
	for _, n := range h.dims[min(1, len(h.dims)):] {
		each *= n
	}
	read := func(dst []float64, from int, look func() error) (err error) {
		defer syntax.Catch(&err)
		wrong := s.with(f, func(o *opened) error {
			k, at := from*each, o.random()
			if at == nil {
				err = errors.New("the file has changed")
				return err
			}
			in := io.NewSectionReader(at, h.offset+int64(k)*int64(h.width), int64(len(dst))*int64(h.width))
			err = h.read(checkedReader{in, &syntax.Guard{Check: look}}, dst, k, true, h.places())
			return err
		})
		if wrong != nil && err == nil {
			err = errors.New(wrong.msg)
		}
		return err
	}
	return &content{layout: dimsLayout(h.dims), Value: Value{Chunk: read}}, nil
}

// places returns where in row-major order the k-th number of the file stands, for k = 0, 1, ….
func (h *npyHeader) places() func(k int) int {
	if !h.fortran || len(h.dims) < 2 {
		return func(k int) int { return k }
	}
	index, strides := make([]int, len(h.dims)), make([]int, len(h.dims))
	stride := 1
	for i, n := range slices.Backward(h.dims) {
		strides[i] = stride
		stride *= n
	}
	next := 0
	return func(int) int {
		at := next
		for i, n := range h.dims {
			index[i]++
			next += strides[i]
			if index[i] < n {
				break
			}
			next -= n * strides[i]
			index[i] = 0
		}
		return at
	}
}

// cutOff describes the end of a file where there should be more.
func cutOff(err error) error { return cmpError(err, "the file is cut off") }

// cmpError returns err, if it is an error of reading, and otherwise one with the text.
func cmpError(err error, text string) error {
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return err
	}
	return errors.New(text)
}

func (o *opened) npy() (c *content, err error) {
	if o.stream {
		c, err = o.streamed()
	}
	if c == nil && err == nil {
		c, err = o.s.array(o.in, o.size, true)
	}
	return c, err
}

func (o *opened) npz() (c *content, err error) {
	want := o.parts[0].name
	var names []string
	err = o.arrays(func(name string, read func(finite bool) (*content, error)) (err error) {
		if names = append(names, name); name == want {
			c, err = read(true)
		}
		return err
	})
	if err == nil && c == nil {
		err = o.wrong(0, fmt.Errorf("there is no array %q%s", want,
			cmp.Or(meant(want, names), "; the arrays are "+short(strings.Join(names, ", ")))))
	}
	return c, err
}

// arrays calls each with the names of the arrays of a .npz file, and what reads the array.
func (o *opened) arrays(each func(name string, read func(finite bool) (*content, error)) error) error {
	at := o.random()
	if at == nil {
		return errors.New("this is no .npz file")
	}
	archive, err := zip.NewReader(at, o.size)
	if err != nil {
		return errors.New("this is no .npz file: it is no zip archive")
	}
	for _, entry := range archive.File {
		name := strings.TrimSuffix(entry.Name, ".npy")
		err := each(name, func(finite bool) (c *content, err error) {
			r, err := entry.Open()
			if err == nil {
				defer r.Close()
				c, err = o.s.array(r, int64(entry.UncompressedSize64), finite)
			}
			if err != nil {
				return nil, fmt.Errorf("array %s: %w", name, err)
			}
			return c, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}
