package elaborate

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Symbol is a function symbol that a program declares.
type Symbol struct {
	Symbol   term.Symbol
	Params   []string
	Partials []syntax.Span // where its partial derivatives stand
}

// declareSlopes enters the names of the partial derivatives of a symbol.
func (e *Elaborator) declareSlopes(i int) {
	d := &e.user.File.Decls[i]
	for k := range d.Params {
		name := term.SlopeName(d.Name, k, len(d.Params))
		e.slopes[name] = e.addGlobal(global{unit: e.user, decl: i, name: name})
	}
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
	declared := Symbol{Symbol: f}
	for _, x := range d.Params {
		declared.Params = append(declared.Params, e.user.File.Pat(x).Text)
	}
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
		e.notePattern(e.user, p, core.R)
		s.params[x] = i
	}
	vals := make([]val, len(parts))
	for i, x := range parts {
		vals[i] = e.eval(x, 0)
		e.want(vals[i], core.R, reason{kind: annotReason, text: "the value and the partial derivatives of a symbol are"})
		s.nodes = append(s.nodes, vals[i].node)
	}
	return e.tuple(d.Value, vals)
}

// maxSymbol bounds the expressions of a declared symbol, as terms without let.
const maxSymbol = 1000

// sized is an expression with its size.
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
	case core.AddOp, core.FunOp, core.SymbolOp:
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
