package plot

import (
	"math"
	"strconv"

	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// groupHeight is the height of a panel with n lines, and of its heading.
func groupHeight(n int) vg.Length { return vg.Length(n)*line + 2*line }

// groups draws a panel for each group, from top downward: a line for each finding, with a mark at its number, and the
// number beside it. Left of the first panel of a row are the names.
func (s *sheet) groups(c draw.Canvas, top vg.Length) {
	const number = vg.Length(24)
	names := vg.Length(0)
	for _, f := range s.Findings {
		names = max(names, style(words, small).Width(f.Name)+3*gap)
	}
	names = min(names, width/2)
	across := (width - names) / columns
	all := axes{}
	for _, f := range s.Findings {
		for _, m := range f.Points {
			if drawable(m) {
				all.include(s.Y, m.Y)
			}
		}
	}
	x, faint := all[s.Y], draw.LineStyle{Color: rule.light, Width: 0.6}
	for g, group := range s.Groups {
		left, y := names+vg.Length(g%columns)*across, top-vg.Length(g/columns)*groupHeight(len(s.Findings))-line
		c.FillText(style(words, small), vg.Point{X: left, Y: y}, group)
		for _, f := range s.Findings {
			y -= line
			of, name := quiet, style(words, small)
			if f.Name == s.Marked {
				of, name = blue, style(blue, small)
			}
			if g%columns == 0 {
				c.FillText(name, vg.Point{X: gap, Y: y}, cut(name, f.Name, names-2*gap))
			}
			c.StrokeLine2(faint, left, y, left+across-number-gap, y)
			for _, m := range f.Points {
				if int(m.X) == g+1 && drawable(m) {
					at := vg.Point{X: x.at(m.Y, left+3, left+across-number-gap), Y: y}
					c.DrawGlyphNoClip(draw.GlyphStyle{Color: of.light, Radius: 2.4, Shape: draw.CircleGlyph{}}, at)
					value := style(of, small)
					c.FillText(value, vg.Point{X: at.X + 5, Y: y}, shortNumber(m.Y))
				}
			}
		}
	}
}

// shortNumber prints a number with two digits.
func shortNumber(v float64) string {
	digits := max(0, 1-int(math.Floor(math.Log10(v))))
	return strconv.FormatFloat(v, 'f', digits, 64)
}
