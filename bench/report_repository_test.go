package bench_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/peers"
	"github.com/gram-machine/gram/bench/report"
	"github.com/gram-machine/gram/internal/property"
)

// root is the repository's.
const root = ".."

func committed(t *testing.T) *report.Store {
	s, err := report.Read(filepath.Join(root, report.RepositoryRows))
	require.NoError(t, err)
	return s
}

// TestRepositoryIsGenerated: BENCHMARKS.md, the pages of the claims and the pictures are what is made of the
// committed measurements. `go generate ./bench` makes them.
func TestRepositoryIsGenerated(t *testing.T) {
	rep := committed(t).Report(bench.Claims(), report.Selection{Sizes: report.AnySize, Tasks: report.AnyTask()})
	files, err := report.Repository(rep)
	require.NoError(t, err)
	pictures, err := filepath.Glob(filepath.Join(root, "bench/plots/*"))
	require.NoError(t, err)
	pages, err := filepath.Glob(filepath.Join(root, "docs/claims/*"))
	require.NoError(t, err)
	require.Len(t, append(pictures, pages...), len(files)-len([]string{"BENCHMARKS.md", "docs/gradbench.md"}), "bench/plots or docs/claims has files that are not generated")
	require.LessOrEqual(t, bytes.Count(files["BENCHMARKS.md"], []byte("\n")), 300, "a first screen")
	for name, want := range files {
		got, err := os.ReadFile(filepath.Join(root, name))
		require.NoError(t, err)
		require.True(t, string(want) == string(got), "%s is stale: run go generate ./bench", name)
	}
}

// TestCountsOfThePage measures the counts on the page again, at the sizes of a quick run, and compares them exactly. Without
// FULL_SIZE it takes the least of each series. Counts are equal where the law says so, but for a series that breaks the law as printed.
func TestCountsOfThePage(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half as long as gram bench --quick")
	}
	kept := map[[2]any]map[int]report.Row{}
	for _, r := range committed(t).Rows() {
		key := [2]any{r.Claim, r.Series}
		if kept[key] == nil {
			kept[key] = map[int]report.Row{}
		}
		kept[key][r.Size] = r
	}
	for _, c := range bench.Claims() {
		t.Run(c.Name(), func(t *testing.T) {
			t.Parallel()
			for _, s := range c.Series {
				sizes := s.Quick
				if s.Timed || !property.Full() {
					sizes = sizes[:1]
				}
				for _, n := range sizes {
					p, err := s.Measure(context.Background(), n)
					require.NoError(t, err)
					require.Positive(t, p.X, s.Name)
					require.Positive(t, p.Y, s.Name)
					switch {
					case s.Law.Kind == bench.Equal && s.Role == bench.Printed:
						require.NotEqual(t, p.X, p.Y, "%s breaks the sentence as printed", s.Name)
					case s.Law.Kind == bench.Equal:
						require.Equal(t, p.X, p.Y, s.Name)
					case s.Law.Kind == bench.Below:
						require.LessOrEqual(t, p.Y, p.X, s.Name)
					}
					if s.Timed {
						continue // times wait for a computer that is idle
					}
					r, ok := kept[[2]any{c.Number, s.Name}][n]
					require.True(t, ok, "%s, size %d is not on the page: measure it", s.Name, n)
					if len(p.More) == 0 {
						p.More = nil // as it is read back
					}
					require.Equal(t, r.Point, p, "%s, size %d", s.Name, n)
				}
			}
		})
	}
}

// TestStepsOfTheComparison counts the steps of the machine's forms on the page again, at the sizes of a quick run.
func TestStepsOfTheComparison(t *testing.T) {
	kept := map[peers.Task]*report.Comparison{}
	for _, c := range committed(t).Report(nil, report.Selection{Tasks: report.AnyTask()}).Comparisons {
		kept[c.Task] = c
	}
	if len(kept) == 0 {
		t.Skip("the comparison has not been measured")
	}
	found, _, err := peers.Find(context.Background(), slices.DeleteFunc(peers.All(), func(p peers.Peer) bool { return !p.Steps }), t.TempDir())
	require.NoError(t, err)
	for _, task := range peers.Quick {
		c, ok := kept[task]
		if !ok || task.N > 1000 || task.K > 0 && !property.Full() {
			continue
		}
		times, faults, err := task.Contest(context.Background(), found, 1, t.TempDir())
		require.NoError(t, err)
		require.Empty(t, faults)
		for _, e := range times {
			row := c.Of(e.Peer.Name)
			require.NotNil(t, row, "%s, %s is not on the page", task.Name(), e.Peer.Name)
			require.Equal(t, e.Steps, row.Steps, "%s, %s", task.Name(), e.Peer.Name)
		}
	}
}
