package rulepicture

import (
	"fmt"
	"html"
	"math"
	"strings"
)

// kind is what a node is, and so its shape.
type kind uint8

const (
	termNode      kind = iota // a box with round corners
	operationNode             // a circle
	numberNode                // a box with corners
	variableNode              // an occurrence by itself, a small circle
	binderNode                // a pattern that is bound, a dashed box
	textNode                  // nothing but the label
)

// node is a node of a picture. In its label _ puts the next letter lower.
type node struct {
	kind
	label string
	x     float64  // of its middle
	row   float64  // 0 is the uppermost
	slots []string // occurrences of variables in it; "" is one that a term has taken
	hot   bool     // of the redex, or new
	gone  bool     // no longer there
}

func term(label string, x, row float64, slots ...string) node {
	return node{kind: termNode, label: label, x: x, row: row, slots: slots}
}
func operation(label string, x, row float64) node {
	return node{kind: operationNode, label: label, x: x, row: row}
}
func number(label string, x, row float64) node {
	return node{kind: numberNode, label: label, x: x, row: row}
}
func variable(label string, x, row float64) node {
	return node{kind: variableNode, label: label, x: x, row: row}
}
func binder(label string, x, row float64) node {
	return node{kind: binderNode, label: label, x: x, row: row}
}
func text(label string, x, row float64) node {
	return node{kind: textNode, label: label, x: x, row: row}
}

// inHalo is the node as a part of the redex, or as a new one.
func (n node) inHalo() node { n.hot = true; return n }

// pale is the node when it is no longer there.
func (n node) pale() node { n.gone = true; return n }

// Sizes of nodes.
const (
	nodeHeight = 26.0
	slotRadius = 9.0
	slotPitch  = 22.0
	widePitch  = 8.5 // of a letter
	lowPitch   = 6.0 // of one that is narrow or lower
	halo       = 5.0
)

// point is a place in a side, whose middle has x = 0.
type point struct{ x, y float64 }

// towards is the point moved by a distance in the direction of another.
func (p point) towards(q point, distance float64) point {
	d := math.Hypot(q.x-p.x, q.y-p.y)
	return point{p.x + (q.x-p.x)*distance/d, p.y + (q.y-p.y)*distance/d}
}

func (n node) centre() point { return point{n.x, entry + nodeHeight/2 + n.row*pitch} }

// labelWidth is about how wide the label is.
func (n node) labelWidth() (w float64) {
	low := false
	for _, c := range n.label {
		switch {
		case c == '_':
		case low || strings.ContainsRune(" .,′()⟨⟩⟦⟧", c):
			w += lowPitch
		default:
			w += widePitch
		}
		low = c == '_'
	}
	return w
}

// width is that of the node's shape.
func (n node) width() float64 {
	switch {
	case n.kind == variableNode:
		return 2 * slotRadius
	case n.kind == operationNode && n.labelWidth() < nodeHeight-6:
		return nodeHeight
	}
	w := n.labelWidth() + float64(len(n.slots))*slotPitch + 12
	return max(w, nodeHeight)
}

// round tells whether the node is a circle.
func (n node) round() bool {
	return n.kind == variableNode || n.kind == operationNode && n.width() == nodeHeight
}

// slot is the centre of an occurrence in the node. Occurrences stand right of the label.
func (n node) slot(i int) point {
	c := n.centre()
	return point{n.x + n.width()/2 - 6 - slotPitch*(float64(len(n.slots)-i)-0.5) + 2, c.y}
}

// shape returns the outline, larger by more on each side, with attributes.
func (n node) shape(more float64, attributes string) string {
	c := n.centre()
	w, h := n.width()/2+more, nodeHeight/2+more
	if n.round() {
		return circle(c, w, attributes)
	}
	round := 0.0
	switch n.kind {
	case textNode:
		return ""
	case operationNode:
		round = h
	case termNode:
		round = 9 + more
	case binderNode:
		if round = 4 + more; more == 0 {
			attributes += ` stroke-dasharray="3 3"`
		}
	case numberNode:
		round = more
	}
	return fmt.Sprintf(`<rect x="%.4g" y="%.4g" width="%.4g" height="%.4g" rx="%.4g"%s/>`, c.x-w, c.y-h, 2*w, 2*h, round, attributes)
}

func circle(c point, r float64, attributes string) string {
	return fmt.Sprintf(`<circle cx="%.4g" cy="%.4g" r="%.4g"%s/>`, c.x, c.y, r, attributes)
}

// outline returns the node's shape and those of its occurrences.
func (n node) outline() string {
	var b strings.Builder
	b.WriteString(n.shape(0, n.paleness()))
	for i, name := range n.slots {
		if name == "" {
			b.WriteString(circle(n.slot(i), 3, ` fill-opacity="1"`))
		} else {
			b.WriteString(circle(n.slot(i), slotRadius, n.paleness()))
		}
	}
	return b.String()
}

func (n node) paleness() string {
	if n.gone {
		return ` opacity="0.35"`
	}
	return ""
}

// letters returns the node's text and that of its occurrences.
func (n node) letters() string {
	c := n.centre()
	style := ` font-style="italic"`
	if n.kind == operationNode && n.label != "f" && n.label != "λy" {
		style = ""
	}
	left := c.x - float64(len(n.slots))*slotPitch/2
	s := fmt.Sprintf(`<text x="%.4g" y="%.4g"%s%s>%s</text>`, left, c.y+4.5, style, n.paleness(), lowered(n.label))
	for i, name := range n.slots {
		if at := n.slot(i); name != "" {
			s += fmt.Sprintf(`<text x="%.4g" y="%.4g" font-size="12" font-style="italic"%s>%s</text>`, at.x, at.y+3.5, n.paleness(), lowered(name))
		}
	}
	return s
}

// lowered is a label in SVG.
func lowered(label string) string {
	var b strings.Builder
	low, back := false, false
	for _, c := range label {
		letter := html.EscapeString(string(c))
		switch {
		case c == '_':
			low = true
			continue
		case low:
			fmt.Fprintf(&b, `<tspan font-size="10" dy="3">%s</tspan>`, letter)
		case back:
			fmt.Fprintf(&b, `<tspan dy="-3">%s</tspan>`, letter)
		default:
			b.WriteString(letter)
		}
		low, back = false, low
	}
	return b.String()
}
