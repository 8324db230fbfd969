package core

import (
	"github.com/gram-machine/gram/lang/load"
)

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
		it := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
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
