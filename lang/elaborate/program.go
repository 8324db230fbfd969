package elaborate

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Options directs the elaboration.
type Options struct {
	Dir      string // of the program's files with data
	Seed     uint64 // of the random numbers of default values
	MaxNodes int    // a limit on the expansion of definitions and comprehensions, in nodes of the term
	Types    bool   // the types of the program's parts are wanted
}

// Param is a param with its value.
type Param struct {
	Name  string
	Value uint64
}

// New returns an elaborator for a program. given has the values that replace its own, and source reads its files with
// data.
func New(file *syntax.File, given *load.Settings, source *load.Source, opt Options) *Elaborator {
	types := core.NewTypes()
	e := &Elaborator{binders: map[term.Index]comprehended{},
		Program: &core.Program{
			File: file, Guard: source.Guard, Types: types, Core: core.New(file.NumExprs(), types),
			Static: core.Statics{Places: map[term.Static]*core.At{}},
		},
		opt: opt, given: given,
		source:  source,
		user:    &unit{File: file},
		prelude: &unit{File: Prelude(), Prelude: true},
		names:   map[string]int{}, library: map[string]int{}, cons: map[string]int{}, slopes: map[string]int{},
		types:   map[string]int{},
		attempt: attempt{reported: map[reportKey]bool{}},
		Limits:  map[int]core.Limits{},
	}
	e.Program.Report, e.numbers.Types = e.Report, e.Types
	e.defaults = eval.Defaults{P: e.Program, InputUsed: e.inputInValue, Seed: opt.Seed, Stream: source.Stream}
	prims := core.Primitives()
	e.globals = make([]global, 0, len(e.prelude.File.Decls)+len(prims)+len(file.Decls))
	for i := range e.prelude.File.Decls {
		d := &e.prelude.File.Decls[i]
		e.library[d.Name] = e.addGlobal(global{means: binding{kind: defBinding}, unit: e.prelude, decl: i, name: d.Name})
	}
	for _, p := range prims {
		e.library[p.Name()] = e.addGlobal(global{means: binding{kind: primBinding}, name: p.Name(), prim: p})
	}
	if opt.Types {
		e.notes.parts = map[syntax.Span]core.Type{}
	}
	return e
}

func (e *Elaborator) addGlobal(g global) int {
	g.means.g = len(e.globals)
	e.globals = append(e.globals, g)
	return len(e.globals) - 1
}

// Elaborate elaborates the declarations, then the body, which it returns with its type, then the defs
// that nobody uses. The error is a [*syntax.Errors] with all that was found.
func (e *Elaborator) Elaborate() (body core.Ref, t core.Type, err error) {
	e.declare()
	e.resolve(e.prelude)
	e.resolve(e.user)
	for i := range e.user.File.Decls {
		_, e.typesSeen = e.user.File.Group(i)
		e.declaration(i)
	}
	e.typesSeen = len(e.user.File.Decls)
	e.start(len(e.user.File.Decls))
	v := e.eval(e.user.File.Body, 0)
	for _, g := range slices.Backward(e.declared) {
		if e.globals[g].means.kind == defBinding && !e.globals[g].used {
			e.unused(g, func(val) {})
		}
	}
	e.complete(0, 0, e.Roots(v.node), false)
	if len(e.diags) == 0 {
		e.randomInBody(v.node)
		e.Limits = e.numbers.CheckAll(e.Program, e.indices, e.later)
	}
	e.notes.whole = true
	return v.node, v.typ, e.Errors()
}

// complete settles what has waited for types, and then checks the linear variables. Where open is set, as in a def that
// nobody uses, sizes may stay open.
func (e *Elaborator) complete(waiting, pending int, roots []core.Ref, open bool) {
	e.applyWaiting(waiting, roots)
	for _, check := range e.pending[pending:] {
		check(open)
	}
	e.pending = e.pending[:pending]
	if e.lins > 0 && len(e.diags) <= e.notLinear {
		core.CheckLinear(e.Program, roots, e.marks, func() bool { return len(e.diags) >= mostErrors })
		e.notLinear = len(e.diags)
	}
}

// declare enters the declarations of the file among the globals. What they mean is not known yet.
func (e *Elaborator) declare() {
	for i := range e.user.File.Decls {
		e.Tick()
		d := &e.user.File.Decls[i]
		g := e.addGlobal(global{unit: e.user, decl: i, name: d.Name})
		e.declared = append(e.declared, g)
		if d.Kind == syntax.TypeDecl {
			e.declareType(i)
			continue
		}
		if first, ok := e.names[d.Name]; ok {
			e.declaredTwice(d.Name, d.NameSpan, e.user.File.Decls[e.globals[first].decl].NameSpan)
			continue
		}
		e.names[d.Name] = g
		if d.Kind == syntax.SymbolDecl {
			for k := range d.Params {
				name := term.SlopeName(d.Name, k, len(d.Params))
				e.slopes[name] = e.addGlobal(global{unit: e.user, decl: i, name: name})
			}
		}
	}
}

// declaration evaluates a param, an input or data, or elaborates a type or a def.
func (e *Elaborator) declaration(i int) {
	d := &e.user.File.Decls[i]
	g := &e.globals[e.declared[i]]
	switch d.Kind {
	case syntax.ParamDecl:
		e.param(g, d)
	case syntax.TypeDecl:
		e.defineType(i)
	case syntax.InputDecl:
		x := e.variable(i)
		e.Inputs = append(e.Inputs, x)
		if x.Shape != nil {
			if e.Scalars += x.Shape.Width(); e.Scalars > e.opt.MaxNodes {
				syntax.Abort(e.expansion(d.NameSpan, fmt.Sprintf("the inputs have more than %d numbers", e.opt.MaxNodes)))
			}
			t := e.Types.ShapeType(x.Shape)
			first := core.InputBit | core.Var(e.Scalars-x.Shape.Width())
			g.means = binding{kind: atomBinding, node: e.inputNode(first, 0, 0, t)}
		}
	case syntax.DataDecl:
		x := e.variable(i)
		g.n = len(e.Data)
		e.Data = append(e.Data, x)
		e.DataOf = append(e.DataOf, 0)
		if x.Shape != nil {
			e.enterData(g, x.Shape)
		}
	case syntax.DefDecl:
		e.define(i)
	case syntax.SymbolDecl:
		e.symbol(i)
	}
}

// enterData makes the type of data; a vector of numbers has a variable that stands for it in
// projections. Other data that is no list, and that of a tagged shape, is a let around the body.
func (e *Elaborator) enterData(g *global, s *load.Shape) {
	if s.Kind == load.List && !s.Tagged() {
		g.list, s = true, s.A
	}
	g.typ = e.Types.ShapeType(s)
	g.means = binding{kind: atomBinding, node: core.Node{Op: core.DataOp, X: core.Var(g.n), Type: g.typ}}
	if g.list {
		g.means.node.Type = core.R
	}
	if g.list || s.Kind == load.Real {
		return
	}
	opened := !s.Tagged() && s.Equal(s.Flat())
	if !opened && e.selects {
		g.typ = e.numbers.Data(g.n, s)
	}
	g.x = e.Core.NewVar(core.VarInfo{Name: g.name, Type: g.typ, Pos: core.PosOf(e.user.File.Decls[g.decl].NameSpan)})
	e.DataOf[g.n] = g.x
	e.AddLet(core.Let{X: g.x, Data: g.n, Opened: opened})
	if !opened {
		g.means = e.bound(g.x)
	}
}

// start starts the activation of a declaration by itself, or of the body.
func (e *Elaborator) start(decl int) {
	e.act, e.slots = nil, e.slots[:0]
	e.activate(activation{unit: e.user, global: -1, scope: &e.user.Scopes[decl]})
}

// define decides what a def is: a value is expanded at each use, a numeral is a
// numeral, anything else is a let around the body.
func (e *Elaborator) define(decl int) {
	d := &e.user.File.Decls[decl]
	g := e.declared[decl]
	if len(d.Params) > 0 || d.Rec || e.isValue(d.Value) {
		e.globals[g].means.kind = defBinding
		return
	}
	e.start(decl)
	e.resultType(d)
	v := e.tail(0, d.Value, 0, val{})
	if n := e.Core.Nodes[v.node]; n.Op == core.NumOp {
		e.Core.Drop(v.node)
		e.globals[g].means = numeral(n.Val)
		return
	}
	x := core.VarInfo{Name: d.Name, Type: v.typ, Pos: core.PosOf(d.NameSpan)}
	if e.Types.Generic(v.typ) {
		x.Binder = core.DefBinder
	}
	let := core.Let{X: e.Core.NewVar(x), U: v.node}
	e.globals[g].means = e.bound(let.X)
	e.AddLet(let)
}

// isValue reports whether the right side of a def without parameters is a value: a
// function, a list, a numeral #s, or the name of a def, of data or of a symbol.
func (e *Elaborator) isValue(x syntax.Expr) bool {
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
		if r := e.user.Refs[x]; r.Kind == globalRef {
			b := &e.globals[r.N].means
			return b.kind != badBinding && !b.is(core.NumOp) && !e.globals[r.N].declared(syntax.InputDecl)
		}
	}
	return false
}

// unused types a def by itself, as one that nobody uses, and hands its value to done.
func (e *Elaborator) unused(g int, done func(val)) {
	e.alone = true
	e.forget(true, func() val {
		x, n, v := e.expand(g, e.user.File.Decls[e.globals[g].decl].NameSpan, 0)
		return e.tail(0, x, n, v)
	}, done)
	e.alone = false
}

// forget elaborates an expression, completes it and hands it to done. Nothing of it stays in core.
func (e *Elaborator) forget(open bool, elaborate func() val, done func(val)) {
	c := e.Core
	nodes, args, vars, marks := len(c.Nodes), len(c.Args), len(c.Vars), len(e.marks)
	waiting, pending, indices, large, static := len(e.waiting), len(e.pending), len(e.indices), e.large, e.Static
	v := elaborate()
	e.complete(waiting, pending, []core.Ref{v.node}, open)
	done(v)
	c.Nodes, c.Args, c.Vars = c.Nodes[:nodes], c.Args[:args], c.Vars[:vars]
	e.marks, e.indices, e.large, e.Static = e.marks[:marks], e.indices[:indices], large, static
}
