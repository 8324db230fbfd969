package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
)

// TestKinks: --kinks finds the symbols at their kinks and the conditions at equality, of numbers that depend on inputs alone.
func TestKinks(t *testing.T) {
	for body, want := range map[string][]kink{
		"relu x + relu (x + 1)":                               {{Kind: "relu", Pos: "3:1", Count: 1}},
		"abs x * sign y":                                      {{Kind: "abs", Pos: "3:1", Count: 1}},
		"step x + sqrt x":                                     {{Kind: "step", Pos: "3:1", Count: 1}, {Kind: "sqrt", Pos: "3:10", Count: 1}},
		"min y 2 + max x y":                                   {{Kind: "min", Pos: "3:1", Count: 1}},
		"floor y + floor (y + 0.5)":                           {{Kind: "floor", Pos: "3:1", Count: 1}},
		"pow x 2 + pow x 1.5 + pow y 0.5":                     {{Kind: "pow", Pos: "3:11", Count: 1}},
		"if x < 0 then x else 2 * x":                          {{Kind: "if", Pos: "3:1", Count: 1}},
		"if 2 < y then x else if x <= 0.5 then 2 * x else x":  {{Kind: "if", Pos: "3:1", Count: 1}},
		"relu 0 + abs (0 * 1) + x + (if 1 < 1 then x else y)": {},
		"fold (fun e s -> s + abs (x * e)) 0 [1; 2; 3]":       {{Kind: "abs", Pos: "3:22", Count: 3}},
		"x * y": {},
	} {
		var stdout, stderr bytes.Buffer
		status := run(t.Context(), []string{"grad", "-", "--kinks", "--json"}, strings.NewReader("input x = 0\ninput y = 2\n"+body), &stdout, &stderr)
		require.Equal(t, command.StatusDone, status, stderr.String())
		var got struct{ Kinks []kink }
		require.NoError(t, json.Unmarshal(stdout.Bytes(), &got))
		require.Equal(t, want, got.Kinks, body)
	}
	var stdout, stderr bytes.Buffer
	require.Equal(t, command.StatusDone, run(t.Context(), []string{"grad", "-", "--kinks", "--quiet"}, strings.NewReader("input x = 0\nabs x + x"), &stdout, &stderr))
	require.Contains(t, stdout.String(), "kinks\n  2:1      abs       once\n")
}
