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

// batch loads a batch of 64 independent sequences of 10⁵ elements.
func batch(t require.TestingT) *gram.Program {
	p, err := gram.LoadFile(context.Background(), filepath.Join("..", "examples", "batch.gram"), gram.Options{Params: []string{"n=100000", "s=64"}})
	require.NoError(t, err)
	return p
}

// batchTime is the best time of some gradients of the batch.
func batchTime(t require.TestingT, p *gram.Program, opt gram.EvalOptions, times int) time.Duration {
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

// child in the environment makes this test binary one of the processes of BenchmarkBatch.
const child = "GRAM_BENCH_CHILD"

// TestMain lets the test binary be such a process.
func TestMain(m *testing.M) {
	if os.Getenv(child) != "" {
		b := &testing.B{}
		fmt.Println(batchTime(b, batch(b), gram.EvalOptions{Strategy: gram.Modular}, 5).Nanoseconds())
		return
	}
	os.Exit(m.Run())
}

// processes runs the batch in so many processes at once, and returns the time of the
// slowest.
func processes(b *testing.B, n int) time.Duration {
	outs := make([]*exec.Cmd, n)
	text := make([]strings.Builder, n)
	for i := range outs {
		outs[i] = exec.Command(os.Args[0])
		outs[i].Env = append(os.Environ(), child+"=1")
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

// BenchmarkBatch measures the schedule parallel: the time of the batch on one worker over
// that on two (x-workers), best of five each, turn by turn; and beside it what two cores
// give at most: how many times as much two independent processes do as one (x-processes).
func BenchmarkBatch(b *testing.B) {
	p := batch(b)
	one := gram.EvalOptions{Strategy: gram.Modular}
	two := gram.EvalOptions{Strategy: gram.Modular, Schedule: gram.Parallel, Workers: 2}
	best := [2]time.Duration{1 << 62, 1 << 62}
	alone, both := time.Duration(1<<62), time.Duration(1<<62)
	for b.Loop() {
		best[0] = min(best[0], batchTime(b, p, one, 5))
		best[1] = min(best[1], batchTime(b, p, two, 5))
		alone, both = min(alone, processes(b, 1)), min(both, processes(b, 2))
	}
	b.ReportMetric(best[0].Seconds(), "s/one-worker")
	b.ReportMetric(best[0].Seconds()/best[1].Seconds(), "x-workers")
	b.ReportMetric(2*alone.Seconds()/both.Seconds(), "x-processes")
}
