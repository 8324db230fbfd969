package reference

import "github.com/gram-machine/gram/term"

// Free lets x be a free variable of the terms.
func (p *Program) Free(x *Var) { p.free[x] = true }

// of is the type of a well-typed term.
func (p *Program) of(t *Term) term.Type {
	switch t.Op {
	case Variable:
		return t.X.Type
	case Lambda:
		body := p.of(t.Kids[0])
		if !t.X.Linear {
			return p.tt.Arrow(t.X.Type, body)
		}
		d, _ := p.tt.DualTo(body)
		return d
	case Apply:
		return p.tt.Right(p.of(t.Kids[0]))
	case MakePair:
		return p.tt.Prod(p.of(t.Kids[0]), p.of(t.Kids[1]))
	case Let, Plus, Branch:
		return p.of(t.Kids[0])
	case Zero:
		return term.AbstractEuclid
	case If:
		return p.of(t.Kids[2])
	case Construct:
		return t.Type
	case Match:
		return p.of(t.Kids[1])
	case Fix:
		return t.Xs[t.At].Type
	}
	return term.R
}

// IsReal reports whether a well-typed term has type R.
func (p *Program) IsReal(t *Term) bool { return p.of(t) == term.R }

// HasDual reports whether a type has a linear negation in it.
func (p *Program) HasDual(t term.Type) bool { return p.tt.HasDual(t) }

// argument is a variable for the argument of t, if t has the type of a function.
func (p *Program) argument(t *Term) (Var, bool) {
	f := p.of(t)
	switch p.tt.Kind(f) {
	case term.ArrowKind:
		return Var{Name: "y", Type: p.tt.Left(f)}, true
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
		if !p.free[x] {
			return 0, &term.TypeError{Msg: x.Name + " is out of scope"}
		}
	}
	return im.Term.Check()
}
