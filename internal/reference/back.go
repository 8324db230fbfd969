package reference

import (
	"maps"
	"slices"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// Image is a term in the form of package term. A number that is no floating-point
// number stands in it as a free variable.
type Image struct {
	Term    *term.Term
	prog    *Program
	vars    map[*Var]term.Var
	numbers map[term.Var]denote.Number
}

// Back returns t in the form of package term.
func (p *Program) Back(t *Term) *Image {
	im := &Image{Term: term.New(p.Typing.tt), prog: p, vars: map[*Var]term.Var{}, numbers: map[term.Var]denote.Number{}}
	im.Term.Root = im.term(t)
	return im
}

// Env is the environment of the image: a value for each free variable of the term,
// and the numbers.
func (im *Image) Env(free map[*Var]denote.Value) *denote.Env {
	var g *denote.Env
	for x, v := range free {
		g = g.With(im.Variable(x), v)
	}
	for x, r := range im.numbers {
		g = g.With(x, r)
	}
	return g
}

// Numbers are the variables that stand for numbers.
func (im *Image) Numbers() []term.Var { return slices.Sorted(maps.Keys(im.numbers)) }

// Variable is the variable that x has become, x free in the term or not.
func (im *Image) Variable(x *Var) term.Var {
	y, ok := im.vars[x]
	if !ok {
		y = im.Term.NewVar(term.VarInfo{Name: x.Name, Type: x.Type, Linear: x.Linear})
		im.vars[x] = y
	}
	return y
}

func (im *Image) number(r denote.Number) term.Ref {
	g := im.prog.Ground
	if f := g.Float(r); f-f == 0 { // it is finite
		if back := g.Of(f); g.Holds(term.LessEqual, r, back) && g.Holds(term.LessEqual, back, r) {
			return im.Term.Num(0, f)
		}
	}
	x := im.Term.NewVar(term.VarInfo{Name: "r", Type: term.R})
	im.numbers[x] = r
	return im.Term.Variable(0, x)
}

func (im *Image) term(t *Term) term.Ref {
	q := im.Term
	kids := make([]term.Ref, len(t.Kids))
	for i, k := range t.Kids {
		kids[i] = im.term(k)
	}
	switch t.Op {
	case Variable:
		return q.Variable(0, im.Variable(t.X))
	case Numeral:
		return im.number(t.Num)
	case Lambda:
		return q.Lam(0, im.Variable(t.X), kids[0])
	case Apply:
		return q.App(0, kids[0], kids[1])
	case MakePair:
		return q.Pair(0, kids[0], kids[1])
	case Let:
		if t.P.X != nil {
			return q.Let(0, im.Variable(t.P.X), kids[1], kids[0])
		}
		var xs []term.Var
		t.P.Vars(func(x *Var) { xs = append(xs, im.Variable(x)) })
		return q.Untuple(0, xs, kids[1], kids[0])
	case Plus:
		return q.Add(0, kids[0], kids[1])
	case Function:
		return q.Fun(0, t.Sym, kids...)
	case Construct:
		arg := term.Ref(0)
		if len(kids) > 0 {
			arg = kids[0]
		}
		return q.Con(0, t.Type, t.At, arg)
	case Branch:
		return kids[0] // the match makes it
	case Match:
		branches := make([]term.Branch, len(kids)-1)
		for i, k := range kids[1:] {
			if branches[i].Body = k; t.Kids[i+1].P != nil {
				t.Kids[i+1].P.Vars(func(x *Var) { branches[i].Vars = append(branches[i].Vars, im.Variable(x)) })
			}
		}
		return q.Case(0, t.Type, kids[0], branches)
	case Fix:
		xs := make([]term.Var, len(t.Xs))
		for i, x := range t.Xs {
			xs[i] = im.Variable(x)
		}
		return q.Fix(0, xs, kids, t.At)
	case If:
		return q.If(0, t.Cmp, kids[0], kids[1], kids[2], kids[3])
	}
	return q.Zero(0)
}
