package reference

import "github.com/gram-machine/gram/term"

// Typing holds what the types of a program's terms are built of: vectors A^s are the products A×(A×…).
type Typing struct {
	tt   *term.Types
	free map[*Var]bool
}

func newTyping(tt *term.Types) *Typing { return &Typing{tt: tt, free: map[*Var]bool{}} }

// Free lets x be a free variable of the terms.
func (ty *Typing) Free(x *Var) { ty.free[x] = true }

// of is the type of a well-typed term.
func (ty *Typing) of(t *Term) term.Type {
	switch t.Op {
	case Variable:
		return t.X.Type
	case Lambda:
		body := ty.of(t.Kids[0])
		if !t.X.Linear {
			return ty.tt.Arrow(t.X.Type, body)
		}
		d, _ := ty.tt.DualTo(body)
		return d
	case Apply:
		return ty.tt.Right(ty.of(t.Kids[0]))
	case MakePair:
		return ty.tt.Prod(ty.of(t.Kids[0]), ty.of(t.Kids[1]))
	case Let, Plus:
		return ty.of(t.Kids[0])
	case Zero:
		return term.AbstractEuclid
	case If:
		return ty.of(t.Kids[2])
	case Construct:
		return t.Type
	case Match:
		return ty.of(t.Kids[1])
	case Branch:
		return ty.of(t.Kids[0])
	case Fix:
		return t.Xs[t.At].Type
	}
	return term.R
}

// IsReal reports whether a well-typed term has type R.
func (ty *Typing) IsReal(t *Term) bool { return ty.of(t) == term.R }

// HasDual reports whether a type has a linear negation in it.
func (ty *Typing) HasDual(t term.Type) bool { return ty.tt.HasDual(t) }

// argument is a variable for the argument of t, if t has the type of a function.
func (ty *Typing) argument(t *Term) (Var, bool) {
	f := ty.of(t)
	switch ty.tt.Kind(f) {
	case term.ArrowKind:
		return Var{Name: "y", Type: ty.tt.Left(f)}, true
	case term.DualKind:
		return Var{Name: "y", Type: term.R, Linear: true}, true
	}
	return Var{}, false
}

// Check types t by the two judgements of note A1, as [term.Term.Check] does, and returns its type. It also checks that
// all its free variables are known as such. The error is a [*term.TypeError].
func (p *Program) Check(t *Term) (term.Type, error) {
	im := p.Back(t)
	for x := range im.vars {
		if !p.Typing.free[x] {
			return 0, &term.TypeError{Msg: x.Name + " is out of scope"}
		}
	}
	return im.Term.Check()
}
