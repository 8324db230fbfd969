package decode

import (
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// Redex returns the redex of the state's term that a rewrite of the machine has fired: that of the rule at the
// node, or at the variable, which fired. t is the state of the term; class is that of the term that the rewrite
// has made. It is nil if there is none.
//
// The tail of a vector has no name in the machine, and w in the decoded term, until (10) has named its components. With
// this (10) go the (3) of the one occurrence of w, in the pair of names, and the (4) of w: they count none.
func (s *State) Redex(t *reference.State, e *machine.Fired, class uint64) *reference.Redex {
	r := e.Redex >> 2
	at, x := s.known[r], s.vars[r]
	switch o := s.nodes[r].Operands; rule.Rule(e.Move) {
	case rule.Subst, rule.SubstNumeral:
		x = s.vars[o[e.Redex&1].Ref]
	case rule.Factor: // of the head
		x = s.occurrence(o[0].Ref).X
	}
	is := func(r *reference.Redex) bool {
		if r.X != nil {
			return r.X == x
		}
		return t.At(r) == at
	}
	if s.nodes[r].Kind == compile.Names {
		return s.etaTail(t, class, is)
	}
	return find(t, rule.Rule(e.Move), is, func(u *reference.Term) bool { return u.Class() == class })
}

// etaTail is Redex for the (10) of a tail.
func (s *State) etaTail(t *reference.State, class uint64, is func(*reference.Redex) bool) *reference.Redex {
	return find(t, rule.EtaPair, is, func(u *reference.Term) bool {
		named := s.start.State(u, false)
		return find(named, rule.Subst, is, func(u *reference.Term) bool {
			substituted := s.start.State(u, false)
			return find(substituted, rule.GC, is, func(u *reference.Term) bool { return u.Class() == class }) != nil
		}) != nil
	})
}
