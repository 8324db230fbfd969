package bench

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// ByName evaluates a program by name, without linear negation: an argument is passed on as it stands, and
// evaluated again at each use of its variable. (3) is then
//
//	C{x}[x:=u]  →  C{u}[x:=u]
//
// for any u, no value, and counts when u has been evaluated: as [rule.SubstNumeral] at a numeral, else
// as [rule.Subst]. (1), (2), (6), (8), (12) and (13) count as ever, (2) at each use of a component; what is
// not used is not evaluated, and (4) is not counted. It is an ablation: section 6.2 counts the copies of L
// by value, where an argument is evaluated once.
//
// The numbers are those of the value, from left to right. check may be nil; it is called at least every 2¹⁶
// steps. The errors are that of check, a [*reference.LimitError] after limit steps, and a
// [*denote.UndefinedError].
func ByName(s *reference.Start, limit int, check func() error) (numbers []denote.Number, counts rule.Counts,
	err error) {
	e := &byName{ground: s.Ground, limit: limit, check: check}
	defer caught(&err)
	e.numbers(e.eval(s.Term, nil), &numbers)
	return numbers, e.counts, nil
}

// byName is an evaluation. Its values are a [denote.Number], a function or a couple. An error ends it with try.
type byName struct {
	ground denote.Ground
	counts rule.Counts
	steps  int
	limit  int
	check  func() error
}

// thunk evaluates an argument, a function applies one, and a couple has those of a pair.
type (
	thunk    func() any
	function func(thunk) any
	couple   [2]thunk
)

type environment struct {
	x     *reference.Var
	u     thunk
	outer *environment
}

// step counts a step.
func (e *byName) step(r rule.Rule) {
	if e.steps >= e.limit {
		try(&reference.LimitError{Steps: e.limit})
	}
	if e.steps%checkEvery == 0 && e.check != nil {
		try(e.check())
	}
	e.steps++
	e.counts[r]++
}

func (e *byName) eval(t *reference.Term, env *environment) any {
	delayed := func(i int) thunk { return func() any { return e.eval(t.Kids[i], env) } }
	switch t.Op {
	case reference.Variable:
		return e.variable(t.X, env)
	case reference.Numeral:
		return t.Num
	case reference.Lambda:
		return function(func(u thunk) any { return e.eval(t.Kids[0], &environment{t.X, u, env}) })
	case reference.MakePair:
		return couple{delayed(0), delayed(1)}
	case reference.Let:
		return e.eval(t.Kids[0], e.bind(t.P, delayed(1), env))
	case reference.Apply:
		f := e.eval(t.Kids[0], env).(function)
		e.step(rule.Lambda)
		return f(delayed(1))
	case reference.If:
		left := e.eval(t.Kids[0], env)
		holds := e.ground.Holds(t.Cmp, left, e.eval(t.Kids[1], env))
		e.step(rule.Branch)
		if holds {
			return e.eval(t.Kids[2], env)
		}
		return e.eval(t.Kids[3], env)
	}
	args := make([]denote.Number, len(t.Kids))
	for i, k := range t.Kids {
		args[i] = e.eval(k, env)
	}
	switch {
	case t.Op == reference.Plus:
		e.step(rule.Plus)
		return e.ground.Add(args[0], args[1])
	case t.Sym == term.Mul:
		e.step(rule.Times)
	default:
		e.step(rule.Function)
	}
	return must(e.ground.Apply(t.Sym, args...))
}

// bind binds the variables of p to u, or to its components: each of their uses is a (2).
func (e *byName) bind(p *reference.Pattern, u thunk, env *environment) *environment {
	if p.X != nil {
		return &environment{p.X, u, env}
	}
	part := func(i int) thunk {
		return func() any {
			both := u().(couple)
			e.step(rule.Pair)
			return both[i]()
		}
	}
	return e.bind(p.Right, part(1), e.bind(p.Left, part(0), env))
}

// variable is (3): the argument is evaluated.
func (e *byName) variable(x *reference.Var, env *environment) any {
	for env.x != x {
		env = env.outer
	}
	v := env.u()
	by := rule.SubstNumeral
	switch v.(type) {
	case function, couple:
		by = rule.Subst
	}
	e.step(by)
	return v
}

// numbers appends the numbers of a value, from left to right. Functions have none.
func (e *byName) numbers(v any, out *[]denote.Number) {
	switch v := v.(type) {
	case function:
	case couple:
		e.numbers(v[0](), out)
		e.numbers(v[1](), out)
	default:
		*out = append(*out, v)
	}
}

// Derivative returns the derivative of t with respect to its input x by Ehrhard's D, the chain rule of the
// differential λ-calculus (section 7): an ablation of D, which keeps values and duals together. t is a term of
// numbers, sums, symbols and lets, of numbers or of functions λy.M from R to R that mention nothing else than such
// functions and inputs other than x. With v(y) for the derivative of y, v(x) = 1,
//
//	∂(y)           =  v(y)
//	∂(r)           =  0
//	∂(M + N)       =  ∂M ⊕ ∂N
//	∂(f(M1,…,Mk))  =  ⊕ ∂i f(M1,…,Mk)·∂Mi
//	∂(f M)         =  f' M ∂M                                 f' = D(f); M is there twice
//	∂(M[y:=N])     =  ∂M[y:=N]                  v(y) = ∂N     linear substitution: a copy for each use of v(y)
//	∂(M[f:=λy.N])  =  ∂M[f':=λy.λa.∂N][f:=λy.N]               where v(y) = a
//
// So a term that is nested in k applications is evaluated again for each; and ∂N is evaluated for each use of y,
// where N was evaluated once.
//
// check may be nil; it is called for each node, and its error ends the work. It is also an error if t is no such term, or
// if the result would have more nodes than limit.
func Derivative(t *term.Term, x term.Var, limit int, check func() error) (out *term.Term, err error) {
	defer caught(&err)
	d := &derivative{src: t, dst: term.New(t.Types), known: map[term.Var]known{}, limit: limit, check: check}
	d.dst.CopyVars(t, 0)
	d.known[x] = known{y: x, tangent: func() term.Ref { return d.dst.Num(0, 1) }}
	d.dst.Root = d.number(0, d.of(t.Root))
	return d.dst, nil
}

// known is what a variable of the source has become where it is now in scope: y, and for a number with a derivative
// the function that makes v(x), for a function f'.
type known struct {
	y       term.Var
	tangent func() term.Ref
	prime   term.Var
	lambdas int // how many λs it is bound under
}

type derivative struct {
	src, dst *term.Term
	known    map[term.Var]known // by variables of the source, each of which has one binder
	lambdas  int                // how many λs are around
	limit    int
	check    func() error
}

func (d *derivative) fresh(x term.Var) term.Var { return d.dst.NewVar(d.src.Info(x)) }

// fail reports a node that is of no first-order term.
func (d *derivative) fail(what string) term.Ref {
	try(errors.New("not a first-order term: " + what))
	return 0
}

// number is r, or the numeral that 0 stands for.
func (d *derivative) number(p term.Pos, r term.Ref) term.Ref {
	if r == 0 {
		return d.dst.Num(p, 0)
	}
	return r
}

// of makes ∂ of node r; 0 means the numeral 0. It ends the work if the term is too large, or if the check says so.
func (d *derivative) of(r term.Ref) term.Ref {
	if len(d.dst.Nodes) > d.limit {
		try(fmt.Errorf("bench: a derivative has more than %d nodes", d.limit))
	}
	if d.check != nil {
		try(d.check())
	}
	n := &d.src.Nodes[r]
	switch n.Op {
	case term.VarOp:
		v := d.known[n.X]
		switch {
		case v.tangent == nil:
			return 0
		case v.lambdas < d.lambdas:
			return d.fail("a function mentions " + d.src.Info(n.X).Name)
		}
		return v.tangent()
	case term.NumOp:
		return 0
	case term.AddOp:
		left := d.of(n.A)
		return d.plus(n.Pos, left, d.of(n.B))
	case term.FunOp:
		return d.symbol(n)
	case term.AppOp:
		prime := d.function(n)
		a := d.of(n.B)
		if a == 0 {
			return 0
		}
		return d.dst.App(n.Pos, d.dst.App(n.Pos, d.dst.Variable(n.Pos, prime), d.copy(n.B)), a)
	case term.LetOp:
		return d.let(n)
	}
	return d.fail("it has tuples, lists, conditionals or functions of a higher type")
}

// plus is ⊕.
func (d *derivative) plus(p term.Pos, left, right term.Ref) term.Ref {
	switch {
	case left == 0:
		return right
	case right == 0:
		return left
	}
	return d.dst.Add(p, left, right)
}

// symbol is ∂(f(M1,…,Mk)).
func (d *derivative) symbol(n *term.Node) (sum term.Ref) {
	partials := n.Sym.Info().Partials
	kids := d.src.Children(n)
	for i, kid := range kids {
		a := d.of(kid)
		if a == 0 {
			continue
		}
		slope := d.dst.Slope(n.Pos, &partials[i], len(kids), func(i int) term.Ref { return d.copy(kids[i]) })
		sum = d.plus(n.Pos, sum, d.dst.Fun(n.Pos, term.Mul, slope, a))
	}
	return sum
}

// function is f' of the function of an application, which must have a name.
func (d *derivative) function(n *term.Node) term.Var {
	f := &d.src.Nodes[n.A]
	if f.Op != term.VarOp || d.known[f.X].prime == 0 {
		d.fail(fmt.Sprintf("what is applied is no function with a name (constructor %d)", f.Op))
	}
	return d.known[f.X].prime
}

// let is ∂ of M[y:=N] and of M[f:=λy.N].
func (d *derivative) let(n *term.Node) term.Ref {
	u, y, bound := &d.src.Nodes[n.B], d.fresh(n.X), d.copy(n.B)
	if u.Op != term.LamOp {
		d.known[n.X] = known{y: y, tangent: func() term.Ref { return d.of(n.B) }, lambdas: d.lambdas}
		if m := d.of(n.A); m != 0 {
			return d.dst.Let(n.Pos, y, bound, m)
		}
		return 0
	}
	tt := d.src.Types
	prime := d.dst.NewVar(term.VarInfo{Name: d.src.Info(n.X).Name + "'",
		Type: tt.Arrow(term.R, tt.Arrow(term.R, term.R))})
	slope := d.slope(u)
	d.known[n.X] = known{y: y, prime: prime}
	if m := d.of(n.A); m != 0 {
		return d.dst.Let(n.Pos, y, bound, d.dst.Let(n.Pos, prime, slope, m))
	}
	return 0
}

// slope is λy.λa.∂N of a function λy.N.
func (d *derivative) slope(u *term.Node) term.Ref {
	d.lambdas++
	defer func() { d.lambdas-- }()
	y, a := d.fresh(u.X), d.dst.NewVar(term.VarInfo{Name: "a", Type: term.R})
	tangent := func() term.Ref { return d.dst.Variable(u.Pos, a) }
	d.known[u.X] = known{y: y, tangent: tangent, lambdas: d.lambdas}
	return d.dst.Lam(u.Pos, y, d.dst.Lam(u.Pos, a, d.number(u.Pos, d.of(u.A))))
}

// copy makes a copy of node r.
func (d *derivative) copy(r term.Ref) term.Ref {
	return d.dst.Graft(d.src, r, func(x term.Var) term.Var { return cmp.Or(d.known[x].y, x) })
}

// checkEvery is how many steps there are between two checks.
const checkEvery = 1 << 16
