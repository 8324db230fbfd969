package main

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestExamplesAreWhole: each example, written into an empty folder, has all that it reads.
func TestExamplesAreWhole(t *testing.T) {
	require.NotEmpty(t, exampleNames())
	for _, name := range exampleNames() {
		dir := t.TempDir()
		answer(t, "example "+name+" -o "+dir)
		require.Contains(t, answer(t, "check "+filepath.Join(dir, name+".gram")), "body")
	}
}
