package plot

import (
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// Bars is a chart of bars on a logarithmic axis, in groups: one bar of a group for each series.
type Bars struct {
	Name   string // of the file, without its ending
	Y      string // the quantity
	Groups []string
	Series []BarSeries
}

// BarSeries are the bars of one colour.
type BarSeries struct {
	Name   string
	Values []float64 // for each group; 0: there is none
}

// barColours are the colours of Okabe and Ito and three shades of grey, in the order of the series.
var barColours = []color.NRGBA{
	{0x00, 0x00, 0x00, 0xFF}, {0x77, 0x77, 0x77, 0xFF}, {0xBB, 0xBB, 0xBB, 0xFF},
	{0x00, 0x72, 0xB2, 0xFF}, {0x56, 0xB4, 0xE9, 0xFF}, {0xD5, 0x5E, 0x00, 0xFF},
	{0x00, 0x9E, 0x73, 0xFF}, {0xF0, 0xE4, 0x42, 0xFF}, {0xCC, 0x79, 0xA7, 0xFF}, {0xE6, 0x9F, 0x00, 0xFF},
}

// SVG draws the chart as SVG.
func (b *Bars) SVG() ([]byte, error) { return drawSVG(b.height(), b.draw) }

// PNG draws the chart as PNG, with 200 dots an inch.
func (b *Bars) PNG() ([]byte, error) { return drawPNG(b.height(), b.draw) }

func (b *Bars) height() vg.Length { return height + b.legend().height() + 2*margin }

// legend names the series, two in a row.
func (b *Bars) legend() *legend {
	l := &legend{style: textStyle(draw.XLeft), rows: (len(b.Series) + 1) / 2}
	for i, s := range b.Series {
		l.entries = append(l.entries, entry{text: s.Name, row: i / 2, column: i % 2, thumbnails: []plot.Thumbnailer{swatch{barColour(i)}}})
	}
	return l
}

func barColour(i int) color.NRGBA { return barColours[i%len(barColours)] }

// swatch is a box of a colour.
type swatch struct{ color color.Color }

// Thumbnail fills the middle of the canvas.
func (s swatch) Thumbnail(c *draw.Canvas) {
	fill(c, s.color, vg.Rectangle{Min: c.Min.Add(vg.Point{X: 4, Y: 3}), Max: c.Max.Sub(vg.Point{X: 4, Y: 3})})
}

func fill(c *draw.Canvas, with color.Color, r vg.Rectangle) {
	c.SetColor(with)
	c.Fill(r.Path())
}

// draw draws the legend above the chart.
func (b *Bars) draw(c draw.Canvas) error {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	pl := plot.New()
	axes(pl)
	pl.X.Scale, pl.X.Tick.Marker = plot.LinearScale{}, plot.ConstantTicks(nil)
	pl.X.Min, pl.X.Max = -0.5, float64(len(b.Groups))-0.5
	pl.Y.Min, pl.Y.Max = b.span()
	pl.Add(lines{}, boxes{b})
	l := b.legend()
	l.draw(draw.Crop(c, 2*margin, -2*margin, 0, -margin))
	inner := draw.Crop(c, 2*margin+entryHeight, -3*margin, margin+entryHeight, -l.height()-3*margin)
	pl.Draw(inner)
	b.nameGroups(draw.Crop(c, 0, 0, 0, entryHeight+margin-c.Size().Y), pl.DataCanvas(inner))
	name := textStyle(draw.XCenter)
	name.Rotation = math.Pi / 2
	c.FillText(name, vg.Point{X: c.Min.X + margin + entryHeight/2, Y: inner.Center().Y}, b.Y)
	return nil
}

// nameGroups writes the groups' names into the canvas, below the data.
func (b *Bars) nameGroups(c, data draw.Canvas) {
	wide := data.Size().X / vg.Length(len(b.Groups))
	for i, g := range b.Groups {
		c.FillText(textStyle(draw.XCenter), vg.Point{X: data.Min.X + (vg.Length(i)+0.5)*wide, Y: c.Center().Y + margin}, g)
	}
}

// span is the range of the axis: from half of the least value to twice the largest.
func (b *Bars) span() (least, most float64) {
	least, most = math.Inf(1), 0
	for _, s := range b.Series {
		for _, v := range s.Values {
			if v > 0 {
				least, most = min(least, v), max(most, v)
			}
		}
	}
	if most == 0 {
		return 1, 10
	}
	return least / 2, 2 * most
}

// lines are those behind the bars, at the labels of the axis.
type lines struct{}

func (lines) Plot(c draw.Canvas, p *plot.Plot) {
	_, y := p.Transforms(&c)
	for _, t := range p.Y.Tick.Marker.Ticks(p.Y.Min, p.Y.Max) {
		if t.Label != "" {
			c.StrokeLine2(draw.LineStyle{Color: color.Gray{0xDD}, Width: vg.Points(0.5)}, c.Min.X, y(t.Value), c.Max.X, y(t.Value))
		}
	}
}

// boxes are the bars of a chart.
type boxes struct{ *Bars }

// Plot draws them: a group takes nine tenths of its place.
func (b boxes) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	wide := 0.9 / float64(len(b.Series))
	for i, s := range b.Series {
		for g, v := range s.Values {
			if v <= 0 {
				continue
			}
			left := float64(g) - 0.45 + wide*float64(i)
			fill(&c, barColour(i), vg.Rectangle{Min: vg.Point{X: x(left), Y: y(p.Y.Min)}, Max: vg.Point{X: x(left + 0.92*wide), Y: y(v)}})
		}
	}
}
