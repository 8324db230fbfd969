package block

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/property"
)

// TestPropertyLog: what a log comes to is the sum of its values in the order in which they were logged, to the last bit.
func TestPropertyLog(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		at := make([]graph.Sum, rapid.IntRange(1, 4).Draw(t, "each"))
		for i := range at {
			at[i].Ext = rapid.IntRange(0, 3).Draw(t, "dual")
		}
		value := rapid.OneOf(rapid.SampledFrom([]float64{0, math.Copysign(0, -1)}), rapid.Float64())
		draw := func(n int) []float64 { return rapid.SliceOfN(value, n, n).Draw(t, "values") }
		values := draw(len(at) * rapid.IntRange(0, 8).Draw(t, "runs"))
		live := len(values)
		for range len(at) * rapid.IntRange(0, 4).Draw(t, "zeros") {
			values = append(values, math.Copysign(0, float64(rapid.IntRange(-1, 0).Draw(t, "sign"))))
		}
		sums := draw(4)
		want := slices.Clone(sums)
		for i, v := range values {
			want[at[i%len(at)].Ext] += v
		}
		c := Contributions{logs: []arrivalLog{{at, slices.Clone(values), live}}}
		for k := range sums {
			alone := slices.Repeat([]float64{math.Copysign(0, -1)}, 4)
			for i, v := range values {
				alone[at[i%len(at)].Ext] += v
			}
			if got := c.sum(k); math.Float64bits(got) != math.Float64bits(alone[k]) && got == got {
				t.Fatalf("at dual %d arrives %v, not %v", k, got, alone[k])
			}
		}
		c.Add(sums)
		for k, v := range sums {
			if math.Float64bits(v) != math.Float64bits(want[k]) && v == v {
				t.Fatalf("the sum of dual %d is %v, not %v", k, v, want[k])
			}
		}
	})
}
