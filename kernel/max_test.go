package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// TestMax: Max is the comparisons in the order of sums, one by one.
func TestMax(t *testing.T) {
	special := []float64{0, math.Copysign(0, -1), math.Inf(1), math.Inf(-1), math.NaN(), 1, -1}
	r := rand.New(rand.NewPCG(1, 2))
	for draw := range 3000 {
		x := make([]float64, 1+r.IntN(30))
		for i := range x {
			x[i] = r.NormFloat64()
			if draw%2 == 0 {
				x[i] = special[r.IntN(len(special))]
			}
		}
		want := term.Sum(len(x), func(i int) float64 { return x[i] }, math.Max)
		if most := kernel.Max(x); math.Float64bits(most) != math.Float64bits(want) && !math.IsNaN(want) {
			t.Fatalf("Max(%v) = %v, want %v", x, most, want)
		}
	}
}
