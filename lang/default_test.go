package lang

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/lang/elaborate"
	"github.com/gram-machine/gram/lang/syntax"
	"github.com/gram-machine/gram/term"
	"github.com/gram-machine/gram/term/elementary"
)

func TestDefaultValues(t *testing.T) {
	const before = `param n = 3
param m = n + 2*1
data xs : List R = [1; 2; 4]
data ps : List R^2 = [[| 1, 2 |]; [| 3, 4 |]]
data v : R^3 = [| 10, 20, 30 |]
data c = 7
def two = 2
def square x = x * x
def swap (a, b) = (b, a)
def scaled k = fun x -> k * x
def twice f x = f (f x)
def big = sum i < 1000 -> i
input x = `
	for _, test := range []struct{ expr, want string }{
		{"0.7", "R [0.7]"},
		{"-0.3", "R [-0.3]"},
		{"1e-3 + 2", "R [2.001]"},
		{"n", "R [3]"},
		{"m - 2 * n", "R [-1]"},
		{"size xs", "R [3]"},
		{"size ps / 4", "R [0.5]"},
		{"(1, 2, 3)", "R * R * R [1 2 3]"},
		{"((1, 2), 3)", "(R * R) * R [1 2 3]"},
		{"(1, [| 2, 3 |])", "R * R^2 [1 2 3]"},
		{"[| 5 |]", "R^1 [5]"},
		{"vec i < n -> i", "R^3 [0 1 2]"},
		{"vec i < n -> vec j < i + 1 + (2 - i) -> 10*i + j", "R^(3, 3) [0 1 2 10 11 12 20 21 22]"},
		{"vec i < 2 -> (i, -i)", "(R * R)^2 [0 -0 1 -1]"},
		{"sum i < 4 -> i * i", "R [14]"},
		{"scan i < 3 with x = 1 -> x * 2 + i", "R^3 [2 5 12]"},
		{"scan i < 2 with (a, b) = (1, [| 2, 3 |]) -> (a + b.(i), b)", "(R * R^2)^2 [3 2 3 6 2 3]"},
		{"scan i < 2 with v = (vec j < n - 1 -> 1) -> scan j < n - 1 with x = 0 -> x + v.(j)", "R^(2, 2) [1 2 1 3]"},
		{"(scan i < 3 with f = (fun x -> x) -> fun y -> f y + i).(2) 10", "R [13]"},
		{"vec k < 2 -> (scan i < 2 with s = k -> (vec j < i + 1 -> s).(0) + 1).(k)", "R^2 [1 3]"},
		{"sum i < 0 -> i", "R [0]"},
		{"1 - 2 - 3", "R [-4]"},
		{"8 / 4 / 2", "R [1]"},
		{"2 * 3 + 4", "R [10]"},
		{"2 ^ 10", "R [1024]"},
		{"two ^ (n - 3)", "R [1]"},
		{"-2 ^ 2", "R [-4]"},
		{"two", "R [2]"},
		{"square 3", "R [9]"},
		{"square (square two)", "R [16]"},
		{"twice square 3", "R [81]"},
		{"twice (scaled 3) 2", "R [18]"},
		{"scaled 3 2", "R [6]"},
		{"swap (1, [| 2 |])", "R^1 * R [2 1]"},
		{"fst (swap (1, 2))", "R [2]"},
		{"snd (1, 2, 3)", "R * R [2 3]"},
		{"compose square (fun x -> x + 1) 2", "R [9]"},
		{"v", "R^3 [10 20 30]"},
		{"v.(1)", "R [20]"},
		{"(vec i < 2 -> vec j < 2 -> 2*i + j).(1)", "R^2 [2 3]"},
		{"vec i < n -> v.(n - 1 - i)", "R^3 [30 20 10]"},
		{"c", "R [7]"},
		{"big + big", "R [999000]"},
		{"let y = 3 in y * y", "R [9]"},
		{"let (a, b) = swap (1, 2) in a - b", "R [1]"},
		{"let (a, b, _) = (1, 2, 3, 4) in a + b", "R [3]"},
		{"let [| a, b |] = [| 3, 4 |] in a * b", "R [12]"},
		{"let f a b = a - b in f 5 3", "R [2]"},
		{"let y : R = 2 in y", "R [2]"},
		{"let f (a : R) = a + 1 in f 1", "R [2]"},
		{"let k = 10 in let f y = k * y in let k = 3 in f k", "R [30]"},
		{"(fun x -> fun y -> x - y) 5 2", "R [3]"},
		{"(fun (x, y) [| z |] -> x + y * z) (1, 2) [| 3 |]", "R [7]"},
		{"let f = vec i < 3 -> fun x -> x + i in f.(0) 1 + f.(2) 10", "R [13]"},
		{"if 1 < 2 then 10 else 20", "R [10]"},
		{"fold (+) 0 (range n) + fold (+) 0 (range 2 (n + 2))", "R [12]"},
		{"length (range (size ps)) + fold (+) 0 (range 0)", "R [2]"},
		{"if 1 < 2 and not 2 = 2 or 3 > 2 then 10 else 20", "R [10]"},
		{"if not (1 < 2 and 2 = 2) or n = 4 then 10 else 20", "R [20]"},
		{"if n >= 4 then (1, 2) else (3, 4)", "R * R [3 4]"},
		{"if 0/0 <= 0/0 then 1 else 2", "R [2]"},
		{"if 2 > 1 then vec i < 2 -> i else [| 5, 6 |]", "R^2 [0 1]"},
		{"pow 2 10", "R [1024]"},
		{"let p = pow 2 in p 3 + p 4", "R [24]"},
		{"min 1 2 + max 1 2", "R [3]"},
		{"(+) 1 2 - ( * ) 2 3", "R [-3]"},
		{"twice ((-) 10) 3", "R [3]"},
		{"(/) 1 4", "R [0.25]"},
		{"twice neg 5", "R [5]"},
		{"step 0 + sign 0 + relu (-1) + abs (-2)", "R [2]"},
		{"#3 square 2", "R [256]"},
		{"#n (fun x -> x + 1) 0", "R [3]"},
		{"iter #0 square 2", "R [2]"},
		{"iter #10 (fun (a, b) -> (b, a + b)) (0, 1)", "R * R [55 89]"},
		{"(#3 : Nat) (fun x -> 2 * x) 1", "R [8]"},
		{"#2 #3 (fun x -> x + 1) 0", "R [9]"},
		{"fold (+) 0 xs", "R [7]"},
		{"fold (-) 0 xs", "R [3]"},
		{"foldl (fun s x -> x - s) 0 xs", "R [3]"},
		{"xs (fun a s -> 10*s + a) 0", "R [421]"},
		{"[] (+) 5", "R [5]"},
		{"(let l = [1; 2] in l (-)) 10", "R [9]"},
		{"fold (fun p s -> p.(0) * p.(1) + s) 0 ps", "R [14]"},
		{"length xs + length [] + length ps", "R [5]"},
		{"fold (fun a s -> 10*s + a) 0 (rev xs)", "R [124]"},
		{"fold (fun a s -> 10*s + a) 0 (map square xs)", "R [1641]"},
		{"fold (fun f s -> f s) 1 [sin; cos; neg]", "R [0.5143952585235492]"},
		{"fold (fun f s -> f s) 1 (rev [scaled 2; scaled 3; neg])", "R [-6]"},
		{"fold (fun f s -> f s) 1 (map scaled xs)", "R [8]"},
		{"length (fun f x -> f 1 (f 2 x))", "R [2]"},
		{"foldl (-) 0 (fun f x -> f 1 (f 2 x))", "R [-3]"},
		{"dot v v", "R [1400]"},
		{"matvec (vec i < 2 -> vec j < 3 -> i + j) v", "R^2 [80 140]"},
		{"matvec [| [| 1, 0, 0 |] |] v", "R^1 [10]"},
		{"(v : R^3).(n - 1)", "R [30]"},
		{"((1, v) : R * R^n)", "R * R^3 [1 10 20 30]"},
		{"(fun x -> x : R -> R) 1", "R [1]"},
		{"length (xs : List R) + length (ps : List R^2)", "R [5]"},
		{"vec i < 2 -> (vec j < 2 -> i : R^2)", "R^(2, 2) [0 0 1 1]"},
		{"vec i < 2 -> ((i, [| i |]) : R * R^1)", "(R * R^1)^2 [0 0 1 1]"},
		{"vec i < 2 -> let y = i in [| y, y |]", "R^(2, 2) [0 0 1 1]"},
		{"vec i < 2 -> if i < 1 then (1, 2) else swap (1, 2)", "(R * R)^2 [1 2 2 1]"},
		{"vec i < 3 -> #i (fun x -> x + 1) 0", "R^3 [0 1 2]"},
		{"((vec i < 2 -> fun x -> x + i) : (R -> R)^2).(1) 1", "R [2]"},
		{"([sin; cos] : List (R -> R)) (fun f s -> f s) 0", "R [0.8414709848078965]"},
		{"length ([(1, [| 2 |])] : List (R * R^1))", "R [1]"},
		{"let y = (1, 2) in vec i < 2 -> y", "(R * R)^2 [1 2 1 2]"},
		{"(vec i < 2 -> (vec j < 2 -> (i, j)).(i)).(1)", "R * R [1 1]"},
		{"sum i < 2 -> (vec j < 2 -> (fun x -> x)).(i) i", "R [1]"},
		{"(#2 : (R -> R) -> R -> R) square 3", "R [81]"},
		{"(xs : (R -> R -> R) -> R -> R) (+) 0", "R [7]"},
		{"fst ((vec i < 2 -> (v, i)).(0))", "R^3 [10 20 30]"},
		{"(1, (2, 3), 4)", "R * (R * R) * R [1 2 3 4]"},
		{"1 / 0", "R [+Inf]"},
		{"log (-1)", "R [NaN]"},
		{"let x = (1, 2) in let x = fst x in x", "R [1]"},
		{"let sin = 3 in sin", "R [3]"},
	} {
		p, err := declared(before+test.expr, given{}.options(t))
		if assert.NoError(t, err, "%s", test.expr) {
			assert.Equal(t, test.want, valueText(p.variable("x")), "%s", test.expr)
		}
	}
}

func TestDataValues(t *testing.T) {
	for _, test := range []struct{ decl, want string }{
		{"data a : List R = list i < 4 -> i / 2", "List R [0 0.5 1 1.5]"},
		{"data a = list i < 2 -> vec j < 2 -> i - j", "List R^2 [0 -1 1 0]"},
		{"data a : List R = []", "List R []"},
		{"data a : List R^3 = list i < 0 -> vec j < 3 -> 1", "List R^3 []"},
		{"data a = []", "List R []"},
		{"data a : R^2 = [| 1, 2 |]", "R^2 [1 2]"},
		{"data a : List R^1 = [[| 1 |]; [| 2 |]]", "List R^1 [1 2]"},
		{"data a : List R = map sin (rev [0; 0])", "List R [0 0]"},
		{"data a : List R = fun f x -> f 1 (f 2 x)", "List R [1 2]"},
		{"data a : List R = (fun l f x -> l f (f 3 x)) [1; 2]", "List R [1 2 3]"},
		{"data a : List R = let k = 2 in list i < 2 -> k * i", "List R [0 2]"},
		{"data a : List R = if 1 < 2 then [1] else []", "List R [1]"},
		{"data b : List R = [1; 2]\ndata a : List R = b", "List R [1 2]"},
		{"def ramp = list i < 3 -> i\ndata a = ramp", "List R [0 1 2]"},
		{"def mean l = fold (+) 0 l / length l\ndata b = [1; 2; 6]\ndata a = mean b", "R [3]"},
		{"data a : R = 1", "R [1]"},
		{"data a = (1, 2)", "R * R [1 2]"},
		{"data a : List (R * R^2) = list i < 2 -> (i, [| 3, i |])", "List (R * R^2) [0 3 0 1 3 1]"},
		{"data a = list k < 2 -> vec i < 2 -> vec j < 2 -> i + j + k", "List R^(2, 2) [0 1 1 2 1 2 2 3]"},
		{"data a : R^(2, 2) = vec i < 2 -> vec j < 2 -> i - j", "R^(2, 2) [0 -1 1 0]"},
		{"data b = [[1; 2]; []; [3]]\ndata a = map (fold (+) 0) b", "List R [3 0 3]"},
		{"data b : List R * List R^2 = ([1; 2], [[| 3, 4 |]])\ndata a = map (fun x -> 2 * x) (fst b)", "List R [2 4]"},
		{"data b = [[1]; [2]]\ndata a : R = size b", "R [2]"},
	} {
		p, err := declared(test.decl, given{}.options(t))
		if assert.NoError(t, err, "%s", test.decl) {
			assert.Equal(t, test.want, valueText(p.variable("a")), "%s", test.decl)
		}
	}
}

// TestSumOrder checks that default values and programs add in the order of the language.
func TestSumOrder(t *testing.T) {
	for _, n := range []int{1, 2, 7, 8, 9, 16, 17, 100} {
		p, err := Load("t.gram", fmt.Appendf(nil, `param n = %d
data v : R^n = vec i < n -> sin (1 + i) / 3
data s = sum i < n -> v.(i) * v.(i)
data d = dot v v
(s, d, (matvec [| v |] v).(0), sum i < n -> v.(i) * v.(i))`, n), given{}.options(t))
		require.NoError(t, err)
		v := p.variable("v").Data
		want := term.Sum(n, func(i int) float64 { return v[i] * v[i] }, func(a, b float64) float64 { return a + b })
		for _, got := range denote.Eval(p.Term(), nil, nil) {
			assert.Equal(t, want, got.V, "%d summands", n)
		}
	}
}

func TestPrograms(t *testing.T) {
	p, err := declared(`param n = 20
param k = 4
input E : R^k^k = vec i < k -> vec j < k -> 0.1 * sin (1 + i*k + j)
data a : List R^k = list t < n -> vec j < k -> sin ((n - 1 - t)*k + j)
data b : List R = list i < n -> sin (n - 1 - i)
input q : (R * R^2)^2 = vec i < 2 -> (i, [| 1, 2 |])
`, given{params: []string{"n=1e1"}}.options(t))
	require.NoError(t, err)
	e := p.Inputs[0]
	assert.Equal(t, "R^(4, 4)", e.Shape.String())
	for i := range 4 {
		for j := range 4 {
			assert.Equal(t, 0.1*elementary.Sin(float64(1+i*4+j)), e.Values[4*i+j])
		}
	}
	a := p.Data[0]
	assert.Equal(t, 10, a.Value.Rows)
	for i := range 10 {
		for j := range 4 {
			assert.Equal(t, elementary.Sin(float64((9-i)*4+j)), a.Value.Data[4*i+j])
		}
	}
	assert.Equal(t, []float64{0, 1, 2, 1, 1, 2}, p.Inputs[1].Values)
	assert.Equal(t, []elaborate.Param{{Name: "n", Value: 10}, {Name: "k", Value: 4}}, p.Params)
}

// TestDefaultErrors holds the messages about wrong values of params, inputs and data.
func TestDefaultErrors(t *testing.T) {
	opt := given{files: files{
		"w.csv": "date,temp,wind\n2012,1.5,x\n", "dup.csv": "a,b,a\n1,2,3\n", "header.csv": "\n", "numbers.csv": "1,2\n",
	}}.options(t)
	goldens(t, "defaults.txt", func(src string) string {
		_, err := declared(strings.TrimSuffix(src, "\n"), opt)
		if err == nil {
			return "no error"
		}
		var list *syntax.Errors
		require.ErrorAs(t, err, &list)
		return err.Error()
	})
}
