package plot

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gram-machine/gram/bench"
)

// crowd is the number of series of one role and one law from which on they are drawn alike, as one entry of the legend.
// Their names are in the claim's table.
const crowd = 13

// item is what one entry of the legend describes: a series, or a crowd.
type item []*bench.Finding

// items returns the picture's items, in the order of the series.
func (p *Picture) items() []item {
	type kind struct {
		role bench.Role
		law  bench.Law
	}
	members := map[kind]item{}
	for _, f := range p.Findings {
		k := kind{f.Series.Role, f.Series.Law}
		members[k] = append(members[k], f)
	}
	var out []item
	for _, f := range p.Findings {
		switch all := members[kind{f.Series.Role, f.Series.Law}]; {
		case len(all) < crowd:
			out = append(out, item{f})
		case all[0] == f:
			out = append(out, all)
		}
	}
	return out
}

// label is the item's text in the legend: its name, cut if need be, and what was fitted to it.
func (it item) label(style text.Style, most vg.Length) string {
	name, fit := []rune(it[0].Series.Name), fitted(it[0])
	if len(it) > 1 {
		least, largest := it[0], it[0]
		for _, f := range it {
			if f.Fitted && (!least.Fitted || f.Exponent < least.Exponent) {
				least = f
			}
			if f.Fitted && (!largest.Fitted || f.Exponent > largest.Exponent) {
				largest = f
			}
		}
		name, fit = []rune(fmt.Sprintf("%d series", len(it))), fitted(least)
		if fitted(largest) != fit {
			fit += " to" + fitted(largest)[len(" ~"):]
		}
	}
	whole := string(name) + fit
	for n := len(name) - 1; n > 0 && style.Width(whole) > most; n-- {
		whole = string(name[:n]) + "…" + fit
	}
	return whole
}

// fitted is what was fitted to a series, x being the quantity of the horizontal axis.
func fitted(f *bench.Finding) string {
	exponent := strings.Replace(fmt.Sprintf("%.2f", f.Exponent), "-", "−", 1)
	if math.Abs(f.Exponent) < 0.005 {
		exponent = "0.00"
	}
	switch law := f.Series.Law; {
	case law.Kind == bench.Equal:
		return ", equal"
	case law.Kind == bench.Below, !f.Fitted:
		return ""
	case law.Kind == bench.Exponential:
		return fmt.Sprintf(" ~ 2^(%s·x)", exponent)
	default:
		return " ~ x^" + exponent + strings.Repeat("·log x", law.Logs)
	}
}

// palette are the colours of Okabe and Ito, the darker ones first.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xB2, 0xFF}, {0xD5, 0x5E, 0x00, 0xFF}, {0x00, 0x9E, 0x73, 0xFF}, {0xCC, 0x79, 0xA7, 0xFF},
	{0xE6, 0x9F, 0x00, 0xFF}, {0x56, 0xB4, 0xE9, 0xFF}, {0x00, 0x00, 0x00, 0xFF},
}

// The marks of series of evidence, and of all others.
var (
	full   = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}}
	hollow = []draw.GlyphDrawer{draw.RingGlyph{}, draw.SquareGlyph{}, draw.TriangleGlyph{}}
)

// style is how a series is drawn.
type style struct {
	color  color.NRGBA
	mark   draw.GlyphDrawer
	dashes []vg.Length
	radius vg.Length // of the mark
}

// style gives item i its own: a colour, and a mark that changes when the colours are used up. Marks that are drawn
// later are smaller, so that of two in one place both are seen.
func (it item) style(i int) style {
	marks, dashes := full, []vg.Length(nil)
	if it[0].Series.Role != bench.Evidence {
		marks, dashes = hollow, []vg.Length{vg.Points(4), vg.Points(2)}
	}
	s := style{color: palette[i%len(palette)], mark: marks[(i+i/len(palette))%len(marks)], dashes: dashes}
	s.radius = vg.Points(3.6 - 0.5*float64(i%4))
	if len(it) > 1 {
		s.radius = vg.Points(1.8)
	}
	return s
}

// points are measurements that have logarithms, with the ends of their intervals.
type points struct {
	plotter.XYs
	plotter.YErrors
}

// drawable returns the points that have logarithms, and how many have none.
func drawable(f *bench.Finding) (out plotter.XYs, dropped int) {
	for _, m := range f.Points {
		if m.X <= 0 || m.Y <= 0 {
			dropped++
			continue
		}
		out = append(out, plotter.XY{X: m.X, Y: m.Y})
	}
	return out, dropped
}

// curvePoints is how many points a fitted curve is drawn through.
const curvePoints = 60

// add draws a series: the band, the fit, the intervals of times, and the data on top. It returns its mark in
// the legend.
func (s style) add(pl *plot.Plot, f *bench.Finding) ([]plot.Thumbnailer, error) {
	line, band := curve(f)
	entry := []plot.Thumbnailer{}
	if len(band) > 2 {
		poly, err := plotter.NewPolygon(band)
		if err != nil {
			return nil, err
		}
		shade := s.color
		shade.A = 0x38
		poly.Color, poly.LineStyle.Width = shade, 0
		pl.Add(poly)
	}
	if len(line) > 1 {
		l, err := plotter.NewLine(line)
		if err != nil {
			return nil, err
		}
		l.LineStyle = draw.LineStyle{Color: s.color, Width: vg.Points(1.2), Dashes: s.dashes}
		pl.Add(l)
		entry = append(entry, l)
	}
	if f.Series.Timed {
		var p points
		for _, m := range f.Points {
			if m.X > 0 && m.Low > 0 {
				p.XYs = append(p.XYs, plotter.XY{X: m.X, Y: m.Y})
				p.YErrors = append(p.YErrors, struct{ Low, High float64 }{m.Y - m.Low, m.High - m.Y})
			}
		}
		bars, err := plotter.NewYErrorBars(p)
		if err != nil {
			return nil, err
		}
		bars.LineStyle = draw.LineStyle{Color: s.color, Width: vg.Points(0.7)}
		pl.Add(bars)
	}
	xys, _ := drawable(f)
	data, err := plotter.NewScatter(xys)
	if err != nil {
		return nil, err
	}
	data.GlyphStyle = draw.GlyphStyle{Color: s.color, Radius: s.radius, Shape: s.mark}
	pl.Add(data)
	return append(entry, data), nil
}

// curve is the fitted curve and its band, a closed polygon; without what has no logarithm.
func curve(f *bench.Finding) (line, band plotter.XYs) {
	from, to, ok := f.Range()
	if !ok {
		return nil, nil
	}
	var upper, lower plotter.XYs
	for i := range curvePoints {
		x := from * math.Pow(to/from, float64(i)/(curvePoints-1))
		y, low, high, ok := f.Curve(x)
		if !ok || low <= 0 || math.IsInf(high, 0) || math.IsNaN(high) {
			continue
		}
		line = append(line, plotter.XY{X: x, Y: y})
		upper, lower = append(upper, plotter.XY{X: x, Y: high}), append(lower, plotter.XY{X: x, Y: low})
	}
	for i := len(lower) - 1; i >= 0; i-- {
		upper = append(upper, lower[i])
	}
	return line, upper
}
