package revgrad

import (
	"maps"
	"slices"

	"github.com/gram-machine/gram/term"
)

// sum is Fwd of a sum of active numbers. Of a product of atoms it is ⟨Σ x·y, Σ x'·y + Σ x·y'⟩, whose sums of products
// run as those of t do. Otherwise it is ⟨Σ z, Σ a⟩ of what has been computed before, see [columns].
func (w *tangent) sum(r term.Ref, n *term.Node) error {
	dst, pos, bound := w.dst, n.Pos, n.Static()
	if kids, ok := w.factors(n); ok {
		w.refs[r] = dst.Pair(pos, w.products(n, kids, -1, nil), w.derivativeOfProducts(n, kids, nil))
		return nil
	}
	if len(w.src.IndicesOf(bound)) > 0 {
		if !w.again {
			return ErrBounds
		}
		total := func(body term.Ref, second bool) term.Ref {
			return dst.Sum(pos, n.Index(), bound, w.projection(pos, body, second))
		}
		second := dst.Graft(dst, w.refs[n.A], func(x term.Var) term.Var { return x })
		w.refs[r] = dst.Pair(pos, total(w.refs[n.A], false), total(second, true))
		return nil
	}
	c := &columns{tangent: w, index: n.Index(), n: int(w.src.Value(bound, nil))}
	if c.n == 0 {
		w.refs[r] = dst.Pair(pos, dst.Num(pos, 0), dst.Num(pos, 0))
		return nil
	}
	component := c.components(n)
	w.refs[r] = c.pair(pos, func(i term.Index, second bool) term.Ref {
		return dst.Sum(pos, i, bound, component(i, second))
	})
	return nil
}

// family is Fwd of a family. One of numbers is ⟨⟦z | i<s⟧, ⟦a | i<s⟧⟩, of what has been computed before, see [columns].
func (w *tangent) family(r term.Ref, n *term.Node) {
	if !w.numbers(w.nodes[r]) {
		w.copy(r, *n)
		return
	}
	c := &columns{tangent: w, index: n.Index(), n: int(w.src.Value(n.Static(), nil))} // the size of a vector is a number
	component := c.components(n)
	w.refs[r] = c.pair(n.Pos, func(i term.Index, second bool) term.Ref {
		return w.dst.Family(n.Pos, i, n.Static(), component(i, second))
	})
}

// scan is Fwd of a scan. One of numbers is ⟨⟦z | i<s⟧, ⟦a | i<s⟧⟩, of the pairs that are its states.
func (w *tangent) scan(r term.Ref, n term.Node) {
	first := w.refs[n.First()]
	state := w.src.Info(n.X)
	state.Type = w.forward(w.vars[n.X])
	x := w.dst.NewVar(state)
	w.refs[n.First()] = w.dst.Variable(n.Pos, x)
	w.copy(r, n)
	if w.numbers(w.nodes[r]) {
		c := &columns{tangent: w, index: n.Index(), n: int(w.src.Value(n.Static(), nil))}
		states := c.bind(n.Pos, w.forward(w.nodes[n.A]), w.refs[r])
		w.refs[r] = c.pair(n.Pos, func(i term.Index, second bool) term.Ref {
			return w.dst.Family(n.Pos, i, n.Static(), w.projection(n.Pos, c.at(n.Pos, states, i), second))
		})
	}
	w.refs[r] = w.dst.Let(n.Pos, x, first, w.refs[r])
}

// components computes the body of a family or sum. The result makes the number for an index, or its tangent.
func (c *columns) components(n *term.Node) func(i term.Index, second bool) term.Ref {
	if c.active(c.nodes[n.A]) && c.splits(n.A) {
		x := c.cell(n.A)
		return func(i term.Index, second bool) term.Ref {
			if e := c.part(&x, i, second); e != 0 {
				return e
			}
			return c.dst.Num(n.Pos, 0)
		}
	}
	p := c.bind(n.Pos, c.forward(c.nodes[n.A]), c.dst.Family(n.Pos, n.Index(), n.Static(), c.refs[n.A]))
	return func(i term.Index, second bool) term.Ref { return c.projection(n.Pos, c.at(n.Pos, p, i), second) }
}

// columns computes the body of a family or sum of arithmetic in one family after the other: one for the numbers of each
// operation, and one for their tangents. So what arrives at a dual of D(Fwd(t)) from one family arrives before what
// comes from another, and they can run as vector statements.
type columns struct {
	*tangent
	index  term.Index // of the family
	n      int        // its components
	before []func(e term.Ref) term.Ref
}

// cell is a part of the body: an atom, or a number and perhaps a tangent in columns.
type cell struct {
	atom term.Ref
	pos  term.Pos
	z, a term.Var // the first variables of the columns; 0 if there is none
}

// maxColumns bounds the operations of a body that is computed in columns.
const maxColumns = 64

// splits reports whether a body consists of operations on numbers, and sums of products.
func (c *columns) splits(r term.Ref) bool {
	rest := []term.Ref{r}
	for n := 0; len(rest) > 0 && n < maxColumns; n++ {
		k := &c.src.Nodes[rest[len(rest)-1]]
		rest = rest[:len(rest)-1]
		switch {
		case atom(k):
		case k.Op == term.FunOp:
			rest = append(rest, c.src.Children(k)...)
		case k.Op == term.AddOp:
			rest = append(rest, k.A, k.B)
		default:
			if _, ok := c.factors(k); !ok {
				return false
			}
		}
	}
	return len(rest) == 0
}

func (c *columns) newIndex() term.Index { return c.dst.NewIndex(c.src.Indices[c.index]) }

// bind binds the components of a family to variables of the type, and returns the first.
func (c *columns) bind(pos term.Pos, typ term.Type, family term.Ref) term.Var {
	xs := make([]term.Var, c.n)
	for i := range xs {
		xs[i] = c.typed("z", pos, typ)
	}
	c.before = append(c.before, func(e term.Ref) term.Ref { return c.dst.Unvec(pos, xs, family, e) })
	return xs[0]
}

// pair makes ⟨z,a⟩ inside the columns: whole makes z and a, each over an index of its own.
func (c *columns) pair(pos term.Pos, whole func(i term.Index, second bool) term.Ref) term.Ref {
	z := whole(c.newIndex(), false)
	e := c.dst.Pair(pos, z, whole(c.newIndex(), true))
	for _, open := range slices.Backward(c.before) {
		e = open(e)
	}
	return e
}

// at makes the component of a column at an index.
func (c *columns) at(pos term.Pos, first term.Var, i term.Index) term.Ref {
	return c.dst.Component(pos, first, c.n, c.dst.Static(term.StaticNode{Op: term.StaticIndex, Index: i}))
}

// part makes the number of a cell at an index, or its tangent; 0 if there is none.
func (c *columns) part(x *cell, i term.Index, second bool) term.Ref {
	switch {
	case x.atom != 0:
		return c.factor(x.atom, renaming{c.index: i}, second)
	case !second:
		return c.at(x.pos, x.z, i)
	case x.a != 0:
		return c.at(x.pos, x.a, i)
	}
	return 0
}

// cell computes a part of the body.
func (c *columns) cell(r term.Ref) cell {
	n := &c.src.Nodes[r]
	if atom(n) {
		return cell{atom: r}
	}
	var parts []cell
	kids, sum := c.factors(n)
	if !sum {
		for _, k := range c.operandsOf(n) {
			parts = append(parts, c.cell(k))
		}
	}
	column := func(body func(i term.Index) term.Ref) term.Var {
		i := c.newIndex()
		s := c.dst.Static(term.StaticNode{Op: term.StaticNum, Val: float64(c.n)})
		return c.bind(n.Pos, term.R, c.dst.Family(n.Pos, i, s, body(i)))
	}
	out := cell{pos: n.Pos}
	first := func(i term.Index) func(k int) term.Ref {
		return func(k int) term.Ref { return c.part(&parts[k], i, false) }
	}
	out.z = column(func(i term.Index) term.Ref {
		if sum {
			return c.products(n, kids, -1, renaming{c.index: i})
		}
		return c.apply(n, len(parts), first(i))
	})
	if c.active(c.nodes[r]) {
		out.a = column(func(i term.Index) term.Ref {
			if sum {
				return c.derivativeOfProducts(n, kids, renaming{c.index: i})
			}
			return c.derivative(n, len(parts), first(i), func(k int) term.Ref { return c.part(&parts[k], i, true) })
		})
	}
	return out
}

// atom reports whether n is a variable or a numeral, perhaps at a static index.
func atom(n *term.Node) bool {
	switch n.Op {
	case term.VarOp, term.NumOp, term.IndexNumOp, term.ComponentOp:
		return true
	}
	return false
}

// projection is a component of a pair of numbers.
func (w *tangent) projection(pos term.Pos, pair term.Ref, second bool) term.Ref {
	z, a := w.number("z", pos), w.number("a", pos)
	x := z
	if second {
		x = a
	}
	return w.dst.Unpair(pos, z, a, pair, w.dst.Variable(pos, x))
}

// renaming says which indices stand for others.
type renaming map[term.Index]term.Index

// factor makes the number of an atom, or its tangent; 0 if there is none.
func (w *tangent) factor(k term.Ref, by renaming, second bool) term.Ref {
	n := w.src.Nodes[k]
	if n.Op == term.ComponentOp || n.Op == term.IndexNumOp {
		n.B = term.Ref(w.renamed(n.Static(), by))
	}
	switch {
	case w.along[n.X] != 0 && second:
		return w.occurrence(&n, w.along[n.X])
	case w.along[n.X] != 0:
		return w.occurrence(&n, w.point[n.X])
	case w.active(w.nodes[k]) && w.vars[n.X] != 0:
		return w.projection(n.Pos, w.occurrence(&n, n.X), second)
	case second:
		return 0
	}
	return w.occurrence(&n, n.X)
}

// renamed makes e with other indices.
func (w *tangent) renamed(e term.Static, by renaming) term.Static {
	n := w.dst.Statics[e]
	switch n.Op {
	case term.StaticNum:
		return e
	case term.StaticIndex:
		if by[n.Index] == 0 {
			return e
		}
		n.Index = by[n.Index]
	default:
		n.A = w.renamed(n.A, by)
		if n.B != 0 {
			n.B = w.renamed(n.B, by)
		}
	}
	return w.dst.Static(n)
}

// factors returns the atoms of which n is a sum of products: one or two.
func (w *tangent) factors(n *term.Node) ([]term.Ref, bool) {
	if n.Op != term.SumOp {
		return nil, false
	}
	body := &w.src.Nodes[n.A]
	if atom(body) {
		return []term.Ref{n.A}, true
	}
	if body.Op != term.FunOp || body.Sym != term.Mul {
		return nil, false
	}
	kids := w.src.Children(body)
	return kids, atom(&w.src.Nodes[kids[0]]) && atom(&w.src.Nodes[kids[1]])
}

// products is the sum n of products of atoms, one of them replaced by its tangent if there is such a number. It has an
// index of its own.
func (w *tangent) products(n *term.Node, kids []term.Ref, tangent int, by renaming) term.Ref {
	own := w.dst.NewIndex(w.src.Indices[n.Index()])
	bound := w.renamed(n.Static(), by)
	inner := renaming{n.Index(): own}
	maps.Copy(inner, by)
	body := w.factor(kids[0], inner, tangent == 0)
	if len(kids) > 1 {
		body = w.dst.Fun(n.Pos, term.Mul, body, w.factor(kids[1], inner, tangent == 1))
	}
	return w.dst.Sum(n.Pos, own, bound, body)
}

// derivativeOfProducts is the tangent of the sum n of products.
func (w *tangent) derivativeOfProducts(n *term.Node, kids []term.Ref, by renaming) (sum term.Ref) {
	for i, k := range kids {
		if w.active(w.nodes[k]) {
			sum = w.dst.Plus(n.Pos, sum, w.products(n, kids, i, by))
		}
	}
	if sum == 0 {
		return w.dst.Num(n.Pos, 0)
	}
	return sum
}
