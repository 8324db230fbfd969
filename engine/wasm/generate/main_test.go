package main

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestFunctions: the file of package wasm is what the Go sources come to.
func TestFunctions(t *testing.T) {
	text, err := generate("../../../term")
	require.NoError(t, err)
	file, err := os.ReadFile("../functions.go")
	require.NoError(t, err)
	require.Equal(t, string(file), string(text), "run go generate in engine/wasm")
}
