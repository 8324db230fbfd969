package load

import (
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/gram-machine/gram/lang/syntax"
)

// ColumnsReader returns the numbers of columns of a file with size bytes, row by row, and NaN for missing ones.
type ColumnsReader func(in io.ReaderAt, size int64, columns []string, guard *syntax.Guard) ([]float64, error)

// parquetReader reads Parquet files; nil if none has been registered.
var parquetReader ColumnsReader

// RegisterParquet sets what reads Parquet files. Package github.com/gram-machine/gram/parquet calls it when it is
// initialised, so that programs which don't read such files link none of the modules that this takes.
func RegisterParquet(read ColumnsReader) { parquetReader = read }

// parquet reads columns of a Parquet file.
func (o *opened) parquet() (*content, error) {
	f := o.File
	if parquetReader == nil {
		return nil, errors.New("this program reads no Parquet files: it would have to import " +
			"github.com/gram-machine/gram/parquet")
	}
	at := o.random()
	if at == nil {
		return nil, errors.New("this is no Parquet file")
	}
	columns := make([]string, len(f.parts))
	for i, p := range f.parts {
		columns[i] = p.name
	}
	data, err := parquetReader(at, o.size, columns, o.s.Guard)
	if err != nil {
		return nil, err
	}
	c := &content{width: len(columns), Value: Value{Data: data, File: f}}
	if part, err := c.complete(f); err != nil {
		return nil, f.wrong(part, err)
	}
	return c, nil
}

// complete applies what f says of missing values, which are NaN, to rows of numbers. The error is in a part of f.
func (c *content) complete(f *File) (part int, err error) {
	kept := 0
rows:
	for start := 0; start < len(c.Data); start += c.width {
		row := c.Data[start : start+c.width]
		for i, x := range row {
			switch {
			case math.IsInf(x, 0):
				return i, fmt.Errorf("column %v: row %d is %v", &f.parts[i], start/c.width, x)
			case !math.IsNaN(x):
			case f.skip:
				c.Rows = start/c.width - c.Skipped
				c.skip()
				continue rows
			case math.IsNaN(f.fill):
				return i, fmt.Errorf("column %v: row %d is missing or NaN; skip or fill 0 behind the columns says "+
					"what is done with missing values", &f.parts[i], start/c.width)
			default:
				row[i] = f.fill
			}
		}
		kept += copy(c.Data[kept:], row)
	}
	c.Data = c.Data[:kept]
	c.Rows = kept / c.width
	return 0, nil
}
