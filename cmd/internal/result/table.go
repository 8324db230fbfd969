package result

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"slices"
	"strconv"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/load"
)

// Table is a list or a vector as a table: a row for each element, and a column for each number in it.
type Table struct {
	Shape  *gram.Shape
	Values []float64
	Names  []string // of the columns; nil: value, or value.0, value.1, …
	// Beside are columns that stand before them, a row for each element, with their names; nil: there are none.
	Header []string
	Beside [][]string
}

// IsTable reports whether values of a shape are tables.
func IsTable(s *gram.Shape) bool {
	return s != nil && (s.Kind == load.List || s.Kind == load.Vector) && !s.A.Tagged() && s.A.Kind != load.List
}

// WriteCSV writes the table. It is an error if the names are not as many as the columns, or what stands beside has not
// as many rows.
func (t *Table) WriteCSV(out *bytes.Buffer) error {
	width := t.Shape.A.Width()
	names := slices.Clone(t.Names)
	switch {
	case names == nil && width == 1:
		names = []string{"value"}
	case names == nil:
		for i := range width {
			names = append(names, "value."+strconv.Itoa(i))
		}
	case len(names) != width:
		return fmt.Errorf("the elements of the value are %v: there are %d columns, and --names has %d", t.Shape.A,
			width, len(names))
	}
	rows := len(t.Values) / width
	if t.Beside != nil && len(t.Beside) != rows {
		return fmt.Errorf("the value has %d elements, and the data of --beside %d rows", rows, len(t.Beside))
	}
	w := csv.NewWriter(out)
	_ = w.Write(slices.Concat(t.Header, names)) // a buffer has no errors
	for i := range rows {
		var cells []string
		if t.Beside != nil {
			cells = t.Beside[i]
		}
		for _, x := range t.Values[i*width : (i+1)*width] {
			cells = append(cells, string(load.AppendNumber(nil, x)))
		}
		_ = w.Write(cells)
	}
	w.Flush()
	return nil
}
