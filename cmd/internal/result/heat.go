package result

import (
	"fmt"
	"math"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/load"
)

// matrix is what a heat map shows.
type heatMatrix struct {
	Title         string
	Rows, Columns int
	Values        []float64 // row-major
	// Name is that of a component.
	Name       func(row, column int) string
	RowName    func(row int) string
	ColumnName func(column int) string
}

// heat is a heat map, or several on one scale.
type heat struct {
	Maps        []heatMap
	Least, Most string // of the scale
	Zero        bool   // all numbers that are finite are 0
	None        bool   // there are marks for NaN
	Infinite    bool   // there are marks for infinities
	Note        string
}

// heatMap is a matrix as a table.
type heatMap struct {
	Title, Label  string // Label is for those who don't see it
	Width, Height int    // of a square, in pixels
	Columns       []string
	Rows          []heatRow
}

type heatRow struct {
	Name    string
	Squares []square
}

// square shows a component, or several by that of largest magnitude.
type square struct {
	Class    string // as of a number
	Strength string // of the colour, in percent
	Title    string // the component and its value; "" where they are many
	Text     string // the number, if there is room, or a mark
	Tone     string // of a strong colour behind the text
}

const (
	mostSquares = 64   // rows or columns of a heat map
	mostTitles  = 1024 // squares of one that tell their component
	mostMaps    = 12
	maxName     = 24 // letters of a row's name
)

// newHeat draws matrices of equal size, the first of so many, on the scale of all values.
func newHeat(ms []heatMatrix, of int, values []float64) *heat {
	most := largest(values)
	h := &heat{Least: short(-most), Most: short(most), Zero: most == 0}
	if left := of - len(ms); left > 0 {
		h.Note = fmt.Sprintf("The first %d matrices are shown; %s are left out.", len(ms), load.Grouped(uint64(left)))
	}
	high, wide := (ms[0].Rows+mostSquares-1)/mostSquares, (ms[0].Columns+mostSquares-1)/mostSquares
	for i := range ms {
		h.draw(&ms[i], high, wide, most)
	}
	if high > 1 || wide > 1 {
		h.Note += fmt.Sprintf(" Each square stands for up to %d × %d components, and shows the one of largest magnitude.",
			high, wide)
	}
	return h
}

// draw adds a matrix, of which a square shows so many rows and columns.
func (h *heat) draw(m *heatMatrix, high, wide int, most float64) {
	rows, columns := (m.Rows+high-1)/high, (m.Columns+wide-1)/wide
	numbers := columns <= 8 && rows <= 24
	side := min(22, max(8, 512/max(rows, columns)))
	out := heatMap{Title: m.Title, Label: fmt.Sprintf("Heat map of %d rows and %d columns", m.Rows, m.Columns),
		Width: side, Height: side}
	if numbers {
		out.Width, out.Height = 84, 28
	}
	if m.Title != "" {
		out.Label = m.Title + ": " + out.Label
	}
	for j := 0; j < columns; j += stepFor(30, side, numbers) {
		out.Columns = append(out.Columns, m.ColumnName(j*wide))
	}
	for i := range rows {
		var row heatRow
		if i%stepFor(14, side, numbers) == 0 {
			row.Name = shortened(m.RowName(i * high))
		}
		for j := range columns {
			at := m.strongest(i*high, j*wide, high, wide)
			q := h.square(m.Values[at], most, numbers)
			if rows*columns <= mostTitles {
				q.Title = m.Name(at/m.Columns, at%m.Columns) + " = " + exact(m.Values[at])
			}
			row.Squares = append(row.Squares, q)
		}
		out.Rows = append(out.Rows, row)
	}
	h.Maps = append(h.Maps, out)
}

// Span is how many columns a column's name stands over.
func (m *heatMap) Span() int {
	n := len(m.Rows[0].Squares)
	return (n + len(m.Columns) - 1) / len(m.Columns)
}

// stepFor returns how many squares apart names stand that take so many pixels: a power of 2. With numbers in them all
// have one.
func stepFor(room, side int, numbers bool) int {
	every := 1
	for !numbers && every*side < room {
		every *= 2
	}
	return every
}

func shortened(name string) string {
	if utf8.RuneCountInString(name) <= maxName {
		return name
	}
	return string([]rune(name)[:maxName-1]) + "…"
}

// strongest returns the place of what stands for the components from a row and a column on: NaN, or that of largest
// magnitude.
func (m *heatMatrix) strongest(row, column, high, wide int) int {
	best := row*m.Columns + column
	for r := row; r < min(m.Rows, row+high); r++ {
		for c := column; c < min(m.Columns, column+wide); c++ {
			at := r*m.Columns + c
			if x, y := m.Values[at], m.Values[best]; y == y && (x != x || math.Abs(x) > math.Abs(y)) {
				best = at
			}
		}
	}
	return best
}

// square draws a number. One that is not finite has a mark where there is no room for its text: a cross for NaN, a dot
// for an infinity.
func (h *heat) square(x, most float64, numbers bool) square {
	n := newNumber(x)
	q := square{Class: n.Class}
	strength, mark := 0.0, ""
	switch {
	case x != x:
		h.None, strength, mark = h.None || !numbers, 1, "×"
	case math.IsInf(x, 0):
		h.Infinite, strength, mark = h.Infinite || !numbers, 1, "•"
	case most > 0:
		strength = math.Abs(x) / most
	}
	q.Strength, q.Text = percent(strength, 1), mark
	if numbers {
		q.Text = n.Text
	}
	switch { // text changes its colour on a strong one: from 0.65 on if the page is dark, from 0.8 on if it is light
	case strength > 0.8:
		q.Tone = " strong"
	case strength > 0.65:
		q.Tone = " medium"
	}
	return q
}
