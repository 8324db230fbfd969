package gram

import (
	"bytes"
	"context"
	"io"
	"strconv"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/limits"
	"github.com/gram-machine/gram/internal/picture"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/term"
)

// Picture is what [Program.Draw] draws.
type Picture uint8

// The pictures.
const (
	// GroundPicture is the computational graph G, as in Figure 1 of the paper.
	GroundPicture Picture = iota
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
	var text bytes.Buffer
	switch what {
	case CodePicture:
		left, err = p.drawCode(&text, meter, opt)
	case GraphPicture:
		left, err = p.drawArena(&text, meter, opt)
	default:
		left, err = p.drawComputation(&text, what, meter, opt)
	}
	if err != nil {
		return 0, err
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
	return picture.Objects(w, m.Objects(), opt.Most)
}

func (p *Program) drawComputation(w io.Writer, what Picture, meter *limits.Meter, opt DrawOptions) (int, error) {
	kind := GroundStage
	if what == BPPicture {
		kind = BPStage
	}
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

// computation is the graph of a ground term or of bp(G), with the names of its nodes.
func (st *stage) computation(opt DrawOptions) (*picture.Computation, error) {
	inputs := st.inputs
	if st.kind == BPStage {
		inputs = append(inputs[:len(inputs):len(inputs)], st.a)
	}
	g, err := hypergraph.FromTerm(st.t, inputs)
	if err != nil {
		return nil, err
	}
	c := &picture.Computation{Graph: g, Names: make([]string, g.Len()), Inputs: len(st.inputs), Operations: st.operations,
		Most: opt.Most, Outputs: st.outputNames(len(g.Outputs()))}
	for i, x := range inputs {
		c.Names[i] = st.t.Vars[x].Name
	}
	for w := len(inputs); w < g.Len(); w++ {
		if x := g.Var(hypergraph.Node(w)); x != 0 && st.t.Vars[x].Name != "'" { // the adjoint of an operation without a name
			c.Names[w] = st.t.Vars[x].Name
		}
	}
	if !opt.Values {
		return c, nil
	}
	point := st.p.Point()
	if st.kind == BPStage {
		point = append(point, 1)
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

// outputNames are y, or y1 … yk; for bp(G), y and the inputs with a prime.
func (st *stage) outputNames(n int) []string {
	names := make([]string, n)
	for i := range names {
		switch {
		case st.kind == BPStage && i > 0:
			names[i] = st.t.Vars[st.inputs[i-1]].Name + "'"
		case st.kind == BPStage || st.p.src.Shape.Kind == load.Real:
			names[i] = "y"
		default:
			names[i] = "y" + strconv.Itoa(i+1)
		}
	}
	return names
}
