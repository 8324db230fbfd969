package lang

import (
	"fmt"

	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/resolve"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

func newElaborator(opt Options, file *syntax.File, given *load.Settings) *elaborator {
	e := &elaborator{
		opt: opt, given: given,
		source:  &load.Source{Open: opt.Open, Check: opt.Check, Reserve: opt.Reserve},
		user:    &resolve.Unit{File: file},
		prelude: &resolve.Unit{File: preludeFile(), Prelude: true},
		names:   map[string]int{}, library: map[string]int{},
		tt: infer.New(), core: newCore(file.NumExprs()),
		reported: map[reportKey]bool{}, dataVars: map[variable]int{},
		lets: map[variable]node{}, shared: map[variable]*eval.Code{},
	}
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

// program elaborates the declarations, then the body, then the defs that nobody uses.
func (e *elaborator) program() error {
	e.declare()
	if err := e.prelude.Resolve(names{e}); err != nil {
		return err
	}
	if err := e.user.Resolve(names{e}); err != nil {
		return err
	}
	for i := range e.user.File.Decls {
		if err := e.declaration(i); err != nil {
			return err
		}
	}
	e.enter(len(e.user.File.Decls), -1)
	if err := e.evaluate(e.user.File.Body); err != nil {
		return err
	}
	for i := len(e.user.File.Decls) - 1; i >= 0; i-- {
		g := &e.globals[e.declared[i]]
		if g.kind == defGlobal && !g.used {
			if err := e.unused(e.declared[i]); err != nil {
				return err
			}
		}
	}
	return e.complete(0, 0, e.roots(e.vals[len(e.vals)-1]), false)
}

// roots returns what the program consists of: the body and the defs that are lets.
func (e *elaborator) roots(body val) []node {
	roots := []node{body.node}
	for _, d := range e.defs {
		if d.u != 0 {
			roots = append(roots, d.u)
		}
	}
	return roots
}

// complete settles what has waited for types, and then checks the linear variables.
func (e *elaborator) complete(waiting, pending int, roots []node, open bool) error {
	e.applyWaiting(waiting, roots)
	e.settle(pending, open)
	if e.lins == 0 || len(e.diags) > e.notLinear {
		return nil
	}
	err := e.checkLinear(roots)
	e.notLinear = len(e.diags)
	return err
}

// declare enters the declarations of the file among the globals. What they mean is
// not known yet.
func (e *elaborator) declare() {
	for i := range e.user.File.Decls {
		d := &e.user.File.Decls[i]
		e.declared = append(e.declared, e.addGlobal(global{unit: e.user, decl: i, name: d.Name}))
		if first, ok := e.names[d.Name]; ok {
			e.report(e.user, d.NameSpan, "name declared twice", d.Name+" is declared already",
				syntax.Note{Span: e.user.File.Decls[first].NameSpan, Text: "the first declaration is here"})
			continue
		}
		e.names[d.Name] = i
	}
}

// declaration evaluates a param, an input or data, or elaborates a def.
func (e *elaborator) declaration(i int) error {
	d := &e.user.File.Decls[i]
	g := &e.globals[e.declared[i]]
	switch d.Kind {
	case syntax.ParamDecl:
		e.param(g, d)
	case syntax.InputDecl:
		x, err := e.variable(i)
		if err != nil {
			return err
		}
		e.inputs = append(e.inputs, x)
		if x.Shape != nil {
			if e.scalars += x.Shape.Width(); e.scalars > e.opt.MaxNodes {
				return e.tooMany(d)
			}
			g.kind = inputGlobal
			e.input(g, &x)
		}
	case syntax.DataDecl:
		x, err := e.variable(i)
		if err != nil {
			return err
		}
		g.n = len(e.data)
		e.data = append(e.data, x)
		e.dataGlobals = append(e.dataGlobals, e.declared[i])
		if x.Shape != nil {
			g.kind = dataGlobal
			e.enterData(g, x.Shape)
		}
	case syntax.DefDecl:
		return e.define(i)
	}
	return e.failed
}

func (e *elaborator) tooMany(d *syntax.Decl) error {
	return &limitError{syntax.NewErrors(e.user.File, []syntax.Diagnostic{{
		Span: d.NameSpan, Headline: "the expanded program is too large",
		Label: fmt.Sprintf("the inputs have more than %d numbers", e.opt.MaxNodes),
	}})}
}

// input makes the variables of an input, one for each scalar.
func (e *elaborator) input(g *global, in *load.Variable) {
	d := &e.user.File.Decls[g.decl]
	g.typ = e.shapeType(in.Shape)
	g.x = variable(len(e.core.vars))
	for _, name := range e.scalarNames(nil, d.Name, in.Shape) {
		if e.tick() != nil {
			return
		}
		e.core.newVar(coreVar{name: name, typ: infer.R, pos: posOf(d.NameSpan)})
	}
}

// scalarNames appends the names of the scalars of an input, as the program would write
// them: E.(0).(1); the components of a pair by their number after a colon: p:0, p:1.
func (e *elaborator) scalarNames(names []string, name string, s *load.Shape) []string {
	switch s.Kind {
	case load.Product:
		first, second := name+":0", name+":1"
		if len(name) > maxName {
			first, second = name, name
		}
		return e.scalarNames(e.scalarNames(names, first, s.A), second, s.B)
	case load.Vector:
		for i := 0; i < s.Size && e.tick() == nil; i++ {
			names = e.scalarNames(names, componentName(name, i), s.A)
		}
		return names
	}
	return append(names, name)
}

// enterData makes the type of data; a vector has a variable that stands for it in
// projections.
func (e *elaborator) enterData(g *global, s *load.Shape) {
	if s.Kind == load.List {
		g.list, s = true, s.A
	}
	g.typ = e.shapeType(s)
	if !g.list && s.Kind == load.Vector {
		g.x = e.core.newVar(coreVar{name: g.name, typ: g.typ, pos: posOf(e.user.File.Decls[g.decl].NameSpan)})
		e.dataVars[g.x] = g.n
		e.defs = append(e.defs, outer{x: g.x, data: g.n})
	}
}

// shapeType makes the type of a shape.
func (e *elaborator) shapeType(s *load.Shape) infer.Type {
	switch s.Kind {
	case load.Product:
		a := e.shapeType(s.A)
		return e.tt.Prod(a, e.shapeType(s.B))
	case load.Vector:
		return e.tt.Vec(e.shapeType(s.A), e.tt.KnownSize(s.Size))
	case load.List:
		return e.tt.List(e.shapeType(s.A), e.tt.Open())
	}
	return infer.R
}

// enter starts the activation of a declaration by itself, or of the body.
func (e *elaborator) enter(decl, global int) {
	e.acts = append(e.acts[:0], activation{unit: e.user, global: global, scope: &e.user.Scopes[decl]})
	e.slots = e.slots[:0]
	e.reserve(int(e.acts[0].scope.Slots))
}

// evaluate elaborates x; its result is the last one.
func (e *elaborator) evaluate(x syntax.Expr) error {
	n := len(e.frames)
	e.pushEval(x)
	return e.run(n)
}

// define decides what a def is: a value is expanded at each use, a numeral is a
// numeral, anything else is a let around the body.
func (e *elaborator) define(decl int) error {
	d := &e.user.File.Decls[decl]
	g := e.declared[decl]
	if len(d.Params) > 0 || e.isValue(d.Value) {
		e.globals[g].kind = defGlobal
		return nil
	}
	e.enter(decl, -1)
	if d.Type != 0 {
		e.push(frame{op: resultFrame, n: decl})
	}
	if err := e.evaluate(d.Value); err != nil {
		return err
	}
	v := e.pop()
	if n := e.core.nodes[v.node]; n.op == numCore {
		e.core.drop(v.node)
		e.globals[g].kind, e.globals[g].num = numGlobal, n.val
		return nil
	}
	x := coreVar{name: d.Name, typ: v.typ, pos: posOf(d.NameSpan)}
	if e.tt.Generic(v.typ) {
		x.binder = defBinder
	}
	e.globals[g].kind, e.globals[g].x = letGlobal, e.core.newVar(x)
	e.defs = append(e.defs, outer{x: e.globals[g].x, u: v.node})
	e.lets[e.globals[g].x] = v.node
	return nil
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
			case defGlobal, primGlobal, dataGlobal, letGlobal:
				return true
			}
		}
	}
	return false
}

// unused types a def that nobody uses. Nothing of it stays.
func (e *elaborator) unused(g int) error {
	nodes, args, vars := len(e.core.nodes), len(e.core.args), len(e.core.vars)
	waiting, pending, marks := len(e.waiting), len(e.pending), len(e.marks)
	d := &e.user.File.Decls[e.globals[g].decl]
	e.expand(g, d.NameSpan, 0)
	if err := e.run(0); err != nil {
		return err
	}
	v := e.pop()
	if err := e.complete(waiting, pending, []node{v.node}, true); err != nil {
		return err
	}
	e.marks = e.marks[:marks]
	e.core.nodes, e.core.args, e.core.vars = e.core.nodes[:nodes], e.core.args[:args], e.core.vars[:vars]
	return nil
}

// dataTerm returns data i as the term holds it.
func (e *elaborator) dataTerm(i int) term.Data {
	x := &e.data[i]
	s := x.Shape
	d := term.Data{Name: x.Name, List: s.Kind == load.List, Rows: x.Value.Rows, Width: s.Width(), Values: x.Value.Data}
	if !d.List {
		d.Rows = 1
	}
	return d
}
