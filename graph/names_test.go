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

// TestRules: each rule has a number, a name of its own and its rewrite.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for r := range NumRules {
		info := Rules[r]
		require.Equal(t, info.Name, r.String())
		for _, text := range []string{info.Number, info.Name, info.Text} {
			require.NotEmpty(t, text)
			require.False(t, seen[text], "two rules have %s", text)
			seen[text] = true
		}
		require.Contains(t, info.Text, "→")
	}
	require.Equal(t, "11", Rules[Factor].Number)
	require.Equal(t, "3n", Rules[SubstNumeral].Number)
}

// TestCounts: sums of counts, and multiples.
func TestCounts(t *testing.T) {
	c := Counts{Lambda: 2, GC: 3}
	c.AddTimes(&Counts{GC: 5, Branch: 1}, 4)
	require.Equal(t, Counts{Lambda: 2, GC: 23, Branch: 4}, c)
	c.AddTimes(&Counts{GC: 5}, 0)
	require.EqualValues(t, 29, c.Total())
}

// TestUnits: words are rounded up to nodes.
func TestUnits(t *testing.T) {
	for refs, units := range []uint32{1, 1, 1, 2, 2, 2, 2, 3} {
		require.Equal(t, units, Units(ValueWords, refs), "%d references", refs)
	}
}
