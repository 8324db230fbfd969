package picture

import (
	"fmt"
	"io"
	"unicode/utf8"

	"github.com/gram-machine/gram/internal/hypergraph"
)

// Computation is a computational graph to draw.
type Computation struct {
	Graph *hypergraph.Graph
	// Names of the nodes and of the outputs; a node may have none.
	Names   []string
	Outputs []string
	// Parts says what each node is of, and OutputParts each output. A numeral is of what
	// reads it.
	Parts       []Part
	OutputParts []Part
	// Values of the nodes at a point, or nil.
	Values []float64
	// Most is how many operations are drawn; 0 means all.
	Most int
}

// Part is a part of a graph that computes derivatives.
type Part uint8

// The parts.
const (
	Primal  Part = iota // the values, in blue
	Tangent             // what forward mode adds, in green
	Adjoint             // the backward phase, in red
)

// hues are the colours of the parts: of lines, and of inputs inside.
var hues = [...]struct{ line, fill string }{Primal: {primalColour, "#e4e4f4"}, Tangent: {tangentColour, "#dcece4"}, Adjoint: {dualColour, "#f6e0e4"}}

// Draw draws the graph, and returns how many operations it leaves out.
func (c *Computation) Draw(w io.Writer) (left int, err error) {
	p := &computation{Computation: c, dot: newDot(w)}
	p.choose()
	p.begin("LR")
	p.inputs()
	p.operations()
	p.outputs()
	p.ellipsis()
	return p.left, p.end()
}

// computation draws a graph.
type computation struct {
	*Computation
	*dot
	kept     []bool // of each operation, and of the inputs and numerals that one reads
	left     int
	numerals int // drawn so far: each has a circle wherever it is read
	toLeft   map[string]bool
	fromLeft map[string]bool
	drawn    map[string]bool // the outputs
}

// choose decides what is drawn.
func (c *computation) choose() {
	g := c.Graph
	c.kept = make([]bool, g.Len())
	c.toLeft, c.fromLeft, c.drawn = map[string]bool{}, map[string]bool{}, map[string]bool{}
	var operations []hypergraph.Node
	for w := range hypergraph.Node(g.Len()) {
		if _, _, _, ok := g.Edge(w); ok {
			operations = append(operations, w)
		}
	}
	for i, w := range operations {
		c.kept[w] = c.Most == 0 || len(operations) <= c.Most || i < (c.Most+1)/2 || i >= len(operations)-c.Most/2
		if !c.kept[w] {
			c.left++
			continue
		}
		_, sources, _, _ := g.Edge(w)
		for _, z := range sources {
			if int(z) < g.Inputs() {
				c.kept[z] = true
			}
		}
	}
	if c.left == 0 {
		for w := range g.Inputs() {
			c.kept[w] = true
		}
	}
}

func nodeID(w hypergraph.Node) string { return fmt.Sprintf("n%d", w) }

const ellipsisID = "left"

// label is a node's name, and its value below.
func (c *computation) label(w hypergraph.Node, name string) markup {
	text := markup("")
	if name != "" {
		text = nameMarkup(name)
	}
	if c.Values == nil {
		return text
	}
	value := markup(`<FONT POINT-SIZE="10">` + Number(c.Values[w]) + "</FONT>")
	if text == "" {
		return value
	}
	return `<TABLE BORDER="0" CELLBORDER="0" CELLSPACING="0" CELLPADDING="1"><TR><TD>` + text + "</TD></TR><TR><TD>" + value + "</TD></TR></TABLE>"
}

// circle draws a node of the graph.
func (c *computation) circle(id string, label markup, of Part, more attrs) {
	colour := hues[of].line
	as := attrs{"shape", "circle", "color", colour, "fontcolor", colour, "label", label, "margin", 0.03}
	if label == "" {
		as = append(as, "width", 0.15, "fixedsize", "true")
	} else {
		as = append(as, "width", 0.4)
	}
	c.node(id, append(as, more...))
}

func (c *computation) inputs() {
	c.printf("  { rank=source\n")
	for w := range hypergraph.Node(c.Graph.Inputs()) {
		if c.Parts[w] != Adjoint {
			c.input(w)
		}
	}
	c.printf("  }\n")
	for w := range hypergraph.Node(c.Graph.Inputs()) {
		if c.Parts[w] == Adjoint {
			c.input(w)
		}
	}
}

func (c *computation) input(w hypergraph.Node) {
	if !c.kept[w] {
		return
	}
	c.circle(nodeID(w), c.label(w, c.Names[w]), c.Parts[w], attrs{"style", "filled", "fillcolor", hues[c.Parts[w]].fill})
}

// operations draws each hyperedge with its target.
func (c *computation) operations() {
	g := c.Graph
	results := map[hypergraph.Node]string{}
	for i, y := range g.Outputs() {
		if _, twice := results[y]; !twice {
			results[y] = c.Outputs[i]
		}
	}
	for w := range hypergraph.Node(g.Len()) {
		f, sources, _, ok := g.Edge(w)
		if !ok {
			continue
		}
		if !c.kept[w] {
			for _, z := range sources {
				c.leave(z)
			}
			continue
		}
		of := c.Parts[w]
		colour := hues[of].line
		edge := fmt.Sprintf("e%d", w)
		as := attrs{"label", Symbol(f), "color", colour, "fontcolor", colour}
		if utf8.RuneCountInString(Symbol(f)) > 3 {
			as = append(as, "shape", "cds", "margin", "0.12,0.06", "height", 0.3)
		} else {
			as = append(as, "shape", "triangle", "orientation", 270, "fixedsize", "true", "width", 0.62, "height", 0.62)
		}
		if utf8.RuneCountInString(Symbol(f)) == 1 {
			as = append(as, "fontsize", 18)
		}
		if ordered(f) {
			as = append(as, "ordering", "in")
		}
		c.node(edge, as)
		for _, z := range sources {
			c.read(z, edge, of)
		}
		name, more := c.Names[w], attrs(nil)
		if output, ok := results[w]; ok {
			c.drawn[output] = true
			more = attrs{"peripheries", 2}
			if name == "" || of != Primal {
				name = output
			}
		}
		c.circle(nodeID(w), c.label(w, name), of, more)
		c.edge(edge, nodeID(w), attrs{"color", colour})
	}
}

// read draws the edge from node z to id.
func (c *computation) read(z hypergraph.Node, id string, of Part) {
	colour := attrs{"color", hues[of].line}
	if r, ok := c.Graph.Numeral(z); ok {
		c.edge(c.numeral(r, of), id, colour)
		return
	}
	if c.kept[z] {
		c.edge(nodeID(z), id, colour)
		return
	}
	if !c.fromLeft[id] {
		c.fromLeft[id] = true
		c.edge(ellipsisID, id, attrs{"color", leftColour, "style", "dashed"})
	}
}

// numeral draws the circle of a numeral that is read.
func (c *computation) numeral(r float64, of Part) string {
	c.numerals++
	id := fmt.Sprintf("r%d", c.numerals)
	c.circle(id, markup(Number(r)), of, nil)
	return id
}

// leave draws the edge from node z to what is left out.
func (c *computation) leave(z hypergraph.Node) {
	if id := nodeID(z); c.kept[z] && !c.toLeft[id] {
		c.toLeft[id] = true
		c.edge(id, ellipsisID, attrs{"color", leftColour, "style", "dashed"})
	}
}

// outputs draws those that are no operations, or that share one.
func (c *computation) outputs() {
	for i, y := range c.Graph.Outputs() {
		name := c.Outputs[i]
		_, numeral := c.Graph.Numeral(y)
		if c.drawn[name] || c.left > 0 && !numeral && !c.kept[y] {
			continue
		}
		c.drawn[name] = true
		id := fmt.Sprintf("y%d", i)
		c.circle(id, c.label(y, name), c.OutputParts[i], attrs{"peripheries", 2})
		c.read(y, id, c.OutputParts[i])
	}
}

func (c *computation) ellipsis() {
	if c.left > 0 {
		c.node(ellipsisID, attrs{"shape", "box", "style", "dashed,rounded", "color", leftColour, "fontcolor", leftColour,
			"label", fmt.Sprintf("%d operations\nare left out", c.left)})
	}
}
