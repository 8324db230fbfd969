package command

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestOfGoRun: go run runs a program from a temporary folder, and from the second time on from its cache.
func TestOfGoRun(t *testing.T) {
	tool, err := exec.LookPath("go")
	require.NoError(t, err)
	cache, err := exec.Command(tool, "env", "GOCACHE").Output()
	require.NoError(t, err)
	require.True(t, ofGoRun(tool, filepath.Join(t.TempDir(), "b001", "exe")))
	require.True(t, ofGoRun(tool, filepath.Join(strings.TrimSpace(string(cache)), "4e", "4eab-d")))
	require.False(t, ofGoRun(tool, t.TempDir()))
}
