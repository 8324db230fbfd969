package elaborate

import (
	"fmt"

	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/eval"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// Elaborator turns the syntax of one program into core.
type Elaborator struct {
	*core.Program
	Params  []Param
	Symbols []Symbol            // that the program declares
	Limits  map[int]core.Limits // of the numbers of data, by data
	Random  bool                // default values have random numbers

	opt     Options
	source  *load.Source
	given   *load.Settings
	user    *unit
	prelude *unit
	globals []global
	// declared has the place in globals of each declaration of the file.
	declared []int
	names    map[string]int // the first of each name that is declared
	library  map[string]int // the prelude's declarations, and after them the primitives'
	cons     map[string]int // the constructors
	slopes   map[string]int // the partial derivatives of declared symbols
	types    map[string]int // the declared types: their numbers in core.Types.Inductives
	// typeDecls has the declaration of each type. Types see those before typesSeen; typeParams are those of the one
	// that is being declared.
	typeDecls  []int
	typesSeen  int
	typeParams map[string]core.Type

	binders map[term.Index]comprehended // of the indices of families

	attempt
	defaults eval.Defaults
	numbers  core.Numbers // that may be indices
	notes    typeNotes
}

// attempt is what changes while an expression is elaborated. A copy of it, with the sizes of core, undoes the attempt
// to make a family: see snapshot.
type attempt struct {
	ends    []func(val) val   // the work that is left to do with the value of a tail
	args    []binding         // arguments that wait for their function, the first on top
	slots   []binding         // local names of all activations
	act     *activation       // the present one
	opens   []core.Opening    // binders to be put around what is being elaborated
	pending []func(open bool) // checks for the end, when types are known; open tells that sizes may stay open
	waiting []waiting
	expect  []core.Type // of the parameters of the next function, as far as they are known; 0: not known
	typed   bool        // the function that fold or foldl takes next gets the type of its state
	inLin   int         // how many lin are around what is being elaborated
	lins    int         // how many have been elaborated
	// notLinear is how many of diags are of the check of linear variables, if all are.
	notLinear int
	marks     []core.Mark // of the nodes inside lin, in their order
	badSize   bool        // a size of a vector has been reported
	// values tells that a default value is being elaborated: there are no inputs, the bodies of comprehensions stand
	// for all their indices, and definitions of the prelude for what package eval runs.
	values bool
	fam    families
	facts  []fact

	last syntax.Span // the last comprehension or name, for the limit's message

	depth    int // of what is being elaborated
	work     int // expansions and rounds of comprehensions so far
	diags    []syntax.Diagnostic
	reported map[reportKey]bool
	large    error            // that the expansion of families is too large, with the first place where it was
	chained  []syntax.Note    // the chain of what waited and goes on, if not nil
	random   bool             // the default value has uniform or normal
	selects  bool             // the program mentions pick or onehot
	later    []core.Type      // what operations give whose operands were open
	indices  []core.Selection // of pick and onehot
	alone    bool             // a def is elaborated that nobody uses: its parameters may be static numbers
}

func (e *Elaborator) expr(x syntax.Expr) *syntax.ExprNode { return e.act.unit.File.Expr(x) }

func (e *Elaborator) kids(x syntax.Expr) []syntax.Expr { return e.act.unit.File.Kids(x) }

// shown returns where messages about a span of a unit point to: in the prelude, where it is used.
func (e *Elaborator) shown(u *unit, s syntax.Span) syntax.Span {
	if u.Prelude {
		return e.act.use
	}
	return s
}

// span is [Elaborator.shown] of x in the present unit.
func (e *Elaborator) span(x syntax.Expr) syntax.Span { return e.spanIn(e.act.unit, x) }

func (e *Elaborator) spanIn(u *unit, x syntax.Expr) syntax.Span {
	return e.shown(u, u.File.Expr(x).Span)
}

func (e *Elaborator) patSpan(p syntax.Pat) syntax.Span {
	u := e.act.unit
	return e.shown(u, u.File.Pat(p).Span)
}

// at turns an offset in the present unit into a position of the program.
func (e *Elaborator) at(off uint32) term.Pos {
	return core.PosOf(e.shown(e.act.unit, syntax.Span{Start: off}))
}

// eval elaborates x, applied to the first n of the waiting arguments.
func (e *Elaborator) eval(x syntax.Expr, n int) val { return e.tail(len(e.ends), x, n, val{}) }

// tail elaborates x, applied to n arguments; if x is 0, v is its value. An expression
// whose value is that of a part of it leaves the rest of its work to e.ends, so a chain of
// lets or of definitions nests no calls. It ends when all ends from base on have run.
func (e *Elaborator) tail(base int, x syntax.Expr, n int, v val) val {
	if e.depth++; e.depth > maxDepth {
		e.tooLarge(fmt.Sprintf("expressions and the definitions that they use nest more than %d deep", maxDepth))
	}
	for x != 0 {
		if e.fam.failed {
			e.args = e.args[:len(e.args)-n]
			x, v = 0, e.bad(e.span(x))
			break
		}
		e.step()
		e.last = e.span(x)
		x, n, v = e.enter(x, n)
	}
	for len(e.ends) > base {
		end := syntax.Pop(&e.ends)
		e.step()
		v = end(v)
	}
	e.depth--
	return v
}

// maxDepth bounds the nesting of an expression with the definitions that it uses. A source
// nests much less, but a def may use another inside parentheses, and so on.
const maxDepth = 1 << 17

// step counts a step, and checks the limit on expansion.
func (e *Elaborator) step() {
	e.Tick()
	if e.large == nil && e.expanded() > float64(e.opt.MaxNodes) {
		e.large = e.sizeError(e.manyNodes())
	}
	if e.work+len(e.Core.Nodes) > e.opt.MaxNodes {
		e.TooManyNodes()
	}
}

// finally adds work on the value of the tail, which is done before all that was added earlier.
func (e *Elaborator) finally(end func(val) val) { e.ends = append(e.ends, end) }

// enter elaborates x, applied to n arguments, up to a part of it that it ends with: it
// returns that part with the number of its arguments, or no part and the value of x.
func (e *Elaborator) enter(x syntax.Expr, n int) (syntax.Expr, int, val) {
	node := e.expr(x)
	if node.Kind != syntax.FunExpr && node.Kind != syntax.NameExpr {
		e.expect = nil
	}
	switch node.Kind {
	case syntax.NameExpr:
		b := e.meaning(x)
		span := e.span(x)
		if e.act.unit.Prelude && b.span.End > 0 {
			span = b.span
		}
		return e.use(b, span, n)
	case syntax.OpExpr:
		return e.use(binding{kind: primBinding, g: e.library[node.Op.String()]}, e.span(x), n)
	case syntax.AppExpr:
		return e.spine(x, n)
	}
	e.applyTo(n)
	switch node.Kind {
	case syntax.FunExpr:
		e.spanned(e.span(x))
		e.wrapped()
		e.expectInFoldl(x)
		for _, p := range e.act.unit.File.Pats(x) {
			e.openFun(p)
		}
		e.expect = nil
		return e.kids(x)[0], 0, val{}
	case syntax.LetExpr:
		return e.let(x), 0, val{}
	case syntax.RecExpr:
		body, v := e.letRec(x)
		return body, 0, v
	case syntax.LinExpr:
		if !e.values {
			return e.lin(x), 0, val{}
		}
		e.reportHere(e.span(x), "lin in a default value", "default values are numbers; lin has no meaning among them")
	}
	return 0, 0, e.form(x, node, e.kids(x))
}

// applyTo applies the value of the tail to n arguments.
func (e *Elaborator) applyTo(n int) {
	if n > 0 {
		e.finally(func(v val) val { return e.apply(v, n) })
	}
}

// spanned puts the value of the tail at span.
func (e *Elaborator) spanned(span syntax.Span) {
	e.finally(func(v val) val {
		v.span = span
		return e.result(v)
	})
}

// wrapped puts what is opened from now on around the value of the tail.
func (e *Elaborator) wrapped() {
	n := len(e.opens)
	e.finally(func(v val) val { return e.wrap(v, n) })
}

// form elaborates an expression that ends with no part of it.
func (e *Elaborator) form(x syntax.Expr, n *syntax.ExprNode, kids []syntax.Expr) val {
	switch n.Kind {
	case syntax.NumExpr:
		return e.number(n.Num, e.span(x))
	case syntax.ChurchExpr:
		if s, ok := e.natural(e.act.unit, kids[0]); ok {
			if s.static != 0 {
				e.giveUp()
			}
			return e.finish(x, core.Node{Op: core.NatOp, Val: float64(s.n), X: core.Var(s.static), Value: true},
				e.Types.Nat(e.Types.Open()))
		}
	case syntax.SizeExpr:
		if s, ok := e.nat(e.act.unit, x); ok {
			return e.number(float64(s), e.span(x))
		}
	case syntax.BinExpr:
		return e.operations(x)
	case syntax.NegExpr:
		return e.negate(x, e.eval(kids[0], 0))
	case syntax.IfExpr:
		return e.branch(x)
	case syntax.AnnotExpr:
		return e.annotate(e.act.unit, n.Type, e.eval(kids[0], 0), "the annotation says")
	case syntax.TupleExpr:
		return e.tuple(x, e.parts(kids))
	case syntax.ListExpr:
		return e.list(x, e.parts(kids))
	case syntax.VectorExpr:
		return e.vector(x, e.parts(kids))
	case syntax.PowExpr:
		errors := len(e.diags)
		s, ok := e.natural(e.act.unit, kids[1])
		if !ok {
			s.n = 1
		}
		f := e.act.unit.File
		if f.Expr(kids[1]).Kind == syntax.NumExpr || e.meaning(kids[1]).kind <= atomBinding {
			e.suggest(errors, "a power of real numbers is written `pow "+e.headText(f.Expr(kids[0]).Span)+" "+
				e.headText(f.Expr(kids[1]).Span)+"`")
		}
		return e.power(x, s, e.eval(kids[0], 0))
	case syntax.ProjExpr:
		return e.projection(x)
	case syntax.CompExpr:
		return e.comprehension(x)
	case syntax.MatchExpr:
		return e.match(x)
	case syntax.ScanExpr:
		return e.scan(x)
	}
	return e.bad(e.span(x))
}

// suggest adds a note to the first error behind so many, if there is one.
func (e *Elaborator) suggest(behind int, text string) {
	if len(e.diags) > behind {
		e.diags[behind].Notes = append(e.diags[behind].Notes, syntax.Note{Text: text})
	}
}

func (e *Elaborator) parts(kids []syntax.Expr) []val {
	return syntax.Each(len(kids), func(i int) val { return e.eval(kids[i], 0) })
}

// result notes where v stands.
func (e *Elaborator) result(v val) val {
	e.note(v.span, v.typ)
	e.mark(v)
	return v
}

// add adds a node of type t, which stands at span.
func (e *Elaborator) add(n core.Node, t core.Type, span syntax.Span) val {
	n.Type = t
	return e.result(val{e.Core.Add(n), t, span, span})
}

// finish adds the node of x, of type t.
func (e *Elaborator) finish(x syntax.Expr, n core.Node, t core.Type) val {
	n.Pos = e.at(e.expr(x).Span.Start)
	return e.add(n, t, e.span(x))
}

// bad is the value where an error has been reported: it has any type.
func (e *Elaborator) bad(span syntax.Span) val {
	return e.add(core.Node{}, e.Types.Open(), span)
}

func (e *Elaborator) number(r float64, span syntax.Span) val {
	return e.add(core.Node{Op: core.NumOp, Pos: core.PosOf(span), Val: r, Value: true}, e.numberType(r), span)
}

// global is what a declared or predefined name means.
type global struct {
	means binding // bad before it is known, and if an error about it has been reported; of a param a static numeral
	used  bool
	unit  *unit
	decl  int
	name  string
	num   float64   // of a constructor: its number in its type
	n     int       // of data: its index in Program.Data; of a constructor: its type
	x     core.Var  // of data: the variable that stands for a vector
	typ   core.Type // of data that is no list; the type of an element for a list
	list  bool
	prim  core.Prim
}

// declared reports whether a global has a declaration of that kind.
func (g *global) declared(kind syntax.DeclKind) bool {
	return g.unit != nil && g.unit.File.Decls[g.decl].Kind == kind
}

type bindingKind uint8

const (
	badBinding  bindingKind = iota
	atomBinding             // node
	defBinding              // g
	conBinding              // g
	primBinding             // g
	nodeBinding             // an argument that has been elaborated and stands in one place: val
)

// binding is what a local name means, or an argument.
type binding struct {
	kind bindingKind
	// An atom is a node without children, which each occurrence makes anew: a variable or a projection of
	// one, an input or a component of one, data, or a numeral. An index of a comprehension is one that is static.
	node  core.Node
	index bool
	// An argument is static if it is made of numerals, params and such arguments. Its number is node.Val.
	static bool
	let    term.Static // of a variable that let binds to what is made of static numbers, else 0
	g      int
	val    val
	annot  syntax.TypeExpr // of a parameter, for what has its own types at each occurrence
	unit   *unit
	span   syntax.Span
}

// is reports whether a binding is an atom with that constructor.
func (b *binding) is(op core.Op) bool { return b.kind == atomBinding && b.node.Op == op }

// ownTypes reports whether each occurrence has types of its own.
func (b *binding) ownTypes() bool {
	return b.is(core.DataOp) || b.is(core.NatOp) || defBinding <= b.kind && b.kind <= primBinding
}

func numeral(x float64) binding {
	return binding{kind: atomBinding, node: core.Node{Op: core.NumOp, Val: x, Type: core.R}}
}

func (e *Elaborator) bound(x core.Var) binding {
	return binding{kind: atomBinding, node: core.Node{Op: core.VarOp, X: x, Type: e.Core.Info(x).Type}}
}

// val is the result of elaborating an expression.
type val struct {
	node core.Ref
	typ  core.Type
	span syntax.Span // where messages point to
	head syntax.Span // an application: where its function stands
}

// activation is a declaration that is being elaborated: a def in one of its uses, or the body.
type activation struct {
	unit   *unit
	global int // -1: the body
	base   int // of its slots
	scope  *scope
	use    syntax.Span // where the def is used, in the program's file
	outer  *activation // in which it is used
}
