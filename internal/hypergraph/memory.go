package hypergraph

import (
	"fmt"
	"math"

	"github.com/gram-machine/gram/term"
)

// Memory holds what the algorithms of section 2 assign to the nodes of a graph. It
// belongs to one goroutine and may be used again, at other points too.
type Memory struct {
	// Operations counts the operations since the memory was made: see the package.
	Operations uint64
	// Finite makes a primal, tangent or adjoint that is NaN or infinite an error.
	Finite bool

	g       *Graph
	look    func() error
	passed  int // nodes, in all passes
	primal  []float64
	second  []float64 // tangents, or adjoints
	reached []bool    // the node depends on the input, or an adjoint has arrived at it
}

// NewMemory returns an empty memory for g. look may be nil; it is called at least
// every 2¹⁶ nodes, and its error ends the algorithm that runs.
func NewMemory(g *Graph, look func() error) *Memory {
	return &Memory{g: g, look: look, primal: make([]float64, len(g.nodes))}
}

// Value returns the primal of w.
func (m *Memory) Value(w Node) float64 { return m.primal[w] }

// Second returns the tangent or the adjoint of w, whichever was computed last.
func (m *Memory) Second(w Node) float64 { return m.second[w] }

// looks is called for each node that is passed.
func (m *Memory) looks() error {
	m.passed++
	return term.LookAt(m.passed, m.look)
}

// Evaluate is forward evaluation (section 2.1), which is also the forward phase of
// backpropagation: the primal of every node at the point.
func (m *Memory) Evaluate(point []float64) error { return m.pass(point, false) }

// pass computes the primal of every node, and its tangent if that is asked for.
func (m *Memory) pass(point []float64, tangents bool) error {
	g := m.g
	if len(point) != g.inputs {
		return fmt.Errorf("hypergraph: a point of %d numbers for %d inputs", len(point), g.inputs)
	}
	copy(m.primal, point)
	for i := g.inputs; i < len(g.nodes); i++ {
		if err := m.looks(); err != nil {
			return err
		}
		nd := &g.nodes[i]
		if nd.kind == Numeral {
			m.primal[i] = nd.val
		} else {
			m.Operations++
			m.primal[i] = m.apply(nd.sym, g.sources(nd))
		}
		if err := m.finite(nd, m.primal[i], "the value"); err != nil {
			return err
		}
		if !tangents || nd.kind != Operation {
			continue
		}
		m.second[i], m.reached[i] = m.tangent(nd)
		if err := m.finite(nd, m.second[i], "a derivative"); err != nil {
			return err
		}
	}
	return nil
}

// NotFiniteError is a number that is NaN or infinite, under [Memory.Finite].
type NotFiniteError struct {
	Pos   term.Pos // of the operation that gives it
	What  string
	Value float64
}

func (e *NotFiniteError) Error() string { return fmt.Sprintf("%s gives %v", e.What, e.Value) }

// finite reports v, a number by the hyperedge of nd.
func (m *Memory) finite(nd *node, v float64, what string) error {
	if !m.Finite || !math.IsNaN(v) && !math.IsInf(v, 0) {
		return nil
	}
	if nd.kind == Operation {
		what += " of " + symbolName(nd.sym)
	}
	return &NotFiniteError{Pos: nd.pos, What: what, Value: v}
}

// apply is f(s1,…,sk).
func (m *Memory) apply(f term.Symbol, z []Node) float64 {
	switch f {
	case term.NoSymbol:
		return m.primal[z[0]] + m.primal[z[1]]
	case term.Mul:
		return m.primal[z[0]] * m.primal[z[1]]
	}
	switch info := f.Info(); info.Arity {
	case 1:
		return info.Eval1(m.primal[z[0]])
	case 2:
		return info.Eval2(m.primal[z[0]], m.primal[z[1]])
	}
	x := make([]float64, len(z))
	for i, s := range z {
		x[i] = m.primal[s]
	}
	return f.Eval(x...)
}

// slope is ∂i f(s1,…,sk), hypothesis (⋆⋆) of section 5.
func (m *Memory) slope(p *term.Partial, z []Node) float64 {
	if p.Kind == term.PartialFun && p.Args == nil {
		m.Operations++
		return m.apply(p.Fun, z)
	}
	return term.Interpret(p, len(z), func(r float64) float64 { return r }, func(i int) float64 { return m.primal[z[i]] },
		func(f term.Symbol, args ...float64) float64 {
			m.Operations++
			return f.Eval(args...)
		})
}

// Forward is forward mode (section 2.2) for input j: the primal and the tangent of every node, where the tangent of
// input j is 1 and that of the others 0. The tangent of an output is its partial derivative by input j. The tangent
// of a node that doesn't depend on input j is 0, and so is its product with a slope.
func (m *Memory) Forward(point []float64, j int) error {
	if j < 0 || j >= m.g.inputs {
		return fmt.Errorf("hypergraph: no input %d of %d", j, m.g.inputs)
	}
	m.clearSecond()
	m.second[j], m.reached[j] = 1, true
	return m.pass(point, true)
}

// tangent is Σ ∂i f(s)·ti, equation (eq:FwdGrad), and whether a source depends on the input. A product with the
// tangent of one that doesn't is 0, also if the slope is infinite; it counts as the others do.
func (m *Memory) tangent(nd *node) (sum float64, depends bool) {
	z := m.g.sources(nd)
	if nd.sym == term.NoSymbol {
		m.Operations++
		return m.second[z[0]] + m.second[z[1]], m.reached[z[0]] || m.reached[z[1]]
	}
	partials := nd.sym.Info().Partials
	for i := range partials {
		slope := m.slope(&partials[i], z)
		switch t := slope * m.second[z[i]]; {
		case !m.reached[z[i]]:
		case !depends:
			sum, depends = t, true
		default:
			sum += t
		}
	}
	m.Operations += uint64(2*len(z) - 1)
	return sum, depends
}

func (m *Memory) clearSecond() {
	if m.second == nil {
		m.second, m.reached = make([]float64, len(m.primal)), make([]bool, len(m.primal))
	}
	clear(m.second)
	clear(m.reached)
}

// Backward is the backward phase of backpropagation (section 2.4) from an output, whose adjoint is 1: the adjoint of
// every node that the output depends on, and 0 for the others. The adjoint of an input is the partial derivative of
// the output by it. The primals are those that [Memory.Evaluate] or [Memory.Forward] left.
func (m *Memory) Backward(output int) error {
	g := m.g
	if output < 0 || output >= len(g.outputs) {
		return fmt.Errorf("hypergraph: no output %d of %d", output, len(g.outputs))
	}
	m.clearSecond()
	y := g.outputs[output]
	m.second[y], m.reached[y] = 1, true
	for i := int(y); i >= g.inputs; i-- {
		if err := m.looks(); err != nil {
			return err
		}
		if nd := &g.nodes[i]; nd.kind == Operation && m.reached[i] {
			if err := m.update(nd, m.second[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// update marks a hyperedge: zi := (si, βi + ∂i f(s)·α), one source after the other,
// so that a repeated source is updated for each position that it has.
func (m *Memory) update(nd *node, adjoint float64) error {
	z := m.g.sources(nd)
	var partials []term.Partial
	if nd.sym != term.NoSymbol {
		partials = nd.sym.Info().Partials
		m.Operations += uint64(len(z))
	}
	m.Operations += uint64(len(z))
	for i, zi := range z {
		contribution := adjoint
		if partials != nil {
			contribution = m.slope(&partials[i], z) * adjoint
		}
		m.second[zi] += contribution
		m.reached[zi] = true
		if err := m.finite(nd, m.second[zi], "a derivative"); err != nil {
			return err
		}
	}
	return nil
}

// Result is what a mode computes at a point.
type Result struct {
	Values   []float64 // of the outputs
	Jacobian []float64 // row by row, a row for each output, a column for each input
	// Operations is how many operations this took.
	Operations uint64
}

// values reads the primals of the outputs.
func (m *Memory) values() []float64 {
	out := make([]float64, len(m.g.outputs))
	for i, y := range m.g.outputs {
		out[i] = m.primal[y]
	}
	return out
}

// Values is forward evaluation at the point; the result has no Jacobian.
func (m *Memory) Values(point []float64) (Result, error) {
	before := m.Operations
	if err := m.Evaluate(point); err != nil {
		return Result{}, err
	}
	return Result{Values: m.values(), Operations: m.Operations - before}, nil
}

// ForwardMode computes values and Jacobian by forward mode: n passes, O(n·|G|). A graph without inputs is evaluated.
func (m *Memory) ForwardMode(point []float64) (Result, error) {
	n, k := m.g.inputs, len(m.g.outputs)
	if n == 0 {
		return m.Values(point)
	}
	before := m.Operations
	res := Result{Jacobian: make([]float64, n*k)}
	for j := range n {
		if err := m.Forward(point, j); err != nil {
			return Result{}, err
		}
		for i, y := range m.g.outputs {
			res.Jacobian[i*n+j] = m.second[y]
		}
	}
	res.Values, res.Operations = m.values(), m.Operations-before
	return res, nil
}

// Backpropagation computes values and Jacobian by one forward phase and a backward
// phase for each of the k outputs, O(k·|G|).
func (m *Memory) Backpropagation(point []float64) (Result, error) {
	n, k := m.g.inputs, len(m.g.outputs)
	before := m.Operations
	if err := m.Evaluate(point); err != nil {
		return Result{}, err
	}
	res := Result{Values: m.values(), Jacobian: make([]float64, n*k)}
	for i := range k {
		if err := m.Backward(i); err != nil {
			return Result{}, err
		}
		copy(res.Jacobian[i*n:(i+1)*n], m.second[:n])
	}
	res.Operations = m.Operations - before
	return res, nil
}
