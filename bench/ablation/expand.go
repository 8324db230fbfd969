package ablation

import "github.com/gram-machine/gram/term"

// Expand returns t without its explicit substitutions of exponential variables: each occurrence of x in
// t[x:=u] becomes a copy of u,
//
//	t[x:=u]  =  t{u/x}
//
// as in a language without let. Of n lets that each use the one before twice it makes 2ⁿ copies (section
// 2.1). The openings of pairs and tuples and linear substitutions stay, and all bound variables are new; the
// free ones keep their numbers. The value is that of t, and so is each number to the last bit.
//
// check may be nil; it is called at least every 2¹⁶ nodes. The errors are that of check, and a [*SizeError]
// if the result would have more nodes than limit.
func Expand(t *term.Term, limit int, check func() error) (*term.Term, error) {
	dst := term.New(t.Types)
	dst.Vars, dst.Data = append(dst.Vars[:0], t.Vars...), t.Data
	e := &expander{src: t, dst: dst, budget: budget{limit: limit, check: check}}
	dst.Root = e.copy(t.Root, nil)
	return dst, e.err
}

// scope says what a variable of the source stands for: y, or the source's node u in its own scope.
type scope struct {
	x, y  term.Var
	u     term.Ref
	at    *scope // the scope of u
	outer *scope
}

func (s *scope) find(x term.Var) *scope {
	for s != nil && s.x != x {
		s = s.outer
	}
	return s
}

type expander struct {
	src, dst *term.Term
	budget
}

// bind gives a variable that the copy binds a number of its own.
func (e *expander) bind(x term.Var, s *scope) *scope {
	return &scope{x: x, y: e.dst.NewVar(e.src.Vars[x]), outer: s}
}

// copy makes the copy of node r.
func (e *expander) copy(r term.Ref, s *scope) term.Ref {
	n := &e.src.Nodes[r]
	switch {
	case n.Op == term.VarOp:
		if v := s.find(n.X); v != nil && v.u != 0 {
			return e.copy(v.u, v.at)
		}
	case n.Op == term.LetOp && !e.src.Vars[n.X].Linear:
		return e.copy(n.A, &scope{x: n.X, u: n.B, at: s, outer: s})
	}
	if e.full() {
		return 0
	}
	return e.node(n, s)
}

// node copies a node that stays.
func (e *expander) node(n *term.Node, s *scope) term.Ref {
	dst, p := e.dst, n.Pos
	switch n.Op {
	case term.VarOp:
		if v := s.find(n.X); v != nil {
			return dst.Variable(p, v.y)
		}
		return dst.Variable(p, n.X)
	case term.NumOp:
		return dst.Num(p, n.Val)
	case term.ZeroOp:
		return dst.Zero(p)
	case term.NatOp:
		return dst.Nat(p, n.Count, n.Res)
	case term.DataOp:
		return dst.DataRef(p, int(n.A), n.Elem, n.Res)
	case term.AppOp:
		f := e.copy(n.A, s)
		return dst.App(p, f, e.copy(n.B, s))
	case term.PairOp:
		a := e.copy(n.A, s)
		return dst.Pair(p, a, e.copy(n.B, s))
	case term.AddOp:
		a := e.copy(n.A, s)
		return dst.Add(p, a, e.copy(n.B, s))
	case term.FunOp:
		return dst.Fun(p, n.Sym, e.copies(n, s)...)
	case term.VecOp:
		return dst.Vec(p, e.copies(n, s))
	case term.ListOp:
		return dst.List(p, n.Elem, n.Res, e.copies(n, s))
	case term.IfOp:
		k := e.copies(n, s)
		return dst.If(p, n.Cmp, k[0], k[1], k[2], k[3])
	}
	return e.binder(n, s)
}

func (e *expander) copies(n *term.Node, s *scope) []term.Ref {
	var out []term.Ref
	for _, k := range e.src.Children(n) {
		out = append(out, e.copy(k, s))
	}
	return out
}

// binder copies a λ, a linear substitution or an opening.
func (e *expander) binder(n *term.Node, s *scope) term.Ref {
	dst, p := e.dst, n.Pos
	var u term.Ref
	if n.Op != term.LamOp {
		u = e.copy(n.B, s)
	}
	var ys []term.Var
	for _, x := range e.src.BoundVars(n) {
		s = e.bind(x, s)
		ys = append(ys, s.y)
	}
	body := e.copy(n.A, s)
	switch n.Op {
	case term.LamOp:
		return dst.Lam(p, ys[0], body)
	case term.LetOp:
		return dst.Let(p, ys[0], u, body)
	case term.UnpairOp:
		return dst.Unpair(p, ys[0], ys[1], u, body)
	case term.UnvecOp:
		return dst.Unvec(p, ys, u, body)
	}
	return dst.Untuple(p, ys, u, body)
}
