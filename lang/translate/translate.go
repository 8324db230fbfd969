// Package translate computes the default values of inputs and data: it turns their core into code of package eval, and
// runs it.
package translate

import (
	"fmt"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/prelude"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Defaults computes the default values of inputs and data.
type Defaults struct {
	P *core.Program
	// Report is called with what is wrong in the source.
	Report func(span syntax.Span, headline, label string, notes ...syntax.Note)
	// InputUsed reports that a value uses the input of a declaration.
	InputUsed func(span syntax.Span, d *syntax.Decl)
	Seed      uint64                  // of random numbers
	Stream    bool                    // lists may be computed when they are read
	shared    map[core.Var]*eval.Code // the code of defs that are lets
}

// Value computes the default value of a declaration, of shape want. random tells that it has random numbers.
func (c *Defaults) Value(d *syntax.Decl, r core.Ref, want *load.Shape, random bool) (load.Value, bool) {
	t := &translator{Defaults: c, decl: d, scope: eval.NewScope(nil)}
	code := t.code(r)
	if t.failed {
		return load.Value{}, false
	}
	m := &eval.Machine{Guard: c.P.Guard, Random: eval.NewRandom(c.Seed, d.Name)}
	if c.Stream && !random && d.Kind == syntax.DataDecl {
		if v, ok := m.Stream(t.scope, code, want); ok {
			return v, true
		}
	}
	v, err := m.Value(t.scope, code, want)
	if wrong, ok := err.(*eval.Failure); ok {
		span := wrong.Span
		if span.End == 0 {
			span = c.P.File.Expr(d.Value).Span
		}
		c.Report(span, wrong.Headline, wrong.Label, append(wrong.Notes, computed(d, span)...)...)
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
	*Defaults
	decl   *syntax.Decl
	scope  *eval.Scope
	deep   int
	failed bool // an error has been reported
}

// maxNest bounds the nesting of the core of a default value.
const maxNest = 1 << 16

func (t *translator) code(r core.Ref) *eval.Code {
	if t.deep == maxNest && !t.failed {
		t.fail(t.P.File.Expr(t.decl.Value).Span, "too deep", fmt.Sprintf("more than %d expressions in one another", maxNest))
	}
	if t.failed {
		return eval.Bad()
	}
	t.deep++
	t.scope.Enter()
	c := t.form(r, &t.P.Core.Nodes[r])
	t.scope.Leave()
	t.deep--
	return c
}

func (t *translator) fail(span syntax.Span, headline, label string, notes ...syntax.Note) {
	t.failed = true
	t.Report(span, headline, label, append(notes, computed(t.decl, span)...)...)
}

func (t *translator) form(r core.Ref, n *core.Node) *eval.Code {
	switch n.Op {
	case core.VarOp:
		return t.variable(n)
	case core.PathOp:
		return t.path(n)
	case core.InputOp:
		return t.input(n)
	case core.NumOp:
		return eval.Number(n.Val)
	case core.LamOp:
		return t.function(r)
	case core.AppOp:
		return t.call(r)
	case core.PairOp:
		return eval.Pair(t.code(n.A), t.code(n.B))
	case core.LetOp:
		u := t.code(n.B)
		slot := t.scope.Bind(uint32(n.X))
		return eval.Let(slot, u, t.code(n.A))
	case core.TupleOp:
		u := t.code(n.B)
		slot := t.bind(n)
		return eval.Untuple(slot, int(n.Val), u, t.code(n.A))
	case core.UnvecOp:
		u := t.code(n.B)
		slot := t.bind(n)
		return eval.Unvec(slot, int(n.Val), u, t.code(n.A))
	case core.AddOp, core.FunOp:
		if n.X != 0 && t.P.Types.At(n.Type).Kind == infer.Vec {
			parts := []*eval.Code{t.code(n.A)}
			if n.B != 0 {
				parts = append(parts, t.code(n.B))
			}
			return eval.Elementwise(n.Sym, parts...)
		}
		if n.Op == core.AddOp {
			return eval.Add(t.code(n.A), t.code(n.B))
		}
		if n.B == 0 {
			return eval.Apply(n.Sym, t.code(n.A))
		}
		return eval.Apply(n.Sym, t.code(n.A), t.code(n.B))
	case core.SymbolOp:
		return eval.Apply(n.Sym, t.codes(t.P.Core.Args[n.A:n.B])...)
	case core.VecOp, core.ListOp:
		if list, ok := t.numbers(t.P.Core.Args[n.A:n.B]); ok {
			return eval.Numbers(n.Op == core.ListOp, list)
		}
		return eval.Literal(n.Op == core.ListOp, t.codes(t.P.Core.Args[n.A:n.B]))
	case core.IfOp:
		k := t.codes(t.P.Core.Args[n.A : n.A+4])
		return eval.If(term.Compare(n.Val), k[0], k[1], k[2], k[3])
	case core.NatOp:
		return eval.Numeral(uint64(n.Val))
	case core.DataOp:
		return t.data(int(n.X))
	}
	return t.valueForm(r, n)
}

// valueForm translates the nodes that only default values have.
func (t *translator) valueForm(r core.Ref, n *core.Node) *eval.Code {
	at := t.P.Core.Places[r]
	switch n.Op {
	case core.ProjOp:
		return eval.Project(nil, "", t.code(n.A), eval.Natural(uint64(n.Val)))
	case core.DotOp:
		return eval.Dot(t.code(n.A), t.code(n.B))
	case core.MatvecOp:
		return eval.Matvec(t.code(n.A), t.code(n.B))
	case core.TotalOp:
		return eval.Total(t.code(n.A))
	case core.MaximumOp:
		return eval.Maximum(t.code(n.A))
	case core.TransposeOp:
		return eval.Transpose(t.code(n.A))
	case core.RandomOp:
		if core.Prim(n.Val) == core.PrimUniform {
			return eval.Uniform(t.code(n.A), t.code(n.B))
		}
		return eval.Normal(t.code(n.A), t.code(n.B))
	case core.PickOp:
		return eval.Pick(at, t.code(n.A), t.code(n.B))
	case core.OneHotOp:
		return eval.OneHot(at, t.P.Types.SizeAt(infer.Size(t.P.Types.At(n.Type).N)).N, t.code(n.A))
	case core.ChurchOp:
		return eval.Church(t.natural(n.A))
	case core.PowerOp:
		return eval.Power(t.code(n.A), t.natural(n.B))
	case core.LateProjOp:
		return eval.Project(at, t.P.Types.Text().Of(n.Type), t.code(n.A), t.natural(n.B))
	case core.LateFamilyOp:
		bound := t.natural(n.A)
		slot := t.scope.Bind(uint32(n.X))
		if body := t.code(n.B); syntax.Token(n.Val) == syntax.SumTok {
			return eval.Sum(bound, slot, body)
		} else {
			return eval.Comprehension(at, syntax.Token(n.Val) == syntax.ListTok, bound, slot, body)
		}
	case core.ScanOp:
		k := t.P.Core.Args[n.A : n.A+3]
		bound, start := t.natural(k[0]), t.code(k[1])
		slot := t.scope.Bind(uint32(n.X))
		state := t.scope.Bind(uint32(n.X) + 1)
		return eval.Scan(at, bound, slot, state, start, t.code(k[2]))
	case core.NativeOp:
		return eval.Native(prelude.File().Decls[int(n.Val)].Name)
	}
	return eval.Bad()
}

// numbers returns the numbers that all nodes of a list are, if they are.
func (t *translator) numbers(list []core.Ref) ([]float64, bool) {
	for _, k := range list {
		if t.P.Core.Nodes[k].Op != core.NumOp {
			return nil, false
		}
	}
	if len(list) == 0 {
		return nil, false
	}
	out := make([]float64, len(list))
	for i, k := range list {
		out[i] = t.P.Core.Nodes[k].Val
	}
	return out, true
}

func (t *translator) codes(list []core.Ref) []*eval.Code {
	out := make([]*eval.Code, len(list))
	for i, k := range list {
		out[i] = t.code(k)
	}
	return out
}

// bind gives slots to what a pattern binds at one level.
func (t *translator) bind(n *core.Node) (first int) {
	for i := range int(n.Val) {
		slot := t.scope.Bind(uint32(n.X) + uint32(i))
		if i == 0 {
			first = slot
		}
	}
	return first
}

func (t *translator) variable(n *core.Node) *eval.Code {
	if slot, ok := t.scope.Slot(uint32(n.X)); ok {
		return eval.Variable(slot)
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
		inner := &translator{Defaults: t.Defaults, decl: t.decl, scope: eval.NewScope(nil), deep: t.deep}
		code := inner.code(d.U)
		if t.failed = inner.failed; t.failed {
			return code
		}
		c = eval.Shared(inner.scope, code)
		if t.shared == nil {
			t.shared = map[core.Var]*eval.Code{}
		}
		t.shared[n.X] = c
	}
	return c
}

// input reports an input, which a def that is a let uses.
func (t *translator) input(n *core.Node) *eval.Code {
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
	return eval.Bad()
}

func (t *translator) path(n *core.Node) *eval.Code {
	c := t.variable(n)
	for _, i := range t.P.Core.Args[n.A:n.B] {
		c = eval.Project(nil, "", c, eval.Natural(uint64(i)))
	}
	return c
}

func (t *translator) data(i int) *eval.Code {
	x := &t.P.Data[i]
	if x.Bad {
		return eval.Bad()
	}
	x.Used = true
	if v := &x.Value; v.Chunk != nil { // it is stored after all
		t.P.Guard.Announce(8 * int64(v.Rows) * int64(x.Shape.A.Width()))
		v.Data = make([]float64, v.Rows*x.Shape.A.Width())
		if err := v.Chunk(v.Data, 0, t.P.Guard.Check); err != nil {
			syntax.Abort(err)
		}
		v.Chunk = nil
	}
	return eval.Constant(x.Value)
}

// natural translates a static number.
func (t *translator) natural(r core.Ref) eval.Nat {
	switch n := &t.P.Core.Nodes[r]; n.Op {
	case core.VarOp:
		slot, _ := t.scope.Slot(uint32(n.X))
		return eval.Index(slot)
	case core.ArithmeticOp:
		return eval.Arithmetic(t.P.Core.Places[r], syntax.Token(n.Val), t.natural(n.A), t.natural(n.B))
	default:
		return eval.Natural(uint64(n.Val))
	}
}

// function translates λs that stand directly in one another.
func (t *translator) function(r core.Ref) *eval.Code {
	at := &eval.At{Span: core.WordAt(t.P.File, t.P.Core.Nodes[r].Pos)}
	outer := t.scope
	t.scope = eval.NewScope(outer)
	var params []int
	for t.P.Core.Nodes[r].Op == core.LamOp {
		n := &t.P.Core.Nodes[r]
		params = append(params, t.scope.Bind(uint32(n.X)))
		r = n.A
	}
	body := t.code(r)
	inner := t.scope
	t.scope = outer
	return eval.Function(at, inner, params, body)
}

// call translates an application to all its arguments.
func (t *translator) call(r core.Ref) *eval.Code {
	var args []core.Ref // the last one first
	for t.P.Core.Nodes[r].Op == core.AppOp {
		args = append(args, t.P.Core.Nodes[r].B)
		r = t.P.Core.Nodes[r].A
	}
	f := t.code(r)
	codes := make([]*eval.Code, len(args))
	for i, a := range args {
		codes[len(args)-1-i] = t.code(a)
	}
	return eval.Call(f, codes)
}
