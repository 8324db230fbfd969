package bench_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestDocsShowTheExample: the code in docs/benchmarks.md is that of the example, which is
// compiled and run.
func TestDocsShowTheExample(t *testing.T) {
	docs, err := os.ReadFile("../docs/benchmarks.md")
	require.NoError(t, err)
	example, err := os.ReadFile("example_test.go")
	require.NoError(t, err)
	plain := func(code string) string { return strings.Join(strings.Fields(code), " ") }
	blocks := strings.Split(string(docs), "```go\n")[1:]
	require.Len(t, blocks, 2)
	for _, b := range blocks {
		code, _, ended := strings.Cut(b, "```")
		require.True(t, ended)
		require.Contains(t, plain(string(example)), plain(code))
	}
}
