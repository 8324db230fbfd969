package decode

import (
	"errors"
	"fmt"
	"iter"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// step is what a rewrite of the machine does to terms.
type step struct {
	by    rule.Rule
	class uint64 // of the term that it makes
}

// errStopped ends a run whose steps nobody takes.
var errStopped = errors.New("the steps are not taken")

// Strategy takes the steps that the rewrites of a run are, in their order: the terms of the reduction are those of
// the machine's states, up to ≡. run makes the run of m, with the options' Events. stop ends the run, and returns
// its error.
func (d *Decoder) Strategy(opt machine.Options, run func(*machine.Machine) error) (
	next reference.Strategy, stop func() error,
) {
	var err error
	pull, end := iter.Pull(func(yield func(step) bool) {
		var m *machine.Machine
		opt.Events = func(e *machine.Fired) error {
			if by, ok := e.Move.Rule(); ok && !yield(step{by, d.State(m).Term.Class()}) {
				return errStopped
			}
			return nil
		}
		if m, err = machine.New(d.prog, opt); err == nil {
			err = run(m)
			_ = m.Close()
		}
	})
	next = func(s *reference.State) *reference.Redex {
		to, ok := pull()
		if !ok {
			return nil
		}
		r := find(s, to.by, func(*reference.Redex) bool { return true },
			func(t *reference.Term) bool { return t.Class() == to.class })
		if r == nil {
			panic(fmt.Sprintf("decode: a rewrite by (%v) is no step of %s", to.by, s.Term))
		}
		return r
	}
	return next, func() error {
		end()
		if errors.Is(err, errStopped) {
			err = nil
		}
		return err
	}
}

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

// find returns a redex of the rule that may reports, under no λ and in no branch, whose step makes a term out of the
// state's that is reports; nil if there is none.
func find(s *reference.State, by rule.Rule, may func(*reference.Redex) bool,
	is func(*reference.Term) bool) *reference.Redex {
	for i := range s.Redex {
		if r := &s.Redex[i]; r.Rule == by && r.Weak && may(r) {
			if t, err := s.Fire(r); err == nil && is(t) {
				return r
			}
		}
	}
	return nil
}
