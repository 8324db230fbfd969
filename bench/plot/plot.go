// Package plot draws the measurements of a claim: log-log, the data and their fits in one picture, with the 95 %
// band of each fit. Evidence has solid lines and full marks, what it is held against dashed lines and hollow ones. The
// colours are those of Okabe and Ito, which the colour-blind tell apart. The same outcome gives the
// same bytes.
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

// Picture is what is drawn of a claim for one pair of quantities.
type Picture struct {
	Name     string // of the file, without its ending: "claim-09", "claim-03-2"
	X, Y     string // the quantities
	Findings []*bench.Finding
	Dropped  int // points that have no logarithm, and are not drawn
}

// Pictures returns the pictures of a claim: one for each pair of quantities that its series
// have, without those that no point can be drawn of. What the claim is held against stands with the evidence of
// the same y, for its x is a size too.
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

// xLabel is the text of the x axis: where contrast has another x, that too.
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
func (p *Picture) SVG() ([]byte, error) { return drawSVG(p.height(), p.draw) }

// PNG draws the picture as PNG, with 200 dots an inch.
func (p *Picture) PNG() ([]byte, error) { return drawPNG(p.height(), p.draw) }

func drawSVG(height vg.Length, paint func(draw.Canvas) error) ([]byte, error) {
	c := vgsvg.NewWith(vgsvg.UseWH(width, height))
	if err := paint(draw.New(c)); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if _, err := c.WriteTo(&out); err != nil {
		return nil, err
	}
	// Text is set in the fonts of whoever looks at it.
	return bytes.ReplaceAll(out.Bytes(), []byte("font-family:Liberation Sans;"),
		[]byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;")), nil
}

func drawPNG(height vg.Length, paint func(draw.Canvas) error) ([]byte, error) {
	c := vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(200))
	if err := paint(draw.New(c)); err != nil {
		return nil, err
	}
	var out bytes.Buffer
	_, err := vgimg.PngCanvas{Canvas: c}.WriteTo(&out)
	return out.Bytes(), err
}

// height is that of the whole picture.
func (p *Picture) height() vg.Length { return height + p.newLegend().height() + 2*margin }

// draw draws the legend above the plot, and the names of the axes beside it. Those are not left to
// the plot, which centres them as if its axes were not logarithmic.
func (p *Picture) draw(c draw.Canvas) error {
	c.SetColor(color.White)
	c.Fill(c.Rectangle.Path())
	pl := plot.New()
	axes(pl)
	l := p.newLegend()
	for i, it := range p.items() {
		for _, f := range it.findings {
			thumbnails, err := it.style(i).add(pl, f)
			if err != nil {
				return fmt.Errorf("%s: %s: %w", p.Name, f.Series.Name, err)
			}
			l.entries[i].thumbnails = thumbnails
		}
	}
	widen(pl)
	l.draw(draw.Crop(c, 2*margin, -2*margin, 0, -margin))
	inner := draw.Crop(c, 2*margin+entryHeight, -3*margin, margin+entryHeight, -l.height()-3*margin)
	pl.Draw(inner)
	name := textStyle(draw.XCenter)
	c.FillText(name, vg.Point{X: inner.Center().X, Y: c.Min.Y + margin + entryHeight/2}, p.xLabel())
	name.Rotation = math.Pi / 2
	c.FillText(name, vg.Point{X: c.Min.X + margin + entryHeight/2, Y: inner.Center().Y}, p.Y)
	return nil
}

// face is the font of all text.
func face() font.Font { return font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, textSize) }

// textStyle is how text is written that stands at a point by its middle or its left end.
func textStyle(align text.XAlignment) text.Style {
	return text.Style{Color: color.Black, Font: face(), Handler: plot.DefaultTextHandler, XAlign: align, YAlign: draw.YCenter}
}

// axes sets up logarithmic axes.
func axes(pl *plot.Plot) {
	pl.BackgroundColor = color.White
	for _, a := range []*plot.Axis{&pl.X, &pl.Y} {
		a.Scale, a.Tick.Marker = plot.LogScale{}, decades{}
		a.Tick.Label.Font = face()
		a.Padding = margin
	}
}
