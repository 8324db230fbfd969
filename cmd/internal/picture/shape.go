package picture

import (
	"fmt"
	"unicode/utf8"

	"github.com/gram-machine/gram/cmd/internal/layered"
)

// shape is a part of a figure in SVG. Lengths are in pixels.
type shape struct {
	id            string
	width, height float64 // of the outline
	caption       float64 // the width of the text below it, 0 for none
	palette       palette
	ordered       bool // links arrive in the order of operands
	lean          bool // it is a triangle: at its lower and upper end no link arrives
	draw          func(s *svg, x, y float64)
}

// room is the space for a shape. It is as high above the shape as below, where the caption is,
// so that the shape is in its middle.
func (h *shape) room() layered.Node {
	n := layered.Node{Width: max(h.width, h.caption), Height: h.height}
	if h.caption > 0 {
		n.Height += 2 * captionHeight
	}
	return n
}

// palette holds the colours of a part.
type palette struct{ line, fill string }

// palettes are the palettes of the parts and of the omission.
var palettes = [...]palette{
	Primal:  {variable("primal", hues[Primal].line), variable("primal-fill", hues[Primal].fill)},
	Tangent: {variable("tangent", hues[Tangent].line), variable("tangent-fill", hues[Tangent].fill)},
	Adjoint: {variable("dual", hues[Adjoint].line), variable("dual-fill", hues[Adjoint].fill)},
	leftOut: {line: variable("left", leftColour)},
}

const leftOut = Adjoint + 1

// variable is a variable of the page's style, or a colour where the page has none.
func variable(name, colour string) string { return "var(--" + name + ", " + colour + ")" }

// themed returns the variable for a colour of DOT, or the colour if there is none.
func themed(colour string) string {
	for i, h := range hues {
		switch colour {
		case h.line:
			return palettes[i].line
		case h.fill:
			return palettes[i].fill
		}
	}
	if colour == leftColour {
		return palettes[leftOut].line
	}
	return colour
}

// paper is the colour behind the picture.
const paper = "var(--paper, #ffffff)"

func linkPalette(l link) palette {
	if l.left {
		return palettes[leftOut]
	}
	return palettes[l.of]
}

// used reports whether a shape has the palette.
func (p palette) used(s *svg) bool {
	for i := range s.shapes {
		if s.shapes[i].palette == p {
			return true
		}
	}
	return false
}

// Sizes, in pixels.
const (
	diameter      = 34 // of a circle
	nameSize      = 14
	valueSize     = 11
	captionHeight = 15
	triangle      = 40 // its base; its height is less
	lineRoom      = 3  // between the two lines of an output
)

// shapeOf returns the shape of an element that is no link.
func shapeOf(e element) shape {
	switch e := e.(type) {
	case circle:
		return circleShape(e)
	case hyperedge:
		return hyperedgeShape(e)
	}
	return omissionShape(e.(omission))
}

// circleShape is a circle, or a rounded box if its text is long.
func circleShape(c circle) shape {
	inside := nameWidth(c.name)
	if c.numeral {
		inside = textWidth(c.value, valueSize)
	}
	h := shape{id: c.id, width: max(diameter, inside+14), height: diameter, palette: palettes[c.of]}
	if c.output {
		h.width += 2 * lineRoom
		h.height += 2 * lineRoom
	}
	if c.value != "" && !c.numeral {
		h.caption = textWidth(c.value, valueSize)
	}
	h.draw = func(s *svg, x, y float64) {
		fill := paper
		if c.input {
			fill = h.palette.fill
		}
		stadium(s, x, y, h.width, h.height, fill)
		if c.output {
			stadium(s, x, y, h.width-2*lineRoom, h.height-2*lineRoom, "none")
		}
		switch {
		case c.numeral:
			s.text(x, y+valueSize*0.36, valueSize, c.value)
		case c.name != "":
			s.name(x, y+nameSize*0.3, c.name)
		}
		if h.caption > 0 {
			s.text(x, y+h.height/2+valueSize+1, valueSize, c.value)
		}
	}
	return h
}

// stadium draws a box with round ends, around its middle.
func stadium(s *svg, x, y, width, height float64, fill string) {
	s.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f" fill="%s"/>`+"\n",
		x-width/2, y-height/2, width, height, height/2, fill)
}

// hyperedgeShape is a triangle that points to the target, or an arrow where the symbol is
// long.
func hyperedgeShape(e hyperedge) shape {
	text := Symbol(e.symbol)
	n := utf8.RuneCountInString(text)
	h := shape{id: e.id, width: 0.86 * triangle, height: triangle, palette: palettes[e.of], ordered: ordered(e.symbol),
		lean: true}
	if n > 3 {
		h.width, h.height, h.lean = textWidth(text, 12)+20, 26, false
	}
	h.draw = func(s *svg, x, y float64) {
		l, r, t, b := x-h.width/2, x+h.width/2, y-h.height/2, y+h.height/2
		size := 12.0
		if n > 3 {
			s.printf(`<path d="M%.1f %.1fH%.1fL%.1f %.1fL%.1f %.1fH%.1fz" fill="%s"/>`+"\n", l, t, r-9, r, y, r-9, b, l, paper)
			s.text(x-4, y+4, size, text)
			return
		}
		s.printf(`<path d="M%.1f %.1fL%.1f %.1fL%.1f %.1fz" fill="%s"/>`+"\n", l, t, r, y, l, b, paper)
		if n == 1 {
			size = 19
		}
		s.text(l+h.width*0.36, y+size*0.33, size, text)
	}
	return h
}

func omissionShape(o omission) shape {
	lines := []string{fmt.Sprintf("%d operations", o.operations), "are left out"}
	h := shape{id: ellipsisID, width: textWidth(lines[0], 12) + 16, height: 40, palette: palettes[leftOut]}
	h.draw = func(s *svg, x, y float64) {
		s.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" stroke-dasharray="3 3" fill="%s"/>`+"\n",
			x-h.width/2, y-h.height/2, h.width, h.height, paper)
		s.text(x, y-3, 12, lines[0])
		s.text(x, y+12, 12, lines[1])
	}
	return h
}

// port returns how far from its middle the k-th of n links arrives at a shape.
func (h *shape) port(k, n int) float64 {
	room := h.height - 8
	if h.lean {
		room = h.height * 0.5
	}
	if n < 2 {
		return 0
	}
	return room * (float64(k)/float64(n-1) - 0.5)
}

func (s *svg) text(x, y, size float64, text string) {
	s.printf(`<text x="%.1f" y="%.1f" font-size="%g" fill="currentColor" stroke="none">%s</text>`+"\n", x, y, size, escape(text))
}

// name draws a variable's name around x.
func (s *svg) name(x, y float64, name string) {
	p := spell(name)
	if p.letters == "" {
		s.text(x, y, nameSize, name)
		return
	}
	s.printf(`<text x="%.1f" y="%.1f" font-size="%d" fill="currentColor" stroke="none"><tspan font-style="italic">%s</tspan>`, x, y, nameSize, escape(p.letters))
	if p.subscripts != "" {
		s.printf(`<tspan dy="3" font-size="10">%s</tspan>`, escape(p.subscripts))
	}
	if p.ticks != "" {
		back := ""
		if p.subscripts != "" {
			back = ` dy="-3"`
		}
		s.printf(`<tspan%s>%s</tspan>`, back, p.ticks)
	}
	s.printf("</text>\n")
}

func nameWidth(name string) float64 {
	p := spell(name)
	if p.letters == "" {
		return textWidth(name, nameSize)
	}
	return textWidth(p.letters+p.ticks, nameSize) + textWidth(p.subscripts, 10)
}
