package main

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFacts: nothing says in which folder a file is.
func TestFacts(t *testing.T) {
	var f gradFlags
	f.Sets = []string{"xs=@/home/me/it's.csv:a,b", "x=3", "E=@rel/e.csv"}
	require.Equal(t, []string{"xs=@it's.csv:a,b", "x=3", "E=@e.csv"}, withoutFolders(f.Sets))
	require.Equal(t, `gram show f.gram --set 'xs=@it'\''s.csv:a,b' --set x=3 --set E=@e.csv --stage ground --format svg -o graph.svg`,
		f.drawCommand("/home/me/f.gram"))
	require.Equal(t, "standard input", programName("-"))
}
