package property

import (
	"cmp"
	"fmt"
	"math"
	"slices"

	"pgregory.net/rapid"

	"github.com/gram-machine/gram/term"
)

// Program is a random term with its free variables, the inputs, and a point.
type Program struct {
	Term   *term.Term
	Inputs []term.Var
	Point  []float64
}

// Source makes the choices of which a program consists.
type Source interface {
	// Int returns a number from least to most; the label says of what.
	Int(least, most int, label string) int
}

// drawn makes choices by drawing them.
type drawn struct{ t *rapid.T }

func (d drawn) Int(least, most int, label string) int {
	return rapid.IntRange(least, most).Draw(d.t, label)
}

// MaxSize bounds the symbols of what is made.
const MaxSize = 60

// Options bound what is made.
type Options struct {
	Size   int  // about how many symbols, never more than MaxSize; 0 means MaxSize
	Smooth bool // no conditionals and no symbols with a kink
	Vector bool // a body of type R^k instead of R
	Any    bool // a body of any type without a linear negation

	Recursive bool // with inductive types and recursion that ends

	families bool // see [Families]
	scale    int  // see [Sized]
	duals    bool // see [Linear]
	written  bool // see [LinearOf]
}

// Draw makes a program whose body has type R, or what opt says.
func Draw(t *rapid.T, opt Options) *Program {
	return drawAtMost(t, opt, MaxSize)
}

// drawAtMost makes a program of at most so many symbols. A term is finished when its budget is used up, which takes
// some symbols more.
func drawAtMost(t *rapid.T, opt Options, symbols int64) *Program {
	for opt.Size = cmp.Or(opt.Size, MaxSize); ; opt.Size = opt.Size * 2 / 3 {
		if p := draw(drawn{t}, opt); p.Term.Size() <= symbols {
			return p
		}
	}
}

// Mixed makes a term of about size symbols. Each third has dual λs.
func Mixed(t *rapid.T, size int) *term.Term {
	if rapid.IntRange(0, 2).Draw(t, "linear") == 0 {
		return Linear(t, size)
	}
	return Draw(t, Options{Size: size}).Term
}

// draw makes a program of about opt.Size symbols.
func draw(t Source, opt Options) *Program {
	tt := term.NewTypes()
	g := &generator{t: t, q: term.New(tt), tt: tt, opt: opt, budget: opt.Size}
	p := &Program{Term: g.q}
	g.q.Data = []term.Data{{Name: "xs", List: true, Rows: 3, Width: 1, Values: []float64{0.5, -1, 2}},
		{Name: "ys", List: true, Rows: 2, Width: 2, Values: []float64{1, 2, 3, -0.25}},
		{Name: "c", Rows: 1, Width: 1, Values: []float64{0.75}}}
	inputs, named := g.inputs()
	for i := range inputs {
		x := g.q.NewVar(term.VarInfo{Name: inputName(i), Type: term.R})
		p.Inputs = append(p.Inputs, x)
		p.Point = append(p.Point, g.number())
	}
	g.env = append(g.env, p.Inputs[:named]...)
	if len(p.Inputs) > 0 {
		g.groups = []group{{p.Inputs[0], len(p.Inputs)}}
	}
	if opt.Recursive {
		g.declare()
	}
	body := term.R
	switch {
	case opt.Any:
		body = g.typ(2)
	case opt.Vector:
		body = tt.Vec(t.Int(1, 3, "outputs"), term.R)
	}
	g.q.Root = g.term(body, 6)
	return p
}

type generator struct {
	t      Source
	q      *term.Term
	tt     *term.Types
	opt    Options
	env    []term.Var
	budget int
	names  int
	// For terms with families:
	indices []indexed // in scope
	groups  []group   // of the variables in scope
	// For terms with recursion, or with dual λs:
	tree           term.Type
	stream, option term.Inductive
}

// choose is a number below n. A draw prefers small numbers. Of terms with dual λs these would be the same few forms: a
// factor spreads it.
func (g *generator) choose(n int, label string) int {
	if g.opt.duals {
		return g.t.Int(0, 1<<12-1, label) * 1571 % n
	}
	return g.t.Int(0, n-1, label)
}

// inputs is how many inputs there are, and how many of them are variables that a term finds by their type.
func (g *generator) inputs() (all, named int) {
	named = g.choose(4, "inputs")
	if g.opt.scale == 0 || g.choose(2, "scaled") == 1 {
		return named, named
	}
	return named * g.opt.scale, named
}

func inputName(i int) string {
	if i < 3 {
		return "xyz"[i : i+1]
	}
	return fmt.Sprint("x", i)
}

func (g *generator) number() float64 {
	return float64(g.t.Int(-8, 8, "number")) / 4
}

func (g *generator) fresh(ty term.Type) term.Var {
	g.names++
	return g.q.NewVar(term.VarInfo{Name: "v", Type: ty, Pos: term.Pos(g.names)})
}

// typ draws a type of at most the given depth.
func (g *generator) typ(depth int) term.Type {
	switch {
	case g.opt.duals && g.choose(3, "number or dual") > 0:
		return g.numberOrDual()
	case depth == 0:
		return term.R
	}
	if g.opt.Recursive && g.choose(5, "inductive type") == 0 {
		return g.inductive(depth - 1)
	}
	switch g.choose(6, "type") {
	case 0, 1, 2:
		return term.R
	case 3:
		return g.tt.Prod(g.typ(depth-1), g.typ(depth-1))
	case 4:
		return g.tt.Arrow(g.typ(depth-1), g.typ(depth-1))
	}
	return g.tt.Vec(g.length(1, 3, "length"), g.component(depth-1))
}

// component draws the type of the components of a vector: with dual λs it is R.
func (g *generator) component(depth int) term.Type {
	if g.opt.duals {
		return term.R
	}
	return g.typ(depth)
}

// with makes what f makes, with xs in scope.
func (g *generator) with(xs []term.Var, f func() term.Ref) term.Ref {
	n := len(g.env)
	g.env = append(g.env, xs...)
	r := f()
	g.env = g.env[:n]
	return r
}

// scoped makes a term with xs in scope.
func (g *generator) scoped(xs []term.Var, ty term.Type, depth int) term.Ref {
	return g.with(xs, func() term.Ref { return g.term(ty, depth) })
}

// term makes a term of the type.
func (g *generator) term(ty term.Type, depth int) term.Ref {
	g.budget--
	if depth <= 0 || g.budget <= 0 {
		return g.leaf(ty)
	}
	if g.opt.Recursive {
		switch g.choose(6, "recursive form") {
		case 0:
			of := g.inductive(1)
			return g.match(g.term(of, depth-1), of, ty, depth, nil)
		case 1:
			return g.recursion(ty, depth)
		}
	}
	if g.opt.scale > 0 && g.choose(4, "a chain") == 3 {
		return g.chain(ty, depth)
	}
	if g.opt.duals && !g.opt.written && g.choose(12, "a linear variable") == 0 { // t[b:=u] with ⊢ u
		u, b := g.term(term.R, depth-1), g.linearVar()
		return g.q.Let(g.pos(), b, u, g.scoped([]term.Var{b}, ty, depth-1))
	}
	switch g.choose(12, "form") {
	case 0:
		return g.leaf(ty)
	case 1:
		a := g.typ(2)
		u := g.term(a, depth-1)
		x := g.fresh(a)
		return g.q.Let(g.pos(), x, u, g.scoped([]term.Var{x}, ty, depth-1))
	case 2:
		a, b := g.typ(1), g.typ(1)
		u := g.term(g.tt.Prod(a, b), depth-1)
		xs := []term.Var{g.fresh(a), g.fresh(b)}
		body := g.scoped(xs, ty, depth-1)
		if g.choose(2, "opening") == 0 {
			return g.q.Unpair(g.pos(), xs[0], xs[1], u, body)
		}
		return g.q.Untuple(g.pos(), xs, u, body)
	case 3:
		a, n := g.component(1), g.length(1, 3, "length")
		u := g.term(g.tt.Vec(n, a), depth-1)
		var xs []term.Var
		for range n {
			xs = append(xs, g.fresh(a))
		}
		return g.q.Unvec(g.pos(), xs, u, g.grouped(xs, ty, depth-1))
	case 4, 5:
		a := g.typ(2)
		f := g.term(g.tt.Arrow(a, ty), depth-1)
		return g.q.App(g.pos(), f, g.term(a, depth-1))
	case 6:
		if g.opt.Smooth {
			break
		}
		c := term.Compare(g.choose(4, "comparison"))
		return g.q.If(g.pos(), c, g.term(term.R, depth-1), g.term(term.R, depth-1), g.term(ty, depth-1), g.term(ty, depth-1))
	case 7:
		return g.iteration(ty, depth)
	}
	return g.constructor(ty, depth)
}

func (g *generator) pos() term.Pos { return term.Pos(len(g.q.Nodes)) }

// iteration applies a numeral, a list or data to a function and a start.
func (g *generator) iteration(ty term.Type, depth int) term.Ref {
	var l term.Ref
	elem := term.R
	kinds := 4
	if g.opt.scale > 0 || g.opt.duals {
		kinds = 2 // no data
	}
	which := g.choose(kinds, "iteration")
	switch which {
	case 0:
		l = g.q.Nat(g.pos(), uint64(g.length(0, 3, "count")), ty)
	case 1:
		elem = g.typ(1)
		if g.opt.scale > 0 || g.opt.families && g.choose(2, "all values") == 0 {
			l = g.listFamily(elem, ty, depth-1)
			break
		}
		var elems []term.Ref
		for range g.choose(4, "elements") {
			elems = append(elems, g.term(elem, depth-2))
		}
		l = g.q.List(g.pos(), elem, ty, elems)
	case 2:
		l = g.q.DataRef(g.pos(), 0, elem, ty)
	case 3:
		elem = g.tt.Vec(2, term.R)
		l = g.q.DataRef(g.pos(), 1, elem, ty)
	}
	step := g.tt.Arrow(ty, ty)
	if which > 0 {
		step = g.tt.Arrow(elem, step)
	}
	if g.choose(4, "through a variable") == 0 {
		lt := g.tt.Arrow(step, g.tt.Arrow(ty, ty))
		x := g.fresh(lt)
		f, s := g.term(step, depth-1), g.term(ty, depth-2)
		return g.q.Let(g.pos(), x, l, g.q.App(g.pos(), g.q.App(g.pos(), g.q.Variable(g.pos(), x), f), s))
	}
	f := g.term(step, depth-1)
	return g.q.App(g.pos(), g.q.App(g.pos(), l, f), g.term(ty, depth-2))
}

var smooth = []term.Symbol{term.Mul, term.Sub, term.Mul, term.Neg, term.Sin, term.Cos, term.Tanh, term.Sigmoid,
	term.Atan, square, blend, scale}

// square, blend and scale are symbols that a program declares: square x is x², blend x y is x·y + y, and scale x y z is
// blend x y · z. They map rationals to rationals.
var (
	square = declare("square", operation(term.Mul, argument(0), argument(0)),
		operation(term.NoSymbol, argument(0), argument(0)))
	blend = declare("blend", operation(term.NoSymbol, operation(term.Mul, argument(0), argument(1)), argument(1)),
		argument(1), operation(term.NoSymbol, argument(0), term.Partial{Const: 1}))
	scale = declare("scale", operation(term.Mul, operation(blend, argument(0), argument(1)), argument(2)),
		operation(term.Mul, argument(1), argument(2)), operation(term.Mul,
			operation(term.NoSymbol, argument(0), term.Partial{Const: 1}), argument(2)),
		operation(blend, argument(0), argument(1)))
)

func argument(i int) term.Partial { return term.Partial{Kind: term.PartialVar, Var: i} }

func operation(f term.Symbol, args ...term.Partial) term.Partial {
	return term.Partial{Kind: term.PartialFun, Fun: f, Args: args}
}

func declare(name string, value term.Partial, partials ...term.Partial) term.Symbol {
	f, err := term.Declare(name, value, partials)
	if err != nil {
		panic(err) // there is room for three
	}
	return f
}

var kinked = []term.Symbol{term.Relu, term.Step, term.Abs, term.Sign, term.Min, term.Max}

func (g *generator) constructor(ty term.Type, depth int) term.Ref {
	kind := g.tt.Kind(ty)
	if g.opt.duals {
		if r := g.dualTerm(ty, depth); r != 0 {
			return r
		}
	}
	if g.opt.scale > 0 && kind == term.VecKind || g.opt.families && (kind == term.VecKind || ty == term.R) &&
		g.choose(2, "comprehension") == 0 {
		return g.family(ty, depth)
	}
	switch kind {
	case term.MuKind:
		return g.construct(ty, depth)
	case term.ProdKind, term.VecKind, term.ArrowKind:
		return g.compose(ty, func(ty term.Type) term.Ref { return g.term(ty, depth-1) })
	}
	if g.choose(3, "operation") == 0 {
		return g.q.Add(g.pos(), g.term(term.R, depth-1), g.term(term.R, depth-1))
	}
	symbols := smooth
	switch {
	case g.opt.duals:
		symbols = []term.Symbol{term.Mul}
	case !g.opt.Smooth:
		symbols = append(symbols[:len(symbols):len(symbols)], kinked...)
	}
	if g.opt.scale > 0 {
		symbols = append(symbols[:len(symbols):len(symbols)], term.Pow, term.Div)
	}
	f := symbols[g.choose(len(symbols), "symbol")]
	var args []term.Ref
	for range f.Info().Arity {
		args = append(args, g.term(term.R, depth-1))
	}
	return g.q.Fun(g.pos(), f, args...)
}

// compose makes a pair, a vector or a function of parts.
func (g *generator) compose(ty term.Type, part func(ty term.Type) term.Ref) term.Ref {
	left, right := g.tt.Left(ty), g.tt.Right(ty)
	switch g.tt.Kind(ty) {
	case term.ProdKind:
		return g.q.Pair(g.pos(), part(left), part(right))
	case term.VecKind:
		return g.components(ty, func() term.Ref { return part(left) })
	}
	x := g.fresh(left)
	return g.q.Lam(g.pos(), x, g.with([]term.Var{x}, func() term.Ref { return part(right) }))
}

// leaf makes a small term: a variable of the type if there is one.
func (g *generator) leaf(ty term.Type) term.Ref {
	if g.opt.families && g.choose(2, "indexed") == 0 {
		if r := g.indexedLeaf(ty); r != 0 {
			return r
		}
	}
	fit := g.variables(ty)
	if len(fit) > 0 && g.choose(4, "a variable") > 0 {
		return g.q.Variable(g.pos(), fit[g.choose(len(fit), "variable")])
	}
	switch g.tt.Kind(ty) {
	case term.MuKind:
		return g.construct(ty, 0)
	case term.VecKind:
		if g.opt.scale > 0 {
			return g.family(ty, 1)
		}
		return g.compose(ty, g.leaf)
	case term.ProdKind, term.ArrowKind:
		return g.compose(ty, g.leaf)
	case term.DualKind:
		return g.dualLam(ty, 0)
	}
	if g.opt.scale == 0 && !g.opt.duals && g.choose(6, "a datum") == 0 {
		return g.q.DataRef(g.pos(), 2, term.R, 0)
	}
	return g.q.Num(g.pos(), g.number())
}

// variables are those in scope of the type.
func (g *generator) variables(ty term.Type) []term.Var {
	return slices.DeleteFunc(slices.Clone(g.env), func(x term.Var) bool { return g.q.TypeOf(x) != ty })
}

// Close reports whether a and b agree to a relative tolerance, absolute below 1;
// two NaNs agree, and so do equal infinities.
func Close(a, b, tolerance float64) bool {
	if a == b || math.IsNaN(a) && math.IsNaN(b) {
		return true
	}
	return math.Abs(a-b) <= tolerance*math.Max(1, math.Max(math.Abs(a), math.Abs(b)))
}
