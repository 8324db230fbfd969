package elaborate

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
)

func (e *Elaborator) param(g *global, d *syntax.Decl) {
	n, ok := uint64(0), true
	if set := e.given.Params[d.Name]; set != nil {
		n = set.Value
	} else {
		e.start(g.decl)
		n, ok = e.nat(e.user, d.Value)
	}
	if ok {
		g.means = numeral(float64(n))
		g.means.index = true
	}
	e.Params = append(e.Params, Param{d.Name, n})
}

// variable evaluates an input or data declaration.
func (e *Elaborator) variable(i int) load.Variable {
	d := &e.user.File.Decls[i]
	x := load.Variable{Name: d.Name, Decl: i}
	e.start(i)
	ok := true
	if d.Type != 0 {
		x.Shape = e.declaredShape(d)
		ok = x.Shape != nil
	}
	if len(d.Named) > 0 {
		x.Names, ok = e.named(d, &x, ok)
	}
	set := e.given.Sets[d.Name]
	f, wrong := e.fileOf(d) // if its data is replaced it need not be there
	if x.Shape == nil && set != nil && f != nil && d.Kind == syntax.DataDecl {
		x.Shape = f.Rows()
	}
	if ok && (set == nil || x.Shape == nil) {
		switch {
		case e.diagnose(wrong):
			ok = false
		case f != nil:
			x.Value, ok = e.readFile(d, f, x.Shape)
		default:
			x.Value, ok = e.defaultValue(d, x.Shape)
		}
		if ok {
			x.Shape = x.Value.Shape
		}
	}
	if ok && set != nil {
		if f != nil && e.diagnose(e.source.Adopt(set, f)) {
			x.Bad = true
			return x
		}
		x.Value, wrong = e.source.Set(set, x.Shape, d)
		ok = !e.diagnose(wrong)
	}
	if !ok {
		x.Value, x.Bad = load.Value{}, true
	}
	return x
}

// named returns the names of the numbers of an input, and declares it as a vector of them if it has no type.
func (e *Elaborator) named(d *syntax.Decl, x *load.Variable, ok bool) ([]string, bool) {
	names, at, wrong := load.Names(d.Named, e.Data)
	if wrong == "" && names != nil {
		if d.Type == 0 {
			x.Shape = load.VectorShape(load.RealShape(), len(names))
		}
		if ok && x.Shape.Width() != len(names) {
			wrong = fmt.Sprintf("these are %d names, and %s is %v", len(names), d.Name, x.Shape)
		}
	}
	if wrong != "" {
		e.reportHere(at, "wrong names", wrong)
	}
	return names, ok && wrong == "" && names != nil
}

// diagnose adds a diagnostic, if there is one.
func (e *Elaborator) diagnose(d *syntax.Diagnostic) bool {
	if d != nil {
		e.diags = append(e.diags, *d)
	}
	return d != nil
}

// fileOf returns the file that a declaration reads, nil if it reads none.
func (e *Elaborator) fileOf(d *syntax.Decl) (*load.File, *syntax.Diagnostic) {
	n := e.user.File.Expr(d.Value)
	if n.Kind != syntax.FileExpr {
		return nil, nil
	}
	return load.NewFile(n, e.user.File.Dir(n.Span.Start, e.opt.Dir))
}

// defaultValue evaluates the right side of a declaration, which has the shape want if that is known.
func (e *Elaborator) defaultValue(d *syntax.Decl, want *load.Shape) (value load.Value, ok bool) {
	work, errs := e.work, len(e.diags)
	var whole *load.Shape // the shape that is filled
	e.random = false
	e.forget(false, func() val {
		e.values = true
		v := e.eval(d.Value, 0)
		e.values = false
		if whole = want; want != nil && want.Kind == load.Vector && want.Flat().Width() == want.Width() &&
			e.Types.At(v.typ).Kind == core.Real && !e.random {
			want = load.RealShape() // fills the vector
		}
		if want != nil {
			e.want(v, e.Types.ShapeType(want), reason{text: d.Name + " is declared"})
		}
		return v
	}, func(v val) {
		if want == nil && len(e.diags) == errs {
			want = e.valueShape(d, v)
		}
		if ok = len(e.diags) == errs; ok {
			e.Random = e.Random || e.random
			value, ok = e.defaults.Value(d, v.node, want, e.random)
		}
		if ok && whole != nil && whole != want {
			value.Shape, value.Data = whole, slices.Repeat(value.Data, whole.Width())
		}
	})
	clear(e.Core.Places)
	clear(e.Static.Places)
	e.work = work
	return value, ok
}

// readFile reads the numbers of a declaration from a file.
func (e *Elaborator) readFile(d *syntax.Decl, f *load.File, want *load.Shape) (load.Value, bool) {
	n := e.user.File.Expr(d.Value)
	if has := f.Rows(); d.Kind == syntax.DataDecl && has != nil && want != nil &&
		(want.Tagged() || !has.Flat().Equal(want.Flat())) {
		e.reportHere(n.Span, "type mismatch", fmt.Sprintf("this is %v, but %s is declared %v", has, d.Name, want))
		return load.Value{}, false
	}
	set := load.SetFile(d.Name, e.user.File.Text(n.Span), f)
	v, wrong := e.source.Set(&set, want, d)
	if e.diagnose(wrong) {
		return load.Value{}, false
	}
	return v, e.allowed(n.Span, d, v.Shape)
}

func (e *Elaborator) valueShape(d *syntax.Decl, v val) *load.Shape {
	if e.Types.At(v.typ).Kind == core.Arrow {
		e.Types.Unify(v.typ, e.Types.List(e.Types.Open(), e.Types.Open())) // it may stand for a list
	}
	shape := e.Types.ValueShape(v.typ)
	if shape == nil {
		e.reportHere(v.span, "type not allowed here",
			fmt.Sprintf("this is %s, but inputs and data are numbers", e.Types.Text().Of(v.typ)))
		return nil
	}
	e.allowed(v.span, d, shape)
	return shape
}

// allowed reports a shape that a declaration can't have.
func (e *Elaborator) allowed(span syntax.Span, d *syntax.Decl, shape *load.Shape) bool {
	label := notAllowed(d.Kind, shape)
	if shape.Width() > load.MaxWidth {
		label = load.TooWide
	}
	if label != "" {
		e.reportHere(span, "type not allowed here", label)
	}
	return label == ""
}

// inputInValue reports an input that a default value uses.
func (e *Elaborator) inputInValue(span syntax.Span, d *syntax.Decl) {
	label := d.Name + " is an input"
	if e.user.File.Text(span) != d.Name {
		label = "this is the input " + d.Name
	}
	e.reportHere(span, "input in a default value",
		label+"; default values see the params, defs and data above them, no inputs",
		syntax.Note{Span: d.NameSpan, Text: d.Name + " is declared here"})
}

// declaredShape returns the shape that the declaration of an input or data names, nil if
// an error about it has been reported.
func (e *Elaborator) declaredShape(d *syntax.Decl) *load.Shape {
	t := e.noNumbers(d.Type)
	headline, label := "type not allowed here", "inputs and data are numbers: R, products, vectors, and lists for data"
	if t == 0 {
		t = d.Type
		ty, ok := e.typeIn(e.user, t)
		if !ok {
			return nil
		}
		switch shape := e.Types.ValueShape(ty); {
		case shape == nil:
			label = "a value of this type has parts that are no numbers"
		case shape.Width() > load.MaxWidth:
			headline, label = "type too large", load.TooWide
		default:
			if label = notAllowed(d.Kind, shape); label == "" {
				return shape
			}
		}
	}
	e.reportHere(e.user.File.Type(t).Span, headline, label)
	return nil
}

// noNumbers returns the first part of a type that inputs and data can't have, 0 if there is none.
func (e *Elaborator) noNumbers(t syntax.TypeExpr) syntax.TypeExpr {
	if t == 0 {
		return 0
	}
	switch n := e.user.File.Type(t); n.Kind {
	case syntax.RType, syntax.NamedType:
		return 0
	case syntax.ProdType, syntax.VecType, syntax.ListType:
		return cmp.Or(e.noNumbers(n.A), e.noNumbers(n.B))
	}
	return t
}

// notAllowed says why a declaration may not have the shape, or is empty.
func notAllowed(kind syntax.DeclKind, s *load.Shape) string {
	if kind == syntax.InputDecl && (s.Kind == load.List || s.Tagged()) {
		return fmt.Sprintf("an input is R, a product or a vector of R; this is %v; lists and inductive types are "+
			"declared with data", s)
	}
	return ""
}

// randomInBody reports a random number outside of default values.
func (e *Elaborator) randomInBody(body core.Ref) {
	random := func(n core.Node) bool {
		return n.Op == core.PrimOp && (core.Prim(n.Val) == core.PrimUniform || core.Prim(n.Val) == core.PrimNormal)
	}
	if !slices.ContainsFunc(e.Core.Nodes, random) {
		return
	}
	for r, live := range e.Core.Live(e.Roots(body), e.Tick) {
		if n := &e.Core.Nodes[r]; live && random(*n) {
			e.report(e.user, core.WordAt(e.user.File, n.Pos), "random number outside of a default value",
				core.Prim(n.Val).Name()+" is for the default values of inputs and data, as in input x = uniform 0 1")
		}
	}
}
