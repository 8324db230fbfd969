package reference

import (
	"slices"

	"github.com/gram-machine/gram/term"
)

// Reverser is D (Table 3) on the terms of this package. Two terms that share a
// variable have images that share its image.
type Reverser struct {
	prog *Program
	vars map[*Var]*Var
}

// Reverser returns D for the terms that the program comes to.
func (p *Program) Reverser() *Reverser { return &Reverser{p, map[*Var]*Var{}} }

// Var is the variable x : D(A) that x : A becomes.
func (d *Reverser) Var(x *Var) *Var {
	y, ok := d.vars[x]
	if !ok {
		y = &Var{Name: x.Name, Type: d.prog.Typing.tt.Reverse(x.Type)}
		d.vars[x] = y
	}
	return y
}

func (d *Reverser) pattern(p *Pattern) *Pattern {
	if p.X != nil {
		return single(d.Var(p.X))
	}
	return &Pattern{Left: d.pattern(p.Left), Right: d.pattern(p.Right)}
}

// Term is D(t), for a t without linear negation. What D makes of a part has the place of that part.
func (d *Reverser) Term(t *Term) *Term {
	u := d.image(t)
	if t.Pos != 0 {
		u.place(t.Pos)
	}
	return u
}

// place gives the place to the parts of a new term that have none.
func (t *Term) place(pos term.Pos) {
	if t.Pos != 0 {
		return
	}
	t.Pos = pos
	for _, k := range t.Kids {
		k.place(pos)
	}
}

func (d *Reverser) image(t *Term) *Term {
	kids := each(t.Kids, d.Term)
	switch t.Op {
	case Variable:
		return variable(d.Var(t.X))
	case Lambda:
		return lambda(d.Var(t.X), kids[0])
	case Let:
		return let(kids[0], d.pattern(t.P), kids[1])
	case Numeral:
		return pair(t, dual(func(*Term) *Term { return &Term{Op: Zero} }))
	case Plus:
		xs, stars, a := open(kids)
		sum := plus(variable(xs[0]), variable(xs[1]))
		return a.plug(pair(sum, dual(func(a *Term) *Term {
			return plus(apply(variable(stars[0]), a), apply(variable(stars[1]), a))
		})))
	case Function:
		xs, stars, a := open(kids)
		args := each(xs, variable)
		return a.plug(pair(function(t.Sym, args...), dual(func(a *Term) *Term {
			ts := make([]*Term, len(xs))
			for i := range xs {
				ts[i] = apply(variable(stars[i]), function(term.Mul, d.slope(t.Sym, i, args), a))
			}
			return nest(ts)
		})))
	case Construct, Match:
		return &Term{Op: t.Op, Type: d.prog.Typing.tt.Reverse(t.Type), At: t.At, Name: t.Name, Kids: kids}
	case Branch:
		u := &Term{Op: Branch, Name: t.Name, Kids: kids}
		if t.P != nil {
			u.P = d.pattern(t.P)
		}
		return u
	case Fix:
		return &Term{Op: Fix, At: t.At, Kids: kids, Xs: each(t.Xs, d.Var)}
	case If:
		xs, _, a := open(kids[:2])
		return a.plug(&Term{Op: If, Cmp: t.Cmp, Kids: append(each(xs, variable), kids[2:]...)})
	}
	u := *t
	u.Kids = kids
	return &u
}

// slope is ∂i f(args).
func (d *Reverser) slope(f term.Symbol, i int, args []*Term) *Term {
	return term.Interpret(&f.Info().Partials[i], len(args), func(r float64) *Term { return numeral(d.prog.Ground.Of(r)) },
		func(i int) *Term { return args[i] }, function)
}

// dual is λa.body for a fresh a.
func dual(body func(a *Term) *Term) *Term {
	a := &Var{Name: "a", Type: term.R, Linear: true}
	return lambda(a, body(variable(a)))
}

// open makes [⟨x1,x1*⟩:=t1]…[⟨xk,xk*⟩:=tk] with fresh variables.
func open(ts []*Term) (xs, stars []*Var, a stack) {
	for _, t := range ts {
		x, star := &Var{Name: "x", Type: term.R}, &Var{Name: "x*", Type: term.AbstractDual}
		xs, stars = append(xs, x), append(stars, star)
		a = append(a, sub{p: tuplePattern(x, star), u: t})
	}
	return xs, stars, a
}

// nest is t1 + (… + tk).
func nest(ts []*Term) *Term {
	t := ts[len(ts)-1]
	for _, u := range slices.Backward(ts[:len(ts)-1]) {
		t = plus(u, t)
	}
	return t
}
