package term

// The second judgement, ⊢_Z t : R^d. A node that may stand in it has lin set; outer is
// the outermost of the linear variables that occur in it, 0 if there are none. So a node
// has ⊢ just if outer is 0, and ⊢_Z just if lin is set and Z has its linear variables:
//
//	              outer             lin
//	z             z                 true
//	0, 0⃗          –                 true
//	t+u, ⟨t,u⟩    of t and u        of t and of u
//	t·u           of t or of u      of the one, where the other has ⊢
//	x t, x : R⊥   of t              of t
//	t[p:=u]       of t              of t                     p exponential
//	t[b:=u]       of t, not b; u    of t                     b linear
//	λz.t          –                 false                    where t has ⊢_{z}
//
// The linear variables that occur in a node are all in scope there, so their binders stand in each other. The outermost
// is therefore enough to know: in the scope of b, the innermost, outer is b just if b is the only one.
//
// Where u of t[b:=u] has no linear variable, b is an ordinary variable. If u is a zero
// too, which has both judgements, so has b.
type linearity struct {
	outer []Var
	lin   []bool
}

// outermost is the one of two linear variables, or 0, that is bound further out: parents come after children.
func (c *checker) outermost(x, y Var) Var {
	if y == 0 || x != 0 && c.tr.binder[x] > c.tr.binder[y] {
		return x
	}
	return y
}

// occurrence judges an occurrence of a linear variable.
func (c *checker) occurrence(r Ref, x Var) error {
	b := c.tr.binder[x]
	if b == 0 {
		return c.errorf(r, "the linear variable %s is free", c.t.Info(x).Name)
	}
	if n := &c.t.Nodes[b]; n.Op == LetOp && c.outer[n.B] == 0 {
		c.lin[r] = c.lin[n.B]
		return nil
	}
	c.outer[r], c.lin[r] = x, true
	return nil
}

// ordinary reports an error if node k mentions a linear variable: it must have ⊢.
func (c *checker) ordinary(k Ref, what string) error {
	if x := c.outer[k]; x != 0 {
		return c.errorf(k, "the linear variable %s is used in %s", c.t.Info(x).Name, what)
	}
	return nil
}

// both judges node r by its two parts a and b, which have ⊢ both, or ⊢_Z both.
func (c *checker) both(r, a, b Ref) error {
	outer := c.outermost(c.outer[a], c.outer[b])
	c.outer[r], c.lin[r] = outer, c.lin[a] && c.lin[b]
	if outer != 0 && !c.lin[r] {
		return c.errorf(r, "the linear variable %s is dropped in one part", c.t.Info(outer).Name)
	}
	return nil
}

// product judges t·u: one side has ⊢.
func (c *checker) product(r, a, b Ref) error {
	if c.outer[a] != 0 {
		if err := c.ordinary(b, "both factors of a product"); err != nil {
			return err
		}
	}
	c.outer[r] = c.outer[a] + c.outer[b]
	c.lin[r] = c.lin[a] && c.outer[b] == 0 || c.lin[b] && c.outer[a] == 0
	return nil
}

// bindLinear reports an error unless the linear variable x has type R.
func (c *checker) bindLinear(r Ref, x Var) error {
	v := c.t.Info(x)
	if v.Type == R {
		return nil
	}
	return c.errorf(r, "the linear variable %s has type %s, not R", v.Name, c.str(v.Type))
}

// linearLam judges λz.t.
func (c *checker) linearLam(r Ref, n *Node) error {
	if x := c.outer[n.A]; x != 0 && x != n.X {
		return c.ordinary(n.A, "a function")
	}
	if !c.lin[n.A] {
		return c.errorf(n.A, "the body is not linear in %s", c.t.Info(n.X).Name)
	}
	return c.bindLinear(r, n.X)
}

// linearLet judges t[b:=u].
func (c *checker) linearLet(r Ref, n *Node) error {
	outer := c.outer[n.A]
	if outer == n.X {
		outer = 0
	}
	c.outer[r], c.lin[r] = c.outermost(outer, c.outer[n.B]), c.lin[n.A]
	if c.outer[r] != 0 && !c.lin[r] {
		return c.errorf(r, "the linear variable %s is dropped", c.t.Info(c.outer[r]).Name)
	}
	return c.bindLinear(r, n.X)
}
