package exec_test

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
)

// streams are programs with data that may be not stored.
var streams = map[string]string{
	"rows":      "data a : List R^3 = list i < 200 -> vec j < 3 -> cos (i + j)\nfold (fun (v : R^3) s -> tanh (s * e + v.(0) * r - v.(2))) 0 a",
	"a column":  "data a : List R^300 = list i < 40 -> vec j < 300 -> cos (i + j)\nfold (fun (v : R^300) s -> tanh (s * e + v.(7) * r)) 0 a",
	"dots":      "data a : List R^40 = list i < 60 -> vec j < 40 -> cos (i + j)\nfold (fun (v : R^40) s -> tanh (s * e + sum j < 40 -> sin (v.(j) * r) * v.(j))) 0 a",
	"two lists": "data a : List R = list i < 300 -> cos i\ndata b : List R = list i < 300 -> sin i\nfold (fun x s -> s * r + x) (fold (fun x s -> sin (s + x * e)) 0 a) b",
	"products":  "data a : List R = list i < 60 -> cos i\nfold (fun x s -> s + fold (fun y z -> sin (z * e + x * y * r)) 0 a) 0 a",
	"pairs":     "data a : List R^2 = list i < 50 -> [| cos i, sin i |]\nfold (fun (v : R^2) s -> s + fold (fun (w : R^2) z -> sin (z * e + v.(0) * w.(1) * r)) 0 a) 0 a",
	// References to rows that loops have left.
	"the best": "data a : List R^2 = list i < 300 -> [| cos i, sin i |]\nlet b = fold (fun (v : R^2) (b : R^2) -> if v.(0) * e > b.(0) * e then v else b) [| 0, 0 |] a in b.(0) * e + b.(1) * r",
	"the last": "data a : List R^2 = list i < 300 -> [| cos i, sin i |]\nfold (fun (v : R^2) (b : R^2) -> v) [| 0, 0 |] a",
	"closures": "data a : List R^2 = list i < 90 -> [| cos i, sin i |]\nfold (fun (v : R^2) (g : R -> R) -> fun y -> v.(1) * g (sin (y * v.(0) + e))) (fun y -> y * r) a e",
	"a spine":  "type rows = Nil | Cons of R^2 * rows\ndata a : List R^2 = list i < 90 -> [| cos i, sin i |]\nlet rec f (l : rows) : R = match l with Nil -> e | Cons (v, k) -> v.(0) * r + sin (f k) in f (fold (fun (v : R^2) l -> Cons (v, l)) Nil a)",
	"copied":   "data a : List R^2 = list i < 90 -> [| cos i, sin i |]\nlet m = fold (fun (v : R^2) (m : R^2^2) -> [| v, m.(0) |]) [| [| 0, 0 |], [| 0, 0 |] |] a in m.(0).(1) * e + m.(1).(0) * r",
	"passed":   "data a : List R = list i < 90 -> cos i\nlet f = fun (l : List R) -> fold (fun x s -> sin (s + x * e)) r l in f a + f (map (fun x -> x * e) a)",
}

// withData is a program that is loaded, and those whose lists of data are not stored.
func withData(t *testing.T, src string, stream bool) *lang.Program {
	t.Helper()
	l, err := lang.Load("t.gram", []byte("input e = 0.75\ninput r = -0.5\n"+src), lang.Options{})
	require.NoError(t, err)
	for i := range l.Written().Data {
		d := &l.Written().Data[i]
		if !d.List || !stream {
			continue
		}
		values := d.Values
		d.Values, d.Chunk = nil, func(dst []float64, from int, look func() error) error {
			if from < 0 || from*d.Width+len(dst) > len(values) {
				return fmt.Errorf("there are no rows from %d on", from)
			}
			copy(dst, values[from*d.Width:])
			return look()
		}
	}
	return l
}

// TestStream: with data that is not stored a program has the values, gradients and steps that it has with stored data.
func TestStream(t *testing.T) {
	all := maps.Clone(streams)
	maps.Copy(all, loops)
	maps.Copy(all, vectors)
	for name, src := range all {
		t.Run(name, func(t *testing.T) {
			for _, native := range []bool{false, true} {
				for _, gradient := range []bool{false, true} {
					bounds := limits.Bounds{RowsMemory: 1 << 9}
					stored := withData(t, src, false)
					if gradient && stored.Shape == nil {
						continue
					}
					want := attemptOf(t, stored, gradient, native, bounds)
					require.NoError(t, want.run())
					require.NoError(t, want.run())
					streamed := withData(t, src, true)
					for _, window := range []int{1, 7, 100, 1 << 16} {
						got := attemptOf(t, streamed, gradient, native, bounds)
						got.m.SetWindow(window)
						if window == 100 {
							got.m.SetFar(50)
						}
						for range 2 {
							require.NoError(t, got.run())
							got.same(t, want, 0)
						}
						require.Equal(t, want.m.Native(), got.m.Native())
						if window != 100 {
							require.Equal(t, want.m.Vectors(), got.m.Vectors())
						}
					}
				}
			}
		})
	}
}

// TestStreamReplaced: numbers in place of data that is not stored.
func TestStreamReplaced(t *testing.T) {
	l := withData(t, streams["rows"], true)
	first := attemptOf(t, l, true, true, limits.Bounds{})
	require.NoError(t, first.run())
	second := attemptOf(t, l, true, true, limits.Bounds{})
	numbers := make([]float64, 600)
	require.NoError(t, l.Written().Data[0].Chunk(numbers, 0, func() error { return nil }))
	second.m.Data = map[int][]float64{0: numbers}
	l.Written().Data[0].Chunk = func([]float64, int, func() error) error { return errors.New("not called") }
	require.NoError(t, second.run())
	second.same(t, first, 0)
}

// TestStreamFails: an error of data that is not stored, or a limit while it is computed, ends a run in both phases, and
// leaves a machine that runs again.
func TestStreamFails(t *testing.T) {
	wrong, full := errors.New("wrong"), errors.New("full")
	all := maps.Clone(streams)
	all["w1"] = loops["w1"]
	for _, name := range []string{"w1", "rows", "dots", "the best", "closures", "products"} {
		for _, native := range []bool{false, true} {
			want := attemptOf(t, withData(t, all[name], false), true, native, limits.Bounds{RowsMemory: 1})
			require.NoError(t, want.run())
			l := withData(t, all[name], true)
			d := &l.Written().Data[0]
			chunk := d.Chunk
			calls, most, slow := 0, math.MaxInt, false // slow: the limit of time is reached in the last call
			d.Chunk = func(dst []float64, from int, look func() error) error {
				if calls++; calls <= most {
					return chunk(dst, from, look)
				}
				if slow {
					return look()
				}
				return wrong
			}
			bounds := limits.Bounds{RowsMemory: 1, Look: func() error {
				if slow && calls > most {
					return full
				}
				return nil
			}}
			newMachine := func() *attempt {
				r := attemptOf(t, l, true, native, bounds)
				r.m.SetWindow(30)
				return r
			}
			require.NoError(t, newMachine().run())
			total := calls
			for n := total; n > 0; n -= 1 + total/9 {
				r := newMachine()
				calls, most, slow = 0, n-1, false
				err := r.run()
				var data *ir.DataError
				require.ErrorAs(t, err, &data)
				require.ErrorIs(t, err, wrong)
				require.Equal(t, "a", data.Name)
				most = math.MaxInt
				require.NoError(t, r.run())
				r.same(t, want, 0)
				r = newMachine()
				calls, most, slow = 0, n-1, true
				var reached *limits.ReachedError
				require.ErrorAs(t, r.run(), &reached)
				require.ErrorIs(t, reached, full)
				most = math.MaxInt
				require.NoError(t, r.run())
				r.same(t, want, 0)
			}
		}
	}
}
