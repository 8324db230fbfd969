package main

import (
	"encoding/json"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang/load"
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
		require.Equal(t, c.text, string(appendNumber(nil, c.x)))
		require.Equal(t, c.json, string(appendJSONNumber(nil, c.x)))
	}
}

func TestPropertyNumbersReadBack(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		x := math.Float64frombits(rapid.Uint64().Draw(t, "bits"))
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return
		}
		var back float64
		require.NoError(t, json.Unmarshal(appendJSONNumber(nil, x), &back))
		require.Equal(t, math.Float64bits(x), math.Float64bits(back))
	})
}

func TestNotations(t *testing.T) {
	r := load.RealShape()
	for _, c := range []struct {
		shape      *load.Shape
		value      flat
		text, json string
	}{
		{r, flat{values: []float64{1}}, "1", "1"},
		{load.ProductShape(r, load.ProductShape(r, r)), flat{values: []float64{1, 2, 3}}, "(1, 2, 3)", "[1, 2, 3]"},
		{load.ProductShape(load.ProductShape(r, r), r), flat{values: []float64{1, 2, 3}}, "((1, 2), 3)", "[[1, 2], 3]"},
		{load.VectorShape(load.VectorShape(r, 2), 1), flat{values: []float64{1, -2}}, "[| [| 1, -2 |] |]", "[[1, -2]]"},
		{load.ListShape(r), flat{lengths: []int{0}}, "[]", "[]"},
		{load.ListShape(load.ListShape(r)), flat{[]float64{1, 2, 3}, []int{3, 2, 0, 1}}, "[[1; 2]; []; [3]]", "[[1, 2], [], [3]]"},
		{
			load.ProductShape(load.ListShape(r), load.ListShape(load.VectorShape(r, 2))),
			flat{[]float64{7, 1, 2, 3, 4}, []int{1, 2}},
			"([7], [[| 1, 2 |]; [| 3, 4 |]])", "[[7], [[1, 2], [3, 4]]]",
		},
	} {
		value := c.value
		require.Equal(t, c.text, string(languageNotation.write(nil, &value, c.shape)))
		value = c.value
		require.Equal(t, c.json, string(jsonNotation.write(nil, &value, c.shape)))
	}
}
