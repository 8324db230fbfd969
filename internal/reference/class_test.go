package reference_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
)

// TestPropertyClass: the moves of ≡ keep the class of a term, and so do new names; a step of the machine's strategy changes it.
func TestPropertyClass(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := drawAny(t)
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "walk"), 0))
		strategy := reference.Machine(rng)
		u := r.Term
		for range rapid.IntRange(1, 60).Draw(t, "steps") {
			s := r.State(u, false)
			class := u.Class()
			if moves := s.Moves(); len(moves) > 0 {
				for range 3 {
					m := moves[rng.IntN(len(moves))]
					require.Equal(t, class, m.Fire().Class(), "%s from %s to %s", m.Name, u, m.Fire())
				}
			}
			step := strategy(s)
			if step == nil {
				break
			}
			next, err := s.Fire(step)
			if tooLong(t, err) {
				return
			}
			require.NoError(t, err)
			require.NotEqual(t, class, next.Class(), "(%s) from %s to %s", step.Rule, u, next)
			u = next
		}
	})
}

// TestClass: what is one term up to ≡, and what is not.
func TestClass(t *testing.T) {
	class := func(src string) uint64 { return load(t, src).start(t, denote.Floats{}, false).Term.Class() }
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"let x = 1 in let y = 2 in x + y", "let b = 2 in let a = 1 in b + a", true}, // comm, and a sum is a bag
		{"let x = 1 in let y = sin 2 in y * x", "let y = (let x = 1 in sin 2) in y * 3", false},
		{"let y = sin (let x = 1 in x * 2) in y", "let x = 1 in let y = sin (x * 2) in y", true}, // esub
		{"(let x = 1 in x * 2) * 3", "let x = 1 in (x * 2) * 3", true},                           // app1
		{"fun z -> let x = 1 in x", "let x = 1 in fun z -> x", false},                            // not out of a λ
		{"let x = 1 in x + x", "let x = 1 in let y = 1 in x + y", false},                         // no dup
		{"let x = sin 1 in let y = sin 1 in (x * x) + (y * y)", "let x = sin 1 in let y = sin 1 in (x * y) + (x * y)", false},
		{"let x = 1 in 2", "let x = 3 in 2", false},
		{"let x = sin 1 in 2", "let x = sin 3 in 2", false},
		{"let x = 1 in 2", "2", false},
		{"let x = 1 in x + 0", "let x = 1 in x", false}, // 0 is a number
		{"fun x y -> x", "fun x y -> y", false},
		{"fun x y -> x", "fun y x -> y", true},
		{"let (x, y) = (1, 2) in x * y", "let (x, y) = (1, 2) in y * x", false},
	} {
		require.Equal(t, c.same, class(c.a) == class(c.b), "%s and %s", c.a, c.b)
	}
}
