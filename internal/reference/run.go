package reference

import (
	"fmt"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/rule"
)

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

// Run reduces the start term by the strategy until it has no redex for it. look, if
// not nil, is called with each term after the first, and the rule that made it; its
// error ends the run. The error is a [*LimitError], a [*denote.UndefinedError] or
// look's.
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
		if _, twice := g[x]; twice || !s.Typing.free[x] {
			return nil, false
		}
		g[x] = u.Kids[1].Num
	}
	return g, true
}

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
		g, ok := s.Gradient(u)
		if !ok {
			return nil, false
		}
		row := make([]float64, len(s.Duals))
		for j, x := range s.Duals {
			if r, ok := g[x]; ok {
				row[j] = s.Ground.Float(r)
			}
		}
		rows = append(rows, row)
	}
	return rows, true
}
