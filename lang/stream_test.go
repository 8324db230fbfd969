package lang

import (
	"errors"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestStream: the numbers of a comprehension that is not stored are those that would be, from any element on. Data that
// another value is computed from is stored after all.
func TestStream(t *testing.T) {
	const src = `param n = 50
def f i = sin (i * 0.5)
data a : List R = list i < n -> f i + (sum j < 3 -> j * i)
data b : List R^2 = list i < n + 1 -> [| cos i, 1 / (i + 1) |]
data c = list i < 3 -> i
data d : List R = list i < n -> f i
data e : List R = [size d; fold (fun x h -> x + h) 0 d]
def v = vec i < 41 -> 10 * i
def w = sum i < 30 -> sin (i + 1) + cos (i * 3 + 2) + (i + 4) * (i + 5) * (i + 6) * (i + 7)
data g : List R = list i < 40 -> v.(i + 1)
data h : List R = list i < 3 -> (2 * i) * v.(2 * i)
0`
	want, err := Load("x.gram", []byte(src), Options{})
	require.NoError(t, err)
	full := errors.New("full")
	opt := Options{Stream: true, Reserve: func(bytes int64) error {
		if bytes > 16*10 {
			return full
		}
		return nil
	}}
	got, err := Load("x.gram", []byte(src), opt)
	require.NoError(t, err)
	for i := range want.Data {
		w, g := &want.Data[i], &got.Data[i]
		require.Equal(t, w.Value.Rows, g.Value.Rows)
		chunk := g.Value.Chunk
		require.Equal(t, slices.Contains([]string{"a", "b", "g"}, w.Name), chunk != nil, w.Name)
		if chunk == nil {
			require.Equal(t, w.Value.Data, g.Value.Data)
			continue
		}
		require.Empty(t, g.Value.Data)
		width := w.Shape.A.Width()
		for from := range w.Value.Rows {
			dst := make([]float64, (w.Value.Rows-from)*width)
			require.NoError(t, chunk(dst, from, nil))
			require.Equal(t, w.Value.Data[from*width:], dst)
		}
		stop := errors.New("stop")
		if w.Name != "g" { // it has no more rows
			require.ErrorIs(t, chunk(make([]float64, 1<<15*width), 0, func() error { return stop }), stop)
		}
	}
	opt.Stream = false
	_, err = Load("x.gram", []byte(src), opt)
	require.NoError(t, err, "little data is not announced")
}
