package reduction

import (
	"slices"
	"strings"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/lang/core"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
)

// deferred is t u where the type of t was not known yet.
type deferred struct {
	f, arg, result core.Type
	at             *reference.Term
}

// types are types under inference. Open ones that are R^d are watched; what stays so is that with an abstract d.
type types struct{ *core.Types }

// power is a new type R^d.
func (tt types) power() core.Type {
	t := tt.Open()
	tt.Watched[t] = nil
	return t
}

// isPower reports whether an open type is R^d.
func (tt types) isPower(t core.Type) bool {
	_, ok := tt.Watched[tt.Find(t)]
	return ok
}

// unwritten is the type of a variable about which nothing is said. A name with a star is that of a dual variable.
func (tt types) unwritten(name string) core.Type {
	if strings.HasSuffix(name, "*") {
		return tt.Dual(tt.power())
	}
	return tt.Open()
}

// inference finds the types of a term that was parsed, and what its names stand for.
type inference struct {
	types
	final    *term.Types // what the types are in the end
	spans    map[*reference.Term]syntax.Span
	vars     map[*reference.Var]core.Type
	scope    map[string][]*reference.Var
	free     []*reference.Var
	zeros    map[*reference.Term]core.Type
	deferred []deferred
	done     map[core.Type]term.Type // of finish
	infinite bool                    // a type would have to be part of itself
}

// pattern returns the type that a pattern matches, and adds its variables to xs.
func (in *inference) pattern(p *reference.Pattern, xs *[]*reference.Var) core.Type {
	if p.X != nil {
		*xs = append(*xs, p.X)
		return in.vars[p.X]
	}
	left := in.pattern(p.Left, xs)
	return in.Prod(left, in.pattern(p.Right, xs))
}

// under infers a term with variables in scope.
func (in *inference) under(t *reference.Term, xs ...*reference.Var) core.Type {
	for _, x := range xs {
		in.scope[x.Name] = append(in.scope[x.Name], x)
	}
	found := in.term(t)
	for _, x := range xs {
		in.scope[x.Name] = in.scope[x.Name][:len(in.scope[x.Name])-1]
	}
	return found
}

func (in *inference) term(t *reference.Term) core.Type {
	switch t.Op {
	case reference.Variable: // the variable that is bound, or a free one, takes the place of the name
		if xs := in.scope[t.X.Name]; len(xs) > 0 {
			t.X = xs[len(xs)-1]
		} else {
			in.declare(t.X, in.unwritten(t.X.Name))
		}
		return in.vars[t.X]
	case reference.Numeral:
		return core.R
	case reference.Zero:
		e := in.power()
		in.zeros[t] = e
		return e
	case reference.Lambda:
		result := in.under(t.Kids[0], t.X)
		if t.X.Linear {
			in.euclid(result, in.spans[t.Kids[0]])
			return in.Dual(result)
		}
		return in.Arrow(in.vars[t.X], result)
	case reference.Let:
		var xs []*reference.Var
		want := in.pattern(t.P, &xs)
		in.unify(in.term(t.Kids[1]), want, in.spans[t.Kids[1]])
		return in.under(t.Kids[0], xs...)
	}
	tys := syntax.Each(len(t.Kids), func(i int) core.Type { return in.term(t.Kids[i]) })
	// want requires a type of a child.
	want := func(i int, ty core.Type) { in.unify(tys[i], ty, in.spans[t.Kids[i]]) }
	switch t.Op {
	case reference.Apply:
		result := in.Open()
		in.deferred = append(in.deferred, deferred{tys[0], tys[1], result, t})
		in.applications(false)
		return result
	case reference.MakePair:
		return in.Prod(tys[0], tys[1])
	case reference.Plus:
		want(1, tys[0])
		in.euclid(tys[0], in.spans[t])
		return tys[0]
	case reference.If:
		want(0, core.R)
		want(1, core.R)
		want(3, tys[2])
		return tys[2]
	}
	for i := range t.Kids {
		want(i, core.R)
	}
	return core.R
}

// declare makes x a free variable.
func (in *inference) declare(x *reference.Var, t core.Type) {
	in.vars[x] = t
	in.free = append(in.free, x)
	in.scope[x.Name] = []*reference.Var{x}
}

// applications settles those whose function has a type by now. With all it takes the types of the others to be those
// of functions.
func (in *inference) applications(all bool) {
	for {
		known := func(d deferred) bool { return in.At(d.f).Kind != core.Open || in.isPower(d.f) }
		i := slices.IndexFunc(in.deferred, known)
		if i < 0 {
			if !all || len(in.deferred) == 0 {
				return
			}
			d := in.deferred[0]
			in.unify(d.f, in.Arrow(d.arg, d.result), in.spans[d.at.Kids[0]])
			continue
		}
		d := in.deferred[i]
		in.deferred = slices.Delete(in.deferred, i, i+1)
		in.apply(d)
	}
}

func (in *inference) apply(d deferred) {
	switch f := in.At(d.f); f.Kind {
	case core.Arrow:
		in.unify(d.arg, f.A, in.spans[d.at.Kids[1]])
		in.unify(d.result, f.B, in.spans[d.at])
	case core.Dual:
		in.unify(d.arg, core.R, in.spans[d.at.Kids[1]])
		in.unify(d.result, f.A, in.spans[d.at])
	default:
		fail(in.spans[d.at.Kids[0]], "type mismatch", "this is "+in.text(d.f, textDepth)+", and is applied")
	}
}

// euclid requires a type R^d.
func (in *inference) euclid(t core.Type, span syntax.Span) {
	if text := in.text(t, textDepth); !in.becomesPower(t) {
		fail(span, "type mismatch", "this is "+text+", and not R^d")
	}
}

// unify makes a type that was found the one that is wanted.
func (in *inference) unify(got, want core.Type, span syntax.Span) {
	if g, w := in.text(got, textDepth), in.text(want, textDepth); !in.same(got, want) {
		label := "this is " + g + ", not " + w
		if in.infinite {
			label = "this has no finite type"
		}
		fail(span, "type mismatch", label)
	}
}

func (in *inference) same(a, b core.Type) bool {
	if clash := in.Unify(a, b); clash != core.NoClash {
		in.infinite = clash == core.SelfRefer
		return false
	}
	for len(in.Settled) > 0 {
		t := in.Settled[0]
		in.Settled = in.Settled[1:]
		delete(in.Watched, t)
		if !in.becomesPower(t) {
			return false
		}
	}
	return true
}

// becomesPower makes a type R^d, if it can be one.
func (in *inference) becomesPower(t core.Type) bool {
	t = in.Find(t)
	switch n := in.Nodes[t]; n.Kind {
	case core.Open:
		in.Watched[t] = nil
		return true
	case core.Prod:
		return in.same(n.A, core.R) && in.becomesPower(n.B)
	default:
		return n.Kind == core.Real
	}
}

// finish returns the type that was found: of an unknown one R, or R^d with an abstract d.
func (in *inference) finish(t core.Type) term.Type {
	t = in.Find(t)
	if _, ok := in.done[t]; !ok {
		in.done[t] = in.finished(t)
	}
	return in.done[t]
}

func (in *inference) finished(t core.Type) term.Type {
	switch n := in.At(t); n.Kind {
	case core.Prod:
		return in.final.Prod(in.finish(n.A), in.finish(n.B))
	case core.Arrow:
		return in.final.Arrow(in.finish(n.A), in.finish(n.B))
	case core.Dual:
		dual, _ := in.final.DualTo(in.finish(n.A))
		return dual
	}
	if in.isPower(t) {
		return term.AbstractEuclid
	}
	return term.R
}

// textDepth is how deep a type is shown in a message.
const textDepth = 5

// text is a type for a message.
func (in *inference) text(t core.Type, depth int) string {
	n := in.At(t)
	switch {
	case depth == 0:
		return "…"
	case n.Kind == core.Prod || n.Kind == core.Arrow:
		left, sign := in.text(n.A, depth-1), " × "
		if k := in.At(n.A).Kind; k == core.Arrow || k == core.Dual || k == core.Prod {
			left = "(" + left + ")"
		}
		if n.Kind == core.Arrow {
			sign = " → "
		}
		return left + sign + in.text(n.B, depth-1)
	case n.Kind == core.Real:
		return "R"
	case n.Kind == core.Dual:
		return "R⊥"
	case in.isPower(t):
		return "R^d"
	}
	return "_"
}

// settle gives the variables and the zeros their types, at the end.
func (in *inference) settle(ground denote.Ground) {
	in.applications(true)
	for x, t := range in.vars {
		x.Type = in.finish(t)
	}
	for u, t := range in.zeros {
		if in.finish(t) == term.AbstractEuclid {
			continue
		}
		zero := &reference.Term{Op: reference.Numeral, Num: ground.Of(0), Pos: u.Pos}
		zeros := zero
		for n := in.At(t); n.Kind == core.Prod; n = in.At(n.B) {
			zeros = &reference.Term{Op: reference.MakePair, Pos: u.Pos, Kids: []*reference.Term{zero, zeros}}
		}
		*u = *zeros
	}
}
