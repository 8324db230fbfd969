package htmlreport

import (
	"fmt"
	"math"
	"strconv"
	"unicode/utf8"

	"github.com/gram-machine/gram/internal/notation"
)

// matrix is what a heat map shows.
type matrix struct {
	Title         string
	Rows, Columns int
	Values        []float64 // row-major
	// Name is that of a component. Rows and columns go by their index where there are no
	// names for them.
	Name       func(row, column int) string
	RowName    func(row int) string
	ColumnName func(column int) string
}

// heat is a heat map, or several on one scale.
type heat struct {
	Maps   []heatMap
	Legend legend
	Note   string
}

// heatMap is a matrix as it is drawn. Lengths are in pixels.
type heatMap struct {
	Title            string
	Label            string // for those who don't see it
	Width, Height    int
	Squares          []square
	Frame            square
	Rows, ColumnTips []tick
	Wide             bool // squares have their numbers in them
}

// square shows a component, or several by that of largest magnitude.
type square struct {
	X, Y, Width, Height int
	Class               string // as of a number
	Opacity             string
	Title               string // the component and its value; "" where they are many
	Text                string // the number, if there is room
	TextX, TextY        int
	Tone                string // of a strong colour behind the text
	Mark                string
}

// tick names a row or a column.
type tick struct {
	X, Y int
	Text string
}

const (
	mostSquares = 64   // rows or columns of a heat map
	mostTitles  = 1024 // squares of one that tell their component
	mostMaps    = 12
)

// newHeat draws matrices of equal size, the first of so many, on the scale of all values.
func newHeat(ms []matrix, of int, values []float64) *heat {
	var h heat
	if left := of - len(ms); left > 0 {
		h.Note = fmt.Sprintf("The first %d matrices are shown; %s are left out.", len(ms), notation.Grouped(uint64(left)))
	}
	most := largest(values)
	h.Legend = newLegend(most)
	b := binsOf(&ms[0])
	for i := range ms {
		h.Maps = append(h.Maps, b.draw(&ms[i], most, &h.Legend))
	}
	if b.high > 1 || b.wide > 1 {
		h.Note += fmt.Sprintf(" Each square stands for up to %d × %d components, and shows the one of largest "+
			"magnitude.", b.high, b.wide)
	}
	return &h
}

// bins says how a matrix is divided into squares, and how they are laid out.
type bins struct {
	high, wide    int // components of a square
	rows, columns int // of squares
	height, width int // of a square
	left, top     int // room for names
	numbers       bool
}

func binsOf(m *matrix) bins {
	b := bins{high: (m.Rows + mostSquares - 1) / mostSquares, wide: (m.Columns + mostSquares - 1) / mostSquares, top: 18}
	b.rows, b.columns = (m.Rows+b.high-1)/b.high, (m.Columns+b.wide-1)/b.wide
	if b.numbers = b.columns <= 8 && b.rows <= 24; b.numbers {
		b.height, b.width = 28, 84
	} else {
		side := min(22, max(8, 512/max(b.rows, b.columns)))
		b.height, b.width = side, side
	}
	longest := 0
	for i := 0; i < b.rows; i += stepFor(14, b.height) {
		longest = max(longest, utf8.RuneCountInString(b.rowName(m, i)))
	}
	b.left = 8 + 7*longest
	return b
}

// rowName names the i-th row of squares.
func (b bins) rowName(m *matrix, i int) string {
	if m.RowName != nil {
		return shortened(m.RowName(i * b.high))
	}
	return strconv.Itoa(i * b.high)
}

// maxName is how much of a row's name is shown.
const maxName = 24

func (b bins) draw(m *matrix, most float64, l *legend) heatMap {
	h := heatMap{Title: m.Title, Wide: b.numbers, Width: b.left + b.columns*b.width + 2,
		Height: b.top + b.rows*b.height + 2}
	h.Label = fmt.Sprintf("%s: heat map of %d rows and %d columns", m.Title, m.Rows, m.Columns)
	if m.Title == "" {
		h.Label = fmt.Sprintf("Heat map of %d rows and %d columns", m.Rows, m.Columns)
	}
	h.Frame = square{X: b.left, Y: b.top, Width: b.columns * b.width, Height: b.rows * b.height}
	for i := range b.rows {
		for j := range b.columns {
			h.Squares = append(h.Squares, b.square(m, i, j, most, l))
		}
	}
	every := stepFor(14, b.height)
	for i := 0; i < b.rows; i += every {
		h.Rows = append(h.Rows, tick{b.left - 5, b.top + i*b.height + b.height/2 + 4, b.rowName(m, i)})
	}
	every = stepFor(30, b.width)
	for j := 0; j < b.columns; j += every {
		name := strconv.Itoa(j * b.wide)
		if m.ColumnName != nil {
			name = m.ColumnName(j * b.wide)
		}
		h.ColumnTips = append(h.ColumnTips, tick{b.left + j*b.width + b.width/2, b.top - 5, name})
	}
	return h
}

// stepFor returns how many squares apart names stand that take so many pixels: a power of 2.
func stepFor(room, side int) int {
	every := 1
	for every*side < room {
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

// square draws the square in row i and column j.
func (b bins) square(m *matrix, i, j int, most float64, l *legend) square {
	row, column := i*b.high, j*b.wide
	for r := row; r < min(m.Rows, (i+1)*b.high); r++ {
		for c := j * b.wide; c < min(m.Columns, (j+1)*b.wide); c++ {
			if stands(m.Values[r*m.Columns+c], m.Values[row*m.Columns+column]) {
				row, column = r, c
			}
		}
	}
	x := m.Values[row*m.Columns+column]
	n := newNumber(x)
	q := square{X: b.left + j*b.width, Y: b.top + i*b.height, Width: b.width, Height: b.height, Class: n.Class}
	strength := 0.0
	switch {
	case x != x:
		l.None, strength = l.None || !b.numbers, 1
	case math.IsInf(x, 0):
		l.Infinite, strength = l.Infinite || !b.numbers, 1
	case most > 0:
		strength = math.Abs(x) / most
	}
	q.Opacity, q.Tone = strconv.FormatFloat(strength, 'f', 2, 64), tone(strength)
	if b.rows*b.columns <= mostTitles {
		q.Title = m.Name(row, column) + " = " + n.Exact
	}
	if b.numbers {
		q.Text, q.TextX, q.TextY = n.Text, q.X+b.width/2, q.Y+b.height/2+4
	} else {
		q.Mark = q.mark(x)
	}
	return q
}

// tone names a strong colour, on which text is to change its own: from the first on if the
// page is dark, and from the second if it is light.
func tone(strength float64) string {
	switch {
	case strength > 0.8:
		return " strong"
	case strength > 0.65:
		return " medium"
	}
	return ""
}

// stands tells whether x stands for a square before y: NaN does, then the larger magnitude.
func stands(x, y float64) bool {
	return y == y && (x != x || math.Abs(x) > math.Abs(y))
}

// mark is the path of what sets a square of a number that is not finite apart: a cross for
// NaN, a dot for an infinite one.
func (q *square) mark(x float64) string {
	dx, dy := q.Width/4, q.Height/4
	switch {
	case x != x:
		return fmt.Sprintf("M%d %dl%d %dm0 %dl%d %d", q.X+dx, q.Y+dy, q.Width-2*dx, q.Height-2*dy, -(q.Height - 2*dy),
			-(q.Width - 2*dx), q.Height-2*dy)
	case math.IsInf(x, 0):
		return fmt.Sprintf("M%d %dh%dv%dh%dz", q.X+dx, q.Y+dy, q.Width-2*dx, q.Height-2*dy, -(q.Width - 2*dx))
	}
	return ""
}

// legend explains the colours of heat maps.
type legend struct {
	Swatches        []square
	Least, Most     string
	None, Infinite  bool // there are marks for such numbers
	Zero            bool // all others are 0
	Width, Height   int
	Middle, TextRow int
}

const (
	swatches    = 21
	swatchWidth = 10
)

func newLegend(most float64) legend {
	l := legend{Least: short(-most), Most: short(most), Zero: most == 0, Width: swatches*swatchWidth + 2, Height: 34,
		Middle: swatches * swatchWidth / 2, TextRow: 30}
	for i := range swatches {
		x := 2*float64(i)/(swatches-1) - 1
		l.Swatches = append(l.Swatches, square{X: 1 + i*swatchWidth, Y: 1, Width: swatchWidth, Height: 12,
			Class: newNumber(x).Class, Opacity: strconv.FormatFloat(math.Abs(x), 'f', 2, 64)})
	}
	return l
}
