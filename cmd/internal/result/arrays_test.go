package result

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
)

// TestArrays: products are taken apart, also in vectors, and for each output.
func TestArrays(t *testing.T) {
	number := load.RealShape()
	pair := load.ProductShape(number, load.VectorShape(number, 2)) // R * R^2
	require.Equal(t, []Array{{Name: "x", Type: "R", Values: []float64{7}}}, Arrays("x", number, []float64{7}))
	require.Equal(t, []Array{
		{Name: "p, 1", Type: "R", Values: []float64{1, 4}},
		{Name: "p, 2", Type: "R^2", Dims: []int{2}, Values: []float64{2, 3, 5, 6}},
	}, Arrays("p", pair, []float64{1, 2, 3, 4, 5, 6}))
	require.Equal(t, []Array{
		{Name: "v, 1", Type: "R^2", Dims: []int{2}, Values: []float64{1, 4}},
		{Name: "v, 2", Type: "R^(2, 2)", Dims: []int{2, 2}, Values: []float64{2, 3, 5, 6}},
	}, Arrays("v", load.VectorShape(pair, 2), []float64{1, 2, 3, 4, 5, 6}))
	require.Equal(t, "R^(3, 4)", arrayType([]int{3, 4}))
	triple := load.ProductShape(number, load.ProductShape(number, number))
	as := Arrays("t", triple, []float64{1, 2, 3})
	require.Len(t, as, 3)
	require.Equal(t, "t, 3", as[2].Name)
}
