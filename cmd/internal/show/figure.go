package show

import (
	"fmt"
	"io"

	"github.com/gram-machine/gram/term"
)

// Format is a format of pictures.
type Format uint8

// The formats.
const (
	DOT Format = iota // the language of Graphviz
	SVG               // laid out by [layered.Place]
)

// Part is a part of a picture, which has colours of its own.
type Part uint8

// The parts.
const (
	Primal  Part = iota // the values, in blue
	Tangent             // what forward mode adds, in green
	Adjoint             // the backward phase, in red
	leftOut             // what stands for nodes that are not drawn, in grey
)

// colours are those of the parts, of lines and of what is filled: the blue(pigment), britishracinggreen and burgundy of
// the paper. The names are those of the CSS variables of a page that sets others.
var colours = [...]struct{ name, line, fill string }{
	Primal: {"primal", "#333399", "#e4e4f4"}, Tangent: {"tangent", "#004225", "#dcece4"},
	Adjoint: {"dual", "#800020", "#f6e0e4"}, leftOut: {"left", "#777777", "#ffffff"},
}

// figure is what is drawn: nodes, and links from a node to the one that reads it.
type figure struct {
	title string
	down  bool // links run down, in SVG only if the picture is too wide else
	nodes []node
	links []link
}

// kind is the shape of a node.
type kind uint8

const (
	circle    kind = iota // a node of a computational graph
	hyperedge             // the assignment of a symbol's result to its target
	box                   // lines of text
)

// node is a node of a figure.
type node struct {
	id   string
	kind kind
	of   Part
	// text is the name of a circle, which may be empty, the symbol of a hyperedge, or the lines of a box. value is the
	// number below the name of a circle, or, if numeral is set, in place of it.
	text, value                     string
	numeral, filled, double, dashed bool
	ordered                         bool // links arrive in the order of operands
	ports                           int  // of a box: how many links leave it, each by its number
}

// link is an arrow between two nodes.
type link struct {
	from, to string
	of       Part
	port     int // by which it leaves a box, from 1; 0: it has none
}

func (f *figure) add(n node) { f.nodes = append(f.nodes, n) }

func (f *figure) join(from, to string, of Part) {
	f.links = append(f.links, link{from: from, to: to, of: of})
}

// omission is the id of the node that stands for what is not drawn.
const omission = "left"

// omit adds the node that stands for n things that are not drawn, unless n is 0.
func (f *figure) omit(n int, what string) {
	if n > 0 {
		f.add(node{id: omission, kind: box, of: leftOut, dashed: true, text: fmt.Sprintf("%d %s\nare left out", n, what)})
	}
}

// symbolNode is the hyperedge of a symbol.
func symbolNode(id string, f term.Symbol, of Part) node {
	return node{id: id, kind: hyperedge, of: of, text: Symbol(f), ordered: ordered(f)}
}

// write writes the figure in a format.
func (f *figure) write(w io.Writer, as Format) error {
	if as == SVG {
		return f.svg(w)
	}
	return f.dot(w)
}
