package main

import (
	"testing"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/result"
)

// TestFacts: nothing says in which folder a file is.
func TestFacts(t *testing.T) {
	var f gradFlags
	cmd := &cobra.Command{}
	f.add(cmd)
	require.NoError(t, cmd.ParseFlags([]string{"--param", "n=1", "--set", "xs=@/home/me/it's.csv:a,b", "--set", "x=3", "--json", "--set", "E=@rel/e.csv",
		"--param", "m=2", "--html", "/tmp/page.html", "--body", "y", "--schedule", "random"}))
	require.Equal(t, []string{"xs=@it's.csv:a,b", "x=3", "E=@e.csv"}, f.SetsByName())
	const start = ` f.gram --param n=1 --param m=2 --set 'xs=@it'\''s.csv:a,b' --set x=3 --set E=@e.csv`
	require.Equal(t, "gram show"+start+" --body y --stage ground --format svg -o graph.svg", f.drawCommand("/home/me/f.gram"))
	page := result.NewPage(&f.LoadFlags, "grad", "/home/me/f.gram")
	require.Equal(t, result.Fact{Name: "command", Text: "gram grad" + start + " --json --html page.html --body y --schedule random"}, page.Run[0])
	require.Equal(t, "f.gram", page.Program)
	require.Equal(t, "standard input", result.NewPage(&f.LoadFlags, "grad", "-").Program)
}
