package reference_test

import (
	"fmt"
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// drawRecursive draws a program with inductive types and recursion that ends.
func drawRecursive(t *rapid.T) subject {
	p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 60).Draw(t, "size"), Recursive: true})
	return subject{t: p.Term, inputs: p.Inputs, point: p.Point}
}

// TestPropertyRecursion: of programs with inductive types and recursion, the compiler's code and the literal machine make the steps of the
// reference rewriter, rule by rule, and have its numbers.
func TestPropertyRecursion(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawRecursive(t)
		_, err := p.t.Check()
		require.NoError(t, err, "%s", p.t)
		requireAgreement(t, p, false)
		requireAgreement(t, p, true)
		seed := rapid.Uint64().Draw(t, "schedule")
		requireLiteral(t, p, false, seed)
		requireLiteral(t, p, true, seed)
	})
}

// TestPropertyRecursionSteps: each step of each strategy keeps the type and the denotation of a program with inductive types and
// recursion, exactly; and what it comes to is a value, or of a gradient a tagged sum.
func TestPropertyRecursionSteps(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		r := drawRunOf(t, true)
		want, err := r.Check(r.Term)
		require.NoError(t, err)
		m, _ := r.model()
		value := r.denotation(t, r.Term)
		res := r.look(t, func(rule fmt.Stringer, u *reference.Term) {
			got, err := r.Check(u)
			require.NoError(t, err, "after %s, %s: %s", rule, r.name, u)
			require.Equal(t, want, got)
			if value != nil {
				v := r.denotation(t, u)
				require.True(t, v == nil || m.Same(value, v), "(%s), %s: %v instead of %v", rule, r.name, v, value)
			}
		})
		if res == nil {
			return
		}
		_, ok := reference.Numbers(res.Term)
		if r.gradient {
			_, ok = r.Jacobian(res.Term)
		}
		require.True(t, ok, "%s stops at %s", r.name, res.Term)
	})
}
