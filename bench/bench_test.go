package bench_test

import (
	"context"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/internal/property"
)

// sizes of the benchmarks: workload, n and, for w2 and w5, k.
var sizes = []struct {
	w    string
	n, k int
}{
	{"w1", 1_000, 0}, {"w1", 100_000, 0}, {"w1", property.Size(1_000_000), 0},
	{"w2", 100, 4}, {"w2", 100, 16}, {"w2", 1_000, 16},
	{"w3", 1_000, 0}, {"w3", 100_000, 0}, {"w3", 1_000_000, 0},
	{"w4", 1_000, 0}, {"w4", 100_000, 0}, {"w4", property.Size(1_000_000), 0},
	{"w5", 100, 16},
}

// forms are how a program's gradient is run.
var forms = []struct {
	name string
	opt  gram.EvalOptions
}{
	{"literal", gram.EvalOptions{NoFuse: true}},
	{"direct", gram.EvalOptions{}},
	{"modular", gram.EvalOptions{Strategy: gram.Modular}},
}

// BenchmarkGradient measures value and gradient. Each iteration runs the machine
// once and the tape once, so that both see the same state of the computer; the
// ratio is that of the best times.
func BenchmarkGradient(b *testing.B) {
	for _, s := range sizes {
		name := fmt.Sprintf("%s/n=%d", s.w, s.n)
		if s.k > 0 {
			name += fmt.Sprintf("/k=%d", s.k)
		}
		w, err := bench.NewWorkload(s.w, s.n, s.k)
		require.NoError(b, err)
		for _, f := range forms {
			b.Run(name+"/"+f.name, func(b *testing.B) { gradient(b, w, f.opt) })
		}
	}
}

func gradient(b *testing.B, w *bench.Workload, opt gram.EvalOptions) {
	ctx := context.Background()
	e, err := w.Program.NewGradient(ctx, opt)
	require.NoError(b, err)
	defer e.Close()
	point := w.Program.Point()
	tape := &bench.Tape{}
	w.Tape(tape)
	best, bestTape := time.Duration(1<<62), time.Duration(1<<62)
	for b.Loop() {
		start := time.Now()
		_, err := e.Gradient(ctx, point)
		require.NoError(b, err)
		best = min(best, time.Since(start))
		b.StopTimer()
		start = time.Now()
		w.Tape(tape)
		bestTape = min(bestTape, time.Since(start))
		b.StartTimer()
	}
	c := e.Cost()
	ns := float64(best.Nanoseconds())
	b.ReportMetric(float64(c.Steps.Total()), "steps/op")
	b.ReportMetric(ns/float64(c.Steps.Total()), "ns/step")
	b.ReportMetric(ns/w.Primitives, "ns/primitive")
	b.ReportMetric(float64(16*c.Nodes.Allocated)/w.Primitives, "B/primitive")
	b.ReportMetric(ns/float64(bestTape.Nanoseconds()), "x-tape")
}

// TestWorkloadsAgree holds value and gradient of the machine against the tape's and
// those by hand and with gonum, to a relative 1e-9.
func TestWorkloadsAgree(t *testing.T) {
	for _, s := range []struct {
		w    string
		n, k int
	}{{"w1", 1000, 0}, {"w1", property.Size(1_000_000), 0}, {"w2", 100, 4}, {"w2", 1000, 16}, {"w3", 100_000, 0}, {"w4", property.Size(1_000_000), 0}, {"w5", 100, 4}, {"w5", 100, 16}} {
		w, err := bench.NewWorkload(s.w, s.n, s.k)
		require.NoError(t, err)
		res, err := w.Program.Gradient(context.Background(), gram.EvalOptions{})
		require.NoError(t, err)
		value, gradient := w.Tape(&bench.Tape{})
		require.InEpsilon(t, value, res.Values[0], 1e-9, s)
		require.InEpsilonSlice(t, gradient, res.Jacobian, 1e-9, s)
		hand, gonum := &bench.Hand{}, &bench.Hand{BLAS: true}
		for range 2 { // the memory of the first run serves the second
			value, gradient = w.Hand(hand)
			require.InEpsilon(t, value, res.Values[0], 1e-9, s)
			require.InEpsilonSlice(t, gradient, res.Jacobian, 1e-9, s)
			if s.k > 0 {
				value, gradient = w.Hand(gonum)
				require.InEpsilon(t, value, res.Values[0], 1e-9, s)
				require.InEpsilonSlice(t, gradient, res.Jacobian, 1e-9, s)
				require.Equal(t, hand.Bytes(), gonum.Bytes())
			}
		}
		require.Equal(t, w.Primitives, bench.Primitives(s.w, s.n, s.k))
	}
}

// TestPrimitives counts the operations of the forward computation of W2 and W5 on the tape, where each has a node.
func TestPrimitives(t *testing.T) {
	for _, name := range []string{"w2", "w5"} {
		const k = 5
		bytes := func(n int) float64 {
			w, err := bench.NewWorkload(name, n, k)
			require.NoError(t, err)
			tape := &bench.Tape{}
			w.Tape(tape)
			return tape.Bytes()
		}
		const node = 32
		require.Equal(t, bench.Primitives(name, 1, k), (bytes(8)-bytes(7))/node, name)
	}
}

func TestNoWorkload(t *testing.T) {
	_, err := bench.NewWorkload("w6", 1, 0)
	require.EqualError(t, err, `bench: there is no workload "w6"`)
	require.Zero(t, bench.Primitives("w6", 1, 0))
}

// BenchmarkHessianVector measures Hessian-vector products: each iteration computes a gradient and a product, and the ratio is
// that of the best times.
func BenchmarkHessianVector(b *testing.B) {
	ctx := context.Background()
	for _, s := range sizes {
		w, err := bench.NewWorkload(s.w, s.n, s.k)
		require.NoError(b, err)
		b.Run(fmt.Sprintf("%s/n=%d/k=%d", s.w, s.n, s.k), func(b *testing.B) {
			e, err := w.Program.NewGradient(ctx, gram.EvalOptions{})
			require.NoError(b, err)
			defer e.Close()
			point := w.Program.Point()
			v := make([]float64, len(point))
			for i := range v {
				v[i] = 1 / float64(i+1)
			}
			best := [2]time.Duration{1 << 62, 1 << 62}
			var steps [2]float64
			for b.Loop() {
				start := time.Now()
				_, err := e.Gradient(ctx, point)
				require.NoError(b, err)
				best[0] = min(best[0], time.Since(start))
				gradient := e.Cost()
				start = time.Now()
				_, err = e.HessianVector(ctx, point, v)
				require.NoError(b, err)
				best[1] = min(best[1], time.Since(start))
				product := e.Cost()
				steps = [2]float64{float64(gradient.Steps.Total()), float64(product.Steps.Total())}
			}
			b.ReportMetric(float64(best[1])/float64(best[0]), "gradients/op")
			b.ReportMetric(steps[1]/steps[0], "gradient-steps/op")
		})
	}
}
