package decode

import (
	"errors"
	"fmt"
	"iter"

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
