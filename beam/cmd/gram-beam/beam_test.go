package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/beam/gramio"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/bench/report"
	"github.com/gram-machine/gram/internal/bridge"
)

const linear = "../../../examples/linear.gram"

// asCommand makes the test's executable the command.
const asCommand = "GRAM_BEAM_COMMAND"

func TestMain(m *testing.M) {
	if os.Getenv(asCommand) != "" {
		os.Exit(run(os.Args[1:]))
	}
	os.Exit(m.Run())
}

// process is the command in a process of its own.
func process(t *testing.T, args ...string) *exec.Cmd {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	t.Cleanup(cancel)
	self, err := os.Executable()
	require.NoError(t, err)
	cmd := exec.CommandContext(ctx, self, args...)
	cmd.Env = append(os.Environ(), asCommand+"=1")
	return cmd
}

// command runs the command, and returns what it prints and its exit status.
func command(t *testing.T, args ...string) (stdout, stderr string, status int) {
	cmd := process(t, args...)
	var out, wrong bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &wrong
	if err := cmd.Run(); err != nil {
		var exit *exec.ExitError
		require.ErrorAs(t, err, &exit)
	}
	return out.String(), wrong.String(), cmd.ProcessState.ExitCode()
}

// succeed runs the command, which must not fail.
func succeed(t *testing.T, args ...string) string {
	stdout, stderr, status := command(t, args...)
	require.Zero(t, status, stderr)
	return stdout
}

// refuse runs the command, which must fail, and returns what it says.
func refuse(t *testing.T, args ...string) string {
	stdout, stderr, status := command(t, args...)
	require.Equal(t, 1, status, stdout+stderr)
	require.Empty(t, stdout)
	return stderr
}

// cluster is a job server and a pool of workers, each in a process of its own.
type cluster struct {
	flags []string
	lines *bufio.Scanner // what the pool says of its workers
}

func newCluster(t *testing.T) *cluster {
	free, err := net.Listen("tcp", "localhost:0")
	require.NoError(t, err)
	port := free.Addr().(*net.TCPAddr).Port
	require.NoError(t, free.Close())
	start := func(pipe func(*exec.Cmd) (io.ReadCloser, error), args ...string) (stdout string, rest *bufio.Scanner) {
		cmd := process(t, args...)
		var err error
		if pipe != nil {
			errors, err := pipe(cmd)
			require.NoError(t, err)
			rest = bufio.NewScanner(errors)
		}
		out, err := cmd.StdoutPipe()
		require.NoError(t, err)
		require.NoError(t, cmd.Start())
		t.Cleanup(func() {
			_ = cmd.Process.Signal(os.Interrupt)
			_ = cmd.Wait()
		})
		text, err := bufio.NewReader(out).ReadString('\n')
		require.NoError(t, err)
		return strings.TrimSpace(text), rest
	}
	endpoint, _ := start(nil, "serve", "--port", strconv.Itoa(port))
	workers, lines := start((*exec.Cmd).StderrPipe, "worker")
	return &cluster{[]string{"--runner", "universal", "--endpoint", endpoint, "--workers", workers}, lines}
}

// worker waits until the pool has started a worker, and returns its process.
func (c *cluster) worker(t *testing.T) int {
	for c.lines.Scan() {
		if _, pid, ok := strings.Cut(c.lines.Text(), ": process "); ok && !strings.Contains(pid, "ended") {
			n, err := strconv.Atoi(pid)
			require.NoError(t, err)
			return n
		}
	}
	t.Fatal("the pool has not started a worker")
	return 0
}

type sumResult struct {
	Value    float64
	Gradient map[string]any
	Shards   int
	Rows     int
	Cost     gramio.Counts
}

func parse(t *testing.T, text string) (r sumResult) {
	require.NoError(t, json.Unmarshal([]byte(text), &r), text)
	return r
}

// numbers are the numbers in a JSON value.
func numbers(x any) []float64 {
	switch x := x.(type) {
	case float64:
		return []float64{x}
	case []any:
		var out []float64
		for _, y := range x {
			out = append(out, numbers(y)...)
		}
		return out
	}
	panic(x)
}

// TestSum: the sum is the program's own value and gradient, its counts are the sums of the shards' counts, and all runners,
// numbers of processors and workers give the same bits.
func TestSum(t *testing.T) {
	args := []string{"sum", linear, "--over", "rows", "--mean", "--shards", "8", "--json"}
	text := succeed(t, append(args, "--runner", "prism")...)
	got := parse(t, text)
	ctx := context.Background()
	p, err := gram.LoadFile(ctx, linear, gram.Options{})
	require.NoError(t, err)
	want, err := p.Gradient(ctx, gram.EvalOptions{})
	require.NoError(t, err)
	near := func(want, got float64) { require.InEpsilon(t, want, got, 1e-12) }
	near(want.Values[0], got.Value)
	for i, x := range append(numbers(got.Gradient["w"]), numbers(got.Gradient["b"])...) {
		near(want.Jacobian[i], x)
	}
	rows := bridge.Of(p).Source().Data[0].Value.Data
	require.Equal(t, len(rows)/4, got.Rows)
	require.Equal(t, 8, got.Shards)
	var counts gramio.Counts
	for k := range 8 {
		part, err := gram.LoadFile(ctx, linear, gram.Options{Values: map[string][]float64{"rows": rows[k*1461/8*4 : (k+1)*1461/8*4]}})
		require.NoError(t, err)
		res, err := part.Gradient(ctx, gram.EvalOptions{})
		require.NoError(t, err)
		c := gramio.CountsOf(&res.Cost)
		counts.Add(&c)
	}
	require.Equal(t, counts.Steps, got.Cost.Steps)
	require.Equal(t, counts.Overhead, got.Cost.Overhead)
	require.Equal(t, counts.Nodes.Allocated, got.Cost.Nodes.Allocated)

	require.Equal(t, text, succeed(t, append(args, "--runner", "direct")...))
	one := process(t, args...)
	one.Env = append(one.Env, "GOMAXPROCS=1")
	out, err := one.Output()
	require.NoError(t, err)
	require.Equal(t, text, string(out))
	c := newCluster(t)
	require.Equal(t, text, succeed(t, append(args, c.flags...)...))
}

// TestTree: more shards than are added at once. The sum does not depend on the order in which they come.
func TestTree(t *testing.T) {
	args := []string{"sum", linear, "--over", "rows", "--mean", "--json", "--shards", "300"}
	text := succeed(t, args...)
	require.Equal(t, 300, parse(t, text).Shards)
	require.Equal(t, text, succeed(t, append(args, "--runner", "direct")...))
}

func TestCheck(t *testing.T) {
	succeed(t, "sum", linear, "--over", "rows", "--mean", "--check")
	require.Contains(t, refuse(t, "sum", "../../../examples/weather.gram", "--over", "days", "--mean", "--check"), "is no mean over days")
	require.Contains(t, refuse(t, "sum", linear, "--over", "rows", "--check"), "is no sum over rows")
}

// parts writes the rows of the weather to files, and a program that reads them, and returns the folder.
func parts(t *testing.T) string {
	dir := t.TempDir()
	text, err := os.ReadFile(linear)
	require.NoError(t, err)
	write(t, filepath.Join(dir, "linear.gram"), string(text))
	data, err := os.ReadFile("../../../examples/seattle-weather.csv")
	require.NoError(t, err)
	header, body, _ := strings.Cut(string(data), "\n")
	rows := strings.SplitAfter(strings.TrimSpace(body), "\n")
	for k := range 4 {
		write(t, filepath.Join(dir, fmt.Sprintf("part-%d.csv", k)), header+"\n"+strings.Join(rows[k*len(rows)/4:(k+1)*len(rows)/4], ""))
	}
	return dir
}

func write(t *testing.T, path, text string) {
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

// TestFaults: what can go wrong with a shard is told, or repeated, and the numbers are the same in the end.
func TestFaults(t *testing.T) {
	dir := parts(t)
	args := []string{"sum", filepath.Join(dir, "linear.gram"), "--over", "rows", "--mean", "--json", "--input", filepath.Join(dir, "part-*.csv")}
	want := succeed(t, args...)
	part := filepath.Join(dir, "part-2.csv")
	whole, err := os.ReadFile(part)
	require.NoError(t, err)
	lines := strings.Split(string(whole), "\n")

	t.Run("worker", func(t *testing.T) {
		c := newCluster(t)
		require.NoError(t, os.Remove(part))
		require.NoError(t, syscall.Mkfifo(part, 0o666)) // whoever reads it waits
		cmd := process(t, append(args, c.flags...)...)
		var out, wrong bytes.Buffer
		cmd.Stdout, cmd.Stderr = &out, &wrong
		require.NoError(t, cmd.Start())
		worker, err := os.FindProcess(c.worker(t))
		require.NoError(t, err)
		pipe, err := os.OpenFile(part, os.O_WRONLY, 0) // the worker has opened it
		require.NoError(t, err)
		require.NoError(t, worker.Kill())
		require.NoError(t, os.Remove(part))
		write(t, part, string(whole))
		require.NoError(t, pipe.Close())
		require.NoError(t, cmd.Wait(), wrong.String())
		require.Equal(t, want, out.String())
		require.NotEqual(t, worker.Pid, c.worker(t)) // of the second attempt
	})
	t.Run("lost", func(t *testing.T) {
		require.NoError(t, os.Remove(part))
		require.NoError(t, os.Symlink("nowhere", part)) // it is in the list of files, and cannot be read
		require.Contains(t, refuse(t, args...), part)
		require.NoError(t, os.Remove(part))
	})
	t.Run("wrong", func(t *testing.T) {
		row := strings.Split(lines[6], ",")
		row[2] = "warm"
		write(t, part, strings.Join(append(append([]string{}, lines[:6]...), strings.Join(row, ",")), "\n"))
		require.Contains(t, refuse(t, args...), fmt.Sprintf("%s:7:%d", part, len(row[0])+len(row[1])+3))
	})
	t.Run("not a number", func(t *testing.T) {
		program := filepath.Join(dir, "log.gram")
		write(t, program, "data rows : List R = csv \"part-0.csv\" \"temp_max\"\ninput a = 1\nfold (fun x t -> t + a * log (x + 10)) 0 rows")
		write(t, part, lines[0]+"\n2014-01-01,0,-20,0,0,sun\n")
		said := refuse(t, "sum", program, "--over", "rows", "--input", filepath.Join(dir, "part-*.csv"))
		require.Contains(t, said, part)
		require.Contains(t, said, "not finite")
	})
	write(t, part, string(whole))
	require.Equal(t, want, succeed(t, args...))
}

// TestSweepPoints: points that take different steps have their own counts, and the line of one whose result is not finite is
// said, among points that run together.
func TestSweepPoints(t *testing.T) {
	dir := t.TempDir()
	program, points, output := filepath.Join(dir, "p.gram"), filepath.Join(dir, "p.csv"), filepath.Join(dir, "out.csv")
	write(t, points, "x\n"+strings.Repeat("1\n2\n", 10)+"0\n3\n")
	write(t, program, "input x = 1\nif x > 1 then x * x * x else x")
	succeed(t, "sweep", program, "--points", points, "--output", output, "--shards", "1")
	f, err := os.Open(output)
	require.NoError(t, err)
	defer f.Close()
	rows, err := csv.NewReader(f).ReadAll()
	require.NoError(t, err)
	require.Equal(t, []string{"1", "1", "1"}, rows[1][:3])
	require.Equal(t, []string{"2", "8", "12"}, rows[2][:3])
	require.Equal(t, rows[1], rows[3])
	require.NotEqual(t, rows[1][3], rows[2][3])

	write(t, program, "input x = 1\n1 / x")
	require.Contains(t, refuse(t, "sweep", program, "--points", points, "--output", filepath.Join(dir, "2.csv"), "--shards", "1",
		"--finite"), points+":22")
	succeed(t, "sweep", program, "--points", points, "--output", filepath.Join(dir, "3.csv"), "--shards", "1")
}

// TestSweep: values, gradients and counts at each point, in order; what exists is not written over, and nothing is left of a
// sweep that fails.
func TestSweep(t *testing.T) {
	dir := t.TempDir()
	points, output := filepath.Join(dir, "points.csv"), filepath.Join(dir, "out-*.csv")
	var text strings.Builder
	text.WriteString("b,w.(1)\n")
	for i := range 60 {
		fmt.Fprintf(&text, "%v,%v\n", i, float64(i)/7)
	}
	write(t, points, text.String())
	args := []string{"sweep", linear, "--points", points, "--output", output, "--shards", "3", "--set", "rows=[[1,2,3,4],[5,6,7,8]]", "--json"}
	require.Contains(t, succeed(t, args...), `"points": 60`)
	files, err := filepath.Glob(output)
	require.NoError(t, err)
	require.Len(t, files, 3)
	ctx := context.Background()
	p, err := gram.LoadFile(ctx, linear, gram.Options{Sets: []string{"rows=[[1,2,3,4],[5,6,7,8]]"}})
	require.NoError(t, err)
	i := 0
	for _, file := range files {
		f, err := os.Open(file)
		require.NoError(t, err)
		rows, err := csv.NewReader(f).ReadAll()
		require.NoError(t, err)
		require.NoError(t, f.Close())
		require.Equal(t, []string{"b", "w.(1)", "value", "gradient.w.(0)", "gradient.w.(1)", "gradient.w.(2)", "gradient.b", "steps", "steps.lambda"}, rows[0][:9])
		for _, row := range rows[1:] {
			e, err := p.NewGradient(ctx, gram.EvalOptions{})
			require.NoError(t, err)
			res, err := e.Gradient(ctx, []float64{1, float64(i) / 7, -0.1, float64(i)})
			require.NoError(t, err)
			want := append([]float64{float64(i), float64(i) / 7, res.Values[0]}, res.Jacobian...)
			c := e.Cost()
			for k, x := range append(want, float64(c.Steps.Total()), float64(c.Steps[0])) {
				got, err := strconv.ParseFloat(row[k], 64)
				require.NoError(t, err)
				require.InDelta(t, x, got, 1e-12*math.Abs(x))
			}
			require.NoError(t, e.Close())
			i++
		}
	}
	require.Equal(t, 60, i)
	require.Contains(t, refuse(t, args...), "exists already")

	args[5] = filepath.Join(dir, "again-*.csv")
	write(t, points, text.String()+"1,two\n")
	require.Contains(t, refuse(t, args...), points+":62:3")
	files, err = filepath.Glob(args[5])
	require.NoError(t, err)
	require.Empty(t, files)
}

// TestFit: a fit that was interrupted goes on, and ends with the bits that it would have had.
func TestFit(t *testing.T) {
	state := filepath.Join(t.TempDir(), "state.jsonl")
	args := []string{"fit", linear, "--over", "rows", "--mean", "--shards", "2", "--json", "--iterations"}
	want := succeed(t, append(args, "5")...)
	succeed(t, append(args, "2", "--state", state)...)
	text, err := os.ReadFile(state)
	require.NoError(t, err)
	write(t, state, string(text)+`{"point": "torn`)
	require.Equal(t, want, succeed(t, append(args, "5", "--state", state)...))
	full, err := os.ReadFile(state)
	require.NoError(t, err)
	require.True(t, bytes.HasPrefix(full, text))
	require.Contains(t, refuse(t, append(args, "5", "--state", state, "--method", "adam")...), "other flags")

	var got struct{ Loss float64 }
	require.NoError(t, json.Unmarshal([]byte(want), &got))
	require.Less(t, got.Loss, 12.0)
	require.False(t, math.IsNaN(got.Loss))
}

// TestBench: the rows are those of gram bench.
func TestBench(t *testing.T) {
	dir := t.TempDir()
	args := []string{"bench", "--quick", "--claim", "1", "--out", dir, "--json"}
	first := succeed(t, args...)
	store, err := report.Read(filepath.Join(dir, "rows.jsonl"))
	require.NoError(t, err)
	rows := store.Rows()
	require.NotEmpty(t, rows)
	require.Contains(t, first, fmt.Sprintf(`"measured": %d,`, len(rows)))
	own, err := report.Open(filepath.Join(t.TempDir(), "rows.jsonl"))
	require.NoError(t, err)
	require.NoError(t, report.Run(context.Background(), bench.Claims()[:1], own, report.Options{Selection: report.Selection{Sizes: report.Quick}, Counts: true}))
	require.NoError(t, own.Close())
	require.Equal(t, len(own.Rows()), len(rows))
	for i, want := range own.Rows() {
		require.Equal(t, want.Measurement, rows[i].Measurement)
	}
	require.Contains(t, succeed(t, args...), `"measured": 0,`)
}

// TestUsage: a wrong command line has status 2.
func TestUsage(t *testing.T) {
	for _, args := range [][]string{
		{"sum", linear}, {"sum"}, {"sum", linear, "--over", "rows", "--runner", "none"}, {"sum", linear, "--over", "rows", "--runner", "flink"},
		{"sweep", linear, "--points", "p.csv", "--output", "out.csv"}, {"fit", linear, "--over", "rows", "--method", "none"}, {"bench", "--claim", "99"}, {"none"},
	} {
		_, stderr, status := command(t, args...)
		require.Equal(t, 2, status, "%v: %s", args, stderr)
	}
}
