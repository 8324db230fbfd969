package revgrad

import (
	"fmt"
	"slices"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/term"
)

// groundTerm is a random ground term with its inputs and a point. If it is exact, it
// is a polynomial with whole coefficients at a whole point.
type groundTerm struct {
	t      *term.Term
	inputs []term.Var
	point  []float64
	exact  bool
}

type groundGenerator struct {
	t       *rapid.T
	q       *term.Term
	env     []term.Var
	symbols []term.Symbol
	exact   bool
	budget  int
}

var polynomials = []term.Symbol{term.Mul, term.Sub, term.Neg, term.Mul}

// drawGround makes ground terms of several forms: nested at random, with sugar and
// lets in every position; graphs with fan-out, diamonds, z·z and dead nodes; sums.
func drawGround(t *rapid.T) *groundTerm {
	g := &groundGenerator{t: t, q: term.New(term.NewTypes()), budget: 40}
	if g.exact = rapid.Bool().Draw(t, "exact"); g.exact {
		g.symbols = polynomials
	} else {
		g.symbols = term.Symbols()
	}
	out := &groundTerm{t: g.q, exact: g.exact}
	for i := range rapid.IntRange(1, 4).Draw(t, "inputs") {
		x := g.q.NewVar(term.VarInfo{Name: fmt.Sprintf("x%d", i+1), Type: term.R})
		out.inputs = append(out.inputs, x)
		out.point = append(out.point, g.number())
		g.env = append(g.env, x)
	}
	switch g.choose(4, "form") {
	case 0:
		h := g.hypergraph(len(out.inputs))
		out.t, out.inputs = graphTerm(h, g.q.Types)
	case 1:
		var leaves []term.Ref
		for range 1 + g.choose(12, "summands") {
			leaves = append(leaves, g.term(1))
		}
		g.q.Root = sum(g.q, leaves, g.choose(3, "shape"))
	default:
		g.q.Root = g.term(8)
	}
	return out
}

func (g *groundGenerator) choose(n int, label string) int {
	return rapid.IntRange(0, n-1).Draw(g.t, label)
}

func (g *groundGenerator) number() float64 {
	if g.exact {
		return float64(g.choose(7, "number") - 3)
	}
	return float64(g.choose(17, "number")-8) / 4
}

// hypergraph makes a graph whose operations read inputs, numerals and what was made
// recently, or long ago.
func (g *groundGenerator) hypergraph(inputs int) *hypergraph.Graph {
	b := hypergraph.NewBuilder(inputs)
	n := g.choose(15, "operations")
	operand := func(made int) hypergraph.Operand {
		o := hypergraph.Operand{Op: -1, Input: -1}
		switch k := g.choose(6, "operand"); {
		case k < 3 && made > 0:
			o.Op = max(0, made-1-g.choose(3, "distance"))
		case k == 3 && made > 0:
			o.Op = g.choose(made, "operation")
		case k == 4:
			o.Value = g.number()
		default:
			o.Input = g.choose(inputs, "input")
		}
		return o
	}
	for i := range n {
		f := g.symbols[g.choose(len(g.symbols), "symbol")]
		if g.choose(4, "sum") == 0 {
			f = term.NoSymbol
		}
		args := []hypergraph.Operand{operand(i)}
		if f == term.NoSymbol || f.Info().Arity == 2 {
			args = append(args, operand(i))
			if g.choose(4, "square") == 0 {
				args[1] = args[0]
			}
		}
		b.Operation(f, term.Pos(i), args...)
	}
	b.Output(operand(n))
	h, err := b.Graph()
	require.NoError(g.t, err)
	return h
}

// term makes a ground term, with sugar.
func (g *groundGenerator) term(depth int) term.Ref {
	g.budget--
	pos := term.Pos(len(g.q.Nodes))
	if depth <= 0 || g.budget <= 0 {
		if g.choose(6, "leaf") == 0 {
			return g.q.Num(pos, g.number())
		}
		return g.q.Variable(pos, g.env[g.choose(len(g.env), "variable")])
	}
	switch g.choose(7, "form") {
	case 0:
		return g.term(0)
	case 1, 2, 3:
		u := g.term(depth - 1)
		z := g.q.NewVar(term.VarInfo{Name: "z", Type: term.R})
		n := len(g.env)
		g.env = append(g.env, z)
		body := g.term(depth - 1)
		g.env = g.env[:n]
		return g.q.Let(pos, z, u, body)
	case 4, 5:
		f := g.symbols[g.choose(len(g.symbols), "symbol")]
		args := []term.Ref{g.term(depth - 1)}
		if f.Info().Arity == 2 {
			args = append(args, g.term(depth-1))
		}
		return g.q.Fun(pos, f, args...)
	}
	return g.q.Add(pos, g.term(depth-1), g.term(depth-1))
}

// The shapes of a sum.
const (
	leftSum = iota
	rightSum
	balancedSum
)

// sum adds the leaves, nested to the left, to the right, or balanced.
func sum(q *term.Term, leaves []term.Ref, shape int) term.Ref {
	for len(leaves) > 1 {
		switch n := len(leaves); shape {
		case leftSum:
			for i := 1; i < n; i++ {
				leaves[0] = q.Add(0, leaves[0], leaves[i])
			}
			return leaves[0]
		case rightSum:
			leaves[n-2] = q.Add(0, leaves[n-2], leaves[n-1])
			leaves = leaves[:n-1]
		default:
			half := leaves[:0]
			for i := 0; i+1 < n; i += 2 {
				half = append(half, q.Add(0, leaves[i], leaves[i+1]))
			}
			if n%2 == 1 {
				half = append(half, leaves[n-1])
			}
			leaves = half
		}
	}
	return leaves[0]
}

// graphTerm returns a graph with one output as a ground term: a chain of lets over its operations.
func graphTerm(h *hypergraph.Graph, tt *term.Types) (t *term.Term, inputs []term.Var) {
	t = term.New(tt)
	vars := make([]term.Var, h.Len())
	for i := range h.Inputs() {
		vars[i] = t.NewVar(term.VarInfo{Name: fmt.Sprintf("x%d", i+1), Type: term.R})
		inputs = append(inputs, vars[i])
	}
	read := func(w hypergraph.Node) term.Ref {
		if r, ok := h.Numeral(w); ok {
			return t.Num(0, r)
		}
		return t.Variable(0, vars[w])
	}
	type let struct {
		x   term.Var
		u   term.Ref
		pos term.Pos
	}
	var lets []let
	for i := range h.Len() {
		f, sources, pos, ok := h.Edge(hypergraph.Node(i))
		if !ok {
			continue
		}
		var kids []term.Ref
		for _, z := range sources {
			kids = append(kids, read(z))
		}
		vars[i] = t.NewVar(term.VarInfo{Name: fmt.Sprintf("z%d", len(lets)+1), Type: term.R, Pos: pos})
		if f == term.NoSymbol {
			lets = append(lets, let{vars[i], t.Add(pos, kids[0], kids[1]), pos})
		} else {
			lets = append(lets, let{vars[i], t.Fun(pos, f, kids...), pos})
		}
	}
	t.Root = read(h.Outputs()[0])
	for _, l := range slices.Backward(lets) {
		t.Root = t.Let(l.pos, l.x, l.u, t.Root)
	}
	return t, inputs
}
