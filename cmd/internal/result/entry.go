package result

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/lang/load"
)

// entry is a labelled part of a value, for people. Its text may have several lines.
type entry struct{ label, text string }

// shownWhole is the most rows and columns that are shown. Of more, the first
// shownWhole-2 are shown, then an ellipsis, then the last one.
const shownWhole = 8

const ellipsis = "…"

// entries prints a value of shape s. A number, a vector or a matrix is one entry. A
// product with vectors in it, or an array of more than two dimensions, has an entry for
// each component.
func entries(label string, s *gram.Shape, values []float64) []entry {
	switch dims, leaf := dimensions(s); {
	case leaf.Kind != load.Real && len(dims) == 0:
		return tuple(label, s, values)
	case leaf.Kind != load.Real || len(dims) > 2:
		return components(label, s, values)
	case len(dims) == 2:
		return []entry{{label, matrix(s, dims[0], dims[1], values)}}
	case len(dims) == 1:
		return []entry{{label, vector(s, values)}}
	}
	return []entry{{label, string(load.AppendNumber(nil, values[0]))}}
}

// dimensions returns the sizes of the vectors around a shape, and the shape inside them.
func dimensions(s *gram.Shape) (dims []int, leaf *gram.Shape) {
	for ; s.Kind == load.Vector; s = s.A {
		dims = append(dims, s.Size)
	}
	return dims, s
}

// tuple prints a product, on one line if all its components are numbers.
func tuple(label string, s *gram.Shape, values []float64) []entry {
	if allReal(s) {
		return []entry{{label, string(load.Language.Append(nil, &load.Flat{Values: values}, s))}}
	}
	var out []entry
	for i, part := range factors(s) {
		w := part.Width()
		out = append(out, entries(label+", "+strconv.Itoa(i+1), part, values[:w])...)
		values = values[w:]
	}
	return out
}

func allReal(s *gram.Shape) bool {
	if s.Kind == load.Product {
		return allReal(s.A) && allReal(s.B)
	}
	return s.Kind == load.Real
}

// components prints the elements of a vector, each as one entry or more.
func components(label string, s *gram.Shape, values []float64) []entry {
	var out []entry
	for _, i := range places(s.Size) {
		if i < 0 {
			out = append(out, entry{label + ".(" + ellipsis + ")", summary(s, values)})
			continue
		}
		w := s.A.Width()
		out = append(out, entries(fmt.Sprintf("%s.(%d)", label, i), s.A, values[i*w:(i+1)*w])...)
	}
	return out
}

// places returns the indices that are shown out of n; -1 stands for those left out.
func places(n int) []int {
	var out []int
	for i := range n {
		switch {
		case n <= shownWhole || i < shownWhole-2 || i == n-1:
			out = append(out, i)
		case i == n-2:
			out = append(out, -1)
		}
	}
	return out
}

// vector prints a vector on one line.
func vector(s *gram.Shape, values []float64) string {
	var cells []string
	for _, i := range places(len(values)) {
		cells = append(cells, cell(values, i))
	}
	line := "[| " + strings.Join(cells, ", ") + " |]"
	if len(values) > shownWhole {
		line += "  " + summary(s, values)
	}
	return line
}

// matrix prints a matrix, one row a line.
func matrix(s *gram.Shape, rows, columns int, values []float64) string {
	var grid [][]string
	for _, i := range places(rows) {
		var line []string
		for _, j := range places(columns) {
			text := ellipsis
			if i >= 0 && j >= 0 {
				text = cell(values[i*columns:(i+1)*columns], j)
			}
			line = append(line, text)
		}
		grid = append(grid, line)
	}
	lines := inColumns(grid, 0)
	if rows > shownWhole || columns > shownWhole {
		lines = slices.Insert(lines, 0, summary(s, values))
	}
	return strings.Join(lines, "\n")
}

// inColumns returns lines of cells that stand below each other: those of the first columns, so many, to the left, the
// others to the right.
func inColumns(grid [][]string, left int) []string {
	widths := make([]int, len(grid[0]))
	for _, line := range grid {
		for j, text := range line {
			widths[j] = max(widths[j], utf8.RuneCountInString(text))
		}
	}
	out := make([]string, len(grid))
	for i, line := range grid {
		cells := slices.Clone(line)
		for j, text := range line {
			space := strings.Repeat(" ", widths[j]-utf8.RuneCountInString(text))
			if cells[j] = space + text; j < left {
				cells[j] = text + space
			}
		}
		out[i] = strings.Join(cells, "  ")
	}
	return out
}

// cell prints number i, or an ellipsis if i is negative.
func cell(values []float64, i int) string {
	if i < 0 {
		return ellipsis
	}
	return string(load.AppendNumber(nil, values[i]))
}

// summary describes numbers that are not all shown: their shape and their norm.
func summary(s *gram.Shape, values []float64) string {
	return fmt.Sprintf("%s, norm %s", s, load.AppendNumber(nil, Norm(values)))
}
