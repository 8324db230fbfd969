package plot

import (
	"fmt"
	"image/color"
	"strings"

	stdfont "golang.org/x/image/font"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/text"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
)

// ink is a colour on a light page, and the one that stands for it on a dark page.
type ink struct{ light, dark color.NRGBA }

func hex(light, dark uint32) ink {
	of := func(v uint32) color.NRGBA { return color.NRGBA{uint8(v >> 16), uint8(v >> 8), uint8(v), 0xFF} }
	return ink{of(light), of(dark)}
}

var (
	paper  = hex(0xFFFFFF, 0x0D1117)
	words  = hex(0x1F2328, 0xE6EDF3)
	quiet  = hex(0x59636E, 0x9198A1) // of axes and what is less important
	rule   = hex(0xDDE2E7, 0x2D333B)
	blue   = hex(0x0067A3, 0x58B4F0)
	orange = hex(0xB84A00, 0xF4894A)
	green  = hex(0x007A59, 0x35C79A)
	purple = hex(0xA3457D, 0xE79BC6)
)

// palette has the colours of series that share a panel.
var palette = []ink{blue, orange, green, purple}

// shade is the colour of the bands around lines of the ink.
func (i ink) shade() ink {
	i.light.A, i.dark.A = 0x33, 0x33
	return i
}

// darkStyle is the style sheet for readers who prefer dark pages.
func darkStyle() string {
	css := func(c color.Color) string { // as vgsvg writes it
		r, g, b, a := c.RGBA()
		part := func(v uint32) int { return int(float64(v) * (255 / float64(a))) }
		return fmt.Sprintf("#%02X%02X%02X", part(r), part(g), part(b))
	}
	inks := []ink{paper, words, quiet, rule}
	for _, i := range palette {
		inks = append(inks, i, i.shade())
	}
	var out strings.Builder
	out.WriteString("<style>@media (prefers-color-scheme:dark){")
	for _, i := range inks {
		for _, property := range []string{"fill", "stroke"} {
			fmt.Fprintf(&out, "[style*=\"%s:%s\"]{%[1]s:%[3]s!important}", property, css(i.light), css(i.dark))
		}
	}
	fmt.Fprintf(&out, "}text{paint-order:stroke;stroke:%s;stroke-width:3px;stroke-linejoin:round}", css(paper.light))
	fmt.Fprintf(&out, "@media (prefers-color-scheme:dark){text{stroke:%s}}</style>\n", css(paper.dark))
	return out.String()
}

// Sizes in points. A picture is as wide as a phone in landscape shows without scaling.
const (
	width    = vg.Length(360)
	textSize = vg.Length(9)
	small    = vg.Length(8)
	line     = vg.Length(12) // of text
	gap      = vg.Length(6)
)

// style is the style of text of a size; its place is the left end of the line's middle.
func style(of ink, size vg.Length) text.Style {
	return text.Style{Color: of.light, Font: font.From(font.Font{Typeface: "Liberation", Variant: "Sans"}, size), YAlign: draw.YCenter, Handler: plot.DefaultTextHandler}
}

// titleStyle is the style of a title.
func titleStyle(bold bool) text.Style {
	if !bold {
		return style(quiet, textSize)
	}
	s := style(words, textSize)
	s.Font.Weight = stdfont.WeightBold
	return s
}

// wrap breaks a text into lines of the width at most, where words end.
func wrap(s text.Style, words string, most vg.Length) []string {
	var lines []string
	for _, w := range strings.Fields(words) {
		if n := len(lines); n > 0 && s.Width(lines[n-1]+" "+w) <= most {
			lines[n-1] += " " + w
		} else {
			lines = append(lines, w)
		}
	}
	return lines
}

// cut shortens a text to the width.
func cut(s text.Style, words string, most vg.Length) string {
	whole := words
	for r := []rune(words); len(r) > 1 && s.Width(whole) > most; whole = string(r) + "…" {
		r = r[:len(r)-1]
	}
	return whole
}
