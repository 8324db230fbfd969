package main

import (
	"encoding/json"
	"fmt"
	"os/exec"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cost"
)

// gradientOfW1 runs W1 in a process of its own, and returns its output and its memory.
func gradientOfW1(t testing.TB, n int, flags ...string) (out struct {
	Value    float64
	Gradient map[string]float64
	Cost     cost.Cost
}, bytes uint64) {
	t.Helper()
	path, err := exec.LookPath("gram")
	require.NoError(t, err)
	cmd := exec.Command(path, append([]string{"grad", "../../examples/w1.gram", "--json", "--param", fmt.Sprint("n=", n)}, flags...)...)
	text, err := cmd.Output()
	require.NoError(t, err)
	require.NoError(t, json.Unmarshal(text, &out))
	bytes, _ = peakMemory(cmd.ProcessState)
	return out, bytes
}

// TestBeyondMemory: W1 where neither its data nor its rows fit into memory.
func TestBeyondMemory(t *testing.T) {
	const most = 96 << 20
	with, _ := gradientOfW1(t, 4_000_000)
	got, bytes := gradientOfW1(t, 4_000_000, "--max-memory", fmt.Sprint(most), "--rows-memory", "1M")
	require.Equal(t, with.Value, got.Value)
	require.Equal(t, with.Gradient, got.Gradient)
	require.Equal(t, with.Cost.Steps, got.Cost.Steps)
	require.Zero(t, with.Cost.Overhead.Recompute)
	require.NotZero(t, got.Cost.Overhead.Recompute)
	require.Equal(t, with.Cost.Nodes.Allocated, got.Cost.Nodes.Allocated)
	got.Cost.Overhead.Recompute = 0
	require.Equal(t, with.Cost.Overhead, got.Cost.Overhead)
	require.LessOrEqual(t, bytes, uint64(most*115/100))
}

// BenchmarkBeyondMemory is W1 with 10⁹ elements in 1 GiB. It takes minutes, and reports the time for each element over that of 10⁷.
func BenchmarkBeyondMemory(b *testing.B) {
	const short, long = 10_000_000, 1_000_000_000
	seconds := func(c *cost.Cost, n float64) float64 { return (c.Seconds.Load + c.Seconds.Reduce) / n }
	for b.Loop() {
		with, _ := gradientOfW1(b, short)
		got, bytes := gradientOfW1(b, long, "--max-memory", "1GiB")
		require.LessOrEqual(b, bytes, uint64(1<<30))
		require.Equal(b, (with.Cost.Steps.Total()-23)/short*long+23, got.Cost.Steps.Total())
		b.ReportMetric(seconds(&got.Cost, long)/seconds(&with.Cost, short), "ratio")
		b.ReportMetric(float64(bytes), "bytes")
	}
}
