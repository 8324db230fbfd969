package reference_test

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/rule"
)

// TestRules: each rule has a number, a name of its own, its rewrite and a sentence.
func TestRules(t *testing.T) {
	seen := map[string]bool{}
	for r := range rule.Count {
		info := rule.Table[r]
		require.Equal(t, info.Name, r.String())
		for _, text := range []string{info.Number, info.Name, info.Text, info.Says} {
			require.NotEmpty(t, text)
			require.False(t, seen[text], "two rules have %s", text)
			seen[text] = true
		}
		require.Contains(t, info.Text, "→")
	}
	require.Equal(t, "11", rule.Table[rule.Factor].Number)
	require.Equal(t, "3n", rule.Table[rule.SubstNumeral].Number)
}

// TestCounts: sums of counts, and multiples.
func TestCounts(t *testing.T) {
	c := rule.Counts{rule.Lambda: 2, rule.GC: 3}
	c.AddTimes(&rule.Counts{rule.GC: 5, rule.Branch: 1}, 4)
	require.Equal(t, rule.Counts{rule.Lambda: 2, rule.GC: 23, rule.Branch: 4}, c)
	c.AddTimes(&rule.Counts{rule.GC: 5}, 0)
	require.EqualValues(t, 29, c.Total())
}

// TestCountsJSON: counts in JSON have every rule by name, in order, and read back as they were.
func TestCountsJSON(t *testing.T) {
	c := rule.Counts{rule.Lambda: 2, rule.Branch: 1 << 60}
	text, err := json.Marshal(c)
	require.NoError(t, err)
	require.Regexp(t, `^\{"lambda":2,"pair":0,.*"branch":1152921504606846976,"case":0,"unfold":0,"total":1152921504606846978\}$`, string(text))
	var back rule.Counts
	require.NoError(t, json.Unmarshal(text, &back))
	require.Equal(t, c, back)
	require.Error(t, json.Unmarshal([]byte(`{"lambda":"2"}`), &back))
}
