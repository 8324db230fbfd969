package decode

import (
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// Redex returns the redex of the state's term that a rewrite of the machine has fired: that of the rule at the
// node, or at the variable, which fired. t is the state of the term; class is that of the term that the rewrite
// has made. It is nil if there is none.
func (s *State) Redex(t *reference.State, e *machine.Fired, class uint64) *reference.Redex {
	r := e.Redex >> 2
	at, x := s.known[r], s.vars[r]
	switch o := s.nodes[r].Operands; rule.Rule(e.Move) {
	case rule.Subst, rule.SubstNumeral:
		x = s.vars[o[e.Redex&1].Ref]
	case rule.Factor: // of the head
		x = s.occurrence(o[0].Ref).X
	}
	return Redex(t, rule.Rule(e.Move), class, func(r *reference.Redex) bool {
		if r.X != nil {
			return r.X == x
		}
		return t.At(r) == at
	})
}

// Redex returns a redex of the rule, under no λ and in no branch, whose step makes a term of the class out of the
// state's; nil if there is none. It looks at those that may reports.
func Redex(s *reference.State, by rule.Rule, class uint64, may func(*reference.Redex) bool) *reference.Redex {
	for i := range s.Redex {
		if r := &s.Redex[i]; r.Rule == by && r.Weak && !r.Garbage && may(r) {
			if t, err := s.Fire(r); err == nil && t.Class() == class {
				return r
			}
		}
	}
	return nil
}
