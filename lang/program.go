package lang

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/resolve"
	"github.com/gram-machine/gram/lang/selection"
	"github.com/gram-machine/gram/lang/syntax"
)

func newElaborator(opt Options, file *syntax.File, given *load.Settings, source *load.Source) *elaborator {
	e := &elaborator{
		elaborated: &elaborated{
			file: file, guard: source.Guard, tt: infer.New(), core: newCore(file.NumExprs()), dataVars: map[variable]int{}, dataLets: map[variable]int{}, lets: map[variable]node{},
		},
		opt: opt, given: given,
		source:  source,
		user:    &resolve.Unit{File: file},
		prelude: &resolve.Unit{File: preludeFile(), Prelude: true},
		names:   map[string]int{}, library: map[string]int{}, cons: map[string]int{}, slopes: map[string]int{}, types: map[string]int{},
		reported: map[reportKey]bool{},
		limits:   map[int]selection.Limits{},
	}
	e.numbers.Types = e.tt
	e.defaults = defaults{p: e.elaborated, report: e.reportUser, inputUsed: e.inputInValue, seed: opt.Seed, stream: opt.Stream, shared: map[variable]*eval.Code{}}
	for i := range e.prelude.File.Decls {
		d := &e.prelude.File.Decls[i]
		e.library[d.Name] = e.addGlobal(global{kind: defGlobal, unit: e.prelude, decl: i, name: d.Name})
	}
	for _, p := range primitives() {
		e.library[p.name()] = e.addGlobal(global{kind: primGlobal, name: p.name(), prim: p})
	}
	return e
}

func (e *elaborator) addGlobal(g global) int {
	e.globals = append(e.globals, g)
	return len(e.globals) - 1
}

// program elaborates the declarations, then the body, which it returns, then the defs
// that nobody uses.
func (e *elaborator) program() val {
	e.declare()
	e.prelude.Resolve(names{e})
	e.user.Resolve(names{e})
	e.defineTypes()
	for i := range e.user.File.Decls {
		e.declaration(i)
	}
	e.start(len(e.user.File.Decls))
	body := e.eval(e.user.File.Body, 0)
	for _, g := range slices.Backward(e.declared) {
		if e.globals[g].kind == defGlobal && !e.globals[g].used {
			e.unused(g, func(val) {})
		}
	}
	e.complete(0, 0, e.roots(body.node), false)
	if len(e.diags) == 0 {
		e.randomInBody(body)
		e.selections()
	}
	return body
}

// complete settles what has waited for types, and then checks the linear variables.
func (e *elaborator) complete(waiting, pending int, roots []node, open bool) {
	e.applyWaiting(waiting, roots)
	e.settle(pending, open)
	if e.lins > 0 && len(e.diags) <= e.notLinear {
		checkLinear(e.elaborated, roots, linearReport{marks: e.marks, chain: e.chainOf, report: e.reportUser,
			full: func() bool { return len(e.diags) >= mostErrors }})
		e.notLinear = len(e.diags)
	}
}

// declare enters the declarations of the file among the globals. What they mean is
// not known yet.
func (e *elaborator) declare() {
	for i := range e.user.File.Decls {
		e.tick()
		d := &e.user.File.Decls[i]
		e.declared = append(e.declared, e.addGlobal(global{unit: e.user, decl: i, name: d.Name}))
		if d.Kind == syntax.TypeDecl {
			e.declareType(i)
			continue
		}
		if first, ok := e.names[d.Name]; ok {
			e.report(e.user, d.NameSpan, "name declared twice", d.Name+" is declared already",
				syntax.Note{Span: e.user.File.Decls[first].NameSpan, Text: "the first declaration is here"})
			continue
		}
		e.names[d.Name] = i
		if d.Kind == syntax.SymbolDecl {
			e.declareSlopes(i)
		}
	}
}

// declaration evaluates a param, an input or data, or elaborates a def.
func (e *elaborator) declaration(i int) {
	d := &e.user.File.Decls[i]
	g := &e.globals[e.declared[i]]
	switch d.Kind {
	case syntax.ParamDecl:
		e.param(g, d)
	case syntax.InputDecl:
		x := e.variable(i)
		e.inputs = append(e.inputs, x)
		if x.Shape != nil {
			if e.scalars += x.Shape.Width(); e.scalars > e.opt.MaxNodes {
				syntax.Abort(e.expansion(d.NameSpan, fmt.Sprintf("the inputs have more than %d numbers", e.opt.MaxNodes)))
			}
			g.kind = inputGlobal
			e.input(g, &x)
		}
	case syntax.DataDecl:
		x := e.variable(i)
		g.n = len(e.data)
		e.data = append(e.data, x)
		e.dataGlobals = append(e.dataGlobals, e.declared[i])
		e.dataOf = append(e.dataOf, 0)
		if x.Shape != nil {
			g.kind = dataGlobal
			e.enterData(g, x.Shape)
		}
	case syntax.DefDecl:
		e.define(i)
	case syntax.SymbolDecl:
		e.symbol(i)
	}
}

// input makes the variables of an input, one for each scalar: the last of e.scalars.
func (e *elaborator) input(g *global, in *load.Variable) {
	g.typ = e.tt.ShapeType(in.Shape)
	g.x = inputBit | variable(e.scalars-in.Shape.Width())
}

// enterData makes the type of data; a vector of numbers has a variable that stands for it in
// projections. Other data that is no list, and that of a tagged shape, is a let around the body.
func (e *elaborator) enterData(g *global, s *load.Shape) {
	if s.Kind == load.List && !s.Tagged() {
		g.list, s = true, s.A
	}
	g.typ = e.tt.ShapeType(s)
	if g.list || s.Kind == load.Real {
		return
	}
	if s.Tagged() || !s.Equal(s.Flat()) {
		g.kind = letGlobal
		if e.selects && !s.Tagged() {
			g.typ = e.numbers.Data(g.n, s)
		}
	}
	g.x = e.core.newVar(coreVar{name: g.name, typ: g.typ, pos: posOf(e.user.File.Decls[g.decl].NameSpan)})
	e.dataOf[g.n] = g.x
	e.defs = append(e.defs, outer{x: g.x, data: g.n})
	if g.kind == letGlobal {
		e.dataLets[g.x] = g.n
	} else {
		e.dataVars[g.x] = g.n
	}
}

// start starts the activation of a declaration by itself, or of the body.
func (e *elaborator) start(decl int) {
	e.acts = append(e.acts[:0], activation{unit: e.user, global: -1, scope: &e.user.Scopes[decl]})
	e.slots = make([]binding, e.acts[0].scope.Slots)
}

// define decides what a def is: a value is expanded at each use, a numeral is a
// numeral, anything else is a let around the body.
func (e *elaborator) define(decl int) {
	d := &e.user.File.Decls[decl]
	g := e.declared[decl]
	if len(d.Params) > 0 || d.Rec || e.isValue(d.Value) {
		e.globals[g].kind = defGlobal
		return
	}
	e.start(decl)
	e.resultType(d)
	e.fam.off = true // a default value may use the def
	v := e.tail(0, d.Value, 0, val{})
	e.fam.off = false
	if n := e.core.nodes[v.node]; n.op == numCore {
		e.core.drop(v.node)
		e.globals[g].kind, e.globals[g].num = numGlobal, n.val
		return
	}
	x := coreVar{name: d.Name, typ: v.typ, pos: posOf(d.NameSpan)}
	if e.tt.Generic(v.typ) {
		x.binder = defBinder
	}
	e.globals[g].kind, e.globals[g].x = letGlobal, e.core.newVar(x)
	e.defs = append(e.defs, outer{x: e.globals[g].x, u: v.node})
	e.lets[e.globals[g].x] = v.node
}

// isValue reports whether the right side of a def without parameters is a value: a
// function, a list, a numeral #s, or the name of a def, of data or of a symbol.
func (e *elaborator) isValue(x syntax.Expr) bool {
	f := e.user.File
	for f.Expr(x).Kind == syntax.AnnotExpr {
		x = f.Kids(x)[0]
	}
	switch n := f.Expr(x); n.Kind {
	case syntax.FunExpr, syntax.LinExpr, syntax.ListExpr, syntax.ChurchExpr, syntax.OpExpr:
		return true
	case syntax.CompExpr:
		return n.Op == syntax.ListTok
	case syntax.NameExpr:
		if r := e.user.Refs[x]; r.Kind == resolve.Global {
			switch e.globals[r.N].kind {
			case defGlobal, primGlobal, dataGlobal, letGlobal, conGlobal:
				return true
			}
		}
	}
	return false
}

// unused types a def by itself, as one that nobody uses, and hands its value to done.
func (e *elaborator) unused(g int, done func(val)) {
	e.forget(true, func() val {
		x, n, v := e.expand(g, e.user.File.Decls[e.globals[g].decl].NameSpan, 0)
		return e.tail(0, x, n, v)
	}, done)
}

// forget elaborates an expression, completes it and hands it to done. Nothing of it stays
// in core.
func (e *elaborator) forget(open bool, elaborate func() val, done func(val)) {
	c := e.core
	nodes, args, vars, wide, marks := len(c.nodes), len(c.args), len(c.vars), len(c.wide), len(e.marks)
	waiting, pending, indices, large := len(e.waiting), len(e.pending), len(e.indices), e.large
	v := elaborate()
	e.complete(waiting, pending, []node{v.node}, open)
	done(v)
	c.nodes, c.args, c.vars, c.wide = c.nodes[:nodes], c.args[:args], c.vars[:vars], c.wide[:wide]
	e.marks, e.indices, e.large = e.marks[:marks], e.indices[:indices], large
}
