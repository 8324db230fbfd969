package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
)

// line is a regression line through points that are close to y = 3 x + 1: a mean over them.
const line = `input a = 0
input b : R^1 = [| 0 |]
data points : List R^2 = list i < 100 -> [| sin i, 3 * sin i + 1 + 0.01 * cos (7 * i) |]
def square x = x * x
fold (fun [| x, y |] loss -> loss + square (a * x + b.(0) - y)) 0 points / size points
`

// runFit runs gram fit on the text of a program, and returns the exit status and what it prints.
func runFit(ctx context.Context, program string, args ...string) (status int, out, errs string) {
	var stdout, stderr bytes.Buffer
	status = run(ctx, append([]string{"fit", "-"}, args...), strings.NewReader(program), &stdout, &stderr)
	return status, stdout.String(), stderr.String()
}

// fitted is what gram fit --json prints.
type fitted struct {
	Loss, HeldOut         float64
	Iteration, Iterations int
	Stopped               string
	Converged             bool
	Likelihood            string
	Coefficients          []struct {
		Name                            string
		Value, StandardError, Low, High float64
	}
	NoStandardErrors string
	Predictions      map[string]struct{ RootMeanSquare, RSquared, Accuracy, AUC float64 }
	Inputs           map[string]any
}

func fittedJSON(t *testing.T, program string, args ...string) (f fitted) {
	status, out, errs := runFit(t.Context(), program, append(args, "--json")...)
	require.Equal(t, command.StatusDone, status, errs)
	require.NoError(t, json.Unmarshal([]byte(out), &f))
	return f
}

func TestFitWeather(t *testing.T) {
	atRoot(t)
	params := filepath.Join(t.TempDir(), "params.json")
	var f fitted
	require.NoError(t, json.Unmarshal([]byte(answer(t, "fit examples/weather.gram --json -o "+params)), &f))
	require.Less(t, f.Loss, 11.02)
	var value struct{ Value float64 }
	require.NoError(t, json.Unmarshal([]byte(answer(t, "eval examples/weather.gram --json --inputs "+params)), &value))
	require.Equal(t, f.Loss, value.Value, "the inputs are read back to the bit")

	held := fittedJSON(t, strings.ReplaceAll(readText(t, "examples/weather.gram"), "seattle", "examples/seattle"), "--over", "days", "--held-out", "0.2")
	require.Equal(t, "the held-out loss has not fallen for a while", held.Stopped)
	require.False(t, held.Converged)
	require.GreaterOrEqual(t, held.Iterations, held.Iteration+20)
}

func readText(t *testing.T, path string) string {
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(text)
}

// TestFitMethods: all methods find the line, of a mean and of a sum.
func TestFitMethods(t *testing.T) {
	sum := strings.ReplaceAll(line, " / size points", "")
	for _, program := range []string{line, sum} {
		for _, args := range []string{"--method lbfgs", "--method newton-cg", "--method gd", "--method adam --rate 0.1", "--method adam --rate 0.1 --over points --batch 10 --held-out 0.1 --seed 3",
			"--method lbfgs --over points --held-out 0.3"} {
			f := fittedJSON(t, program, strings.Fields(args)...)
			require.InDelta(t, 3, f.Inputs["a"], 0.01, args)
			require.InDelta(t, 1, f.Inputs["b"].([]any)[0], 0.01, args)
		}
	}
}

// TestFitRange: inputs stay in their ranges, for all methods, and a checkpoint goes on in the same ranges alone.
func TestFitRange(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state.json")
	common := []string{"--range", "a=..2.5", "--range", "b=-1..1.5", "--set", "a=1"}
	for _, args := range []string{"--method lbfgs", "--method newton-cg", "--method gd", "--method adam --rate 0.1 --over points --batch 10 --held-out 0.1 --checkpoint " + state} {
		f := fittedJSON(t, line, append(common, strings.Fields(args)...)...)
		require.InDelta(t, 2.5, f.Inputs["a"], 0.01, args)
		require.LessOrEqual(t, f.Inputs["a"], 2.5)
	}
	status, _, errs := runFit(t.Context(), line, strings.Fields("--set a=1 --method adam --rate 0.1 --over points --batch 10 --held-out 0.1 --checkpoint "+state)...)
	require.Equal(t, command.StatusWrong, status)
	require.Contains(t, errs, "another program, other data or other flags")
}

// TestFitCheckpoint: adam goes on from a checkpoint as if it had not ended, to the bit.
func TestFitCheckpoint(t *testing.T) {
	for _, args := range []string{"", "--over points --batch 7 --held-out 0.2 --seed 5", "--over points --batch 80 --held-out 0.2"} {
		dir := t.TempDir()
		state := filepath.Join(dir, "state.json")
		common := append(strings.Fields(args), "--method", "adam", "--rate", "0.1")
		want := fittedJSON(t, line, append(common, "--iterations", "53")...)
		for _, n := range []string{"0", "20", "20", "31", "53"} {
			got := fittedJSON(t, line, append(common, "--iterations", n, "--checkpoint", state)...)
			if n == "53" {
				require.Equal(t, want, got)
			}
		}
		status, _, errs := runFit(t.Context(), line, append(common, "--checkpoint", state, "--set", "a=1")...)
		require.Equal(t, command.StatusWrong, status)
		require.Contains(t, errs, "another program, other data or other flags")
		require.NoError(t, os.WriteFile(state, []byte("{}"), 0o666))
		status, _, errs = runFit(t.Context(), line, append(common, "--checkpoint", state)...)
		require.Equal(t, command.StatusWrong, status)
		require.Contains(t, errs, "no checkpoint")
	}
}

// TestFitInterrupted: an interrupt writes the best inputs so far, and exits with 130; a limit exits with 1.
func TestFitInterrupted(t *testing.T) {
	for _, want := range []int{command.StatusInterrupted, command.StatusWrong} {
		dir := t.TempDir()
		params, state := filepath.Join(dir, "params.json"), filepath.Join(dir, "state.json")
		ctx, cancel := context.WithCancel(t.Context())
		args := []string{"--method", "adam", "--iterations", "1e12", "--rate", "1e-9", "-o", params, "--checkpoint", state}
		if want == command.StatusInterrupted {
			time.AfterFunc(300*time.Millisecond, cancel)
		} else {
			args = append(args, "--timeout", "300ms")
		}
		status, out, errs := runFit(ctx, line, args...)
		cancel()
		require.Equal(t, want, status, errs)
		require.Empty(t, out)
		require.Contains(t, errs, "its inputs are in "+params)
		require.Contains(t, readText(t, params), `"a": `)
		require.Contains(t, readText(t, state), `"iteration":`)
	}
}

// TestFitMistakes: what cannot be fitted is an error that says why.
func TestFitMistakes(t *testing.T) {
	atRoot(t)
	weather := strings.ReplaceAll(readText(t, "examples/weather.gram"), "seattle", "examples/seattle")
	for _, c := range []struct {
		program, args string
		status        int
		want          string
	}{
		{line, "--batch 5 --over points", command.StatusUsage, "--batch is for --method adam"},
		{line, "--checkpoint x", command.StatusUsage, "--checkpoint is for --method adam"},
		{line, "--rate 0.1", command.StatusUsage, "--rate is for --method adam"},
		{line, "--method adam --batch 5", command.StatusUsage, "--batch needs --over"},
		{line, "--over points", command.StatusUsage, "--batch or --held-out"},
		{line, "--held-out 1.5 --over points", command.StatusUsage, "between 0 and 1"},
		{line, "--held-out 0.5 --over a", command.StatusUsage, "no data a"},
		{line, "--method newton", command.StatusUsage, "none of lbfgs, gd, newton-cg and adam"},
		{line, "-o x.txt", command.StatusUsage, ".json"},
		{line, "--html x.html --predict a", command.StatusWrong, "has type R; it has to be a list or a vector of pairs"},
		{line, "--html x.html --predict c", command.StatusWrong, "c is not declared"},
		{line, "--range a", command.StatusUsage, "this is no name=low..high"},
		{line, "--range a=2..1", command.StatusUsage, "this is no name=low..high"},
		{line, "--range a=x..1", command.StatusUsage, "this is no name=low..high"},
		{line, "--range c=0..1", command.StatusUsage, "the program has no input c"},
		{line, "--range a=5..", command.StatusWrong, "which is not between them; --set gives it another one"},
		{line, "-o no/such/x.json", command.StatusWrong, "cannot write no/such/x.json"},
		{line, "--method adam --over points --batch 101", command.StatusWrong, "too few"},
		{weather, "--method adam --over days --batch 32", command.StatusWrong, "neither a mean nor a sum over days"},
		{"input x = 0\n[| x, x |]", "", command.StatusWrong, "a loss has type R"},
		{"1", "", command.StatusWrong, "no inputs"},
		{"input x = 0\nlog x", "", command.StatusWrong, "standard input:2:1: not finite"},
		{"input x = 1\ndata xs : List R = [1; 2; 3; 4; 5]\ndata ys : List R = map sin xs\nx * fold (fun y s -> s + y) 0 ys", "--over xs --held-out 0.2", command.StatusWrong, "computed from it"},
	} {
		status, out, errs := runFit(t.Context(), c.program, strings.Fields(c.args)...)
		require.Equal(t, c.status, status, "%s: %s", c.args, errs)
		require.Contains(t, errs, c.want)
		require.Empty(t, out)
	}
}

// TestFitPredictions: the report draws a point for each row, apart for those that are held out. Pairs may stand in a list, a vector, or
// a list that the program declares.
func TestFitPredictions(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fit.html")
	log := "type log = End | Row of (R * R) * log\n" + line
	want := fittedJSON(t, line, "--over", "points", "--held-out", "0.2")
	errors := fmt.Sprintf("training %.4g, of 80 pairs; held out %.4g, of 20 pairs.", math.Sqrt(want.Loss), math.Sqrt(want.HeldOut))
	for _, c := range []struct{ program, predict, note string }{
		{line, "map (fun [| x, y |] -> (a * x + b.(0), y)) points", errors},
		{log, "foldl (fun rest [| x, y |] -> Row ((a * x + b.(0), y), rest)) End points", errors},
		{line, "vec i < 3 -> [| b.(0) + i, b.(0) + i - 2 |]", "training 2, of 3 pairs; held out 2, of 3 pairs."},
		{line, "[(1 / 0, 1); (1, 2)]", "2 pairs with a number that is not finite left out. Points with the same datum stand side by side. Root mean square of the differences: training 1, of 1 pair"},
	} {
		require.Equal(t, want.Inputs, fittedJSON(t, c.program, "--over", "points", "--held-out", "0.2", "--html", file, "--predict", c.predict).Inputs)
		page := readText(t, file)
		require.Contains(t, page, c.note)
		require.Equal(t, 4, strings.Count(page, ` dots"`), "of predictions and of residuals")
	}
	want = fittedJSON(t, line, "--html", file, "--predict", "map (fun [| x, y |] -> (a * x + b.(0), y)) points")
	require.Contains(t, readText(t, file), fmt.Sprintf("differences: rows %.4g, of 100 pairs.", math.Sqrt(want.Loss)))
}

// TestFitPage: the report is a page with a curve for each loss, and all inputs.
func TestFitPage(t *testing.T) {
	file := filepath.Join(t.TempDir(), "fit.html")
	fittedJSON(t, line, "--over", "points", "--held-out", "0.2", "--html", file)
	page := readText(t, file)
	require.Equal(t, 2, strings.Count(page, `<path class="curve`))
	for _, want := range []string{"<title>standard input – fit</title>", ">held out</text>", "<h2>Inputs</h2>", ">b.(0)</span>", "Loss by iteration, on a logarithmic scale"} {
		require.Contains(t, page, want)
	}
	for _, cost := range []string{"<h2>Cost</h2>", "<h2>Computational graph</h2>", "<h2>Steps</h2>"} {
		require.NotContains(t, page, cost)
	}
}

// TestFitNotes: rows that skip leaves out, and a loss that hardly falls, are said.
func TestFitNotes(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "f.csv")
	require.NoError(t, os.WriteFile(file, []byte("a,b\n1,1\n,3\n2,2\nNA,1\n"), 0o644))
	program := fmt.Sprintf("data rows : List R^2 = csv %q \"a\" \"b\" skip\ninput w = 3\nfoldl (fun s [| x, y |] -> s + (y - w * x)^2) 1 rows\n", file)
	_, _, notes := runFit(t.Context(), program)
	require.Equal(t, "gram: note: rows: rows left out, since a value is missing: 2\n", notes)
	status, _, notes := runFit(t.Context(), "input w = 3\n1000 + sin w", "--method", "adam", "--iterations", "5")
	require.Equal(t, command.StatusDone, status)
	require.Contains(t, notes, "gram: note: the loss fell by less than 1 %")
	_, out, _ := runFit(t.Context(), program, "--json")
	require.Contains(t, out, `"skipped": {"rows": 2}`)
}
