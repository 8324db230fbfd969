package reference

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/rule"
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
		y = &Var{Name: x.Name, Type: d.prog.tt.Reverse(x.Type)}
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
	case Numeral:
		return pair(t, dual(func(*Term) *Term { return Node(Zero) }))
	case Plus, Function:
		xs, stars, a := open(kids)
		args := each(xs, variable)
		return a.plug(pair(function(t.Sym, args...), dual(func(a *Term) *Term {
			sum := Node(Zero)
			for i, star := range slices.Backward(stars) {
				by := a
				if t.Op == Function {
					by = function(term.Mul, d.slope(t.Sym, i, args), a)
				}
				sum = Sum(apply(variable(star), by), sum)
			}
			return sum
		})))
	case If:
		xs, _, a := open(kids[:2])
		return a.plug(&Term{Op: If, Cmp: t.Cmp, Kids: append(each(xs, variable), kids[2:]...)})
	}
	u := &Term{Op: t.Op, At: t.At, Name: t.Name, Kids: kids, Xs: each(t.Xs, d.Var), Tail: t.Tail, Named: t.Named}
	if t.X != nil {
		u.X = d.Var(t.X)
	}
	if t.P != nil {
		u.P = d.pattern(t.P)
	}
	if t.Type != 0 {
		u.Type = d.prog.tt.Reverse(t.Type)
	}
	return u
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

// numeric is X of Lemma Commutation, without ι, for the numeric rules: note C1.
var numeric = []rule.Rule{
	rule.Lambda, rule.Pair, rule.Subst, rule.SubstNumeral, rule.GC, rule.Lin, rule.Function,
}

// commuting are the rules X of Lemma Commutation for each rule ι that it speaks of.
var commuting = map[rule.Rule][]rule.Rule{
	rule.Lambda:       {rule.Lambda},
	rule.Pair:         {rule.Pair},
	rule.Subst:        {rule.Subst},
	rule.SubstNumeral: {rule.Subst},
	rule.GC:           {rule.GC},
	rule.EtaLambda:    {rule.EtaLambda},
	rule.EtaPair:      {rule.EtaPair},
	rule.Plus:         append(slices.Clone(numeric), rule.Plus),
	rule.Times:        append(slices.Clone(numeric), rule.Times),
	rule.Function:     numeric,
	rule.Branch:       append(slices.Clone(numeric), rule.Branch),
	rule.Case:         {rule.Case},
	rule.Unfold:       {rule.Unfold},
}

// commuteLimit bounds the steps of one [Reverser.Commute].
const commuteLimit = 100

// Commute is Lemma Commutation, item 2: for a step t → next of the state by r, it reduces D(t) to D(next) by the
// rules of X, and returns in how many steps. The steps are made in D(w), where w is the subterm that the rule
// rewrites; D(t) is D(w) in the image of the context. It is an error if D(t) does not reduce to D(next).
func (d *Reverser) Commute(s *State, r *Redex, next *Term) (steps int, err error) {
	p := d.prog
	hole := &Var{Name: "hole", Type: p.of(s.places[r.at].t)}
	context := d.Term(s.replace(r.at, variable(hole), -1))
	in := func(w *Term) *Term { return substitute(context, d.Var(hole), w) }
	opaque := map[*Term]bool{}
	dw := d.opaque(s.places[r.at].t, r.Rule, opaque)
	if !Equal(d.Term(s.Term), in(dw)) {
		return 0, fmt.Errorf("reference: D(%s) is not that of its parts", s.Term)
	}
	want := d.Term(next)
	reached := func(u *Term) bool { return Equal(want, in(u)) }
	for ; !reached(dw); steps++ {
		u, err := p.commutingStep(commuting[r.Rule], dw, opaque, reached)
		if err != nil {
			return steps, err
		}
		if dw = u; u == nil || steps == commuteLimit {
			return steps, fmt.Errorf("reference: D(%s) does not come to D(%s) by %v", s.Term, next, commuting[r.Rule])
		}
	}
	return steps, nil
}

// opaque is D(w), where what stands in the substitutions between a numeric rule and its
// numerals, and in branches, is put into the set: X has no steps to make there.
func (d *Reverser) opaque(w *Term, by rule.Rule, set map[*Term]bool) *Term {
	u := d.Term(w)
	switch by {
	case rule.Plus, rule.Times, rule.Function, rule.Branch:
	default:
		return u
	}
	v, a := split(u)
	for _, s := range a {
		_, b := split(s.u)
		for _, o := range b {
			set[o.u] = true
		}
	}
	if by == rule.Branch {
		set[v.Kids[2]], set[v.Kids[3]] = true, true
	}
	return u
}

// commutingStep makes one step of X outside of the opaque terms, nil if there is none.
// For a rule that is no numeric one the step has to reach the goal.
func (p *Program) commutingStep(x []rule.Rule, u *Term, opaque map[*Term]bool, goal func(*Term) bool) (*Term, error) {
	s := p.State(u, x[0] == rule.EtaLambda || x[0] == rule.EtaPair)
	for i := range s.Redex {
		r := &s.Redex[i]
		if !commutes(x, r.Rule) || s.inOpaque(r.at, opaque) {
			continue
		}
		next, err := s.Fire(r)
		if err != nil || len(x) > 1 || goal(next) {
			return next, err
		}
	}
	return nil, nil
}

func commutes(x []rule.Rule, r rule.Rule) bool {
	return slices.Contains(x, r) || r == rule.SubstNumeral && slices.Contains(x, rule.Subst)
}

// inOpaque reports whether place i is in an opaque term, or a substitution of one.
func (s *State) inOpaque(i int, opaque map[*Term]bool) bool {
	if n := s.places[i].t; n.Op == Let && opaque[n.Kids[1]] {
		return true
	}
	for ; i >= 0; i = s.places[i].parent {
		if opaque[s.places[i].t] {
			return true
		}
	}
	return false
}

// Move is an instance of structural equivalence, read in one direction.
type Move struct {
	Name  string // comm, esub, app1, app2; with ' from right to left; dup
	state *State
	at    int          // the place of the subterm that changes
	local func() *Term // what it becomes
}

// Fire makes the move.
func (m *Move) Fire() *Term { return m.state.replace(m.at, m.local(), -1) }

// Duplications returns the moves of ≡'s (dup) that make garbage of a value,
//
//	t[x:=vα]  ≡  t[x:=vα][y:=vα]    no occurrence of x renamed
//
// They are an ablation, to be measured: no other move or strategy has them. What they make (4) collects, so
// that modulo (dup) a term with a substitution of a value has a reduction that never ends (note A3;
// the remark after Prop. Weak normalization).
func (s *State) Duplications() []Move {
	var out []Move
	for i := range s.places {
		n := s.places[i].t
		if n.Op != Let || n.P.X == nil || n.P.X.Linear {
			continue
		}
		if v, _ := answer(n.Kids[1]); v != nil {
			y := new(*n.P.X)
			out = append(out, Move{"dup", s, i, func() *Term { return let(n, single(y), fresh(n.Kids[1])) }})
		}
	}
	return out
}
