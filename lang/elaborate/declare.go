package elaborate

import (
	"fmt"
	"maps"
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// declareType enters a type and its constructors. The arguments of these are not known yet.
func (e *Elaborator) declareType(i int) {
	d := &e.user.File.Decls[i]
	if first, ok := e.types[d.Name]; ok {
		e.declaredTwice(d.Name, d.NameSpan, e.user.File.Decls[e.typeDecls[first]].NameSpan)
		return
	}
	n := core.Inductive{Name: d.Name}
	for _, v := range d.Vars {
		if slices.Contains(n.Params, v.Text) {
			e.report(e.user, v.Span, "name bound twice", v.Text+" is a parameter twice")
		}
		n.Params = append(n.Params, v.Text)
	}
	number := len(e.Types.Inductives)
	e.types[d.Name] = number
	e.typeDecls = append(e.typeDecls, i)
	for k, c := range d.Cons {
		n.Cons = append(n.Cons, core.Constructor{Name: c.Name})
		if g, ok := e.cons[c.Name]; ok {
			first := &e.globals[g]
			e.declaredTwice(c.Name, c.Span, e.user.File.Decls[first.decl].Cons[int(first.num)].Span)
			continue
		}
		e.cons[c.Name] = e.addGlobal(global{means: binding{kind: conBinding}, unit: e.user, decl: i, name: c.Name,
			n: number, num: float64(k)})
	}
	e.Types.Inductives = append(e.Types.Inductives, n)
}

func (e *Elaborator) declaredTwice(name string, at, first syntax.Span) {
	e.report(e.user, at, "name declared twice", name+" is declared already",
		syntax.Note{Span: first, Text: "the first declaration is here"})
}

// defineType finds the arguments of the constructors of the type that declaration i declares.
func (e *Elaborator) defineType(i int) {
	n := slices.Index(e.typeDecls, i)
	if n < 0 {
		return // it is declared twice
	}
	d := &e.user.File.Decls[i]
	e.start(i)
	e.typeParams = map[string]core.Type{}
	for k, v := range d.Vars {
		e.typeParams[v.Text] = e.Types.Param(k)
	}
	for k, c := range d.Cons {
		if first, ok := e.names[c.Name]; ok {
			e.declaredTwice(c.Name, e.user.File.Decls[e.globals[first].decl].NameSpan, c.Span)
		}
		if c.Type != 0 {
			e.Types.Inductives[n].Cons[k].Arg, _ = e.typeIn(e.user, c.Type)
		}
	}
	e.typeParams = nil
}

// namedType makes the type that names a declared one.
func (e *Elaborator) namedType(u *unit, t syntax.TypeExpr) (core.Type, bool) {
	n, kids := u.File.Type(t), u.File.TypeKids(t)
	number, ok := e.types[n.Text]
	if !ok {
		return e.Types.Open(), false
	}
	if i := e.typeDecls[number]; i >= e.typesSeen {
		e.report(u, n.Span, "unknown type", n.Text+" is not declared yet", syntax.Note{Span: u.File.Decls[i].NameSpan,
			Text: "a declaration sees what is above it, and what `and` joins to it; " + n.Text + " is declared here"})
		return e.Types.Open(), false
	}
	if want := len(e.Types.Inductives[number].Params); want != len(kids) {
		e.report(u, n.Span, "wrong number of types",
			fmt.Sprintf("%s takes %s, not %d", n.Text, count(want, "type"), len(kids)))
		return e.Types.Open(), false
	}
	args := make([]core.Type, len(kids))
	for i, k := range kids {
		a, known := e.typeIn(u, k)
		args[i], ok = a, ok && known
	}
	return e.Types.Named(number, args), ok
}

func count(n int, noun string) string {
	switch n {
	case 0:
		return "no " + noun
	case 1:
		return "one " + noun
	}
	return fmt.Sprintf("%d %ss", n, noun)
}

// typeVariable is a parameter of the type that is being declared.
func (e *Elaborator) typeVariable(u *unit, n *syntax.TypeNode) (core.Type, bool) {
	if t, ok := e.typeParams[n.Text]; ok {
		return t, true
	}
	label := "type variables stand in the declarations of types only; a type that is left out is inferred"
	if e.typeParams != nil {
		label = n.Text + " is no parameter of this type"
	}
	e.report(u, n.Span, "unknown type", label)
	return e.Types.Open(), false
}

// constructor finds the constructor that a pattern names, for declaration decl of u. It is 0 if an error has been
// reported.
func (e *Elaborator) constructor(u *unit, name string, span syntax.Span, decl int) int {
	if g, ok := e.cons[name]; ok && e.globals[g].decl < decl {
		return g
	}
	e.report(u, span, "unknown constructor", "no type above has the constructor "+name,
		note(didYouMean(name, slices.Sorted(maps.Keys(e.cons))))...)
	return 0
}

// construct elaborates a constructor with n arguments, of which it takes one or none.
func (e *Elaborator) construct(g int, span syntax.Span, n int) val {
	if e.refused(span, "constructor") {
		e.args = e.args[:len(e.args)-n]
		return e.bad(span)
	}
	d := &e.globals[g]
	t := e.Types.Fresh(d.n)
	c := core.Node{Op: core.ConOp, Pos: core.PosOf(span), Val: d.num, Value: true}
	arg := e.Types.Argument(t, int(d.num))
	switch {
	case arg == 0:
		return e.apply(e.add(c, t, span), n)
	case n == 0:
		x := e.Core.NewVar(core.VarInfo{Name: "x", Type: arg, Pos: c.Pos})
		c.A = e.Core.Add(core.Node{Op: core.VarOp, X: x, Pos: c.Pos, Type: arg, Value: true})
		opens := len(e.opens)
		e.opens = append(e.opens, core.Opening{Node: core.Node{Op: core.LamOp, X: x, Pos: c.Pos}})
		return e.result(e.wrap(e.add(c, t, span), opens))
	}
	u := e.argVal()
	e.want(u, arg, reason{kind: takesReason, text: d.name})
	c.A, c.Value = u.node, e.Core.Nodes[u.node].Value
	return e.apply(e.add(c, t, span), n-1)
}

// refused reports that default values have no inductive types and no recursion.
func (e *Elaborator) refused(span syntax.Span, what string) bool {
	if e.values {
		e.reportHere(span, what+" in a default value", "default values are computed without inductive types and recursion")
	}
	return e.values
}

// bindBad gives any type to the names of a pattern in which something is wrong.
func (e *Elaborator) bindBad(p syntax.Pat) {
	a := e.act
	if a.unit.File.Pat(p).Kind == syntax.NamePat {
		e.slots[a.base+int(a.unit.Slots[p])] = e.bound(e.Core.NewVar(core.VarInfo{Type: e.Types.Open()}))
	}
	for _, k := range a.unit.File.PatKids(p) {
		e.bindBad(k)
	}
}

// constructorOf finds the constructor of the pattern p, which is for values of type t, and the patterns of its argument
// with their types. A tuple pattern is taken apart.
func (e *Elaborator) constructorOf(p syntax.Pat, t core.Type) (g *global, parts []syntax.Pat, types []core.Type,
	ok bool) {
	u := e.act.unit
	n, kids := u.File.Pat(p), u.File.PatKids(p)
	if u.Slots[p] == 0 {
		return nil, nil, nil, false
	}
	g = &e.globals[u.Slots[p]]
	fresh := e.Types.Fresh(g.n)
	if e.Types.Unify(t, fresh) != core.NoClash {
		e.wantPattern(patternItem{p: p, t: t}, fresh)
		return nil, nil, nil, false
	}
	arg := e.Types.Argument(fresh, int(g.num))
	switch {
	case arg == 0 && len(kids) > 0:
		e.reportHere(e.patSpan(kids[0]), "wrong pattern", n.Text+" takes no argument")
		return nil, nil, nil, false
	case arg == 0:
		return g, nil, nil, true
	case len(kids) == 0:
		e.reportHere(e.patSpan(p), "wrong pattern", fmt.Sprintf("%s takes an argument: (%s _)", n.Text, n.Text))
		return nil, nil, nil, false
	case u.File.Pat(kids[0]).Kind != syntax.TuplePat:
		return g, kids, []core.Type{arg}, true
	}
	parts = e.flatten(kids[0])
	return g, parts, e.productOf(patternItem{p: kids[0], t: arg}, len(parts)), true
}

// Symbol is a function symbol that a program declares.
type Symbol struct {
	Symbol   term.Symbol
	Params   []string
	Partials []syntax.Span // where its partial derivatives stand
}

// symbol elaborates a declaration symbol f x … = e with p, ….
func (e *Elaborator) symbol(i int) {
	d := &e.user.File.Decls[i]
	parts := e.user.File.Kids(d.Value)
	k := len(d.Params)
	wrong := func() bool {
		return slices.ContainsFunc(e.diags,
			func(at syntax.Diagnostic) bool { return at.Span.Start >= d.Span.Start && at.Span.End <= d.Span.End })
	}
	switch {
	case k == 0:
		e.report(e.user, d.NameSpan, "no parameter", d.Name+" has no parameter; a symbol has one or more")
		return
	case len(parts)-1 != k:
		e.report(e.user, d.NameSpan, "wrong number of partial derivatives", fmt.Sprintf("%s has %s and %s behind `with`",
			d.Name, count(k, "parameter"), count(len(parts)-1, "partial derivative")))
		return
	}
	s := straightLine{e: e, params: map[core.Var]int{}, lets: map[core.Var]sized{}}
	e.start(i)
	e.fam.off = true
	e.forget(false, func() val { return s.elaborate(d, parts) }, func(val) {
		for _, r := range s.nodes {
			if !wrong() {
				s.exprs = append(s.exprs, s.sized(r).Partial)
			}
		}
	})
	e.fam.off = false
	if wrong() {
		return
	}
	f, err := term.Declare(d.Name, s.exprs[0], s.exprs[1:])
	if err != nil {
		syntax.Abort(err)
	}
	enter := func(g int, f term.Symbol) {
		e.globals[g].means.kind, e.globals[g].prim = primBinding, core.PrimSymbol+core.Prim(f)
	}
	enter(e.declared[i], f)
	declared := Symbol{Symbol: f,
		Params: syntax.Each(k, func(i int) string { return e.user.File.Pat(d.Params[i]).Text })}
	for j, x := range parts[1:] {
		enter(e.slopes[term.SlopeName(d.Name, j, k)], f.Slope(j))
		declared.Partials = append(declared.Partials, e.user.File.Expr(x).Span)
	}
	e.Symbols = append(e.Symbols, declared)
}

// straightLine turns the core of a symbol's expressions into terms over symbols.
type straightLine struct {
	e      *Elaborator
	params map[core.Var]int // the number of each parameter
	lets   map[core.Var]sized
	nodes  []core.Ref
	exprs  []term.Partial
}

// elaborate makes the tuple of the expressions of a symbol.
func (s *straightLine) elaborate(d *syntax.Decl, parts []syntax.Expr) val {
	e := s.e
	for i, p := range d.Params {
		n := e.user.File.Pat(p)
		if n.Kind != syntax.NamePat {
			e.report(e.user, n.Span, "wrong parameter", "a parameter of a symbol is a number, and written as a name")
			e.bindBad(p)
			continue
		}
		x := e.Core.NewVar(core.VarInfo{Name: n.Text, Type: core.R, Pos: core.PosOf(n.Span)})
		e.slots[e.user.Slots[p]] = e.bound(x)
		e.note(n.Span, core.R)
		s.params[x] = i
	}
	vals := make([]val, len(parts))
	for i, x := range parts {
		vals[i] = e.eval(x, 0)
		e.want(vals[i], core.R, reason{text: "the value and the partial derivatives of a symbol are"})
		s.nodes = append(s.nodes, vals[i].node)
	}
	return e.tuple(d.Value, vals)
}

// maxSymbol bounds the expressions of a declared symbol, as terms without let.
const maxSymbol = 1000

type sized struct {
	term.Partial
	size int
}

// sized returns the expression that node r is. What is none is reported.
func (s *straightLine) sized(r core.Ref) sized {
	c := s.e.Core
	n := c.Nodes[r]
	switch n.Op {
	case core.VarOp:
		if e, ok := s.lets[n.X]; ok {
			return e
		}
		if i, ok := s.params[n.X]; ok {
			return sized{term.Partial{Kind: term.PartialVar, Var: i}, 1}
		}
	case core.NumOp:
		return sized{term.Partial{Kind: term.PartialConst, Const: n.Val}, 1}
	case core.LetOp:
		s.lets[n.X] = s.sized(n.B)
		return s.sized(n.A)
	case core.FunOp, core.SymbolOp:
		out := sized{term.Partial{Kind: term.PartialFun, Fun: n.Sym}, 1}
		var parts []core.Ref
		c.Children(&n, func(k core.Ref) { parts = append(parts, k) })
		if n.Op == core.SymbolOp { // counts as its operations, which the compiler puts in its place
			term.Operations(n.Sym, make([]int, len(parts)), func(float64) int { return 0 }, func(term.Symbol, int, int) int {
				out.size++
				return 0
			})
		}
		for _, k := range parts {
			a := s.sized(k)
			out.Args, out.size = append(out.Args, a.Partial), out.size+a.size
		}
		if out.size <= maxSymbol {
			return out
		}
		s.fail(n.Pos, "too large", fmt.Sprintf("an expression of a symbol has at most %d nodes, where each occurrence "+
			"of what let binds counts", maxSymbol))
	default:
	}
	s.fail(n.Pos, "not straight-line",
		"a symbol is an expression of its parameters, of numerals and of function symbols; it may use let")
	return sized{term.Partial{Kind: term.PartialConst}, 1}
}

// fail reports what is no expression of a symbol.
func (s *straightLine) fail(pos term.Pos, headline, label string) {
	s.e.Report(core.WordAt(s.e.File, pos), headline, label)
}
