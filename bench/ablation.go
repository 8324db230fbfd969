package bench

import (
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

// checkEvery is how many steps there are between two checks.
const checkEvery = 1 << 16
