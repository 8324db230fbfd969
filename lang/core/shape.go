package core

import (
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

// Inductive is the declaration of an inductive type.
type Inductive struct {
	Name   string
	Params []string // with their '
	Cons   []Constructor
}

// Constructor is a constructor of an inductive type. Arg is the type of its argument, in which parameters are
// [Types.Param]; 0 if it has none.
type Constructor struct {
	Name string
	Arg  Type
}

// Param returns the i-th parameter of a declaration.
func (tt *Types) Param(i int) Type { return tt.add(TypeNode{Kind: Param, N: uint32(i)}) }

// Named returns the type with declaration d and the given arguments.
func (tt *Types) Named(d int, args []Type) Type {
	n := TypeNode{Kind: Named, N: uint32(d)}
	for i := len(args) - 1; i >= 0; i-- {
		if n.A == 0 {
			n.A = tt.Find(args[i])
		} else {
			n.A = tt.Prod(args[i], n.A)
		}
	}
	return tt.add(n)
}

// Fresh returns a type with declaration d whose arguments are open.
func (tt *Types) Fresh(d int) Type {
	return tt.Named(d, syntax.Each(len(tt.Inductives[d].Params), func(int) Type { return tt.Open() }))
}

// Args returns the arguments of an inductive type.
func (tt *Types) Args(t Type) []Type {
	n := tt.At(t)
	args := make([]Type, len(tt.Inductives[n.N].Params))
	rest := n.A
	for i := range args {
		if args[i] = rest; i < len(args)-1 {
			p := tt.At(rest)
			args[i], rest = p.A, p.B
		}
	}
	return args
}

// Argument returns the type of the argument of constructor con in the inductive type t, 0 if it has none.
func (tt *Types) Argument(t Type, con int) Type {
	arg := tt.Inductives[tt.At(t).N].Cons[con].Arg
	if arg == 0 {
		return 0
	}
	return tt.replace(arg, tt.Args(t))
}

// replace returns the type t of a declaration with arguments for its parameters. Types are not deep in a source.
func (tt *Types) replace(t Type, args []Type) Type {
	n := tt.Nodes[t]
	switch {
	case n.closed:
		return t
	case n.Kind == Param:
		return args[n.N]
	}
	if n.A != 0 {
		n.A = tt.Find(tt.replace(n.A, args))
	}
	if n.B != 0 {
		n.B = tt.Find(tt.replace(n.B, args))
	}
	if n.abbreviation() {
		n.N = 0
	}
	return tt.add(n)
}

// HoldsDuals reports whether the constructors of declaration d hold linear negations, also those of types in them.
func (tt *Types) HoldsDuals(d int) bool { return tt.holdsDuals(tt.Fresh(d), map[uint32]bool{}) }

// holdsDuals looks through each declaration once. Types are not deep in a source.
func (tt *Types) holdsDuals(t Type, seen map[uint32]bool) bool {
	if t == 0 {
		return false
	}
	n := tt.At(t)
	if n.Kind == Named && !seen[n.N] {
		seen[n.N] = true
		for _, c := range tt.Inductives[n.N].Cons {
			if tt.holdsDuals(c.Arg, seen) {
				return true
			}
		}
	}
	return n.Kind == Dual || tt.holdsDuals(n.A, seen) || tt.holdsDuals(n.B, seen)
}

// maxShape bounds the nodes of the shape of a program's value.
const maxShape = 4 << 20

// ValueShape returns the shape of the values of a type that is built of R, products, vectors and lists, and nil for any
// other. A function that has every type (a -> x -> x) -> x -> x, for an x that is still open, is a List a: what map and
// rev return. It is to be called before open types are closed. A type too large to be written out, as shared products
// can be, has no shape.
func (tt *Types) ValueShape(t Type) *load.Shape {
	type item struct {
		t    Type
		done bool
	}
	stack := []item{{t: t}}
	var out []*load.Shape
	for budget := maxShape; len(stack) > 0; budget-- {
		it := syntax.Pop(&stack)
		n := tt.At(it.t)
		if budget == 0 {
			return nil
		}
		if n.Kind == Arrow {
			elem, ok := tt.listElement(it.t)
			if !ok {
				return nil
			}
			n = TypeNode{Kind: List, A: elem}
		}
		k := len(out)
		switch {
		case n.Kind == Real || n.Kind == Open:
			out = append(out, load.RealShape())
		case n.Kind == Named:
			s := tt.inductiveShape(it.t)
			if s == nil {
				return nil
			}
			out = append(out, s)
		case n.Kind != Prod && n.Kind != Vec && n.Kind != List:
			return nil
		case !it.done && n.Kind == Prod:
			stack = append(stack, item{it.t, true}, item{t: n.B}, item{t: n.A})
		case !it.done:
			stack = append(stack, item{it.t, true}, item{t: n.A})
		case n.Kind == Prod:
			out = append(out[:k-2], load.ProductShape(out[k-2], out[k-1]))
		case n.Kind == Vec:
			out[k-1] = load.VectorShape(out[k-1], tt.SizeAt(Size(n.N)).N)
		default:
			out[k-1] = load.ListShape(out[k-1])
		}
	}
	return out[0]
}

// maxInductive bounds the instances of inductive types in the shape of a value.
const maxInductive = 1000

// inductiveShape returns the shape of an inductive type, nil if a constructor holds something else than numbers, or if
// its arguments are ever new types.
func (tt *Types) inductiveShape(t Type) *load.Shape {
	text := tt.Text().Of(t)
	if s, ok := tt.shapes[text]; ok {
		return s
	}
	if tt.shapes == nil {
		tt.shapes, tt.types = map[string]*load.Shape{}, map[*load.Shape]Type{}
	}
	if len(tt.shapes) > maxInductive {
		return nil
	}
	s := load.InductiveShape(text)
	tt.shapes[text], tt.types[s] = s, t
	cons := tt.Inductives[tt.At(t).N].Cons
	for i, c := range cons {
		arg := tt.Argument(t, i)
		con := load.Constructor{Name: c.Name}
		if arg != 0 {
			if con.Arg = tt.ValueShape(arg); con.Arg == nil {
				tt.shapes[text] = nil
				return nil
			}
		}
		s.Cons = append(s.Cons, con)
	}
	return s
}

// listElement returns a of (a -> x -> x) -> x -> x, if x is open.
func (tt *Types) listElement(t Type) (Type, bool) {
	whole := tt.At(t)
	step, rest := tt.At(whole.A), tt.At(whole.B)
	if step.Kind != Arrow || rest.Kind != Arrow {
		return 0, false
	}
	inner := tt.At(step.B)
	x := tt.Find(rest.A)
	if inner.Kind != Arrow || tt.Nodes[x].Kind != Open {
		return 0, false
	}
	return step.A, tt.Find(rest.B) == x && tt.Find(inner.A) == x && tt.Find(inner.B) == x
}

// ShapeType makes the type of a shape.
func (tt *Types) ShapeType(s *load.Shape) Type { return tt.shapeType(s, func() Type { return R }) }

// shapeType makes the type of a shape, with the types that number returns for its numbers.
func (tt *Types) shapeType(s *load.Shape, number func() Type) Type {
	switch s.Kind {
	case load.Product:
		a := tt.shapeType(s.A, number)
		return tt.Prod(a, tt.shapeType(s.B, number))
	case load.Vector:
		return tt.Vec(tt.shapeType(s.A, number), tt.KnownSize(s.Size))
	case load.List:
		return tt.List(tt.shapeType(s.A, number), tt.Open())
	case load.Inductive:
		return tt.types[s]
	}
	return number()
}
