package reference

import (
	"fmt"
	"slices"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Start is a term to reduce, with what its result is read from.
type Start struct {
	*Program
	// Outputs are the z of each [⟨z,z*⟩:=…] of a gradient: the program's values.
	Outputs []*Var
	// Duals are the free x* of the inputs of a gradient.
	Duals []*Var
	// Of a term with symbolic inputs: the inputs, and the a to which the dual is applied.
	Inputs []*Var
	Seed   *Var
}

// ValueStart is t[x1:=r1]…[xn:=rn].
func (p *Program) ValueStart(inputs []term.Var, point []float64) *Start {
	q := *p
	for i, x := range inputs {
		q.Term = let(q.Term, single(p.input(x, term.R)), numeral(p.Ground.Of(point[i])))
	}
	return &Start{Program: &q}
}

// input is the variable of an input. One that does not occur in the term gets a variable of the given type.
func (p *Program) input(x term.Var, ty term.Type) *Var {
	if v := p.vars[x]; v != nil {
		return v
	}
	return &Var{Name: "x", Type: ty}
}

// GradientStart is the start term of Cor. gradient for the program D(t):
//
//	(z* 1)[⟨z,z*⟩:=D(t)] with [x:=⟨x0,d⟩][d:=λa.x* a][x0:=r] for each input
//
// or, where t has type R^k, with k seeds,
//
//	⟨z1* 1,…⟩[⟨z1,z1*⟩:=p1]…[⟨p1,…,pk⟩:=D(t)] …
//
// outputs is k, and 0 where t has type R.
func (p *Program) GradientStart(inputs []term.Var, point []float64, outputs int) *Start {
	q := *p
	s := &Start{Program: &q}
	s.seeds(outputs)
	number := p.tt.Reverse(term.R)
	for i, x := range inputs {
		x0 := &Var{Name: "x0", Type: term.R}
		s.dual(i, p.input(x, number), x0)
		q.Term = let(q.Term, single(x0), numeral(p.Ground.Of(point[i])))
	}
	return s
}

// dual puts [x:=⟨x0,d⟩][d:=λa.x* a] for input i around the term. The pair is one of variables, which is a value.
func (s *Start) dual(i int, x, x0 *Var) {
	star := &Var{Name: fmt.Sprintf("x%d*", i+1), Type: term.AbstractDual}
	d := &Var{Name: "d", Type: term.AbstractDual}
	value := pair(variable(x0), variable(d))
	value.Named = true
	s.Term = let(s.Term, single(x), value)
	s.Term = let(s.Term, single(d), dual(func(a *Term) *Term { return apply(variable(star), a) }))
	s.Duals = append(s.Duals, star)
	s.Free(star)
}

// Injections is the gradient's start term with the injection λa.⟨0,…,a,…,0⟩ of each of
// its n inputs for its x*, and R⊥ made concrete: the first of the paper's two ways to
// read the gradient off D(t) (after Cor. gradient). Its result has type R^n, or (R^n)^k.
func (s *Start) Injections() *Start {
	out := s.with(s.Term)
	out.Duals = nil
	for i, star := range s.Duals {
		zeros := slices.Repeat([]*Term{numeral(s.Ground.Of(0))}, len(s.Duals))
		injection := dual(func(a *Term) *Term {
			zeros[i] = a
			return Tuple(zeros...)
		})
		out.Term = let(out.Term, single(star), injection)
	}
	return out
}

// seeds puts the seeds around D(t).
func (s *Start) seeds(k int) {
	one := numeral(s.Ground.Of(1))
	seed := func() (t *Term, p *Pattern) {
		z, star := &Var{Name: "z", Type: term.R}, &Var{Name: "z*", Type: term.AbstractDual}
		s.Outputs = append(s.Outputs, z)
		return apply(variable(star), one), tuplePattern(z, star)
	}
	if k == 0 {
		t, p := seed()
		s.Term = let(t, p, s.Term)
		return
	}
	number := s.tt.Reverse(term.R)
	ts := make([]*Term, k)
	ps := make([]*Var, k)
	var a stack
	for i := range ts {
		var p *Pattern
		ts[i], p = seed()
		ps[i] = &Var{Name: "p", Type: number}
		a = append(a, sub{p: p, u: variable(ps[i])})
	}
	s.Term = let(a.plug(Tuple(ts...)), tuplePattern(ps...), s.Term)
}

// Named is the start term with each dual λ named but λa.0⃗, as the machine's strategy has it (note C4): ⟨e,λa.u⟩ is
// ⟨e,d⟩[d:=λa.u], and any other λa.u that is not substituted for a variable already is d[d:=λa.u]. This is no step.
// The λa.0⃗ that D gives a numeral has no name: it is closed and constant, so a copy loses no sharing, and (4) drops
// ⟨r,λa.0⃗⟩, or a tuple of such, in one step.
//
// To run a start that is not named is an ablation, to be measured: (3) copies D's pairs whole, a λ for each
// use. By value z' = z·z, n times, then takes 12·2ⁿ + 12n + 2 steps instead of 14 + 24n, for the
// λs are copied with those that their duals have become, and (11) never meets two equal heads.
func (s *Start) Named() *Start {
	return s.with(s.name(s.Term))
}

// with is the start with another term.
func (s *Start) with(t *Term) *Start {
	p, out := *s.Program, *s
	p.Term, out.Program = t, &p
	return &out
}

func (p *Program) name(t *Term) *Term {
	kids := each(t.Kids, p.name)
	u := *t
	u.Kids = kids
	switch {
	case t.isNamed():
		d := &Var{Name: "d", Type: p.of(t)}
		return let(variable(d).at(t.Pos), single(d), &u).at(t.Pos)
	case t.Op == Let && t.P.X != nil && t.Kids[1].isNamed():
		// The let names it.
		kids[1] = kids[1].Kids[1]
	case t.Op == MakePair && t.Kids[1].isNamed():
		d := kids[1]
		kids[1] = d.Kids[0]
		return let(&u, d.P, d.Kids[1]).at(t.Pos)
	}
	return &u
}

// isNamed reports whether t is a dual λ that gets a name: any but λa.0⃗.
func (t *Term) isNamed() bool { return t.Op == Lambda && t.X.Linear && t.Kids[0].Op != Zero }

// Strategy chooses the next redex of a state; nil ends the reduction.
type Strategy func(s *State) *Redex

// Result is what a reduction has come to.
type Result struct {
	Term   *Term
	Counts rule.Counts
	// Values are those of the outputs of a gradient, read where (4) collects them.
	Values []denote.Number
}

// LimitError says that a reduction was longer than it may be.
type LimitError struct{ Steps int }

func (e *LimitError) Error() string { return fmt.Sprintf("no normal form after %d steps", e.Steps) }

// Run reduces the start term by the strategy until it has no redex for it. look, if not nil, is called with each term
// after the first, and the rule that made it; its error ends the run. The error is a [*LimitError], a
// [*denote.UndefinedError] or look's.
func (s *Start) Run(next Strategy, limit int, look func(r *Redex, t *Term) error) (*Result, error) {
	res := &Result{Term: s.Term, Values: make([]denote.Number, len(s.Outputs))}
	for range limit {
		st := s.State(res.Term, false)
		r := next(st)
		if r == nil {
			return res, nil
		}
		res.Counts[r.Rule] += uint64(max(1, r.Times))
		var err error
		if res.Term, err = st.Fire(r); err != nil {
			return nil, err
		}
		for i, z := range s.Outputs {
			if r.Rule == rule.GC && r.X == z {
				res.Values[i] = r.V.Num
			}
		}
		if look != nil {
			if err := look(r, res.Term); err != nil {
				return nil, err
			}
		}
	}
	return nil, &LimitError{limit}
}

// Numbers returns the numbers of a value of a type R^d, or of a product of such,
// from left to right; ok is false if the term is none.
func Numbers(t *Term) (out []denote.Number, ok bool) {
	switch t.Op {
	case Numeral:
		return []denote.Number{t.Num}, true
	case MakePair:
		a, ok1 := Numbers(t.Kids[0])
		b, ok2 := Numbers(t.Kids[1])
		return append(a, b...), ok1 && ok2
	}
	return nil, false
}

// Gradient reads a tagged sum x1* g1 + … + xn* gn: a number for each input that has
// one. ok is false if the term is no such sum.
func (s *Start) Gradient(t *Term) (g map[*Var]denote.Number, ok bool) {
	g = map[*Var]denote.Number{}
	ts, a := summands(t)
	if len(a) > 0 {
		return nil, false
	}
	for _, u := range ts {
		switch {
		case u.Op == Zero:
			continue
		case u.Op != Apply || u.Kids[0].Op != Variable || u.Kids[1].Op != Numeral:
			return nil, false
		}
		x := u.Kids[0].X
		if _, twice := g[x]; twice || !s.free[x] {
			return nil, false
		}
		g[x] = u.Kids[1].Num
	}
	return g, true
}

// Numbers reads a tagged sum as a number for each input, 0 for one that it does not have.
func (s *Start) Numbers(t *Term) (out []denote.Number, ok bool) {
	g, ok := s.Gradient(t)
	for _, x := range s.Duals {
		r, there := g[x]
		if !there {
			r = s.Ground.Of(0)
		}
		out = append(out, r)
	}
	return out, ok
}
