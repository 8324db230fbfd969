package picture

import (
	"bufio"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/gram-machine/gram/cmd/internal/layered"
)

// Format is a format of pictures.
type Format uint8

// The formats.
const (
	DOT Format = iota // the language of Graphviz
	SVG               // laid out by [layered.Place]
)

// sheet collects the boxes of a picture in SVG, and the edges between them, until they are laid out. Lengths are in
// pixels.
type sheet struct {
	boxes  []sheetBox
	edges  []sheetEdge
	index  map[string]int // of boxes, by id
	frames []string       // their titles; the first has none, and is not drawn
	down   bool           // layers are below each other, not side by side
}

type sheetBox struct {
	lines          []string
	colour, fill   string
	dashed, double bool
	frame          int
	place          layered.Box
}

type sheetEdge struct {
	from, to string
	colour   string
	dashed   bool
	free     bool // it does not count for the layout: it leads to another frame
}

func newSheet() *sheet { return &sheet{index: map[string]int{}, frames: []string{""}} }

// get returns an attribute, or "".
func (as attrs) get(name string) string {
	for i := 0; i < len(as); i += 2 {
		if as[i] == name {
			return fmt.Sprint(as[i+1])
		}
	}
	return ""
}

func (s *sheet) node(id string, as attrs) {
	if _, known := s.index[id]; known {
		return
	}
	b := sheetBox{lines: strings.Split(as.get("label"), "\n"), colour: themed(as.get("color")), fill: paper,
		frame:  len(s.frames) - 1,
		dashed: strings.Contains(as.get("style"), "dashed"), double: as.get("peripheries") != ""}
	if strings.Contains(as.get("style"), "filled") {
		b.fill = themed(as.get("fillcolor"))
	}
	s.index[id] = len(s.boxes)
	s.boxes = append(s.boxes, b)
}

func (s *sheet) edge(from, to string, as attrs) {
	s.edges = append(s.edges, sheetEdge{from, to, themed(as.get("color")), as.get("style") == "dashed",
		as.get("constraint") == "false"})
}

const (
	boxSize   = 12 // of the text in a box
	boxLine   = 15
	framePad  = 12
	frameHead = 24 // for its title
	widest    = 700
)

// write lays the boxes out, one frame below the other, and draws them.
func (s *sheet) write(w *bufio.Writer, title string) {
	var frames strings.Builder
	vias := make([][]layered.Point, len(s.edges))
	width, height := 0.0, 0.0
	tops := make([]float64, len(s.frames))
	for f := range s.frames {
		var nodes []layered.Node
		at := map[int]int{}
		var of []int
		for i, b := range s.boxes {
			if b.frame == f {
				at[i] = len(nodes)
				of = append(of, i)
				longest := 0.0
				for _, line := range b.lines {
					longest = max(longest, textWidth(line, boxSize))
				}
				nodes = append(nodes, layered.Node{Width: longest + 16, Height: 8 + boxLine*float64(len(b.lines))})
			}
		}
		if len(nodes) == 0 {
			continue
		}
		var edges []layered.Edge
		var which []int
		for k, e := range s.edges {
			from, ok := s.index[e.from]
			to, known := s.index[e.to]
			if ok && known && !e.free && s.boxes[from].frame == f && s.boxes[to].frame == f {
				edges, which = append(edges, layered.Edge{From: at[from], To: at[to]}), append(which, k)
			}
		}
		l := layered.Place(nodes, edges, layered.Options{NodeGap: 12, LayerGap: 36})
		if l.Width > widest && len(s.frames) == 1 {
			turned := slices.Clone(nodes)
			for i, n := range nodes {
				turned[i] = layered.Node{Width: n.Height, Height: n.Width}
			}
			if t := layered.Place(turned, edges, layered.Options{NodeGap: 12, LayerGap: 24}); t.Height < l.Width {
				s.down, l = true, layered.Layout{X: t.Y, Y: t.X, Via: t.Via, Width: t.Height, Height: t.Width}
			}
		}
		left, top := float64(margin), height+margin
		tops[f] = height
		if s.frames[f] != "" {
			left, top = framePad, height+frameHead
			fmt.Fprintf(&frames, `<rect x="1" y="%.1f" width="%.1f" height="%.1f" rx="8" fill="none" stroke="%s"/><text x="%d" y="%.1f" fill="%s" text-anchor="start">%s</text>`+"\n",
				height+1, max(l.Width+2*framePad, textWidth(s.frames[f], boxSize)+2*framePad),
				l.Height+frameHead+framePad-2, palettes[leftOut].line, framePad, height+16, palettes[leftOut].line,
				escape(s.frames[f]))
		}
		for k, i := range of {
			s.boxes[i].place = layered.Box{X: left + l.X[k], Y: top + l.Y[k], Width: nodes[k].Width, Height: nodes[k].Height}
		}
		for k, e := range which {
			for _, p := range l.Via[k] {
				if s.down {
					p.X, p.Y = p.Y, p.X
				}
				vias[e] = append(vias[e], layered.Point{X: left + p.X, Y: top + p.Y})
			}
		}
		width = max(width, l.Width+2*framePad, textWidth(s.frames[f], boxSize)+2*framePad)
		height = top + l.Height + 2*framePad
	}
	fmt.Fprintf(w, `<svg xmlns="http://www.w3.org/2000/svg" width="%.0f" height="%.0f" viewBox="0 0 %.1f %.1f" role="img" font-family="Helvetica, Arial, sans-serif" font-size="%d" text-anchor="middle" style="background:%s">`+"\n",
		width+2, height, width+2, height, boxSize, paper)
	fmt.Fprintf(w, "<title>%s</title>\n%s%s", escape(title), dark, frames.String())
	for k, e := range s.edges {
		from, ok := s.index[e.from]
		to, known := s.index[e.to]
		if ok && known {
			s.drawEdge(w, &s.boxes[from], &s.boxes[to], &s.edges[k], vias[k], tops)
		}
	}
	for i := range s.boxes {
		s.boxes[i].draw(w)
	}
	fmt.Fprintf(w, "</svg>\n")
}

func (s *sheet) drawEdge(w *bufio.Writer, from, to *sheetBox, e *sheetEdge, via []layered.Point, tops []float64) {
	target := to.place
	if e.free { // to the title of the frame
		target = layered.Box{X: framePad / 2, Y: tops[to.frame] + frameHead/2}
	}
	source := from.place
	if s.down {
		source, target = turned(source), turned(target)
		for i := range via {
			via[i].X, via[i].Y = via[i].Y, via[i].X
		}
	}
	target.Width += 2 * arrow
	dash := ""
	if e.dashed {
		dash = ` stroke-dasharray="3 3"`
	}
	x, curve := target.X-target.Width/2, layered.Curve(source, target, via...)
	head := fmt.Sprintf("M%.1f %.1fl%d %dv%dz", x+arrow, target.Y, -arrow, -3, 6)
	if s.down {
		curve = coordinates.ReplaceAllString(curve, "$2 $1")
		head = fmt.Sprintf("M%.1f %.1fl%d %dh%dz", target.Y, x+arrow, -3, -arrow, 6)
	}
	fmt.Fprintf(w, `<path d="%s" fill="none" stroke="%s"%s/><path d="%s" fill="%[2]s"/>`+"\n", curve, e.colour, dash, head)
}

// coordinates are the points of a path.
var coordinates = regexp.MustCompile(`(-?[\d.]+) (-?[\d.]+)`)

// turned is a box on its side.
func turned(b layered.Box) layered.Box {
	return layered.Box{X: b.Y, Y: b.X, Width: b.Height, Height: b.Width}
}

func (b *sheetBox) draw(w *bufio.Writer) {
	p := b.place
	dash := ""
	if b.dashed {
		dash = ` stroke-dasharray="4 3"`
	}
	fmt.Fprintf(w, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="6" fill="%s" stroke="%s"%s/>`+"\n",
		p.X-p.Width/2, p.Y-p.Height/2, p.Width, p.Height, b.fill, b.colour, dash)
	if b.double {
		fmt.Fprintf(w, `<rect x="%.1f" y="%.1f" width="%.1f" height="%.1f" rx="4" fill="none" stroke="%s"/>`+"\n",
			p.X-p.Width/2+2, p.Y-p.Height/2+2, p.Width-4, p.Height-4, b.colour)
	}
	for i, line := range b.lines {
		y := p.Y + boxLine*(float64(i)-float64(len(b.lines)-1)/2) + 0.36*boxSize
		fmt.Fprintf(w, `<text x="%.1f" y="%.1f" fill="%s">%s</text>`+"\n", p.X, y, b.colour, escape(line))
	}
}
