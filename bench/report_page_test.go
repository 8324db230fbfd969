package bench_test

import (
	"context"
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/report"
)

// madeUp are claims with each verdict, a time among them.
func madeUp() []bench.Claim {
	series := func(name string, role bench.Role, law bench.Law, f func(n float64) float64) bench.Series {
		return bench.Series{Name: name, Role: role, Law: law, X: "|G|", Y: "steps", Quick: []int{1000, 2000, 5000, 10000, 20000},
			Measure: func(_ context.Context, n int) (bench.Point, error) {
				y := f(float64(n))
				return bench.Point{X: float64(n), Y: y, More: map[string]float64{"m": float64(n), "|G|": 3, bench.BilinearName: float64(n) * (y + 1), "steps": y, "overhead": 7}}, nil
			}}
	}
	small := series("small", bench.Contrast, bench.Law{Kind: bench.Exponential}, func(n float64) float64 { return float64(int(1) << int(n)) })
	small.Without = "sharing"
	small.Quick = []int{1, 2, 3, 4, 5, 6, 7, 8, 9, 10}
	timed := series("time", bench.Evidence, linear, func(n float64) float64 { return 40 * n })
	timed.Y, timed.Timed = "time (ns)", true
	broken := series("counterexample", bench.Printed, bench.Law{Kind: bench.AtMost, Power: 1}, func(n float64) float64 { return n * n })
	broken.If = "n is even"
	same := series("D(t)", bench.Evidence, bench.Law{Kind: bench.Equal}, func(n float64) float64 { return n })
	return []bench.Claim{
		{Number: 1, Title: "a good one", Source: "section 1", Family: "All.", Meaning: "It is linear.",
			Series: []bench.Series{series("affine", bench.Evidence, linear, func(n float64) float64 { return 83*n + 23 }), small}},
		{Number: 2, Title: "one that fails", Series: []bench.Series{series("square", bench.Evidence, linear, func(n float64) float64 { return n * n })}},
		{Number: 3, Title: "a corrected one", Correction: "m is another.", Series: []bench.Series{timed, same, broken}},
		{Number: 4, Title: "a missing one", Series: []bench.Series{{Name: "none", Role: bench.Evidence, Law: linear, X: "n", Y: "steps"}}},
	}
}

func reported(t *testing.T) *report.Report {
	s, err := report.Open(t.TempDir() + "/rows.jsonl")
	require.NoError(t, err)
	defer s.Close()
	claims := madeUp()
	sel := report.Selection{Sizes: report.Quick, Build: "v9"}
	require.NoError(t, report.Run(context.Background(), claims, s, report.Options{Selection: sel, Repeat: 6,
		Computer: report.Computer{System: "plan9/arm", Cores: 4, Processor: "Fast", Go: "go1"}}))
	return s.Report(claims, sel)
}

func TestText(t *testing.T) {
	got := report.Text(reported(t))
	require.Equal(t, strings.TrimPrefix(`
no.  claim            verdict       law                 exponent  constant
  1  a good one       holds         steps = Θ(|G|)         1.000      83.1
  2  one that fails   fails         steps = Θ(|G|)         2.000    20 000
  3  a corrected one  holds after   time (ns) = Θ(|G|)     1.000        40
                      correction    steps = |G|            equal         –
  4  a missing one    not measured  –                          –         –
`, "\n"), got)
}

func TestMarkdown(t *testing.T) {
	opt := report.Pages{Claims: "docs/claims", Plots: "pictures", Command: func(c *bench.Claim) string { return "repeat " + c.Name() }}
	pages, err := report.Markdown(reported(t), opt)
	require.NoError(t, err)
	for name, wanted := range map[string][]string{
		"BENCHMARKS.md": {
			"| 1 | [a good one](docs/claims/claim-01.md) | holds | steps = Θ(\\|G\\|) | 1.000 | 83.1 | sharing: 2^(1.00·x) |\n",
			"| 2 | [one that fails](docs/claims/claim-02.md) | **fails** | steps = Θ(\\|G\\|) | 2.000 | 20 000 | – |\n",
			"Measured by gram v9. Times were taken on 4 cores of Fast, plan9/arm, go1.\n",
			"| steps ≤ ", "| steps + overhead of the compiler's code ≤ ",
		},
		"docs/claims/claim-01.md": {
			"# Claim 1. a good one\n\nHolds. The paper: section 1.\n\n*Programs.* All.\n\nIt is linear.\n",
			"| small | contrast | steps = 2^Θ(\\|G\\|) | 2^(1.00·x) | 0 | holds |",
			"![steps against |G|](../../pictures/claim-01.svg)\n",
			"```console needs=minutes\n$ repeat claim 1\n```\n",
			"| 5 000 | 5 000 | 415 023 |\n",
		},
		"docs/claims/claim-02.md": {
			"| square | evidence | steps = Θ(\\|G\\|) | 2.000 | 20 000 | **fails**: the exponent is 2.000 ± 0.000, not 1 | quadratic 0 %,",
		},
		"docs/claims/claim-03.md": {
			"**Holds after correction**.\n\n*Corrected.* m is another.\n",
			"*As printed*, steps = O(|G|), if n is even: **fails** for counterexample, the exponent is 2.000 ± 0.000, more than 1.\n",
			"| 5 000 | 5 000 | 200 000 | 200 000 … 200 000 |\n",
		},
	} {
		for _, want := range wanted {
			require.Contains(t, string(pages[name]), want, name)
		}
	}
	require.NotContains(t, string(pages["BENCHMARKS.md"]), "tape", "the workloads are the repository's")
	again, err := report.Markdown(reported(t), opt)
	require.NoError(t, err)
	require.Equal(t, pages, again, "the same report gives the same bytes")
}

func TestNothingMeasured(t *testing.T) {
	pages, err := report.Markdown(&report.Report{}, report.Pages{})
	require.NoError(t, err)
	require.Contains(t, string(pages["BENCHMARKS.md"]), "Nothing has been measured.")
	bound, err := report.BoundText(&report.Report{})
	require.NoError(t, err)
	require.Empty(t, bound)
}

func TestJSON(t *testing.T) {
	text, err := report.JSON(reported(t))
	require.NoError(t, err)
	var got struct {
		Builds []string
		Bounds []struct {
			Quantity string
			Of       []string
			Runs     int
			Least    []float64
		}
		Claims []struct {
			Number  int
			Verdict string
			Series  []struct {
				Name     string
				Exponent *float64
				Points   []struct{ Y float64 }
			}
		}
	}
	require.NoError(t, json.Unmarshal(text, &got))
	require.Equal(t, []string{"v9"}, got.Builds)
	require.Len(t, got.Bounds, 2)
	require.Equal(t, 20, got.Bounds[0].Runs, "five sizes of four series, two of which have the same runs; contrast is left out")
	require.Equal(t, []string{bench.BilinearName}, got.Bounds[1].Of)
	require.Len(t, got.Claims, 4)
	require.Equal(t, "fails", got.Claims[1].Verdict)
	require.InDelta(t, 1, *got.Claims[0].Series[0].Exponent, 1e-9)
	require.Equal(t, 83023.0, got.Claims[0].Series[0].Points[0].Y)
	require.Nil(t, got.Claims[3].Series[0].Exponent)
}

func TestFolder(t *testing.T) {
	files, err := report.Folder(reported(t), report.Pages{Command: func(*bench.Claim) string { return "again" }})
	require.NoError(t, err)
	for _, name := range []string{"BENCHMARKS.md", "claims/claim-02.md", "results.json", "plots/claim-01.svg", "plots/claim-03-2.svg"} {
		require.NotEmpty(t, files[name], name)
	}
	require.NotContains(t, files, "plots/claim-04.svg", "nothing was measured")
}
