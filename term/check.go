package term

import "fmt"

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
	types []Type // of each node
	lin   []Var  // the linear variable free in each node, 0 if there is none
	any   []bool // the node is a zero: it has ⊢_Z for every Z
}

// Check types the term and returns the type of its root. Linear variables are
// checked by the judgement ⊢_z: a linear variable occurs in every summand or in
// none (zeros excepted), in one factor of a product, and never under a function
// symbol, in a condition or in an exponential substitution. The error is a
// [*TypeError]. It takes time linear in the arena.
func (t *Term) Check() (Type, error) {
	c := checker{t: t, types: make([]Type, len(t.Nodes)), lin: make([]Var, len(t.Nodes)), any: make([]bool, len(t.Nodes))}
	live := t.reachable()
	for r := Ref(1); int(r) < len(t.Nodes); r++ {
		if !live[r] {
			continue
		}
		ty, err := c.node(r)
		if err != nil {
			return 0, err
		}
		c.types[r] = ty
	}
	if x := c.lin[t.Root]; x != 0 {
		return 0, c.errorf(t.Root, "the linear variable %s is free", t.Vars[x].Name)
	}
	return c.types[t.Root], nil
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

// ordinary reports an error if node k mentions a linear variable: it must have ⊢.
func (c *checker) ordinary(r, k Ref, what string) error {
	if x := c.lin[k]; x != 0 {
		return c.errorf(r, "the linear variable %s is used in %s", c.t.Vars[x].Name, what)
	}
	return nil
}

// both gives node r the linear variable of its two parts a and b, which must
// agree: in ⊢_z both have z, and only a zero has it without mentioning it.
func (c *checker) both(r, a, b Ref) error {
	la, lb := c.lin[a], c.lin[b]
	switch {
	case la == lb, la != 0 && c.any[b]:
		c.lin[r] = la
	case lb != 0 && c.any[a]:
		c.lin[r] = lb
	case la != 0 && lb != 0:
		return c.errorf(r, "two linear variables, %s and %s, meet in one sum", c.t.Vars[la].Name, c.t.Vars[lb].Name)
	default:
		return c.errorf(r, "the linear variable %s is dropped in one part", c.t.Vars[la+lb].Name)
	}
	c.any[r] = c.any[a] && c.any[b]
	return nil
}

func firstError(errs ...error) error {
	for _, e := range errs {
		if e != nil {
			return e
		}
	}
	return nil
}

func (c *checker) node(r Ref) (Type, error) {
	t, tt := c.t, c.t.Types
	n := &t.Nodes[r]
	switch n.Op {
	case VarOp:
		if t.Vars[n.X].Linear {
			c.lin[r] = n.X
		}
		return t.Vars[n.X].Type, nil
	case NumOp:
		c.any[r] = n.Val == 0
		return R, nil
	case ZeroOp:
		c.any[r] = true
		return AbstractEuclid, nil
	case LamOp:
		return c.lam(r, n)
	case AppOp:
		return c.app(r, n)
	case PairOp:
		return tt.Prod(c.types[n.A], c.types[n.B]), c.both(r, n.A, n.B)
	case VecOp:
		return c.vec(r, n)
	case LetOp, UnpairOp, UnvecOp, UntupleOp:
		return c.let(r, n)
	case AddOp:
		if !tt.Euclidean(c.types[n.A]) {
			return 0, c.errorf(r, "+ takes numbers, not %s", c.str(c.types[n.A]))
		}
		return c.types[n.A], firstError(c.want(r, n.B, c.types[n.A], "the right side of +"), c.both(r, n.A, n.B))
	case FunOp:
		return c.fun(r, n)
	case IfOp:
		return c.cond(r, n)
	case ListOp:
		for _, k := range t.Children(n) {
			if err := firstError(c.want(r, k, n.Elem, "an element of the list"), c.ordinary(r, k, "a list")); err != nil {
				return 0, err
			}
		}
		return tt.List(n.Elem, n.Res), nil
	case NatOp:
		return tt.Nat(n.Res), nil
	case DataOp:
		if t.Data[n.A].List {
			return tt.List(n.Elem, n.Res), nil
		}
		return n.Elem, nil
	}
	return 0, c.errorf(r, "no such constructor: %d", n.Op)
}

func (c *checker) lam(r Ref, n *Node) (Type, error) {
	x := &c.t.Vars[n.X]
	body := c.types[n.A]
	if !x.Linear {
		return c.t.Types.Arrow(x.Type, body), c.ordinary(r, n.A, "a function")
	}
	if c.lin[n.A] != n.X && !c.any[n.A] {
		return 0, c.errorf(r, "the body is not linear in %s", x.Name)
	}
	switch c.t.Types.Kind(body) {
	case EuclidKind:
		return AbstractDual, nil
	case RKind:
		return c.t.Types.Dual(1), nil
	case VecKind:
		if c.t.Types.Left(body) == R {
			return c.t.Types.Dual(c.t.Types.Len(body)), nil
		}
	}
	return 0, c.errorf(r, "the body of a linear function has type %s, not R^d", c.str(body))
}

func (c *checker) app(r Ref, n *Node) (Type, error) {
	tt := c.t.Types
	f := c.types[n.A]
	if err := c.ordinary(r, n.A, "function position"); err != nil {
		return 0, err
	}
	switch tt.Kind(f) {
	case ArrowKind:
		return tt.Right(f), firstError(c.want(r, n.B, tt.Left(f), "the argument"), c.ordinary(r, n.B, "an argument"))
	case DualKind:
		c.lin[r], c.any[r] = c.lin[n.B], false
		if err := c.want(r, n.B, R, "the argument"); err != nil {
			return 0, err
		}
		switch d := tt.Len(f); d {
		case 0:
			return AbstractEuclid, nil
		case 1:
			return R, nil
		default:
			return tt.Vec(d, R), nil
		}
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
			c.lin[r], c.any[r] = c.lin[k], c.any[k]
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
	bind := func(x Var, ty Type) error {
		if t.Vars[x].Type != ty {
			return c.errorf(r, "%s has type %s, not %s", t.Vars[x].Name, c.str(t.Vars[x].Type), c.str(ty))
		}
		return nil
	}
	c.lin[r], c.any[r] = c.lin[n.A], c.any[n.A]
	if n.Op == LetOp && t.Vars[n.X].Linear {
		if c.lin[n.A] == n.X {
			c.lin[r] = c.lin[n.B]
		}
		return c.types[n.A], bind(n.X, u)
	}
	if err := c.ordinary(r, n.B, "an exponential substitution"); err != nil {
		return 0, err
	}
	switch n.Op {
	case LetOp:
		return c.types[n.A], bind(n.X, u)
	case UnpairOp:
		if tt.Kind(u) != ProdKind {
			return 0, c.errorf(r, "%s is not a pair", c.str(u))
		}
		return c.types[n.A], firstError(bind(n.X, tt.Left(u)), bind(n.Y, tt.Right(u)))
	case UntupleOp:
		xs := t.Bound(n)
		for i, x := range xs {
			ty := u
			if i < len(xs)-1 {
				if tt.Kind(u) != ProdKind {
					return 0, c.errorf(r, "%s is not a pair", c.str(u))
				}
				ty, u = tt.Left(u), tt.Right(u)
			}
			if err := bind(Var(x), ty); err != nil {
				return 0, err
			}
		}
		return c.types[n.A], nil
	default:
		xs := t.Bound(n)
		if tt.Kind(u) != VecKind || tt.Len(u) != len(xs) {
			return 0, c.errorf(r, "%s is not a vector of %d", c.str(u), len(xs))
		}
		for _, x := range xs {
			if err := bind(Var(x), tt.Left(u)); err != nil {
				return 0, err
			}
		}
		return c.types[n.A], nil
	}
}

func (c *checker) fun(r Ref, n *Node) (Type, error) {
	kids := c.t.Children(n)
	if len(kids) != n.Sym.Info().Arity {
		return 0, c.errorf(r, "%s takes %d arguments, not %d", n.Sym, n.Sym.Info().Arity, len(kids))
	}
	for _, k := range kids {
		if err := c.want(r, k, R, "an argument of "+n.Sym.String()); err != nil {
			return 0, err
		}
	}
	if n.Sym == Mul && (c.lin[kids[0]] == 0 || c.lin[kids[1]] == 0) {
		c.lin[r] = c.lin[kids[0]] + c.lin[kids[1]]
		c.any[r] = c.any[kids[0]] || c.any[kids[1]]
		return R, nil
	}
	for _, k := range kids {
		if err := c.ordinary(r, k, "an argument of "+n.Sym.String()); err != nil {
			return 0, err
		}
	}
	return R, nil
}

func (c *checker) cond(r Ref, n *Node) (Type, error) {
	k := c.t.Children(n)
	for _, s := range k[:2] {
		if err := firstError(c.want(r, s, R, "a side of the comparison"), c.ordinary(r, s, "a condition")); err != nil {
			return 0, err
		}
	}
	return c.types[k[2]], firstError(c.want(r, k[3], c.types[k[2]], "the else branch"), c.both(r, k[2], k[3]))
}
