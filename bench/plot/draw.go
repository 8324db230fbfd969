package plot

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"github.com/gram-machine/gram/bench"
)

const (
	together = 4 // series that share a panel
	columns  = 3 // of panels, if there are several
	inset    = vg.Length(34)
	across   = (width - inset) / columns

	onePanel  = vg.Length(170) // heights of a panel, and of what stands above it
	ofMany    = vg.Length(60)
	ofHeading = vg.Length(28)
)

// sheet is the layout of a picture.
type sheet struct {
	*Picture
	height, body, heading vg.Length
	title                 []titleLine
	items                 []item
}

// item is a series, or several of one law that holds, which are drawn as one.
type item []*bench.Finding

// items returns the series of a picture. More than fit into a panel are one item where they are of one law, and it holds for each.
func (p *Picture) items() []item {
	equal := map[group]item{}
	for _, f := range p.Findings {
		if f.Verdict == bench.Holds {
			equal[groupOf(f)] = append(equal[groupOf(f)], f)
		}
	}
	var out []item
	for _, f := range p.Findings {
		switch all := equal[groupOf(f)]; {
		case f.Verdict != bench.Holds || len(all) <= together:
			out = append(out, item{f})
		case f == all[0]:
			out = append(out, all)
		}
	}
	return out
}

func (it item) name() string {
	if len(it) == 1 {
		return it[0].Name
	}
	return fmt.Sprintf("%d series", len(it))
}

// fitted is what was fitted, and of several series the least and the most of it.
func (it item) fitted() string {
	by := func(a, b *bench.Finding) int { return cmp.Compare(a.Exponent, b.Exponent) }
	least, most := slices.MinFunc(it, by), slices.MaxFunc(it, by)
	if it[0].Law.Kind == bench.Below {
		least = slices.MaxFunc(it, func(a, b *bench.Finding) int { return cmp.Compare(a.Constant, b.Constant) })
		most = least
	}
	if a, b := fitted(least), fitted(most); a != b {
		return a + " … " + strings.TrimPrefix(b, "~ ")
	}
	return fitted(most)
}

// last is the last point that is drawn.
func (it item) last() bench.Measurement {
	var out bench.Measurement
	for _, f := range it {
		for _, m := range f.Points {
			if drawable(m) && m.X >= out.X {
				out = m
			}
		}
	}
	return out
}

// titleLine is a line of the titles. The first title is bold.
type titleLine struct {
	text string
	bold bool
}

func (p *Picture) sheet() *sheet {
	s := &sheet{Picture: p, body: onePanel, heading: ofHeading}
	for i, t := range p.titles() {
		for _, l := range wrap(titleStyle(i == 0), t, width-2*gap) {
			s.title = append(s.title, titleLine{l, i == 0})
		}
	}
	s.items = p.items()
	if n := len(s.items); n > together {
		for _, f := range s.items {
			if len(wrap(style(words, small), f.name(), across-gap)) > 1 {
				s.heading = ofHeading + 9
			}
		}
		s.body = vg.Length((n+columns-1)/columns) * (ofMany + s.heading)
	}
	s.height = vg.Length(len(s.title))*line + line + s.body + 2*line + 3*gap
	return s
}

// draw draws the titles, the name of the upward axis, the panels, and the name of the other axis below them.
func (s *sheet) draw(c draw.Canvas) {
	c.FillPolygon(paper.light, []vg.Point{{}, {X: width}, {X: width, Y: s.height}, {Y: s.height}})
	y := s.height - gap - line/2
	for _, l := range s.title {
		c.FillText(titleStyle(l.bold), vg.Point{X: gap, Y: y}, l.text)
		y -= line
	}
	y -= gap
	name := style(quiet, small)
	c.FillText(name, vg.Point{X: gap, Y: y}, cut(name, s.Y, width-2*gap))
	y -= line / 2
	name.XAlign = draw.XCenter
	c.FillText(name, vg.Point{X: (inset + width) / 2, Y: gap + line/2}, cut(name, s.X, width-inset-2*gap))
	if len(s.items) <= together {
		p := s.panel(c, inset, width-gap, y-onePanel+gap, y-gap)
		p.narrow(s.items)
		p.grid(6, true, true)
		for i, it := range s.items {
			if len(it) > 1 {
				p.band(it, palette[i])
			}
		}
		for i, it := range s.items {
			if len(it) == 1 {
				p.series(it[0], palette[i], 2.4-0.4*vg.Length(i))
			}
		}
		p.label(s.items)
		return
	}
	for i, it := range s.items {
		f := it[0]
		left, top := inset+vg.Length(i%columns)*across, y-vg.Length(i/columns)*(ofMany+s.heading)-s.heading
		of := map[bench.Role]ink{bench.Evidence: blue, bench.Contrast: orange, bench.Printed: purple, bench.Stronger: purple, bench.Aside: green}[f.Role]
		heading := style(of, small)
		lines := wrap(heading, it.name(), across-gap)
		lines = lines[:min(len(lines), 2)]
		for k, l := range lines {
			c.FillText(heading, vg.Point{X: left, Y: top + 6 + 9*vg.Length(len(lines)-k)}, cut(heading, l, across-gap))
		}
		c.FillText(style(quiet, small), vg.Point{X: left, Y: top + 6}, it.fitted())
		p := s.panel(c, left, left+across-2*gap, top-ofMany, top)
		p.grid(3, i%columns == 0, i+columns >= len(s.items))
		if len(it) > 1 {
			p.band(it, of)
		} else {
			p.series(f, of, 1.4)
		}
	}
}

// panel is a part of a picture with axes.
type panel struct {
	draw.Canvas
	x, y axis
}

func (s *sheet) panel(c draw.Canvas, left, right, bottom, top vg.Length) panel {
	box := vg.Rectangle{Min: vg.Point{X: left, Y: bottom}, Max: vg.Point{X: right, Y: top}}
	return panel{draw.Canvas{Canvas: c.Canvas, Rectangle: box}, s.axes[s.X], s.axes[s.Y]}
}

// at is the place of a point.
func (p *panel) at(x, y float64) vg.Point {
	return vg.Point{X: p.x.at(x, p.Min.X, p.Max.X), Y: p.y.at(y, p.Min.Y, p.Max.Y)}
}

// grid draws lines at about n numbers of each axis, and the numbers where they are wanted.
func (p *panel) grid(n int, up, across bool) {
	faint, number := draw.LineStyle{Color: rule.light, Width: 0.6}, style(quiet, small)
	number.XAlign = draw.XRight
	for _, v := range p.y.marks(n) {
		at := p.y.at(v, p.Min.Y, p.Max.Y)
		p.StrokeLine2(faint, p.Min.X, at, p.Max.X, at)
		if up {
			p.FillText(number, vg.Point{X: p.Min.X - 4, Y: at}, markText(v))
		}
	}
	number.XAlign = draw.XCenter
	for _, v := range p.x.marks(n) {
		at := p.x.at(v, p.Min.X, p.Max.X)
		p.StrokeLine2(faint, at, p.Min.Y, at, p.Max.Y)
		if across {
			p.FillText(number, vg.Point{X: at, Y: p.Min.Y - line/2 - 2}, markText(v))
		}
	}
}

// series draws a series: the band of the fit, the fit, the intervals of times, and the data on top.
func (p *panel) series(f *bench.Finding, of ink, radius vg.Length) {
	stroke := draw.LineStyle{Color: of.light, Width: 1.2}
	var mark draw.GlyphDrawer = draw.CircleGlyph{}
	if f.Role != bench.Evidence {
		mark, stroke.Dashes = draw.RingGlyph{}, []vg.Length{4, 2}
	}
	curve, upper, lower := p.curve(f)
	for i := range upper {
		if upper[i].Y-lower[i].Y > 1 {
			slices.Reverse(lower)
			p.FillPolygon(of.shade().light, p.ClipPolygonXY(append(upper, lower...)))
			break
		}
	}
	p.StrokeLines(stroke, p.ClipLinesXY(curve)...)
	for _, m := range f.Points {
		if !drawable(m) {
			continue
		}
		if f.Timed && m.Low > 0 {
			from, to := p.at(m.X, m.Low), p.at(m.X, m.High)
			p.StrokeLine2(draw.LineStyle{Color: of.light, Width: 0.7}, from.X, from.Y, to.X, to.Y)
		}
		p.DrawGlyphNoClip(draw.GlyphStyle{Color: of.light, Radius: radius, Shape: mark}, p.at(m.X, m.Y))
	}
}

// band draws several series as one: the points of all, and the area between the lowest and the highest line through those of one.
func (p *panel) band(it item, of ink) {
	var places []float64
	for _, f := range it {
		for _, m := range f.Points {
			if drawable(m) {
				places = append(places, m.X)
			}
		}
	}
	slices.Sort(places)
	var upper, lower []vg.Point
	for _, x := range slices.Compact(places) {
		low, high := math.Inf(1), math.Inf(-1)
		for _, f := range it {
			if y, ok := between(f.Points, x); ok {
				low, high = min(low, y), max(high, y)
			}
		}
		upper, lower = append(upper, p.at(x, high)), append(lower, p.at(x, low))
	}
	slices.Reverse(lower)
	p.FillPolygon(of.shade().light, p.ClipPolygonXY(append(upper, lower...)))
	for _, f := range it {
		for _, m := range f.Points {
			if drawable(m) {
				p.DrawGlyphNoClip(draw.GlyphStyle{Color: of.light, Radius: 0.9, Shape: draw.CircleGlyph{}}, p.at(m.X, m.Y))
			}
		}
	}
}

// between is the height at x of the straight lines through points in logarithmic axes.
func between(points []bench.Measurement, x float64) (y float64, ok bool) {
	all := slices.DeleteFunc(slices.Clone(points), func(m bench.Measurement) bool { return !drawable(m) })
	slices.SortFunc(all, func(a, b bench.Measurement) int { return cmp.Compare(a.X, b.X) })
	i, found := slices.BinarySearchFunc(all, x, func(m bench.Measurement, x float64) int { return cmp.Compare(m.X, x) })
	switch {
	case found:
		return all[i].Y, true
	case i == 0 || i == len(all):
		return 0, false
	}
	left, right := all[i-1], all[i]
	return left.Y * math.Pow(right.Y/left.Y, math.Log(x/left.X)/math.Log(right.X/left.X)), true
}

// curvePoints is how many points a fitted curve is drawn through.
const curvePoints = 30

// curve is the fitted curve with the upper and the lower side of its band, without what has no logarithm.
func (p *panel) curve(f *bench.Finding) (curve, upper, lower []vg.Point) {
	from, to, ok := f.Range()
	for i := range curvePoints {
		x := from * math.Pow(to/from, float64(i)/(curvePoints-1))
		if !ok || from == to {
			break
		}
		y, low, high, ok := f.Curve(x)
		if !ok || low <= 0 || math.IsInf(high, 0) || math.IsNaN(high) {
			continue
		}
		curve, upper, lower = append(curve, p.at(x, y)), append(upper, p.at(x, high)), append(lower, p.at(x, low))
	}
	return curve, upper, lower
}

// labelWidth is how wide the label of a series is, with the gap before it.
func labelWidth(it item) vg.Length {
	s := style(words, small)
	return 1.15*max(s.Width(it.name()), s.Width(it.fitted())) + gap // other fonts are wider
}

// narrow moves the right side of the panel so that labels find room beside the last points of their series. A panel
// is at least 0.4 times as wide as before.
func (p *panel) narrow(all []item) {
	wide := p.Max.X - p.Min.X
	least := wide
	for _, f := range all {
		part := p.x.at(f.last().X, 0, 1)
		least = min(least, (wide-labelWidth(f))/part)
	}
	p.Max.X = p.Min.X + max(least, 0.4*wide)
}

// label writes the names of series beside their last points, and below them what was fitted. They don't overlap.
func (p *panel) label(all []item) {
	type label struct {
		item
		of ink
		at vg.Point
	}
	var labels []label
	for i, f := range all {
		m := f.last()
		labels = append(labels, label{f, palette[i], p.at(m.X, m.Y).Add(vg.Point{X: gap})})
	}
	slices.SortStableFunc(labels, func(a, b label) int { return cmp.Compare(b.at.Y, a.at.Y) })
	const high = 20 // of two lines
	for i := range labels {
		l := &labels[i]
		l.at.X = min(l.at.X, width-labelWidth(l.item))
		for _, m := range labels[:i] { // those above
			if l.at.X < m.at.X+labelWidth(m.item) && m.at.X < l.at.X+labelWidth(l.item) {
				l.at.Y = min(l.at.Y, m.at.Y-high)
			}
		}
	}
	up := vg.Length(0) // by which all go up that the lowest is beside the panel
	for _, l := range labels {
		up = max(up, p.Min.Y+5-l.at.Y)
	}
	for _, l := range labels {
		p.FillText(style(l.of, small), l.at.Add(vg.Point{Y: up + 4}), l.name())
		p.FillText(style(quiet, small), l.at.Add(vg.Point{Y: up - 5}), l.fitted())
	}
}
