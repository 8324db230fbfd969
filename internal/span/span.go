package span

import (
	"cmp"

	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// Result is what a reduction takes.
type Result struct {
	Span     uint64      // the length of the longest chain of steps that depend on each other
	Counts   rule.Counts // all steps, by rule
	Values   []float64   // the numbers of the result, from left to right; of a gradient, the program's values
	Jacobian []float64   // of a gradient: row by row, a row for each value
}

// Length returns the span of a reduction; of none, 0.
func (r *Result) Length() uint64 {
	if r == nil {
		return 0
	}
	return r.Span
}

// Options say how a reduction goes.
type Options struct {
	// Tree has (11) add the arrivals at a dual in a balanced tree; otherwise they are added in a chain.
	Tree     bool
	Check    func() error // is called now and then, if it is not nil; its error ends the reduction
	MaxDepth int          // bounds how deep evaluations are nested; 0 is 2²⁰: a goroutine's stack is bounded by 1 GB
}

// Value reduces t at a point, which has a number for each input. The error is that of opt.Check, or an [*UnknownError],
// if too many evaluations are nested.
func Value(t *term.Term, inputs []term.Var, point []float64, opt Options) (*Result, error) {
	return reduce(revgrad.ValueStart(t, inputs), 0, point, opt)
}

// Gradient reduces the start term of Corollary gradient for D(t) at a point. outputs is k where t has type R^k, and 0
// where it has type R.
func Gradient(d *term.Term, inputs []term.Var, outputs int, point []float64, opt Options) (*Result, error) {
	return reduce(revgrad.GradientStart(d, inputs, outputs), max(1, outputs), point, opt)
}

func reduce(s *revgrad.Start, outputs int, point []float64, opt Options) (res *Result, err error) {
	if opt.Check == nil {
		opt.Check = func() error { return nil }
	}
	opt.MaxDepth = cmp.Or(opt.MaxDepth, 1<<20)
	for r, i := range s.Inputs {
		s.Term.Nodes[r].Val = point[i]
	}
	sc, err := newScope(s.Term, s.Stars, opt.Check)
	if err != nil {
		return nil, err
	}
	e := &evaluator{Term: s.Term, scope: sc, opt: opt, start: s, outputs: outputs}
	defer func() {
		switch r := recover().(type) {
		case nil:
		case stop:
			res, err = nil, r.err
		default:
			panic(r)
		}
	}()
	e.run()
	return &e.res, nil
}
