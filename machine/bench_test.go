package machine_test

import (
	"context"
	"testing"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
)

// BenchmarkW1 is the gradient of the scalar recurrent network; it reports steps a second.
func BenchmarkW1(b *testing.B) {
	for _, n := range []string{"1e4", "1e5", "1e6"} {
		for _, measure := range []bool{false, true} {
			name := n
			if measure {
				name += "/work"
			}
			b.Run(name, func(b *testing.B) { benchmark(b, "../examples/w1.gram", n, measure) })
		}
	}
}

func benchmark(b *testing.B, file, n string, measure bool) {
	p, err := gram.LoadFile(context.Background(), file, gram.Options{Params: []string{"n=" + n}})
	if err != nil {
		b.Fatal(err)
	}
	d, err := revgrad.Reverse(p.Term(), nil)
	if err != nil {
		b.Fatal(err)
	}
	prog, err := machine.NewGradient(d, p.ScalarInputs(), 0, nil)
	if err != nil {
		b.Fatal(err)
	}
	m, err := machine.New(prog, machine.Options{Measure: measure})
	if err != nil {
		b.Fatal(err)
	}
	defer m.Close()
	values, jacobian := make([]float64, 1), make([]float64, len(p.Point()))
	if err := m.Gradient(p.Point(), values, jacobian); err != nil {
		b.Fatal(err)
	}
	var steps uint64
	b.ResetTimer()
	for range b.N {
		if err := m.Gradient(p.Point(), values, jacobian); err != nil {
			b.Fatal(err)
		}
		s := m.Stats()
		steps += s.Counts.Total()
	}
	b.ReportMetric(float64(steps)/b.Elapsed().Seconds()/1e6, "Msteps/s")
	b.ReportMetric(float64(m.Stats().PeakNodes)*32/1e6, "MB")
}
