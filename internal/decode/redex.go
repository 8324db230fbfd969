package decode

import (
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
)

// Redex returns a redex of the rule, under no λ and in no branch, whose step makes a term of the class out of the state's; nil if there
// is none. That is the step on terms which a rewrite of the machine is.
func Redex(s *reference.State, by rule.Rule, class uint64) *reference.Redex {
	for i := range s.Redex {
		if r := &s.Redex[i]; r.Rule == by && r.Weak && !r.Garbage {
			if t, err := s.Fire(r); err == nil && t.Class() == class {
				return r
			}
		}
	}
	return nil
}
