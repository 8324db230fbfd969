package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
)

// classLimit bounds the classes of ≡ that are looked at.
const classLimit = 100

// class returns the terms that moves of ≡ make of u, by their text; nil if there are too
// many.
func class(p *reference.Program, u *reference.Term) map[string]*reference.Term {
	seen := map[string]*reference.Term{u.String(): u}
	for queue := []*reference.Term{u}; len(queue) > 0; queue = queue[1:] {
		for _, m := range p.State(queue[0], false).Moves() {
			v := m.Fire()
			if _, ok := seen[v.String()]; ok {
				continue
			}
			if len(seen) == classLimit {
				return nil
			}
			seen[v.String()] = v
			queue = append(queue, v)
		}
	}
	return seen
}

// requireBisimilar requires of a step u → v, and of a move from u to u', a step u' → v' ≡
// v by the same rule.
func requireBisimilar(t require.TestingT, p *reference.Program, s *reference.State, r *reference.Redex, m *reference.Move) {
	if r.Garbage { // what (5') drops may hold substitutions: dropped one by one if they have moved out
		return
	}
	v, err := s.Fire(r)
	if tooLong(t, err) {
		return
	}
	require.NoError(t, err)
	if same := class(p, v); same != nil {
		u := m.Fire()
		require.True(t, reaches(p, u, r, same), "(%s) from %s to %s; by %s %s has no such step", r.Rule, s.Term, v, m.Name, u)
	}
}

// reaches reports whether a step from u by the rule of r ends in one of the terms.
func reaches(p *reference.Program, u *reference.Term, r *reference.Redex, terms map[string]*reference.Term) bool {
	s := p.State(u, false)
	for i := range s.Redex {
		if q := &s.Redex[i]; q.Rule == r.Rule && q.Garbage == r.Garbage {
			if v, err := s.Fire(q); err == nil && meets(p, v, terms) {
				return true
			}
		}
	}
	return false
}

// meets reports whether v is ≡ to the terms: whether moves make one of them of it.
func meets(p *reference.Program, v *reference.Term, terms map[string]*reference.Term) bool {
	if terms[v.String()] != nil {
		return true
	}
	same := class(p, v)
	for text := range same {
		if terms[text] != nil {
			return true
		}
	}
	return same == nil
}

// TestPropertyBisimulation is Lemma bisimulation, with ≡ as in note A3: without dup, ≡
// is a strong bisimulation for each rule. By induction it can then be postponed (Prop.
// postponement).
func TestPropertyBisimulation(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := drawAny(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "walk"), 0))
		u := r.Term
		for range rapid.IntRange(0, 12).Draw(t, "steps") {
			next, _ := walk(t, r, u, rng)
			if next == nil {
				break
			}
			u = next
		}
		s := r.State(u, false)
		moves := s.Moves()
		for range min(3, len(moves)*len(s.Redex)) {
			requireBisimilar(t, r.Program, s, &s.Redex[rng.IntN(len(s.Redex))], &moves[rng.IntN(len(moves))])
		}
	})
}
