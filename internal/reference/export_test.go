package reference

import (
	"maps"
	"math"
	"slices"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// Env is the environment of the image: a value for each free variable of the term, and the numbers.
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

// Jacobian reads the k tagged sums of a result: a row of numbers for each output.
func (s *Start) Jacobian(t *Term) (rows [][]float64, ok bool) {
	for i := range s.Outputs {
		u := t
		if i < len(s.Outputs)-1 {
			if t.Op != MakePair {
				return nil, false
			}
			u, t = t.Kids[0], t.Kids[1]
		}
		row, ok := s.Numbers(u)
		if !ok {
			return nil, false
		}
		rows = append(rows, each(row, s.Ground.Float))
	}
	return rows, true
}

// Normal is the strategy of package modular on terms without dual λs: [Open], and when that has no redex, the same
// under the λs and in the branches that are left, level by level. What waits for a variable of a λ is inert. A λ that
// (3) may still copy, or that is applied, is not gone under.
func Normal(s *State) *Redex {
	st := s.standings()
	st.findStuck()
	levels := s.levels(st)
	deepest := 0
	for _, l := range levels {
		if l < math.MaxInt32 {
			deepest = max(deepest, l)
		}
	}
	for level := range deepest + 1 {
		for i := range s.places {
			s.places[i].weak = levels[i] <= level
		}
		for i := range s.Redex {
			r := &s.Redex[i]
			r.Weak = s.places[max(r.at, r.occ)].weak
		}
		allowed := func(r *Redex) bool {
			t := s.places[r.at].t
			return s.weak(r) && st.allows(r) && (t.Op != If || s.known(t.Kids[0]) && s.known(t.Kids[1]))
		}
		if r := s.choose(nil, allowed, st.innermost); r != nil {
			return r
		}
	}
	return nil
}

// findStuck finds applications, conditionals and matches that wait for a variable of a λ. What they consist of stands
// behind them, and what variables are bound to behind those.
func (st *standings) findStuck() {
	s := st.s
	for i := len(s.places) - 1; i >= 0; i-- {
		t := s.places[i].t
		stuck := false
		switch t.Op {
		case Apply:
			f, _ := split(t.Kids[0])
			stuck = (st.of(f) == inert || f.Op == Fix && !s.places[i].weak) && st.of(t.Kids[1]) != waiting
		case If:
			stuck = !st.waits(t.Kids[:2]) && !(s.known(t.Kids[0]) && s.known(t.Kids[1]))
		case Match:
			stuck = st.of(t.Kids[0]) == inert
		}
		if stuck {
			st.memo[t] = inert
		}
	}
}

// known reports whether a number that has no more steps has a value at the point.
func (s *State) known(t *Term) bool {
	t, _ = split(t)
	switch t.Op {
	case Numeral:
		return true
	case Variable:
		if _, ok := s.prog.open[t.X]; ok {
			return true
		}
		i, ok := s.binder[t.X]
		return ok && s.known(s.places[i].t.Kids[1])
	case Plus, Function:
		for _, k := range t.Kids {
			if !s.known(k) {
				return false
			}
		}
		return true
	}
	return false
}

// levels are how many λs and branches that are left each place stands under; a large number under others.
func (s *State) levels(st *standings) []int {
	type above struct {
		level          int
		head, copyable bool
	}
	of := make([]above, len(s.places))
	out := make([]int, len(s.places))
	for i, p := range s.places[1:] {
		i++
		t, a := s.places[p.parent].t, of[p.parent]
		enters := t.Op == Lambda || t.Op == Fix || t.Op == Branch || t.Op == If && p.kid >= 2
		switch {
		case enters && (a.head || a.copyable):
			a.level = math.MaxInt32
		case enters && a.level < math.MaxInt32:
			a.level++
		}
		a.head = t.Op == Apply && p.kid == 0 || a.head && t.Op == Let && p.kid == 0
		if t.Op == Let && p.kid == 1 {
			a.copyable = a.copyable || st.of(p.t) != inert
		}
		of[i], out[i] = a, a.level
	}
	return out
}

// Of is the type of a well-typed term.
func (p *Program) Of(t *Term) term.Type { return p.of(t) }
