package picture

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"slices"
	"unicode/utf8"

	"github.com/gram-machine/gram/cmd/internal/layered"
)

// SVG draws the graph as an svg element for a page, and returns how many operations it leaves
// out. Operands are left of the nodes that use them, and values are below their nodes. The
// colours are those of DOT, unless the page sets the CSS variables --primal, --tangent, --dual
// and --left for lines, --primal-fill, --tangent-fill and --dual-fill for inputs, and --paper for
// the background. title is the title of the picture.
func (c *Computation) SVG(w io.Writer, title string) (left int, err error) {
	f := c.figure()
	s := newSVG(w, f)
	s.place()
	s.draw(title)
	return f.left, s.w.Flush()
}

// svg draws shapes that layered.Place has placed, and links between them. Lengths are in
// pixels.
type svg struct {
	w      *bufio.Writer
	shapes []shape
	index  map[string]int // of shapes, by id
	links  []link
	layout layered.Layout
}

func newSVG(w io.Writer, f *figure) *svg {
	s := &svg{w: bufio.NewWriter(w), index: map[string]int{}}
	for _, e := range slices.Concat(f.sources, f.elements) {
		if l, ok := e.(link); ok {
			s.links = append(s.links, l)
			continue
		}
		h := shapeOf(e)
		s.index[h.id] = len(s.shapes)
		s.shapes = append(s.shapes, h)
	}
	return s
}

// dark are the colours for readers who prefer dark pages, of a picture that is a page or an image. In a page the root
// is another element, and sets the variables itself.
const dark = `<style>@media screen and (prefers-color-scheme: dark) { svg:root { --paper: #16161c; --left: #9a9a9a; --primal: #a3a8f0; --primal-fill: #2b2b52;` +
	` --tangent: #7fcf9a; --tangent-fill: #1d4029; --dual: #f08ca0; --dual-fill: #4d1f2b; } }</style>
`

// margin is the margin around the picture, for the lines of its shapes.
const margin = 2

// place places the shapes.
func (s *svg) place() {
	nodes := make([]layered.Node, len(s.shapes))
	for i := range s.shapes {
		nodes[i] = s.shapes[i].room()
	}
	edges := make([]layered.Edge, len(s.links))
	for i, l := range s.links {
		edges[i] = layered.Edge{From: s.index[l.from], To: s.index[l.to]}
	}
	s.layout = layered.Place(nodes, edges, layered.Options{NodeGap: 10, LayerGap: 26})
}

func (s *svg) printf(format string, args ...any) { fmt.Fprintf(s.w, format, args...) }

func (s *svg) draw(title string) {
	width, height := s.layout.Width+2*margin, s.layout.Height+2*margin
	s.printf(`<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="%d %d %.1f %.1f" role="img" font-family="Helvetica, Arial, sans-serif" font-size="13" text-anchor="middle" style="background:%s">`+"\n",
		width, height, -margin, -margin, width, height, paper)
	s.printf("<title>%s</title>\n%s", escape(title), dark)
	for _, p := range palettes {
		if !p.used(s) {
			continue
		}
		s.printf(`<g color="%s" stroke="currentColor" fill="none">`+"\n", p.line)
		s.drawLinks(p)
		for i := range s.shapes {
			if h := &s.shapes[i]; h.palette == p {
				h.draw(s, s.layout.X[i], s.layout.Y[i])
			}
		}
		s.printf("</g>\n")
	}
	s.printf("</svg>\n")
}

// drawLinks draws the links of a palette. Links into one hyperedge arrive one below the other,
// in the order of its operands or, if that does not matter, in the order of their sources.
func (s *svg) drawLinks(p palette) {
	into := make([][]int, len(s.shapes))
	for i, l := range s.links {
		to := s.index[l.to]
		into[to] = append(into[to], i)
	}
	for to, links := range into {
		target := &s.shapes[to]
		if !target.ordered {
			slices.SortStableFunc(links, func(i, j int) int {
				return cmp.Compare(s.layout.Y[s.index[s.links[i].from]], s.layout.Y[s.index[s.links[j].from]])
			})
		}
		for k, i := range links {
			if linkPalette(s.links[i]) == p {
				s.drawLink(i, target.port(k, len(links)))
			}
		}
	}
}

// arrow is the length of an arrow's head.
const arrow = 7

// drawLink draws a link whose end is off the middle of its target by some pixels.
func (s *svg) drawLink(i int, off float64) {
	l := s.links[i]
	from, to := s.box(s.index[l.from]), s.box(s.index[l.to])
	to.Y += off
	to.Width += 2 * arrow
	x := to.X - to.Width/2
	dash := ""
	if l.left {
		dash = ` stroke-dasharray="3 3"`
	}
	s.printf(`<path d="%s"%s/><path d="M%.1f %.1fl%d %dv%dz" fill="currentColor" stroke="none"/>`+"\n",
		layered.Curve(from, to, s.layout.Via[i]...), dash, x+arrow, to.Y, -arrow, -3, 6)
}

// box is the outline of a shape, where links begin and end.
func (s *svg) box(i int) layered.Box {
	return layered.Box{X: s.layout.X[i], Y: s.layout.Y[i], Width: s.shapes[i].width, Height: s.shapes[i].height}
}

// textWidth bounds the width of a text of the size, by the digit.
func textWidth(text string, size float64) float64 {
	return 0.58 * size * float64(utf8.RuneCountInString(text))
}
