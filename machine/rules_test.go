package machine

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/graph"
)

// TestRules: the table has the number, name and picture that counters and pages use, and a function for each rule but
// (9) and (10), which never fire at a point.
func TestRules(t *testing.T) {
	table := ruleTable[unmeasured]()
	for r, info := range graph.Rules {
		rule := table[r]
		if graph.Rule(r) == graph.EtaLambda || graph.Rule(r) == graph.EtaPair {
			require.Nil(t, rule.fire)
			continue
		}
		require.Equal(t, info, graph.RuleInfo{Number: rule.number, Name: rule.name, Text: rule.picture})
		require.NotNil(t, rule.fire)
	}
}
