package revgrad

import (
	"fmt"
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

// Reverse returns D(t) in an arena of its own, which shares t's universe of types
// and its data. A variable x : A of t keeps its number in D(t), where its type is
// D(A); the free variables of t are those of D(t). check may be nil; it is called
// at least every 2¹⁶ nodes, and its error ends the transformation.
//
// The error is an [*UndefinedError] where t has a linear variable or a term of
// type R⊥.
func Reverse(t *term.Term, check func() error) (*term.Term, error) {
	return ReverseAround(t, nil, check)
}

// ReverseAround is [Reverse] but for some subterms of t: the image of each is what the
// function of the map adds to D(t). None of them stands in another.
func ReverseAround(t *term.Term, given map[term.Ref]func(d *term.Term) term.Ref, check func() error) (*term.Term, error) {
	if err := Undefined(t); err != nil {
		return nil, err
	}
	inside := t.Inside(slices.Collect(maps.Keys(given))...)
	d := &reverser{src: t, dst: term.New(t.Types), image: make([]term.Ref, len(t.Nodes))}
	d.dst.Data = t.Data
	nodes, vars := imageSize(t, inside)
	d.dst.Nodes = append(make([]term.Node, 0, nodes), d.dst.Nodes...)
	d.dst.Vars = append(make([]term.VarInfo, 0, vars), d.dst.Vars...)
	d.variables()
	for r := term.Ref(1); int(r) < len(t.Nodes); r++ {
		if r%checkEvery == 0 && check != nil {
			if err := check(); err != nil {
				return nil, err
			}
		}
		if image := given[r]; image != nil {
			d.image[r] = image(d.dst)
		} else if inside[r] {
			continue
		} else if err := d.node(r); err != nil {
			return nil, err
		}
	}
	d.dst.Root = d.image[t.Root]
	return d.dst, nil
}

// imageSize bounds the nodes and the variables of D(t), so that its arena is made
// once: Lemma sizeReverse, with its constants. Nodes inside given subterms have none.
func imageSize(t *term.Term, inside []bool) (nodes, vars int) {
	nodes, vars = 1, len(t.Vars)
	for i := range t.Nodes {
		if inside[i] {
			continue
		}
		switch n := &t.Nodes[i]; n.Op {
		case term.NumOp:
			nodes, vars = nodes+4, vars+1
		case term.AddOp:
			nodes, vars = nodes+14, vars+5
		case term.FunOp:
			k := int(n.N)
			slopes := 0
			for _, p := range n.Sym.Info().Partials {
				slopes++
				if p.Kind == term.PartialFun {
					slopes += k
				}
			}
			nodes, vars = nodes+k+1+4*k+slopes+k-1+2+k, vars+2*k+1
		case term.IfOp:
			nodes, vars = nodes+5, vars+4
		default:
			nodes++
		}
	}
	return nodes, vars
}

type reverser struct {
	src, dst *term.Term
	image    []term.Ref // D of each node of src
}

// Undefined returns an [*UndefinedError] if t has a linear variable or one whose type has
// a linear negation in it: at a linear λ, if there is one, and nil if D is defined on t.
func Undefined(t *term.Term) error {
	for i := range t.Nodes {
		if n := &t.Nodes[i]; n.Op == term.LamOp && t.Vars[n.X].Linear {
			return &UndefinedError{Pos: n.Pos, What: "lin, the linear abstraction"}
		}
	}
	seen := map[term.Type]bool{}
	for i := 1; i < len(t.Vars); i++ {
		if v := &t.Vars[i]; v.Linear || hasDual(t.Types, v.Type, seen) {
			return &UndefinedError{Pos: v.Pos, What: "linear negation"}
		}
	}
	return nil
}

// variables copies the variables of the source, each with the type D(A).
func (d *reverser) variables() {
	for i := 1; i < len(d.src.Vars); i++ {
		v := d.src.Vars[i]
		v.Type = d.src.Types.Reverse(v.Type)
		d.dst.NewVar(v)
	}
}

// hasDual reports whether there is a linear negation in t. Types share their parts, and
// unfolded may be exponentially large: those in seen, which have none, are passed over,
// and t's are added.
func hasDual(tt *term.Types, t term.Type, seen map[term.Type]bool) bool {
	stack := []term.Type{t}
	for len(stack) > 0 {
		t := stack[len(stack)-1]
		stack = stack[:len(stack)-1]
		if seen[t] {
			continue
		}
		seen[t] = true
		switch tt.Kind(t) {
		case term.DualKind, term.EuclidKind:
			return true
		case term.ProdKind, term.ArrowKind:
			stack = append(stack, tt.Left(t), tt.Right(t))
		case term.VecKind:
			stack = append(stack, tt.Left(t))
		}
	}
	return false
}

func (d *reverser) node(r term.Ref) error {
	src, dst, image := d.src, d.dst, d.image
	n := &src.Nodes[r]
	p := n.Pos
	switch n.Op {
	case term.VarOp:
		image[r] = dst.Variable(p, n.X)
	case term.NumOp:
		image[r] = d.numeral(p, dst.Num(p, n.Val))
	case term.LamOp:
		image[r] = dst.Lam(p, n.X, image[n.A])
	case term.AppOp:
		image[r] = dst.App(p, image[n.A], image[n.B])
	case term.PairOp:
		image[r] = dst.Pair(p, image[n.A], image[n.B])
	case term.LetOp:
		image[r] = dst.Let(p, n.X, image[n.B], image[n.A])
	case term.UnpairOp:
		image[r] = dst.Unpair(p, n.X, n.Y, image[n.B], image[n.A])
	case term.UnvecOp:
		image[r] = dst.Unvec(p, src.BoundVars(n), image[n.B], image[n.A])
	case term.UntupleOp:
		image[r] = dst.Untuple(p, src.BoundVars(n), image[n.B], image[n.A])
	case term.VecOp:
		image[r] = dst.Vec(p, d.images(src.Children(n)))
	case term.AddOp:
		image[r] = d.sum(p, image[n.A], image[n.B])
	case term.FunOp:
		return d.function(r, n)
	case term.IfOp:
		image[r] = d.conditional(n)
	case term.ListOp:
		image[r] = dst.List(p, src.Types.Reverse(n.Elem), src.Types.Reverse(n.Res), d.images(src.Children(n)))
	case term.NatOp:
		image[r] = dst.Nat(p, n.Count, src.Types.Reverse(n.Res))
	case term.DataOp:
		res := n.Res
		if res != 0 {
			res = src.Types.Reverse(res)
		}
		image[r] = dst.DataRef(p, int(n.A), src.Types.Reverse(n.Elem), res)
	default:
		return &UndefinedError{Pos: p, What: fmt.Sprintf("this term (constructor %d)", n.Op)}
	}
	return nil
}

func (d *reverser) images(rs []term.Ref) []term.Ref {
	out := make([]term.Ref, len(rs))
	for i, r := range rs {
		out[i] = d.image[r]
	}
	return out
}

// dual adds λa.body(a) for a fresh linear a.
func (d *reverser) dual(p term.Pos, body func(a term.Var) term.Ref) term.Ref {
	a := d.dst.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true, Generated: true, Pos: p})
	return d.dst.Lam(p, a, body(a))
}

// numeral is D(r) = ⟨r, λa.0⃗⟩.
func (d *reverser) numeral(p term.Pos, r term.Ref) term.Ref {
	return d.dst.Pair(p, r, d.dual(p, func(term.Var) term.Ref { return d.dst.Zero(p) }))
}

// open makes fresh x : R and x* : R⊥.
func (d *reverser) open(p term.Pos) (x, xs term.Var) {
	x = d.dst.NewVar(term.VarInfo{Name: "x", Type: term.R, Generated: true, Pos: p})
	xs = d.dst.NewVar(term.VarInfo{Name: "x*", Type: term.AbstractDual, Generated: true, Pos: p})
	return x, xs
}

// sum is D(t+u) = ⟨x+y, λa.(x* a + y* a)⟩[⟨x,x*⟩:=D(t)][⟨y,y*⟩:=D(u)], given D(t) and D(u).
func (d *reverser) sum(p term.Pos, t, u term.Ref) term.Ref {
	dst := d.dst
	x, xs := d.open(p)
	y, ys := d.open(p)
	primal := dst.Add(p, dst.Variable(p, x), dst.Variable(p, y))
	dual := d.dual(p, func(a term.Var) term.Ref {
		return dst.Add(p, dst.App(p, dst.Variable(p, xs), dst.Variable(p, a)), dst.App(p, dst.Variable(p, ys), dst.Variable(p, a)))
	})
	return dst.Unpair(p, y, ys, u, dst.Unpair(p, x, xs, t, dst.Pair(p, primal, dual)))
}

// function is D(f(t1,…,tk)).
func (d *reverser) function(r term.Ref, n *term.Node) error {
	dst, p := d.dst, n.Pos
	info := n.Sym.Info()
	if info.Partials == nil {
		return &UndefinedError{Pos: p, What: "the symbol " + info.Name + ", which has no partial derivatives"}
	}
	kids := d.src.Children(n)
	k := len(kids)
	xs, stars := make([]term.Var, k), make([]term.Var, k)
	for i := range kids {
		xs[i], stars[i] = d.open(p)
	}
	variable := func(i int) term.Ref { return dst.Variable(p, xs[i]) }
	primal := dst.Fun(p, n.Sym, each(k, variable)...)
	dual := d.dual(p, func(a term.Var) term.Ref {
		var sum term.Ref
		for i := k - 1; i >= 0; i-- {
			slope := slope(dst, p, &info.Partials[i], k, variable)
			summand := dst.App(p, dst.Variable(p, stars[i]), dst.Fun(p, term.Mul, slope, dst.Variable(p, a)))
			if sum == 0 {
				sum = summand
			} else {
				sum = dst.Add(p, summand, sum)
			}
		}
		return sum
	})
	out := dst.Pair(p, primal, dual)
	for i, kid := range kids {
		out = dst.Unpair(p, xs[i], stars[i], d.image[kid], out)
	}
	d.image[r] = out
	return nil
}

// conditional is D(if s c s' then t else u).
func (d *reverser) conditional(n *term.Node) term.Ref {
	dst, p := d.dst, n.Pos
	k := d.src.Children(n)
	x, xs := d.open(p)
	y, ys := d.open(p)
	body := dst.If(p, n.Cmp, dst.Variable(p, x), dst.Variable(p, y), d.image[k[2]], d.image[k[3]])
	return dst.Unpair(p, y, ys, d.image[k[1]], dst.Unpair(p, x, xs, d.image[k[0]], body))
}
