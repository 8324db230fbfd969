package property

import (
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestLeave: what a property leaves out is counted, by the reason.
func TestLeave(t *testing.T) {
	b := &budgeted{left: map[string]int{}, property: func(t *rapid.T) {
		n := rapid.IntRange(0, 9).Draw(t, "n")
		if n > 0 {
			Leave(require.TestingT(t), "n")
		}
		Leave(t, "any")
	}}
	rapid.Check(t, b.run)
	require.EqualValues(t, b.draws.Load(), b.left["any"])
	require.Positive(t, b.left["n"])
	require.Less(t, b.left["n"], b.left["any"])
	Leave(t, "of no property")
	require.Len(t, b.left, 2)
}
