package bench_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/peers"
	"github.com/gram-machine/gram/bench/report"
)

// row is the row of a peer's times in a task.
func peerRow(task peers.Task, peer, run string, ns, bytes, steps float64) report.Row {
	x := task.Primitives()
	r := report.Row{Series: fmt.Sprintf("peers/%s/k=%d/%s", task.Workload, task.K, peer), Run: run, Build: "v9",
		Computer: &report.Computer{System: "plan9/arm", Cores: 4, Processor: "Fast", Go: "go1"},
		Measurement: bench.Measurement{Size: task.N, Point: bench.Point{X: x, Y: ns * x, More: map[string]float64{}}, Low: 0.9 * ns * x, High: 1.1 * ns * x,
			Samples: []float64{0.9 * ns * x, ns * x, 1.1 * ns * x}}}
	if bytes > 0 {
		r.More["bytes"] = bytes * x
	}
	if steps > 0 {
		r.More["steps"] = steps
	}
	return r
}

// comparedRows are rows of two tasks by made-up peers' times; of w1 at 10⁵ one is of an earlier run.
func comparedRows() []report.Row {
	short, long, wide := peers.Task{Workload: "w1", N: 1000}, peers.Task{Workload: "w1", N: 100_000}, peers.Task{Workload: "w2", N: 100, K: 16}
	return []report.Row{
		peerRow(short, peers.CHand, "1", 4, 0, 0), peerRow(short, peers.GoHand, "1", 8, 2, 0), peerRow(short, peers.Tape, "1", 10, 32, 0),
		peerRow(short, peers.Direct, "1", 16, 2, 83_023), peerRow(short, peers.Unfused, "1", 120, 68, 83_023), peerRow(short, "PyTorch", "1", 4089, 2969, 0),
		peerRow(long, peers.CHand, "0", 4, 2, 0), peerRow(long, peers.Tape, "2", 10, 32, 0), peerRow(long, peers.Direct, "2", 12.5, 2, 8_300_023),
		peerRow(wide, peers.CHand, "3", 0.5, 0.25, 0), peerRow(wide, peers.Tape, "3", 5, 32, 0), peerRow(wide, peers.Direct, "3", 2.5, 0.125, 2_054_607),
	}
}

// withPeers is the report of the made-up claims and of the rows.
func withPeers(t *testing.T) *report.Report { return withRows(t, comparedRows()) }

// withRows is the report of the made-up claims and of rows of peers.
func withRows(t *testing.T, rows []report.Row) *report.Report {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	var text []byte
	for _, r := range rows {
		line, err := json.Marshal(r)
		require.NoError(t, err)
		text = append(append(text, line...), '\n')
	}
	require.NoError(t, os.WriteFile(path, text, 0o666))
	s, err := report.Read(path)
	require.NoError(t, err)
	out := reported(t)
	out.Comparisons = s.Report(nil, report.Selection{Tasks: report.AnyTask(), Build: "v9"}).Comparisons
	return out
}

// between is the part of the page from a text to another.
func between(t *testing.T, text, from, to string) string {
	_, after, ok := strings.Cut(text, from)
	require.True(t, ok, from)
	part, _, ok := strings.Cut(after, to)
	require.True(t, ok, to)
	return from + part
}

func TestPeersOnThePage(t *testing.T) {
	opt := report.Pages{Claims: "claims", Plots: "pictures", Compare: "again --peers", All: "again"}
	pages, err := report.Markdown(withPeers(t), opt)
	require.NoError(t, err)
	first, text := string(pages["BENCHMARKS.md"]), string(pages["claims/peers.md"])
	require.Contains(t, first, "The verdicts on 4 claims: 1 × *holds*, 1 × *holds after correction*, 1 × *fails*, 1 × *not measured*.\n")
	require.Contains(t, first, "| steps + overhead of the compiler's code ≤ ")
	require.Equal(t, `## Speed

Value and gradient in the default form. [All peers](claims/peers.md) and the steps a second have a page.

| value and gradient | ns per primitive | over C by hand | over Go by hand | over a plain Go tape | bytes per primitive | the tape's |
| --- | ---:| ---:| ---:| ---:| ---:| ---:|
| W1, n = 10⁵ | 12.5 | – | – | 1.25 | 2.0 | 32 |
| W2, n = 100, k = 16 | 2.5 | 5.0 | – | 0.50 | 0.125 | 32 |

`, between(t, first, "## Speed", "## Where"))
	require.Contains(t, first, "`again` measures all of this again. `again --peers` compares with the peers that are installed. Measured by gram v9.")
	require.Equal(t, `## Nanoseconds for each primitive

The median of the rounds; in parentheses over the plain Go tape, where it takes part, the median of the rounds' ratios.

|  | W1, n = 10³ | W1, n = 10⁵ | W2, n = 100, k = 16 |
| --- | ---:| ---:| ---:|
| C by hand | 4.0 (0.40) | – | 0.50 (0.100) |
| Go by hand | 8.0 (0.80) | – | – |
| plain Go tape | 10.0 (1.00) | 10.0 (1.00) | 5.0 (1.00) |
| gram direct | 16.0 (1.60) | 12.5 (1.25) | 2.5 (0.50) |
| gram direct, unfused | 120 (12.0) | – | – |
| PyTorch | 4 089 (409) | – | – |

Not measured: BLAS in C; BLAS in C, gradients multiplied at the end; gonum in Go; gram modular; gram direct, interpreted; gram, literal machine; ADOL-C; ADOL-C, replaying; CoDiPack; CoDiPack, replaying; Maude.

## Bytes for each primitive

|  | W1, n = 10³ | W1, n = 10⁵ | W2, n = 100, k = 16 |
| --- | ---:| ---:| ---:|
| C by hand | – | – | 0.25 |
| Go by hand | 2.0 | – | – |
| plain Go tape | 32 | 32 | 32 |
| gram direct | 2.0 | 2.0 | 0.125 |
| gram direct, unfused | 68 | – | – |
| PyTorch | 2 969 | – | – |

`, between(t, text, "## Nano", "## Counted"))
	require.Contains(t, text, "```console needs=minutes\n$ again --peers\n```\n")
	require.Contains(t, text, `W2, n = 100, k = 16

| ns per primitive | best | median | 95 % interval |
| --- | ---:| ---:| --- |
| C by hand | 0.45 | 0.50 | 0.45 … 0.55 |
| plain Go tape | 4.5 | 5.0 | 4.5 … 5.5 |
`)
	require.Contains(t, text, `
|  | W1, n = 10³ | W1, n = 10⁵ | W2, n = 100, k = 16 |
| --- | ---:| ---:| ---:|
| gram direct | 1 297 | 1 660 | 8 026 |
| gram direct, unfused | 173 | – | – |

The counted steps of a run, with or without blocks, which do not depend on the computer:

|  | W1, n = 10³ | W1, n = 10⁵ | W2, n = 100, k = 16 |
| --- | ---:| ---:| ---:|
| gram direct | 83 023 | 8 300 023 | 2 054 607 |
`)
	again, err := report.Markdown(withPeers(t), opt)
	require.NoError(t, err)
	require.Equal(t, pages, again, "the same rows give the same bytes")

	alone := &report.Report{Comparisons: withPeers(t).Comparisons}
	pages, err = report.Markdown(alone, opt)
	require.NoError(t, err)
	first = string(pages["BENCHMARKS.md"])
	require.NotContains(t, first, "verdicts on")
	require.NotContains(t, first, "| claim |")
	require.NotContains(t, first, "all of this again")
}

func TestComparisonText(t *testing.T) {
	require.Equal(t, strings.TrimPrefix(`
Value and gradient, ns per primitive of the forward computation (over the plain Go tape's time)

                      W1, n = 10³  W1, n = 10⁵  W2, n = 100, k = 16
C by hand              4.0 (0.40)            –         0.50 (0.100)
Go by hand             8.0 (0.80)            –                    –
plain Go tape         10.0 (1.00)  10.0 (1.00)           5.0 (1.00)
gram direct           16.0 (1.60)  12.5 (1.25)           2.5 (0.50)
gram direct, unfused   120 (12.0)            –                    –
PyTorch               4 089 (409)            –                    –
`, "\n"), report.ComparisonText(withPeers(t)))
	require.Empty(t, report.ComparisonText(reported(t)))
}

// TestWithoutTape: a task that the tape is too large for has times, and no ratios to it.
func TestWithoutTape(t *testing.T) {
	large := peers.Task{Workload: "w5", N: 100, K: 256}
	r := withRows(t, []report.Row{peerRow(large, peers.BLAS, "1", 0.25, 0, 0), peerRow(large, peers.GoHand, "0", 2, 1, 0), peerRow(large, peers.Gonum, "1", 0.5, 1, 0), peerRow(large, peers.Direct, "1", 0.5, 0.125, 0)})
	require.Equal(t, strings.TrimPrefix(`
Value and gradient, ns per primitive of the forward computation (over the plain Go tape's time)

             W5, n = 100, k = 256
BLAS in C                    0.25
gonum in Go                  0.50
gram direct                  0.50
`, "\n"), report.ComparisonText(r))
	pages, err := report.Markdown(r, report.Pages{Claims: "claims", Plots: "pictures"})
	require.NoError(t, err)
	require.Contains(t, string(pages["BENCHMARKS.md"]), "\n| W5, n = 100, k = 256 | 0.50 | – | – | – | 0.125 | – |\n")
	files, err := report.Folder(r, report.Pages{Command: func(*bench.Claim) string { return "" }})
	require.NoError(t, err)
	require.NotContains(t, string(files["results.json"]), "overTape")
}

func TestPeersInFiles(t *testing.T) {
	r := withPeers(t)
	files, err := report.Folder(r, report.Pages{})
	require.NoError(t, err)
	var got struct {
		Claims []any
		Peers  []struct {
			Workload string
			N, K     int
			Peers    []struct {
				Name                     string
				NsPerPrimitive, OverTape float64
				Steps, BytesPerPrimitive float64
				Samples                  []float64
			}
		}
	}
	require.NoError(t, json.Unmarshal(files["results.json"], &got))
	require.Len(t, got.Peers, 3)
	require.Equal(t, 16, got.Peers[2].K)
	require.Len(t, got.Peers[1].Peers, 2, "C is of another run")
	direct := got.Peers[0].Peers[3]
	require.Equal(t, peers.Direct, direct.Name)
	require.Equal(t, []float64{16, 1.6, 83_023, 2}, []float64{direct.NsPerPrimitive, direct.OverTape, direct.Steps, direct.BytesPerPrimitive})

	alone, err := report.Folder(&report.Report{Comparisons: r.Comparisons}, report.Pages{})
	require.NoError(t, err)
	require.Contains(t, string(alone["results.json"]), `"claims": []`)
}
