package show

import (
	"fmt"
	"io"
	"strconv"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Computation is a computational graph to draw.
type Computation struct {
	Graph *hypergraph.Graph
	// Names of the nodes and of the outputs; a node may have none.
	Names   []string
	Outputs []string
	// Parts are the parts of the nodes, and OutputParts those of the outputs. A numeral has the part of its reader.
	Parts       []Part
	OutputParts []Part
	// Values of the nodes at a point, or nil.
	Values []float64
	memory *hypergraph.Memory
	// Most is how many operations are drawn; 0 means all.
	Most int
}

// Draw draws the graph, and returns how many operations it leaves out. In SVG operands are left of the nodes that use
// them, and values below their nodes. The colours of SVG are those of DOT, unless the page sets the CSS variables
// --primal, --tangent, --dual and --left for lines, --primal-fill, --tangent-fill and --dual-fill for inputs, and
// --paper for the background.
func (c *Computation) Draw(w io.Writer, as Format) (left int, err error) {
	f := c.figure()
	return f.left, as(&f.figure, w)
}

// figure chooses what is drawn.
func (c *Computation) figure() *computation {
	p := &computation{Computation: c, figure: figure{title: "The computational graph of the program"},
		dashed: map[link]bool{}, drawn: map[string]bool{}}
	p.choose()
	p.inputs()
	p.operations()
	p.outputs()
	p.omit(p.left, "operations")
	return p
}

// computation makes the figure of a graph.
type computation struct {
	*Computation
	figure
	kept     []bool          // of each operation, and of the inputs and numerals that one reads
	left     int             // operations that are left out
	numerals int             // drawn so far: each has a circle wherever it is read
	dashed   map[link]bool   // the links from and to what is left out
	drawn    map[string]bool // the outputs
}

// choose decides what is drawn.
func (c *computation) choose() {
	g := c.Graph
	c.kept = make([]bool, g.Len())
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

// circle is the circle of node w.
func (c *computation) circle(id string, w hypergraph.Node, name string, of Part) node {
	out := node{ID: id, Text: name, Of: of}
	if c.Values != nil {
		out.Value = Number(c.Values[w])
	}
	return out
}

func (c *computation) inputs() {
	for w := range hypergraph.Node(c.Graph.Inputs()) {
		if c.kept[w] {
			in := c.circle(nodeID(w), w, c.Names[w], c.Parts[w])
			in.Filled = true
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
				if c.kept[z] {
					c.joinOnce(nodeID(z), omission)
				}
			}
			continue
		}
		of := c.Parts[w]
		edge := fmt.Sprintf("e%d", w)
		c.add(node{ID: edge, Kind: hyperedge, Of: of, Text: Symbol(f), Ordered: ordered(f)})
		for _, z := range sources {
			c.read(z, edge, of)
		}
		target := c.circle(nodeID(w), w, c.Names[w], of)
		if output, ok := results[w]; ok {
			c.drawn[output] = true
			target.Double = true
			if target.Text == "" || of != Primal {
				target.Text = output
			}
		}
		c.add(target)
		c.join(edge, target.ID, of)
	}
}

// read draws the edge from node z to id.
func (c *computation) read(z hypergraph.Node, id string, of Part) {
	if r, ok := c.Graph.Numeral(z); ok {
		c.numerals++
		n := node{ID: fmt.Sprintf("r%d", c.numerals), Value: Number(r), Of: of, Numeral: true}
		c.add(n)
		c.join(n.ID, id, of)
		return
	}
	if c.kept[z] {
		c.join(nodeID(z), id, of)
		return
	}
	c.joinOnce(omission, id)
}

// joinOnce draws an edge from or to what is left out, unless it has been drawn.
func (c *computation) joinOnce(from, to string) {
	if l := (link{From: from, To: to, Of: leftOut}); !c.dashed[l] {
		c.dashed[l] = true
		c.links = append(c.links, l)
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
		out.Double = true
		c.add(out)
		c.read(y, out.ID, out.Of)
	}
}

// newComputation is the graph of G, Fwd(G) or bp(G), with the names of its nodes.
func newComputation(st *stage.Stage, point []float64, most int, values bool, check func() error) (*Computation, error) {
	inputs := st.Inputs
	if st.Kind == stage.BP {
		inputs = append(inputs[:len(inputs):len(inputs)], st.Adjoint)
	}
	g, err := hypergraph.FromTerm(st.Term, inputs, check)
	if err != nil {
		return nil, err
	}
	c := &Computation{Graph: g, Names: make([]string, g.Len()), Most: most, Outputs: make([]string, len(g.Outputs())),
		Parts: make([]Part, g.Len()), OutputParts: make([]Part, len(g.Outputs()))}
	switch st.Kind {
	case stage.BP:
		findAdjoints(st, c)
		point = append(point, 1)
	case stage.Forward:
		findTangents(c)
		primal := point // each number is followed by its tangent: 1 for the first, 0 for the others
		point = make([]float64, 2*len(primal))
		for i, x := range primal {
			point[2*i] = x
		}
		if len(point) > 0 {
			point[1] = 1
		}
	}
	nameNodes(st, c)
	if !values {
		return c, nil
	}
	c.memory = hypergraph.NewMemory(g, check)
	if err := c.memory.Evaluate(point); err != nil {
		return nil, err
	}
	c.Values = syntax.Each(g.Len(), func(w int) float64 { return c.memory.Value(hypergraph.Node(w)) })
	return c, nil
}

// findAdjoints finds the backward part of bp(G): all that comes after G.
func findAdjoints(st *stage.Stage, c *Computation) {
	c.Parts[len(st.Inputs)] = Adjoint
	operations := 0
	for w := range c.Parts {
		if _, _, _, ok := c.Graph.Edge(hypergraph.Node(w)); ok {
			if operations++; operations > st.Operations {
				c.Parts[w] = Adjoint
			}
		}
	}
	for i := range c.OutputParts[1:] {
		c.OutputParts[1+i] = Adjoint
	}
}

// findTangents finds G in Fwd(G), whose inputs and outputs are each followed by its tangent:
// it is what the values come from.
func findTangents(c *Computation) {
	primal := make([]bool, len(c.Parts))
	for i, y := range c.Graph.Outputs() {
		if i%2 == 0 {
			primal[y] = true
		} else {
			c.OutputParts[i] = Tangent
		}
	}
	for w := len(primal) - 1; w >= 0; w-- { // what reads a node comes after it
		if _, sources, _, ok := c.Graph.Edge(hypergraph.Node(w)); ok && primal[w] {
			for _, z := range sources {
				primal[z] = true
			}
		}
	}
	for w := range c.Parts {
		isInput := w < c.Graph.Inputs()
		if isInput && w%2 == 1 || !isInput && !primal[w] {
			c.Parts[w] = Tangent
		}
	}
}

// nameNodes gives the nodes and the outputs their names: those of G as in the source, the
// tangent of x is dx, and the adjoint of z is z'.
func nameNodes(st *stage.Stage, c *Computation) {
	tangent := func(of Part, name string) string {
		if of == Tangent && name != "" {
			return "d" + name
		}
		return name
	}
	for w := range c.Names {
		var x term.Var
		switch {
		case w >= c.Graph.Inputs():
			x = c.Graph.Var(hypergraph.Node(w))
		case st.Kind == stage.Forward:
			x = st.Inputs[w/2]
		case w < len(st.Inputs):
			x = st.Inputs[w]
		default:
			x = st.Adjoint
		}
		switch name := st.Term.Info(x).Name; {
		case x == 0 || name == "'": // the adjoint of an operation without a name
		case st.Kind == stage.Forward && int(x) >= st.Vars: // what Fwd opens
		default:
			c.Names[w] = tangent(c.Parts[w], name)
		}
	}
	for i := range c.Outputs {
		k := i
		if st.Kind == stage.Forward {
			k = i / 2
		}
		switch {
		case st.Kind == stage.BP && i > 0:
			c.Outputs[i] = st.Term.Info(st.Inputs[i-1]).Name + "'"
		case st.Kind == stage.BP || st.Source.Shape.Kind == load.Real:
			c.Outputs[i] = tangent(c.OutputParts[i], "y")
		default:
			c.Outputs[i] = tangent(c.OutputParts[i], "y"+strconv.Itoa(k+1))
		}
	}
}
