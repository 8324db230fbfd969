package plot

import (
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Sizes of the legend's entries, in points.
const (
	entryHeight = vg.Length(13)
	thumbnail   = vg.Length(24)
	gap         = vg.Length(5) // behind thumbnail and text
)

// legend is the list of the items, above the plot. Short entries stand two in a row.
type legend struct {
	style   text.Style
	entries []entry
	rows    int
}

// entry is an item in the legend.
type entry struct {
	text        string
	row, column int
	thumbnails  []plot.Thumbnailer
}

func (p *Picture) newLegend() *legend {
	l := &legend{style: textStyle(draw.XLeft)}
	const whole = width - 4*margin
	column := 0
	for _, it := range p.items() {
		name, fitted := it.label()
		e := entry{text: l.fitting(name, fitted, whole-thumbnail-2*gap)}
		short := thumbnail+2*gap+l.style.Width(e.text) <= whole/2
		if column == 1 && !short {
			l.rows, column = l.rows+1, 0
		}
		e.row, e.column = l.rows, column
		if column == 0 && short {
			column = 1
		} else {
			l.rows, column = l.rows+1, 0
		}
		l.entries = append(l.entries, e)
	}
	l.rows += column
	return l
}

// fitting is a name with what was fitted, the name cut if both are too wide.
func (l *legend) fitting(name, fitted string, most vg.Length) string {
	letters := []rune(name)
	for n := len(letters); n > 0; n-- {
		cut := string(letters[:n])
		if n < len(letters) {
			cut += "…"
		}
		if whole := cut + fitted; l.style.Width(whole) <= most {
			return whole
		}
	}
	return fitted
}

func (l *legend) height() vg.Length { return vg.Length(l.rows) * entryHeight }

// draw draws the entries row by row, from the top of the canvas.
func (l *legend) draw(c draw.Canvas) {
	for _, e := range l.entries {
		left := c.Min.X + vg.Length(e.column)*c.Size().X/2
		top := c.Max.Y - vg.Length(e.row)*entryHeight
		box := vg.Rectangle{Min: vg.Point{X: left, Y: top - entryHeight}, Max: vg.Point{X: left + thumbnail, Y: top}}
		for _, t := range e.thumbnails {
			t.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: box})
		}
		c.FillText(l.style, vg.Point{X: left + thumbnail + gap, Y: top - entryHeight/2}, e.text)
	}
}
