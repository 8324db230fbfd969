package revgrad

import (
	"errors"
	"slices"

	"github.com/gram-machine/gram/term"
)

// ErrBounds is the error of [Tangent] on a sum whose bound depends on an index. The expansion has none.
var ErrBounds = errors.New("the bound of a sum depends on an index")

// Tangent returns the second part of Fwd(t), for t of a type built of R, products and vectors: the derivative of t
// along a vector. Fwd(R) = R × R, and Fwd goes under everything else, as D does:
//
//	Fwd(x)           = x              Fwd(λx.t)       = λx.Fwd(t)          Fwd(t u)      = Fwd(t) Fwd(u)
//	Fwd(⟨t,u⟩)       = ⟨Fwd(t), Fwd(u)⟩                                    Fwd(t[x:=u])  = Fwd(t)[x:=Fwd(u)]
//	Fwd(r)           = ⟨r, 0⟩
//	Fwd(t + u)       = ⟨z1 + z2, a1 + a2⟩[⟨z1,a1⟩:=Fwd(t)][⟨z2,a2⟩:=Fwd(u)]
//	Fwd(f(t1,…,tk))  = ⟨f(z1,…,zk), Σ ∂i f(z1,…,zk)·ai⟩[⟨z1,a1⟩:=Fwd(t1)]…[⟨zk,ak⟩:=Fwd(tk)]
//	Fwd(if s c s' then t else u)
//	                 = (if z1 c z2 then Fwd(t) else Fwd(u))[⟨z1,a1⟩:=Fwd(s)][⟨z2,a2⟩:=Fwd(s')]
//	Fwd(C t)         = C Fwd(t)       Fwd(fix f.v)  = fix f.Fwd(v)
//	Fwd(match t with C p → u …) = match Fwd(t) with C p → Fwd(u) …
//
// A vector of numbers becomes the vector of the numbers and that of their tangents: Fwd(R^s) = R^s × R^s, for which the
// compiler has vector statements. A tangent that is 0 by structure is dropped: a number that cannot depend on an input
// stays a number ([activity]), and data stays what it is. So is a product with 1, and a summand whose slope is the
// numeral 0. A tangent that is 0 when the program runs is multiplied.
//
// The free variables of t are of type R. For the input of number i the result has the variables xs[i], which stands
// for it, and vs[i], the component of the vector; first the one, then the other, side by side. The other free
// variables stay, with the tangent 0. t has families only if their sums have bounds that are numbers: otherwise the
// error is [ErrBounds]. It is an [*UndefinedError] where t has a linear variable, or check's. Time and size are
// linear in t, but for types.
func Tangent(t *term.Term, inputs []term.Var, check func() error) (d *term.Term, xs, vs []term.Var, err error) {
	w, err := newTangent(t, inputs, check)
	if err != nil {
		return nil, nil, nil, err
	}
	for _, x := range inputs {
		w.point[x] = w.dst.NewVar(t.Info(x))
		xs = append(xs, w.point[x])
	}
	for _, x := range inputs {
		v := t.Info(x)
		v.Name, v.Generated = v.Name+"'", true
		w.along[x] = w.dst.NewVar(v)
		vs = append(vs, w.along[x])
	}
	d, err = w.derive(check)
	return d, xs, vs, err
}

// newTangent prepares Fwd(t). In Fwd(t), an input x of type A is a variable x of type Fwd(A).
func newTangent(t *term.Term, inputs []term.Var, check func() error) (*tangent, error) {
	if err := Undefined(t, check); err != nil {
		return nil, err
	}
	types, err := t.Typing(check)
	if err != nil {
		return nil, err
	}
	w := &tangent{image: newImage(t, 3*len(t.Nodes), 2*t.NumVars()+2*len(inputs)), point: make([]term.Var, t.NumVars()),
		along: make([]term.Var, t.NumVars()), types: types, lifts: map[term.Type]term.Var{}}
	w.activity, err = newActivity(t, types, inputs, check)
	if err != nil {
		return nil, err
	}
	w.dst.Data, w.dst.Indices, w.dst.Statics = t.Data, t.Indices[:len(t.Indices):len(t.Indices)],
		t.Statics[:len(t.Statics):len(t.Statics)]
	for x := range w.vars {
		if w.vars[x] != 0 {
			w.dst.ToChange(term.Var(x)).Type = w.forward(w.vars[x])
		}
	}
	return w, nil
}

// derive makes the second part of Fwd(t).
func (w *tangent) derive(check func() error) (*term.Term, error) {
	w.openVectors()
	d, err := w.all(check, func(r term.Ref) error {
		if w.types[r] == 0 {
			return nil
		}
		return w.node(r)
	})
	if err != nil {
		return nil, err
	}
	d.Root = w.second(w.src.Nodes[w.src.Root].Pos, w.nodes[w.src.Root], d.Root)
	return d, nil
}

type tangent struct {
	*image
	*activity
	// point and along are what stands for an input, and the component of the vector; and for a component of an opened
	// vector of active numbers, and its tangent. They are 0 for other variables.
	point, along []term.Var
	types        []term.Type // of each node of t
	// again allows sums whose bounds depend on indices: their bodies are computed twice.
	again bool
	lifts map[term.Type]term.Var // the functions around, for inductive types
}

// openVectors makes the variables for components of vectors of active numbers, side by side where those of t are.
func (w *tangent) openVectors() {
	var xs []term.Var
	for r := range w.src.Nodes {
		if n := &w.src.Nodes[r]; n.Op == term.UnvecOp && w.nodes[r] != 0 && w.numbers(w.nodes[n.B]) {
			xs = append(xs, w.src.BoundVars(n)...)
		}
	}
	slices.Sort(xs)
	opened := len(xs)
	for r := range w.src.Nodes { // components that no index comes to are not opened, and stand between the others
		n := &w.src.Nodes[r]
		if n.Op != term.ComponentOp || w.nodes[r] == 0 {
			continue
		}
		if _, ok := slices.BinarySearch(xs[:opened], n.X); ok {
			for x := n.X; x < n.X+term.Var(n.N); x++ {
				xs = append(xs, x)
			}
		}
	}
	slices.Sort(xs)
	xs = slices.Compact(xs)
	for i, of := range [][]term.Var{w.point, w.along} {
		for _, x := range xs {
			of[x] = w.number(w.src.Info(x).Name+[]string{"", "'"}[i], w.src.Info(x).Pos)
		}
	}
}

// node makes Fwd of a node.
func (w *tangent) node(r term.Ref) error {
	n := w.src.Nodes[r]
	p := w.nodes[r]
	switch n.Op {
	case term.VarOp, term.ComponentOp:
		if w.vars[n.X] == 0 && w.forward(p) != w.types[r] && !w.liftable(w.types[r], map[term.Type]bool{}) {
			return &UndefinedError{Pos: n.Pos, What: "a value with functions in it that comes from outside"}
		}
		w.refs[r] = w.variable(&n, p)
	case term.NumOp, term.IndexNumOp:
		w.copy(r, n)
		w.refs[r] = w.constant(n.Pos, w.refs[r], p)
	case term.AddOp, term.FunOp:
		w.refs[r] = w.operation(r, &n)
	case term.SumOp:
		if w.active(w.nodes[n.A]) {
			return w.sum(r, &n)
		}
		w.copy(r, n)
		w.refs[r] = w.constant(n.Pos, w.refs[r], p)
	case term.FamilyOp:
		w.family(r, &n)
	case term.ScanOp:
		w.scan(r, n)
	case term.IfOp:
		k := w.src.Children(&n)
		o := w.operands(k[:2])
		w.refs[r] = w.around(n.Pos, o, w.dst.If(n.Pos, n.Cmp, w.first(n.Pos, &o[0]), w.first(n.Pos, &o[1]), w.refs[k[2]],
			w.refs[k[3]]))
	case term.DataOp:
		w.refs[r] = w.data(&n, p)
	case term.ListOp, term.ListFamilyOp:
		elem, res := w.elements(p)
		n.Elem, n.Res = w.forward(elem), w.forward(res)
		w.copy(r, n)
	case term.NatOp:
		_, res := w.elements(p)
		n.Res = w.forward(res)
		w.copy(r, n)
	case term.LamOp, term.AppOp, term.PairOp, term.LetOp, term.UntupleOp, term.BranchOp, term.FixOp:
		w.copy(r, n)
	case term.ConOp, term.CaseOp:
		if n.Op == term.CaseOp {
			p = w.nodes[w.src.Children(&n)[0]]
		}
		if n.Res = w.forward(p); w.active(p) && w.src.Types.VectorsOfParams(n.Res) {
			return &UndefinedError{Pos: n.Pos, What: "an inductive type with vectors of a parameter"}
		}
		w.copy(r, n)
	case term.VecOp:
		w.vector(r, &n)
	case term.UnvecOp:
		if w.numbers(w.nodes[n.B]) {
			w.refs[r] = w.open(&n)
			return nil
		}
		w.copy(r, n)
	default:
		return &UndefinedError{Pos: n.Pos, What: "linear negation"}
	}
	return nil
}

// elements returns A and X of a list (A → X → X) → X → X, and X of a numeral (X → X) → X → X.
func (w *tangent) elements(p part) (elem, res part) {
	f, whole := w.of(p)
	elem, _ = w.of(f)
	res, _ = w.of(whole)
	return elem, res
}

// vector is Fwd of a vector.
func (w *tangent) vector(r term.Ref, n *term.Node) {
	if !w.numbers(w.nodes[r]) {
		w.copy(r, *n)
		return
	}
	pos, kids := n.Pos, w.src.Children(n)
	zs, as, opened := w.image.open(pos, kids, func() (z, a term.Var) { return w.number("z", pos), w.number("a", pos) })
	vector := func(xs []term.Var) term.Ref {
		return w.dst.Vec(pos, each(len(xs), func(i int) term.Ref { return w.dst.Variable(pos, xs[i]) }))
	}
	first := vector(zs)
	w.refs[r] = opened(w.dst.Pair(pos, first, vector(as)))
}

// open is Fwd of t[⟦x0,…⟧:=u], where the components are active numbers.
func (w *tangent) open(n *term.Node) term.Ref {
	xs := w.src.BoundVars(n)
	vector := w.src.Types.Vec(len(xs), term.R)
	z, a := w.typed("z", n.Pos, vector), w.typed("a", n.Pos, vector)
	zs, as := make([]term.Var, len(xs)), make([]term.Var, len(xs))
	for i, x := range xs {
		zs[i], as[i] = w.point[x], w.along[x]
	}
	body := w.dst.Unvec(n.Pos, zs, w.dst.Variable(n.Pos, z), w.dst.Unvec(n.Pos, as, w.dst.Variable(n.Pos, a), w.refs[n.A]))
	return w.dst.Unpair(n.Pos, z, a, w.refs[n.B], body)
}

// variable is Fwd of an occurrence, or of a component of variables.
func (w *tangent) variable(n *term.Node, p part) term.Ref {
	if w.along[n.X] != 0 {
		return w.dst.Pair(n.Pos, w.occurrence(n, w.point[n.X]), w.occurrence(n, w.along[n.X]))
	}
	e := w.occurrence(n, n.X)
	if w.vars[n.X] == 0 {
		e = w.constant(n.Pos, e, p)
	}
	return e
}

// occurrence makes n, an atom, with the variable x in place of its own.
func (w *tangent) occurrence(n *term.Node, x term.Var) term.Ref {
	return w.dst.Copy(w.src, *n, nil, func(term.Var) term.Var { return x })
}

// typed makes a variable.
func (w *tangent) typed(name string, pos term.Pos, typ term.Type) term.Var {
	return w.dst.NewVar(term.VarInfo{Name: name, Type: typ, Pos: pos, Generated: true})
}

// newVar makes a variable for something of Fwd of a part.
func (w *tangent) newVar(name string, pos term.Pos, p part) term.Var {
	return w.typed(name, pos, w.forward(p))
}

// number makes a variable for a number.
func (w *tangent) number(name string, pos term.Pos) term.Var { return w.typed(name, pos, term.R) }

// constant gives e, whose numbers have no tangents, the tangent 0 where the part p is active. p is built of R,
// products and vectors.
func (w *tangent) constant(pos term.Pos, e term.Ref, p part) term.Ref { return w.zip(pos, e, 0, p) }

// zip makes Fwd of the part p, which is built of R, products and vectors, from e and its tangent v. The tangent is 0
// if v is 0.
func (w *tangent) zip(pos term.Pos, e, v term.Ref, p part) term.Ref {
	dst, tt, typ := w.dst, w.src.Types, w.parts[w.find(p)].typ
	if w.forward(p) == typ {
		return e
	}
	if tt.Kind(typ) == term.RKind {
		if v == 0 {
			v = dst.Num(pos, 0)
		}
		return dst.Pair(pos, e, v)
	}
	if tt.Kind(typ) == term.MuKind {
		return w.lift(pos, e, typ)
	}
	left, right := w.of(p)
	if tt.Kind(typ) == term.VecKind {
		if w.numbers(p) {
			if v == 0 {
				v = dst.Vec(pos, each(tt.Len(typ), func(int) term.Ref { return dst.Num(pos, 0) }))
			}
			return dst.Pair(pos, e, v)
		}
		right = left
	}
	types := tt.Components(typ)
	xs, vs := make([]term.Var, len(types)), make([]term.Var, len(types))
	for i, typ := range types {
		xs[i] = w.typed("z", pos, typ)
		if v != 0 {
			vs[i] = w.typed("a", pos, typ)
		}
	}
	comps := each(len(types), func(i int) term.Ref {
		of, e, a := right, dst.Variable(pos, xs[i]), term.Ref(0)
		if i == 0 {
			of = left
		}
		if v != 0 {
			a = dst.Variable(pos, vs[i])
		}
		return w.zip(pos, e, a, of)
	})
	var out term.Ref
	open := dst.Unvec
	if tt.Kind(typ) == term.ProdKind {
		out, open = dst.Pair(pos, comps[0], comps[1]), dst.Untuple
	} else {
		out = dst.Vec(pos, comps)
	}
	if v != 0 {
		out = open(pos, vs, v, out)
	}
	return open(pos, xs, e, out)
}

// lift gives e, of an inductive type, the tangent 0, by a recursive function.
func (w *tangent) lift(pos term.Pos, e term.Ref, typ term.Type) term.Ref {
	dst, image := w.dst, w.src.Types.Forward(typ)
	variable := func(typ term.Type) term.Var { return w.typed("z", pos, typ) }
	if f := w.lifts[typ]; f != 0 { // within the function
		return dst.App(pos, dst.Variable(pos, f), e)
	}
	f, x := variable(w.src.Types.Arrow(typ, image)), variable(typ)
	w.lifts[typ] = f
	var branches []term.Branch
	for i, con := range w.src.Types.Constructors(typ) {
		b := term.Branch{Pos: pos}
		if con.Arg == 0 {
			b.Body = dst.Con(pos, image, i, 0)
		} else {
			p, y := w.fresh(con.Arg), variable(con.Arg)
			w.activate(p)
			b.Vars, b.Body = []term.Var{y}, dst.Con(pos, image, i, w.zip(pos, dst.Variable(pos, y), 0, p))
		}
		branches = append(branches, b)
	}
	delete(w.lifts, typ)
	lam := dst.Lam(pos, x, dst.Case(pos, typ, dst.Variable(pos, x), branches))
	return dst.App(pos, dst.Fix(pos, []term.Var{f}, []term.Ref{lam}, 0), e)
}

// liftable reports whether there is no function in values of a type, and finitely many types.
func (w *tangent) liftable(typ term.Type, seen map[term.Type]bool) bool {
	tt := w.src.Types
	if seen[typ] {
		return true
	}
	seen[typ] = true
	switch tt.Kind(typ) {
	case term.RKind:
		return true
	case term.ProdKind:
		return w.liftable(tt.Left(typ), seen) && w.liftable(tt.Right(typ), seen)
	case term.VecKind:
		return w.liftable(tt.Left(typ), seen)
	case term.MuKind:
		return len(seen) < maxTypes && !slices.ContainsFunc(tt.Constructors(typ), func(c term.Constructor) bool {
			return c.Arg != 0 && !w.liftable(c.Arg, seen)
		})
	}
	return false
}

// maxTypes bounds the types in one of which values are lifted.
const maxTypes = 1000

// second is the tangent of e, of Fwd of the part p, which is built of R, products and vectors.
func (w *tangent) second(pos term.Pos, p part, e term.Ref) term.Ref {
	dst, tt := w.dst, w.src.Types
	switch typ := w.parts[w.find(p)].typ; tt.Kind(typ) {
	case term.ProdKind:
		left, right := w.of(p)
		x, y := w.newVar("x", pos, left), w.newVar("y", pos, right)
		return dst.Unpair(pos, x, y, e, dst.Pair(pos, w.second(pos, left, dst.Variable(pos, x)),
			w.second(pos, right, dst.Variable(pos, y))))
	case term.VecKind:
		if w.numbers(p) {
			z, a := w.typed("z", pos, typ), w.typed("a", pos, typ)
			return dst.Unpair(pos, z, a, e, dst.Variable(pos, a))
		}
		elem, _ := w.of(p)
		n := tt.Len(typ)
		first := w.newVar("x", pos, elem)
		for range n - 1 {
			w.newVar("x", pos, elem)
		}
		i := dst.NewIndex(term.IndexInfo{Name: "i", Pos: pos})
		size := dst.Static(term.StaticNode{Op: term.StaticNum, Val: float64(n)})
		at := dst.Static(term.StaticNode{Op: term.StaticIndex, Index: i})
		component := w.second(pos, elem, dst.Component(pos, first, n, at))
		return dst.UnvecFrom(pos, first, n, e, dst.Family(pos, i, size, component))
	}
	if !w.active(p) {
		return dst.Num(pos, 0)
	}
	return w.projection(pos, e, true)
}

// data is Fwd of data: of a list whose elements must have tangents, λf.λx. data (λy.f ⟨y,0⟩) x.
func (w *tangent) data(n *term.Node, p part) term.Ref {
	dst, pos := w.dst, n.Pos
	if !w.src.Data[n.A].List {
		return w.constant(pos, dst.DataRef(pos, int(n.A), n.Elem, n.Res), p)
	}
	elem, res := w.elements(p)
	list := dst.DataRef(pos, int(n.A), n.Elem, w.forward(res))
	if w.forward(elem) == n.Elem {
		return list
	}
	step, _ := w.of(p)
	f, x := w.newVar("f", pos, step), w.newVar("x", pos, res)
	y := w.typed("y", pos, n.Elem)
	of := dst.Lam(pos, y, dst.App(pos, dst.Variable(pos, f), w.constant(pos, dst.Variable(pos, y), elem)))
	return dst.Lam(pos, f, dst.Lam(pos, x, dst.App(pos, dst.App(pos, list, of), dst.Variable(pos, x))))
}

// opened is an operand of an operation on numbers: it is opened and bound to variables around it.
type opened struct {
	atom *term.Node // of an atom without tangent, which is not bound
	u    term.Ref
	z, a term.Var // a is 0 if there is no tangent
}

func (w *tangent) operands(kids []term.Ref) []opened {
	out := make([]opened, len(kids))
	for i, k := range kids {
		n, o := &w.src.Nodes[k], &out[i]
		o.u = w.refs[k]
		switch {
		case w.active(w.nodes[k]):
			o.z, o.a = w.number("z", n.Pos), w.number("a", n.Pos)
		case atom(n):
			o.atom = n
		default:
			o.z = w.number("z", n.Pos)
		}
	}
	return out
}

// first makes an occurrence of the number of an operand.
func (w *tangent) first(pos term.Pos, o *opened) term.Ref {
	if o.atom != nil {
		return w.occurrence(o.atom, o.atom.X)
	}
	return w.dst.Variable(pos, o.z)
}

// around opens operands around e.
func (w *tangent) around(pos term.Pos, operands []opened, e term.Ref) term.Ref {
	for _, o := range operands {
		switch {
		case o.a != 0:
			e = w.dst.Unpair(pos, o.z, o.a, o.u, e)
		case o.atom == nil:
			e = w.dst.Let(pos, o.z, o.u, e)
		}
	}
	return e
}

// operation is Fwd of a sum, or of a symbol at its operands.
func (w *tangent) operation(r term.Ref, n *term.Node) term.Ref {
	dst, pos := w.dst, n.Pos
	kids := w.operandsOf(n)
	if !slices.ContainsFunc(kids, func(k term.Ref) bool { return w.active(w.nodes[k]) }) {
		w.copy(r, *n)
		return w.constant(pos, w.refs[r], w.nodes[r])
	}
	operands := w.operands(kids)
	first := func(i int) term.Ref { return w.first(pos, &operands[i]) }
	out := w.apply(n, len(kids), first)
	if w.active(w.nodes[r]) {
		second := func(i int) term.Ref {
			if operands[i].a == 0 {
				return 0
			}
			return dst.Variable(pos, operands[i].a)
		}
		out = dst.Pair(pos, out, w.derivative(n, len(kids), first, second))
	}
	return w.around(pos, operands, out)
}

// derivative is Σ ∂i f(z1,…,zk)·ai: first makes an occurrence of zi, and second one of ai, or 0 where there is none.
func (w *tangent) derivative(n *term.Node, k int, first, second func(i int) term.Ref) (sum term.Ref) {
	dst, pos := w.dst, n.Pos
	for i := range k {
		if n.Op == term.FunOp && n.Sym.Info().Partials[i].Zero() {
			continue
		}
		summand := second(i)
		if summand == 0 {
			continue
		}
		if n.Op == term.FunOp {
			if p := &n.Sym.Info().Partials[i]; p.Kind != term.PartialConst || p.Const != 1 {
				summand = dst.Fun(pos, term.Mul, dst.Slope(pos, p, k, first), summand)
			}
		}
		sum = w.dst.Plus(pos, sum, summand)
	}
	if sum == 0 {
		return dst.Num(pos, 0) // the result meets an active number elsewhere
	}
	return sum
}
