package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
)

// checked is what gram check-gradient --json prints.
type checked struct {
	Counts      map[string]int
	Derivatives []struct {
		Input, Verdict string
		Output         int
		Gradient       any
	}
}

func checkedJSON(t *testing.T, program string, want int) (c checked) {
	var stdout, stderr bytes.Buffer
	status := run(t.Context(), []string{"check-gradient", "-", "--json"}, strings.NewReader(program), &stdout, &stderr)
	require.Equal(t, want, status, stderr.String())
	require.NoError(t, json.Unmarshal(stdout.Bytes(), &c))
	return c
}

func TestCheckGradient(t *testing.T) {
	for _, c := range []struct {
		body, verdict string
		status        int
	}{
		{"x * y", "ok", command.StatusDone},
		{"abs (x - 0.5)", "kink", command.StatusDone},
		{"relu (x - 0.5) * y", "kink", command.StatusDone},
		{"sin (1e9 * x)", "unsure", command.StatusDone},
		{"x + 1e12 * y", "unsure", command.StatusDone},
		{"sqrt (x - 0.5)", "unsure", command.StatusDone},
		{"if x < 0.5 then 2 * x else if x > 0.5 then 2 * x else 1", "wrong", command.StatusWrong}, // the branch taken is constant
		{"if x < 0.5 then x else if x > 0.5 then x else 0.5 + 3 * (x - 0.5)", "wrong", command.StatusWrong},
	} {
		got := checkedJSON(t, "input x = 0.5\ninput y = 3\n"+c.body, c.status)
		require.Len(t, got.Derivatives, 2)
		require.Equal(t, c.verdict, got.Derivatives[0].Verdict, c.body)
		require.Equal(t, "ok", got.Derivatives[1].Verdict, c.body)
		require.Equal(t, 2, got.Counts["ok"]+got.Counts["kink"]+got.Counts["unsure"]+got.Counts["wrong"])
	}
	// Values with larger errors than rounding makes of one number, by which both differences are off alike.
	const h, e = 6e-6, 1e-10
	values := [5]float64{0.5 - 2*h - 2*e, 0.5 - h - e, 0.5 + 3*e, 0.5 + h + e, 0.5 + 2*h + 2*e}
	require.Equal(t, "unsure", compareDerivative(1, 1, h, values).Verdict)
	require.Equal(t, "wrong", compareDerivative(0.9, 0.9, h, values).Verdict)
	got := checkedJSON(t, "input v : R^2 = [| 0.5, 3 |]\n[| v.(0) * v.(1), abs (v.(1) - 3) |]", command.StatusDone)
	require.Equal(t, map[string]int{"ok": 3, "kink": 1, "unsure": 0, "wrong": 0}, got.Counts)
	require.Equal(t, "v.(1)", got.Derivatives[3].Input)
	require.Equal(t, 1, got.Derivatives[3].Output)
}

// TestCheckGradientOfExamples: the gradients of the examples that are fast to check are right, and are said to be.
func TestCheckGradientOfExamples(t *testing.T) {
	atRoot(t)
	for _, name := range []string{"figure1", "huber", "jacobian", "logsumexp", "mapfold", "mlp", "polynomial", "rnn", "weather"} {
		require.Regexp(t, `^checked  [\d ]+ derivatives?, \d+ ok\n\n.* verdict\n`, answer(t, "check-gradient examples/"+name+".gram"), name)
	}
}

// TestCheckGradientText: the derivatives that are wrong come first, and no more than twelve are shown.
func TestCheckGradientText(t *testing.T) {
	var stdout, stderr bytes.Buffer
	program := "input v : R^20 = vec i < 20 -> i\nsum i < 20 -> if v.(i) < 19 then v.(i) else if v.(i) > 19 then v.(i) else 19"
	require.Equal(t, command.StatusWrong, run(t.Context(), []string{"check-gradient", "-"}, strings.NewReader(program), &stdout, &stderr))
	lines := strings.Split(stdout.String(), "\n")
	require.Equal(t, "checked  20 derivatives, 19 ok, 1 wrong", lines[0])
	require.Regexp(t, `v\.\(19\) .* wrong$`, lines[3])
	require.Equal(t, "  and 8 more, which are ok", lines[15])
}
