package command

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang/load"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestNumbers(t *testing.T) {
	for _, c := range []struct {
		x          float64
		text, json string
	}{
		{0, "0", "0"},
		{math.Copysign(0, -1), "-0", "-0"},
		{1e6, "1000000", "1000000"},
		{0.1, "0.1", "0.1"},
		{1e-7, "1e-7", "1e-7"},
		{1e-10, "1e-10", "1e-10"},
		{1e21, "1e+21", "1e+21"},
		{-2.5, "-2.5", "-2.5"},
		{math.NaN(), "NaN", `"NaN"`},
		{math.Inf(1), "+Inf", `"+Inf"`},
		{math.Inf(-1), "-Inf", `"-Inf"`},
	} {
		require.Equal(t, c.text, string(load.AppendNumber(nil, c.x)))
		require.Equal(t, c.json, string(load.AppendJSONNumber(nil, c.x)))
	}
}

func TestPropertyNumbersReadBack(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		x := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		var back float64
		require.NoError(t, json.Unmarshal(load.AppendJSONNumber(nil, x), &back))
		require.Equal(t, math.Float64bits(x), math.Float64bits(back))
	})
}

func TestNotations(t *testing.T) {
	r := load.RealShape()
	for _, c := range []struct {
		shape      *load.Shape
		value      load.Flat
		text, json string
	}{
		{r, load.Flat{Values: []float64{1}}, "1", "1"},
		{load.ProductShape(r, load.ProductShape(r, r)), load.Flat{Values: []float64{1, 2, 3}}, "(1, 2, 3)", "[1, 2, 3]"},
		{load.ProductShape(load.ProductShape(r, r), r), load.Flat{Values: []float64{1, 2, 3}}, "((1, 2), 3)", "[[1, 2], 3]"},
		{load.VectorShape(load.VectorShape(r, 2), 1), load.Flat{Values: []float64{1, -2}}, "[| [| 1, -2 |] |]", "[[1, -2]]"},
		{load.ListShape(r), load.Flat{Lengths: []int{0}}, "[]", "[]"},
		{load.ListShape(load.ListShape(r)), load.Flat{Values: []float64{1, 2, 3}, Lengths: []int{3, 2, 0, 1}}, "[[1; 2]; []; [3]]", "[[1, 2], [], [3]]"},
		{
			load.ProductShape(load.ListShape(r), load.ListShape(load.VectorShape(r, 2))),
			load.Flat{Values: []float64{7, 1, 2, 3, 4}, Lengths: []int{1, 2}},
			"([7], [[| 1, 2 |]; [| 3, 4 |]])", "[[7], [[1, 2], [3, 4]]]",
		},
	} {
		value := c.value
		require.Equal(t, c.text, string(load.Language.Append(nil, &value, c.shape)))
		value = c.value
		require.Equal(t, c.json, string(load.JSON.Append(nil, &value, c.shape)))
	}
}

func TestShort(t *testing.T) {
	r := load.RealShape()
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
		{list, nil, []int{0}, "[]"},
		{list, count(8), []int{8}, "[0; 1; 2; 3; 4; 5; 6; 7]"},
		{list, count(9), []int{9}, "[0; 1; 2; 3; 4; 5; …; 8]"},
		{list, count(1000), []int{1000}, "[0; 1; 2; 3; 4; 5; …; 999]"},
		{load.VectorShape(load.VectorShape(r, 2), 9), count(18), nil,
			"[| [| 0, 1 |], [| 2, 3 |], [| 4, 5 |], [| 6, 7 |], [| 8, 9 |], [| 10, 11 |], …, [| 16, 17 |] |]"},
		{load.ListShape(list), count(3), []int{3, 1, 0, 2}, "[[0]; []; [1; 2]]"},
	} {
		value := load.Flat{Values: c.values, Lengths: c.lengths}
		require.Equal(t, c.want, string(load.Language.Short(8).Append(nil, &value, c.shape)))
		require.Empty(t, value.Values)
	}
}

func TestSeconds(t *testing.T) {
	for s, want := range map[float64]string{0: "0s", 1.234567e-3: "1.235ms", 5e-9: "5ns", 12.34567: "12.35s", 90: "1m30s"} {
		require.Equal(t, want, load.Seconds(s))
	}
}
