package term

import (
	"fmt"
	"strings"
)

// Type is a handle of an interned type: within one [Types], equal types have
// equal handles. 0 is no type.
type Type uint32

// Kind is the outermost constructor of a type.
type Kind uint8

// The constructors of types.
const (
	NoKind     Kind = iota
	RKind           // R, the ground type of real numbers
	ProdKind        // A × B
	ArrowKind       // A → B
	DualKind        // R⊥d = R ⊸ R^d, the linear negation
	VecKind         // A^s, s ≥ 1
	EuclidKind      // R^d with d left abstract: the type of x* t where x* : R⊥
)

type typeNode struct {
	kind Kind
	n    uint32 // VecKind: s; DualKind: d, 0 where d is left abstract
	a, b Type   // DualKind: b is R^d
}

// Types is a universe of interned types. The zero value is not usable: call
// [NewTypes]. It is not safe for concurrent use while types are being made.
type Types struct {
	nodes []typeNode
	index map[typeNode]Type
	rev   map[Type]Type // memo of Reverse
}

// R is the handle of the ground type in every universe.
const R Type = 1

// AbstractDual is the handle of R⊥ with d left abstract, as the reverse
// transformation uses it (section 5), in every universe.
const AbstractDual Type = 2

// AbstractEuclid is the handle of R^d with d left abstract, in every universe.
const AbstractEuclid Type = 3

// NewTypes returns a universe that holds R and R⊥.
func NewTypes() *Types {
	tt := &Types{nodes: make([]typeNode, 1, 16), index: map[typeNode]Type{}, rev: map[Type]Type{}}
	tt.intern(typeNode{kind: RKind})
	tt.intern(typeNode{kind: DualKind, b: AbstractEuclid})
	tt.intern(typeNode{kind: EuclidKind})
	return tt
}

func (tt *Types) intern(n typeNode) Type {
	if t, ok := tt.index[n]; ok {
		return t
	}
	t := Type(len(tt.nodes))
	tt.nodes = append(tt.nodes, n)
	tt.index[n] = t
	return t
}

// Prod returns A × B.
func (tt *Types) Prod(a, b Type) Type { return tt.intern(typeNode{kind: ProdKind, a: a, b: b}) }

// Arrow returns A → B.
func (tt *Types) Arrow(a, b Type) Type { return tt.intern(typeNode{kind: ArrowKind, a: a, b: b}) }

// Vec returns A^s. It panics if s < 1.
func (tt *Types) Vec(s int, a Type) Type {
	if s < 1 {
		panic(fmt.Sprintf("term: vector type of length %d", s))
	}
	return tt.intern(typeNode{kind: VecKind, n: uint32(s), a: a})
}

// Dual returns R⊥d = R ⊸ R^d, to R itself for d = 1; d = 0 is [AbstractDual].
func (tt *Types) Dual(d int) Type {
	to := AbstractEuclid
	switch {
	case d == 1:
		to = R
	case d > 1:
		to = tt.Vec(d, R)
	}
	dual, _ := tt.DualTo(to)
	return dual
}

// DualTo returns R ⊸ E for E = R, a vector of numbers or the abstract R^d; ok is false
// for any other E. A vector of one number isn't R, so R ⊸ R¹ and R ⊸ R are two types,
// both with d = 1.
func (tt *Types) DualTo(e Type) (dual Type, ok bool) {
	switch n := tt.nodes[e]; {
	case n.kind == EuclidKind:
		return AbstractDual, true
	case n.kind == RKind:
		return tt.intern(typeNode{kind: DualKind, n: 1, b: e}), true
	case n.kind == VecKind && n.a == R:
		return tt.intern(typeNode{kind: DualKind, n: n.n, b: e}), true
	}
	return 0, false
}

// Nat returns the type of Church numerals that iterate on x: (x → x) → x → x.
func (tt *Types) Nat(x Type) Type {
	e := tt.Arrow(x, x)
	return tt.Arrow(e, e)
}

// List returns List(a, x) = (a → x → x) → x → x (section 6.2).
func (tt *Types) List(a, x Type) Type {
	e := tt.Arrow(x, x)
	return tt.Arrow(tt.Arrow(a, e), e)
}

// Kind returns the outermost constructor of t.
func (tt *Types) Kind(t Type) Kind { return tt.nodes[t].kind }

// Left returns A of A × B, A → B and A^s.
func (tt *Types) Left(t Type) Type { return tt.nodes[t].a }

// Right returns B of A × B and A → B, and R^d of R⊥d.
func (tt *Types) Right(t Type) Type { return tt.nodes[t].b }

// Len returns s of A^s, and d of R⊥d.
func (tt *Types) Len(t Type) int { return int(tt.nodes[t].n) }

// Reverse returns D(A), Table 3a: D(R) = R × R⊥, and D commutes with ×, → and ^s.
// It panics on a type that holds a linear negation, where D is not defined.
func (tt *Types) Reverse(t Type) Type {
	if r, ok := tt.rev[t]; ok {
		return r
	}
	type frame struct {
		t    Type
		done bool
	}
	stack := []frame{{t: t}}
	for len(stack) > 0 {
		f := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if _, ok := tt.rev[f.t]; ok {
			continue
		}
		n := tt.nodes[f.t]
		if !f.done {
			switch n.kind {
			case ProdKind, ArrowKind:
				stack = append(stack, frame{f.t, true}, frame{t: n.a}, frame{t: n.b})
				continue
			case VecKind:
				stack = append(stack, frame{f.t, true}, frame{t: n.a})
				continue
			}
		}
		switch n.kind {
		case RKind:
			tt.rev[f.t] = tt.Prod(R, AbstractDual)
		case ProdKind:
			tt.rev[f.t] = tt.Prod(tt.rev[n.a], tt.rev[n.b])
		case ArrowKind:
			tt.rev[f.t] = tt.Arrow(tt.rev[n.a], tt.rev[n.b])
		case VecKind:
			tt.rev[f.t] = tt.Vec(int(n.n), tt.rev[n.a])
		default:
			panic("term: D is not defined on " + tt.String(f.t))
		}
	}
	return tt.rev[t]
}

// Euclidean reports whether t is R^d for some d ≥ 1: R itself, a product or a
// vector of Euclidean types.
func (tt *Types) Euclidean(t Type) bool {
	stack := []Type{t}
	for len(stack) > 0 {
		n := tt.nodes[stack[len(stack)-1]]
		stack = stack[:len(stack)-1]
		switch n.kind {
		case RKind, EuclidKind:
		case ProdKind:
			stack = append(stack, n.a, n.b)
		case VecKind:
			stack = append(stack, n.a)
		default:
			return false
		}
	}
	return true
}

// maxTypeText bounds the length of a printed type: beyond it an ellipsis stands.
const maxTypeText = 2000

// String prints t in the notation of the surface language: R * R, A -> B, R^3.
func (tt *Types) String(t Type) string {
	var b strings.Builder
	type item struct {
		text string
		t    Type
		prec int
	}
	const (
		arrow = iota
		prod
		atom
	)
	stack := []item{{t: t}}
	for len(stack) > 0 {
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if b.Len() > maxTypeText {
			b.WriteString("…")
			break
		}
		if it.t == 0 {
			b.WriteString(it.text)
			continue
		}
		n := tt.nodes[it.t]
		var parts []item
		prec := atom
		switch n.kind {
		case RKind:
			parts = []item{{text: "R"}}
		case EuclidKind:
			parts = []item{{text: "R^d"}}
		case DualKind:
			prec = arrow
			parts = []item{{text: "R -o "}, {t: n.b, prec: arrow}}
		case VecKind:
			parts = []item{{t: n.a, prec: atom}, {text: fmt.Sprintf("^%d", n.n)}}
		case ProdKind:
			prec = prod
			parts = []item{{t: n.a, prec: atom}, {text: " * "}, {t: n.b, prec: prod}}
		case ArrowKind:
			prec = arrow
			parts = []item{{t: n.a, prec: prod}, {text: " -> "}, {t: n.b, prec: arrow}}
		}
		if prec < it.prec {
			parts = append(append([]item{{text: "("}}, parts...), item{text: ")"})
		}
		for i := len(parts) - 1; i >= 0; i-- {
			stack = append(stack, parts[i])
		}
	}
	return b.String()
}
