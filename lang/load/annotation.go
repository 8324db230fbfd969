package load

import (
	"fmt"

	"github.com/gram-machine/gram/lang/syntax"
)

// annotation is a compiled type. Numbers, products, vectors and lists are
// checked; of a function only that it is one.
type annotation struct {
	kind syntax.TypeKind
	a, b *annotation
	size nat    // VecType
	text string // as the user wrote it
}

func (c *compiler) annotation(t syntax.TypeExpr) *annotation { return c.typ(t, 0) }

func (c *compiler) typ(t syntax.TypeExpr, nest int) *annotation {
	n := c.file.Type(t)
	if nest > maxNest {
		fail(place{c.file, n.Span}, "too deep", fmt.Sprintf("more than %d types in one another", maxNest))
	}
	out := &annotation{kind: n.Kind}
	if nest == 0 {
		out.text = short(string(c.file.Src[n.Span.Start:n.Span.End]))
	}
	switch n.Kind {
	case syntax.BadType:
		panic(&failure{})
	case syntax.ProdType:
		out.a, out.b = c.typ(n.A, nest+1), c.typ(n.B, nest+1)
	case syntax.VecType:
		out.a, out.size = c.typ(n.A, nest+1), c.static(n.Size)
		if out.size.f == nil {
			checkSize(place{c.file, c.file.Expr(n.Size).Span}, false, out.size.c)
		}
	case syntax.ListType:
		out.a = c.typ(n.A, nest+1)
	}
	return out
}

// annotated is (e : T).
func annotated(at place, e *code, t *annotation) *code {
	if _, ok := e.knownNumber(); ok && t.kind == syntax.RType {
		return e
	}
	if t.kind == syntax.RType {
		return numeric(at, e.num)
	}
	get := e.val
	c := general(at, func(m *machine, fr []value) value {
		v := get(m, fr)
		t.require(fr, e.at, v)
		return v
	})
	c.into = func(m *machine, fr []value, dst []float64, s *Shape) {
		if t.fits(fr, s) {
			e.into(m, fr, dst, s)
			return
		}
		store(at, c.val(m, fr), dst, s)
	}
	return c
}

// require fails if v is not of the type.
func (t *annotation) require(fr []value, at place, v value) {
	if !t.holds(fr, v) {
		fail(at, "type mismatch", fmt.Sprintf("this is %s, but the annotation says %s", describe(v), t.text))
	}
}

func (t *annotation) holds(fr []value, v value) bool {
	switch t.kind {
	case syntax.RType:
		return v.ref == nil
	case syntax.NatType:
		_, ok := v.ref.(church)
		return ok || callable(v)
	case syntax.ProdType:
		p, ok := v.ref.(*pair)
		return ok && t.a.holds(fr, p.a) && t.b.holds(fr, p.b)
	case syntax.VecType:
		a, ok := v.ref.(*array)
		return ok && !a.list && uint64(a.n) == t.size.at(fr) && t.a.all(fr, a)
	case syntax.ListType:
		a, ok := v.ref.(*array)
		return callable(v) || ok && a.list && t.a.all(fr, a)
	}
	// A function, which a list or a numeral is as well.
	if a, ok := v.ref.(*array); ok {
		return a.list
	}
	_, ok := v.ref.(church)
	return ok || callable(v)
}

// all reports whether the elements of a are of the type.
func (t *annotation) all(fr []value, a *array) bool {
	if a.n > 0 && a.flat != nil {
		return t.fits(fr, a.elem)
	}
	for _, v := range a.elems {
		if !t.holds(fr, v) {
			return false
		}
	}
	return true
}

// fits reports whether values of shape s are of the type.
func (t *annotation) fits(fr []value, s *Shape) bool {
	switch t.kind {
	case syntax.RType:
		return s.Kind == Real
	case syntax.ProdType:
		return s.Kind == Product && t.a.fits(fr, s.A) && t.b.fits(fr, s.B)
	case syntax.VecType:
		return s.Kind == Vector && uint64(s.Size) == t.size.at(fr) && t.a.fits(fr, s.A)
	}
	return false
}
