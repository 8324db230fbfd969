package machine_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/rule"
)

// TestRules: rules.go has a line for each rule but (9), which never fires at a point, with the picture that package rule
// has.
func TestRules(t *testing.T) {
	source, err := os.ReadFile("rules.go")
	require.NoError(t, err)
	for r, info := range rule.Table {
		if rule.Rule(r) == rule.EtaLambda {
			require.NotContains(t, string(source), info.Text)
			continue
		}
		require.Contains(t, string(source), ": // ("+info.Number+") "+info.Text+"\n")
	}
}
