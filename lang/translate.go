package lang

import (
	"fmt"

	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// defaults computes the default values of inputs and data.
type defaults struct {
	p      *elaborated
	report func(span syntax.Span, headline, label string, notes ...syntax.Note)
	// inputUsed reports that a value uses the input of a declaration.
	inputUsed func(span syntax.Span, d *syntax.Decl)
	seed      uint64                  // of random numbers
	stream    bool                    // lists may be computed when they are read
	shared    map[variable]*eval.Code // the code of defs that are lets
}

// value computes the default value of a declaration, of shape want. random tells that it has random numbers.
func (c *defaults) value(d *syntax.Decl, r node, want *load.Shape, random bool) (load.Value, bool) {
	t := &translator{defaults: c, decl: d, scope: eval.NewScope(nil)}
	code := t.code(r)
	if t.failed {
		return load.Value{}, false
	}
	m := &eval.Machine{Guard: c.p.guard, Random: eval.NewRandom(c.seed, d.Name)}
	if c.stream && !random && d.Kind == syntax.DataDecl {
		if v, ok := m.Stream(t.scope, code, want); ok {
			return v, true
		}
	}
	v, err := m.Value(t.scope, code, want)
	if wrong, ok := err.(*eval.Failure); ok {
		span := wrong.Span
		if span.End == 0 {
			span = c.p.file.Expr(d.Value).Span
		}
		c.report(span, wrong.Headline, wrong.Label, append(wrong.Notes, computed(d, span)...)...)
	}
	return v, err == nil
}

// computed notes for an error outside of a declaration that it comes from there.
func computed(d *syntax.Decl, span syntax.Span) []syntax.Note {
	if span.Start >= d.Span.Start && span.End <= d.Span.End {
		return nil
	}
	return []syntax.Note{{Span: d.NameSpan, Text: "while the value of " + d.Name + " was computed"}}
}

// translator turns the core of a default value into code.
type translator struct {
	*defaults
	decl   *syntax.Decl
	scope  *eval.Scope
	deep   int
	failed bool // an error has been reported
}

// maxNest bounds the nesting of the core of a default value.
const maxNest = 1 << 16

func (t *translator) code(r node) *eval.Code {
	if t.deep == maxNest && !t.failed {
		t.fail(t.p.file.Expr(t.decl.Value).Span, "too deep", fmt.Sprintf("more than %d expressions in one another", maxNest))
	}
	if t.failed {
		return eval.Bad()
	}
	t.deep++
	t.scope.Enter()
	c := t.form(r, &t.p.core.nodes[r])
	t.scope.Leave()
	t.deep--
	return c
}

func (t *translator) fail(span syntax.Span, headline, label string, notes ...syntax.Note) {
	t.failed = true
	t.report(span, headline, label, append(notes, computed(t.decl, span)...)...)
}

func (t *translator) form(r node, n *coreNode) *eval.Code {
	switch n.op {
	case varCore:
		return t.variable(n)
	case pathCore:
		return t.path(n)
	case inputCore:
		return t.input(n)
	case numCore:
		return eval.Number(n.val)
	case lamCore:
		return t.function(r)
	case appCore:
		return t.call(r)
	case pairCore:
		return eval.Pair(t.code(n.a), t.code(n.b))
	case letCore:
		u := t.code(n.b)
		slot := t.scope.Bind(uint32(n.x))
		return eval.Let(slot, u, t.code(n.a))
	case tupleCore:
		u := t.code(n.b)
		slot := t.bind(n)
		return eval.Untuple(slot, int(n.val), u, t.code(n.a))
	case unvecCore:
		u := t.code(n.b)
		slot := t.bind(n)
		return eval.Unvec(slot, int(n.val), u, t.code(n.a))
	case addCore, funCore:
		if n.x != 0 && t.p.tt.At(n.typ).Kind == infer.Vec {
			parts := []*eval.Code{t.code(n.a)}
			if n.b != 0 {
				parts = append(parts, t.code(n.b))
			}
			return eval.Elementwise(n.sym, parts...)
		}
		if n.op == addCore {
			return eval.Add(t.code(n.a), t.code(n.b))
		}
		if n.b == 0 {
			return eval.Apply(n.sym, t.code(n.a))
		}
		return eval.Apply(n.sym, t.code(n.a), t.code(n.b))
	case vecCore, listCore:
		if list, ok := t.numbers(t.p.core.args[n.a:n.b]); ok {
			return eval.Numbers(n.op == listCore, list)
		}
		return eval.Literal(n.op == listCore, t.codes(t.p.core.args[n.a:n.b]))
	case ifCore:
		k := t.codes(t.p.core.args[n.a : n.a+4])
		return eval.If(term.Compare(n.val), k[0], k[1], k[2], k[3])
	case natCore:
		return eval.Numeral(uint64(n.val))
	case dataCore:
		return t.data(int(n.x))
	}
	return t.valueForm(r, n)
}

// valueForm translates the nodes that only default values have.
func (t *translator) valueForm(r node, n *coreNode) *eval.Code {
	at := t.p.core.places[r]
	switch n.op {
	case projCore:
		return eval.Project(nil, "", t.code(n.a), eval.Natural(uint64(n.val)))
	case dotCore:
		return eval.Dot(t.code(n.a), t.code(n.b))
	case matvecCore:
		return eval.Matvec(t.code(n.a), t.code(n.b))
	case totalCore:
		return eval.Total(t.code(n.a))
	case maximumCore:
		return eval.Maximum(t.code(n.a))
	case transposeCore:
		return eval.Transpose(t.code(n.a))
	case randomCore:
		if prim(n.val) == primUniform {
			return eval.Uniform(t.code(n.a), t.code(n.b))
		}
		return eval.Normal(t.code(n.a), t.code(n.b))
	case pickCore:
		return eval.Pick(at, t.code(n.a), t.code(n.b))
	case oneHotCore:
		return eval.OneHot(at, t.p.tt.SizeAt(infer.Size(t.p.tt.At(n.typ).N)).N, t.code(n.a))
	case churchCore:
		return eval.Church(t.natural(n.a))
	case powerCore:
		return eval.Power(t.code(n.a), t.natural(n.b))
	case componCore:
		return eval.Project(at, t.p.tt.Text().Of(n.typ), t.code(n.a), t.natural(n.b))
	case comprehCore:
		bound := t.natural(n.a)
		slot := t.scope.Bind(uint32(n.x))
		if body := t.code(n.b); syntax.Token(n.val) == syntax.SumTok {
			return eval.Sum(bound, slot, body)
		} else {
			return eval.Comprehension(at, syntax.Token(n.val) == syntax.ListTok, bound, slot, body)
		}
	case scanCore:
		k := t.p.core.args[n.a : n.a+3]
		bound, start := t.natural(k[0]), t.code(k[1])
		slot := t.scope.Bind(uint32(n.x))
		state := t.scope.Bind(uint32(n.x) + 1)
		return eval.Scan(at, bound, slot, state, start, t.code(k[2]))
	case nativeCore:
		return eval.Native(preludeFile().Decls[int(n.val)].Name)
	}
	return eval.Bad()
}

// numbers returns the numbers that all nodes of a list are, if they are.
func (t *translator) numbers(list []node) ([]float64, bool) {
	for _, k := range list {
		if t.p.core.nodes[k].op != numCore {
			return nil, false
		}
	}
	if len(list) == 0 {
		return nil, false
	}
	out := make([]float64, len(list))
	for i, k := range list {
		out[i] = t.p.core.nodes[k].val
	}
	return out, true
}

func (t *translator) codes(list []node) []*eval.Code {
	out := make([]*eval.Code, len(list))
	for i, k := range list {
		out[i] = t.code(k)
	}
	return out
}

// bind gives slots to what a pattern binds at one level.
func (t *translator) bind(n *coreNode) (first int) {
	for i := range int(n.val) {
		slot := t.scope.Bind(uint32(n.x) + uint32(i))
		if i == 0 {
			first = slot
		}
	}
	return first
}

func (t *translator) variable(n *coreNode) *eval.Code {
	if slot, ok := t.scope.Slot(uint32(n.x)); ok {
		return eval.Variable(slot)
	}
	if i, ok := t.p.dataVars[n.x]; ok {
		return t.data(i)
	}
	if i, ok := t.p.dataLets[n.x]; ok {
		return t.data(i)
	}
	u, ok := t.p.lets[n.x]
	if !ok {
		return t.input(n)
	}
	c := t.shared[n.x]
	if c == nil {
		inner := &translator{defaults: t.defaults, decl: t.decl, scope: eval.NewScope(nil), deep: t.deep}
		code := inner.code(u)
		if t.failed = inner.failed; t.failed {
			return code
		}
		c = eval.Shared(inner.scope, code)
		t.shared[n.x] = c
	}
	return c
}

// input reports an input, which a def that is a let uses.
func (t *translator) input(n *coreNode) *eval.Code {
	t.failed = true
	end := inputBit
	for i := range t.p.inputs {
		x := &t.p.inputs[i]
		if x.Shape == nil {
			continue
		}
		if end += variable(x.Shape.Width()); n.x < end {
			t.inputUsed(wordAt(t.p.file, n.pos), &t.p.file.Decls[x.Decl])
			break
		}
	}
	return eval.Bad()
}

func (t *translator) path(n *coreNode) *eval.Code {
	c := t.variable(n)
	for _, i := range t.p.core.args[n.a:n.b] {
		c = eval.Project(nil, "", c, eval.Natural(uint64(i)))
	}
	return c
}

func (t *translator) data(i int) *eval.Code {
	x := &t.p.data[i]
	if x.Bad {
		return eval.Bad()
	}
	x.Used = true
	if v := &x.Value; v.Chunk != nil { // it is stored after all
		t.p.guard.Announce(8 * int64(v.Rows) * int64(x.Shape.A.Width()))
		v.Data = make([]float64, v.Rows*x.Shape.A.Width())
		if err := v.Chunk(v.Data, 0, t.p.guard.Check); err != nil {
			syntax.Abort(err)
		}
		v.Chunk = nil
	}
	return eval.Constant(x.Value)
}

// natural translates a static number.
func (t *translator) natural(r node) eval.Nat {
	switch n := &t.p.core.nodes[r]; n.op {
	case varCore:
		slot, _ := t.scope.Slot(uint32(n.x))
		return eval.Index(slot)
	case natOpCore:
		return eval.Arithmetic(t.p.core.places[r], syntax.Token(n.val), t.natural(n.a), t.natural(n.b))
	default:
		return eval.Natural(uint64(n.val))
	}
}

// function translates λs that stand directly in one another.
func (t *translator) function(r node) *eval.Code {
	at := &eval.At{Span: wordAt(t.p.file, t.p.core.nodes[r].pos)}
	outer := t.scope
	t.scope = eval.NewScope(outer)
	var params []int
	for t.p.core.nodes[r].op == lamCore {
		n := &t.p.core.nodes[r]
		params = append(params, t.scope.Bind(uint32(n.x)))
		r = n.a
	}
	body := t.code(r)
	inner := t.scope
	t.scope = outer
	return eval.Function(at, inner, params, body)
}

// call translates an application to all its arguments.
func (t *translator) call(r node) *eval.Code {
	var args []node // the last one first
	for t.p.core.nodes[r].op == appCore {
		args = append(args, t.p.core.nodes[r].b)
		r = t.p.core.nodes[r].a
	}
	f := t.code(r)
	codes := make([]*eval.Code, len(args))
	for i, a := range args {
		codes[len(args)-1-i] = t.code(a)
	}
	return eval.Call(f, codes)
}
