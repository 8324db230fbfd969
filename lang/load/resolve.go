package load

import (
	"fmt"

	"github.com/gram-machine/gram/lang/syntax"
)

// Shape returns the shape that t names. Types that are no shapes (functions,
// Nat, lists inside of other types) are errors at their place. An error is an
// *[Error].
func (s *Static) Shape(t syntax.TypeExpr) (*Shape, error) {
	shape, p := s.shape(t, 0)
	if p != nil {
		return nil, p.asError()
	}
	return shape, nil
}

func (s *Static) typeProblem(t syntax.TypeExpr, headline, label string) *Problem {
	return &Problem{File: s.File, Diagnostic: syntax.Diagnostic{
		Span: s.File.Type(t).Span, Headline: headline, Label: label,
	}}
}

func (s *Static) shape(t syntax.TypeExpr, nest int) (*Shape, *Problem) {
	if nest > maxNest {
		return nil, s.typeProblem(t, "too deep", fmt.Sprintf("more than %d types in one another", maxNest))
	}
	n := s.File.Type(t)
	switch n.Kind {
	case syntax.RType:
		return realShape, nil
	case syntax.ProdType:
		a, p := s.shape(n.A, nest+1)
		if p != nil {
			return nil, p
		}
		b, p := s.shape(n.B, nest+1)
		if p != nil {
			return nil, p
		}
		if p := s.noList(n.A, a, "a component of a product"); p != nil {
			return nil, p
		}
		if p := s.noList(n.B, b, "a component of a product"); p != nil {
			return nil, p
		}
		if a.width+b.width > maxWidth {
			return nil, s.typeProblem(t, "type too large", tooWide)
		}
		return ProductShape(a, b), nil
	case syntax.VecType:
		return s.vectorShape(t, n, nest)
	case syntax.ListType:
		a, p := s.shape(n.A, nest+1)
		if p != nil {
			return nil, p
		}
		if p := s.noList(n.A, a, "the element of a list"); p != nil {
			return nil, p
		}
		return ListShape(a), nil
	case syntax.BadType:
		return nil, &Problem{}
	}
	return nil, s.typeProblem(t, "type not allowed here", "inputs and data are numbers: R, products, vectors, and lists for data")
}

func (s *Static) noList(t syntax.TypeExpr, a *Shape, what string) *Problem {
	if a.Kind != List {
		return nil
	}
	return s.typeProblem(t, "type not allowed here", what+" is a list; inputs have no lists, and data only List R and List R^k")
}

func (s *Static) vectorShape(t syntax.TypeExpr, n *syntax.TypeNode, nest int) (*Shape, *Problem) {
	a, p := s.shape(n.A, nest+1)
	if p != nil {
		return nil, p
	}
	if p := s.noList(n.A, a, "the component of a vector"); p != nil {
		return nil, p
	}
	size, p := s.compile(n.Size, nest+1)
	if p != nil {
		return nil, p
	}
	if label := badSize(size.c); label != "" {
		return nil, s.problem(n.Size, "not a size", label)
	}
	if a.width > maxWidth/int(size.c) {
		return nil, s.typeProblem(t, "type too large", tooWide)
	}
	return VectorShape(a, int(size.c)), nil
}

// declared resolves the type of an input or data declaration, and checks that
// such a declaration may have it.
func (s *Static) declared(kind syntax.DeclKind, t syntax.TypeExpr) (*Shape, *Problem) {
	shape, p := s.shape(t, 0)
	if p != nil {
		return nil, p
	}
	if label := notAllowed(kind, shape); label != "" {
		return nil, s.typeProblem(t, "type not allowed here", label)
	}
	return shape, nil
}

// notAllowed says why a declaration may not have the shape, or is empty.
func notAllowed(kind syntax.DeclKind, s *Shape) string {
	if kind == syntax.InputDecl {
		if s.Kind == List {
			return fmt.Sprintf("an input is R, a product or a vector of R; this is %v; lists are declared with data", s)
		}
		return ""
	}
	elem := s
	if elem.Kind == List {
		elem = elem.A
	}
	if elem.Kind == Vector {
		elem = elem.A
	}
	if elem.Kind == Real {
		return ""
	}
	return fmt.Sprintf("data is R, R^k, List R or List R^k; this is %v", s)
}
