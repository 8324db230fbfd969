package reference

import (
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// Program is a term of package term in this package's form, with its free variables.
type Program struct {
	Term   *Term
	Ground denote.Ground
	tt     *term.Types
	free   map[*Var]bool // the variables that may be free in a term
	vars   map[term.Var]*Var
	open   map[*Var]denote.Number // the symbolic inputs, with the point; nil at a point
}

// Symbols bounds the symbols of a term from below, with its literals as λ-terms.
func Symbols(t *term.Term) uint64 {
	n := uint64(len(t.Nodes))
	for i := range t.Nodes {
		switch nd := &t.Nodes[i]; nd.Op {
		case term.NatOp:
			n += 2 * min(nd.Count, 1<<40)
		case term.DataOp:
			d := &t.Data[nd.A]
			n += uint64(d.Rows) * uint64(d.Width)
		}
	}
	return n
}

// Convert returns t over the given numbers. Literals are the λ-terms that they stand
// for, and vectors are pairs nested to the right.
func Convert(t *term.Term, ground denote.Ground) *Program {
	c := &converter{t: t, p: NewProgram(Node(Zero), t.Types, ground)}
	return c.p.With(c.term(t.Root))
}

// NewProgram is the program of a term with its free variables. Its types are those of tt.
func NewProgram(t *Term, tt *term.Types, ground denote.Ground, free ...*Var) *Program {
	p := &Program{Ground: ground, tt: tt, free: map[*Var]bool{}, vars: map[term.Var]*Var{}}
	return p.With(t, free...)
}

// With is the program with another term, of the same types, and more free variables.
func (p *Program) With(t *Term, free ...*Var) *Program {
	q := *p
	q.Term = t
	for _, x := range free {
		q.Free(x)
	}
	return &q
}

// Var is the variable that x of the source has become.
func (p *Program) Var(x term.Var) *Var { return p.vars[x] }

// Instance returns the subterm r of t with new bound variables, as [Convert] and [Start.Named] make it, and
// [Program.OpenStart] where inputs are symbolic. Free variables are what env says. The types of t are those of the
// program.
func (p *Program) Instance(t *term.Term, r term.Ref, env map[term.Var]*Term) *Term {
	q := *p
	q.vars = map[term.Var]*Var{}
	c := &converter{t: t, p: &q, env: env}
	u := c.term(r)
	if p.open != nil {
		u = p.nameArguments(u)
	}
	return p.name(u)
}

// Variable is an occurrence of a new variable of the type that x of t has.
func (p *Program) Variable(t *term.Term, x term.Var) *Term { return variable(p.newVar(t.Info(x))) }

func (p *Program) newVar(info term.VarInfo) *Var {
	return &Var{Name: info.Name, Type: p.tt.Paired(info.Type), Linear: info.Linear}
}

type converter struct {
	t   *term.Term
	p   *Program
	env map[term.Var]*Term // what stands for free variables; nil for themselves
}

func (c *converter) typ(t term.Type) term.Type { return c.t.Types.Paired(t) }

func (c *converter) variable(x term.Var) *Var {
	y, ok := c.p.vars[x]
	if !ok {
		y = c.p.newVar(c.t.Info(x))
		c.p.vars[x] = y
	}
	return y
}

func (c *converter) number(r float64) *Term { return numeral(c.p.Ground.Of(r)) }

func (c *converter) term(r term.Ref) *Term {
	t := c.convert(r)
	if t.Pos == 0 { // it isn't what ⊕ has left of a sum
		t.Pos = c.t.Nodes[r].Pos
	}
	return t
}

// constructors are those that a node and a term of this package have alike.
var constructors = map[term.Op]Op{term.ZeroOp: Zero, term.LamOp: Lambda, term.AppOp: Apply, term.PairOp: MakePair,
	term.LetOp: Let, term.UnvecOp: Let, term.UntupleOp: Let, term.FunOp: Function, term.IfOp: If, term.ConOp: Construct,
	term.CaseOp: Match, term.BranchOp: Branch, term.FixOp: Fix}

func (c *converter) convert(r term.Ref) *Term {
	n := &c.t.Nodes[r]
	var kids []*Term
	c.t.Kids(n, func(k term.Ref) { kids = append(kids, c.term(k)) })
	switch n.Op {
	case term.VarOp:
		if u := c.env[n.X]; u != nil {
			return &Term{Op: u.Op, X: u.X, Num: u.Num, Pos: n.Pos}
		}
		return variable(c.variable(n.X))
	case term.NumOp:
		return c.number(n.Val)
	case term.AddOp:
		return Sum(kids[0], kids[1])
	case term.VecOp:
		return Tuple(kids...)
	case term.ListOp:
		return c.church(n, len(kids), func(i int) *Term { return kids[i] })
	case term.NatOp:
		return c.church(n, int(n.Count), nil)
	case term.DataOp:
		return c.data(n)
	}
	t := &Term{Op: constructors[n.Op], Sym: n.Sym, Cmp: n.Cmp, At: int(n.Count), Kids: kids}
	xs := each(c.t.BoundVars(n), c.variable)
	switch {
	case n.Op == term.LamOp:
		t.X = xs[0]
	case n.Op == term.FixOp:
		t.Xs = xs
	case len(xs) > 0:
		t.P = tuplePattern(xs...)
	case n.Op == term.ConOp:
		t.Type, t.Name = c.typ(n.Res), c.t.Types.Constructors(n.Res)[n.Count].Name
	case n.Op == term.CaseOp:
		t.Type = c.typ(n.Res)
		for i, con := range c.t.Types.Constructors(n.Res) {
			kids[i+1].Name = con.Name
		}
	}
	return t
}

// church is the list [t1;…;tn] = λf.λx.f t1 (… (f tn x)) of so many elements, or without elements the numeral #n =
// λf.λx.f (… (f x)).
func (c *converter) church(n *term.Node, count int, elem func(i int) *Term) *Term {
	tt, x := c.t.Types, c.typ(n.Res)
	f, y := &Var{Name: "f", Type: tt.Arrow(x, x)}, &Var{Name: "x", Type: x}
	if elem != nil {
		f.Type = tt.Arrow(c.typ(n.Elem), f.Type)
	}
	t := variable(y)
	for i := count - 1; i >= 0; i-- {
		g := variable(f)
		if elem != nil {
			g = apply(g, elem(i))
		}
		t = apply(g, t)
	}
	return lambda(f, lambda(y, t))
}

// data is a number, a vector of numbers or a list of such; where the term is D(t), each number r is ⟨r, λa.0⃗⟩.
func (c *converter) data(n *term.Node) *Term {
	d, scalar := &c.t.Data[n.A], c.t.Types.Scalar(n.Elem)
	row := func(i int) *Term {
		var comps []*Term
		for _, r := range d.Values[i*d.Width : (i+1)*d.Width] {
			t := c.number(r)
			if scalar != term.R {
				a := &Var{Name: "a", Type: term.R, Linear: true}
				t = pair(t, lambda(a, &Term{Op: Zero}))
			}
			comps = append(comps, t)
		}
		return Tuple(comps...)
	}
	if !d.List {
		return row(0)
	}
	return c.church(n, d.Rows, row)
}

// Image is a term in the form of package term. A number that is no floating-point
// number stands in it as a free variable.
type Image struct {
	Term     *term.Term
	prog     *Program
	vars     map[*Var]term.Var // those that are free, as far as the term has been made
	numbers  map[term.Var]denote.Number
	branches map[*Term]term.Branch
}

// Back returns t in the form of package term.
func (p *Program) Back(t *Term) *Image {
	im := &Image{Term: term.New(p.tt), prog: p, vars: map[*Var]term.Var{}, numbers: map[term.Var]denote.Number{},
		branches: map[*Term]term.Branch{}}
	im.Term.Root = im.term(t)
	return im
}

// Variable is the variable that x, which is not bound in the term, has become or would become.
func (im *Image) Variable(x *Var) term.Var {
	y, ok := im.vars[x]
	if !ok {
		y = im.Term.NewVar(term.VarInfo{Name: x.Name, Type: x.Type, Linear: x.Linear})
		im.vars[x] = y
	}
	return y
}

// bind is the variable that x has become, for its binder. What is in its scope has been made.
func (im *Image) bind(x *Var) term.Var {
	y := im.Variable(x)
	delete(im.vars, x)
	return y
}

// pattern are the variables of a tuple that stand for a pattern of the given type. Those that stand for pairs of
// patterns are opened around the body.
func (im *Image) pattern(p *Pattern, body *term.Ref) (xs []term.Var) {
	for ; p.X == nil; p = p.Right {
		if p.Left.X != nil {
			xs = append(xs, im.bind(p.Left.X))
			continue
		}
		opened := im.pattern(p.Left, body)
		x := im.Term.NewVar(term.VarInfo{Name: "p", Type: im.prog.tt.Prods(each(opened, im.Term.TypeOf))})
		*body = im.Term.Untuple(0, opened, im.Term.Variable(0, x), *body)
		xs = append(xs, x)
	}
	return append(xs, im.bind(p.X))
}

func (im *Image) number(r denote.Number) term.Ref {
	g := im.prog.Ground
	if f := g.Float(r); f-f == 0 { // it is finite
		if back := g.Of(f); g.Holds(term.LessEqual, r, back) && g.Holds(term.LessEqual, back, r) {
			return im.Term.Num(0, f)
		}
	}
	x := im.Term.NewVar(term.VarInfo{Name: "r", Type: term.R})
	im.numbers[x] = r
	return im.Term.Variable(0, x)
}

func (im *Image) term(t *Term) term.Ref {
	r := im.node(t, each(t.Kids, im.term))
	if n := &im.Term.Nodes[r]; n.Pos == 0 { // it isn't the body of a branch
		n.Pos = t.Pos
	}
	return r
}

func (im *Image) node(t *Term, kids []term.Ref) term.Ref {
	q := im.Term
	switch t.Op {
	case Variable:
		return q.Variable(0, im.Variable(t.X))
	case Numeral:
		return im.number(t.Num)
	case Lambda:
		return q.Lam(0, im.bind(t.X), kids[0])
	case Apply:
		return q.App(0, kids[0], kids[1])
	case MakePair:
		return q.Pair(0, kids[0], kids[1])
	case Let:
		if t.P.X != nil {
			return q.Let(0, im.bind(t.P.X), kids[1], kids[0])
		}
		xs := im.pattern(t.P, &kids[0])
		return q.Untuple(0, xs, kids[1], kids[0])
	case Plus:
		return q.Add(0, kids[0], kids[1])
	case Function:
		return q.Fun(0, t.Sym, kids...)
	case Construct:
		return q.Con(0, t.Type, t.At, append(kids, 0)[0])
	case Branch: // the match makes it
		b := term.Branch{Pos: t.Pos}
		if t.P != nil {
			b.Vars = im.pattern(t.P, &kids[0])
		}
		b.Body = kids[0]
		im.branches[t] = b
		return b.Body
	case Match:
		return q.Case(0, t.Type, kids[0], each(t.Kids[1:], func(b *Term) term.Branch { return im.branches[b] }))
	case Fix:
		return q.Fix(0, each(t.Xs, im.bind), kids, t.At)
	case If:
		return q.If(0, t.Cmp, kids[0], kids[1], kids[2], kids[3])
	}
	return q.Zero(0)
}
