package main

import (
	"encoding/binary"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cost"
)

// gradientOfW1 runs W1 in a process of its own, and returns its output and its memory.
func gradientOfW1(t testing.TB, n int, flags ...string) (out w1Output, bytes uint64) {
	t.Helper()
	return gradientOf(t, "../../examples/w1.gram", append([]string{"--param", fmt.Sprint("n=", n)}, flags...)...)
}

// w1Of is W1 over the numbers of a .npy file of n numbers, the first of which are those given, and the others 0.
func w1Of(t testing.TB, n int, first ...float64) (path string) {
	t.Helper()
	dir := t.TempDir()
	header := fmt.Sprintf("{'descr': '<f8', 'fortran_order': False, 'shape': (%d,), }", n)
	text := []byte("\x93NUMPY\x01\x00")
	text = binary.LittleEndian.AppendUint16(text, uint16(len(header)))
	text = append(text, header...)
	size := int64(len(text) + 8*n)
	for _, x := range first {
		text = binary.LittleEndian.AppendUint64(text, math.Float64bits(x))
	}
	require.NoError(t, os.WriteFile(filepath.Join(dir, "a.npy"), text, 0o666))
	require.NoError(t, os.Truncate(filepath.Join(dir, "a.npy"), size))
	path = filepath.Join(dir, "w1.gram")
	src := "input e = 0.7\ninput r = 0.9\ndata a : List R = npy \"a.npy\"\nfold (fun x h -> sigmoid (e * x + r * h)) 0 a\n"
	require.NoError(t, os.WriteFile(path, []byte(src), 0o666))
	return path
}

type w1Output struct {
	Value    float64
	Gradient map[string]float64
	Cost     cost.Cost
}

func gradientOf(t testing.TB, program string, flags ...string) (out w1Output, bytes uint64) {
	t.Helper()
	path, err := exec.LookPath("gram")
	require.NoError(t, err)
	forgetPeak()
	cmd := exec.Command(path, append([]string{"grad", program, "--json"}, flags...)...)
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
	require.InEpsilon(t, with.Cost.Nodes.Allocated, got.Cost.Nodes.Allocated, 0.01) // where memory ends decides how many rows are kept
	got.Cost.Overhead.Recompute = 0
	require.Equal(t, with.Cost.Overhead, got.Cost.Overhead)
	require.LessOrEqual(t, bytes, uint64(most*115/100))
}

// TestFileBeyondMemory: a list in a file that does not fit into memory is read when it is needed.
func TestFileBeyondMemory(t *testing.T) {
	const most = 96 << 20
	program := w1Of(t, 8_000_000, 0.5, -1, 2)
	with, _ := gradientOf(t, program)
	got, bytes := gradientOf(t, program, "--max-memory", fmt.Sprint(most))
	require.Equal(t, with.Value, got.Value)
	require.Equal(t, with.Gradient, got.Gradient)
	require.Equal(t, with.Cost.Steps, got.Cost.Steps)
	require.NotZero(t, got.Cost.Overhead.Recompute)
	require.LessOrEqual(t, bytes, uint64(most*115/100))
	path, err := exec.LookPath("gram")
	require.NoError(t, err)
	text, err := exec.Command(path, "grad", w1Of(t, 8_000_000, 0.5, math.NaN()), "--max-memory", fmt.Sprint(most)).CombinedOutput()
	require.Error(t, err)
	require.Contains(t, string(text), "data a: element [1] is NaN")
}

// TestVectorsBeyondMemory: rows that do not fit into memory, of which each iteration makes sums, and whose tape would not
// fit either.
func TestVectorsBeyondMemory(t *testing.T) {
	const most = 80 << 20
	program := filepath.Join(t.TempDir(), "rows.gram")
	src := `param n = 200000
param k = 20
input w = 0.3
data a : List R^k = list i < n -> vec j < k -> sin (i + j)
fold (fun v s -> s + (let d = (sum j < k -> sin (v.(j) * w)) - 0.3 in d * d)) 0 a
`
	require.NoError(t, os.WriteFile(program, []byte(src), 0o666))
	with, _ := gradientOf(t, program)
	got, bytes := gradientOf(t, program, "--max-memory", fmt.Sprint(most))
	require.InEpsilon(t, with.Value, got.Value, 1e-12)
	require.InEpsilon(t, with.Gradient["w"], got.Gradient["w"], 1e-12)
	require.Equal(t, with.Cost.Steps, got.Cost.Steps)
	require.NotZero(t, got.Cost.Overhead.Recompute)
	require.LessOrEqual(t, bytes, uint64(most*115/100))
}

// TestManyLoopsBeyondMemory: where each of many loops has few rows, they pass the memory together.
func TestManyLoopsBeyondMemory(t *testing.T) {
	const most = 64 << 20
	program := filepath.Join(t.TempDir(), "loops.gram")
	src := "input e = 0.7\ninput r = 0.9\n#1500 (fun h -> #3000 (fun y -> sin (y * e) + 0.1) (h * r)) 0.5\n"
	require.NoError(t, os.WriteFile(program, []byte(src), 0o666))
	with, _ := gradientOf(t, program)
	got, bytes := gradientOf(t, program, "--max-memory", fmt.Sprint(most))
	require.Equal(t, with.Value, got.Value)
	require.Equal(t, with.Gradient, got.Gradient)
	require.Equal(t, with.Cost.Steps, got.Cost.Steps)
	require.NotZero(t, got.Cost.Overhead.Recompute)
	require.LessOrEqual(t, bytes, uint64(most*115/100))
}

// BenchmarkFileBeyondMemory is W1 over a file of 8 GB, of which most was never written, in 1 GiB. It takes minutes, and reports the time
// for each element over that of 10⁷ elements.
func BenchmarkFileBeyondMemory(b *testing.B) {
	const short, long = 10_000_000, 1_000_000_000
	few, many := w1Of(b, short, 0.5, -1, 2), w1Of(b, long, 0.5, -1, 2)
	for b.Loop() {
		with, _ := gradientOf(b, few)
		got, bytes := gradientOf(b, many, "--max-memory", "1GiB")
		require.LessOrEqual(b, bytes, uint64(1<<30))
		b.ReportMetric(perElement(&got.Cost, long)/perElement(&with.Cost, short), "ratio")
		b.ReportMetric(float64(bytes), "bytes")
	}
}

// perElement is the time for loading and reducing, in seconds for each of n elements.
func perElement(c *cost.Cost, n float64) float64 { return (c.Seconds.Load + c.Seconds.Reduce) / n }

// BenchmarkBeyondMemory is W1 with 10⁹ elements in 1 GiB. It takes minutes, and reports the time for each element over that of 10⁷.
func BenchmarkBeyondMemory(b *testing.B) {
	const short, long = 10_000_000, 1_000_000_000
	for b.Loop() {
		with, _ := gradientOfW1(b, short)
		got, bytes := gradientOfW1(b, long, "--max-memory", "1GiB")
		require.LessOrEqual(b, bytes, uint64(1<<30))
		require.Equal(b, (with.Cost.Steps.Total()-23)/short*long+23, got.Cost.Steps.Total())
		b.ReportMetric(perElement(&got.Cost, long)/perElement(&with.Cost, short), "ratio")
		b.ReportMetric(float64(bytes), "bytes")
	}
}
