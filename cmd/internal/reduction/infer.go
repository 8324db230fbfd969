package reduction

import (
	"slices"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// deferred is t u where the type of t was not known yet.
type deferred struct {
	f, arg, result *ty
	at             *reference.Term
}

// inference finds the types of a term that was parsed, and what its names stand for.
type inference struct {
	types    *term.Types
	spans    map[*reference.Term]syntax.Span
	vars     map[*reference.Var]*ty
	scope    map[string][]*reference.Var
	free     []*reference.Var
	zeros    map[*reference.Term]*ty
	deferred []deferred
	done     map[*ty]term.Type // of final
	infinite bool              // a type would have to be part of itself
}

var real = &ty{kind: realTy}

// pattern returns the type that a pattern matches, and adds its variables to xs.
func (in *inference) pattern(p *reference.Pattern, xs *[]*reference.Var) *ty {
	if p.X != nil {
		*xs = append(*xs, p.X)
		return in.vars[p.X]
	}
	left := in.pattern(p.Left, xs)
	return &ty{kind: prodTy, a: left, b: in.pattern(p.Right, xs)}
}

// under infers a term with variables in scope.
func (in *inference) under(t *reference.Term, xs ...*reference.Var) *ty {
	for _, x := range xs {
		in.scope[x.Name] = append(in.scope[x.Name], x)
	}
	found := in.term(t)
	for _, x := range xs {
		in.scope[x.Name] = in.scope[x.Name][:len(in.scope[x.Name])-1]
	}
	return found
}

func (in *inference) term(t *reference.Term) *ty {
	switch t.Op {
	case reference.Variable:
		return in.name(t)
	case reference.Numeral:
		return real
	case reference.Zero:
		e := &ty{euclid: true}
		in.zeros[t] = e
		return e
	case reference.Lambda:
		result := in.under(t.Kids[0], t.X)
		if t.X.Linear {
			in.euclid(result, in.spans[t.Kids[0]])
			return &ty{kind: dualTy, a: result}
		}
		return &ty{kind: arrowTy, a: in.vars[t.X], b: result}
	case reference.Let:
		var xs []*reference.Var
		want := in.pattern(t.P, &xs)
		in.unify(in.term(t.Kids[1]), want, in.spans[t.Kids[1]])
		return in.under(t.Kids[0], xs...)
	}
	tys := make([]*ty, len(t.Kids))
	for i, k := range t.Kids {
		tys[i] = in.term(k)
	}
	// want requires a type of a child.
	want := func(i int, ty *ty) { in.unify(tys[i], ty, in.spans[t.Kids[i]]) }
	switch t.Op {
	case reference.Apply:
		result := &ty{}
		in.deferred = append(in.deferred, deferred{tys[0], tys[1], result, t})
		in.applications(false)
		return result
	case reference.MakePair:
		return &ty{kind: prodTy, a: tys[0], b: tys[1]}
	case reference.Plus:
		want(1, tys[0])
		in.euclid(tys[0], in.spans[t])
		return tys[0]
	case reference.If:
		want(0, real)
		want(1, real)
		want(3, tys[2])
		return tys[2]
	}
	for i := range t.Kids {
		want(i, real)
	}
	return real
}

// name puts the variable that is bound, or a free one, in the place of a name.
func (in *inference) name(t *reference.Term) *ty {
	if xs := in.scope[t.X.Name]; len(xs) > 0 {
		t.X = xs[len(xs)-1]
	} else {
		in.declare(t.X, unwritten(t.X.Name))
	}
	return in.vars[t.X]
}

// declare makes x a free variable.
func (in *inference) declare(x *reference.Var, t *ty) {
	in.vars[x] = t
	in.free = append(in.free, x)
	in.scope[x.Name] = []*reference.Var{x}
}

// applications settles those whose function has a type by now. With all it takes the types of the others to be those
// of functions.
func (in *inference) applications(all bool) {
	for {
		known := func(d deferred) bool { f := d.f.find(); return f.kind != unknownTy || f.euclid }
		i := slices.IndexFunc(in.deferred, known)
		if i < 0 {
			if !all || len(in.deferred) == 0 {
				return
			}
			d := in.deferred[0]
			in.unify(d.f, &ty{kind: arrowTy, a: d.arg, b: d.result}, in.spans[d.at.Kids[0]])
			continue
		}
		d := in.deferred[i]
		in.deferred = slices.Delete(in.deferred, i, i+1)
		in.apply(d)
	}
}

func (in *inference) apply(d deferred) {
	switch f := d.f.find(); f.kind {
	case arrowTy:
		in.unify(d.arg, f.a, in.spans[d.at.Kids[1]])
		in.unify(d.result, f.b, in.spans[d.at])
	case dualTy:
		in.unify(d.arg, real, in.spans[d.at.Kids[1]])
		in.unify(d.result, f.a, in.spans[d.at])
	default:
		fail(in.spans[d.at.Kids[0]], "type mismatch", "this is "+in.text(f, textDepth)+", and is applied")
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
		fail(span, "type mismatch", "this is "+in.text(t, textDepth)+", and not R^d")
	}
}

// unify makes a type that was found the one that is wanted.
func (in *inference) unify(got, want *ty, span syntax.Span) {
	if g, w := in.text(got, textDepth), in.text(want, textDepth); !in.same(got, want) {
		label := "this is " + g + ", not " + w
		if in.infinite {
			label = "this has no finite type"
		}
		fail(span, "type mismatch", label)
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
	switch {
	case depth == 0:
		return "…"
	case t.kind == prodTy || t.kind == arrowTy:
		left, sign := in.text(t.a, depth-1), " × "
		if k := t.a.find().kind; k == arrowTy || k == dualTy || k == prodTy {
			left = "(" + left + ")"
		}
		if t.kind == arrowTy {
			sign = " → "
		}
		return left + sign + in.text(t.b, depth-1)
	case t.kind == realTy:
		return "R"
	case t.kind == dualTy:
		return "R⊥"
	case t.euclid:
		return "R^d"
	}
	return "_"
}

// settle gives the variables and the zeros their types, at the end.
func (in *inference) settle(ground denote.Ground) {
	in.applications(true)
	for x, t := range in.vars {
		x.Type = in.final(t)
	}
	for u, t := range in.zeros {
		if in.final(t) == term.AbstractEuclid {
			continue
		}
		zero := &reference.Term{Op: reference.Numeral, Num: ground.Of(0), Pos: u.Pos}
		zeros := zero
		for t = t.find(); t.kind == prodTy; t = t.b.find() {
			zeros = &reference.Term{Op: reference.MakePair, Pos: u.Pos, Kids: []*reference.Term{zero, zeros}}
		}
		*u = *zeros
	}
}
