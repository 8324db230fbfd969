package plot

import (
	"fmt"
	"image/color"
	"math"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gram-machine/gram/bench"
)

// palette are the colours of Okabe and Ito, the darker ones first.
var palette = []color.NRGBA{
	{0x00, 0x72, 0xB2, 0xFF}, {0xD5, 0x5E, 0x00, 0xFF}, {0x00, 0x9E, 0x73, 0xFF}, {0xCC, 0x79, 0xA7, 0xFF},
	{0xE6, 0x9F, 0x00, 0xFF}, {0x56, 0xB4, 0xE9, 0xFF}, {0x00, 0x00, 0x00, 0xFF},
}

// The marks of series of evidence, and of contrast.
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

// style gives item i its own: a colour, and a mark that changes when the colours are used up. Marks
// that are drawn later are smaller, so that of two in one place both are seen.
func (it item) style(i int) style {
	marks, dashes := full, []vg.Length(nil)
	if it.role() == bench.Contrast {
		marks, dashes = hollow, []vg.Length{vg.Points(4), vg.Points(2)}
	}
	s := style{color: palette[i%len(palette)], mark: marks[(i+i/len(palette))%len(marks)], dashes: dashes}
	s.radius = vg.Points(3.6 - 0.5*float64(i%4))
	if len(it.findings) > 1 {
		s.radius = vg.Points(1.8)
	}
	return s
}

// point is one measurement that can be drawn.
type point struct{ x, y, low, high float64 }

// drawable returns the points that have logarithms, and how many have none.
func drawable(f *bench.Finding) (out []point, dropped int) {
	for _, m := range f.Points {
		if m.X <= 0 || m.Y <= 0 {
			dropped++
			continue
		}
		p := point{m.X, m.Y, m.Y, m.Y}
		if m.Low > 0 {
			p.low, p.high = m.Low, m.High
		}
		out = append(out, p)
	}
	return out, dropped
}

// curvePoints is how many points a fitted curve is drawn through.
const curvePoints = 60

// add draws a series: the band, the fit, the intervals of times, and the data on top. It returns
// what stands for it in the legend.
func (s style) add(pl *plot.Plot, f *bench.Finding) ([]plot.Thumbnailer, error) {
	points, _ := drawable(f)
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
		bars, err := plotter.NewYErrorBars(withErrors(points))
		if err != nil {
			return nil, err
		}
		bars.LineStyle = draw.LineStyle{Color: s.color, Width: vg.Points(0.7)}
		pl.Add(bars)
	}
	data, err := plotter.NewScatter(xys(points))
	if err != nil {
		return nil, err
	}
	data.GlyphStyle = draw.GlyphStyle{Color: s.color, Radius: s.radius, Shape: s.mark}
	pl.Add(data)
	return append(entry, data), nil
}

// label is what was fitted to a series, x being the quantity of the horizontal axis.
func label(f *bench.Finding) string {
	switch law := f.Series.Law; {
	case law.Kind == bench.Equal:
		return ", equal"
	case !f.Fitted:
		return ""
	case law.Kind == bench.Exponential:
		return fmt.Sprintf(" ~ 2^(%s·x)", decimals(f.Exponent))
	default:
		return fmt.Sprintf(" ~ x^%s", decimals(f.Exponent)) + strings.Repeat("·log x", law.Logs)
	}
}

// decimals prints an exponent with two digits; never −0.
func decimals(x float64) string {
	if math.Abs(x) < 0.005 {
		x = 0
	}
	return strings.Replace(fmt.Sprintf("%.2f", x), "-", "−", 1)
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

func xys(points []point) plotter.XYs {
	out := make(plotter.XYs, len(points))
	for i, p := range points {
		out[i] = plotter.XY{X: p.x, Y: p.y}
	}
	return out
}

// errorPoints are points with the ends of their intervals.
type errorPoints struct {
	plotter.XYs
	plotter.YErrors
}

func withErrors(points []point) errorPoints {
	out := errorPoints{XYs: xys(points)}
	for _, p := range points {
		out.YErrors = append(out.YErrors, struct{ Low, High float64 }{p.y - p.low, p.high - p.y})
	}
	return out
}
