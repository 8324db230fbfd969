package gram

import (
	"errors"

	"github.com/gram-machine/gram/internal/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/term"
)

// BudgetFactor is c in the budget c·|D(L)| of steps within which the strategy [Modular]
// normalises the reverse image of a λ.
const BudgetFactor = 64

// Normalised says what the strategy [Modular] did before a program ran.
type Normalised struct {
	Lambdas int    `json:"lambdas"` // that were normalised
	Kept    int    `json:"kept"`    // that stayed as they were: their budget was used up
	Budget  int    `json:"budget"`  // c: a λ has c·|D(λ)| steps
	Steps   uint64 `json:"steps"`   // taken; they are among the steps of the cost
}

// modularTerm is D(t) with its λs normalised, and what that cost.
type modularTerm struct {
	t      *term.Term
	report Normalised
	stats  machine.Stats
}

// modular normalises the λs of d = D(t) whose free variables are inputs or normalised λs:
// the outermost ones, once each, before anything copies them (sections 6.2 and 7).
// Lists, numerals and data stay folded. A λ that takes more steps than its budget stays
// as it was.
func (p *Program) modular(d *term.Term, meter *limits.Meter) (*modularTerm, error) {
	m := &modularTerm{report: Normalised{Budget: BudgetFactor}}
	done := map[term.Ref]*term.Term{}
	named := map[term.Var]*term.Term{} // variables that are bound to a normalised λ
	for _, l := range d.ClosedLambdas(p.ScalarInputs()) {
		src := l.Under(d, named)
		n, err := p.normaliseWithin(src, meter, uint64(BudgetFactor*src.Size()), m)
		if err != nil {
			return nil, err
		}
		if n == nil {
			m.report.Kept++
			n = src
		} else {
			m.report.Lambdas++
			done[l.At] = n
		}
		if l.Name != 0 {
			named[l.Name] = n
		}
	}
	m.t = d.Replace(done)
	return m, nil
}

// normaliseWithin returns the normal form of a λ, or nil if that takes more steps.
func (p *Program) normaliseWithin(src *term.Term, meter *limits.Meter, steps uint64, out *modularTerm) (*term.Term, error) {
	n, s, err := p.normalForm(src, meter, machine.Options{Folded: true, Limits: machine.Limits{MaxSteps: steps}})
	out.stats = addStats(out.stats, s)
	out.report.Steps += s.Counts.Total()
	var limit *LimitError
	if errors.As(err, &limit) && limit.Limit == "steps" {
		return nil, nil
	}
	return n, err
}
