package bench_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/peers"
	"github.com/gram-machine/gram/bench/report"
)

// inside are the peers that run in this process, and one that is missing.
func inside() []peers.Peer {
	out := []peers.Peer{peers.Program("absent", "what is not there", func(context.Context, string) ([]string, error) { return nil, peers.ErrMissing })}
	for _, p := range peers.All() {
		if p.Always && p.Name != peers.CHand && !p.Aside {
			out = append(out, p)
		}
	}
	return out
}

func TestComparePeers(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	s, err := report.Open(path)
	require.NoError(t, err)
	defer s.Close()
	tasks := []peers.Task{{Workload: "w3", N: 1000}, {Workload: "w4", N: 1000}}
	begun := 0
	opt := report.Options{Selection: report.Selection{Build: "v1", Tasks: tasks}, Repeat: 6, Computer: report.Computer{System: "plan9/arm", Cores: 1, Go: "go1"},
		Progress: func(e report.Event) { begun++ }}
	compare := func(all []peers.Peer) {
		faults, err := report.Compare(context.Background(), all, s, opt)
		require.NoError(t, err)
		require.Len(t, faults, 1)
		require.EqualError(t, faults[0], "absent: not found: needs what is not there")
	}
	compare(inside())
	require.Equal(t, 2, begun)
	compare(inside())
	require.Equal(t, 2, begun, "nothing is measured twice")
	rows, err := os.ReadFile(path)
	require.NoError(t, err)

	rep := s.Report(nil, opt.Selection)
	require.Len(t, rep.Comparisons, 2)
	require.Equal(t, []string{"v1"}, rep.Builds)
	require.Len(t, rep.Computers, 1)
	c := rep.Comparisons[0]
	require.Equal(t, tasks[0], c.Task)
	require.Len(t, c.Entries, 7)
	require.Equal(t, peers.GoHand, c.Entries[0].Peer.Name)
	tape := c.Of(peers.Tape)
	require.Equal(t, 1.0, tape.Tape)
	require.LessOrEqual(t, tape.Best, tape.Ns)
	require.Greater(t, tape.Bytes, 32.0, "two parents, two partial derivatives and an adjoint a node")
	require.Equal(t, 57_017.0, c.Of(peers.Direct).Steps)
	require.Less(t, c.Of(peers.Modular).Steps, 30_044.0, "those of the run, without normalising")
	require.Nil(t, c.Of("absent"))

	// A torn row costs its task, and one of another build does not count.
	s.Close()
	require.NoError(t, os.WriteFile(path, rows[:len(rows)-5], 0o666))
	s, err = report.Open(path)
	require.NoError(t, err)
	compare(inside())
	require.Equal(t, 3, begun)
	opt.Build = "v2"
	compare(inside()[:5])
	require.Equal(t, 5, begun)
	rep = s.Report(nil, report.Selection{Tasks: report.AnyTask()})
	require.Len(t, rep.Comparisons, 2)
	require.Len(t, rep.Comparisons[0].Entries, 3, "rows of another run are not compared with the machine's of this")
	for _, r := range s.Rows() {
		require.True(t, r.IsComparison())
	}
	require.False(t, (&report.Row{Series: "steps", Measurement: bench.Measurement{Size: 1000}}).IsComparison())
}

func TestCompareInterrupted(t *testing.T) {
	s, err := report.Open(filepath.Join(t.TempDir(), "rows.jsonl"))
	require.NoError(t, err)
	defer s.Close()
	ctx, cancel := context.WithCancel(context.Background())
	opt := report.Options{Selection: report.Selection{Build: "v1", Tasks: peers.Quick[:1]}, Repeat: 6, Progress: func(report.Event) { cancel() }}
	_, err = report.Compare(ctx, inside(), s, opt)
	require.ErrorIs(t, err, context.Canceled)
	require.Empty(t, s.Rows())
}

func TestTasks(t *testing.T) {
	require.Len(t, report.AnyTask(), 16, "three sizes of w1, w3 and w4, four of w2, three of w5")
	for _, tasks := range [][]peers.Task{peers.Quick, peers.Full} {
		for _, task := range tasks {
			require.Contains(t, report.AnyTask(), task)
			require.Positive(t, task.Primitives())
		}
	}
}
