package gram_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/rule"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestCountsArePinned: the steps by rule of every example, W1–W5 among them, under each
// strategy are those of testdata/counts.txt. A change of them needs a line in
// CHANGELOG.md.
func TestCountsArePinned(t *testing.T) {
	ctx := context.Background()
	var out strings.Builder
	for _, name := range exampleNames(t) {
		p := loadWholeExample(t, name)
		line := func(what string, res *gram.Result, err error) {
			require.NoError(t, err)
			fmt.Fprintf(&out, "%-16s %-8s %8d steps:", name, what, res.Cost.Steps.Total())
			for r, n := range res.Cost.Steps {
				if n > 0 {
					fmt.Fprintf(&out, " %s=%d", rule.Rule(r), n)
				}
			}
			out.WriteString("\n")
		}
		res, err := p.Value(ctx, gram.EvalOptions{})
		line("value", res, err)
		if name == "backpropagators" {
			continue
		}
		for _, s := range []gram.Strategy{gram.Direct, gram.Unfold, gram.Modular} {
			res, err := p.Gradient(ctx, gram.EvalOptions{Strategy: s})
			line(s.String(), res, err)
		}
	}
	const file = "testdata/counts.txt"
	if *update {
		require.NoError(t, os.MkdirAll("testdata", 0o755))
		require.NoError(t, os.WriteFile(file, []byte(out.String()), 0o644))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), out.String())
}
