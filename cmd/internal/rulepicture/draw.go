package rulepicture

import (
	"bytes"
	"fmt"
	"math"
)

// edge is an arrow from a node, or from an occurrence in it, to another node.
type edge struct {
	from, to int
	slot     int     // of from, −1: from the node itself
	dashed   bool    // an explicit substitution
	hot      bool    // of the redex, or new
	bend     float64 // how far it swings out to the right
}

// operand is a solid arrow, pointer a dashed one, each from the node itself.
func operand(from, to int) edge { return edge{from: from, to: to, slot: -1} }
func pointer(from, to int) edge { return edge{from: from, to: to, slot: -1, dashed: true} }

// of is the arrow that starts at an occurrence in its node.
func (e edge) of(slot int) edge { e.slot = slot; return e }

// inHalo is the arrow as a part of the redex, or as a new one.
func (e edge) inHalo() edge { e.hot = true; return e }

// swing is the arrow in a curve.
func (e edge) swing(right float64) edge { e.bend = right; return e }

// The head of an arrow.
const (
	headLength = 8.0
	headWidth  = 7.0
)

// draw draws a side, its place 0 at x: halos below arrows below shapes below text.
func (s side) draw(b *bytes.Buffer, x float64, ink colour) {
	fmt.Fprintf(b, "<g transform=\"translate(%.4g 0)\">\n", x)
	s.halos(b)
	s.arrows(b)
	open(b, ink, `fill-opacity="0.1" stroke-width="1.5"`)
	for _, n := range s.nodes {
		b.WriteString(n.outline())
	}
	b.WriteString("</g></g>\n")
	for _, n := range s.nodes {
		b.WriteString(n.letters())
	}
	b.WriteString("\n</g>\n")
}

// open begins what has a colour. Who does not know variables inherits the fallback.
func open(b *bytes.Buffer, c colour, attributes string) {
	fmt.Fprintf(b, `<g fill="%s" stroke="%s" %s><g fill="%s" stroke="%s">`, c.fallback, c.fallback, attributes, c, c)
}

func (s side) halos(b *bytes.Buffer) {
	open(b, redex, fmt.Sprintf(`opacity="0.5" stroke-width="%g"`, halo))
	for _, n := range s.nodes {
		if n.hot {
			b.WriteString(n.shape(halo/2, ` fill="none"`))
		}
	}
	for _, e := range s.edges {
		if e.hot {
			from, to := s.ends(e)
			fmt.Fprintf(b, `<g stroke-width="8" fill="none">%s</g>`, e.line(from, to))
		}
	}
	b.WriteString("</g></g>\n")
}

func (s side) arrows(b *bytes.Buffer) {
	b.WriteString(`<g stroke="currentColor" stroke-width="1.4" fill="none">`)
	var heads string
	for _, e := range s.edges {
		from, to := s.ends(e)
		last := from
		if e.bend != 0 {
			last = e.control(from, to)
		}
		pale := node{gone: s.nodes[e.from].gone || s.nodes[e.to].gone}.paleness()
		heads += head(last, to, pale)
		l := e.line(from, to.towards(last, headLength))
		dashes := ""
		if e.dashed {
			dashes = ` stroke-dasharray="4 3"`
		}
		b.WriteString("<g" + dashes + pale + ">" + l + "</g>")
	}
	root := s.nodes[s.root].centre()
	above, to := point{root.x, root.y - nodeHeight/2 - entry}, point{root.x, root.y - nodeHeight/2}
	heads += head(above, to, "")
	b.WriteString(line(above, to.towards(above, headLength)) + "</g>" + heads + "\n")
}

// ends returns where an arrow begins and ends: at borders.
func (s side) ends(e edge) (from, to point) {
	a, z := s.nodes[e.from], s.nodes[e.to]
	start := a.centre()
	if e.slot >= 0 {
		start = a.slot(e.slot)
	}
	towards, back := z.centre(), start
	if e.bend != 0 {
		towards = e.control(start, z.centre())
		back = towards
	}
	switch {
	case e.slot >= 0 && a.slots[e.slot] == "":
		from = start
	case e.slot >= 0:
		from = start.towards(towards, slotRadius)
	default:
		from = a.border(towards)
	}
	return from, z.border(back)
}

// control is the point towards which a curve swings.
func (e edge) control(from, to point) point {
	return point{max(from.x, to.x) + e.bend, (from.y + to.y) / 2}
}

// border is the point on a node's border in the direction of p from its centre.
func (n node) border(p point) point {
	c := n.centre()
	if n.round() {
		return c.towards(p, n.width()/2)
	}
	d := math.Hypot(p.x-c.x, p.y-c.y)
	across, down := math.Abs(p.x-c.x)/d, math.Abs(p.y-c.y)/d
	return c.towards(p, min(n.width()/2/across, nodeHeight/2/down))
}

// line is an arrow without its head.
func (e edge) line(from, to point) string {
	if e.bend == 0 {
		return line(from, to)
	}
	c := e.control(from, to)
	return fmt.Sprintf(`<path d="M%.4g %.4gQ%.4g %.4g %.4g %.4g"/>`, from.x, from.y, c.x, c.y, to.x, to.y)
}

func line(from, to point) string {
	return fmt.Sprintf(`<path d="M%.4g %.4gL%.4g %.4g"/>`, from.x, from.y, to.x, to.y)
}

// head is the head of an arrow that ends at to, with attributes.
func head(from, to point, attributes string) string {
	base := to.towards(from, headLength)
	across := point{(to.y - base.y) / headLength * headWidth / 2, (base.x - to.x) / headLength * headWidth / 2}
	return fmt.Sprintf(`<path d="M%.4g %.4gL%.4g %.4gL%.4g %.4gZ"%s/>`,
		to.x, to.y, base.x+across.x, base.y+across.y, base.x-across.x, base.y-across.y, attributes)
}
