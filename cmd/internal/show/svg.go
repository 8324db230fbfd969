package show

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"slices"
	"sort"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/lang/syntax"
)

// svg writes the figure as an svg element: what is read is left of what reads it, or above it.
func (f *figure) svg(w io.Writer) error {
	s := &drawing{Writer: bufio.NewWriter(w), figure: f, index: map[string]int{}}
	for i := range f.nodes {
		s.index[f.nodes[i].ID] = i
	}
	f.links = slices.DeleteFunc(f.links, func(l link) bool { // to what is not drawn, or left out
		_, from := s.index[l.From]
		_, to := s.index[l.To]
		return !from || !to
	})
	s.place(false)
	if f.down && s.layout.Width > widest {
		wide := s.layout
		if s.place(true); s.layout.Height >= wide.Width {
			s.place(false)
		}
	}
	s.draw()
	return s.Flush()
}

// drawing draws a figure whose nodes [Place] has placed. Lengths are in pixels.
type drawing struct {
	*bufio.Writer // keeps the first error
	*figure
	index  map[string]int // of nodes, by id
	layout Layout         // with x and y exchanged if turned
	turned bool
}

// dark are the colours for readers who prefer dark pages, of a picture that is a page or an image. In a page the root
// is another element, and sets the variables itself.
const dark = `<style>@media screen and (prefers-color-scheme: dark) { svg:root { --paper: #16161c; --left: #9a9a9a; ` +
	`--primal: #a3a8f0; --primal-fill: #2b2b52; --tangent: #7fcf9a; --tangent-fill: #1d4029; --dual: #f08ca0; ` +
	`--dual-fill: #4d1f2b; } }</style>` + "\n"

const (
	paper         = "var(--paper, #ffffff)" // the colour behind the picture
	widest        = 700                     // of a picture whose links run to the right, if they may run down
	margin        = 2                       // around the picture, for the lines of its shapes
	arrow         = 7                       // the length of an arrow's head
	diameter      = 34                      // of a circle
	nameSize      = 14
	valueSize     = 11
	boxSize       = 12 // of the letters in a box
	boxLine       = 15
	captionHeight = 15
	triangle      = 40 // its base; its height is less
	lineRoom      = 3  // between the two lines of an output
	longSymbol    = 3  // letters of the longest symbol that stands in a triangle
)

// size is the size of the outline of a node, and the width of the text below it, 0 for none.
func (n *node) size() (width, height, caption float64) {
	switch {
	case n.Kind == box:
		lines := strings.Split(n.Text, "\n")
		for _, line := range lines {
			width = max(width, textWidth(line, boxSize))
		}
		return width + 16, 8 + boxLine*float64(len(lines)), 0
	case n.Kind == hyperedge && n.Long():
		return textWidth(n.Text, boxSize) + 20, 26, 0
	case n.Kind == hyperedge:
		return 0.86 * triangle, triangle, 0
	}
	name := n.Name()
	inside := textWidth(name.Letters+name.Ticks, nameSize) + textWidth(name.Subscripts, 10)
	if n.Numeral {
		inside = textWidth(n.Value, valueSize)
	} else if n.Value != "" {
		caption = textWidth(n.Value, valueSize)
	}
	width, height = max(diameter, inside+14), diameter
	if n.Double {
		width, height = width+2*lineRoom, height+2*lineRoom
	}
	return width, height, caption
}

// place places the nodes. A node with a caption takes as much room above as below, so that its outline is in its
// middle.
func (s *drawing) place(turned bool) {
	s.turned = turned
	nodes := make([]Node, len(s.nodes))
	gaps := Options{NodeGap: 10, LayerGap: 26}
	for i := range s.nodes {
		width, height, caption := s.nodes[i].size()
		n := Node{Width: max(width, caption), Height: height}
		if caption > 0 {
			n.Height += 2 * captionHeight
		}
		if turned {
			n.Width, n.Height = n.Height, n.Width
		}
		nodes[i] = n
	}
	edges := syntax.Each(len(s.links), func(i int) Edge { return Edge{s.index[s.links[i].From], s.index[s.links[i].To]} })
	s.layout = Place(nodes, edges, gaps)
}

func (s *drawing) printf(format string, args ...any) { fmt.Fprintf(s, format, args...) }

func (s *drawing) draw() {
	width, height := s.layout.Width+2*margin, s.layout.Height+2*margin
	if s.turned {
		width, height = height, width
	}
	s.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="%d %d %.1f %.1f" role="img" `+
		`font-family="Helvetica, Arial, sans-serif" font-size="13" text-anchor="middle" style="background:%s">`+"\n",
		width, height, -margin, -margin, width, height, paper)
	s.printf("<title>%s</title>\n%s", html.EscapeString(s.title), dark)
	for of, c := range colours {
		if !slices.ContainsFunc(s.nodes, func(n node) bool { return n.Of == Part(of) }) {
			continue
		}
		s.printf(`<g color="%s" stroke="currentColor" fill="none">`+"\n", variable(c.name, c.line))
		if s.turned { // exchanges x and y
			s.WriteString(`<g transform="matrix(0 1 1 0 0 0)">` + "\n")
		}
		s.drawLinks(Part(of))
		if s.turned {
			s.WriteString("</g>\n")
		}
		for i := range s.nodes {
			if s.nodes[i].Of == Part(of) {
				x, y := s.layout.X[i], s.layout.Y[i]
				if s.turned {
					x, y = y, x
				}
				s.drawNode(&s.nodes[i], x, y)
			}
		}
		s.printf("</g>\n")
	}
	s.printf("</svg>\n")
}

// variable is a variable of the page's style, or a colour where the page has none.
func variable(name, colour string) string { return "var(--" + name + ", " + colour + ")" }

// drawLinks draws the links of a part. Links into one node arrive beside each other, in the order of its operands or,
// if that does not matter, in the order of their sources.
func (s *drawing) drawLinks(of Part) {
	into := make([][]int, len(s.nodes))
	for i, l := range s.links {
		to := s.index[l.To]
		into[to] = append(into[to], i)
	}
	for to, links := range into {
		if !s.nodes[to].Ordered {
			y := func(i int) float64 { return s.layout.Y[s.index[s.links[links[i]].From]] }
			sort.SliceStable(links, func(i, j int) bool { return y(i) < y(j) })
		}
		for k, i := range links {
			if s.links[i].Of == of {
				s.drawLink(i, s.arrival(to, k, len(links)))
			}
		}
	}
}

// arrival is how far from its middle the k-th of n links arrives at a node.
func (s *drawing) arrival(to, k, n int) float64 {
	if n < 2 {
		return 0
	}
	room := s.outline(to).Height - 8
	if at := &s.nodes[to]; at.Kind == hyperedge && !at.Long() {
		room = triangle * 0.5 // at its lower and upper end no link arrives
	}
	return room * (float64(k)/float64(n-1) - 0.5)
}

// drawLink draws a link whose end is off the middle of its target.
func (s *drawing) drawLink(i int, off float64) {
	from, to := s.outline(s.index[s.links[i].From]), s.outline(s.index[s.links[i].To])
	to.Y += off
	to.Width += 2 * arrow
	dash := ""
	if s.links[i].Dashed() {
		dash = ` stroke-dasharray="3 3"`
	}
	s.printf(`<path d="%s"%s/><path d="M%.1f %.1fl%d %dv%dz" fill="currentColor" stroke="none"/>`+"\n",
		Curve(from, to, s.layout.Via[i]...), dash, to.X-to.Width/2+arrow, to.Y, -arrow, -3, 6)
}

// outline is where links begin and end at a node.
func (s *drawing) outline(i int) Box {
	width, height, _ := s.nodes[i].size()
	if s.turned {
		width, height = height, width
	}
	return Box{X: s.layout.X[i], Y: s.layout.Y[i], Width: width, Height: height}
}

// drawNode draws a node around a point.
func (s *drawing) drawNode(n *node, x, y float64) {
	width, height, caption := n.size()
	fill := paper
	if n.Filled {
		fill = variable(colours[n.Of].name+"-fill", colours[n.Of].fill)
	}
	switch n.Kind {
	case box:
		s.rectangle(x, y, width, height, 6, fill, n.Dashed)
		if n.Double {
			s.rectangle(x, y, width-4, height-4, 4, "none", false)
		}
		lines := strings.Split(n.Text, "\n")
		for i, line := range lines {
			s.text(x, y+boxLine*(float64(i)-float64(len(lines)-1)/2)+0.36*boxSize, boxSize, line)
		}
	case hyperedge:
		s.drawSymbol(n, x, y)
	case circle:
		s.rectangle(x, y, width, height, height/2, fill, false)
		if n.Double {
			s.rectangle(x, y, width-2*lineRoom, height-2*lineRoom, (height-2*lineRoom)/2, "none", false)
		}
		switch {
		case n.Numeral:
			s.text(x, y+valueSize*0.36, valueSize, n.Value)
		case n.Text != "":
			name := n.Name()
			markup, back := `<tspan font-style="italic">`+html.EscapeString(name.Letters)+"</tspan>", ""
			if name.Subscripts != "" {
				markup += `<tspan dy="3" font-size="10">` + name.Subscripts + "</tspan>"
				back = ` dy="-3"`
			}
			if name.Ticks != "" {
				markup += "<tspan" + back + ">" + name.Ticks + "</tspan>"
			}
			s.markup(x, y+nameSize*0.3, nameSize, markup)
		}
		if caption > 0 {
			s.text(x, y+height/2+valueSize+1, valueSize, n.Value)
		}
	}
}

// rectangle draws a rectangle with round corners around a point.
func (s *drawing) rectangle(x, y, width, height, round float64, fill string, dashed bool) {
	dash := ""
	if dashed {
		dash = ` stroke-dasharray="4 3"`
	}
	s.printf(`<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="%.1f"%s fill="%s"/>`+"\n",
		x-width/2, y-height/2, width, height, round, dash, fill)
}

// drawSymbol draws a triangle that points to the target, or an arrow where the symbol is long.
func (s *drawing) drawSymbol(n *node, x, y float64) {
	width, height, _ := n.size()
	l, r, t, b := x-width/2, x+width/2, y-height/2, y+height/2
	size := 12.0
	if n.Long() {
		s.printf(`<path d="M%.1f %.1fH%.1fL%.1f %.1fL%.1f %.1fH%.1fz" fill="%s"/>`+"\n", l, t, r-9, r, y, r-9, b, l, paper)
		s.text(x-4, y+4, size, n.Text)
		return
	}
	s.printf(`<path d="M%.1f %.1fL%.1f %.1fL%.1f %.1fz" fill="%s"/>`+"\n", l, t, r, y, l, b, paper)
	if n.Letters() == 1 {
		size = 19
	}
	s.text(l+width*0.36, y+size*0.33, size, n.Text)
}

func (s *drawing) text(x, y, size float64, text string) {
	s.markup(x, y, size, html.EscapeString(text))
}

func (s *drawing) markup(x, y, size float64, markup string) {
	s.printf(`<text x="%.1f" y="%.1f" font-size="%g" fill="currentColor" stroke="none">%s</text>`+"\n", x, y, size, markup)
}

// textWidth bounds the width of a text of the size, by the digit.
func textWidth(text string, size float64) float64 {
	return 0.58 * size * float64(utf8.RuneCountInString(text))
}
