package reference_test

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// FuzzSound searches for a step that changes type or denotation, of any strategy, on
// programs with and without linear variables of their own.
func FuzzSound(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		r := drawAny(t)
		requireSound(t, r, r.strategy)
	}))
}

// FuzzMachine searches for a program whose value, gradient or computational graph the
// machine computes or counts otherwise than the reference.
func FuzzMachine(f *testing.F) {
	f.Fuzz(rapid.MakeFuzz(func(t *rapid.T) {
		p := draw(t)
		_, err := p.t.Check()
		require.NoError(t, err)
		requireAgreement(t, p, false)
		requireAgreement(t, p, true)
		requireOpenLiteral(t, p, 1)
	}))
}
