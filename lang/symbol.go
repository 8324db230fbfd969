package lang

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// DeclaredSymbol is a function symbol that a program declares.
type DeclaredSymbol struct {
	Symbol   term.Symbol
	Partials []syntax.Span // where its partial derivatives stand
}

// maxSymbol bounds the expressions of a declared symbol, as terms without let.
const maxSymbol = 1000

// declareSlopes enters the names of the partial derivatives of a symbol.
func (e *elaborator) declareSlopes(i int) {
	d := &e.user.File.Decls[i]
	for k := range d.Params {
		name := term.SlopeName(d.Name, k, len(d.Params))
		e.slopes[name] = e.addGlobal(global{unit: e.user, decl: i, name: name})
	}
}

// symbol elaborates a declaration symbol f x … = e with p, ….
func (e *elaborator) symbol(i int) {
	d := &e.user.File.Decls[i]
	parts := e.user.File.Kids(d.Value)
	k := len(d.Params)
	wrong := func() bool {
		return slices.ContainsFunc(e.diags, func(at syntax.Diagnostic) bool { return at.Span.Start >= d.Span.Start && at.Span.End <= d.Span.End })
	}
	switch {
	case len(parts) == 0: // an error of syntax
		return
	case k != 1 && k != 2:
		e.report(e.user, d.NameSpan, "wrong number of parameters", d.Name+" has "+count(k, "parameter")+"; a symbol has one or two")
		return
	case len(parts)-1 != k:
		e.report(e.user, d.NameSpan, "wrong number of partial derivatives", fmt.Sprintf("%s has %s and %s behind `with`",
			d.Name, count(k, "parameter"), count(len(parts)-1, "partial derivative")))
		return
	}
	s := straightLine{e: e, of: map[variable]sized{}}
	e.start(i)
	e.fam.off = true
	e.forget(false, func() val { return s.elaborate(d, parts) }, func(val) {
		for _, r := range s.nodes {
			if !wrong() {
				s.exprs = append(s.exprs, s.expression(r).Partial)
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
	enter := func(g int, f term.Symbol) { e.globals[g].kind, e.globals[g].prim = primGlobal, primSymbol+prim(f) }
	enter(e.declared[i], f)
	declared := DeclaredSymbol{Symbol: f}
	for j, x := range parts[1:] {
		enter(e.slopes[term.SlopeName(d.Name, j, k)], f.Slope(j))
		declared.Partials = append(declared.Partials, e.user.File.Expr(x).Span)
	}
	e.symbols = append(e.symbols, declared)
}

// straightLine turns the core of a symbol's expressions into terms over symbols.
type straightLine struct {
	e     *elaborator
	of    map[variable]sized // of parameters, and of what let binds
	nodes []node
	exprs []term.Partial
}

// sized is an expression with its size.
type sized struct {
	term.Partial
	size int
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
		x := e.core.newVar(coreVar{name: n.Text, typ: infer.R, pos: posOf(n.Span)})
		e.slots[e.user.Slots[p]] = binding{kind: varBinding, x: x}
		e.notePattern(e.user, p, infer.R)
		s.of[x] = sized{term.Partial{Kind: term.PartialVar, Var: i}, 1}
	}
	vals := make([]val, len(parts))
	for i, x := range parts {
		vals[i] = e.eval(x, 0)
		e.want(vals[i], infer.R, reason{kind: annotReason, text: "the value and the partial derivatives of a symbol are"})
		s.nodes = append(s.nodes, vals[i].node)
	}
	return e.tuple(d.Value, vals)
}

// expression returns the term that node r is. What is none is reported.
func (s *straightLine) expression(r node) sized {
	c := s.e.core
	n := c.nodes[r]
	switch n.op {
	case varCore:
		if p, ok := s.of[n.x]; ok {
			return p
		}
	case numCore:
		return sized{term.Partial{Kind: term.PartialConst, Const: n.val}, 1}
	case letCore:
		s.of[n.x] = s.expression(n.b)
		return s.expression(n.a)
	case addCore, funCore:
		out := sized{term.Partial{Kind: term.PartialFun, Fun: n.sym}, 1}
		for _, k := range []node{n.a, n.b} {
			if k == 0 {
				continue
			}
			a := s.expression(k)
			out.Args, out.size = append(out.Args, a.Partial), out.size+a.size
		}
		if out.size <= maxSymbol {
			return out
		}
		s.fail(n.pos, "too large", fmt.Sprintf("an expression of a symbol has at most %d nodes, where each occurrence of what let binds counts", maxSymbol))
	default:
	}
	s.fail(n.pos, "not straight-line", "a symbol is an expression of its parameters, of numerals and of function symbols; it may use let")
	return sized{term.Partial{Kind: term.PartialConst}, 1}
}

func (s *straightLine) fail(pos term.Pos, headline, label string) {
	s.e.report(s.e.user, wordAt(s.e.user.File, pos), headline, label)
}
