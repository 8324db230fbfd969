package revgrad

import (
	"slices"

	"github.com/gram-machine/gram/term"
)

// Derivatives adds derivatives of functions to a term. A function is a subterm of type A → B, where A and B are built
// of R, products and vectors. Its free variables are constants: their types are built of these and of inductive types.
// Derivatives of derivatives are those of terms, so they don't confuse their perturbations.
type Derivatives struct {
	*term.Term
	// Bound returns what a let binds a variable to that is no constant, by its type. It is 0 if no let
	// does. What it returns is copied into the function.
	Bound func(x term.Var) term.Ref
	// Check may be nil. It is called at least every 2¹⁶ nodes, and its error ends the work.
	Check func() error
}

// FreeFunctionError is the error for a free variable of a function that is no constant, by its type.
type FreeFunctionError struct {
	Pos term.Pos // of an occurrence
	Var term.Var
}

func (e *FreeFunctionError) Error() string {
	return "a function that is differentiated has a free variable that is a function"
}

// Along adds the derivative of f : A → B at x along v: the second part of Fwd(f ⟨x,v⟩), see [Tangent]. The error is
// that of Check, a [*FreeFunctionError] or an [*UndefinedError].
func (t *Derivatives) Along(pos term.Pos, a term.Type, f, x, v term.Ref) (term.Ref, error) {
	xs, body, err := t.derivative(pos, a, f)
	if err != nil {
		return 0, err
	}
	return t.Let(pos, xs[0], x, t.Let(pos, xs[1], v, body)), nil
}

// Gradient adds the gradient of f : A → R at x: for each number in A the derivative along its unit vector, which is as
// often f's cost. It is of type A. The derivatives by the components of a vector are calls of one function of the
// component's place. The errors are those of [Derivatives.Along].
func (t *Derivatives) Gradient(pos term.Pos, a term.Type, f, x term.Ref) (term.Ref, error) {
	xs, body, err := t.derivative(pos, a, f)
	if err != nil {
		return 0, err
	}
	// along makes the derivative along a unit vector, by a copy of body.
	along := func(unit term.Ref) term.Ref {
		v := t.NewVar(t.Info(xs[1]))
		copied := t.Graft(t.Term, body, func(x term.Var) term.Var {
			if x == xs[1] {
				return v
			}
			return x
		})
		return t.Let(pos, v, unit, copied)
	}
	var functions [][2]term.Ref // the variables that name functions of places, and the functions
	all := t.components(pos, a, nil, func(at []step) term.Ref {
		var places []term.Ref
		var ks []term.Var
		for _, s := range at {
			if s.component != 0 {
				k := t.NewVar(term.VarInfo{Name: "k", Type: term.R, Pos: pos, Generated: true})
				ks, places = append(ks, k), append(places, t.IndexNum(pos, s.component))
			}
		}
		g, typ := along(t.unit(pos, a, at, ks)), term.R
		if len(ks) == 0 {
			return g
		}
		for _, k := range slices.Backward(ks) {
			g, typ = t.Lam(pos, k, g), t.Types.Arrow(term.R, typ)
		}
		name := t.NewVar(term.VarInfo{Name: "g", Type: typ, Pos: pos, Generated: true})
		functions = append(functions, [2]term.Ref{term.Ref(name), g})
		r := t.Variable(pos, name)
		for _, p := range places {
			r = t.App(pos, r, p)
		}
		return r
	})
	for _, g := range functions {
		all = t.Let(pos, term.Var(g[0]), g[1], all)
	}
	return t.Let(pos, xs[0], x, all), nil
}

// derivative adds the derivative of f at a point along a vector, which are new variables.
func (t *Derivatives) derivative(pos term.Pos, a term.Type, f term.Ref) (point [2]term.Var, body term.Ref, err error) {
	for i, name := range []string{"x", "v"} {
		point[i] = t.NewVar(term.VarInfo{Name: name, Type: a, Pos: pos, Generated: true})
	}
	x := point[0]
	if n := t.Nodes[f]; n.Op == term.LamOp {
		x, body = n.X, n.A
	} else {
		body = t.App(pos, f, t.Variable(pos, x))
	}
	if body, err = t.close(body, x); err != nil {
		return point, 0, err
	}
	small, vars := t.Extract(body, x)
	input, _ := slices.BinarySearch(vars, x)
	w, err := newTangent(small, []term.Var{term.Var(input)}, t.Check)
	if err != nil {
		return point, 0, err
	}
	w.again = true
	own := w.dst.NumVars()
	info := t.Info(point[0])
	at := [2]term.Var{w.dst.NewVar(info), w.dst.NewVar(info)}
	d, err := w.derive(t.Check)
	if err != nil {
		return point, 0, err
	}
	whole := w.zip(pos, d.Variable(pos, at[0]), d.Variable(pos, at[1]), w.vars[input])
	d.Root = d.Let(pos, term.Var(input), whole, d.Root)
	t.Indices, t.Statics = d.Indices, d.Statics
	return point, t.Graft(d, d.Root, func(x term.Var) term.Var {
		if int(x) >= own {
			return point[int(x)-own]
		}
		return vars[x]
	}), nil
}

// close puts lets around body until all its free variables but x are constants.
func (t *Derivatives) close(body term.Ref, x term.Var) (term.Ref, error) {
	for {
		s, err := t.Subterm(body, t.Check)
		if err != nil {
			return 0, err
		}
		var let term.Var // the one that is bound last: it may mention the others
		for _, y := range s.Free {
			if y == x || t.constant(t.TypeOf(y)) {
				continue
			}
			if t.Bound(y) == 0 {
				i := slices.IndexFunc(s.Nodes, func(r term.Ref) bool { return t.Nodes[r].Op == term.VarOp && t.Nodes[r].X == y })
				return 0, &FreeFunctionError{t.Nodes[s.Nodes[i]].Pos, y}
			}
			if let == 0 || t.Bound(y) > t.Bound(let) {
				let = y
			}
		}
		if let == 0 {
			return body, nil
		}
		u := t.Graft(t.Term, t.Bound(let), func(y term.Var) term.Var { return y })
		body = t.Let(t.Nodes[u].Pos, let, u, body)
	}
}

// constant reports whether values of a type may be constants of a function.
func (t *Derivatives) constant(a term.Type) bool {
	switch t.Types.Kind(a) {
	case term.RKind, term.MuKind:
		return true
	case term.ProdKind:
		return t.constant(t.Types.Left(a)) && t.constant(t.Types.Right(a))
	case term.VecKind:
		return t.constant(t.Types.Left(a))
	}
	return false
}

// step is one on the way to a number in a value: a part of a pair, or a component of a vector.
type step struct {
	second    bool
	component term.Static
}

// components adds the value of type a of what number makes of the way to each number.
func (t *Derivatives) components(pos term.Pos, a term.Type, at []step, number func(at []step) term.Ref) term.Ref {
	at = slices.Clip(at)
	switch t.Types.Kind(a) {
	case term.ProdKind:
		first := t.components(pos, t.Types.Left(a), append(at, step{}), number)
		return t.Pair(pos, first, t.components(pos, t.Types.Right(a), append(at, step{second: true}), number))
	case term.VecKind:
		i := t.NewIndex(term.IndexInfo{Name: "i", Pos: pos})
		n := t.Static(term.StaticNode{Op: term.StaticNum, Val: float64(t.Types.Len(a))})
		is := t.Static(term.StaticNode{Op: term.StaticIndex, Index: i})
		return t.Family(pos, i, n, t.components(pos, t.Types.Left(a), append(at, step{component: is}), number))
	}
	return number(at)
}

// unit adds the unit vector of type a for one number, whose components are at the places ks.
func (t *Derivatives) unit(pos term.Pos, a term.Type, one []step, ks []term.Var) term.Ref {
	return t.components(pos, a, nil, func(at []step) term.Ref {
		r, rest := term.Ref(0), ks
		for i, s := range at {
			switch {
			case s.component != 0:
				same := t.Fun(pos, term.Same, t.Variable(pos, rest[0]), t.IndexNum(pos, s.component))
				if rest = rest[1:]; r != 0 {
					same = t.Fun(pos, term.Mul, r, same)
				}
				r = same
			case s.second != one[i].second:
				return t.Num(pos, 0)
			}
		}
		if r == 0 {
			return t.Num(pos, 1)
		}
		return r
	})
}
