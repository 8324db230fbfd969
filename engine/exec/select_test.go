package exec_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/limits"
)

// predicates are programs with an if in loops, where some elements and summands are numerals.
var predicates = map[string]string{
	"layers": `param n = 12
param b = 3
input W : R^n^n = vec i < n -> vec j < n -> 0.3 * sin (1 + i*n + j)
input V : R^n^n = vec i < n -> vec j < n -> 0.3 * cos (1 + i*n + j)
input x : R^n^b = vec k < b -> vec j < n -> cos (k + j)
let relu = fun z -> if z > 0 then z else 0 in
let h = vec k < b -> vec i < n -> relu (sum j < n -> W.(i).(j) * x.(k).(j)) in
let g = vec k < b -> vec i < n -> relu (sum j < n -> V.(i).(j) * h.(k).(j)) in
sum k < b -> sum i < n -> if g.(k).(i) > 0.5 then log g.(k).(i) else g.(k).(i) * g.(k).(i)
`,
	"data": `param n = 12
input W : R^n^n = vec i < n -> vec j < n -> 0.3 * sin (1 + i*n + j)
input V : R^n^n = vec i < n -> vec j < n -> 0.3 * cos (1 + i*n + j)
data d : List R^n = list i < 5 -> vec j < n -> cos (i + j)
let relu = fun z -> if z > 0 then z else 0 in
fold (fun x r ->
  let h = vec i < n -> relu (sum j < n -> W.(i).(j) * x.(j)) in
  let g = vec i < n -> relu (sum j < n -> V.(i).(j) * h.(j)) in
  r + sum i < n -> g.(i) * h.(n - 1 - i)) 0 d
`,
	"strips": `param n = 1100
input s = 0.7
input x : R^3 = [| 0.2, -0.3, 0.4 |]
let v = vec i < n -> if sin i > s then cos (s * i) else if cos i < 0 then 0 else s in
(sum i < n -> if v.(i) > 0 then v.(i) else 0) + (sum i < n -> v.(i) * v.(n - 1 - i)) + (sum i < n -> if cos i < s then 1 else v.(i)) * x.(1)
`,
	"sums": `param n = 30
input x : R^n = vec i < n -> sin (i + 1)
input s = 0.2
let v = vec i < n -> sum j < 7 -> if x.(i) * j < s then j else x.(i) in
let w = vec i < n -> sum j < n -> if x.(i) * x.(j) < s then 0.5 else v.(j) in
(sum i < n -> w.(i) * v.(i)) + (sum i < n -> if w.(i) < s then sum j < n -> x.(j) * w.(j) else x.(i)) + maximum (vec i < n -> if x.(i) < s then 0 else v.(i))
`,
	"ties": `input x : R^40 = vec i < 40 -> floor (3 * sin (7 * i))
maximum x + 2 * maximum (vec i < 8 -> x.(i + 3)) + 3 * maximum (vec i < 9 -> x.(2 * i)) +
  sum k < 3 -> (5 + 2 * k) * maximum (vec i < 35 -> x.(39 - i - k) * 0.5)
`,
	"scans": `param n = 20
input x : R^n = vec i < n -> sin (i + 1)
input s = 0.3
sum i < n ->
  let t = scan j < 6 with (a, b) = (x.(i), 1) -> (if a > s then a * b else s, b * x.(j)) in
  sum j < 6 -> fst t.(j) * snd t.(5 - j)
`,
	"loops": `param n = 40
input x : R^n = vec i < n -> sin (3 * i)
input s = 0.4
sum i < n ->
  if x.(i) > s then sum j < 30 -> sin (x.(i) * x.(j)) * (if x.(j) < x.(i) then sum k < 6 -> x.(k + j) * i else s)
  else (let w = vec j < 5 -> x.(j) * (i + s) in w.(2) * sum j < 5 -> if w.(j) > 0 then tanh (w.(j) + w.(4 - j) * x.(i)) else 1)
`,
	// What the literal machine reduces grows as the square of n, which is 300 with FULL_SIZE.
	"rarely": fmt.Sprint("param n = ", whole(300)) + `
input x : R^n = vec i < n -> sin i
sum i < n -> if x.(i) > 0.9999 then sum j < n -> exp (x.(i) * x.(j)) else x.(i) * x.(n - 1 - i)
`,
	"functions": `param n = 5
input A : R^(n, n) = vec i < n -> vec j < n -> sin (1 + i * n + j)
def expand row minor signs =
  sum j < n -> if abs signs.(j) > 0 then signs.(j) * row.(j) * minor (vec i < n -> signs.(i) * sign (j - i)) else 0
fold expand (fun _ -> 1) (list i < n -> A.(i)) (vec j < n -> 1 - 2 * sin (pi * j / 2)^2)
`,
	"infinite": `param n = 9
input W : R^n^n = vec i < n -> vec j < n -> 0.3 * sin (1 + i*n + j)
input x : R^n = vec j < n -> if j < 8 then cos j else 1 / 0
let h = vec i < n -> let z = sum j < n -> W.(i).(j) * x.(j) in if z > 0 then 1 / z else 0.5 in
sum i < n -> if i < 8 then h.(i) else 3
`,
}

// TestBranchesTakeTheirSteps: a vector statement computes numbers in proportion to the steps that it stands for, however
// rarely a branch with a loop is taken, and also where a loop in it stands in branches of its own.
func TestBranchesTakeTheirSteps(t *testing.T) {
	for _, src := range []string{
		predicates["rarely"],
		"input x : R^900 = vec i < 900 -> sin i\nsum i < 900 -> if x.(i) > 0.9999 then sum j < 900 -> exp (x.(i) * x.(j)) else x.(i)\n",
		`input x : R^60 = vec i < 60 -> sin i
sum i < 60 -> if x.(i) > 0 then sum j < 60 -> if x.(j) * x.(i) > 0.95 then sum k < 60 -> exp (x.(i) * x.(k)) else x.(j) else x.(i)
`,
	} {
		m, point := load(t, src, false, limits.Bounds{})
		m.NoNative = true
		require.NoError(t, m.Value(point))
		require.NotZero(t, m.Vectors())
		plain, _ := load(t, src, false, limits.Bounds{}) // without vectors
		plain.Plain = true
		require.NoError(t, plain.Value(point))
		require.Less(t, m.Lanes(), 4*plain.Stats().Counts.Total(), src)
	}
}

// TestPredicates: so it is where an if stands in a vector statement, with the steps and numbers of the literal machine.
func TestPredicates(t *testing.T) {
	for name, src := range predicates {
		t.Run(name, func(t *testing.T) {
			compare(t, name, []byte(src), gram.Options{})
			m, point := load(t, src, true, limits.Bounds{})
			m.NoNative = true
			require.NoError(t, m.Gradient(point, make([]float64, 1), make([]float64, len(point))))
			require.Equal(t, name != "loops", m.Vectors() > 0, "no statement has loops in branches")
		})
	}
}
