package explore

import (
	"net/http"
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

// TestLarge: in place of a program that is too large a smaller one is run, and found with little work: so many programs
// are loaded, differentiated and run, none for more than fewSteps steps.
func TestLarge(t *testing.T) {
	cfg := exampleConfig(t, "characters")
	begun := map[string]int{}
	cfg.Options.Phase = func(phase string) { begun[phase]++ }
	s := serve(t, cfg, nil)
	status, a := s.run(string(cfg.Source), OfGradient)
	require.Equal(t, http.StatusOK, status, a.Text)
	require.Equal(t, []string{"lists of at most 2", "hidden = 2", "length = 4"}, a.Smaller)
	require.Empty(t, a.Stopped)
	require.Less(t, a.Steps, uint64(fewSteps))
	require.Less(t, len(a.Operations.Nodes), mostOperations)
	t.Log(begun)
	require.LessOrEqual(t, begun["load"], 30)
	require.LessOrEqual(t, begun["compile"], 8)
	require.LessOrEqual(t, begun["reduce"], 8)

	status, a = s.run("input x = 1\nsum i < 2000000 -> x * i", OfGradient)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "the program is too large to be run step by step", a.Error)
}
