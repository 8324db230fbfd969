package lang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
)

const pickHead = `data text : List R = [0; 3; 1]
data rows : List R^2 = [[| 0, 1 |]; [| 2, 0.5 |]]
data one = 2
param k = 4
input c = 0.5
input v : R^4 = vec i < 4 -> i
input M : R^2^4 = vec i < 4 -> vec j < 2 -> i - j
`

// TestPick: pick and onehot are what the page of the language says.
func TestPick(t *testing.T) {
	for _, c := range [][2]string{
		{"onehot k 1", "vec i < 4 -> same 1 i"},
		{"pick v 2", "let o = vec i < 4 -> same 2 i in sum i < 4 -> o.(i) * v.(i)"},
		{"fold (fun x s -> s + pick M x) [| 0, 0 |] text",
			"fold (fun x s -> s + let o = vec i < 4 -> same x i in vec j < 2 -> sum i < 4 -> o.(i) * M.(i).(j)) [| 0, 0 |] text"},
		{"map (pick v) text", "map (fun y -> pick v y) text"},
		{"foldl (fun (p, s) x -> (x, s + c * x * pick v p)) (0, 0) text", "foldl (fun (p, s) (x : R) -> (x, s + c * x * pick v p)) (0, 0) text"},
	} {
		p := mustLoad(t, pickHead+c[0])
		wellFormed(t, p)
		require.Equal(t, mustLoad(t, pickHead+c[1]).Term().String(), p.Term().String(), c[0])
	}
	for _, c := range [][2]string{
		{"vec i < 3 -> pick [| 5, 6, 7 |] (2 - i)", "[7 6 5]"},
		{"(vec i < 3 -> fold (+) (onehot 3 i).(1) text)", "[4 5 4]"},
		{"fold (fun x s -> 10 * s + pick [| 7, 8, 9, 6 |] (x * 1)) 0 text", "[867]"},
	} {
		p := mustLoad(t, "data text : List R = [0; 3; 1]\ninput x = "+c[0]+"\n1")
		require.Equal(t, c[1], fmt.Sprint(p.Inputs[0].Values), c[0])
	}
}

// TestPickErrors: an index that is computed, or out of range, is an error.
func TestPickErrors(t *testing.T) {
	for _, c := range [][2]string{
		{"pick v c", "t.gram:8:8: index not known\n"},
		{"pick v (fold (+) 0 text)", "t.gram:8:9: index not known\n"},
		{"fold (fun x s -> s + pick v (x + 0)) 0 text", "t.gram:8:30: index not known\n"},
		{"fold (fun p s -> let q = p + 1 in s + pick v q.(0)) 0 rows", "index not known\n"},
		{"let f = fun x -> -x in fold (fun x s -> s + pick v (f x)) 0 text", "index not known\n"},
		{"fold (fun x s -> s + pick v x) 0 [0; 4]", "4 is among the values of this, and indices are 0 to 3"},
		{"pick v 0.5", "0.5 is among the values of this"},
		{"fold (fun x s -> s + pick [| 1, 2, 3 |] x) 0 text", "t.gram:1:6: index out of range\n  1 | data text : List R = [0; 3; 1]\n" +
			"    |      ^^^^ row 1 of text, counted from 0, is 3, and indices are 0 to 2; it is an index of pick or onehot"},
		{"fold (fun p s -> s + pick v p.(0)) 0 rows", "number 1 of row 1 of rows, counted from 0, is 0.5, and indices are 0 to 3"},
		{"onehot 2 one", "one is 2, and indices are 0 to 1"},
		{"onehot c 1", "t.gram:8:8: not a static number"},
		{"pick c 1", "this is R, but only a vector has components"},
		{"pick v v", "this is R^4, but pick takes R"},
		{"pick (vec i < 3 -> (1, 2)) 1", "pick takes a vector of numbers or of vectors"},
	} {
		_, err := Load("t.gram", []byte(pickHead+c[0]), Options{})
		require.ErrorContains(t, err, c[1], c[0])
	}
	_, err := Load("t.gram", []byte("input x = pick [| 1, 2 |] 3\nx"), Options{})
	require.ErrorContains(t, err, "t.gram:1:11: index out of range\n")
	require.ErrorContains(t, err, "the index is 3")
	_, err = Load("t.gram", []byte(pickHead+"map (pick v) text"), Options{Sets: []load.Setting{}})
	require.NoError(t, err)
	p := mustLoad(t, pickHead+"map (pick v) text")
	require.NoError(t, p.CheckData(0, []float64{3, 0, 0}))
	require.EqualError(t, p.CheckData(0, []float64{3, 0, 5}), "row 2 of text, counted from 0, is 5, and indices are 0 to 3")
}

// TestRandomNumbers: uniform and normal depend on the seed, the name of the declaration and the number of the draw, and
// on nothing else.
func TestRandomNumbers(t *testing.T) {
	const src = `param n = 1000
def init s = vec i < n -> normal 1 s
input u : R^n = vec i < n -> uniform (-1) 3
input v = uniform 0 1
data z = list i < n -> uniform (-1) 3
input w : R^2^n = vec i < n -> [| normal 1 2, uniform 0 i |]
input x = init 2
v`
	values := func(src string, seed uint64) (out [][]float64) {
		p, err := Load("t.gram", []byte(src), Options{Seed: seed})
		require.NoError(t, err)
		for i := range p.Inputs {
			out = append(out, p.Inputs[i].Values)
		}
		return append(out, p.Data[0].Value.Data)
	}
	got := values(src, 7)
	require.Equal(t, got, values(src, 7))
	require.Equal(t, got[0], values(strings.Replace(src, "input v = uniform 0 1\n", "input v = 2\n", 1), 7)[0], "it depends on no other declaration")
	for _, other := range [][]float64{values(src, 8)[0], got[4]} {
		require.NotEqual(t, got[0][0], other[0])
	}
	mean := func(x []float64) (m, v float64) {
		for _, y := range x {
			m += y / float64(len(x))
		}
		for _, y := range x {
			v += (y - m) * (y - m) / float64(len(x))
		}
		return m, v
	}
	m, v := mean(got[0])
	require.InDelta(t, 1, m, 0.1)
	require.InDelta(t, 16.0/12, v, 0.1)
	m, v = mean(got[3])
	require.InDelta(t, 1, m, 0.2)
	require.InDelta(t, 4, v, 0.5)
	require.Equal(t, "[0.9193308676757934]", fmt.Sprint(values(src, 0)[1]))
	for _, wrong := range []string{"uniform 0 1", "let x = normal 0 1 in 2 * x", "def y = uniform 0 1\ny", "map (uniform 0) [1]"} {
		_, err := Load("t.gram", []byte(wrong), Options{})
		require.ErrorContains(t, err, "random number outside of a default value", wrong)
	}
}
