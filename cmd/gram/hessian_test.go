package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
)

// TestHessian: --along and --hessian print second derivatives in the shapes of the inputs.
func TestHessian(t *testing.T) {
	file := filepath.Join(t.TempDir(), "v.json")
	require.NoError(t, os.WriteFile(file, []byte(`{"w": [1, 0]}`), 0o600))
	const program = "input a = 2\ninput w : R^2 = [| 1, 3 |]\na^2 * w.(0) + a * w.(0) * w.(1)^2"
	second := func(want int, args ...string) (stdout, stderr bytes.Buffer) {
		status := run(t.Context(), append([]string{"grad", "-"}, args...), strings.NewReader(program), &stdout, &stderr)
		require.Equal(t, want, status, stderr.String())
		return stdout, stderr
	}
	stdout, _ := second(command.StatusDone, "--along", file, "--hessian", "--json")
	var got struct {
		Value                   float64
		Gradient, HessianVector map[string]any
		Hessian                 map[string]map[string]any
		Cost                    struct{ Inputs int }
	}
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &got))
	require.Equal(t, 22.0, got.Value)
	require.Equal(t, map[string]any{"a": 13.0, "w": []any{22.0, 12.0}}, got.Gradient)
	require.Equal(t, map[string]any{"a": 13.0, "w": []any{0.0, 12.0}}, got.HessianVector)
	require.Equal(t, map[string]map[string]any{
		"a": {"a": 2.0, "w": []any{13.0, 6.0}},
		"w": {"a": []any{13.0, 6.0}, "w": []any{[]any{0.0, 12.0}, []any{12.0, 4.0}}},
	}, got.Hessian)
	require.Equal(t, 6, got.Cost.Inputs) // the point and the vector

	stdout, _ = second(command.StatusDone, "--along", file, "--quiet")
	require.Contains(t, stdout.String(), "Hessian-vector product\n  a  13\n  w  [| 0, 12 |]\n")

	_, stderr := second(command.StatusWrong, "--along", "missing.json")
	require.Contains(t, stderr.String(), "missing.json: no such file")
	require.NoError(t, os.WriteFile(file, []byte(`{"b": 1}`), 0o600))
	_, stderr = second(command.StatusWrong, "--along", file)
	require.Contains(t, stderr.String(), "the program has no input b")
	second(command.StatusUsage, "--hessian", "--bound")
}
