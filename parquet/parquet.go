// Package parquet reads and writes columns of numbers in Parquet files. It links nine modules, so package gram does not import
// it. A program in which it is linked can load programs with data from such files:
//
//	import _ "github.com/gram-machine/gram/parquet"
package parquet

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"iter"
	"math"
	"strings"

	"github.com/parquet-go/parquet-go"
	"github.com/parquet-go/parquet-go/format"

	"github.com/gram-machine/gram/lang/load"
)

func init() { load.RegisterParquet(Read) }

// batch is how many values are decoded at once.
const batch = 1 << 12

// Read returns the numbers of columns, row by row; a missing value is NaN. Columns inside of groups have names with dots. look is
// called for every few thousand values, and reserve before memory for the numbers is allocated; Read returns their errors as they are.
func Read(in io.ReaderAt, size int64, columns []string, look func() error, reserve func(bytes int64) error) (data []float64, err error) {
	defer func() {
		if fault := recover(); fault != nil { // of the decoder, on a malformed file
			data, err = nil, fmt.Errorf("the file is malformed: %v", fault)
		}
	}()
	if err := checkFooter(in, size); err != nil {
		return nil, err
	}
	f, err := parquet.OpenFile(in, size, parquet.SkipPageIndex(true), parquet.SkipBloomFilters(true))
	if err != nil {
		return nil, fmt.Errorf("this is no Parquet file: %w", err)
	}
	leaves := make([]leaf, len(columns))
	for i, name := range columns {
		if leaves[i], err = find(f.Schema(), name); err != nil {
			return nil, err
		}
	}
	rows := f.NumRows()
	if rows < 0 || rows > math.MaxInt32*64/int64(len(columns)) {
		return nil, errors.New("the file has too many rows")
	}
	if err := reserve(8 * rows * int64(len(columns))); err != nil {
		return nil, err
	}
	data = make([]float64, rows*int64(len(columns)))
	first := 0
	for _, group := range f.RowGroups() {
		n := int(group.NumRows())
		if n < 0 || (first+n)*len(columns) > len(data) {
			return nil, errors.New("the file is malformed: its groups have more rows than itself")
		}
		for i := range leaves {
			c := &chunk{leaf: &leaves[i], column: i, width: len(columns), first: first, look: look}
			if err := c.read(group.ColumnChunks()[leaves[i].ColumnIndex], data[first*len(columns):][:n*len(columns)]); err != nil {
				return nil, err
			}
		}
		first += n
	}
	if first*len(columns) != len(data) {
		return nil, errors.New("the file is malformed: its groups have fewer rows than itself")
	}
	return data, nil
}

// checkFooter fails if a file ends with a length of its metadata that it cannot have: parquet.OpenFile allocates that length, up to 4 GiB.
func checkFooter(in io.ReaderAt, size int64) error {
	var end [8]byte // the length, and PAR1
	n, _ := in.ReadAt(end[:], size-int64(len(end)))
	if n == len(end) && string(end[4:]) == "PAR1" && int64(binary.LittleEndian.Uint32(end[:])) > size {
		return errors.New("the file is malformed: its metadata is longer than itself")
	}
	return nil
}

// leaf is a column of numbers.
type leaf struct {
	parquet.LeafColumn
	name     string
	unsigned bool
}

// find returns the column with a name.
func find(s *parquet.Schema, name string) (leaf, error) {
	c, ok := s.Lookup(name)
	if !ok {
		c, ok = s.Lookup(strings.Split(name, ".")...)
	}
	if !ok {
		var names []string
		for _, path := range s.Columns() {
			names = append(names, strings.Join(path, "."))
		}
		return leaf{}, fmt.Errorf("there is no column %q; the columns are %s", name, strings.Join(names, ", "))
	}
	t := c.Node.Type()
	numbers := !(c.MaxRepetitionLevel > 0)
	switch t.Kind() {
	case parquet.Boolean, parquet.Int32, parquet.Int64, parquet.Float, parquet.Double:
	default:
		numbers = false
	}
	l := leaf{LeafColumn: c, name: name}
	if logical := t.LogicalType(); logical != nil && logical.Value != nil {
		integer, ok := logical.Value.(*format.IntType)
		if numbers = numbers && ok; ok {
			l.unsigned = !integer.IsSigned
		}
	}
	if !numbers {
		return leaf{}, fmt.Errorf("column %q is of the type %v, and not of numbers", name, c.Node)
	}
	return l, nil
}

// number returns a value as a number, NaN for one that is missing. ok is false if no float64 equals it.
func (l *leaf) number(v parquet.Value) (x float64, ok bool) {
	switch {
	case v.IsNull():
		return math.NaN(), true
	case v.Kind() == parquet.Boolean:
		if v.Boolean() {
			x = 1
		}
		return x, true
	case v.Kind() == parquet.Float:
		return float64(v.Float()), true
	case v.Kind() == parquet.Double:
		return v.Double(), true
	case l.unsigned && v.Kind() == parquet.Int32:
		return float64(v.Uint32()), true
	case l.unsigned:
		x = float64(v.Uint64())
		return x, x < 1<<64 && uint64(x) == v.Uint64()
	case v.Kind() == parquet.Int32:
		return float64(v.Int32()), true
	}
	x = float64(v.Int64())
	return x, x < 1<<63 && int64(x) == v.Int64()
}

// chunk is the part of a column in a group of rows.
type chunk struct {
	*leaf
	column, width int // where its numbers stand in a row, and the length of one
	first         int // the row of the file with which the group begins
	look          func() error
}

// read writes the numbers of the chunk to data, which has the rows of the group.
func (c *chunk) read(from parquet.ColumnChunk, data []float64) error {
	pages := from.Pages()
	defer pages.Close()
	buf := make([]parquet.Value, batch)
	row, rows := 0, len(data)/c.width
	for {
		page, err := pages.ReadPage()
		if err == io.EOF {
			break
		}
		if err != nil {
			return fmt.Errorf("column %q: %w", c.name, err)
		}
		values := page.Values()
		for err = nil; err == nil; {
			if err := c.look(); err != nil {
				return err
			}
			var n int
			n, err = values.ReadValues(buf)
			if err != nil && err != io.EOF || n > rows-row {
				return fmt.Errorf("column %q: the file is malformed: %v", c.name, err)
			}
			for _, v := range buf[:n] {
				x, ok := c.number(v)
				if !ok {
					return fmt.Errorf("column %q: row %d is an integer that no float64 equals", c.name, c.first+row)
				}
				data[row*c.width+c.column] = x
				row++
			}
		}
		parquet.Release(page)
	}
	if row != rows {
		return fmt.Errorf("column %q: the file is malformed: of %d rows it has %d", c.name, rows, row)
	}
	return nil
}

// cell is a row of what [Write] writes.
type cell struct {
	Name  string  `parquet:"name"`
	Value float64 `parquet:"value"`
}

// Write writes numbers with their names to a file with the columns name and value.
func Write(out io.Writer, cells iter.Seq2[string, float64]) error {
	w := parquet.NewGenericWriter[cell](out)
	rows := make([]cell, 0, batch)
	for name, x := range cells {
		if rows = append(rows, cell{name, x}); len(rows) == batch {
			if _, err := w.Write(rows); err != nil {
				return err
			}
			rows = rows[:0]
		}
	}
	if _, err := w.Write(rows); err != nil {
		return err
	}
	return w.Close()
}
