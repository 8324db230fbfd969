package explore

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// exampleConfig is the configuration of gram explore for an example, but for its time limit.
func exampleConfig(t *testing.T, name string) Config {
	t.Helper()
	path := filepath.Join("..", "..", "..", "examples", name+".gram")
	source, err := os.ReadFile(path)
	require.NoError(t, err)
	cfg := testConfig(string(source))
	cfg.Dir, cfg.Path, cfg.Name, cfg.MaxMemory = filepath.Dir(path), path, name+".gram", 1<<30
	cfg.Run = gram.EvalOptions{MaxSteps: 1e7, MaxNodes: 4e6}
	return cfg
}
