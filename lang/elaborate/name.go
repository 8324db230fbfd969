package elaborate

import (
	"bytes"
	"cmp"
	_ "embed" // for the prelude
	"strings"
	"sync"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/syntax"
)

const paramAnnotation = "the annotation of the parameter says"

// lookup finds what a name that is not local means for declaration decl of u.
func (e *Elaborator) lookup(u *unit, name string, decl int) (int, bool) {
	for _, all := range []map[string]int{e.names, e.cons, e.slopes} {
		if g, ok := all[name]; ok && !u.Prelude && e.globals[g].decl < decl {
			return g, true
		}
	}
	g, ok := e.library[name]
	e.selects = e.selects || ok && (e.globals[g].prim == core.PrimPick || e.globals[g].prim == core.PrimOneHot)
	return g, ok
}

// unknown reports a name that means nothing for declaration decl of u.
func (e *Elaborator) unknown(u *unit, name string, span syntax.Span, decl int, locals []string) {
	decls := u.File.Decls
	if g, ok := e.names[name]; ok && e.globals[g].decl >= decl && !u.Prelude {
		label, note := name+" is not declared yet", "a declaration sees what is above it; "+name+" is declared here"
		at := decls[e.globals[g].decl].NameSpan
		if decl < len(decls) && decls[decl].Name == name && decls[decl].Kind == syntax.DefDecl {
			label, note = name+" is used in its own definition", "a recursive function is defined by `def rec`"
			at = syntax.Span{}
		}
		e.report(u, span, "unknown name", label, syntax.Note{Span: at, Text: note})
		return
	}
	all, library := locals, []string(nil)
	for _, g := range e.globals {
		switch {
		case g.unit != e.user:
			library = append(library, g.name)
		case g.decl < decl && (g.means.kind == conBinding ||
			!g.declared(syntax.TypeDecl) && g.unit.File.Decls[g.decl].Name == g.name):
			all = append(all, g.name)
		}
	}
	all = append(all, library...)
	var hint string
	switch before := string(u.File.Src[:span.Start]); {
	case bytes.Contains(u.File.Src, []byte("let rec "+name+" ")):
		hint = "this file binds `rec`, so it is a name here and no keyword"
	case strings.Contains(before, "let "+name+" "):
		hint = "a recursive function is bound by `let rec`; what `let` binds is known behind its `in`"
	case strings.HasSuffix(strings.TrimRight(before, " "), "#") && !strings.HasSuffix(before, "#"):
		hint = "a comment starts with `-- `"
	default:
		hint = cmp.Or(syntax.Elsewhere[name], didYouMean(name, all))
	}
	e.report(u, span, "unknown name", name+" is not declared", note(hint)...)
}

// didYouMean suggests a name that is known in place of one that is not, if one is near.
func didYouMean(name string, known []string) string {
	if near := syntax.Suggest(name, known); near != "" {
		return "did you mean " + near + "?"
	}
	return ""
}

// meaning returns what the name x means in the present activation.
func (e *Elaborator) meaning(x syntax.Expr) binding {
	a := e.act
	switch r := a.unit.Refs[x]; r.Kind {
	case localRef:
		return e.slots[a.base+int(r.N)]
	case globalRef:
		if g := &e.globals[r.N]; e.values && g.declared(syntax.InputDecl) && g.means.kind != badBinding {
			e.inputInValue(e.span(x), &e.user.File.Decls[g.decl])
		}
		return e.globalBinding(int(r.N))
	}
	return binding{}
}

// globalBinding returns what a global name means. A def that is only another name is followed.
func (e *Elaborator) globalBinding(g int) binding {
	for {
		d := &e.globals[g]
		d.used = true
		switch {
		case e.values && d.declared(syntax.InputDecl):
			return binding{}
		case d.means.kind != defBinding:
			return d.means
		}
		decl := &d.unit.File.Decls[d.decl]
		if len(decl.Params) > 0 || decl.Type != 0 || d.unit.File.Expr(decl.Value).Kind != syntax.NameExpr {
			return d.means
		}
		r := d.unit.Refs[decl.Value]
		if r.Kind != globalRef {
			return binding{}
		}
		g = int(r.N)
	}
}

// use elaborates an occurrence of a name, applied to n arguments, as [Elaborator.enter] does an expression.
func (e *Elaborator) use(b binding, span syntax.Span, n int) (syntax.Expr, int, val) {
	if b.annot != 0 && (b.kind == defBinding || b.kind == primBinding || b.kind == conBinding) {
		n = e.annotated(b, n)
	}
	typed := e.typed
	if e.typed = false; b.kind != defBinding {
		e.expect = nil
	}
	switch b.kind {
	case defBinding:
		if d := &e.globals[b.g]; n > 1 && d.unit.Prelude && d.name == "map" &&
			e.Types.At(e.bindingType(e.args[len(e.args)-2])).Kind == core.Vec {
			b.g = e.library["map'"]
		} else if n > 1 && d.unit.Prelude && d.name == "range" {
			b.g = e.library["range'"]
		}
		if d := &e.globals[b.g]; e.values && d.unit.Prelude && eval.Native(d.name) >= 0 {
			e.applyTo(n)
			e.finally(func(v val) val {
				v.node = e.Core.Add(core.Node{Op: core.NativeOp, Val: float64(eval.Native(d.name)), Type: v.typ,
					Value: true})
				return v
			})
			n = 0
		} else if folds[d.name].fun != "" && n > 2 && d.unit.Prelude && !e.foldArguments(d.name, span) {
			e.args = e.args[:len(e.args)-n]
			return 0, 0, e.add(core.Node{Op: core.NumOp}, e.Types.Open(), span)
		} else if top := len(e.args) - 1; typed && d.name == "fold" && e.args[top].kind == defBinding {
			e.expect = e.foldTypes(d.name, e.args[top-1])
			v := e.valueOf(e.args[top])
			e.expect, e.args[top] = nil, e.atom(v)
		} else {
			e.typed = typed
		}
		return e.expand(b.g, span, n)
	case conBinding:
		return 0, 0, e.construct(b.g, span, n)
	case primBinding:
		return 0, 0, e.usePrim(e.globals[b.g].prim, span, n)
	}
	v := e.result(e.occurrence(b, span))
	if b.annot != 0 {
		e.annotate(b.unit, b.annot, v, paramAnnotation)
	}
	return 0, 0, e.apply(v, n)
}

// annotated is for a def or a primitive that is the argument of a parameter with an annotation. It makes the
// application to n arguments agree with the annotation, which each occurrence instantiates. It returns how many
// arguments to pass at once: those of a dual wait until it is known to be one.
func (e *Elaborator) annotated(b binding, n int) int {
	t, ok := e.typeIn(b.unit, b.annot)
	if !ok {
		return n
	}
	if k, dual := e.Types.BeforeDual(t, n); dual {
		e.applyTo(n - k)
		n = k
	}
	whole, k := t, n
	e.finally(func(v val) val { return e.wantAnnotation(v, k, whole, b.span) })
	// What the annotation says of the arguments that are there.
	top := len(e.args) - 1
	for i := range n {
		f, ok := e.Types.Function(t)
		if !ok {
			return n
		}
		if a := e.args[top-i]; a.kind == nodeBinding {
			e.want(a.val, f.A, reason{text: paramAnnotation})
		} else if a.kind == atomBinding && !a.ownTypes() && !a.is(core.NumOp) && !a.is(core.StaticOp) {
			e.want(val{typ: a.node.Type, span: a.span}, f.A, reason{text: paramAnnotation})
		}
		t = f.B
	}
	return n
}

// wantAnnotation makes v, an application to n arguments, agree with an annotation t of the function at span.
func (e *Elaborator) wantAnnotation(v val, n int, t core.Type, span syntax.Span) val {
	is := v
	for range n {
		a, ok := e.Types.Function(t)
		if !ok {
			is = val{node: v.node, typ: e.Types.Arrow(e.Types.Open(), v.typ), span: span}
			break
		}
		t = a.B
	}
	e.want(is, t, reason{text: paramAnnotation})
	return v
}

// occurrence makes the node of an occurrence of anything that is not expanded.
func (e *Elaborator) occurrence(b binding, span syntax.Span) val {
	n := b.node
	v := val{typ: n.Type, span: span, head: span}
	switch b.kind {
	case nodeBinding:
		return b.val
	case conBinding:
		return e.construct(b.g, span, 0)
	case atomBinding:
		n.Value = true
	default:
		v.typ = e.Types.Open()
	}
	switch n.Op {
	case core.NumOp:
		v.typ = e.numberType(n.Val)
	case core.NatOp:
		v.typ = e.Types.Nat(e.Types.Open())
	case core.DataOp:
		v.typ = e.dataType(e.dataGlobal(b))
	}
	n.Pos, n.Type = core.PosOf(span), v.typ
	v.node = e.Core.Add(n)
	return v
}

//go:embed prelude.gram
var preludeSource []byte

// Prelude returns the definitions that every program can use, parsed.
var Prelude = sync.OnceValue(func() *syntax.File {
	f, diags, err := syntax.Parse("prelude.gram", append(preludeSource, "0\n"...), syntax.Options{})
	if err != nil || len(diags) > 0 {
		panic("lang: the prelude does not parse")
	}
	return f
})

// PreludeNames returns the names that the prelude defines.
var PreludeNames = sync.OnceValue(func() []string {
	return syntax.Each(len(Prelude().Decls), func(i int) string { return Prelude().Decls[i].Name })
})
