package kernel_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gram-machine/gram/kernel"
	"github.com/gram-machine/gram/term"
)

// TestMax: Max and MaxBack are the comparisons in the order of sums, one by one, and the products with their slopes.
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
		a := []float64{1, -2.5, 0, math.Inf(1)}[draw%4]
		type node struct {
			v           float64
			i           int
			left, right *node
		}
		root := term.Sum(len(x), func(i int) *node { return &node{v: x[i], i: i} }, func(p, q *node) *node {
			return &node{v: math.Max(p.v, q.v), left: p, right: q}
		})
		want := make([]float64, len(x))
		var back func(n *node, a float64)
		back = func(n *node, a float64) {
			if n.left == nil {
				want[n.i] = a
				return
			}
			left, right := 0.0, 0.0
			if n.left.v >= n.right.v {
				left = 1
			}
			if n.right.v > n.left.v {
				right = 1
			}
			back(n.left, a*left)
			back(n.right, a*right)
		}
		back(root, a)
		got := make([]float64, len(x))
		kernel.MaxBack(got, x, a)
		if most := kernel.Max(x); math.Float64bits(most) != math.Float64bits(root.v) && !math.IsNaN(root.v) {
			t.Fatalf("Max(%v) = %v, want %v", x, most, root.v)
		}
		for i := range got {
			if math.Float64bits(got[i]) != math.Float64bits(want[i]) && !(math.IsNaN(got[i]) && math.IsNaN(want[i])) {
				t.Fatalf("MaxBack(%v, %v) = %v, want %v", x, a, got, want)
			}
		}
	}
}
