package bench_test

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// parallel are programs for the schedule parallel.
var parallel = map[string]struct {
	load func(require.TestingT) *gram.Program
	opt  gram.EvalOptions
}{
	"batch": {batch, gram.EvalOptions{Strategy: gram.Modular}},
	"tree":  {tree, gram.EvalOptions{}},
}

// batch loads a batch of 64 independent sequences of 10⁵ elements.
func batch(t require.TestingT) *gram.Program {
	p, err := gram.LoadFile(context.Background(), filepath.Join("..", "examples", "batch.gram"), gram.Options{Params: []string{"n=100000", "s=64"}})
	require.NoError(t, err)
	return p
}

// tree loads a balanced tree of calls: a function calls another twice, that one a third twice, and so on. Each of the 64 leaves iterates.
func tree(t require.TestingT) *gram.Program {
	var src strings.Builder
	src.WriteString("input e = 0.7\ninput r = 0.3\ndef t0 x = #100000 (fun h -> sin (h * e) + x) r\n")
	for k := range 6 {
		fmt.Fprintf(&src, "def t%d x = t%d (x * r) + t%[2]d (x + e)\n", k+1, k)
	}
	p, err := gram.Load(context.Background(), "tree", []byte(src.String()+"t6 0.5"), gram.Options{})
	require.NoError(t, err)
	return p
}

// parallelTime is the best time of some gradients of a program.
func parallelTime(t require.TestingT, p *gram.Program, opt gram.EvalOptions, times int) time.Duration {
	ctx := context.Background()
	e, err := p.NewGradient(ctx, opt)
	require.NoError(t, err)
	defer e.Close()
	best := time.Duration(1 << 62)
	for range times {
		start := time.Now()
		_, err := e.Gradient(ctx, p.Point())
		require.NoError(t, err)
		best = min(best, time.Since(start))
	}
	return best
}

// child in the environment is the program of which this test binary is one of the processes of BenchmarkParallel.
const child = "GRAM_BENCH_CHILD"

// TestMain lets the test binary be such a process.
func TestMain(m *testing.M) {
	if of, ok := parallel[os.Getenv(child)]; ok {
		b := &testing.B{}
		fmt.Println(parallelTime(b, of.load(b), of.opt, 5).Nanoseconds())
		return
	}
	os.Exit(m.Run())
}

// processes runs a program in so many processes at once, and returns the time of the
// slowest.
func processes(b *testing.B, name string, n int) time.Duration {
	outs := make([]*exec.Cmd, n)
	text := make([]strings.Builder, n)
	for i := range outs {
		outs[i] = exec.Command(os.Args[0])
		outs[i].Env = append(os.Environ(), child+"="+name)
		outs[i].Stdout = &text[i]
		require.NoError(b, outs[i].Start())
	}
	slowest := time.Duration(0)
	for i, c := range outs {
		require.NoError(b, c.Wait())
		ns, err := strconv.ParseInt(strings.TrimSpace(text[i].String()), 10, 64)
		require.NoError(b, err)
		slowest = max(slowest, time.Duration(ns))
	}
	return slowest
}

// BenchmarkParallel measures the schedule parallel: the time of a program on one worker over
// that on two (x-workers), best of five each, turn by turn; and beside it what two cores
// give at most: how many times as much two independent processes do as one (x-processes).
func BenchmarkParallel(b *testing.B) {
	for name, of := range parallel {
		b.Run(name, func(b *testing.B) {
			p, two := of.load(b), of.opt
			two.Schedule, two.Workers = gram.Parallel, 2
			best := [2]time.Duration{1 << 62, 1 << 62}
			alone, both := time.Duration(1<<62), time.Duration(1<<62)
			for b.Loop() {
				best[0] = min(best[0], parallelTime(b, p, of.opt, 5))
				best[1] = min(best[1], parallelTime(b, p, two, 5))
				alone, both = min(alone, processes(b, name, 1)), min(both, processes(b, name, 2))
			}
			b.ReportMetric(best[0].Seconds(), "s/one-worker")
			b.ReportMetric(best[0].Seconds()/best[1].Seconds(), "x-workers")
			b.ReportMetric(2*alone.Seconds()/both.Seconds(), "x-processes")
		})
	}
}
