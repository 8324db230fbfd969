package term

import (
	"fmt"
	"slices"
)

// Type is a handle of an interned type: within one [Types], equal types have equal handles. 0 is no type.
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
	MuKind          // T A1 … Ap, an instance of the declaration of an inductive type
	ParamKind       // a parameter of such a declaration, in its constructors
)

type typeNode struct {
	kind Kind
	real bool   // it is R^d
	dual bool   // it has a linear negation in it
	n    uint32 // VecKind: s; DualKind: d, 0 where d is left abstract; MuKind: the declaration; ParamKind: which
	a, b Type   // DualKind: b is R^d; MuKind: a is the product of the arguments
}

// Types is a universe of interned types. The zero value is not usable: call
// [NewTypes]. It is not safe for concurrent use while types are being made.
type Types struct {
	nodes []typeNode
	index map[typeNode]Type
	rev   map[Type]Type // memo of Reverse
	fwd   map[Type]Type // memo of Forward

	paired map[Type]Type // memo of Paired

	inductives []inductive
	cons       map[Type][]Constructor // memo of Constructors
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
	tt := &Types{nodes: make([]typeNode, 1, 16), index: map[typeNode]Type{}, rev: map[Type]Type{}, fwd: map[Type]Type{},
		paired: map[Type]Type{}, cons: map[Type][]Constructor{}}
	tt.intern(typeNode{kind: RKind})
	tt.intern(typeNode{kind: DualKind, b: AbstractEuclid})
	tt.intern(typeNode{kind: EuclidKind})
	return tt
}

func (tt *Types) intern(n typeNode) Type {
	a, b := &tt.nodes[n.a], &tt.nodes[0]
	if n.kind != DualKind {
		b = &tt.nodes[n.b]
	}
	n.dual = n.kind == DualKind || n.kind == EuclidKind || a.dual || b.dual
	switch n.kind {
	case RKind, EuclidKind:
		n.real = true
	case ProdKind:
		n.real = a.real && b.real
	case VecKind:
		n.real = a.real
	case MuKind:
		n.dual = n.dual || tt.inductives[n.n].dual
	}
	t, ok := tt.index[n]
	if !ok {
		t = Type(len(tt.nodes))
		tt.nodes = append(tt.nodes, n)
		tt.index[n] = t
	}
	return t
}

// bottomUp calls f for t and each type that it is made of, parts first, but not for what known reports and its parts.
func (tt *Types) bottomUp(t Type, known func(Type) bool, f func(Type, typeNode)) {
	if known(t) {
		return
	}
	for stack := []Type{t}; len(stack) > 0; {
		t := stack[len(stack)-1]
		n := tt.nodes[t]
		more := len(stack)
		for _, part := range []Type{n.a, n.b} {
			if part != 0 && !known(part) {
				stack = append(stack, part)
			}
		}
		if len(stack) > more {
			continue
		}
		stack = stack[:more-1]
		if !known(t) {
			f(t, n)
		}
	}
}

// Prod returns A × B.
func (tt *Types) Prod(a, b Type) Type { return tt.intern(typeNode{kind: ProdKind, a: a, b: b}) }

// Prods returns A1 × (A2 × …), or 0 for none.
func (tt *Types) Prods(parts []Type) (all Type) {
	for i, a := range slices.Backward(parts) {
		if i == len(parts)-1 {
			all = a
		} else {
			all = tt.Prod(a, all)
		}
	}
	return all
}

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

// DualTo returns R ⊸ E for E = R, a vector of numbers, a tuple R×(R×…) or the abstract R^d; ok is false for any other
// E. A vector of one number isn't R, and one of two isn't a pair: their duals are types of their own, with the same d.
func (tt *Types) DualTo(e Type) (dual Type, ok bool) {
	n, d := tt.nodes[e], uint32(1)
	switch {
	case n.kind == EuclidKind:
		return AbstractDual, true
	case n.kind == VecKind && n.a == R:
		return tt.intern(typeNode{kind: DualKind, n: n.n, b: e}), true
	}
	for ; n.kind == ProdKind && n.a == R; n = tt.nodes[n.b] {
		d++
	}
	if n.kind != RKind {
		return 0, false
	}
	return tt.intern(typeNode{kind: DualKind, n: d, b: e}), true
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

// Scalar returns the type of the numbers in an element of data, which is a number or a vector of such.
func (tt *Types) Scalar(elem Type) Type {
	if tt.Kind(elem) == VecKind {
		return tt.Left(elem)
	}
	return elem
}

// Kind returns the outermost constructor of t.
func (tt *Types) Kind(t Type) Kind { return tt.nodes[t].kind }

// Left returns A of A × B, A → B and A^s.
func (tt *Types) Left(t Type) Type { return tt.nodes[t].a }

// Right returns B of A × B and A → B, and R^d of R⊥d.
func (tt *Types) Right(t Type) Type { return tt.nodes[t].b }

// Len returns s of A^s, and d of R⊥d.
func (tt *Types) Len(t Type) int { return int(tt.nodes[t].n) }

// Components returns the types of the components of a product or a vector, none of another type.
func (tt *Types) Components(t Type) []Type {
	switch n := tt.nodes[t]; n.kind {
	case ProdKind:
		return []Type{n.a, n.b}
	case VecKind:
		return slices.Repeat([]Type{n.a}, int(n.n))
	}
	return nil
}

// Reverse returns D(A), Table 3a: D(R) = R × R⊥, and D commutes with ×, →, ^s and the constructors of inductive types.
// It panics on a type that holds a linear negation, where D is not defined.
func (tt *Types) Reverse(t Type) Type {
	return tt.rebuild(t, tt.rev, func(t Type, n typeNode) Type {
		switch n.kind {
		case RKind:
			return tt.Prod(R, AbstractDual)
		case MuKind:
			return tt.instance(tt.derive("D", Inductive(n.n), tt.Reverse), n.a)
		case DualKind, EuclidKind:
			panic("term: D is not defined on " + tt.String(t))
		}
		return tt.intern(n)
	})
}

// Forward returns Fwd(A): Fwd(R) = R × R, Fwd(R^s) = R^s × R^s, and Fwd commutes with ×, →, other ^s and the
// constructors of inductive types, but for those without R. A holds no linear negation.
func (tt *Types) Forward(t Type) Type {
	return tt.rebuild(t, tt.fwd, func(t Type, n typeNode) Type {
		switch {
		case n.kind == RKind:
			return tt.Prod(R, R)
		case n.kind == VecKind && tt.nodes[t].a == R:
			return tt.Prod(t, t)
		case n.kind == MuKind && (n.a != 0 || tt.holds(Inductive(n.n), RKind)):
			return tt.instance(tt.derive("Fwd", Inductive(n.n), tt.Forward), n.a)
		}
		return tt.intern(n)
	})
}

// Paired returns t with every vector A^s written A×(A×…), also in the constructors of inductive types.
func (tt *Types) Paired(t Type) Type {
	return tt.rebuild(t, tt.paired, func(t Type, n typeNode) Type {
		switch n.kind {
		case VecKind:
			return tt.Prods(slices.Repeat([]Type{n.a}, int(n.n)))
		case DualKind:
			dual, _ := tt.DualTo(n.b)
			return dual
		case MuKind:
			d := Inductive(n.n)
			if tt.holds(d, VecKind) {
				d = tt.derive("Paired", d, tt.Paired)
			}
			return tt.instance(d, n.a)
		}
		return tt.intern(n)
	})
}

// Euclidean reports whether t is R^d for some d ≥ 1: R itself, a product or a vector of Euclidean types.
func (tt *Types) Euclidean(t Type) bool { return tt.nodes[t].real }

// HasDual reports whether t has a linear negation in it, or the abstract R^d: D is not defined on it.
func (tt *Types) HasDual(t Type) bool { return tt.nodes[t].dual }

// maxTypeText bounds the length of a printed type: beyond it an ellipsis stands.
const maxTypeText = 2000

// String prints t in the notation of the surface language: R * R, A -> B, R^3.
func (tt *Types) String(t Type) string {
	const (
		arrow = iota
		prod
		atom
		argument // of an inductive type
	)
	sub := func(t Type, level int) Item { return Item{Ref: uint32(t), Level: level} }
	return Print(uint32(t), maxTypeText, func(r uint32) ([]Item, int) {
		t, n := Type(r), tt.nodes[r]
		switch n.kind {
		case RKind:
			return []Item{lit("R")}, argument
		case EuclidKind:
			return []Item{lit("R^d")}, argument
		case DualKind:
			return []Item{lit("R -o "), sub(n.b, arrow)}, arrow
		case VecKind:
			return []Item{sub(n.a, atom), lit(fmt.Sprintf("^%d", n.n))}, atom
		case ProdKind:
			return []Item{sub(n.a, atom), lit(" * "), sub(n.b, prod)}, prod
		case ParamKind:
			return []Item{lit(paramName(int(n.n)))}, argument
		case MuKind:
			items := []Item{lit(tt.inductives[n.n].name)}
			for _, a := range tt.TypeArgs(t) {
				items = append(items, lit(" "), sub(a, argument))
			}
			if n.a != 0 {
				return items, atom
			}
			return items, argument
		case ArrowKind:
			return []Item{sub(n.a, prod), lit(" -> "), sub(n.b, arrow)}, arrow
		}
		return nil, atom
	})
}

// paramName is the name of a parameter in printed types: 'a, 'b, ….
func paramName(i int) string {
	if i < 26 {
		return "'" + string(rune('a'+i))
	}
	return fmt.Sprintf("'a%d", i)
}
