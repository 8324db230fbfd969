// Package eval computes the default values of inputs and data.
//
// Such a value is elaborated to core, like the rest of a program. Its core is translated to Go closures over frames of
// slots, which are run. The body of a comprehension writes its numbers straight into the slice of the result, so a
// computed list of ten million numbers is one slice and no garbage. No term is made of it: in a term, each component
// of a vector that is projected is a variable.
//
// Core has types, so no message of this package is about types. Where an error has been reported elsewhere the types
// may be wrong; such code fails without a message.
//
// Nothing here can run away: nesting and calls are bounded, the machine looks at its Check at least every 2^16 steps
// and at Reserve before every large slice.
package eval

import (
	"errors"
	"fmt"
	"slices"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Defaults computes the default values of inputs and data.
type Defaults struct {
	P *core.Program
	// InputUsed reports that a value uses the input of a declaration.
	InputUsed func(span syntax.Span, d *syntax.Decl)
	Seed      uint64             // of random numbers
	Stream    bool               // lists may be computed when they are read
	shared    map[core.Var]*code // of defs that are lets
}

// Value computes the default value of a declaration, of shape want. random tells that it has random numbers.
func (c *Defaults) Value(d *syntax.Decl, r core.Ref, want *load.Shape, random bool) (load.Value, bool) {
	t := &translator{Defaults: c, decl: d, scope: newScope(nil)}
	code := t.code(r)
	if t.failed {
		return load.Value{}, false
	}
	m := &machine{Guard: c.P.Guard, random: newRandom(c.Seed, d.Name)}
	if c.Stream && !random && d.Kind == syntax.DataDecl {
		if v, ok := m.stream(t.scope, code, want); ok {
			return v, true
		}
	}
	v, err := m.value(t.scope, code, want)
	var wrong *failure
	switch {
	case errors.As(err, &wrong) && wrong.headline != "":
		span := wrong.Span
		if span.End == 0 {
			span = c.P.File.Expr(d.Value).Span
		}
		if span.Start < d.Span.Start || span.End > d.Span.End {
			wrong.Notes = append(wrong.Notes, syntax.Note{Span: d.NameSpan,
				Text: "while the value of " + d.Name + " was computed"})
		}
		c.P.Report(span, wrong.headline, wrong.label, wrong.Notes...)
	case err != nil && wrong == nil:
		syntax.Abort(err)
	}
	return v, err == nil
}

// code is an expression. It can be run for its value, or to write its numbers to dst, where a value of the plain shape
// s is expected.
type code struct {
	run  func(m *machine, fr []value) value
	into func(m *machine, fr []value, dst []float64, s *load.Shape) // nil: what run gives is written
	list *sequence                                                  // of a comprehension of a list
}

func (c *code) write(m *machine, fr []value, dst []float64, s *load.Shape) {
	switch {
	case s.Kind == load.Real:
		dst[0] = c.real(m, fr)
	case c.into != nil:
		c.into(m, fr, dst, s)
	default:
		m.store(c.run(m, fr), dst, s)
	}
}

func (c *code) real(m *machine, fr []value) float64 { return c.run(m, fr).real() }

func (c *code) natural(m *machine, fr []value) uint64 { return uint64(c.real(m, fr)) }

// array runs code for a vector or a list.
func (c *code) array(m *machine, fr []value) *array { return c.run(m, fr).array() }

func does(run func(m *machine, fr []value) value) *code { return &code{run: run} }

// gives is code of a function that gives a number.
func gives(num func(m *machine, fr []value) float64) *code {
	return does(func(m *machine, fr []value) value { return number(num(m, fr)) })
}

func inSlot(slot int) *code { return does(func(_ *machine, fr []value) value { return fr[slot] }) }

func constant(v value) *code { return does(func(*machine, []value) value { return v }) }

// bad is what an error has been reported of.
func bad() *code { return does(func(*machine, []value) value { reported(); return value{} }) }

// scope is a function under translation, or the outermost expression.
type scope struct {
	outer *scope
	slots int
	vars  map[core.Var]int // the slots of variables, those that are captured too
	caps  []capture
	nest  int // of the expression that is being translated, in its function
	most  int // the largest nest
}

// newScope returns the scope of a function inside of outer, or the outermost one if that is nil.
func newScope(outer *scope) *scope { return &scope{outer: outer, vars: map[core.Var]int{}} }

// bind gives n variables from x on slots: those after the last. It returns the first one.
func (s *scope) bind(x core.Var, n int) (first int) {
	first = s.slots
	for i := range n {
		s.vars[x+core.Var(i)] = first + i
	}
	s.slots += n
	return first
}

// slot returns the slot of a variable. One of an enclosing function is captured.
func (s *scope) slot(x core.Var) (slot int, ok bool) {
	if s == nil {
		return 0, false
	}
	if slot, ok := s.vars[x]; ok {
		return slot, true
	}
	from, ok := s.outer.slot(x)
	if !ok {
		return 0, false
	}
	slot = s.bind(x, 1)
	s.caps = append(s.caps, capture{from, slot})
	return slot, true
}

// translator turns the core of a default value into code.
type translator struct {
	*Defaults
	decl   *syntax.Decl
	scope  *scope
	deep   int
	failed bool // an error has been reported
}

// maxNest bounds the nesting of the core of a default value.
const maxNest = 1 << 16

func (t *translator) code(r core.Ref) *code {
	if t.deep == maxNest && !t.failed {
		t.failed = true
		span := t.P.File.Expr(t.decl.Value).Span
		t.P.Report(span, "too deep", fmt.Sprintf("more than %d expressions in one another", maxNest))
	}
	if t.failed {
		return bad()
	}
	t.deep++
	t.scope.nest++
	t.scope.most = max(t.scope.most, t.scope.nest)
	c := t.form(r, &t.P.Core.Nodes[r])
	t.scope.nest--
	t.deep--
	return c
}

func (t *translator) codes(list []core.Ref) []*code {
	return syntax.Each(len(list), func(i int) *code { return t.code(list[i]) })
}

func (t *translator) form(r core.Ref, n *core.Node) *code {
	args := t.P.Core.Args
	switch n.Op {
	case core.VarOp:
		return t.variable(n)
	case core.PathOp:
		c := t.variable(n)
		for _, i := range args[n.A:n.B] {
			at := constant(number(float64(i)))
			if i&core.StaticBit != 0 {
				at = t.static(term.Static(i &^ core.StaticBit))
			}
			c = project(nil, "", c, at)
		}
		return c
	case core.InputOp:
		return t.input(n)
	case core.NumOp:
		return constant(number(n.Val))
	case core.LamOp:
		return t.function(r)
	case core.AppOp:
		return t.call(r)
	case core.PairOp:
		return pairOf(t.code(n.A), t.code(n.B))
	case core.LetOp:
		u := t.code(n.B)
		slot := t.scope.bind(n.X, 1)
		body := t.code(n.A)
		return does(func(m *machine, fr []value) value {
			fr[slot] = u.run(m, fr)
			return body.run(m, fr)
		})
	case core.TupleOp, core.UnvecOp:
		return t.unpack(n)
	case core.FunOp:
		return t.operation(n)
	case core.SymbolOp:
		return t.symbol(n.Sym, t.codes(args[n.A:n.B]))
	case core.VecOp, core.ListOp:
		return t.literal(n.Op == core.ListOp, args[n.A:n.B])
	case core.IfOp:
		k, c := t.codes(args[n.A:n.B]), term.Compare(n.Val)
		return does(func(m *machine, fr []value) value {
			if x := k[0].real(m, fr); c.Holds(x, k[1].real(m, fr)) {
				return k[2].run(m, fr)
			}
			return k[3].run(m, fr)
		})
	case core.NatOp:
		if n.X == 0 {
			return constant(church(uint64(n.Val)))
		}
		c := t.static(term.Static(n.X))
		return does(func(m *machine, fr []value) value { return church(c.natural(m, fr)) })
	case core.DataOp:
		return t.data(int(n.X))
	}
	return t.valueForm(t.P.Core.Places[r], n)
}

// valueForm translates the nodes that only default values have.
func (t *translator) valueForm(at *core.At, n *core.Node) *code {
	switch n.Op {
	case core.ProjOp:
		if n.X != 0 {
			return project(at, t.P.Types.Text().Of(t.P.Core.Nodes[n.A].Type), t.code(n.A),
				t.static(term.Static(n.X)))
		}
		return project(nil, "", t.code(n.A), constant(number(n.Val)))
	case core.PrimOp:
		return t.primitive(at, n)
	case core.StaticOp:
		return t.static(term.Static(n.X))
	case core.PowerOp:
		return power(t.code(n.A), t.static(term.Static(n.X)))
	case core.FamilyOp:
		size, slot := t.static(term.Static(n.A)), t.scope.bind(index(n.X), 1)
		q := &sequence{at: at, size: size, body: t.code(n.B), slot: slot}
		if syntax.Token(n.Val) == syntax.SumTok {
			return gives(q.sum)
		}
		q.list = syntax.Token(n.Val) == syntax.ListTok
		return q.code()
	case core.ScanOp:
		k := t.P.Core.Args[n.A : n.A+4]
		size, start := t.static(term.Static(k[1])), t.code(k[2])
		slot, state := t.scope.bind(index(core.Var(k[0])), 1), t.scope.bind(n.X, 1)
		q := &sequence{at: at, size: size, body: t.code(k[3]), slot: slot}
		return q.scan(state, start)
	case core.NativeOp:
		return constant(value{ref: &natives[int(n.Val)].native})
	}
	return bad()
}

// primitive translates one of the primitives.
func (t *translator) primitive(at *core.At, n *core.Node) *code {
	f, a, b := primitives[core.Prim(n.Val)], t.code(n.A), constant(number(0))
	if n.B != 0 {
		b = t.code(n.B)
	} else if size, ok := t.P.Types.VectorSize(n.Type); ok {
		b = constant(number(float64(size))) // of onehot
	}
	return does(func(m *machine, fr []value) value {
		x := a.run(m, fr)
		return f(m, at, x, b.run(m, fr))
	})
}

// index is what stands in the scope for an index of a comprehension; inputs have no slots.
func index(i core.Var) core.Var { return core.InputBit | i }

func (t *translator) static(e term.Static) *code {
	switch n := t.P.Static.Nodes[e]; n.Op { // a copy: code that runs later outlives the declaration
	case term.StaticNum:
		return constant(number(n.Val))
	case term.StaticIndex:
		slot, _ := t.scope.slot(index(core.Var(n.Index)))
		return inSlot(slot)
	default:
		a, b := t.static(n.A), constant(number(0))
		if n.B != 0 {
			b = t.static(n.B)
		}
		if at := t.P.Static.Places[e]; at != nil {
			return gives(func(m *machine, fr []value) float64 {
				c, problem := core.Arithmetic(n.Op, a.natural(m, fr), b.natural(m, fr))
				if problem != "" {
					fail(at, "not a natural number", problem)
				}
				return float64(c)
			})
		}
		return gives(func(m *machine, fr []value) float64 { return n.Of(a.real(m, fr), b.real(m, fr)) })
	}
}

func (t *translator) variable(n *core.Node) *code {
	if slot, ok := t.scope.slot(n.X); ok {
		return inSlot(slot)
	}
	d := t.P.Let(n.X)
	if d == nil {
		return t.input(n)
	}
	if d.U == 0 {
		return t.data(d.Data)
	}
	c := t.shared[n.X]
	if c == nil {
		inner := &translator{Defaults: t.Defaults, decl: t.decl, scope: newScope(nil), deep: t.deep}
		body := inner.code(d.U)
		if t.failed = inner.failed; t.failed {
			return body
		}
		c = inner.scope.once(body)
		if t.shared == nil {
			t.shared = map[core.Var]*code{}
		}
		t.shared[n.X] = c
	}
	return c
}

// once is the code c of an outermost scope, which is run once.
func (s *scope) once(c *code) *code {
	var known *value
	return does(func(m *machine, _ []value) value {
		if known == nil {
			m.deeper(nil, s.most)
			v := c.run(m, m.frame(s.slots))
			known = &v
			m.release(s.slots)
			m.depth -= s.most
		}
		return *known
	})
}

// input reports an input, which a def that is a let uses.
func (t *translator) input(n *core.Node) *code {
	t.failed = true
	end := core.InputBit
	for i := range t.P.Inputs {
		x := &t.P.Inputs[i]
		if x.Shape == nil {
			continue
		}
		if end += core.Var(x.Shape.Width()); n.X < end {
			t.InputUsed(core.WordAt(t.P.File, n.Pos), &t.P.File.Decls[x.Decl])
			break
		}
	}
	return bad()
}

func (t *translator) data(i int) *code {
	x := &t.P.Data[i]
	if x.Bad {
		return bad()
	}
	x.Used = true
	v := &x.Value
	if v.Chunk != nil { // it is stored after all
		t.P.Guard.Announce(8 * int64(v.Rows) * int64(x.Shape.A.Width()))
		v.Data = make([]float64, v.Rows*x.Shape.A.Width())
		if err := v.Chunk(v.Data, 0, t.P.Guard.Check); err != nil {
			syntax.Abort(err)
		}
		v.Chunk = nil
	}
	in := reader{v.Data, v.Tags}
	if v.Shape.Kind == load.List && !v.Shape.Tagged() {
		in.tags = []int{v.Rows}
	}
	return constant(in.value(v.Shape))
}

// function translates λs that stand directly in one another.
func (t *translator) function(r core.Ref) *code {
	nodes := t.P.Core.Nodes
	fn := &function{at: &core.At{Span: core.WordAt(t.P.File, nodes[r].Pos)}}
	outer := t.scope
	inner := newScope(outer)
	t.scope = inner
	for ; nodes[r].Op == core.LamOp; r = nodes[r].A {
		inner.bind(nodes[r].X, 1)
		fn.params++
	}
	fn.body = t.code(r)
	fn.slots, fn.nest, fn.caps = inner.slots, inner.most, inner.caps
	t.scope = outer
	if len(fn.caps) == 0 {
		return constant(value{ref: &closure{function: fn}})
	}
	return does(func(_ *machine, fr []value) value {
		return value{ref: &closure{fn, syntax.Each(len(fn.caps), func(i int) value { return fr[fn.caps[i].from] })}}
	})
}

// call translates an application to all its arguments.
func (t *translator) call(r core.Ref) *code {
	nodes := t.P.Core.Nodes
	var list []core.Ref
	for ; nodes[r].Op == core.AppOp; r = nodes[r].A {
		list = append(list, nodes[r].B)
	}
	slices.Reverse(list)
	f, args := t.code(r), t.codes(list)
	return does(func(m *machine, fr []value) value {
		fv := f.run(m, fr)
		buf := m.frame(len(args))
		for i, a := range args {
			buf[i] = a.run(m, fr)
		}
		v := m.apply(fv, buf)
		m.release(len(args))
		return v
	})
}

// unpack translates the opening of a tuple or a vector.
func (t *translator) unpack(n *core.Node) *code {
	u, count := t.code(n.B), int(n.Val)
	slot := t.scope.bind(n.X, count)
	body := t.code(n.A)
	if n.Op == core.UnvecOp {
		return does(func(m *machine, fr []value) value {
			a := u.array(m, fr)
			if a.n != count {
				reported()
			}
			for i := range count {
				fr[slot+i] = a.at(i)
			}
			return body.run(m, fr)
		})
	}
	return does(func(m *machine, fr []value) value {
		rest := u.run(m, fr)
		for i := range count - 1 {
			o := rest.pair()
			fr[slot+i], rest = o.a, o.b
		}
		fr[slot+count-1] = rest
		return body.run(m, fr)
	})
}

// symbol translates the application of a declared symbol to three numbers or more.
func (t *translator) symbol(f term.Symbol, args []*code) *code {
	return gives(func(m *machine, fr []value) float64 {
		return f.Eval(syntax.Each(len(args), func(i int) float64 { return args[i].real(m, fr) })...)
	})
}

// operation translates an operation on numbers or vectors.
func (t *translator) operation(n *core.Node) *code {
	f, a, b := func(x, y float64) float64 { return x + y }, t.code(n.A), constant(number(0))
	if n.Sym != term.NoSymbol {
		f = n.Sym.Info().Eval2
	}
	if n.B != 0 {
		b = t.code(n.B)
	} else {
		g := n.Sym.Info().Eval1
		f = func(x, _ float64) float64 { return g(x) }
	}
	return does(func(m *machine, fr []value) value {
		x := a.run(m, fr)
		return m.elementwise(f, x, b.run(m, fr))
	})
}
