package machine_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// BenchmarkW1 is the gradient of the scalar recurrent network on the literal machine, with and without counting
// words, beside plain code of the compiler, which counts the same steps without making them. It reports millions of
// steps a second.
func BenchmarkW1(b *testing.B) {
	for _, n := range []string{"1e4", "1e5", "1e6"} {
		for _, form := range []struct {
			name string
			opt  gram.EvalOptions
		}{{"literal", gram.EvalOptions{Literal: true}}, {"work", gram.EvalOptions{Literal: true, Work: true}}, {"engine", gram.EvalOptions{NoFuse: true}}} {
			b.Run(form.name+"/"+n, func(b *testing.B) { benchmark(b, n, form.opt) })
		}
	}
}

func benchmark(b *testing.B, n string, opt gram.EvalOptions) {
	ctx := context.Background()
	p, err := gram.LoadFile(ctx, "../examples/w1.gram", gram.Options{Params: []string{"n=" + n}})
	require.NoError(b, err)
	e, err := p.NewGradient(ctx, opt)
	require.NoError(b, err)
	defer e.Close()
	_, err = e.Gradient(ctx, p.Point()) // touches the arena's pages
	require.NoError(b, err)
	for b.Loop() {
		_, err := e.Gradient(ctx, p.Point())
		require.NoError(b, err)
	}
	cost := e.Cost()
	b.ReportMetric(float64(cost.Steps.Total())*float64(b.N)/b.Elapsed().Seconds()/1e6, "Msteps/s")
	b.ReportMetric(float64(cost.ArenaBytes)/1e6, "MB")
}
