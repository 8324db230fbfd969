package revgrad

import (
	"fmt"

	"github.com/gram-machine/gram/term"
)

// Ground terms, grammar (def:ground_term) of section 5.1, are computational graphs as terms:
//
//	F, G ::= x | F[x:=G] | f(p1,…,pk) | r | F + G        x, pi of type R
//
// where an operand p is a variable, as in the paper, or a numeral: r is a nullary
// symbol, and a let for each would only be in the way. Terms f(G1,…,Gk) are sugar for
//
//	f(x1,…,xk)[x1:=G1]…[xk:=Gk]
//
// for those of the Gi that are no operands. Section 2.1 also has pairs (F,G):
// around a ground term, never under an operation.

// NotGroundError is a place where a term isn't a ground term.
type NotGroundError struct {
	Pos  term.Pos
	What string
}

func (e *NotGroundError) Error() string { return "not a ground term: " + e.What }

// groundNodes returns which nodes the root of a ground term reaches. If tuples is set, pairs and vectors of ground
// terms are ground terms. It is one loop from the root down, since children come before parents.
func groundNodes(t *term.Term, tuples bool) (live []bool, err error) {
	live = make([]bool, len(t.Nodes))
	outer := make([]bool, len(t.Nodes)) // tuples may stand here
	live[t.Root], outer[t.Root] = true, tuples
	for r := t.Root; r > 0; r-- {
		if !live[r] {
			continue
		}
		n := &t.Nodes[r]
		if what := notGround(t, n, outer[r]); what != "" {
			return nil, &NotGroundError{n.Pos, what}
		}
		t.Kids(n, func(k term.Ref) {
			live[k] = true
			outer[k] = n.Op == term.PairOp || n.Op == term.VecOp || n.Op == term.LetOp && k == n.A && outer[r]
		})
	}
	return live, nil
}

// notGround says why n, whatever its children are, is no ground term.
func notGround(t *term.Term, n *term.Node, outer bool) string {
	switch n.Op {
	case term.VarOp, term.LetOp:
		switch x := t.Info(n.X); {
		case x.Linear:
			return fmt.Sprintf("the variable %s is linear", x.Name)
		case x.Type != term.R:
			return fmt.Sprintf("the variable %s has type %s", x.Name, t.Types.String(x.Type))
		}
		return ""
	case term.NumOp, term.AddOp:
		return ""
	case term.FunOp:
		if k := n.Sym.Info().Arity; int(n.N) != k {
			return fmt.Sprintf("%s takes %d arguments, not %d", n.Sym, k, n.N)
		}
		return ""
	case term.PairOp, term.VecOp:
		if outer {
			return ""
		}
		return "a tuple stands where a number is expected"
	}
	return fmt.Sprintf("it has higher types, lists or conditionals (constructor %d)", n.Op)
}

// isOperand tells the operands of f(p1,…,pk).
func isOperand(n *term.Node) bool { return n.Op == term.VarOp || n.Op == term.NumOp }

// Ground returns the ground term t of type R without sugar: every f(G1,…,Gk) has a let for each Gi that is neither a
// variable nor a numeral. Variables keep their numbers. Time and size are linear in t. check may be nil; it is called
// at least every 2¹⁶ nodes. The error is that of check, or a [*NotGroundError].
func Ground(t *term.Term, check func() error) (*term.Term, error) {
	live, err := groundNodes(t, false)
	if err != nil {
		return nil, err
	}
	g := newImage(t, 2*len(t.Nodes), 2*t.NumVars())
	return g.all(check, func(r term.Ref) error {
		if n := &t.Nodes[r]; !live[r] {
			return nil
		} else if n.Op == term.FunOp {
			g.refs[r] = g.named(n)
		} else {
			g.copy(r, *n)
		}
		return nil
	})
}

// image is a term that is made from another, node by node.
type image struct {
	src, dst *term.Term
	refs     []term.Ref // the image of each node of src
}

// newImage makes room for about as many nodes and variables, and copies the variables of src.
func newImage(src *term.Term, nodes, vars int) *image {
	dst := term.New(src.Types)
	dst.Nodes = append(make([]term.Node, 0, nodes), dst.Nodes...)
	dst.CopyVars(src, max(0, vars-src.NumVars()))
	return &image{src: src, dst: dst, refs: make([]term.Ref, len(src.Nodes))}
}

// all makes the image of the source by a function that makes that of a node. An error of
// it, or of check, ends the work.
func (g *image) all(check func() error, node func(r term.Ref) error) (*term.Term, error) {
	for r := term.Ref(1); int(r) < len(g.src.Nodes); r++ {
		if err := checkAt(int(r), check); err != nil {
			return nil, err
		}
		if err := node(r); err != nil {
			return nil, err
		}
	}
	g.dst.Root = g.refs[g.src.Root]
	return g.dst, nil
}

// copy makes the image of node r: it is n, a copy of that node, of the images of the
// children. Variables keep their numbers.
func (g *image) copy(r term.Ref, n term.Node) {
	g.refs[r] = g.dst.Copy(g.src, n, func(k term.Ref) term.Ref { return g.refs[k] },
		func(x term.Var) term.Var { return x })
}

// operandsOf returns the operands of + or a symbol.
func (g *image) operandsOf(n *term.Node) []term.Ref {
	if n.Op == term.AddOp {
		return []term.Ref{n.A, n.B}
	}
	return g.src.Children(n)
}

// apply is + or a symbol at k numbers.
func (g *image) apply(n *term.Node, k int, first func(i int) term.Ref) term.Ref {
	return g.dst.Operation(n.Pos, n.Sym, each(k, first)...)
}

// open makes variables for the two parts of the image of each kid. opened puts their openings around a body.
//
//go:noinline
func (g *image) open(pos term.Pos, kids []term.Ref, pair func() (x, y term.Var)) (
	xs, ys []term.Var, opened func(body term.Ref) term.Ref,
) {
	xs, ys = make([]term.Var, len(kids)), make([]term.Var, len(kids))
	for i := range kids {
		xs[i], ys[i] = pair()
	}
	return xs, ys, func(body term.Ref) term.Ref {
		for i, k := range kids {
			body = g.dst.Unpair(pos, xs[i], ys[i], g.refs[k], body)
		}
		return body
	}
}

// named is f(p1,…,pk)[y1:=G1]…: the operation on operands only.
func (g *image) named(n *term.Node) term.Ref {
	kids := g.src.Children(n)
	operands := make([]term.Ref, len(kids))
	ys := make([]term.Var, len(kids))
	for i, k := range kids {
		operands[i] = g.refs[k]
		if c := &g.src.Nodes[k]; !isOperand(c) {
			ys[i] = g.dst.NewVar(term.VarInfo{Name: "y", Type: term.R, Pos: c.Pos})
			operands[i] = g.dst.Variable(c.Pos, ys[i])
		}
	}
	out := g.dst.Fun(n.Pos, n.Sym, operands...)
	for i, y := range ys {
		if y != 0 {
			out = g.dst.Let(n.Pos, y, g.refs[kids[i]], out)
		}
	}
	return out
}
