// Package parquet reads and writes columns of numbers in Parquet files. Package gram does not import it. A program in
// which it is linked can load programs with data from such files:
//
//	import _ "github.com/gram-machine/gram/parquet"
//
// It reads pages of both versions, plain, with a dictionary, by bytes or by differences, uncompressed or compressed by
// snappy, gzip or zstd. The format: https://parquet.apache.org/docs/file-format.
package parquet

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

func init() { load.RegisterParquet(read) }

const magic = "PAR1"

// Read returns the numbers of columns, row by row; a missing value is NaN. Columns inside of groups have names with
// dots. look is called for every few thousand values, and reserve before memory for the numbers is allocated; Read
// returns their errors as they are.
func Read(in io.ReaderAt, size int64, columns []string, look func() error,
	reserve func(bytes int64) error) (_ []float64, err error) {
	defer syntax.Catch(&err)
	return read(in, size, columns, &syntax.Guard{Check: look, Reserve: reserve})
}

func read(in io.ReaderAt, size int64, columns []string, guard *syntax.Guard) ([]float64, error) {
	meta, err := footer(in, size)
	if err != nil {
		return nil, err
	}
	all := leaves(meta.field(metaSchema).list)
	chosen := make([]leaf, len(columns))
	for i, name := range columns {
		if chosen[i], err = find(all, name); err != nil {
			return nil, err
		}
	}
	rows, inGroups := meta.field(metaRows).n, int64(0)
	if rows < 0 || rows > math.MaxInt32*64/int64(len(columns)) {
		return nil, errors.New("the file has too many rows")
	}
	groups := meta.field(metaGroups).list
	for _, g := range groups {
		n := g.field(groupRows).n
		if inGroups += n; n < 0 || inGroups > rows {
			return nil, errors.New("the file is malformed: its groups have more rows than itself")
		}
	}
	if inGroups != rows {
		return nil, errors.New("the file is malformed: its groups have fewer rows than itself")
	}
	guard.Announce(8 * rows * int64(len(columns)))
	data := make([]float64, rows*int64(len(columns)))
	first := 0
	for _, g := range groups {
		n := int(g.field(groupRows).n)
		for i, l := range chosen {
			chunks := g.field(groupColumns).list
			if l.index >= len(chunks) {
				return nil, errors.New("the file is malformed: a group lacks columns")
			}
			c := &chunk{leaf: l, column: i, width: len(columns), first: first, guard: guard}
			to := data[first*len(columns):][:n*len(columns)]
			if err := c.read(in, size, chunks[l.index].field(chunkMeta), to); err != nil {
				return nil, err
			}
		}
		first += n
	}
	return data, nil
}

// footer returns the metadata of a file, which stand at its end, before their length.
func footer(in io.ReaderAt, size int64) (object, error) {
	var end [8]byte // the length, and the magic word
	n, _ := in.ReadAt(end[:], size-int64(len(end)))
	if n < len(end) || string(end[4:]) != magic {
		return object{}, errors.New("this is no Parquet file")
	}
	length := int64(binary.LittleEndian.Uint32(end[:]))
	if length > size-int64(len(end)) {
		return object{}, errors.New("the file is malformed: its metadata is longer than itself")
	}
	meta, err := decodeObject(bufio.NewReader(io.NewSectionReader(in, size-int64(len(end))-length, length)))
	if err != nil {
		return object{}, fmt.Errorf("the file is malformed: %w", err)
	}
	return meta, nil
}

// leaf is a column.
type leaf struct {
	name     string
	index    int // among the columns of a group of rows
	kind     int64
	unsigned bool
	numbers  bool
	levels   int64 // how many of the column and of the groups around it may be missing
}

// leaves returns the columns of a schema, which lists each group before what is in it.
func leaves(schema []object) []leaf {
	var out []leaf
	at := 0
	var walk func(path []string, levels int64, repeated bool)
	walk = func(path []string, levels int64, repeated bool) {
		if at >= len(schema) {
			return
		}
		e := schema[at]
		at++
		if at > 1 { // the first is the file itself
			path = append(path[:len(path):len(path)], string(e.field(elementName).bytes))
			switch e.field(elementRepetition).n {
			case optional:
				levels++
			case repeats:
				repeated = true
			}
		}
		children := e.field(elementChildren).n
		if children == 0 && at > 1 {
			l := leaf{name: strings.Join(path, "."), index: len(out), kind: e.field(elementType).n, levels: levels}
			l.numbers = !repeated && l.kind <= typeDouble && l.kind != typeInt96
			if logical, ok := e.fields[elementLogical]; ok {
				integer, ok := logical.fields[logicalInteger]
				l.numbers = l.numbers && ok
				l.unsigned = ok && integer.field(integerSigned).n == 0
			} else if converted, ok := e.fields[elementConverted]; ok {
				l.numbers = l.numbers && converted.n >= convertedUint8 && converted.n <= convertedInt64
				l.unsigned = converted.n < convertedInt8
			}
			out = append(out, l)
		}
		for range min(children, int64(len(schema))) {
			if len(path) < maxDepth {
				walk(path, levels, repeated)
			}
		}
	}
	walk(nil, 0, false)
	return out
}

// find returns the column with a name.
func find(all []leaf, name string) (leaf, error) {
	names := make([]string, len(all))
	for i, l := range all {
		if names[i] = l.name; l.name != name {
			continue
		}
		if !l.numbers {
			kind := "unknown"
			if l.kind >= 0 && l.kind < int64(len(kinds)) {
				kind = kinds[l.kind]
			}
			return leaf{}, fmt.Errorf("column %q is of the type %s, and not of numbers", name, kind)
		}
		return l, nil
	}
	return leaf{}, fmt.Errorf("there is no column %q; the columns are %s", name, strings.Join(names, ", "))
}

// number returns a value as a number. ok is false if no float64 equals it.
func (l *leaf) number(bits uint64) (x float64, ok bool) {
	switch {
	case l.kind == typeBoolean:
		return float64(bits), true
	case l.kind == typeFloat:
		return float64(math.Float32frombits(uint32(bits))), true
	case l.kind == typeDouble:
		return math.Float64frombits(bits), true
	case l.unsigned && l.kind == typeInt32:
		return float64(uint32(bits)), true
	case l.unsigned:
		x = float64(bits)
		return x, x < 1<<64 && uint64(x) == bits
	case l.kind == typeInt32:
		return float64(int32(bits)), true
	}
	x = float64(int64(bits))
	return x, x < 1<<63 && int64(x) == int64(bits)
}

// chunk is the part of a column in a group of rows.
type chunk struct {
	leaf
	column, width int // where its numbers stand in a row, and the length of one
	first         int // the row of the file with which the group begins
	guard         *syntax.Guard
	dictionary    []uint64
}

// batch is how many values are written between two looks.
const batch = 1 << 12

// read writes the numbers of the chunk to data, which has the rows of the group.
func (c *chunk) read(in io.ReaderAt, size int64, meta object, data []float64) error {
	fail := func(err error) error { return fmt.Errorf("column %q cannot be read: %w", c.name, err) }
	from, length := meta.field(columnData).n, meta.field(columnCompressed).n
	if d := meta.field(columnDictionary).n; d > 0 {
		from = min(from, d)
	}
	if from < 0 || length < 0 || from > size || length > size-from {
		return fail(errors.New("it is not inside of the file"))
	}
	r := bufio.NewReader(io.NewSectionReader(in, from, length))
	rows := len(data) / c.width
	for row := 0; row < rows; {
		bits, present, err := c.page(r, meta.field(columnCodec).n, rows-row)
		if err != nil {
			return fail(err)
		}
		for i := range present {
			if i%batch == 0 {
				c.guard.Look()
			}
			x, ok := math.NaN(), true
			if present[i] {
				if x, ok = c.number(bits[0]); !ok {
					return fmt.Errorf("column %q: row %d is an integer that no float64 equals", c.name, c.first+row)
				}
				bits = bits[1:]
			}
			data[row*c.width+c.column] = x
			row++
		}
	}
	return nil
}

// page reads a page of at most so many rows: which of its values are there, and the bits of these. A page with a
// dictionary has none.
func (c *chunk) page(r *bufio.Reader, codec int64, most int) (bits []uint64, present []bool, err error) {
	h, err := decodeObject(r)
	if err != nil {
		return nil, nil, err
	}
	whole, packed := h.field(pageSize).n, h.field(pagePacked).n
	if whole < 0 || packed < 0 {
		return nil, nil, errors.New("a page has a negative size")
	}
	body, err := readAll(r, packed)
	if err != nil {
		return nil, nil, err
	}
	var levels []byte
	head := h.field(pageData)
	values, encoding := head.field(dataValues).n, head.field(dataEncoding).n
	switch h.field(pageType).n {
	case pageDictionary:
		head = h.field(pageDictionaryHead)
		if body, err = decompress(codec, body, whole); err == nil {
			c.dictionary, err = c.plain(body, head.field(dataValues).n)
		}
		return nil, nil, err
	case pageIndex:
		return nil, nil, nil
	case pageDataV2:
		head = h.field(pageDataV2Head)
		values, encoding = head.field(dataValues).n, head.field(dataV2Encoding).n
		first, second := head.field(dataV2Repetition).n, head.field(dataV2Definition).n
		if first != 0 || second < 0 || second > int64(len(body)) {
			return nil, nil, errors.New("a page has wrong levels")
		}
		levels, body = body[:second], body[second:]
		if packed, ok := head.fields[dataV2IsPacked]; !ok || packed.n != 0 {
			body, err = decompress(codec, body, whole-second)
		}
	case pageDataV1:
		if body, err = decompress(codec, body, whole); err == nil && c.levels > 0 {
			levels, body, err = prefixed(body)
		}
	default:
		err = errors.New("a page has an unknown type")
	}
	if err != nil {
		return nil, nil, err
	}
	if values < 0 || values > int64(most) {
		return nil, nil, errors.New("a column has more values than rows")
	}
	present = slices.Repeat([]bool{true}, int(values))
	there := values
	if c.levels > 0 {
		n, err := hybrid(levels, width(c.levels), values)
		if err != nil {
			return nil, nil, err
		}
		there = 0
		for i := range present {
			if present[i] = n[i] == uint64(c.levels); present[i] {
				there++
			}
		}
	}
	bits, err = c.decode(body, encoding, there)
	return bits, present, err
}

// decode returns n values of a page.
func (c *chunk) decode(body []byte, encoding, n int64) ([]uint64, error) {
	switch encoding {
	case encodingPlain:
		return c.plain(body, n)
	case encodingPlainDictionary, encodingDictionary:
		if n == 0 {
			return nil, nil
		}
		if len(body) == 0 {
			return nil, io.ErrUnexpectedEOF
		}
		bits, err := hybrid(body[1:], int(body[0]), n)
		for i, at := range bits {
			if at >= uint64(len(c.dictionary)) {
				return nil, errors.New("a value is not in the dictionary")
			}
			bits[i] = c.dictionary[at]
		}
		return bits, err
	case encodingRuns:
		body, _, err := prefixed(body)
		if err != nil || c.kind != typeBoolean {
			return nil, errors.Join(err, errors.New("runs are of Boolean values"))
		}
		return hybrid(body, 1, n)
	case encodingDelta:
		return deltas(body, n)
	case encodingSplit:
		size := int64(sizes[c.kind])
		if size == 0 || int64(len(body)) < n*size {
			return nil, io.ErrUnexpectedEOF
		}
		bits := make([]uint64, n)
		for k := range size {
			for i, b := range body[k*n : (k+1)*n] {
				bits[i] |= uint64(b) << (8 * k)
			}
		}
		return bits, nil
	}
	return nil, fmt.Errorf("values are encoded in a way that is not read (%d)", encoding)
}

// plain returns n values that stand side by side.
func (c *chunk) plain(body []byte, n int64) ([]uint64, error) {
	size := int64(sizes[c.kind])
	if n < 0 || size > 0 && int64(len(body))/size < n || size == 0 && int64(len(body)) < (n+7)/8 {
		return nil, io.ErrUnexpectedEOF
	}
	bits := make([]uint64, n)
	for i := range bits {
		switch size {
		case 0: // Boolean
			bits[i] = uint64(body[i/8] >> (i % 8) & 1)
		case 4:
			bits[i] = uint64(binary.LittleEndian.Uint32(body[4*i:]))
		case 8:
			bits[i] = binary.LittleEndian.Uint64(body[8*i:])
		}
	}
	return bits, nil
}

// readAll reads n bytes. It allocates no more than there are.
func readAll(r io.Reader, n int64) ([]byte, error) {
	var b bytes.Buffer
	_, err := io.CopyN(&b, r, n)
	if err == io.EOF {
		err = io.ErrUnexpectedEOF
	}
	return b.Bytes(), err
}

// prefixed takes bytes with their length before them apart from what follows.
func prefixed(b []byte) (first, rest []byte, err error) {
	if len(b) < 4 || uint64(binary.LittleEndian.Uint32(b)) > uint64(len(b)-4) {
		return nil, nil, io.ErrUnexpectedEOF
	}
	n := binary.LittleEndian.Uint32(b)
	return b[4:][:n], b[4:][n:], nil
}
