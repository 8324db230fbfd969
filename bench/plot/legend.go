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
	gap         = vg.Length(5) // between thumbnail and text, and between columns
)

// legend is the list of the series, above the plot: in two columns if their texts are short.
type legend struct {
	style      text.Style
	labels     []string
	thumbnails [][]plot.Thumbnailer
	columns    int
	column     vg.Length // the width of one
}

func (p *Picture) newLegend() *legend {
	l := &legend{style: plot.NewLegend().TextStyle, columns: 1, thumbnails: make([][]plot.Thumbnailer, len(p.Findings))}
	l.style.Font = face()
	l.style.YAlign = draw.YCenter
	available := width - 4*margin
	widest := vg.Length(0)
	for _, f := range p.Findings {
		l.labels = append(l.labels, l.fitting(f.Series.Name, label(f), available-thumbnail-gap))
		widest = max(widest, thumbnail+2*gap+l.style.Width(l.labels[len(l.labels)-1]))
	}
	if len(l.labels) > 2 && 2*widest <= available {
		l.columns = 2
	}
	l.column = available / vg.Length(l.columns)
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

// rows is the number of entries in a column.
func (l *legend) rows() int { return (len(l.labels) + l.columns - 1) / l.columns }

func (l *legend) height() vg.Length { return vg.Length(l.rows()) * entryHeight }

// draw draws the entries column by column, from the top of the canvas.
func (l *legend) draw(c draw.Canvas) {
	for i, text := range l.labels {
		left := c.Min.X + vg.Length(i/l.rows())*l.column
		top := c.Max.Y - vg.Length(i%l.rows())*entryHeight
		box := vg.Rectangle{Min: vg.Point{X: left, Y: top - entryHeight}, Max: vg.Point{X: left + thumbnail, Y: top}}
		for _, t := range l.thumbnails[i] {
			t.Thumbnail(&draw.Canvas{Canvas: c.Canvas, Rectangle: box})
		}
		c.FillText(l.style, vg.Point{X: left + thumbnail + gap, Y: top - entryHeight/2}, text)
	}
}
