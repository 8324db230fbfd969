// Package plot draws the measurements of a claim on logarithmic axes: the data, their fits, and the 95 % band of each
// fit. Evidence has solid lines and full marks, what it is held against has dashed lines and hollow marks. The colours
// are those of Okabe and Ito, which the colour-blind tell apart. The same outcome gives the same bytes.
package plot

import (
	"bytes"
	"fmt"
	"image/color"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"

	"github.com/gram-machine/gram/bench"
)

// Sizes in points; a picture is half a page wide.
const (
	width    = vg.Length(330)
	height   = vg.Length(230) // without the legend
	textSize = vg.Length(10)
	margin   = vg.Length(4)
)

// Picture is what is drawn of one pair of quantities.
type Picture struct {
	Name     string // of the file, without its ending: "claim-09", "claim-03-2"
	X, Y     string // the quantities
	Findings []*bench.Finding
	Dropped  int // points that have no logarithm, and are not drawn
	// Groups, if there are any, are the names of x = 1, 2 and so on.
	Groups []string
}

// Pictures returns the pictures of a claim: one for each pair of quantities that its series have, without those that
// no point can be drawn of. What is no evidence stands with the evidence of the same y, for its x is a size too.
func Pictures(o *bench.Outcome) []Picture {
	var all []Picture
	for i := range o.Findings {
		f := &o.Findings[i]
		points, dropped := drawable(f)
		at := slices.IndexFunc(all, func(p Picture) bool { return p.takes(f) })
		if at < 0 {
			at = len(all)
			all = append(all, Picture{X: f.Series.X, Y: f.Series.Y})
		}
		all[at].Dropped += dropped
		if len(points) > 0 {
			all[at].Findings = append(all[at].Findings, f)
		}
	}
	out := slices.DeleteFunc(all, func(p Picture) bool { return len(p.Findings) == 0 })
	for i := range out {
		out[i].Name = fileName(o.Claim, i)
	}
	return out
}

// takes reports whether the series belongs into the picture.
func (p *Picture) takes(f *bench.Finding) bool {
	return p.Y == f.Series.Y && (p.X == f.Series.X || f.Series.Role == bench.Contrast)
}

// xLabel is the text of the x axis, with the other quantities that series of contrast have there.
func (p *Picture) xLabel() string {
	label, others := p.X, []string(nil)
	for _, f := range p.Findings {
		if x := f.Series.X; x != p.X && !slices.Contains(others, x) {
			others = append(others, x)
		}
	}
	if len(others) > 0 {
		label += " (of hollow marks: " + strings.Join(others, ", ") + ")"
	}
	return label
}

// fileName is the name of a claim's picture with the index.
func fileName(c *bench.Claim, index int) string {
	name := fmt.Sprintf("claim-%02d", c.Number)
	if c.Number == 0 {
		name = strings.Map(func(r rune) rune {
			if strings.ContainsRune(`/\:*?"<>| `, r) || r < ' ' {
				return '-'
			}
			return r
		}, strings.TrimSuffix(c.Title, ".gram"))
	}
	if index > 0 {
		name += fmt.Sprintf("-%d", index+1)
	}
	return name
}

// SVG draws the picture as SVG.
func (p *Picture) SVG() ([]byte, error) {
	pl, legend, err := p.plot()
	if err != nil {
		return nil, err
	}
	c := vgsvg.NewWith(vgsvg.UseWH(width, height+legendHeight(&legend)))
	p.draw(pl, &legend, draw.New(c))
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	// Text is set in the fonts of whoever looks at it.
	return bytes.ReplaceAll(out.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")), nil
}

// PNG draws the picture as PNG, with 200 dots an inch.
func (p *Picture) PNG() ([]byte, error) {
	pl, legend, err := p.plot()
	if err != nil {
		return nil, err
	}
	c := vgimg.NewWith(vgimg.UseWH(width, height+legendHeight(&legend)), vgimg.UseDPI(200))
	p.draw(pl, &legend, draw.New(c))
	var out bytes.Buffer
	_, err = vgimg.PngCanvas{Canvas: c}.WriteTo(&out)
	return out.Bytes(), err
}

// plot makes the plot and its legend, which stands above it.
func (p *Picture) plot() (*plot.Plot, plot.Legend, error) {
	pl, legend := plot.New(), plot.NewLegend()
	pl.BackgroundColor = color.White
	legend.TextStyle = textStyle()
	legend.Top, legend.Left, legend.ThumbnailWidth, legend.Padding = true, true, vg.Length(24), 1
	for _, a := range []*plot.Axis{&pl.X, &pl.Y} {
		a.Tick.Label.Font, a.Label.TextStyle.Font = face(), face()
		a.Padding = margin
		a.Scale, a.Tick.Marker = plot.LogScale{}, decades{}
	}
	for i, it := range p.items() {
		var thumbnails []plot.Thumbnailer
		for _, f := range it {
			var err error
			if thumbnails, err = it.style(i).add(pl, f); err != nil {
				return nil, legend, fmt.Errorf("%s: %s: %w", p.Name, f.Series.Name, err)
			}
		}
		legend.Add(it.label(legend.TextStyle, width-legend.ThumbnailWidth-6*margin), thumbnails...)
	}
	widen(pl)
	if p.Groups != nil {
		pl.X.Scale = plot.LinearScale{}
		pl.NominalX(append([]string{""}, p.Groups...)...)
		pl.X.Min, pl.X.Max = 0.5, float64(len(p.Groups))+0.5
	}
	return pl, legend, nil
}

// legendHeight is the height of the legend.
func legendHeight(l *plot.Legend) vg.Length {
	c := vgsvg.New(width, height)
	return l.Rectangle(draw.New(c)).Size().Y + 2*margin
}

// draw draws the legend above the plot, and the names of the axes beside it. Those are not left to the plot, which
// centres them as if its axes were not logarithmic.
func (p *Picture) draw(pl *plot.Plot, legend *plot.Legend, c draw.Canvas) {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	legend.Draw(draw.Crop(c, 2*margin, -2*margin, 0, -margin))
	const label = textSize + 3
	inner := draw.Crop(c, 2*margin+label, -3*margin, margin+label, -legendHeight(legend)-margin)
	pl.Draw(inner)
	name := textStyle()
	name.XAlign, name.YAlign = draw.XCenter, draw.YCenter
	c.FillText(name, vg.Point{X: inner.Center().X, Y: c.Min.Y + margin + label/2}, p.xLabel())
	name.Rotation = math.Pi / 2
	c.FillText(name, vg.Point{X: c.Min.X + margin + label/2, Y: inner.Center().Y}, p.Y)
}

// face is the font of all text.
func face() font.Font { return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, textSize) }

func textStyle() text.Style {
	return text.Style{Color: color.Black, Font: face(), Handler: plot.DefaultTextHandler}
}
