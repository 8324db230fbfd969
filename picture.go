package gram

import (
	"context"
	"io"
	"strconv"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/cmd/internal/picture"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/term"
)

// Picture is what [Program.Draw] draws.
type Picture uint8

// The pictures.
const (
	// GroundPicture is the computational graph G, as in Figure 1 of the paper.
	GroundPicture Picture = iota
	// ForwardPicture is Fwd(G): G in blue, its tangents in green.
	ForwardPicture
	// BPPicture is bp(G), as in Figure 3: G in blue, its backward part in red.
	BPPicture
	// CodePicture are the templates.
	CodePicture
	// GraphPicture is the arena after the program has been reduced with its inputs left
	// symbolic: what the result reaches.
	GraphPicture
)

// DrawOptions say how a picture is drawn.
type DrawOptions struct {
	EvalOptions
	// Most is how many operations, instructions or objects are drawn; 0 means all.
	Most int
	// Values writes at each node of a computational graph its value at the point.
	Values bool
}

// Draw draws a picture of the program in DOT, the language of Graphviz, and returns how
// many operations, instructions or objects it leaves out. A program that branches on its
// inputs takes the branches of the point. The error is an [*Error] for a picture that
// the program doesn't have, or a [*LimitError].
func (p *Program) Draw(ctx context.Context, w io.Writer, what Picture, opt DrawOptions) (left int, err error) {
	meter := limits.New(ctx, p.opt.MaxMemory)
	text := meter.NewBuffer()
	switch what {
	case CodePicture:
		left, err = p.drawCode(text, meter, opt)
	case GraphPicture:
		left, err = p.drawArena(text, meter, opt)
	default:
		left, err = p.drawComputation(text, what, meter, opt)
	}
	if err != nil {
		return 0, p.locate(err, "drawing")
	}
	_, err = text.WriteTo(w)
	return left, err
}

func (p *Program) drawCode(w io.Writer, meter *limits.Meter, opt DrawOptions) (int, error) {
	prog, err := p.valueProgram(meter, false)
	if err != nil {
		return 0, err
	}
	var inputs []string
	for _, x := range p.ScalarInputs() {
		inputs = append(inputs, p.src.Term.Vars[x].Name)
	}
	return picture.Templates(w, prog, inputs, p.src.Place, opt.Most)
}

func (p *Program) drawArena(w io.Writer, meter *limits.Meter, opt DrawOptions) (int, error) {
	m, _, err := p.open(meter, p.Point(), opt.EvalOptions)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	objects, left, err := m.Objects(opt.Most)
	if err != nil {
		return 0, p.locate(err, "drawing")
	}
	return left, picture.Objects(w, objects, left)
}

func (p *Program) drawComputation(w io.Writer, what Picture, meter *limits.Meter, opt DrawOptions) (int, error) {
	kind := map[Picture]Stage{GroundPicture: GroundStage, ForwardPicture: ForwardStage, BPPicture: BPStage}[what]
	st := &stage{p: p, check: p.opt.check("print", meter), name: p.sourceNames()}
	if err := st.make(kind, meter, opt.EvalOptions); err != nil {
		return 0, err
	}
	p.terms.Lock()
	c, err := st.computation(opt)
	p.terms.Unlock()
	if err != nil {
		return 0, p.locate(err, "drawing")
	}
	return c.Draw(w)
}

// GraphSVG draws the computational graph G in SVG for a page, whose CSS variables are its
// colours: see [picture.Computation.SVG]. It is laid out here, without Graphviz. Of a graph
// that has more than opt.Most operations, inputs or outputs, nothing is written. The error
// is that of [Program.Draw].
func (p *Program) GraphSVG(ctx context.Context, w io.Writer, opt DrawOptions) (operations int, err error) {
	meter := limits.New(ctx, p.opt.MaxMemory)
	m, size, err := p.open(meter, p.Point(), opt.EvalOptions)
	if err != nil {
		return 0, err
	}
	defer m.Close()
	inputs := p.ScalarInputs()
	if most := opt.Most; most > 0 && max(int(size.Operations), len(inputs), p.src.Shape.Width()) > most {
		return int(size.Operations), nil
	}
	st := &stage{p: p, check: p.opt.check("print", meter), kind: GroundStage, inputs: inputs, name: p.sourceNames()}
	p.terms.Lock()
	defer p.terms.Unlock()
	if err := st.ground(m); err != nil {
		return 0, p.locate(err, "drawing")
	}
	c, err := st.computation(opt)
	if err != nil {
		return 0, p.locate(err, "drawing")
	}
	_, err = c.SVG(w, "The computational graph of the program")
	return st.operations, err
}

// sourceNames returns what names the operations by their place: as the first let around
// the operation in the source, with a number from the second on, or not at all.
func (p *Program) sourceNames() func(term.Pos) string {
	names := p.letNames()
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

// computation is the graph of G, Fwd(G) or bp(G), with the names of its nodes.
func (st *stage) computation(opt DrawOptions) (*picture.Computation, error) {
	inputs := st.inputs
	if st.kind == BPStage {
		inputs = append(inputs[:len(inputs):len(inputs)], st.a)
	}
	g, err := hypergraph.FromTerm(st.t, inputs)
	if err != nil {
		return nil, err
	}
	c := &picture.Computation{Graph: g, Names: make([]string, g.Len()), Most: opt.Most, Outputs: make([]string, len(g.Outputs())),
		Parts: make([]picture.Part, g.Len()), OutputParts: make([]picture.Part, len(g.Outputs()))}
	point := st.p.Point()
	switch st.kind {
	case BPStage:
		st.findAdjoints(c)
		point = append(point, 1)
	case ForwardStage:
		st.findTangents(c)
		point = withTangents(point)
	}
	st.nameNodes(c)
	if !opt.Values {
		return c, nil
	}
	memory := hypergraph.NewMemory(g, st.check)
	if err := memory.Evaluate(point); err != nil {
		return nil, err
	}
	c.Values = make([]float64, g.Len())
	for w := range c.Values {
		c.Values[w] = memory.Value(hypergraph.Node(w))
	}
	return c, nil
}

// findAdjoints finds the backward part of bp(G): all that comes after G.
func (st *stage) findAdjoints(c *picture.Computation) {
	c.Parts[len(st.inputs)] = picture.Adjoint
	operations := 0
	for w := range c.Parts {
		if _, _, _, ok := c.Graph.Edge(hypergraph.Node(w)); ok {
			if operations++; operations > st.operations {
				c.Parts[w] = picture.Adjoint
			}
		}
	}
	for i := range c.OutputParts[1:] {
		c.OutputParts[1+i] = picture.Adjoint
	}
}

// findTangents finds G in Fwd(G), whose inputs and outputs are each followed by its tangent:
// it is what the values come from.
func (st *stage) findTangents(c *picture.Computation) {
	primal := make([]bool, len(c.Parts))
	for i, y := range c.Graph.Outputs() {
		if i%2 == 0 {
			primal[y] = true
		} else {
			c.OutputParts[i] = picture.Tangent
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
			c.Parts[w] = picture.Tangent
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
func (st *stage) nameNodes(c *picture.Computation) {
	tangent := func(of picture.Part, name string) string {
		if of == picture.Tangent && name != "" {
			return "d" + name
		}
		return name
	}
	for w := range c.Names {
		var x term.Var
		switch {
		case w >= c.Graph.Inputs():
			x = c.Graph.Var(hypergraph.Node(w))
		case st.kind == ForwardStage:
			x = st.inputs[w/2]
		case w < len(st.inputs):
			x = st.inputs[w]
		default:
			x = st.a
		}
		switch name := st.t.Vars[x].Name; {
		case x == 0 || name == "'": // the adjoint of an operation without a name
		case st.kind == ForwardStage && int(x) >= st.vars: // what Fwd opens
		default:
			c.Names[w] = tangent(c.Parts[w], name)
		}
	}
	for i := range c.Outputs {
		k := i
		if st.kind == ForwardStage {
			k = i / 2
		}
		switch {
		case st.kind == BPStage && i > 0:
			c.Outputs[i] = st.t.Vars[st.inputs[i-1]].Name + "'"
		case st.kind == BPStage || st.p.src.Shape.Kind == load.Real:
			c.Outputs[i] = tangent(c.OutputParts[i], "y")
		default:
			c.Outputs[i] = tangent(c.OutputParts[i], "y"+strconv.Itoa(k+1))
		}
	}
}
