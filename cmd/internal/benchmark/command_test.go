package benchmark

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/peers"
	"github.com/gram-machine/gram/bench/report"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/internal/property"
)

// run runs a command line.
func run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(ctx, args, stdin, stdout, stderr,
		func(a *command.App) []*cobra.Command { return []*cobra.Command{Command(a)} })
}

// TestBenchInterrupted: what was measured before an interrupt is not measured again.
func TestBenchInterrupted(t *testing.T) {
	dir := t.TempDir()
	program, rows := filepath.Join(dir, "p.gram"), filepath.Join(dir, "out", "rows.jsonl")
	require.NoError(t, os.WriteFile(program, []byte("param n = 1\ninput x = 0.5\niter #n sin x\n"), 0o666))
	args := func(sizes string) []string {
		return []string{"bench", "--family", program, "--param", "n=" + sizes, "--out", filepath.Join(dir, "out")}
	}
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	go func() { // interrupts when the first size is measured and the second is under way
		for ctx.Err() == nil {
			if text, _ := os.ReadFile(rows); bytes.Contains(text, []byte("\n")) {
				cancel()
			}
			time.Sleep(time.Millisecond)
		}
	}()
	var out, errs bytes.Buffer
	require.Equal(t, command.StatusInterrupted, run(ctx, args("10,1000000000000"), nil, &out, &errs))
	require.Empty(t, out.String())
	require.Contains(t, errs.String(), "gram: interrupted while measuring; 1 of 12 points are kept for the next run\n")

	before, err := os.ReadFile(rows)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(before), "\n"))
	errs.Reset()
	require.Equal(t, command.StatusDone, run(context.Background(), args("10,20"), nil, &out, &errs), errs.String())
	require.Contains(t, errs.String(), "p.gram: steps, 1 point\n")
	after, err := os.ReadFile(rows)
	require.NoError(t, err)
	require.Truef(t, bytes.HasPrefix(after, before), "%s", after)
}

// TestBenchPeersInterrupted: what was compared before an interrupt is kept, task by task, and not measured again.
// What is not installed is named.
func TestBenchPeersInterrupted(t *testing.T) {
	t.Setenv("PATH", "")
	dir := filepath.Join(t.TempDir(), "out")
	// measured interrupts the measurement when so many tasks are measured, and returns what it says.
	const rowsOfTask = 8
	measured := func(tasks int) string {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		go func() {
			for ctx.Err() == nil {
				if text, _ := os.ReadFile(filepath.Join(dir, "rows.jsonl")); bytes.Count(text, []byte("\n")) >= tasks*rowsOfTask {
					cancel()
				}
				time.Sleep(time.Millisecond)
			}
		}()
		var out, errs bytes.Buffer
		require.Equal(t, command.StatusInterrupted, run(ctx, []string{"bench", "--peers", "--quick", "--out", dir}, nil, &out, &errs))
		require.Empty(t, out.String())
		return errs.String()
	}
	first := measured(1)
	require.Contains(t, first, "peers: w1, n = 1000\n")
	require.Contains(t, first, "gram: interrupted while measuring; 1 of 8 points are kept for the next run\n")
	for _, missing := range []string{"C by hand: not found: needs a C compiler, cc, gcc or clang (Debian: gcc)",
		"ADOL-C: not found: needs g++ and adolc/adolc.h (Debian: g++ libadolc-dev)",
		"CoDiPack: not found: needs g++ and codi.hpp (the folder include of CoDiPack 2, in CPATH)",
		"PyTorch: not found: needs python3 with torch (Debian: python3-torch)", "Maude: not found: needs maude (Debian: maude)"} {
		require.Contains(t, first, "gram: "+missing+"\n")
	}
	require.NotContains(t, measured(1), "peers: w1, n = 1000\n")
	var out, errs bytes.Buffer
	require.Equal(t, command.StatusDone, run(context.Background(), []string{"bench", "--peers", "--render", "--out", dir}, nil, &out, &errs))
	require.Contains(t, out.String(), "W1, n = 10³\n")
	require.Contains(t, out.String(), "gram direct, unfused ")
	require.NotContains(t, out.String(), "ADOL-C")
}

// TestBenchRivals: a quick run tells each family on standard error, and prints one object; an interrupt keeps nothing.
func TestBenchRivals(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	var out, errs bytes.Buffer
	require.Equal(t, command.StatusInterrupted, run(ctx, []string{"bench", "--rivals"}, nil, &out, &errs))
	require.Empty(t, out.String())
	require.Contains(t, errs.String(), "gram: interrupted while measuring; 0 of 19 families are done, and none is kept\n")
	if !property.Full() { // it takes seconds
		return
	}
	errs.Reset()
	require.Equal(t, command.StatusDone, run(context.Background(), []string{"bench", "--rivals", "--quick", "--json"}, nil, &out, &errs), errs.String())
	require.Contains(t, errs.String(), "rivals: doubled\nrivals: projections\n")
	var report struct {
		Growth map[string]map[string]struct{ Form string }
	}
	require.NoError(t, json.Unmarshal(out.Bytes(), &report))
	require.Equal(t, "linear", report.Growth["chain"]["gram"].Form)
	require.Equal(t, "quadratic", report.Growth["chain"]["chad"].Form)
	require.Equal(t, "exponential", report.Growth["doubled"]["dual"].Form)
}

// TestBenchProgress: a series is announced as a line, and its points only on a terminal.
func TestBenchProgress(t *testing.T) {
	var out bytes.Buffer
	p := (&command.App{Stderr: &out}).NewLine(true)
	claim := &bench.Claim{Number: 7, Series: []bench.Series{{Name: "chain"}}}
	point := report.Event{Claim: claim, Series: &claim.Series[0], Size: 1000, Points: 2, Total: 2}
	for _, e := range []report.Event{{Claim: claim, Series: &claim.Series[0], Points: 2, Total: 2}, point,
		{Task: &peers.Task{Workload: "w1", N: 1000}, Total: 7}} {
		line, doing := told(e)
		p.Show(e.Done, e.Total, line, doing)
	}
	p.Close()
	require.Equal(t, "claim 7: chain, 2 points\npeers: w1, n = 1000\n", out.String())
	_, doing := told(point)
	require.Equal(t, "claim 7, chain, size 1 000", doing)
}

func TestParseSizes(t *testing.T) {
	for text, want := range map[string][]int{
		"1e2..1e3": {100, 200, 500, 1000}, "3..70": {3, 5, 10, 20, 50, 70}, "7..7": {7}, "0..2": {0, 1, 2},
		"30,10,20,10": {10, 20, 30}, "1e6": {1_000_000}, " 1 , 2": {1, 2},
	} {
		got, err := parseSizes(text)
		require.NoError(t, err, text)
		require.Equal(t, want, got, text)
	}
	for _, text := range []string{"", "2..1", "1..", "a..b", "1.5..3", "1,,2", "-1..2", "1..1e30"} {
		_, err := parseSizes(text)
		require.Error(t, err, text)
	}
}
