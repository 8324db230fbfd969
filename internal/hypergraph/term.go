package hypergraph

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/term"
)

// NotGroundError is a node of a term that has no computational graph.
type NotGroundError struct {
	Pos  term.Pos
	What string
}

func (e *NotGroundError) Error() string { return "not a computational graph: " + e.What }

// value is what a subterm denotes: a node, or a tuple, which has components.
type value struct {
	node  Node
	tuple []value
}

// reader makes the graph of a term, operands before the operation that reads them.
type reader struct {
	t     *term.Term
	b     *Builder
	of    []value // of the nodes that have been read
	env   []value
	known []bool
}

// FromTerm returns the computational graph of a term in the grammar of section 2.1: ground terms (section 5,
// def:ground_term) and tuples of them. Besides, tuples may be opened and bound, so that Fwd(G) and bp(G) have graphs
// too. inputs are the free variables, of type R or a Euclidean type, whose components are an input each; the
// components of the value are the outputs, from left to right. A subterm that a let shares is one node. look may be
// nil; it is called at least every 2¹⁶ nodes, and its error is returned. Any other error is a [*NotGroundError] or a
// [*term.TypeError].
//
// It takes time linear in the term, and no Go stack. A let whose variable nobody reads stays in the graph.
func FromTerm(t *term.Term, inputs []term.Var, look func() error) (*Graph, error) {
	order, err := t.Order(look)
	if err != nil {
		return nil, err
	}
	rd := &reader{t: t, of: make([]value, len(t.Nodes)), env: make([]value, t.NumVars()), known: make([]bool, t.NumVars())}
	n := 0
	for _, x := range inputs {
		v, err := rd.input(t.TypeOf(x), &n)
		if err != nil {
			return nil, err
		}
		rd.bind(x, v)
	}
	rd.b = NewBuilder(n)
	binder := make([]term.Ref, len(t.Nodes)) // of what is bound: the let
	for _, r := range order {
		switch n := &t.Nodes[r]; n.Op {
		case term.VarOp, term.NumOp, term.AddOp, term.PairOp, term.FunOp, term.VecOp:
		case term.LetOp, term.UnvecOp, term.UntupleOp:
			binder[n.B] = r
		default:
			return nil, rd.fail(r, "it has higher types, lists or conditionals (constructor %d)", n.Op)
		}
	}
	for i, r := range order {
		if err := term.LookAt(i, look); err != nil {
			return nil, err
		}
		if rd.of[r], err = rd.node(r, &t.Nodes[r]); err != nil {
			return nil, err
		}
		if let := binder[r]; let != 0 {
			if err := rd.open(let, &t.Nodes[let], rd.of[r]); err != nil {
				return nil, err
			}
		}
	}
	rd.output(rd.of[t.Root])
	return rd.b.Graph()
}

func (rd *reader) bind(x term.Var, v value) {
	rd.env[x], rd.known[x] = v, true
	rd.name(x, v)
}

// name remembers that x is the first variable that is bound to v, if v is no input.
func (rd *reader) name(x term.Var, v value) {
	if rd.b == nil || v.tuple != nil || int(v.node) < rd.b.g.inputs {
		return
	}
	g := rd.b.g
	g.vars = append(g.vars, make([]term.Var, len(g.nodes)-len(g.vars))...)
	if g.vars[v.node] == 0 {
		g.vars[v.node] = x
	}
}

// input makes the value of an input of type ty, whose numbers are inputs from *n on. It recurses on the type.
func (rd *reader) input(ty term.Type, n *int) (value, error) {
	if ty == term.R {
		*n++
		return value{node: Node(*n - 1)}, nil
	}
	parts := rd.t.Types.Components(ty)
	if parts == nil {
		return value{}, &NotGroundError{What: "an input has type " + rd.t.Types.String(ty)}
	}
	comps := make([]value, len(parts))
	for i, p := range parts {
		v, err := rd.input(p, n)
		if err != nil {
			return value{}, err
		}
		comps[i] = v
	}
	return value{tuple: comps}, nil
}

func (rd *reader) fail(r term.Ref, format string, args ...any) error {
	return &NotGroundError{Pos: rd.t.Nodes[r].Pos, What: fmt.Sprintf(format, args...)}
}

// node makes the value of a node whose children have been read.
func (rd *reader) node(r term.Ref, n *term.Node) (value, error) {
	switch n.Op {
	case term.VarOp:
		if !rd.known[n.X] {
			return value{}, rd.fail(r, "the variable %s is no input", rd.t.Info(n.X).Name)
		}
		return rd.env[n.X], nil
	case term.NumOp:
		return value{node: rd.b.numeral(n.Val)}, nil
	case term.LetOp, term.UnvecOp, term.UntupleOp:
		return rd.of[n.A], nil
	}
	var vs []value
	rd.t.Kids(n, func(k term.Ref) { vs = append(vs, rd.of[k]) })
	f := n.Sym
	switch n.Op {
	case term.PairOp, term.VecOp:
		return value{tuple: vs}, nil
	case term.AddOp:
		f = term.NoSymbol
	}
	if len(vs) != arity(f) {
		return value{}, rd.fail(r, "%s takes %d operands, not %d", symbolName(f), arity(f), len(vs))
	}
	off := len(rd.b.g.args)
	for _, v := range vs {
		if v.tuple != nil {
			return value{}, rd.fail(r, "an operand is a tuple")
		}
		rd.b.g.args = append(rd.b.g.args, v.node)
	}
	return value{node: rd.b.edge(f, n.Pos, off)}, nil
}

// open binds the variables of a let or of the opening of a tuple.
func (rd *reader) open(r term.Ref, n *term.Node, v value) error {
	xs := rd.t.BoundVars(n)
	switch n.Op {
	case term.LetOp:
		rd.bind(n.X, v)
		if pair := v.tuple; len(pair) == 2 { // of Fwd(G): a value and its tangent
			rd.name(n.X, pair[0])
			rd.name(n.X, pair[1])
		}
		return nil
	case term.UntupleOp:
		for _, x := range xs[:len(xs)-1] {
			if len(v.tuple) != 2 {
				return rd.fail(r, "what is opened is no tuple of %d", len(xs))
			}
			rd.bind(x, v.tuple[0])
			v = v.tuple[1]
		}
		rd.bind(xs[len(xs)-1], v)
		return nil
	}
	if len(v.tuple) != len(xs) {
		return rd.fail(r, "what is opened is no tuple of %d", len(xs))
	}
	for i, x := range xs {
		rd.bind(x, v.tuple[i])
	}
	return nil
}

// output adds the numbers of v to the outputs.
func (rd *reader) output(v value) {
	stack := []value{v}
	for len(stack) > 0 {
		v := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if v.tuple == nil {
			rd.b.g.outputs = append(rd.b.g.outputs, v.node)
		}
		for _, c := range slices.Backward(v.tuple) {
			stack = append(stack, c)
		}
	}
}
