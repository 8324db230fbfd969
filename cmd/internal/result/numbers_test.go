package result

import (
	"archive/zip"
	"bytes"
	"context"
	"fmt"
	"math"
	"path/filepath"
	"testing"

	"github.com/sbinet/npyio/npy"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang/load"
)

// TestNpz: another implementation reads the arrays.
func TestNpz(t *testing.T) {
	r := load.RealShape()
	values := []Named{
		{"s", r, load.Flat{Values: []float64{-0.1}}},
		{"v", load.VectorShape(r, 3), load.Flat{Values: []float64{1, 2, 3}}},
		{"m", load.VectorShape(load.VectorShape(r, 2), 3), load.Flat{Values: []float64{1, 2, 3, 4, 5, 6}}},
		{"p", load.ProductShape(r, load.VectorShape(r, 2)), load.Flat{Values: []float64{1, 2, 3}}},
		{"l", load.ListShape(load.ProductShape(r, r)), load.Flat{Values: []float64{1, 2, 3, 4}, Lengths: []int{2}}},
		{"none", load.ListShape(r), load.Flat{Lengths: []int{0}}},
	}
	dims := [][]int{nil, {3}, {3, 2}, {3}, {2, 2}, {0}}
	var out bytes.Buffer
	require.NoError(t, writeNpz(&out, values))
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	require.NoError(t, err)
	require.Len(t, archive.File, len(values))
	for i, f := range archive.File {
		require.Equal(t, values[i].Name+".npy", f.Name)
		in, err := f.Open()
		require.NoError(t, err)
		a, err := npy.NewReader(in)
		require.NoError(t, err)
		require.Equal(t, dims[i], a.Header.Descr.Shape)
		require.Equal(t, "<f8", a.Header.Descr.Type)
		got := make([]float64, len(values[i].Flat.Values))
		if len(got) > 0 {
			require.NoError(t, a.Read(&got))
			require.Equal(t, values[i].Flat.Values, got)
		}
	}
	inLists := load.ListShape(load.ProductShape(r, load.ListShape(r)))
	require.Error(t, writeNpz(&out, []Named{{"x", inLists, load.Flat{Values: []float64{1, 2}, Lengths: []int{1, 1}}}}))
}

// TestPropertyInputsReadBack: the inputs that are written, of any shape and with any bits, are read back to the bit.
func TestPropertyInputsReadBack(t *testing.T) {
	dir := t.TempDir()
	property.Check(t, func(t *rapid.T) {
		var shape func(depth int) *load.Shape
		shape = func(depth int) *load.Shape {
			switch kind := rapid.IntRange(0, 2).Draw(t, "kind"); {
			case depth == 0 || kind == 0:
				return load.RealShape()
			case kind == 1:
				return load.ProductShape(shape(depth-1), shape(depth-1))
			}
			return load.VectorShape(shape(depth-1), rapid.IntRange(1, 3).Draw(t, "size"))
		}
		s := shape(4)
		in := gram.Input{Name: "x", Shape: s}
		for range s.Width() {
			in.Values = append(in.Values, math.Float64frombits(rapid.Uint64().Draw(t, "bits")))
		}
		path := filepath.Join(dir, rapid.SampledFrom([]string{"x.json", "x.npz"}).Draw(t, "file"))
		require.NoError(t, WriteInputs(path, []gram.Input{in}))
		zero := load.Language.Append(nil, &load.Flat{Values: make([]float64, s.Width())}, s)
		p, err := gram.Load(context.Background(), "p", fmt.Appendf(nil, "input x : %v = %s\n0", s, zero), gram.Options{Inputs: path})
		require.NoError(t, err)
		got := p.Inputs()[0].Values
		require.Len(t, got, s.Width())
		for i, x := range in.Values {
			if math.IsNaN(x) && math.IsNaN(got[i]) {
				continue
			}
			require.Equal(t, math.Float64bits(x), math.Float64bits(got[i]))
		}
	})
}
