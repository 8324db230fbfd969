package exec_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
)

// loops are programs with loops of numbers.
var loops = map[string]string{
	"saturated":       "fold (fun x s -> tanh (s * e + x * r)) 0 (list i < 9 -> -73 * (i + 1))",
	"saturated pairs": "fold (fun p s -> let (a, b) = p in tanh (s * e + a * b)) 0 (list i < 9 -> (-73 * r, (sum k < 3 -> e * r / (k + 1 + i))))",
	"w1":              "data a : List R = list i < 1000 -> sin (999 - i)\nfold (fun x h -> sigmoid (e * x + r * h)) 0 a",
	"w3":              "iter #1000 (fun z -> sin (z * z) + z) e",
	"w4":              "iter #1000 (fun y -> e * y + r) r",
	"if":              "fold (fun x s -> if s > x then s * e + x else sin (s + r)) e (list i < 500 -> 1 / (i + 1))",
	"reset":           "fold (fun x s -> if s > 3 then 0 else s + e * x) 0 (list i < 500 -> 1 / (i + 1))",
	"pair":            "(fun p -> let (a, b) = p in a * b) (fold (fun x p -> let (a, b) = p in (b * e + x, sin a + b / 2)) (e, r) (list i < 500 -> 1 / (i + 1)))",
	"half":            "(fun p -> let (a, b) = p in b) (fold (fun x p -> let (a, b) = p in (a * e + x, sin b)) (e, r) (list i < 500 -> 1 / (i + 1)))",
	"lstm":            "(fun p -> let (h, c) = p in h) (fold (fun x p -> let (h, c) = p in let d = sigmoid (e * x + h) * c + r in (tanh d * h, d)) (e, r) (list i < 500 -> 1 / (i + 1)))",
	"fib":             "(fun p -> let (a, b) = p in a) (iter #500 (fun p -> let (a, b) = p in (b, a * e + b / 3)) (e, r))",
	"relu":            "iter #500 (fun y -> relu (y * e - 0.1) + min y r + max (y * y) 0.2 + exp (0 - y)) r",
	"pairs":           "data xs : List (R * R) = list i < 400 -> (1 / (i + 1), i / 400)\nfold (fun p s -> let (x, y) = p in s * x + y * e) r xs",
	"copies":          "(fun p -> let (a, b) = p in a + b) (iter #300 (fun p -> let (a, b) = p in let v = a * e + b in (v, v)) (e, r))",
	"dead":            "fold (fun x s -> if s > 0.3 then x else s * e + x) 0 (list i < 500 -> sin i)",
	"invariant":       "fold (fun x s -> if s > 0.3 then r else s * e + x) 0 (list i < 500 -> sin i)",
	"none":            "fold (fun x s -> 0 * 2 + x) 0 (list i < 500 -> sin i) + e + r",
}

// runner compiles a program for machines with machine code at once, or none.
func runner(t *testing.T, src string, gradient, native bool) (*exec.Machine, func() ([]float64, []float64, []uint64)) {
	t.Helper()
	l, err := lang.Load("t.gram", []byte("input e = 0.75\ninput r = -0.5\n"+src), lang.Options{})
	require.NoError(t, err)
	m := compiled(t, l, gradient).NewMachine(limits.Bounds{})
	m.NoNative, m.NativeWork = !native, 1
	return m, func() ([]float64, []float64, []uint64) {
		if !gradient {
			require.NoError(t, m.Value(l.Point))
			v, _, err := m.Read(nil, nil)
			require.NoError(t, err)
			c := m.Stats().Counts
			return v, nil, c[:]
		}
		v, j := make([]float64, 1), make([]float64, 2)
		require.NoError(t, m.Gradient(l.Point, v, j))
		c := m.Stats().Counts
		return v, j, c[:]
	}
}

// TestNative: machine code of loops has the values, gradients and steps of the interpreter.
func TestNative(t *testing.T) {
	for name, src := range loops {
		t.Run(name, func(t *testing.T) {
			for _, gradient := range []bool{false, true} {
				_, want := runner(t, src, gradient, false)
				m, got := runner(t, src, gradient, true)
				for range 2 {
					v, j, c := want()
					w, k, d := got()
					require.Equal(t, v, w)
					require.Equal(t, c, d)
					require.Positive(t, m.Native())
					for i := range j {
						require.InDelta(t, j[i], k[i], 1e-12*math.Abs(j[i]))
					}
				}
			}
		})
	}
}
