package revgrad

import (
	"maps"
	"slices"

	"github.com/gram-machine/gram/term"
)

// UndefinedError is a place of the source term where D is not defined.
type UndefinedError struct {
	Pos  term.Pos
	What string
}

func (e *UndefinedError) Error() string {
	return "the reverse transformation is not defined on " + e.What
}

// checkEvery is how many nodes of the source are transformed between two calls of check:
// each makes some ten nodes of the image.
const checkEvery = 1 << 12

// checkAt calls check, which may be nil, at every checkEvery-th node.
func checkAt(i int, check func() error) error {
	if i%checkEvery == 0 && check != nil {
		return check()
	}
	return nil
}

// Reverse returns D(t) in an arena of its own, which shares t's universe of types and its data. A variable x : A of t
// keeps its number in D(t), where its type is D(A); the free variables of t are those of D(t). check may be nil; it
// is called at least every 2¹⁶ nodes, and its error ends the transformation.
//
// t has no families. The error is an [*UndefinedError] where t has a linear variable or a term of type R⊥.
func Reverse(t *term.Term, check func() error) (*term.Term, error) {
	return ReverseAround(t, nil, check)
}

// Size returns |D(t)| without making it. t may have families, which stand for their expansion. check and the error are
// as [Reverse] has them.
func Size(t *term.Term, check func() error) (int64, error) {
	if err := Undefined(t, check); err != nil {
		return 0, err
	}
	return t.SymbolsWith(func(n *term.Node) int {
		nodes, _ := grown(n)
		return nodes - 1
	}, check)
}

// ReverseAround is [Reverse] but for some subterms of t: the image of each is what the
// function of the map adds to D(t). None of them stands in another.
func ReverseAround(t *term.Term, given map[term.Ref]func(d *term.Term) (term.Ref, error),
	check func() error) (*term.Term, error) {
	if err := Undefined(t, check); err != nil {
		return nil, err
	}
	inside, err := t.Inside(check, slices.Collect(maps.Keys(given))...)
	if err != nil {
		return nil, err
	}
	nodes, vars, err := imageSize(t, inside, check)
	if err != nil {
		return nil, err
	}
	d := &reverser{newImage(t, nodes, vars)}
	d.dst.Data = t.Data
	i := 0
	for x := range d.dst.EachVar() {
		if err := checkAt(i, check); err != nil {
			return nil, err
		}
		x.Type = t.Types.Reverse(x.Type)
		i++
	}
	return d.all(check, func(r term.Ref) (err error) {
		if image := given[r]; image != nil {
			d.refs[r], err = image(d.dst)
		} else if !inside[r] {
			err = d.node(r)
		}
		return err
	})
}

// imageSize bounds the nodes and the variables of D(t), so that its arena is made once. Nodes inside given subterms
// have none. The error is check's.
func imageSize(t *term.Term, inside []bool, check func() error) (nodes, vars int, err error) {
	nodes, vars = 1, t.NumVars()
	for i := range t.Nodes {
		if err := checkAt(i, check); err != nil {
			return 0, 0, err
		}
		if inside[i] {
			continue
		}
		moreNodes, moreVars := grown(&t.Nodes[i])
		nodes, vars = nodes+moreNodes, vars+moreVars
	}
	return nodes, vars, nil
}

// grown returns how many nodes and variables D makes of a node: Lemma sizeReverse, with its constants.
func grown(n *term.Node) (nodes, vars int) {
	switch n.Op {
	case term.NumOp, term.IndexNumOp:
		return 4, 1
	case term.AddOp:
		return 14, 5
	case term.FunOp:
		k := int(n.N)
		slopes := 0
		for _, p := range n.Sym.Info().Partials {
			slopes += p.Size(k)
		}
		return k + 1 + 4*k + slopes + k - 1 + 2 + k, 2*k + 1
	case term.IfOp:
		return 5, 4
	}
	return 1, 0
}

type reverser struct{ *image }

// Undefined returns an [*UndefinedError] if t has a linear variable or one whose type has a linear negation in it: at a
// linear λ, if there is one, and nil if D is defined on t. check may be nil; the error may be check's.
func Undefined(t *term.Term, check func() error) error {
	for i := range t.Nodes {
		if err := checkAt(i, check); err != nil {
			return err
		}
		if n := &t.Nodes[i]; n.Op == term.LamOp && t.Info(n.X).Linear {
			return &UndefinedError{Pos: n.Pos, What: "lin, the linear abstraction"}
		}
	}
	for v := range t.EachVar() {
		if v.Linear || t.Types.HasDual(v.Type) {
			return &UndefinedError{Pos: v.Pos, What: "linear negation"}
		}
	}
	return nil
}

// node makes D of a node. But for numerals, sums, symbols and conditionals D goes into the parts.
func (d *reverser) node(r term.Ref) error {
	n := d.src.Nodes[r]
	switch n.Op {
	case term.NumOp:
		zero := func(term.Var) term.Ref { return d.dst.Zero(n.Pos) }
		d.refs[r] = d.dst.Pair(n.Pos, d.dst.Num(n.Pos, n.Val), d.dst.Dual(n.Pos, zero))
	case term.AddOp, term.FunOp:
		d.refs[r] = d.operation(&n)
	case term.IfOp:
		d.refs[r] = d.conditional(&n)
	case term.ZeroOp:
		return &UndefinedError{Pos: n.Pos, What: "the zero of R^d"}
	default:
		if n.Elem != 0 {
			n.Elem = d.src.Types.Reverse(n.Elem)
		}
		if n.Res != 0 {
			n.Res = d.src.Types.Reverse(n.Res)
		}
		d.copy(r, n)
	}
	return nil
}

// operation is D(t+u) or D(f(t1,…,tk)), where f has partial derivatives.
func (d *reverser) operation(n *term.Node) term.Ref {
	t, p, kids := d.dst, n.Pos, d.operandsOf(n)
	xs, stars, opened := d.open(p, kids, func() (x, star term.Var) { return t.ReverseOpen(p) })
	operand := func(i int) term.Ref { return t.Variable(p, xs[i]) }
	primal := d.apply(n, len(kids), operand)
	dual := t.Dual(p, func(a term.Var) term.Ref {
		var sum term.Ref
		for i, star := range slices.Backward(stars) {
			product := t.Variable(p, a)
			if n.Op == term.FunOp {
				product = t.Fun(p, term.Mul, t.Slope(p, &n.Sym.Info().Partials[i], len(kids), operand), product)
			}
			sum = t.Plus(p, t.App(p, t.Variable(p, star), product), sum)
		}
		return sum
	})
	return opened(t.Pair(p, primal, dual))
}

// conditional is D(if s c s' then t else u).
func (d *reverser) conditional(n *term.Node) term.Ref {
	t, p, k := d.dst, n.Pos, d.src.Children(n)
	xs, _, opened := d.open(p, k[:2], func() (x, star term.Var) { return t.ReverseOpen(p) })
	return opened(t.If(p, n.Cmp, t.Variable(p, xs[0]), t.Variable(p, xs[1]), d.refs[k[2]], d.refs[k[3]]))
}

// each returns the k operands of a symbol.
func each(k int, operand func(i int) term.Ref) []term.Ref {
	out := make([]term.Ref, k)
	for i := range out {
		out[i] = operand(i)
	}
	return out
}
