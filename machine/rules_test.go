package machine

import (
	"testing"

	"github.com/gram-machine/gram/rule"
	"github.com/stretchr/testify/require"
)

// TestRules: the table has the number, name and picture that counters and pages use, and a function for each rule but
// (9) and (10), which never fire at a point.
func TestRules(t *testing.T) {
	table := ruleTable[unmeasured]()
	for r, info := range rule.Table {
		row := table[r]
		if rule.Rule(r) == rule.EtaLambda || rule.Rule(r) == rule.EtaPair {
			require.Nil(t, row.fire)
			continue
		}
		require.Equal(t, info, rule.Info{Number: row.number, Name: row.name, Text: row.picture})
		require.NotNil(t, row.fire)
	}
}
