package main

import (
	"archive/zip"
	"bytes"
	"testing"

	"github.com/sbinet/npyio/npy"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/notation"
	"github.com/gram-machine/gram/lang/load"
)

// TestNpz: another implementation reads the arrays.
func TestNpz(t *testing.T) {
	r := load.RealShape()
	values := []named{
		{"s", r, notation.Flat{Values: []float64{-0.1}}},
		{"v", load.VectorShape(r, 3), notation.Flat{Values: []float64{1, 2, 3}}},
		{"m", load.VectorShape(load.VectorShape(r, 2), 3), notation.Flat{Values: []float64{1, 2, 3, 4, 5, 6}}},
		{"p", load.ProductShape(r, load.VectorShape(r, 2)), notation.Flat{Values: []float64{1, 2, 3}}},
		{"l", load.ListShape(load.ProductShape(r, r)), notation.Flat{Values: []float64{1, 2, 3, 4}, Lengths: []int{2}}},
		{"none", load.ListShape(r), notation.Flat{Lengths: []int{0}}},
	}
	dims := [][]int{nil, {3}, {3, 2}, {3}, {2, 2}, {0}}
	var out bytes.Buffer
	require.NoError(t, writeNpz(&out, values))
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	require.Len(t, archive.File, len(values))
	for i, f := range archive.File {
		require.Equal(t, values[i].name+".npy", f.Name)
		in, err := f.Open()
		require.NoError(t, err)
		a, err := npy.NewReader(in)
		require.NoError(t, err)
		require.Equal(t, dims[i], a.Header.Descr.Shape)
		require.Equal(t, "<f8", a.Header.Descr.Type)
		got := make([]float64, len(values[i].flat.Values))
		if len(got) > 0 {
			require.NoError(t, a.Read(&got))
			require.Equal(t, values[i].flat.Values, got)
		}
	}
	inLists := load.ListShape(load.ProductShape(r, load.ListShape(r)))
	require.Error(t, writeNpz(&out, []named{{"x", inLists, notation.Flat{Values: []float64{1, 2}, Lengths: []int{1, 1}}}}))
}
