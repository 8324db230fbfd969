package core

import (
	"bytes"
	"cmp"
	"slices"

	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// The check of linear variables. When all is typed, one loop over core checks by the two judgements of the calculus
// that what stands under lin is linear, and finds the lets that are linear: those to what depends on a linear variable.
// Differences, negations and quotients with such an operand are written out as sums and products. [term.Check] accepts
// whatever passes; the check here is for the messages.

// linearity checks core by the two judgements of the calculus, ⊢ t : A and ⊢_Z t : R^d, as term.Check does, but with
// messages in the words of the source. A node has ⊢ just if outer is 0, and ⊢_Z just if lin is set and Z has its linear
// variables. A node in which something is wrong has both from then on, so that each mistake is reported once.
type linearity struct {
	*Dependence
	p     *Program
	marks []Mark
	lin   []bool
	wrong []bool
}

// Mark says where a node inside lin stands, for messages about linear variables.
type Mark struct {
	Node Ref
	Span syntax.Span
	// Notes returns the chain of uses of defs that led there.
	Notes func() []syntax.Note
}

// CheckLinear checks the linear variables of the nodes under the roots, all of whose types are known, and notes which
// variables are linear and which operations have a linear operand. It is for programs with lin and without other
// errors. The marks are the nodes inside lin, in their order; full reports whether no more errors are wanted.
func CheckLinear(p *Program, roots []Ref, marks []Mark, full func() bool) {
	l := &linearity{Dependence: newDependence(p, roots), p: p, marks: marks,
		lin: make([]bool, len(p.Core.Nodes)), wrong: make([]bool, len(p.Core.Nodes))}
	for r := range p.Core.Nodes {
		if !l.live[r] {
			continue
		}
		p.Tick()
		if full() {
			return
		}
		n := &p.Core.Nodes[r]
		l.Outer[r] = l.of(n)
		if !l.node(Ref(r), n) {
			l.Outer[r], l.wrong[r] = 0, true
		}
		l.c.Children(n, func(k Ref) { l.wrong[r] = l.wrong[r] || l.wrong[k] })
		l.lin[r] = l.lin[r] || l.wrong[r]
	}
}

// node judges a node, whose children have been judged. It reports whether it is right.
func (l *linearity) node(r Ref, n *Node) bool {
	switch n.Op {
	case VarOp, PathOp:
		l.lin[r] = l.Outer[r] != 0
	case NumOp:
		l.lin[r] = n.Val == 0
	case LamOp:
		return l.function(n)
	case AppOp:
		return l.application(r, n)
	case LetOp:
		return l.let(r, n)
	case TupleOp, UnvecOp:
		l.lin[r] = l.lin[n.A]
		return l.plain(n.B, "in what a pattern takes apart")
	case FunOp:
		return l.symbol(r, n)
	case VecOp:
		return l.each(r, "component", l.c.Args[n.A:n.B]...)
	case IfOp:
		k := l.c.Args[n.A:n.B]
		ok := l.plain(k[0], "in a condition")
		return l.plain(k[1], "in a condition") && ok && l.each(r, "branch", k[2], k[3])
	case CaseOp:
		bodies := syntax.Each(int(n.Val), func(i int) Ref { return l.c.Branch(n, i).Body })
		ok := l.plain(n.A, "in what match takes apart")
		return l.each(r, "case", bodies...) && ok
	case PrimOp, DerivativeOp:
		return l.closed(n, "under "+Prim(n.Val).Name())
	default:
		return l.closed(n, closedTo[n.Op])
	}
	return true
}

// closedTo has, by constructor, the nodes that no linear variable may occur in.
var closedTo = [NumOps]string{
	PairOp: "in a tuple", ListOp: "in a list", ProjOp: "in a vector that is projected",
	ConOp: "under a constructor", FixOp: "in a recursive function", SymbolOp: "under a function symbol",
}

// closed reports an error if a part of n depends on a linear variable.
func (l *linearity) closed(n *Node, where string) bool {
	ok := true
	l.c.Children(n, func(k Ref) { ok = l.plain(k, where) && ok })
	return ok
}

// plain reports an error if node k depends on a linear variable.
func (l *linearity) plain(k Ref, where string, notes ...syntax.Note) bool {
	x := l.Outer[k]
	if x == 0 {
		return true
	}
	at := l.occurrence(k, x)
	l.wrongAt(at, l.name(x)+" is used "+where, notes...)
	return false
}

// each judges a sum, a vector or a choice by its parts: all have ⊢, or all have ⊢_Z.
func (l *linearity) each(r Ref, what string, parts ...Ref) bool {
	l.lin[r] = !slices.ContainsFunc(parts, func(k Ref) bool { return !l.lin[k] })
	ok := true
	for _, k := range parts {
		ok = l.uses(r, k, "in this "+what) && ok
	}
	return ok
}

// uses reports an error if r depends on a linear variable and its part k drops it.
func (l *linearity) uses(r, k Ref, where string) bool {
	x := l.Outer[r]
	if x == 0 || l.lin[k] {
		return true
	}
	l.wrongAt(k, l.name(x)+" is dropped "+where+": it must be linear in "+l.short(x)+", or zero")
	return false
}

// function judges λx.t and λz.t.
func (l *linearity) function(n *Node) bool {
	v := &l.c.Vars[n.X]
	if !v.Linear {
		return l.plain(n.A, "inside a function")
	}
	if x := l.Outer[n.A]; x != 0 && x != n.X {
		return l.plain(n.A, underLin+v.Name+" is linear")
	}
	if !l.lin[n.A] {
		_, notes := l.at(n.A)
		l.p.Report(WordAt(l.p.File, v.Pos), notLinear,
			"the linear variable "+v.Name+" is not used: the body must be linear in it, or zero", notes...)
		return false
	}
	return true
}

// application judges f u, by the type of f.
func (l *linearity) application(r Ref, n *Node) bool {
	ok := l.plain(n.A, "in a function that is applied")
	f := l.c.Nodes[n.A].Type
	if l.p.Types.At(f).Kind == Dual {
		l.lin[r] = l.lin[n.B]
		return ok
	}
	if l.Outer[n.B] == 0 {
		return ok
	}
	return l.plain(n.B, "in the argument of an ordinary function",
		syntax.Note{Text: "the function is " + l.p.Types.Text().Of(f) +
			"; only R -o R and R -o R^s take what is linear"})
}

// let judges t[x:=u]. If u depends on a linear variable then x is one too.
func (l *linearity) let(r Ref, n *Node) bool {
	l.lin[r] = l.lin[n.A]
	if l.Outer[n.B] == 0 {
		return true
	}
	t := l.c.Vars[n.X].Type
	if k := l.p.Types.At(t).Kind; k != Real && k != Open {
		l.wrongAt(n.B, "this is "+l.p.Types.Text().Of(t)+" and uses "+l.name(l.Outer[n.B])+": let can bind what is "+
			"linear only if it is R")
		return false
	}
	l.c.Vars[n.X].Linear = true
	return l.uses(r, n.A, "in the body of this let")
}

// symbol judges f(t), f(t,u) and t + u. Products are linear in one factor; differences,
// negations and quotients with a linear operand are written out as sums and products.
func (l *linearity) symbol(r Ref, n *Node) bool {
	switch {
	case n.Sym == term.NoSymbol:
		return l.each(r, "summand", n.A, n.B)
	case n.Sym == term.Mul:
		return l.product(r, n)
	case l.Outer[r] == 0:
		return true
	case n.Sym == term.Sub:
		n.Op = LinearOp
		return l.each(r, "summand", n.A, n.B)
	case n.Sym == term.Neg:
		n.Op, l.lin[r] = LinearOp, true
		return true
	case n.Sym == term.Div:
		n.Op, l.lin[r] = LinearOp, true
		return l.plain(n.B, "in a divisor")
	}
	return l.closed(n, "under "+n.Sym.String())
}

func (l *linearity) product(r Ref, n *Node) bool {
	x, y := l.Outer[n.A], l.Outer[n.B]
	l.lin[r] = l.lin[n.A] && y == 0 || l.lin[n.B] && x == 0
	if x == 0 || y == 0 {
		return true
	}
	switch v, w := l.root(x), l.root(y); {
	case l.binder[v] > l.binder[w]:
		return l.plain(n.A, underLin+l.c.Vars[w].Name+" is linear")
	case l.binder[v] < l.binder[w]:
		return l.plain(n.B, underLin+l.c.Vars[v].Name+" is linear")
	}
	first, second := l.occurrence(n.A, x), l.occurrence(n.B, y)
	if l.hidden(x) && l.hidden(y) {
		l.wrongAt(first, l.name(x)+" is raised to a power")
		return false
	}
	span, _ := l.at(first)
	l.wrongAt(second, l.name(y)+" is used in both factors of a product",
		syntax.Note{Span: span, Text: "the other factor uses " + l.short(x) + " here"})
	return false
}

const (
	notLinear = "not linear"
	underLin  = "under another lin, where only "
)

func (l *linearity) wrongAt(k Ref, label string, notes ...syntax.Note) {
	span, chain := l.at(k)
	l.p.Report(span, notLinear, label, append(notes, chain...)...)
}

// at returns where node k stands, and the chain of uses of defs that led there if it has been noted.
func (l *linearity) at(k Ref) (syntax.Span, []syntax.Note) {
	i, ok := slices.BinarySearchFunc(l.marks, k, func(m Mark, k Ref) int { return cmp.Compare(m.Node, k) })
	if ok {
		return l.marks[i].Span, l.marks[i].Notes()
	}
	return WordAt(l.p.File, l.c.Nodes[k].Pos), nil
}

// name says which variable a message is about.
func (l *linearity) name(x Var) string {
	z := l.root(x)
	text := "the linear variable " + l.c.Vars[z].Name
	if z == x || l.hidden(x) {
		return text
	}
	return l.c.Vars[x].Name + ", which depends on " + text + ","
}

func (l *linearity) short(x Var) string {
	if l.hidden(x) {
		x = l.root(x)
	}
	return l.c.Vars[x].Name
}

// hidden reports whether x has no name in the source.
func (l *linearity) hidden(x Var) bool {
	v := &l.c.Vars[x]
	return v.Name == "" || v.Name == "_" || v.Pos == 0 || !bytes.HasPrefix(l.p.File.Src[v.Pos-1:], []byte(v.Name))
}

// occurrence returns an occurrence of x in k, the first that is found from the left.
func (l *linearity) occurrence(k Ref, x Var) Ref {
	stack := []Ref{k}
	for len(stack) > 0 {
		r := syntax.Pop(&stack)
		n := &l.c.Nodes[r]
		if n.Op == VarOp && n.X == x {
			return r
		}
		from := len(stack)
		l.c.Children(n, func(k Ref) {
			if l.Outer[k] != 0 {
				stack = append(stack, k)
			}
		})
		slices.Reverse(stack[from:])
	}
	return k
}

// Dependence says of each node of core which linear variables occur free in it: those that lin binds, or a let to what
// depends on one. Their scopes stand in each other, and so the outermost of them is enough to know: in the scope of b,
// the innermost, a node depends on b alone just if b is its outermost.
type Dependence struct {
	c      *Core
	live   []bool
	binder []Ref // by variable: the λ or let that binds it
	Outer  []Var // by node: the outermost linear variable, 0 if there is none
}

// newDependence finds the binders of the nodes under the roots.
func newDependence(p *Program, roots []Ref) *Dependence {
	c := p.Core
	d := &Dependence{c: c, live: c.Live(roots, p.Tick), binder: make([]Ref, len(c.Vars)),
		Outer: make([]Var, len(c.Nodes))}
	for r := range c.Nodes {
		p.Tick()
		if n := &c.Nodes[r]; d.live[r] && (n.Op == LamOp || n.Op == LetOp) {
			d.binder[n.X] = Ref(r)
		}
	}
	return d
}

// Depends finds the outermost linear variables of the nodes under the roots.
func Depends(p *Program, roots []Ref) *Dependence {
	d := newDependence(p, roots)
	for r := range d.c.Nodes {
		p.Tick()
		if d.live[r] {
			d.Outer[r] = d.of(&d.c.Nodes[r])
		}
	}
	return d
}

// of returns the outermost linear variable of a node, given those of its children.
func (d *Dependence) of(n *Node) Var {
	switch n.Op {
	case VarOp, PathOp:
		if d.linear(n.X) {
			return n.X
		}
		return 0
	case LamOp:
		return d.without(n.X, d.Outer[n.A])
	case LetOp:
		return d.outermost(d.without(n.X, d.Outer[n.A]), d.Outer[n.B])
	}
	var x Var
	d.c.Children(n, func(k Ref) { x = d.outermost(x, d.Outer[k]) })
	return x
}

// linear reports whether x depends on a linear variable, or is one. Its binder's u has
// been looked at: it comes before t in t[x:=u].
func (d *Dependence) linear(x Var) bool {
	if x.Input() {
		return false
	}
	b := d.binder[x]
	if b == 0 {
		return false
	}
	n := &d.c.Nodes[b]
	if n.Op == LetOp {
		return d.Outer[n.B] != 0
	}
	return d.c.Vars[x].Linear
}

func (d *Dependence) without(b, x Var) Var {
	if x == b {
		return 0
	}
	return x
}

// outermost is the one of two variables, or 0, that is bound further out: children come before their parents.
func (d *Dependence) outermost(x, y Var) Var {
	if y == 0 || x != 0 && d.binder[x] > d.binder[y] {
		return x
	}
	return y
}

// root is the variable of lin that x depends on.
func (d *Dependence) root(x Var) Var {
	for {
		n := &d.c.Nodes[d.binder[x]]
		if n.Op != LetOp {
			return x
		}
		x = d.Outer[n.B]
	}
}
