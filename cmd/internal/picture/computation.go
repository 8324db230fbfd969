package picture

import (
	"fmt"
	"io"

	"github.com/gram-machine/gram/internal/hypergraph"
)

// Computation is a computational graph to draw.
type Computation struct {
	Graph *hypergraph.Graph
	// Names of the nodes and of the outputs; a node may have none.
	Names   []string
	Outputs []string
	// Parts are the parts of the nodes, and OutputParts those of the outputs. A numeral has
	// the part of its reader.
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
var hues = [...]struct{ line, fill string }{Primal: {primalColour, "#e4e4f4"}, Tangent: {tangentColour, "#dcece4"},
	Adjoint: {dualColour, "#f6e0e4"}}

// Draw draws the graph in DOT, and returns how many operations it leaves out.
func (c *Computation) Draw(w io.Writer) (left int, err error) {
	f := c.figure()
	d := newDot(w, DOT)
	d.begin("LR")
	d.printf("  { rank=source\n")
	for _, e := range f.sources {
		e.dot(d)
	}
	d.printf("  }\n")
	for _, e := range f.elements {
		e.dot(d)
	}
	return f.left, d.end()
}

// figure is what is drawn of a graph, in the order in which DOT has it.
type figure struct {
	sources  []element // the inputs that are not of the backward phase
	elements []element // everything else
	left     int       // operations that are left out
}

// figure chooses what is drawn.
func (c *Computation) figure() *figure {
	p := &computation{Computation: c}
	p.choose()
	p.inputs()
	p.operations()
	p.outputs()
	if p.left > 0 {
		p.add(omission{p.left})
	}
	return &p.figure
}

// computation makes the figure of a graph.
type computation struct {
	*Computation
	figure
	kept     []bool // of each operation, and of the inputs and numerals that one reads
	numerals int    // drawn so far: each has a circle wherever it is read
	toLeft   map[string]bool
	fromLeft map[string]bool
	drawn    map[string]bool // the outputs
}

func (c *computation) add(e element) { c.elements = append(c.elements, e) }

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

// circle is the circle of node w.
func (c *computation) circle(id string, w hypergraph.Node, name string, of Part) circle {
	out := circle{id: id, name: name, of: of}
	if c.Values != nil {
		out.value = Number(c.Values[w])
	}
	return out
}

func (c *computation) inputs() {
	for w := range hypergraph.Node(c.Graph.Inputs()) {
		if !c.kept[w] {
			continue
		}
		in := c.circle(nodeID(w), w, c.Names[w], c.Parts[w])
		in.input = true
		if c.Parts[w] != Adjoint {
			c.sources = append(c.sources, in)
		} else {
			c.add(in)
		}
	}
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
		edge := fmt.Sprintf("e%d", w)
		c.add(hyperedge{edge, f, of})
		for _, z := range sources {
			c.read(z, edge, of)
		}
		target := c.circle(nodeID(w), w, c.Names[w], of)
		if output, ok := results[w]; ok {
			c.drawn[output] = true
			target.output = true
			if target.name == "" || of != Primal {
				target.name = output
			}
		}
		c.add(target)
		c.add(link{from: edge, to: target.id, of: of})
	}
}

// read draws the edge from node z to id.
func (c *computation) read(z hypergraph.Node, id string, of Part) {
	if r, ok := c.Graph.Numeral(z); ok {
		c.numerals++
		n := circle{id: fmt.Sprintf("r%d", c.numerals), value: Number(r), of: of, numeral: true}
		c.add(n)
		c.add(link{from: n.id, to: id, of: of})
		return
	}
	if c.kept[z] {
		c.add(link{from: nodeID(z), to: id, of: of})
		return
	}
	if !c.fromLeft[id] {
		c.fromLeft[id] = true
		c.add(link{from: ellipsisID, to: id, left: true})
	}
}

// leave draws the edge from node z to the omission.
func (c *computation) leave(z hypergraph.Node) {
	if id := nodeID(z); c.kept[z] && !c.toLeft[id] {
		c.toLeft[id] = true
		c.add(link{from: id, to: ellipsisID, left: true})
	}
}

// outputs draws the outputs that are no operations, or share one with another output.
func (c *computation) outputs() {
	for i, y := range c.Graph.Outputs() {
		name := c.Outputs[i]
		_, numeral := c.Graph.Numeral(y)
		if c.drawn[name] || c.left > 0 && !numeral && !c.kept[y] {
			continue
		}
		c.drawn[name] = true
		out := c.circle(fmt.Sprintf("y%d", i), y, name, c.OutputParts[i])
		out.output = true
		c.add(out)
		c.read(y, out.id, out.of)
	}
}
