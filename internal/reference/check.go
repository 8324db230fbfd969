package reference

import (
	"fmt"
	"maps"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// Typing holds what the types of a program's terms are built of: vectors A^s are the products A×(A×…).
type Typing struct {
	tt     *term.Types
	free   map[*Var]bool
	plains map[term.Type]term.Type // memo of plain
}

func newTyping(tt *term.Types) *Typing {
	return &Typing{tt: tt, free: map[*Var]bool{}, plains: map[term.Type]term.Type{}}
}

// argumentType is the type of the argument of a constructor, 0 if it has none.
func (ty *Typing) argumentType(of term.Type, con int) term.Type {
	arg := ty.tt.Constructors(of)[con].Arg
	if arg == 0 {
		return 0
	}
	return ty.plain(arg)
}

// Free lets x be a free variable of the terms.
func (ty *Typing) Free(x *Var) { ty.free[x] = true }

// power is R^d; d = 0 stands for an abstract d.
func (ty *Typing) power(d int) term.Type {
	if d == 0 {
		return term.AbstractEuclid
	}
	t := term.R
	for ; d > 1; d-- {
		t = ty.tt.Prod(term.R, t)
	}
	return t
}

// dual is R⊥d for R^d; ok says whether the type is one.
func (ty *Typing) dual(t term.Type) (dual term.Type, ok bool) {
	if t == term.AbstractEuclid {
		return term.AbstractDual, true
	}
	for d := 1; ; d++ {
		if t == term.R {
			return ty.tt.Dual(d), true
		}
		if ty.tt.Kind(t) != term.ProdKind || ty.tt.Left(t) != term.R {
			return 0, false
		}
		t = ty.tt.Right(t)
	}
}

// of is the type of a well-typed term.
func (ty *Typing) of(t *Term) term.Type {
	switch t.Op {
	case Variable:
		return t.X.Type
	case Lambda:
		body := ty.of(t.Kids[0])
		if !t.X.Linear {
			return ty.tt.Arrow(t.X.Type, body)
		}
		d, _ := ty.dual(body)
		return d
	case Apply:
		f := ty.of(t.Kids[0])
		if ty.tt.Kind(f) == term.DualKind {
			return ty.power(ty.tt.Len(f))
		}
		return ty.tt.Right(f)
	case MakePair:
		return ty.tt.Prod(ty.of(t.Kids[0]), ty.of(t.Kids[1]))
	case Let, Plus:
		return ty.of(t.Kids[0])
	case Zero:
		return term.AbstractEuclid
	case If:
		return ty.of(t.Kids[2])
	case Construct:
		return t.Type
	case Match:
		return ty.of(t.Kids[1])
	case Branch:
		return ty.of(t.Kids[0])
	case Fix:
		return t.Xs[t.At].Type
	}
	return term.R
}

// IsReal reports whether a well-typed term has type R.
func (ty *Typing) IsReal(t *Term) bool { return ty.of(t) == term.R }

// HasDual reports whether a type has a linear negation in it.
func (ty *Typing) HasDual(t term.Type) bool { return ty.tt.HasDual(t) }

// argument is a variable for the argument of t, if t has the type of a function.
func (ty *Typing) argument(t *Term) (Var, bool) {
	f := ty.of(t)
	switch ty.tt.Kind(f) {
	case term.ArrowKind:
		return Var{Name: "y", Type: ty.tt.Left(f)}, true
	case term.DualKind:
		return Var{Name: "y", Type: term.R, Linear: true}, true
	}
	return Var{}, false
}

// Check types t by the two judgements of note A1: ⊢ t : A, and ⊢_Z t : R^d for a
// set Z of linear variables. It also checks that no variable is bound again in its own scope, and that
// every occurrence stands in the scope of its binder.
func (ty *Typing) Check(t *Term, ground denote.Ground) (term.Type, error) {
	c := &checker{Typing: ty, ground: ground, scope: map[*Var]bool{}, ordinary: map[*Var]bool{}, zero: map[*Var]bool{}}
	return attempt(c.plain, t)
}

// attempt is a judgement of a term. The error is what fail has said.
func attempt(judge judgement, t *Term) (ty term.Type, err error) {
	defer func() {
		switch p := recover().(type) {
		case nil:
		case *CheckError:
			err = p
		default:
			panic(p)
		}
	}()
	return judge(t), nil
}

type checker struct {
	*Typing
	ground   denote.Ground
	scope    map[*Var]bool // the variables in scope
	ordinary map[*Var]bool // linear variables that are ordinary ones: b of t[b:=u] with ⊢ u
	zero     map[*Var]bool // those whose u is a zero: it has ⊢ and, for every Z, ⊢_Z
}

// CheckError says why a term has no type.
type CheckError struct {
	Text string
	Term *Term // where it stands
}

func (e *CheckError) Error() string { return fmt.Sprintf("%s in %s", e.Text, e.Term) }

// fail ends an attempt.
func fail(t *Term, format string, args ...any) term.Type {
	panic(&CheckError{fmt.Sprintf(format, args...), t})
}

// want fails unless a term has the type that it should have, and returns that.
func (c *checker) want(t *Term, got, want term.Type) term.Type {
	if got != want {
		fail(t, "%s instead of %s", c.tt.String(got), c.tt.String(want))
	}
	return want
}

// judgement is ⊢ or ⊢_Z.
type judgement func(*Term) term.Type

// under types t with the variables of p in scope; the pattern has type u.
func (c *checker) under(p *Pattern, u term.Type, t *Term, judge judgement) term.Type {
	c.match(p, u, t)
	p.Vars(func(x *Var) { c.scope[x] = true })
	defer p.Vars(func(x *Var) { delete(c.scope, x) })
	return judge(t)
}

func (c *checker) match(p *Pattern, u term.Type, t *Term) {
	switch {
	case p.X != nil && c.scope[p.X]:
		fail(t, "%s is bound twice", p.X.Name)
	case p.X != nil:
		c.want(t, u, p.X.Type)
	case c.tt.Kind(u) != term.ProdKind:
		fail(t, "%s is opened", c.tt.String(u))
	default:
		c.match(p.Left, c.tt.Left(u), t)
		c.match(p.Right, c.tt.Right(u), t)
	}
}

// plain is ⊢ t : A.
func (c *checker) plain(t *Term) term.Type {
	switch t.Op {
	case Variable:
		switch {
		case t.X.Linear && !c.ordinary[t.X]:
			return fail(t, "a linear variable in ⊢")
		case !c.scope[t.X] && !c.free[t.X]:
			return fail(t, "%s out of scope", t.X.Name)
		}
		return t.X.Type
	case Numeral:
		return term.R
	case Zero:
		return term.AbstractEuclid
	case Lambda:
		return c.lambda(t)
	case Match:
		return c.cases(t, c.plain)
	case Fix:
		return c.fix(t)
	case Let:
		u := c.plain(t.Kids[1])
		c.bindOrdinary(t)
		return c.under(t.P, u, t.Kids[0], c.plain)
	}
	return c.each(t, c.plain)
}

func (c *checker) lambda(t *Term) term.Type {
	if !t.X.Linear {
		return c.tt.Arrow(t.X.Type, c.under(single(t.X), t.X.Type, t.Kids[0], c.plain))
	}
	z := map[*Var]bool{t.X: true}
	body := c.under(single(t.X), term.R, t.Kids[0], func(u *Term) term.Type { return c.linear(u, z) })
	d, ok := c.dual(body)
	if !ok {
		return fail(t, "the body of a dual has type %s", c.tt.String(body))
	}
	return d
}

// cases types match t with …, whose branches have the given judgement.
func (c *checker) cases(t *Term, branch judgement) term.Type {
	u := c.plain(t.Kids[0])
	var ty term.Type
	for i, b := range t.Kids[1:] {
		var got term.Type
		if b.P == nil {
			got = branch(b.Kids[0])
		} else {
			got = c.under(b.P, c.argumentType(t.Type, i), b.Kids[0], branch)
		}
		if i > 0 {
			c.want(b, got, ty)
		}
		ty = got
	}
	c.want(t, u, t.Type)
	return ty
}

// fix types fix ⟨f,…⟩.⟨v,…⟩.
func (c *checker) fix(t *Term) term.Type {
	for _, f := range t.Xs {
		if c.scope[f] {
			fail(t, "%s is bound twice", f.Name)
		}
		c.scope[f] = true
	}
	defer func() {
		for _, f := range t.Xs {
			delete(c.scope, f)
		}
	}()
	for i, k := range t.Kids {
		c.want(t, c.plain(k), t.Xs[i].Type)
	}
	return t.Xs[t.At].Type
}

// combine is the type of a node without binders, given those of its children.
func (c *checker) combine(t *Term, kids []term.Type) term.Type {
	switch t.Op {
	case Apply:
		switch c.tt.Kind(kids[0]) {
		case term.ArrowKind:
			c.want(t, kids[1], c.tt.Left(kids[0]))
			return c.tt.Right(kids[0])
		case term.DualKind:
			c.want(t, kids[1], term.R)
			return c.power(c.tt.Len(kids[0]))
		}
		return fail(t, "%s is applied", c.tt.String(kids[0]))
	case MakePair:
		return c.tt.Prod(kids[0], kids[1])
	case Plus:
		if !c.tt.Euclidean(kids[0]) {
			return fail(t, "a sum of %s", c.tt.String(kids[0]))
		}
		return c.want(t, kids[1], kids[0])
	case Construct:
		if len(kids) > 0 {
			c.want(t, kids[0], c.argumentType(t.Type, t.At))
		}
		return t.Type
	case If:
		for _, k := range kids[:2] {
			c.want(t, k, term.R)
		}
		return c.want(t, kids[3], kids[2])
	}
	for _, k := range kids {
		c.want(t, k, term.R)
	}
	return term.R
}

// linear is ⊢_Z t : R^d.
func (c *checker) linear(t *Term, z map[*Var]bool) term.Type {
	judge := func(u *Term) term.Type { return c.linear(u, z) }
	switch t.Op {
	case Variable:
		if !z[t.X] && !(c.zero[t.X] && c.scope[t.X]) {
			return fail(t, "%s, which is not in Z, in ⊢_Z", t.X.Name)
		}
		return term.R
	case Numeral:
		if c.ground.Float(t.Num) != 0 {
			return fail(t, "a number other than 0 in ⊢_Z")
		}
		return term.R
	case Zero:
		return term.AbstractEuclid
	case Plus, MakePair:
		return c.each(t, judge)
	case Apply:
		ty := c.each(t, c.plain, judge)
		if f := c.of(t.Kids[0]); c.tt.Kind(f) != term.DualKind {
			return fail(t, "%s is applied in ⊢_Z", c.tt.String(f))
		}
		return ty
	case If:
		return c.each(t, c.plain, c.plain, judge)
	case Match:
		return c.cases(t, judge)
	case Function:
		return c.product(t, judge)
	case Let:
		return c.linearLet(t, z, judge)
	}
	return fail(t, "a λ in ⊢_Z")
}

// each types a node without binders: its children by the given judgements, the last of which is that of all others too.
func (c *checker) each(t *Term, judges ...judgement) term.Type {
	kids := make([]term.Type, len(t.Kids))
	for i, k := range t.Kids {
		kids[i] = judges[min(i, len(judges)-1)](k)
	}
	return c.combine(t, kids)
}

// product is t·u: ⊢_Z on one side, ⊢ on the other.
func (c *checker) product(t *Term, judge judgement) term.Type {
	if t.Sym != term.Mul {
		return fail(t, "a symbol in ⊢_Z")
	}
	ty, err := attempt(func(t *Term) term.Type { return c.each(t, judge, c.plain) }, t)
	if err != nil {
		var other error
		if ty, other = attempt(func(t *Term) term.Type { return c.each(t, c.plain, judge) }, t); other != nil {
			panic(err)
		}
	}
	return ty
}

// linearLet is t[p:=u] under ⊢_Z. An exponential p has ⊢ u. A linear b has either
// ⊢ u, and is then an ordinary variable of ⊢_Z t; or ⊢_Z u and ⊢_{Z∪b} t.
func (c *checker) linearLet(t *Term, z map[*Var]bool, judge judgement) term.Type {
	u, err := attempt(c.plain, t.Kids[1])
	if err == nil {
		c.bindOrdinary(t)
		return c.under(t.P, u, t.Kids[0], judge)
	}
	if t.P.X == nil || !t.P.X.Linear {
		panic(err)
	}
	u = judge(t.Kids[1])
	more := maps.Clone(z)
	more[t.P.X] = true
	return c.under(t.P, u, t.Kids[0], func(u *Term) term.Type { return c.linear(u, more) })
}

// bindOrdinary lets a linear b of t[b:=u] with ⊢ u be an ordinary variable. If u is a
// zero, then so is b: it has the second judgement too.
func (c *checker) bindOrdinary(t *Term) {
	if b := t.P.X; b != nil && b.Linear {
		c.ordinary[b] = true
		_, err := attempt(func(u *Term) term.Type { return c.linear(u, nil) }, t.Kids[1])
		c.zero[b] = err == nil
	}
}
