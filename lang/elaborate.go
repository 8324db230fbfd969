package lang

import (
	"reflect"

	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/infer"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/resolve"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// elaborator turns syntax into [core]. It works through a stack of frames, and
// keeps what they have produced on a stack of results, so that no nesting of the
// program becomes nesting of Go calls.
type elaborator struct {
	opt     Options
	source  *load.Source
	given   *load.Settings
	params  []Param
	scalars int // of the inputs so far
	inputs  []load.Variable
	data    []load.Variable
	user    *resolve.Unit
	prelude *resolve.Unit
	globals []global
	// declared has the place in globals of each declaration of the file.
	declared []int
	names    map[string]int // the first declaration of each name
	library  map[string]int // the prelude's declarations, and after them the primitives'

	tt   *infer.Types
	core *core

	frames  []frame
	vals    []val
	args    []binding // arguments that wait for their function, the first on top
	slots   []binding // local names of all activations
	acts    []activation
	opens   []opening // binders to be put around what is being elaborated
	pending []pending
	waiting []waiting
	inLin   int // how many lin are around what is being elaborated
	lins    int // how many have been elaborated
	// notLinear is how many of diags are of checkLinear, if all are.
	notLinear int
	marks     []mark // of the nodes inside lin, in their order
	// values tells that a default value is being elaborated: there are no inputs, the
	// bodies of comprehensions stand for all their indices, and definitions of the
	// prelude for what package eval runs.
	values bool
	lets   map[variable]node       // the defs that are lets
	shared map[variable]*eval.Code // what default values use of them

	dataGlobals []int // by data index: its global
	dataVars    map[variable]int
	last        syntax.Span // the last comprehension or name, for the limit's message

	defs     []outer // what stands around the body: defs that are lets, in order
	ticks    uint32
	work     int // nodes and expansions so far
	diags    []syntax.Diagnostic
	reported map[reportKey]bool
	chained  []syntax.Note // the chain of what waited and goes on, if not nil
	uses     []useOf       // of defs, inside lin
	failed   error         // a limit: nothing more is done
}

func (e *elaborator) push(f frame) { e.frames = append(e.frames, f) }

func (e *elaborator) pushEval(x syntax.Expr) { e.push(frame{op: evalFrame, e: x}) }

func (e *elaborator) result(v val) {
	e.mark(v)
	e.vals = append(e.vals, v)
}

func (e *elaborator) pop() val {
	v := e.vals[len(e.vals)-1]
	e.vals = e.vals[:len(e.vals)-1]
	return v
}

func (e *elaborator) act() *activation { return &e.acts[len(e.acts)-1] }

func (e *elaborator) expr(x syntax.Expr) *syntax.ExprNode { return e.act().unit.File.Expr(x) }

func (e *elaborator) kids(x syntax.Expr) []syntax.Expr { return e.act().unit.File.Kids(x) }

// span returns where messages about x point to: in the prelude, where it is used.
func (e *elaborator) span(x syntax.Expr) syntax.Span {
	a := e.act()
	if a.unit.Prelude {
		return a.use
	}
	return a.unit.File.Expr(x).Span
}

// at turns an offset in the present unit into a position of the program.
func (e *elaborator) at(off uint32) term.Pos {
	a := e.act()
	if a.unit.Prelude {
		return posOf(a.use)
	}
	return term.Pos(off) + 1
}

func posOf(s syntax.Span) term.Pos { return term.Pos(s.Start) + 1 }

// tick counts a step, and asks from time to time whether to go on.
func (e *elaborator) tick() error {
	e.ticks++
	if e.ticks&(tickEvery-1) == 0 && e.failed == nil {
		if e.opt.Check != nil {
			e.failed = e.opt.Check()
		}
		if nodes := e.core.nodes; e.failed == nil && cap(nodes)-len(nodes) < tickEvery {
			e.failed = reserve(e, len(nodes)+len(nodes)/4, nodes) // they will be copied to a larger slice
		}
	}
	return e.failed
}

// tickEvery is how many ticks pass between two looks at the limits.
const tickEvery = 1 << 14

// reserve asks whether there is memory for n more elements of a slice.
func reserve[T any](e *elaborator, n int, _ []T) error {
	if e.opt.Reserve == nil {
		return nil
	}
	return e.opt.Reserve(int64(n) * int64(reflect.TypeFor[T]().Size()))
}

// run works until no more than n frames are left.
func (e *elaborator) run(n int) error {
	for len(e.frames) > n {
		if err := e.tick(); err != nil {
			return err
		}
		f := e.frames[len(e.frames)-1]
		e.frames = e.frames[:len(e.frames)-1]
		if e.work+len(e.core.nodes) > e.opt.MaxNodes {
			return e.tooLarge()
		}
		e.step(f)
		if e.failed != nil {
			return e.failed
		}
	}
	return nil
}

func (e *elaborator) step(f frame) {
	switch f.op {
	case evalFrame:
		e.eval(f.e, f.n)
	case prepareFrame:
		e.prepare(f.e, f.n)
	case preparedFrame:
		e.prepared(f.n)
	case applyFrame:
		e.apply(f.n)
	case popArgFrame:
		e.popArg()
	case appFrame:
		e.app()
	case primFrame:
		e.primitive(f.prim, f.span)
	case spanFrame:
		e.vals[len(e.vals)-1].span = f.span
		e.mark(e.vals[len(e.vals)-1])
	case wrapFrame:
		e.wrap(f.n)
	case leaveFrame:
		e.leave(f)
	case resultFrame:
		e.annotate(e.act().unit.File.Decls[f.n].Type, "the result of "+e.act().unit.File.Decls[f.n].Name+" is declared")
	case wantFrame:
		e.wantAnnotation(f)
	default:
		e.build(f)
	}
}

// build makes the node of an expression whose parts have been elaborated.
func (e *elaborator) build(f frame) {
	switch f.op {
	case binFrame:
		e.binary(f.e)
	case negFrame:
		e.negate(f.e)
	case powFrame:
		e.power(f.e, natural{f.i, node(f.n)})
	case projFrame:
		e.project(f.e, int(f.i))
	case compFrame:
		e.comprehend(f)
	case lateCompFrame:
		e.endLate(f)
	case lateProjFrame:
		e.projectLate(f)
	case nativeFrame:
		v := &e.vals[len(e.vals)-1]
		v.node = e.core.add(coreNode{op: nativeCore, val: float64(f.n), value: true})
	case linFrame:
		e.endLin()
	case ifFrame:
		e.branch(f.e)
	case letFrame:
		e.let(f.e)
	case annotFrame:
		e.annotate(e.expr(f.e).Type, "the annotation says")
	case tupleFrame:
		e.tuple(f.e)
	case listFrame:
		e.listLiteral(f.e, f.n)
	case vectorFrame:
		e.vector(f.e, f.n)
	}
}

// eval elaborates x, applied to the first n of the waiting arguments.
func (e *elaborator) eval(x syntax.Expr, n int) {
	e.last = e.span(x)
	switch e.expr(x).Kind {
	case syntax.NameExpr:
		b := e.meaning(x)
		span := e.span(x)
		if e.act().unit.Prelude && b.span.End > 0 {
			span = b.span
		}
		e.use(b, span, n)
		return
	case syntax.OpExpr:
		e.use(binding{kind: primBinding, g: e.library[e.expr(x).Op.String()]}, e.span(x), n)
		return
	case syntax.AppExpr:
		e.spine(x, n)
		return
	}
	if n > 0 {
		e.push(frame{op: applyFrame, n: n})
	}
	e.form(x)
}

// form elaborates an expression that is neither a name nor an application.
func (e *elaborator) form(x syntax.Expr) {
	n, kids := e.expr(x), e.kids(x)
	switch n.Kind {
	case syntax.NumExpr:
		e.number(n.Num, e.span(x))
	case syntax.ChurchExpr:
		if s, ok := e.natural(kids[0]); ok {
			e.church(s, e.span(x))
		} else {
			e.bad(e.span(x))
		}
	case syntax.SizeExpr:
		if s, ok := e.nat(x); ok {
			e.number(float64(s), e.span(x))
		} else {
			e.bad(e.span(x))
		}
	case syntax.BinExpr:
		e.parts(frame{op: binFrame, e: x}, kids)
	case syntax.NegExpr:
		e.parts(frame{op: negFrame, e: x}, kids)
	case syntax.IfExpr:
		e.parts(frame{op: ifFrame, e: x}, kids)
	case syntax.AnnotExpr:
		e.parts(frame{op: annotFrame, e: x}, kids)
	case syntax.TupleExpr:
		e.parts(frame{op: tupleFrame, e: x}, kids)
	case syntax.ListExpr:
		e.parts(frame{op: listFrame, e: x, n: len(kids)}, kids)
	case syntax.VectorExpr:
		e.parts(frame{op: vectorFrame, e: x, n: len(kids)}, kids)
	case syntax.PowExpr:
		s, ok := e.natural(kids[1])
		if !ok {
			s.n = 1
		}
		e.parts(frame{op: powFrame, e: x, i: s.n, n: int(s.late)}, kids[:1])
	case syntax.ProjExpr:
		e.projection(x)
	case syntax.CompExpr:
		e.comprehension(x)
	case syntax.FunExpr:
		e.push(frame{op: spanFrame, span: e.span(x)})
		e.push(frame{op: wrapFrame, n: len(e.opens)})
		for _, p := range e.act().unit.File.Pats(x) {
			e.openFun(p)
		}
		e.pushEval(kids[0])
	case syntax.LetExpr:
		e.startLet(x)
	case syntax.LinExpr:
		e.startLin(x)
	case syntax.CsvExpr:
		e.reportHere(e.span(x), "csv outside of a declaration", "csv gives an input or data its value: data xs = csv …")
		e.bad(e.span(x))
	default:
		e.bad(e.span(x))
	}
}

// parts elaborates the kids, and then goes on with f.
func (e *elaborator) parts(f frame, kids []syntax.Expr) {
	e.push(f)
	for i := len(kids) - 1; i >= 0; i-- {
		e.pushEval(kids[i])
	}
}

// bad is the result where an error has been reported: it has any type.
func (e *elaborator) bad(span syntax.Span) {
	e.result(val{node: e.core.add(coreNode{}), typ: e.tt.Open(), span: span})
}

func (e *elaborator) number(r float64, span syntax.Span) {
	e.result(val{e.core.add(coreNode{op: numCore, pos: posOf(span), val: r, value: true}), infer.R, span, span})
}

func (e *elaborator) church(n natural, span syntax.Span) {
	t := e.tt.Nat(e.tt.Open())
	c := coreNode{op: natCore, pos: posOf(span), val: float64(n.n), typ: t, value: true}
	if n.late != 0 {
		c.op, c.a = churchCore, n.late
	}
	e.result(val{e.core.add(c), t, span, span})
}
