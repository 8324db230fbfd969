package gram

import (
	"math"
	"slices"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// numberTape is the value and the Jacobian of a term at a point, by backpropagation over the operations of its denotation, with bounds of the
// rounding errors of any program that does these operations and adds in any order.
type numberTape struct {
	Values   []float64
	Jacobian []float64 // row by row, a partial derivative for each input
	// The bounds are of first order: each operation adds an error of its result, ε·|v|, to those of its operands, and a sum of n
	// arrivals n·ε·Σ|arrivals|. At a kink nearer than the error of the argument they are as large as the step.
	ValueBounds, Bounds []float64
	// Unsure says that a comparison may have another result within the errors of its sides.
	Unsure bool
	// Decisions are the results of the comparisons, and the sides of the kinks of symbols.
	Decisions []bool

	nodes []*tapeNode // the inputs first, then in the order of the operations
}

const epsilon = 0x1p-53

// tapeNode is a number with its error, and the operation that made it.
type tapeNode struct {
	v, err  float64
	depends bool // on an input
	edges   []tapeEdge

	adjoint, size, adjointErr float64 // of one output: the adjoint, the sum of the sizes of its terms, and its error
	tangent                   float64 // along one direction
	arrivals                  float64
}

type tapeEdge struct {
	to         *tapeNode
	slope, err float64
}

// tapeGround interprets R as numbers that remember their operations.
type tapeGround struct {
	nodes []*tapeNode
	out   *numberTape
}

func (t *tapeGround) Of(r float64) denote.Number { return &tapeNode{v: r} }

func (t *tapeGround) Float(a denote.Number) float64 { return a.(*tapeNode).v }

func (t *tapeGround) Add(a, b denote.Number) denote.Number {
	x, y := a.(*tapeNode), b.(*tapeNode)
	return t.push(&tapeNode{v: x.v + y.v, err: x.err + y.err + epsilon*(math.Abs(x.v)+math.Abs(y.v)), edges: []tapeEdge{{x, 1, 0}, {y, 1, 0}}})
}

// push appends a node, with the edges to what depends on inputs.
func (t *tapeGround) push(n *tapeNode) *tapeNode {
	n.edges = slices.DeleteFunc(n.edges, func(e tapeEdge) bool { return !e.to.depends })
	n.depends = len(n.edges) > 0
	t.nodes = append(t.nodes, n)
	return n
}

// Apply computes f, with the error that those of the arguments make of its value and of its derivatives.
func (t *tapeGround) Apply(f term.Symbol, args ...denote.Number) (denote.Number, error) {
	at := make([]float64, len(args))
	for i, a := range args {
		at[i] = a.(*tapeNode).v
	}
	spread := func(g func(...float64) float64) (float64, float64) {
		v, moved := g(at...), 0.0
		for i, a := range args {
			x := a.(*tapeNode)
			up, down := 0.0, 0.0
			for _, side := range []*float64{&up, &down} {
				at[i] = x.v + x.err
				if side == &down {
					at[i] = x.v - x.err
				}
				*side = math.Abs(g(at...) - v)
			}
			at[i] = x.v
			moved += max(up, down)
		}
		return v, moved + 4*epsilon*math.Abs(v)
	}
	n := &tapeNode{}
	n.v, n.err = spread(f.Eval)
	for i, p := range f.Info().Partials {
		slope, err := spread(p.At)
		n.edges = append(n.edges, tapeEdge{args[i].(*tapeNode), slope, err})
	}
	t.sides(f, at)
	return t.push(n), nil
}

// sides notes on which side of the kinks of a symbol its arguments are.
func (t *tapeGround) sides(f term.Symbol, x []float64) {
	switch f {
	case term.Relu, term.Abs, term.Sign, term.Step:
		t.out.Decisions = append(t.out.Decisions, x[0] > 0, x[0] < 0)
	case term.Min, term.Max, term.Same:
		t.out.Decisions = append(t.out.Decisions, x[0] > x[1], x[0] < x[1])
	case term.Floor:
		for bits, i := math.Float64bits(math.Floor(x[0])), 0; i < 64; i++ {
			t.out.Decisions = append(t.out.Decisions, bits>>i&1 == 1)
		}
	}
}

func (t *tapeGround) Holds(c term.Compare, a, b denote.Number) bool {
	x, y := a.(*tapeNode), b.(*tapeNode)
	if err := 4 * (x.err + y.err); x != y && math.Abs(x.v-y.v) <= err && err > 0 {
		t.out.Unsure = true
	}
	holds := c.Holds(x.v, y.v)
	t.out.Decisions = append(t.out.Decisions, holds)
	return holds
}

// newTape evaluates t, whose free variables are inputs, at the point. Its result has a type built of R, products, vectors and inductive types.
func newTape(t *term.Term, inputs []term.Var, point []float64) *numberTape {
	out := &numberTape{}
	all := &tapeGround{out: out}
	var env *denote.Env
	start := make([]*tapeNode, len(inputs))
	for i, x := range inputs {
		start[i] = &tapeNode{v: point[i], depends: true}
		env = env.With(x, start[i])
	}
	v, err := denote.Model{Ground: all}.Denote(t).At(env)
	if err != nil {
		panic(err) // every symbol has a value at every number
	}
	all.nodes = append(start, all.nodes...)
	out.nodes = all.nodes
	for _, d := range denote.Flatten(v) {
		all.row(d.(*tapeNode))
		for _, x := range start {
			out.Jacobian, out.Bounds = append(out.Jacobian, x.adjoint), append(out.Bounds, x.adjointErr)
		}
	}
	return out
}

// tells says whether rounding decides no comparison, and all numbers are finite.
func (t *numberTape) tells() bool {
	huge := func(x float64) bool { return !(math.Abs(x) < 1e100) }
	return !t.Unsure && !slices.ContainsFunc(slices.Concat(t.Values, t.ValueBounds, t.Jacobian, t.Bounds), huge)
}

// speed is the largest derivative of any number that the program computes along a direction.
func (t *numberTape) speed(direction []float64) float64 {
	speed := 0.0
	for i, n := range t.nodes {
		n.tangent = 0
		if i < len(direction) {
			n.tangent = direction[i]
		}
		for _, e := range n.edges {
			n.tangent += e.slope * e.to.tangent
		}
		speed = max(speed, math.Abs(n.tangent))
	}
	return speed
}

// row computes the adjoints of all nodes for an output.
func (t *tapeGround) row(of *tapeNode) {
	t.out.Values, t.out.ValueBounds = append(t.out.Values, of.v), append(t.out.ValueBounds, of.err)
	for _, n := range t.nodes {
		n.adjoint, n.size, n.adjointErr, n.arrivals = 0, 0, 0, 0
	}
	if of.depends {
		of.adjoint, of.size = 1, 1
	}
	for _, n := range slices.Backward(t.nodes) {
		if n.size == 0 && n.adjointErr == 0 {
			continue
		}
		n.adjointErr += n.arrivals * epsilon * n.size
		for _, e := range n.edges {
			to, term := e.to, math.Abs(e.slope)*n.size
			to.adjoint += e.slope * n.adjoint
			to.size += term
			to.adjointErr += math.Abs(e.slope)*n.adjointErr + e.err*n.size + epsilon*term
			to.arrivals++
		}
	}
}
