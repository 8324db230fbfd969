package term

import (
	"cmp"
	"fmt"
)

// TypeError is a node that has no type, by Table 1 in the form of two judgements:
// ⊢ t : A for ordinary terms, ⊢_Z t : R^d for terms that are linear in Z.
type TypeError struct {
	At  Ref
	Pos Pos
	Msg string
}

func (e *TypeError) Error() string { return e.Msg }

type checker struct {
	t     *Term
	tr    *traversal
	types []Type // of each node
	nest  *nest  // of the indices, once it is asked for
	linearity
}

// Check types the term by the two judgements and returns the type of its root. It also
// checks that every occurrence of a variable that is bound is in the scope of its
// binder. The error is a [*TypeError]. It takes time linear in the arena.
func (t *Term) Check() (Type, error) {
	types, err := t.Typing(nil)
	if err != nil {
		return 0, err
	}
	return types[t.Root], nil
}

// Typing is [Term.Check], and returns the types of all nodes of the term. It calls look,
// if that is not nil, at least every 2¹⁶ nodes; an error of look ends it.
func (t *Term) Typing(look func() error) ([]Type, error) {
	tr, err := t.traverse(look)
	if err != nil {
		return nil, err
	}
	c := checker{t: t, tr: tr, types: make([]Type, len(t.Nodes)),
		linearity: linearity{outer: make([]Var, len(t.Nodes)), lin: make([]bool, len(t.Nodes))}}
	for i, r := range tr.nodes[1:] {
		if err := LookAt(i, look); err != nil {
			return nil, err
		}
		if c.types[r], err = c.node(r); err != nil {
			return nil, err
		}
	}
	return c.types, nil
}

func (c *checker) errorf(r Ref, format string, args ...any) error {
	return &TypeError{At: r, Pos: c.t.Nodes[r].Pos, Msg: fmt.Sprintf(format, args...)}
}

func (c *checker) str(t Type) string { return c.t.Types.String(t) }

// want reports an error unless node k has type ty.
func (c *checker) want(r, k Ref, ty Type, what string) error {
	if c.types[k] == ty {
		return nil
	}
	return c.errorf(r, "%s has type %s, not %s", what, c.str(c.types[k]), c.str(ty))
}

func (c *checker) node(r Ref) (Type, error) {
	t, tt := c.t, c.t.Types
	n := &t.Nodes[r]
	switch n.Op {
	case VarOp:
		return c.variable(r, n.X)
	case NumOp:
		c.lin[r] = n.Val == 0
		return R, nil
	case ZeroOp:
		c.lin[r] = true
		return AbstractEuclid, nil
	case LamOp:
		return c.lam(r, n)
	case AppOp:
		return c.app(r, n)
	case PairOp:
		return tt.Prod(c.types[n.A], c.types[n.B]), c.both(r, n.A, n.B)
	case VecOp:
		return c.vec(r, n)
	case LetOp, UnvecOp, UntupleOp:
		return c.let(r, n)
	case AddOp:
		if !tt.Euclidean(c.types[n.A]) {
			return 0, c.errorf(r, "+ takes numbers, not %s", c.str(c.types[n.A]))
		}
		return c.types[n.A], cmp.Or(c.want(r, n.B, c.types[n.A], "the right side of +"), c.both(r, n.A, n.B))
	case FunOp:
		return c.fun(r, n)
	case IfOp:
		return c.cond(r, n)
	case ListOp:
		for _, k := range t.Children(n) {
			if err := cmp.Or(c.want(r, k, n.Elem, "an element of the list"), c.ordinary(k, "a list")); err != nil {
				return 0, err
			}
		}
		return tt.List(n.Elem, n.Res), nil
	case NatOp:
		return tt.Nat(n.Res), nil
	case ComponentOp:
		return c.component(r, n)
	case IndexNumOp:
		return R, nil
	case FamilyOp, ListFamilyOp, SumOp, ScanOp:
		return c.comprehension(r, n)
	case ConOp:
		return c.construct(r, n)
	case CaseOp:
		return c.match(r, n)
	case BranchOp:
		c.outer[r], c.lin[r] = c.outer[n.A], c.lin[n.A]
		return c.types[n.A], nil
	case FixOp:
		return c.fix(r, n)
	case DataOp:
		if t.Data[n.A].List {
			return tt.List(n.Elem, n.Res), nil
		}
		return n.Elem, nil
	}
	return 0, c.errorf(r, "no such constructor: %d", n.Op)
}

func (c *checker) variable(r Ref, x Var) (Type, error) {
	v := c.t.unnamed(x)
	if !c.t.inScope(c.tr, r, x) {
		return 0, c.errorf(r, "%s is out of scope", c.t.Info(x).Name)
	}
	if v.Linear {
		return v.Type, c.occurrence(r, x)
	}
	return v.Type, nil
}

func (c *checker) lam(r Ref, n *Node) (Type, error) {
	x := c.t.Info(n.X)
	body := c.types[n.A]
	if !x.Linear {
		return c.t.Types.Arrow(x.Type, body), c.ordinary(n.A, "a function")
	}
	dual, ok := c.t.Types.DualTo(body)
	if !ok {
		return 0, c.errorf(r, "the body of a linear function has type %s, not R^d", c.str(body))
	}
	return dual, c.linearLam(r, n)
}

func (c *checker) app(r Ref, n *Node) (Type, error) {
	tt := c.t.Types
	f := c.types[n.A]
	if err := c.ordinary(n.A, "function position"); err != nil {
		return 0, err
	}
	switch tt.Kind(f) {
	case ArrowKind:
		return tt.Right(f), cmp.Or(c.want(r, n.B, tt.Left(f), "the argument"), c.ordinary(n.B, "an argument"))
	case DualKind:
		c.outer[r], c.lin[r] = c.outer[n.B], c.lin[n.B]
		return tt.Right(f), c.want(r, n.B, R, "the argument")
	}
	return 0, c.errorf(r, "%s is not a function", c.str(f))
}

func (c *checker) vec(r Ref, n *Node) (Type, error) {
	kids := c.t.Children(n)
	if len(kids) == 0 {
		return 0, c.errorf(r, "a vector has at least one component")
	}
	for i, k := range kids {
		if i == 0 {
			c.outer[r], c.lin[r] = c.outer[k], c.lin[k]
		} else if err := c.both(r, r, k); err != nil {
			return 0, err
		}
		if err := c.want(r, k, c.types[kids[0]], "a component of the vector"); err != nil {
			return 0, err
		}
	}
	return c.t.Types.Vec(len(kids), c.types[kids[0]]), nil
}

func (c *checker) let(r Ref, n *Node) (Type, error) {
	t, tt := c.t, c.t.Types
	u := c.types[n.B]
	bind := func(x Var, ty Type) error { return c.bind(r, x, ty) }
	if n.Op == LetOp && t.Info(n.X).Linear {
		return c.types[n.A], cmp.Or(bind(n.X, u), c.linearLet(r, n))
	}
	c.outer[r], c.lin[r] = c.outer[n.A], c.lin[n.A]
	if err := c.ordinary(n.B, "an exponential substitution"); err != nil {
		return 0, err
	}
	switch n.Op {
	case LetOp:
		return c.types[n.A], bind(n.X, u)
	case UntupleOp:
		return c.types[n.A], c.bindTuple(r, t.BoundVars(n), u)
	default:
		if tt.Kind(u) != VecKind || tt.Len(u) != int(n.N) {
			return 0, c.errorf(r, "%s is not a vector of %d", c.str(u), n.N)
		}
		elem := tt.Left(u)
		var err error
		t.Binders(n, func(x Var) {
			if err == nil && t.TypeOf(x) != elem {
				err = bind(x, elem)
			}
		})
		return c.types[n.A], err
	}
}

// bind reports an error unless x has type ty.
func (c *checker) bind(r Ref, x Var, ty Type) error {
	if v := c.t.TypeOf(x); v != ty {
		return c.errorf(r, "%s has type %s, not %s", c.t.Info(x).Name, c.str(v), c.str(ty))
	}
	return nil
}

// bindTuple reports an error unless the right-nested tuples of type ty have the components xs.
func (c *checker) bindTuple(r Ref, xs []Var, ty Type) error {
	tt := c.t.Types
	for i, x := range xs {
		component := ty
		if i < len(xs)-1 {
			if tt.Kind(ty) != ProdKind {
				return c.errorf(r, "%s is not a pair", c.str(ty))
			}
			component, ty = tt.Left(ty), tt.Right(ty)
		}
		if err := c.bind(r, x, component); err != nil {
			return err
		}
	}
	return nil
}

func (c *checker) fun(r Ref, n *Node) (Type, error) {
	kids := c.t.Children(n)
	if len(kids) != n.Sym.Info().Arity {
		return 0, c.errorf(r, "%s takes %d arguments, not %d", n.Sym, n.Sym.Info().Arity, len(kids))
	}
	for _, k := range kids {
		if c.types[k] != R || c.outer[k] != 0 && n.Sym != Mul {
			argument := "an argument of " + n.Sym.String()
			return 0, cmp.Or(c.want(r, k, R, argument), c.ordinary(k, argument))
		}
	}
	if n.Sym == Mul {
		return R, c.product(r, kids[0], kids[1])
	}
	return R, nil
}

func (c *checker) cond(r Ref, n *Node) (Type, error) {
	k := c.t.Children(n)
	for _, s := range k[:2] {
		if err := cmp.Or(c.want(r, s, R, "a side of the comparison"), c.ordinary(s, "a condition")); err != nil {
			return 0, err
		}
	}
	return c.types[k[2]], cmp.Or(c.want(r, k[3], c.types[k[2]], "the else branch"), c.both(r, k[2], k[3]))
}
