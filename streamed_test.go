package gram

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/term"
)

// streamed is a program whose data lists are not stored.
func streamed(t *testing.T, src string, chunk func(values []float64, d *term.Data) func([]float64, int, func() error) error) *Program {
	t.Helper()
	p, err := Load(t.Context(), "t.gram", []byte(src), Options{})
	require.NoError(t, err)
	data := p.src.Written().Data
	for i := range data {
		d, v := &data[i], &p.src.Data[i].Value
		d.Chunk = chunk(d.Values, d)
		v.Chunk = d.Chunk
		d.Values, v.Data = nil, nil
	}
	return p
}

// stored gives the numbers of data that has been stored.
func stored(values []float64, d *term.Data) func([]float64, int, func() error) error {
	return func(dst []float64, from int, look func() error) error {
		copy(dst, values[from*d.Width:])
		return look()
	}
}

const pairsOfNumbers = "input e = 0.7\ndata a : List (R * R) = list i < 1000 -> (sin i, cos i)\n" +
	"fold (fun p h -> let (x, y) = p in sin (e * x + y * h)) 0 a"

// TestStreamed: with data that is not stored, the options change what they change with stored data, and numbers may take its
// place.
func TestStreamed(t *testing.T) {
	whole, err := Load(t.Context(), "t.gram", []byte(pairsOfNumbers), Options{})
	require.NoError(t, err)
	p := streamed(t, pairsOfNumbers, stored)
	for _, opt := range []EvalOptions{{}, {NoNative: true}, {NoFuse: true}, {RowsMemory: 1}, {Finite: true},
		{Schedule: Parallel, Workers: 2}} {
		want, err := whole.Gradient(t.Context(), opt)
		require.NoError(t, err)
		got, err := p.Gradient(t.Context(), opt)
		require.NoError(t, err)
		require.Equal(t, want.Values, got.Values)
		require.InEpsilonSlice(t, want.Jacobian, got.Jacobian, 1e-13)
		require.Equal(t, want.Cost.Steps, got.Cost.Steps)
		value, err := p.Value(t.Context(), opt)
		require.NoError(t, err)
		require.Equal(t, want.Values, value.Values)
	}
	e, err := p.NewGradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	other, err := whole.NewGradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	defer other.Close()
	numbers := make([]float64, 2000)
	for i := range numbers {
		numbers[i] = float64(i%7) / 7
	}
	require.ErrorContains(t, e.SetData("a", numbers[1:]), "a has 2000 numbers, and 1999 are given")
	require.NoError(t, e.SetData("a", numbers))
	require.NoError(t, other.SetData("a", numbers))
	got, err := e.Gradient(t.Context(), []float64{0.3})
	require.NoError(t, err)
	want, err := other.Gradient(t.Context(), []float64{0.3})
	require.NoError(t, err)
	require.Equal(t, want.Values, got.Values)
	require.InEpsilonSlice(t, want.Jacobian, got.Jacobian, 1e-13)
}

// TestStreamedFails: an error of data that is not stored shows the place where that is declared.
func TestStreamedFails(t *testing.T) {
	wrong := errors.New("the file has changed")
	p := streamed(t, pairsOfNumbers, func([]float64, *term.Data) func([]float64, int, func() error) error {
		return func([]float64, int, func() error) error { return wrong }
	})
	_, err := p.Gradient(t.Context(), EvalOptions{})
	require.ErrorIs(t, err, wrong)
	var shown *Error
	require.ErrorAs(t, err, &shown)
	require.Equal(t, []Diagnostic{{Line: 2, Column: 6, Width: 1, Headline: "no data", Label: "data a: the file has changed",
		File: "t.gram", FileLine: 2, FileColumn: 6}},
		shown.Diagnostics)
}
