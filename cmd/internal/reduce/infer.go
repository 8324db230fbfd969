package reduce

import (
	"errors"
	"math/big"
	"strings"
	"unicode/utf8"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// ty is a type under inference: a node of a union-find. Types share their parts, so that one may be exponentially larger
// than its nodes are many; no work is done twice for a node.
type ty struct {
	link *ty // what it has been found to be
	kind tyKind
	a, b *ty // of a product or an arrow; a is the R^d of R⊥d
	// euclid says of an unknown type that it is R^d; what stays so is that with an abstract d.
	euclid bool
}

type tyKind uint8

const (
	unknownTy tyKind = iota
	realTy
	prodTy
	arrowTy
	dualTy
)

func (t *ty) find() *ty {
	for t.link != nil {
		t = t.link
	}
	return t
}

// deferred is t u where the type of t was not known yet.
type deferred struct {
	f, arg, result *ty
	at             *node
}

// inference makes a term of package reference of a syntax tree, with its types.
type inference struct {
	types    *term.Types
	ground   denote.Ground
	scope    map[string][]*bound
	free     []*bound
	vars     []*bound
	zeros    map[*reference.Term]*ty
	deferred []deferred
	done     map[*ty]term.Type // of final
	infinite bool              // a type would have to be part of itself
}

// bound is a variable with its type under inference.
type bound struct {
	*reference.Var
	ty   *ty
	span syntax.Span
}

// fail ends the inference.
func (in *inference) fail(span syntax.Span, headline, label string) {
	panic(&syntaxError{syntax.Diagnostic{Span: span, Headline: headline, Label: label}})
}

var real = &ty{kind: realTy}

// written is the type that is written.
func written(t *typeNode) *ty {
	switch t.kind {
	case prodType:
		return &ty{kind: prodTy, a: written(t.left), b: written(t.right)}
	case arrowType:
		return &ty{kind: arrowTy, a: written(t.left), b: written(t.right)}
	case dualType:
		e := &ty{euclid: true}
		if d := t.exponent; d > 0 {
			for e = real; d > 1; d-- {
				e = &ty{kind: prodTy, a: real, b: e}
			}
		}
		return &ty{kind: dualTy, a: e}
	}
	return real
}

// declare makes a variable. A name with a star is that of a dual variable, where nothing else is said.
func (in *inference) declare(name string, linear bool, t *ty, span syntax.Span) *bound {
	switch {
	case t != nil:
	case linear:
		t = real
	case strings.HasSuffix(name, "*"):
		t = &ty{kind: dualTy, a: &ty{euclid: true}}
	default:
		t = &ty{}
	}
	b := &bound{&reference.Var{Name: name, Linear: linear}, t, span}
	in.vars = append(in.vars, b)
	return b
}

// binder declares the variables of a pattern, and returns it and the type that it matches.
func (in *inference) binder(b *binder, found *[]*bound) (*reference.Pattern, *ty) {
	if b.left != nil {
		left, t := in.binder(b.left, found)
		right, u := in.binder(b.right, found)
		return &reference.Pattern{Left: left, Right: right}, &ty{kind: prodTy, a: t, b: u}
	}
	var t *ty
	if b.typ != nil {
		t = written(b.typ)
	}
	for _, x := range *found {
		if x.Name == b.name {
			in.fail(b.span, "a variable is bound twice in one pattern", b.name)
		}
	}
	x := in.declare(b.name, b.linear, t, b.span)
	*found = append(*found, x)
	return &reference.Pattern{X: x.Var}, x.ty
}

// under infers a term with variables in scope.
func (in *inference) under(xs []*bound, t *node) (*reference.Term, *ty) {
	for _, x := range xs {
		in.scope[x.Name] = append(in.scope[x.Name], x)
	}
	u, found := in.term(t)
	for _, x := range xs {
		in.scope[x.Name] = in.scope[x.Name][:len(in.scope[x.Name])-1]
	}
	return u, found
}

func (in *inference) term(t *node) (*reference.Term, *ty) {
	u, found := in.bare(t)
	u.Pos = term.Pos(t.span.Start + 1)
	return u, found
}

func (in *inference) bare(t *node) (*reference.Term, *ty) {
	switch t.kind {
	case nameNode:
		return in.name(t)
	case numberNode:
		return &reference.Term{Op: reference.Numeral, Num: in.number(t)}, real
	case zeroNode:
		u, e := &reference.Term{Op: reference.Zero}, &ty{euclid: true}
		in.zeros[u] = e
		return u, e
	case lambdaNode:
		var xs []*bound
		p, arg := in.binder(t.binder, &xs)
		body, result := in.under(xs, t.kids[0])
		u := &reference.Term{Op: reference.Lambda, X: p.X, Kids: []*reference.Term{body}}
		if p.X.Linear {
			in.euclid(result, t.kids[0].span)
			return u, &ty{kind: dualTy, a: result}
		}
		return u, &ty{kind: arrowTy, a: arg, b: result}
	case letNode:
		var xs []*bound
		p, want := in.binder(t.binder, &xs)
		u, got := in.term(t.kids[1])
		in.unify(got, want, t.kids[1].span)
		body, result := in.under(xs, t.kids[0])
		return &reference.Term{Op: reference.Let, P: p, Kids: []*reference.Term{body, u}}, result
	}
	kids := make([]*reference.Term, len(t.kids))
	tys := make([]*ty, len(t.kids))
	for i, k := range t.kids {
		kids[i], tys[i] = in.term(k)
	}
	switch t.kind {
	case applyNode:
		result := &ty{}
		in.deferred = append(in.deferred, deferred{tys[0], tys[1], result, t})
		in.applications(false)
		return &reference.Term{Op: reference.Apply, Kids: kids}, result
	case pairNode:
		return &reference.Term{Op: reference.MakePair, Kids: kids}, &ty{kind: prodTy, a: tys[0], b: tys[1]}
	case plusNode:
		in.unify(tys[1], tys[0], t.kids[1].span)
		in.euclid(tys[0], t.span)
		return &reference.Term{Op: reference.Plus, Kids: kids}, tys[0]
	case ifNode:
		in.unify(tys[0], real, t.kids[0].span)
		in.unify(tys[1], real, t.kids[1].span)
		in.unify(tys[3], tys[2], t.kids[3].span)
		return &reference.Term{Op: reference.If, Cmp: t.cmp, Kids: kids}, tys[2]
	}
	for i, k := range t.kids {
		in.unify(tys[i], real, k.span)
	}
	return &reference.Term{Op: reference.Function, Sym: t.sym, Kids: kids}, real
}

func (in *inference) name(t *node) (*reference.Term, *ty) {
	xs := in.scope[t.name]
	if len(xs) == 0 {
		x := in.declare(t.name, false, nil, t.span)
		in.free = append(in.free, x)
		xs = []*bound{x}
		in.scope[t.name] = xs
	}
	x := xs[len(xs)-1]
	return &reference.Term{Op: reference.Variable, X: x.Var}, x.ty
}

// number reads a numeral; over the rationals exactly.
func (in *inference) number(t *node) denote.Number {
	if _, exact := in.ground.(denote.Rationals); exact {
		if q, ok := new(big.Rat).SetString(t.text); ok && len(t.text) < 100 && q.Num().BitLen()+q.Denom().BitLen() < 1e5 {
			return q
		}
		in.fail(t.span, "no such number", "this is too long")
	}
	r, err := syntax.ParseNumber(t.text)
	if err != nil {
		in.fail(t.span, "no such number", err.Error())
	}
	return in.ground.Of(r)
}

// applications settles those whose function has a type by now. With all it takes the types of the others to be those
// of functions.
func (in *inference) applications(all bool) {
	for {
		rest, settled := in.deferred, false
		in.deferred = nil
		for _, d := range rest {
			if f := d.f.find(); f.kind == unknownTy && !f.euclid {
				in.deferred = append(in.deferred, d)
				continue
			}
			settled = true
			in.apply(d)
		}
		if settled {
			continue
		}
		if !all || len(in.deferred) == 0 {
			return
		}
		d := in.deferred[0]
		in.unify(d.f, &ty{kind: arrowTy, a: d.arg, b: d.result}, d.at.kids[0].span)
	}
}

func (in *inference) apply(d deferred) {
	switch f := d.f.find(); f.kind {
	case arrowTy:
		in.unify(d.arg, f.a, d.at.kids[1].span)
		in.unify(d.result, f.b, d.at.span)
	case dualTy:
		in.unify(d.arg, real, d.at.kids[1].span)
		in.unify(d.result, f.a, d.at.span)
	default:
		in.fail(d.at.kids[0].span, "type mismatch", "this is "+in.text(f, textDepth)+", and is applied")
	}
}

// euclid requires a type R^d.
func (in *inference) euclid(t *ty, span syntax.Span) {
	for t = t.find(); ; t = t.b.find() {
		switch t.kind {
		case unknownTy:
			t.euclid = true
			return
		case realTy:
			return
		case prodTy:
			in.unify(t.a, real, span)
			continue
		}
		in.fail(span, "type mismatch", "this is "+in.text(t, textDepth)+", and not R^d")
	}
}

// unify makes a type that was found the one that is wanted.
func (in *inference) unify(got, want *ty, span syntax.Span) {
	if g, w := in.text(got, textDepth), in.text(want, textDepth); !in.same(got, want) {
		label := "this is " + g + ", not " + w
		if in.infinite {
			label = "this has no finite type"
		}
		in.fail(span, "type mismatch", label)
	}
}

func (in *inference) same(a, b *ty) bool {
	a, b = a.find(), b.find()
	switch {
	case a == b:
		return true
	case a.kind == unknownTy:
		return in.becomes(a, b)
	case b.kind == unknownTy:
		return in.becomes(b, a)
	case a.kind != b.kind:
		return false
	case a.kind == realTy:
		return true
	}
	a.link = b
	return in.same(a.a, b.a) && (a.b == nil || in.same(a.b, b.b))
}

// becomes lets an unknown type be another one.
func (in *inference) becomes(a, b *ty) bool {
	if in.mentions(b, a, map[*ty]bool{}) {
		in.infinite = true
		return false
	}
	a.link = b
	if !a.euclid {
		return true
	}
	switch b.kind {
	case unknownTy:
		b.euclid = true
		return true
	case prodTy:
		return in.same(b.a, real) && in.same(&ty{euclid: true}, b.b)
	}
	return b.kind == realTy
}

func (in *inference) mentions(t, x *ty, seen map[*ty]bool) bool {
	t = t.find()
	if t == x || seen[t] {
		return t == x
	}
	seen[t] = true
	return t.a != nil && in.mentions(t.a, x, seen) || t.b != nil && in.mentions(t.b, x, seen)
}

// final is the type that was found: of an unknown one R, or R^d with an abstract d.
func (in *inference) final(t *ty) term.Type {
	t = t.find()
	out, ok := in.done[t]
	if !ok {
		out = in.finish(t)
		in.done[t] = out
	}
	return out
}

func (in *inference) finish(t *ty) term.Type {
	switch t.kind {
	case prodTy:
		return in.types.Prod(in.final(t.a), in.final(t.b))
	case arrowTy:
		return in.types.Arrow(in.final(t.a), in.final(t.b))
	case dualTy:
		d := 1
		for t = t.a.find(); t.kind == prodTy; t = t.b.find() {
			d++
		}
		if t.kind == unknownTy {
			return term.AbstractDual
		}
		return in.types.Dual(d)
	case unknownTy:
		if t.euclid {
			return term.AbstractEuclid
		}
	}
	return term.R
}

// textDepth is how deep a type is shown in a message.
const textDepth = 5

// text is a type for a message.
func (in *inference) text(t *ty, depth int) string {
	t = t.find()
	if depth == 0 {
		return "…"
	}
	sides := func(op string) string {
		left := in.text(t.a, depth-1)
		if k := t.a.find().kind; k == arrowTy || k == dualTy || k == prodTy {
			left = "(" + left + ")"
		}
		return left + op + in.text(t.b, depth-1)
	}
	switch t.kind {
	case realTy:
		return "R"
	case prodTy:
		return sides(" × ")
	case arrowTy:
		return sides(" → ")
	case dualTy:
		return "R⊥"
	}
	if t.euclid {
		return "R^d"
	}
	return "_"
}

// settle gives the variables and the zeros their types, at the end.
func (in *inference) settle() {
	in.applications(true)
	for _, x := range in.vars {
		if x.Linear {
			in.unify(x.ty, real, x.span)
		}
		x.Type = in.final(x.ty)
	}
	for u, t := range in.zeros {
		if in.final(t) == term.AbstractEuclid {
			continue
		}
		zeros := &reference.Term{Op: reference.Numeral, Num: in.ground.Of(0), Pos: u.Pos}
		for t = t.find(); t.kind == prodTy; t = t.b.find() {
			zeros = &reference.Term{Op: reference.MakePair, Pos: u.Pos, Kids: []*reference.Term{
				{Op: reference.Numeral, Num: in.ground.Of(0), Pos: u.Pos}, zeros}}
		}
		*u = *zeros
	}
}

// tokensOf bounds the tokens of one symbol of a term, with what the declaration of a free variable has.
const tokensOf = 20

// Parse reads a term in the notation of the paper. The error is a [*syntax.Errors], also for a term of far more than
// maxSize symbols.
func Parse(name string, src []byte, ground denote.Ground, maxSize int) (*Source, error) {
	file := syntax.NewFile(name, src)
	for i := 0; i < len(src); {
		r, n := utf8.DecodeRune(src[i:])
		if i += n; r == utf8.RuneError && n == 1 {
			span := syntax.Span{Start: uint32(i - 1), End: uint32(i)}
			return nil, syntax.NewErrors(file, []syntax.Diagnostic{{Span: span, Headline: "the source is not UTF-8"}})
		}
	}
	wrong := func(e *syntaxError) error { return syntax.NewErrors(file, []syntax.Diagnostic{e.Diagnostic}) }
	free, tree, err := parse(string(src), tokensOf*maxSize)
	if err != nil {
		return nil, wrong(err)
	}
	in := &inference{types: term.NewTypes(), ground: ground, scope: map[string][]*bound{}, zeros: map[*reference.Term]*ty{},
		done: map[*ty]term.Type{}}
	t, err := in.program(free, tree)
	if err != nil {
		return nil, wrong(err)
	}
	s := &Source{File: file}
	for _, x := range in.free {
		s.free = append(s.free, x.Var)
	}
	s.program = reference.NewProgram(t, in.types, ground, s.free...)
	if _, e := s.program.Typing.Check(t, ground); e != nil {
		return nil, s.notTyped(e)
	}
	return s, nil
}

func (in *inference) program(free []declaration, tree *node) (t *reference.Term, err *syntaxError) {
	defer func() {
		if fault := recover(); fault != nil {
			e, ok := fault.(*syntaxError)
			if !ok {
				panic(fault)
			}
			err = e
		}
	}()
	for _, d := range free {
		if len(in.scope[d.name]) > 0 {
			in.fail(d.span, "a free variable is declared twice", d.name)
		}
		x := in.declare(d.name, false, written(d.typ), d.span)
		in.free = append(in.free, x)
		in.scope[d.name] = []*bound{x}
	}
	t, _ = in.term(tree)
	in.settle()
	return t, nil
}

// notTyped is the error of the two judgements at its place.
func (s *Source) notTyped(err error) error {
	var at *reference.CheckError
	if errors.As(err, &at) {
		return s.errorAt(spanOf(at.Term.Pos), "this term has no type", at.Text)
	}
	return s.errorAt(spanOf(0), "this term has no type", err.Error())
}
