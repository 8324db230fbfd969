package hypergraph

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

func in(i int) Operand             { return Operand{Op: -1, Input: i} }
func op(i int) Operand             { return Operand{Op: i, Input: -1} }
func num(r float64) Operand        { return Operand{Op: -1, Input: -1, Value: r} }
func point(r ...float64) []float64 { return r }

// figure1 is (x1,x2) ↦ sin((x1 − x2)²).
func figure1(t *testing.T) *Graph {
	b := NewBuilder(2)
	b.Operation(term.Sub, 1, in(0), in(1))
	b.Operation(term.Mul, 2, op(0), op(0))
	b.Operation(term.Sin, 3, op(1))
	b.Output(op(2))
	g, err := b.Graph()
	require.NoError(t, err)
	return g
}

// TestFigure1 follows section 2 assignment by assignment.
func TestFigure1(t *testing.T) {
	g := figure1(t)
	require.Equal(t, Size{Operations: 3, Edges: 5, Inputs: 2}, g.Size())
	require.Equal(t, 10, g.Size().Total())
	m := NewMemory(g, nil)
	assigned := func(w Node, primal, second float64) {
		t.Helper()
		require.InDelta(t, primal, m.Value(w), 5e-4)
		require.InDelta(t, second, m.Second(w), 5e-4)
	}

	require.NoError(t, m.Forward(point(5, 2), 0))
	assigned(2, 3, 1)
	assigned(3, 9, 6)
	assigned(4, 0.412, -5.467)
	require.EqualValues(t, 3+3+3+2, m.Operations)

	require.NoError(t, m.Evaluate(point(5, 2)))
	require.NoError(t, m.Backward(0))
	assigned(4, 0.412, 1)
	assigned(3, 9, -0.911)
	assigned(2, 3, -5.467)
	assigned(0, 5, -5.467)
	assigned(1, 2, 5.467)
	require.EqualValues(t, 11+3+4+4+3, m.Operations)
}

// TestFinite: a value or derivative that is no number ends the algorithm, at the
// operation that gives it.
func TestFinite(t *testing.T) {
	b := NewBuilder(1)
	b.Operation(term.Log, 7, in(0))
	b.Operation(term.Sqrt, 8, in(0))
	b.Operation(term.Mul, 9, op(0), op(1))
	b.Output(op(2))
	g, err := b.Graph()
	require.NoError(t, err)
	m := NewMemory(g, nil)
	for _, mode := range []func([]float64) (Result, error){m.ForwardMode, m.Backpropagation} {
		m.Finite = false
		_, err = mode(point(0))
		require.NoError(t, err)
		m.Finite = true
		_, err = mode(point(1))
		require.NoError(t, err)
		var bad *NotFiniteError
		_, err = mode(point(0))
		require.ErrorAs(t, err, &bad)
		require.EqualValues(t, 7, bad.Pos)
		require.Equal(t, "the value of log gives -Inf", bad.Error())
	}
	_, err = NewMemory(g.Only(0), nil).Values(point(-1))
	require.NoError(t, err)

	b = NewBuilder(1)
	b.Operation(term.Sqrt, 8, in(0))
	b.Output(op(0))
	g, err = b.Graph()
	require.NoError(t, err)
	m = NewMemory(g, nil)
	m.Finite = true
	for _, mode := range []func([]float64) (Result, error){m.ForwardMode, m.Backpropagation} {
		var bad *NotFiniteError
		_, err = mode(point(0))
		require.ErrorAs(t, err, &bad)
		require.EqualValues(t, 8, bad.Pos)
		require.Equal(t, "a derivative of sqrt gives +Inf", bad.Error())
	}
}

// TestOutputs: several outputs, one of them a numeral and one an input; a Jacobian is
// read row by row.
func TestOutputs(t *testing.T) {
	b := NewBuilder(3)
	b.Operation(term.Mul, 0, in(0), in(1))
	b.Operation(term.NoSymbol, 0, op(0), num(2))
	b.Operation(term.Div, 0, num(2), op(1))
	for _, o := range []Operand{op(1), num(4), in(0), op(0), op(2)} {
		b.Output(o)
	}
	g, err := b.Graph()
	require.NoError(t, err)
	require.Equal(t, Size{Operations: 3, Edges: 6, Inputs: 2, Numerals: 2}, g.Size())
	m := NewMemory(g, nil)
	for range 2 { // a memory may be used again
		for _, mode := range []func([]float64) (Result, error){m.ForwardMode, m.Backpropagation} {
			res, err := mode(point(3, 5, 7))
			require.NoError(t, err)
			require.Equal(t, point(17, 4, 3, 15, 2./17), res.Values)
			require.InDeltaSlice(t, point(5, 3, 0, 0, 0, 0, 1, 0, 0, 5, 3, 0, -10./289, -6./289, 0), res.Jacobian, 1e-15)
		}
	}
	res, err := m.Values(point(1, 1, 1))
	require.NoError(t, err)
	require.Equal(t, Result{Values: point(3, 4, 1, 1, 2./3), Operations: 3}, res)

	f, sources, _, ok := g.Edge(g.Outputs()[3])
	require.True(t, ok)
	require.Equal(t, term.Mul, f)
	require.Equal(t, []Node{0, 1}, sources)
	_, _, _, ok = g.Edge(0)
	require.False(t, ok)
	r, ok := g.Numeral(g.Outputs()[1])
	require.True(t, ok)
	require.Equal(t, 4., r)

	one := g.Only(3)
	require.Equal(t, g.Outputs()[3:4], one.Outputs())
}

// TestDeadEdges: a hyperedge that the output doesn't depend on is not visited, so
// that an infinite slope there is nothing to it.
func TestDeadEdges(t *testing.T) {
	b := NewBuilder(1)
	b.Operation(term.Sqrt, 0, in(0))
	b.Operation(term.NoSymbol, 0, in(0), in(0))
	b.Output(op(1))
	g, err := b.Graph()
	require.NoError(t, err)
	res, err := NewMemory(g, nil).Backpropagation(point(0))
	require.NoError(t, err)
	require.Equal(t, point(2), res.Jacobian)
	require.EqualValues(t, 2+2, res.Operations)
}

// TestTuples: a term may open and bind tuples, whose components are inputs and
// outputs from left to right.
func TestTuples(t *testing.T) {
	q := term.New(term.NewTypes())
	tt := q.Types
	v := func(name string, ty term.Type) term.Var { return q.NewVar(term.VarInfo{Name: name, Type: ty}) }
	p := v("p", tt.Prod(term.R, tt.Prod(term.R, tt.Vec(2, term.R))))
	x, y, w := v("x", term.R), v("y", term.R), v("w", tt.Vec(2, term.R))
	w0, w1, c, d := v("w0", term.R), v("w1", term.R), v("c", term.R), v("d", term.R)
	s, u := v("s", tt.Prod(term.R, term.R)), v("u", tt.Vec(2, term.R))
	r := func(x term.Var) term.Ref { return q.Variable(0, x) }
	body := q.Vec(0, []term.Ref{q.Add(0, r(c), r(y)), q.Fun(0, term.Mul, r(d), r(w1))})
	body = q.Unpair(0, c, d, r(s), body)
	body = q.Let(0, s, q.Pair(0, q.Fun(0, term.Sub, r(x), r(w0)), r(x)), body)
	body = q.Unvec(0, []term.Var{w0, w1}, r(u), body)
	body = q.Let(0, u, r(w), body)
	q.Root = q.Pair(0, q.Untuple(0, []term.Var{x, y, w}, r(p), body), q.Num(0, 8))
	_, err := q.Check()
	require.NoError(t, err)
	g, err := FromTerm(q, []term.Var{p}, nil)
	require.NoError(t, err)
	require.Equal(t, 4, g.Inputs())
	res, err := NewMemory(g, nil).Backpropagation(point(2, 3, 5, 7))
	require.NoError(t, err)
	require.Equal(t, point(2-5+3, 2*7, 8), res.Values)
	require.Equal(t, point(1, 1, -1, 0, 7, 0, 0, 2, 0, 0, 0, 0), res.Jacobian)
}

// TestErrors: what has no graph, and what doesn't fit one.
func TestErrors(t *testing.T) {
	for want, build := range map[string]func(b *Builder){
		"hypergraph: operation 0 (sin): reads operation 0, which is not before it": func(b *Builder) { b.Operation(term.Sin, 0, op(0)) },
		"hypergraph: operation 0 (+): reads input 1 of 1":                          func(b *Builder) { b.Operation(term.NoSymbol, 0, in(0), in(1)) },
		"hypergraph: output 0: reads operation 0, which is not before it":          func(b *Builder) { b.Output(op(0)) },
		"hypergraph: + takes 2 operands, not 1":                                    func(b *Builder) { b.Operation(term.NoSymbol, 0, in(0)) },
	} {
		b := NewBuilder(1)
		build(b)
		b.Operation(term.Sin, 0, in(0))
		b.Output(in(0))
		_, err := b.Graph()
		require.EqualError(t, err, want)
	}

	g := figure1(t)
	m := NewMemory(g, nil)
	require.EqualError(t, m.Evaluate(point(1)), "hypergraph: a point of 1 numbers for 2 inputs")
	require.EqualError(t, m.Forward(point(1, 2), 2), "hypergraph: no input 2 of 2")
	require.EqualError(t, m.Backward(1), "hypergraph: no output 1 of 1")

	b := NewBuilder(1)
	b.Operation(term.DSin, 0, in(0))
	b.Output(op(0))
	g, err := b.Graph()
	require.NoError(t, err)
	res, err := NewMemory(g, nil).Values(point(0))
	require.NoError(t, err)
	require.Equal(t, point(1), res.Values)
	res, err = NewMemory(g, nil).ForwardMode(point(2))
	require.NoError(t, err)
	require.Equal(t, term.DCos.Eval(2), res.Jacobian[0])
	res, err = NewMemory(g, nil).Backpropagation(point(2))
	require.NoError(t, err)
	require.Equal(t, term.DCos.Eval(2), res.Jacobian[0])

	for want, build := range map[string]func(q *term.Term, x term.Var) term.Ref{
		"not a computational graph: it has higher types, lists or conditionals (constructor 3)": func(q *term.Term, x term.Var) term.Ref {
			return q.Lam(1, x, q.Variable(2, x))
		},
		"not a computational graph: the variable y is no input": func(q *term.Term, _ term.Var) term.Ref {
			return q.Variable(1, q.NewVar(term.VarInfo{Name: "y", Type: term.R}))
		},
		"not a computational graph: an operand is a tuple": func(q *term.Term, x term.Var) term.Ref {
			return q.Fun(1, term.Sin, q.Pair(2, q.Num(3, 1), q.Num(3, 2)))
		},
		"not a computational graph: mul takes 2 operands, not 1": func(q *term.Term, x term.Var) term.Ref {
			return q.Fun(1, term.Mul, q.Variable(2, x))
		},
		"not a computational graph: what is opened is no tuple of 2": func(q *term.Term, x term.Var) term.Ref {
			return q.Unpair(1, q.NewVar(term.VarInfo{Type: term.R}), q.NewVar(term.VarInfo{Type: term.R}), q.Variable(2, x), q.Num(3, 1))
		},
	} {
		q := term.New(term.NewTypes())
		x := q.NewVar(term.VarInfo{Name: "x", Type: term.R})
		q.Root = build(q, x)
		_, err := FromTerm(q, []term.Var{x}, nil)
		var notGround *NotGroundError
		require.ErrorAs(t, err, &notGround)
		require.EqualError(t, err, want)
		require.Equal(t, term.Pos(1), notGround.Pos)
	}
}

// TestLooks: every pass looks often enough, and a look's error ends it.
func TestLooks(t *testing.T) {
	const n = 1 << 18
	b := NewBuilder(1)
	b.Operation(term.NoSymbol, 0, in(0), in(0))
	for i := range n - 1 {
		b.Operation(term.Tanh, 0, op(i))
	}
	b.Output(op(n - 1))
	g, err := b.Graph()
	require.NoError(t, err)
	looks := 0
	m := NewMemory(g, func() error { looks++; return nil })
	res, err := m.Backpropagation(point(0.5))
	require.NoError(t, err)
	require.GreaterOrEqual(t, looks, 2*n>>16)
	require.False(t, math.IsNaN(res.Jacobian[0]))
	stop := errors.New("stop")
	m = NewMemory(g, func() error { return stop })
	for _, mode := range []func([]float64) (Result, error){m.Values, m.ForwardMode, m.Backpropagation} {
		_, err := mode(point(0.5))
		require.ErrorIs(t, err, stop)
	}
}
