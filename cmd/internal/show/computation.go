package show

import (
	"context"
	"io"
	"strconv"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/term"
)

// Draw draws the computational graph G of Figure 1 (Ground),
// Fwd(G), with its tangents in green, or bp(G) of Figure 3, with its backward part in red. It returns
// how many operations it leaves out: it draws at most so many, and all if that is 0. values writes at
// each node its value at the point. The error is that of [Program.Text].
func (p *Program) Draw(ctx context.Context, w io.Writer, kind stage.Kind, most int, values bool,
	as Format) (left int, err error) {
	err = p.write(ctx, w, "drawing", func(meter *limits.Meter, text io.Writer) error {
		st, err := p.stage(ctx, meter, kind, p.sourceNames())
		if err != nil {
			return err
		}
		c, err := newComputation(st, p.Point(), most, values, meter.During("print"))
		if err != nil {
			return err
		}
		left, err = c.Draw(text, as)
		return err
	})
	return left, err
}

// SVG draws the computational graph G in SVG for a page, whose CSS variables are its colours: see
// [Computation.Draw]. It is laid out here, without Graphviz. Of a graph that has more than
// most operations, inputs or outputs, nothing is written. The error is that of [Program.Text].
func (p *Program) SVG(ctx context.Context, w io.Writer, most int) (operations int, err error) {
	err = p.write(ctx, w, "drawing", func(meter *limits.Meter, text io.Writer) error {
		var st *stage.Stage
		st, operations, err = p.ground(ctx, meter, most, p.sourceNames())
		if err != nil || max(operations, len(p.ScalarInputs()), p.Shape().Width()) > most {
			return err
		}
		c, err := newComputation(st, p.Point(), 0, true, meter.During("print"))
		if err != nil {
			return err
		}
		_, err = c.Draw(text, SVG)
		return err
	})
	return operations, err
}

// sourceNames returns what names the operations by their place: as the first let around
// the operation in the source, with a number from the second on, or not at all.
func (p *Program) sourceNames() func(term.Pos) string {
	names := LetNames(p.Term())
	uses := map[string]int{}
	return func(pos term.Pos) string {
		name := names[pos]
		if name == "" || name == "_" {
			return ""
		}
		if uses[name]++; uses[name] > 1 {
			return name + ":" + strconv.Itoa(uses[name])
		}
		return name
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
	c := &Computation{Graph: g, Names: make([]string, g.Len()), Most: most,
		Outputs: make([]string, len(g.Outputs())),
		Parts:   make([]Part, g.Len()), OutputParts: make([]Part, len(g.Outputs()))}
	switch st.Kind {
	case stage.BP:
		findAdjoints(st, c)
		point = append(point, 1)
	case stage.Forward:
		findTangents(c)
		point = withTangents(point)
	}
	nameNodes(st, c)
	if !values {
		return c, nil
	}
	c.memory = hypergraph.NewMemory(g, check)
	if err := c.memory.Evaluate(point); err != nil {
		return nil, err
	}
	c.Values = make([]float64, g.Len())
	for w := range c.Values {
		c.Values[w] = c.memory.Value(hypergraph.Node(w))
	}
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

// withTangents puts a tangent behind each number of the point: 1 for the first, 0 for the others.
func withTangents(point []float64) []float64 {
	out := make([]float64, 2*len(point))
	for i, x := range point {
		out[2*i] = x
	}
	if len(out) > 0 {
		out[1] = 1
	}
	return out
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

// LetNames returns the names that lets of the source give to what stands at a place.
func LetNames(t *term.Term) map[term.Pos]string {
	names := map[term.Pos]string{}
	for i := range t.Nodes {
		n := &t.Nodes[i]
		if n.Op != term.LetOp {
			continue
		}
		if u := &t.Nodes[n.B]; (u.Op == term.FunOp || u.Op == term.AddOp) && u.Pos != 0 {
			names[u.Pos] = t.Info(n.X).Name
		}
	}
	return names
}

// Operations returns the computational graph of the program with its values at the point and, of a program with one
// output, the derivatives of that by the nodes; nil if it has more than most operations or inputs. The error is that of
// [Program.Text].
func (p *Program) Operations(ctx context.Context, most int) (c *Computation, derivatives []float64, err error) {
	if len(p.ScalarInputs()) > most {
		return nil, nil, nil
	}
	meter, names := p.Meter(ctx), LetNames(p.Term())
	st, n, err := p.ground(ctx, meter, most, func(pos term.Pos) string { return names[pos] })
	if err == nil && n <= most {
		c, err = newComputation(st, p.Point(), 0, true, meter.During("print"))
	}
	if err == nil && c != nil && len(c.Graph.Outputs()) == 1 {
		err = c.memory.Backward(0)
		for w := range c.Graph.Len() {
			derivatives = append(derivatives, c.memory.Second(hypergraph.Node(w)))
		}
	}
	return c, derivatives, p.Locate(err, "drawing")
}
