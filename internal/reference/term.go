package reference

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// Op is a constructor of the calculus.
type Op uint8

// The constructors, with the children of [Term] in their order.
const (
	Variable  Op = iota // x
	Numeral             // r
	Lambda              // λx.t            t
	Apply               // t u             t, u
	MakePair            // ⟨t,u⟩           t, u
	Let                 // t[p:=u]         t, u
	Plus                // t + u           t, u
	Function            // f(t1,…,tk)      t1 … tk
	Zero                // 0⃗ of R^d, d abstract
	If                  // if s c s' …     s, s', t, u
	Construct           // C t             t, or none
	Match               // match t with …  t, and a Branch for each constructor
	Branch              // C p → u         u
	Fix                 // fix ⟨f,…⟩.⟨v,…⟩ v, …
)

// Var is a variable, known by its address: two binders never share one.
type Var struct {
	Name   string
	Type   term.Type
	Linear bool
}

// Pattern is what an explicit substitution binds: a variable, or a pair of patterns.
// So the tails of a tuple need no names.
type Pattern struct {
	X           *Var
	Left, Right *Pattern
}

// Vars calls f on the variables of the pattern, from left to right.
func (p *Pattern) Vars(f func(*Var)) {
	if p.X != nil {
		f(p.X)
		return
	}
	p.Left.Vars(f)
	p.Right.Vars(f)
}

// single is the pattern of one variable.
func single(x *Var) *Pattern { return &Pattern{X: x} }

// Term is a term. It is never changed; a step makes a new one that shares with it what stays.
type Term struct {
	Op   Op
	X    *Var     // Variable, Lambda
	P    *Pattern // Let; Branch, nil for a constructor without argument
	Num  denote.Number
	Sym  term.Symbol
	Cmp  term.Compare
	Kids []*Term
	Xs   []*Var    // Fix: f, …
	Type term.Type // Construct, Match: the inductive type
	Name string    // Construct, Branch: of C
	At   int       // Construct: the number of C; Fix: which of the functions it is
	Pos  term.Pos  // the place in the source that it comes from, 0 for none
	// Of MakePair: Tail says that it is the tail of a tuple, which (10) gives no name;
	// Named that it is the pair of names ⟨y,y'⟩ of a (10).
	Tail, Named bool
}

// Node is the term of a constructor with children alone.
func Node(op Op, kids ...*Term) *Term { return &Term{Op: op, Kids: kids} }

func variable(x *Var) *Term                  { return &Term{Op: Variable, X: x} }
func numeral(r denote.Number) *Term          { return &Term{Op: Numeral, Num: r} }
func lambda(x *Var, body *Term) *Term        { return &Term{Op: Lambda, X: x, Kids: []*Term{body}} }
func apply(t, u *Term) *Term                 { return Node(Apply, t, u) }
func pair(t, u *Term) *Term                  { return Node(MakePair, t, u) }
func let(t *Term, p *Pattern, u *Term) *Term { return &Term{Op: Let, P: p, Kids: []*Term{t, u}} }

// Sum is t + u, or t ⊕ u where one side is the zero tuple of a dual's body.
func Sum(t, u *Term) *Term {
	switch {
	case t.Op == Zero:
		return u
	case u.Op == Zero:
		return t
	}
	return Node(Plus, t, u)
}

// plusAt is t ⊕ u, with its place if it is a new term.
func plusAt(pos term.Pos, t, u *Term) *Term {
	sum := Sum(t, u)
	if sum != t && sum != u {
		sum.Pos = pos
	}
	return sum
}

// function is f(args). NoSymbol is +.
func function(f term.Symbol, args ...*Term) *Term {
	if f == term.NoSymbol {
		return &Term{Op: Plus, Kids: args}
	}
	return &Term{Op: Function, Sym: f, Kids: args}
}

// Tuple is ⟨ts…⟩, pairs nested to the right.
func Tuple(ts ...*Term) *Term {
	t := ts[len(ts)-1]
	for i, u := range slices.Backward(ts[:len(ts)-1]) {
		t = pair(u, t)
		t.Tail = i > 0
	}
	return t
}

// tuplePattern is ⟨xs…⟩.
func tuplePattern(xs ...*Var) *Pattern {
	p := single(xs[len(xs)-1])
	for _, x := range slices.Backward(xs[:len(xs)-1]) {
		p = &Pattern{Left: single(x), Right: p}
	}
	return p
}

// at is a term that has just been made, with its place.
func (t *Term) at(pos term.Pos) *Term {
	t.Pos = pos
	return t
}

// with is t with other children; a sum is built again by ⊕.
func (t *Term) with(kids []*Term) *Term {
	if t.Op == Plus {
		return plusAt(t.Pos, kids[0], kids[1])
	}
	u := *t
	u.Kids = kids
	return &u
}

// withKid is t with one other child.
func (t *Term) withKid(i int, kid *Term) *Term {
	kids := slices.Clone(t.Kids)
	kids[i] = kid
	return t.with(kids)
}

// each is what f makes of each of xs.
func each[X, Y any](xs []X, f func(X) Y) []Y {
	out := make([]Y, len(xs))
	for i, x := range xs {
		out[i] = f(x)
	}
	return out
}

// binders calls f on each variable that the node itself binds.
func (t *Term) binders(f func(*Var)) {
	switch t.Op {
	case Lambda:
		f(t.X)
	case Let, Branch:
		if t.P != nil {
			t.P.Vars(f)
		}
	case Fix:
		for _, x := range t.Xs {
			f(x)
		}
	}
}

// encloses reports whether child i stands under a λ, or in a branch.
func (t *Term) encloses(i int) bool {
	return t.Op == Lambda || t.Op == Fix || t.Op == Branch || t.Op == If && i >= 2
}

// fresh is an α-equivalent copy of t whose bound variables are new.
func fresh(t *Term) *Term { return rename(t, map[*Var]*Var{}) }

func rename(t *Term, to map[*Var]*Var) *Term {
	t.binders(func(x *Var) { to[x] = new(*x) })
	u := *t
	if y, ok := to[t.X]; ok {
		u.X = y
	}
	if t.P != nil {
		u.P = t.P.rename(to)
	}
	u.Xs = each(t.Xs, func(x *Var) *Var { return to[x] })
	u.Kids = each(t.Kids, func(k *Term) *Term { return rename(k, to) })
	return &u
}

func (p *Pattern) rename(to map[*Var]*Var) *Pattern {
	if p.X != nil {
		return single(to[p.X])
	}
	return &Pattern{Left: p.Left.rename(to), Right: p.Right.rename(to)}
}

// Equal reports whether t and u are one term up to the names of bound variables.
func Equal(t, u *Term) bool { return t.Key() == u.Key() }

// Key is a text that two terms share just if they are one up to the names of bound variables. Free variables are known
// by their addresses.
func (t *Term) Key() string {
	k := &keyWriter{bound: map[*Var]int{}}
	k.term(t, 0)
	return string(k.out)
}

// keyWriter writes a key. A bound variable is known by the number of binders between.
type keyWriter struct {
	bound map[*Var]int // the depth of the binder, from 1; 0: free
	out   []byte
}

// write appends a letter and a number, if that is not 0.
func (k *keyWriter) write(letter byte, n int) {
	if n != 0 {
		k.out = strconv.AppendInt(append(k.out, letter), int64(n), 10)
	}
}

func (k *keyWriter) term(t *Term, depth int) {
	k.out = append(k.out, '(')
	k.write('o', int(t.Op))
	k.write('s', int(t.Sym))
	k.write('c', int(t.Cmp))
	k.write('t', int(t.Type))
	k.write('i', t.At)
	switch t.Op {
	case Variable:
		if at := k.bound[t.X]; at > 0 {
			k.write('b', depth-at+1)
		} else {
			k.out = fmt.Appendf(k.out, "f%p", t.X)
		}
	case Numeral:
		if r, ok := t.Num.(float64); ok {
			k.out = strconv.AppendFloat(append(k.out, 'n'), r, 'g', -1, 64)
		} else {
			k.out = fmt.Appendf(k.out, "n%v", t.Num)
		}
	}
	inner := depth
	t.binders(func(x *Var) {
		inner++
		k.bound[x] = inner
		k.write('x', int(x.Type))
		if x.Linear {
			k.out = append(k.out, '^')
		}
	})
	for i, u := range t.Kids {
		if i == 1 && t.Op != Fix { // it is out of scope
			inner = depth
		}
		k.term(u, inner)
	}
	k.out = append(k.out, ')')
}

// substitute is t{v/x} for a linear x: v is a numeral or a variable, and binds nothing.
func substitute(t *Term, x *Var, v *Term) *Term {
	if t.Op == Variable {
		if t.X == x {
			return v
		}
		return t
	}
	kids := each(t.Kids, func(k *Term) *Term { return substitute(k, x, v) })
	if slices.Equal(kids, t.Kids) {
		return t
	}
	return t.with(kids)
}

// sub is one explicit substitution [p:=u].
type sub struct {
	p   *Pattern
	u   *Term
	pos term.Pos
}

// stack is a substitution context {·}[p1:=u1]…[pn:=un], written α and β in the rules.
type stack []sub

// plug is tα.
func (a stack) plug(t *Term) *Term {
	for _, s := range a {
		t = let(t, s.p, s.u).at(s.pos)
	}
	return t
}

// split is the t and α, as long as can be, of which the term is tα.
func split(t *Term) (*Term, stack) {
	var a stack
	for t.Op == Let {
		a = append(a, sub{t.P, t.Kids[1], t.Pos})
		t = t.Kids[0]
	}
	slices.Reverse(a) // the innermost substitution comes first
	return t, a
}

// isValue reports whether t is v: a variable, a numeral, a λ, a recursive function, a pair of values, a constructor
// with a value.
func isValue(t *Term) bool {
	switch t.Op {
	case Variable, Numeral, Lambda, Zero, Fix:
		return true
	case MakePair, Construct:
		return !slices.ContainsFunc(t.Kids, func(k *Term) bool { return !isValue(k) })
	}
	return false
}

// answer is the v and α with t ≡ vα; v is nil if there are none. Substitutions come
// out of a pair by app1 and app2: ⟨v1α1,v2α2⟩ ≡ ⟨v1,v2⟩α1α2, and out of a constructor: C vα ≡ (C v)α.
func answer(t *Term) (v *Term, a stack) {
	t, a = split(t)
	if t.Op != MakePair && t.Op != Construct {
		if !isValue(t) {
			return nil, nil
		}
		return t, a
	}
	vs := make([]*Term, len(t.Kids))
	var inner stack
	for i, k := range t.Kids {
		v, b := answer(k)
		if v == nil {
			return nil, nil
		}
		vs[i], inner = v, append(inner, b...)
	}
	return t.with(vs), append(inner, a...)
}

// summands are the t1, …, tn and α with t ≡ (t1 + … + tn)α: a sum is a bag, and
// substitutions come out of it by app1 and app2.
func summands(t *Term) (ts []*Term, a stack) {
	t, a = split(t)
	if t.Op != Plus {
		return []*Term{t}, a
	}
	t1, a1 := summands(t.Kids[0])
	t2, a2 := summands(t.Kids[1])
	return append(t1, t2...), slices.Concat(a1, a2, a)
}
