package graph

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestKindNames: each kind has a name of its own.
func TestKindNames(t *testing.T) {
	require.Len(t, kindNames, int(Job)+1)
	seen := map[string]bool{}
	for k := NoKind; k <= Job; k++ {
		name := k.String()
		require.NotEmpty(t, name)
		require.False(t, seen[name], "two kinds are %s", name)
		seen[name] = true
	}
	for k, name := range map[Kind]string{NoKind: "none", Num: "num", BlockDual: "blockDual", Bag: "bag", Wait: "wait", Job: "job", Job + 1: "?"} {
		require.Equal(t, name, k.String())
	}
}

// TestUnits: words are rounded up to nodes.
func TestUnits(t *testing.T) {
	for refs, units := range []uint32{1, 1, 1, 2, 2, 2, 2, 3} {
		require.Equal(t, units, Units(ValueWords, refs), "%d references", refs)
	}
}
