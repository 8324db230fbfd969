package span_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/revgrad"
)

func BenchmarkGradient(b *testing.B) {
	p, err := gram.LoadFile(b.Context(), "../../examples/w1.gram", gram.Options{Params: []string{"n=1e5"}})
	require.NoError(b, err)
	d, err := revgrad.Reverse(bridge.Of(p).Term(), nil)
	require.NoError(b, err)
	b.ReportAllocs()
	for b.Loop() {
		r, err := span.Gradient(d, bridge.Of(p).ScalarInputs(), 0, p.Point(), span.Options{})
		require.NoError(b, err)
		b.ReportMetric(float64(r.Counts.Total()), "steps/op")
	}
}
