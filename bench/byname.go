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
func ByName(s *reference.Start, limit int, check func() error) (numbers []denote.Number, counts rule.Counts, err error) {
	e := &byName{ground: s.Ground, limit: limit, check: check}
	e.numbers(e.eval(s.Term, nil), func(r denote.Number) { numbers = append(numbers, r) })
	return numbers, e.counts, e.err
}

// argument is a term with its environment, or a component of it: for each step of the path the left one if
// the step is false.
type argument struct {
	t    *reference.Term
	env  *environment
	path []bool
}

type environment struct {
	x     *reference.Var
	u     argument
	outer *environment
}

// closure is the value λx.t.
type closure struct {
	t   *reference.Term
	env *environment
}

// couple is the value ⟨t,u⟩.
type couple struct{ left, right argument }

// byName is an evaluation. Its values are a [denote.Number], a closure or a couple, and nil after an error.
type byName struct {
	ground denote.Ground
	counts rule.Counts
	steps  int
	limit  int
	check  func() error
	err    error
}

// step counts a step, and reports whether the evaluation may continue.
func (e *byName) step(r rule.Rule) bool {
	switch {
	case e.err != nil:
		return false
	case e.steps >= e.limit:
		e.err = &reference.LimitError{Steps: e.limit}
		return false
	case e.steps%checkEvery == 0 && e.check != nil:
		e.err = e.check()
	}
	e.steps++
	e.counts[r]++
	return e.err == nil
}

func (e *byName) eval(t *reference.Term, env *environment) any {
	for e.err == nil {
		switch t.Op {
		case reference.Let:
			env = bindPattern(t.P, argument{t: t.Kids[1], env: env}, env)
			t = t.Kids[0]
		case reference.Apply:
			f, ok := e.eval(t.Kids[0], env).(closure)
			if !ok || !e.step(rule.Lambda) {
				return nil
			}
			t, env = f.t.Kids[0], &environment{f.t.X, argument{t: t.Kids[1], env: env}, f.env}
		case reference.If:
			args, ok := e.operands(t.Kids[:2], env)
			if !ok || !e.step(rule.Branch) {
				return nil
			}
			if e.ground.Holds(t.Cmp, args[0], args[1]) {
				t = t.Kids[2]
			} else {
				t = t.Kids[3]
			}
		default:
			return e.value(t, env)
		}
	}
	return nil
}

// bindPattern binds the variables of p to u, or to its components.
func bindPattern(p *reference.Pattern, u argument, env *environment) *environment {
	if p.X != nil {
		return &environment{p.X, u, env}
	}
	left, right := u, u
	left.path = append(u.path[:len(u.path):len(u.path)], false)
	right.path = append(u.path[:len(u.path):len(u.path)], true)
	return bindPattern(p.Right, right, bindPattern(p.Left, left, env))
}

// value is eval of a term that is no tail call.
func (e *byName) value(t *reference.Term, env *environment) any {
	switch t.Op {
	case reference.Variable:
		return e.variable(t.X, env)
	case reference.Numeral:
		return t.Num
	case reference.Lambda:
		return closure{t, env}
	case reference.MakePair:
		return couple{argument{t: t.Kids[0], env: env}, argument{t: t.Kids[1], env: env}}
	}
	args, ok := e.operands(t.Kids, env)
	if !ok {
		return nil
	}
	if t.Op == reference.Plus {
		if !e.step(rule.Plus) {
			return nil
		}
		return e.ground.Add(args[0], args[1])
	}
	by := rule.Function
	if t.Sym == term.Mul {
		by = rule.Times
	}
	if !e.step(by) {
		return nil
	}
	r, err := e.ground.Apply(t.Sym, args...)
	if err != nil {
		e.err = err
		return nil
	}
	return r
}

// operands evaluates numbers.
func (e *byName) operands(ts []*reference.Term, env *environment) ([]denote.Number, bool) {
	out := make([]denote.Number, len(ts))
	for i, t := range ts {
		if out[i] = e.eval(t, env); e.err != nil {
			return nil, false
		}
	}
	return out, true
}

// variable is (3): the argument is evaluated.
func (e *byName) variable(x *reference.Var, env *environment) any {
	for env.x != x {
		env = env.outer
	}
	v := e.force(env.u)
	by := rule.SubstNumeral
	switch v.(type) {
	case closure, couple:
		by = rule.Subst
	}
	if !e.step(by) {
		return nil
	}
	return v
}

// force evaluates an argument, and is (2) for each pair that it is a component of.
func (e *byName) force(u argument) any {
	v := e.eval(u.t, u.env)
	for _, right := range u.path {
		p, ok := v.(couple)
		if !ok || !e.step(rule.Pair) {
			return nil
		}
		if right {
			v = e.force(p.right)
		} else {
			v = e.force(p.left)
		}
	}
	return v
}

// numbers calls f on the numbers of a value, from left to right. Functions have none.
func (e *byName) numbers(v any, f func(denote.Number)) {
	switch v := v.(type) {
	case nil, closure:
	case couple:
		e.numbers(e.force(v.left), f)
		e.numbers(e.force(v.right), f)
	default:
		f(v)
	}
}
