package reference_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
)

// drawRecursive draws a program with inductive types and recursion that ends.
func drawRecursive(t *rapid.T) subject {
	p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 60).Draw(t, "size"), Recursive: true})
	return subject{t: p.Term, inputs: p.Inputs, point: p.Point}
}

// TestPropertyRecursion: of programs with inductive types and recursion, the engine and the literal machine make the steps of the
// reference rewriter, rule by rule, and have its numbers.
func TestPropertyRecursion(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := drawRecursive(t)
		_, err := p.t.Check()
		require.NoError(t, err, "%s", p.t)
		requireAgreement(t, p, false)
		requireAgreement(t, p, true)
	})
}
