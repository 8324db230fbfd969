package revgrad

import (
	"cmp"

	"github.com/gram-machine/gram/term"
)

// Forward returns Fwd(G), the symbolic forward transformation of section 2.3, for
// derivatives by the free variables by. On types:
//
//	Fwd(R) = R × R    Fwd(A × B) = Fwd(A) × Fwd(B)    Fwd(R^s) = Fwd(R)^s
//
// On ground terms and tuples of them, with fresh z, a:
//
//	Fwd(x)            = x
//	Fwd(F[x:=G])      = Fwd(F)[x:=Fwd(G)]
//	Fwd(⟨F,G⟩)        = ⟨Fwd(F), Fwd(G)⟩        Fwd(⟦F0,…⟧) = ⟦Fwd(F0),…⟧
//	Fwd(r)            = ⟨r, 0⟩
//	Fwd(F + G)        = ⟨z1 + z2, a1 + a2⟩[⟨z1,a1⟩:=Fwd(F)][⟨z2,a2⟩:=Fwd(G)]
//	Fwd(f(G1,…,Gk))   = ⟨f(z1,…,zk), ⊕ ∂i f(z1,…,zk)·ai⟩[⟨z1,a1⟩:=Fwd(G1)]…[⟨zk,ak⟩:=Fwd(Gk)]
//
// The last case opens its operands as D does in Table 3; for variables it is the paper's, where let x = (z,a) in …
// reads let (z,a) = x in …. A numeral is a nullary symbol, so its tangent is the empty sum; the slopes of + are 1.
//
// The sum is over those i of which Gi depends on a variable of by. The tangent of the others is 0, and their summand
// is left out, as in ⊕ of [BP]: 0·∂i f is NaN where the slope is infinite. A sum without summands is the numeral 0.
//
// A variable x : R of G keeps its number in Fwd(G), where its type is R × R. If xj is in by and the other variables
// of by have the tangent 0, then by Proposition Fwd, Fwd(G) with xj := ⟨rj,1⟩ and the other xi := ⟨ri,0⟩ has the
// value ⟨⟦G⟧(r), ∂j⟦G⟧(r)⟩, if no slope by another variable of by is infinite. It always has if by is xj alone.
//
// Time and size are linear in G; the transformation is one loop over its nodes. check may be nil; it is called at
// least every 2¹⁶ nodes, and its error ends the transformation. The error is otherwise a [*NotGroundError].
func Forward(t *term.Term, by []term.Var, check func() error) (*term.Term, error) {
	live, err := groundNodes(t, true)
	if err != nil {
		return nil, err
	}
	order, err := t.Order(check)
	if err != nil {
		return nil, err
	}
	f := &forward{image: newImage(t, 4*len(t.Nodes), 2*t.NumVars()), depends: make([]bool, len(t.Nodes)),
		by: make([]bool, t.NumVars()), bound: make([]term.Ref, t.NumVars())}
	for _, x := range by {
		f.by[x] = true
	}
	for r := range t.Nodes {
		if n := &t.Nodes[r]; live[r] && n.Op == term.LetOp {
			f.bound[n.X] = n.B
		}
	}
	tangent := t.Types.Prod(term.R, term.R)
	for x := range f.dst.EachVar() {
		if x.Type == term.R && !x.Linear {
			x.Type = tangent
		}
	}
	for i, r := range order {
		if err := cmp.Or(checkAt(i, check), f.node(r)); err != nil {
			return nil, err
		}
	}
	f.dst.Root = f.refs[t.Root]
	return f.dst, nil
}

type forward struct {
	*image
	depends []bool     // of each node of src
	by      []bool     // the variables by which the derivatives are
	bound   []term.Ref // what a let binds each variable to
}

// node makes Fwd of a node. Those of its children, and of what is bound to a variable, have been made.
func (f *forward) node(r term.Ref) error {
	n := &f.src.Nodes[r]
	f.src.Kids(n, func(k term.Ref) {
		f.depends[r] = f.depends[r] || f.depends[k] && (n.Op != term.LetOp || k == n.A)
	})
	switch n.Op {
	case term.VarOp:
		f.depends[r] = f.by[n.X] || f.depends[f.bound[n.X]]
		f.copy(r, *n)
	case term.NumOp:
		f.refs[r] = f.dst.Pair(n.Pos, f.dst.Num(n.Pos, n.Val), f.dst.Num(n.Pos, 0))
	case term.AddOp, term.FunOp:
		return f.operation(r, n)
	default:
		f.copy(r, *n)
	}
	return nil
}

// operation is Fwd(F + G) or Fwd(f(G1,…,Gk)).
func (f *forward) operation(r term.Ref, n *term.Node) error {
	dst, p, kids := f.dst, n.Pos, f.operandsOf(n)
	if n.Op == term.FunOp && n.Sym.Info().Partials == nil {
		return &NotGroundError{n.Pos, "the symbol " + n.Sym.String() + " has no partial derivatives"}
	}
	number := func(name string) term.Var { return dst.NewVar(term.VarInfo{Name: name, Type: term.R, Pos: p}) }
	zs, as, opened := f.open(p, kids, func() (z, a term.Var) { return number("z"), number("a") })
	z := func(i int) term.Ref { return dst.Variable(p, zs[i]) }
	primal := f.apply(n, len(kids), z)
	var sum term.Ref
	for i, k := range kids {
		summand := dst.Variable(p, as[i])
		if n.Op == term.FunOp {
			if !f.depends[k] {
				continue
			}
			summand = dst.Fun(p, term.Mul, dst.Slope(p, &n.Sym.Info().Partials[i], len(kids), z), summand)
		}
		sum = f.dst.Plus(p, sum, summand)
	}
	if sum == 0 {
		sum = dst.Num(p, 0)
	}
	f.refs[r] = opened(dst.Pair(p, primal, sum))
	return nil
}
