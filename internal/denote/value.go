package denote

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/term"
)

// Value is an element of the set that is a type's denotation: a [Number], a [Pair], a [Con], a [Func] or a [Linear].
type Value any

// Pair is an element of ⟦A×B⟧.
type Pair struct{ Left, Right Value }

// Func is an element of ⟦A→B⟧.
type Func func(Value) Value

// Con is an element of ⟦T⟧, T an inductive type: which constructor, and its argument, nil if it has none.
type Con struct {
	Number uint64
	Arg    Value
}

// Linear is an element of ⟦R⊥d⟧: it commutes with sums and products by a number.
type Linear func(Number) Value

// Tuple is ⟨vs…⟩, pairs nested to the right: an element of ⟦A^s⟧ too.
func Tuple(vs ...Value) Value {
	v := vs[len(vs)-1]
	for _, left := range slices.Backward(vs[:len(vs)-1]) {
		v = Pair{left, v}
	}
	return v
}

// Flatten returns the numbers of an element of ⟦R^d⟧, or of a product of such, from left to right.
func Flatten(v Value) []Number {
	switch v := v.(type) {
	case Pair:
		return append(Flatten(v.Left), Flatten(v.Right)...)
	case Con:
		if v.Arg == nil {
			return nil
		}
		return Flatten(v.Arg)
	case Func, Linear:
		panic("denote: a function has no numbers")
	}
	return []Number{v}
}

// Model is the interpretation of the ground type and of the abstract d of R⊥d.
type Model struct {
	Ground Ground
	Dim    int
}

// dim is the dimension of R⊥d: where d is abstract, and n is 0, the model's.
func (m Model) dim(n int) int {
	if n == 0 {
		return max(1, m.Dim)
	}
	return n
}

// Zero is 0⃗ of R^d for the model's d.
func (m Model) Zero() Value { return Tuple(slices.Repeat([]Value{m.Ground.Of(0)}, m.dim(0))...) }

// Injection is the linear map a ↦ ⟨0,…,a,…,0⟩ with a at place i, from 0: the x* of the input i.
func (m Model) Injection(i int) Linear {
	return func(a Number) Value {
		out := slices.Repeat([]Value{m.Ground.Of(0)}, m.dim(0))
		out[i] = a
		return Tuple(out...)
	}
}

// Sum is the sum of two elements of ⟦R^d⟧, component by component.
func (m Model) Sum(v, w Value) Value {
	if p, ok := v.(Pair); ok {
		q := w.(Pair)
		return Pair{m.Sum(p.Left, q.Left), m.Sum(p.Right, q.Right)}
	}
	return m.Ground.Add(v, w)
}

// Same reports whether v and w are one element. Linear maps from R are compared by
// their images at 1; functions are not compared.
func (m Model) Same(v, w Value) bool {
	switch v := v.(type) {
	case Pair:
		w, ok := w.(Pair)
		return ok && m.Same(v.Left, w.Left) && m.Same(v.Right, w.Right)
	case Con:
		w, ok := w.(Con)
		return ok && v.Number == w.Number && (v.Arg == nil || m.Same(v.Arg, w.Arg))
	case Linear:
		w, ok := w.(Linear)
		return ok && m.Same(v(m.Ground.Of(1)), w(m.Ground.Of(1)))
	case Func:
		_, ok := w.(Func)
		return ok
	}
	return m.number(w) && m.Ground.Holds(term.LessEqual, v, w) && m.Ground.Holds(term.LessEqual, w, v)
}

// Member reports whether v is in ⟦A⟧, functions by their kind alone.
func (m Model) Member(tt *term.Types, a term.Type, v Value) bool {
	switch tt.Kind(a) {
	case term.ProdKind:
		p, ok := v.(Pair)
		return ok && m.Member(tt, tt.Left(a), p.Left) && m.Member(tt, tt.Right(a), p.Right)
	case term.VecKind:
		return m.tuple(v, tt.Len(a), func(c Value) bool { return m.Member(tt, tt.Left(a), c) })
	case term.MuKind:
		c, ok := v.(Con)
		cons := tt.Constructors(a)
		if !ok || c.Number >= uint64(len(cons)) {
			return false
		}
		arg := cons[c.Number].Arg
		return arg == 0 && c.Arg == nil || arg != 0 && m.Member(tt, arg, c.Arg)
	case term.EuclidKind:
		return m.tuple(v, m.dim(0), m.number)
	case term.ArrowKind:
		_, ok := v.(Func)
		return ok
	case term.DualKind:
		l, ok := v.(Linear)
		return ok && m.tuple(l(m.Ground.Of(1)), m.dim(tt.Len(a)), m.number)
	}
	return m.number(v)
}

func (m Model) number(v Value) bool {
	switch v.(type) {
	case Pair, Con, Func, Linear:
		return false
	}
	return v != nil
}

func (m Model) tuple(v Value, n int, member func(Value) bool) bool {
	for ; n > 1; n-- {
		p, ok := v.(Pair)
		if !ok || !member(p.Left) {
			return false
		}
		v = p.Right
	}
	return member(v)
}

// Env is an element of ⟦Γ⟧: a value for each variable. nil is the empty one.
type Env struct {
	x    term.Var
	v    Value
	next *Env
}

// With is e with the value v for x.
func (e *Env) With(x term.Var, v Value) *Env { return &Env{x, v, e} }

// At is g_x.
func (e *Env) At(x term.Var) Value {
	for ; e != nil; e = e.next {
		if e.x == x {
			return e.v
		}
	}
	panic(fmt.Sprintf("denote: the environment has no variable %d", x))
}
