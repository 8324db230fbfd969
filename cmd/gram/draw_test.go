package main

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

const drawn = "input x = 2\nx * x\n"

// TestWithoutGraphviz: the error names the package, and the file isn't touched.
func TestWithoutGraphviz(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	out := filepath.Join(t.TempDir(), "out.svg")
	require.NoError(t, os.WriteFile(out, []byte("before"), 0o600))
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"show", "-", "--stage", "ground", "--format", "svg", "-o", out}, strings.NewReader(drawn), &stdout, &stderr)
	require.Equal(t, statusWrong, status)
	require.Contains(t, stderr.String(), "install the package graphviz")
	require.Empty(t, stdout.String())
	text, err := os.ReadFile(out)
	require.NoError(t, err)
	require.Equal(t, "before", string(text))
}
