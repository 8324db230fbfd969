package explore

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
)

func TestValueText(t *testing.T) {
	r := load.RealShape()
	pair := load.ProductShape(r, load.ProductShape(load.VectorShape(r, 2), r))
	list := load.ListShape(r)
	count := func(n int) (xs []float64) {
		for i := range n {
			xs = append(xs, float64(i))
		}
		return xs
	}
	for _, c := range []struct {
		shape   *load.Shape
		values  []float64
		lengths []int
		want    string
	}{
		{r, []float64{0.1}, nil, "0.1"},
		{r, []float64{-1e-7}, nil, "-1e-7"},
		{r, []float64{1e6}, nil, "1000000"},
		{r, []float64{math.NaN()}, nil, "NaN"},
		{r, []float64{math.Inf(-1)}, nil, "-Inf"},
		{pair, count(4), nil, "(0, [| 1, 2 |], 3)"},
		{list, nil, []int{0}, "[]"},
		{list, count(8), []int{8}, "[0; 1; 2; 3; 4; 5; 6; 7]"},
		{list, count(9), []int{9}, "[0; 1; 2; 3; 4; 5; …; 8]"},
		{list, count(1000), []int{1000}, "[0; 1; 2; 3; 4; 5; …; 999]"},
		{load.VectorShape(load.VectorShape(r, 2), 9), count(18), nil,
			"[| [| 0, 1 |], [| 2, 3 |], [| 4, 5 |], [| 6, 7 |], [| 8, 9 |], [| 10, 11 |], …, [| 16, 17 |] |]"},
		{load.ListShape(list), count(3), []int{3, 1, 0, 2}, "[[0]; []; [1; 2]]"},
	} {
		require.Equal(t, c.want, valueText(c.shape, c.values, c.lengths))
	}
}
