package lang

import (
	"fmt"
	"slices"
	"strconv"

	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/resolve"
	"github.com/gram-machine/gram/lang/selection"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

func newElaborator(opt Options, file *syntax.File, given *load.Settings, source *load.Source) *elaborator {
	e := &elaborator{
		opt: opt, given: given,
		guard:   source.Guard,
		source:  source,
		user:    &resolve.Unit{File: file},
		prelude: &resolve.Unit{File: preludeFile(), Prelude: true},
		names:   map[string]int{}, library: map[string]int{}, cons: map[string]int{}, slopes: map[string]int{}, types: map[string]int{},
		tt: infer.New(), core: newCore(file.NumExprs()),
		reported: map[reportKey]bool{}, dataVars: map[variable]int{}, dataLets: map[variable]int{},
		limits: map[int]selection.Limits{}, lets: map[variable]node{}, shared: map[variable]*eval.Code{},
	}
	e.numbers.Types = e.tt
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
	e.complete(0, 0, e.roots(body), false)
	if len(e.diags) == 0 {
		e.randomInBody(body)
		e.selections()
	}
	return body
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
func (e *elaborator) complete(waiting, pending int, roots []node, open bool) {
	e.applyWaiting(waiting, roots)
	e.settle(pending, open)
	if e.lins > 0 && len(e.diags) <= e.notLinear {
		e.checkLinear(roots)
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
	g.typ = e.shapeType(in.Shape)
	g.x = inputBit | variable(e.scalars-in.Shape.Width())
}

// nameBytes is about what the names of the scalars take.
func (p *Program) nameBytes() int64 {
	const each = 16
	n := 0
	for i := range p.Inputs {
		n += len(p.Inputs[i].Vars)
	}
	return each * int64(n)
}

// nameScalars gives the variables of t that stand for scalars their names.
func (p *Program) nameScalars(t *term.Term) {
	for i := range p.Inputs {
		in := &p.Inputs[i]
		xs := in.Vars
		scalarNames(in.Name, in.Shape, func(name string) {
			t.ToChange(xs[0]).Name = name
			xs = xs[1:]
		})
	}
}

// ScalarNames returns the names of the program's scalar inputs.
func (p *Program) ScalarNames() []string {
	var names []string
	for i := range p.Inputs {
		scalarNames(p.Inputs[i].Name, p.Inputs[i].Shape, func(name string) { names = append(names, name) })
	}
	return names
}

// scalarNames calls f with the names of the scalars of an input, as the program would write
// them: E.(0).(1); the components of a pair by their number after a colon: p:0, p:1. Many names share a string.
func scalarNames(name string, s *load.Shape, f func(name string)) {
	var text []byte
	var ends []int
	flush := func() {
		all, from := string(text), 0
		for _, end := range ends {
			f(all[from:end])
			from = end
		}
		text, ends = text[:0], ends[:0]
	}
	var add func(prefix []byte, s *load.Shape)
	add = func(prefix []byte, s *load.Shape) {
		long := len(prefix) > maxName
		switch s.Kind {
		case load.Product:
			for i, part := range []*load.Shape{s.A, s.B} {
				next := prefix
				if !long {
					next = append(append(prefix[:len(prefix):len(prefix)], ':'), byte('0'+i))
				}
				add(next, part)
			}
		case load.Vector:
			next := slices.Clone(prefix)
			for i := range s.Size {
				if !long {
					next = append(strconv.AppendInt(append(next[:len(prefix)], ".("...), int64(i), 10), ')')
				}
				add(next, s.A)
			}
		default:
			text = append(text, prefix...)
			if ends = append(ends, len(text)); len(text) >= 1<<16 {
				flush()
			}
		}
	}
	add([]byte(name), s)
	flush()
}

// enterData makes the type of data; a vector of numbers has a variable that stands for it in
// projections. Other data that is no list, and that of a tagged shape, is a let around the body.
func (e *elaborator) enterData(g *global, s *load.Shape) {
	if s.Kind == load.List && !s.Tagged() {
		g.list, s = true, s.A
	}
	g.typ = e.shapeType(s)
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
	e.defs = append(e.defs, outer{x: g.x, data: g.n})
	if g.kind == letGlobal {
		e.dataLets[g.x] = g.n
	} else {
		e.dataVars[g.x] = g.n
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
	case load.Inductive:
		return e.tt.InductiveType(s)
	}
	return infer.R
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

// dataTerm returns data i as the term holds it.
func (e *elaborator) dataTerm(i int) term.Data {
	x := &e.data[i]
	s := x.Shape
	d := term.Data{Name: x.Name, List: s.Kind == load.List && !s.Tagged(), Rows: x.Value.Rows, Width: s.Width(), Values: x.Value.Data, Chunk: x.Value.Chunk}
	if !d.List {
		d.Rows = 1
	}
	return d
}
