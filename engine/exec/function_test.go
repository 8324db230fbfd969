package exec_test

import (
	"errors"
	"maps"
	"os"
	"strings"
	"testing"

	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
	"github.com/stretchr/testify/require"
)

const trees = "type tree = Leaf of R | Node of tree * tree\n" +
	"def rec build n y = if n <= 0 then Leaf y else Node (build (n - 1) (y * 0.9), build (n - 1) (y * 1.1))\n"

// functions are programs with recursive functions.
var functions = map[string]string{
	"tree":          trees + "def rec total t = match t with | Leaf y -> y | Node (l, r) -> total l + total r\ntotal (build 9 e)",
	"mapped":        trees + "def rec map f t = match t with | Leaf y -> Leaf (f y) | Node (l, r) -> Node (map f l, map f r)\ndef rec total t = match t with | Leaf y -> y | Node (l, r) -> total l + sin (total r)\ntotal (map (fun y -> exp (y * r)) (build 7 e))",
	"symbols":       trees + "def rec total t = match t with | Leaf y -> log y + sqrt y - tanh (y / r) | Node (l, r) -> let a = total l in let b = total r in a / b + abs (a - b) + sigmoid (max a b) + pow (abs a + 1) e + atan (min a b)\ntotal (build 6 e)",
	"declared":      "def rec f n x = if n <= 0 then x else f (n - 1) (softplus x + relu (x - n / 100)) * e\ndef softplus x = log (1 + exp x)\ndef relu x = max x 0\nf 50 r",
	"tail":          "def rec f n (a, b) = if n <= 0 then a * b else f (n - 1) (b, sin (a + b * e))\nf 1000 (r, e)",
	"mutual":        "def rec even n x = if n <= 0 then x else odd (n - 1) (x * e + r)\nand odd n x = if n <= 0 then -x else even (n - 1) (sin x)\neven 301 e",
	"deep":          "def rec f n x = if n <= 0 then x else sin (f (n - 1) (x * e)) + r / 1000\nf 20000 e",
	"closures":      "type fs = Nil | Cons of (R -> R) * fs\ndef rec make n = if n <= 0 then Nil else Cons ((fun x -> x * e + n), make (n - 1))\ndef rec run s x = match s with | Nil -> x | Cons (f, q) -> run q (sin (f x))\nrun (make 50) r",
	"partial":       "type fs = Nil | Cons of (R -> R -> R) * fs\ndef rec add n x y = if n <= 0 then x * y else x + y * n\ndef rec make n = if n <= 0 then Nil else Cons (add n, make (n - 1))\ndef rec run s x = match s with | Nil -> x | Cons (f, q) -> let g = f (x * r) in run q (g x + sin (g e))\nrun (make 20) r",
	"captured":      "def rec f n x = if n <= 0 then x else let k = fun y -> y * x + n * e in k (f (n - 1) (k r / 10)) / 10\nf 20 e",
	"passed on":     "def rec f n k = if n <= 0 then k e else f (n - 1) (fun y -> k (sin (y * r)))\nf 40 (fun y -> y * e)",
	"vectors":       "def rec f n (v : R^4) = if n <= 0 then sum v else f (n - 1) (vec i < 4 -> sin (v.(i) * e + v.(3 - i) * r))\nf 60 [| e, r, 1, 2 |]",
	"long vectors":  "def rec f n (v : R^300) = if n <= 0 then sum v else f (n - 1) (vec i < 300 -> sin (v.(i) * e + v.(299 - i) * r))\nf 30 (vec i < 300 -> i * e)",
	"loops":         "def rec f n x = if n <= 0 then x else f (n - 1) (iter #200 (fun y -> sin (y * e + r)) x) + sum i < 9 -> x * i\nf 20 e",
	"folds":         "data l : List R = [0.1; 0.5; 0.2; 0.9; 0.3]\ndef rec f n x = if n <= 0 then x else fold (fun a s -> if a > 0.3 then s * e + a else s - r * a) (f (n - 1) (x * e)) l\nf 30 e",
	"data":          "data w : R^20 = vec i < 20 -> cos i\ninput p : R^20 = vec i < 20 -> sin i\ndef rec f n x = if n < 1 then x else f (n - 1) (x * w.(3) + p.(7) * e + p.(2) * w.(1) + (sum i < 20 -> p.(i) * w.(i) * x))\nf 30 e",
	"rows":          "data w : R^3^8 = vec i < 8 -> vec j < 3 -> cos (i + j)\ntype q = End | More of R^3 * q\ndef rec g n (v : R^3) = if n <= 0 then End else More (v, g (n - 1) (vec i < 3 -> v.(i) * e + w.(2).(i)))\ndef rec s q = match q with | End -> 0 | More (v, q) -> v.(0) * v.(2) + s q\ns (g 30 w.(4))",
	"matrices":      "def rec f n (m : R^3^3) = if n <= 0 then (sum i < 3 -> m.(i).(2 - i)) else f (n - 1) (vec i < 3 -> vec j < 3 -> (sum k < 3 -> m.(i).(k) * m.(k).(j)) / 4 + e * r)\nf 12 (vec i < 3 -> vec j < 3 -> sin (i + j * e))",
	"maxima":        "def rec f n (v : R^6) = if n <= 0 then maximum v else f (n - 1) (vec i < 6 -> v.(5 - i) * e + maximum v / (i + 2))\nf 20 [| e, r, 1, 2, e * r, 0 |]",
	"garbage":       "type q = End | More of R * q\ndef rec g n x = if n <= 0 then End else More (x * e + n, g (n - 1) (x * r))\ndef rec s q = match q with | End -> 0 | More (v, q) -> v + s q\ndef rec f n x = if n <= 0 then x else f (n - 1) (sin (s (g 40 x)))\nf 400 e",
	"numerals":      "def rec f n x y = if n <= 0 then x + y else f (n - 1) (2 * 3 + y * 0) (if n > 5 then x else y * e)\nf 20 1 r",
	"unreached":     trees + "def rec first t = match t with | Leaf y -> y | Node (l, r) -> first l\nfirst (build 8 e) + 0 * r",
	"a list":        "def rec f n x = if n <= 0 then x else f (n - 1) (fold (fun a s -> s + sin (a * x)) 0 (list i < 7 -> i * e)) / 3 + r\nf 12 e",
	"outputs":       trees + "def rec total t = match t with | Leaf y -> (y, 1) | Node (l, r) -> (let (a, n) = total l in let (b, m) = total r in (a + b * e, n + m))\nlet (a, b) = total (build 7 e) in [| a, b, a * r |]",
	"five at once":  "def rec f k a b c d = if k < 1 then a * b + c * d else f (k - 1) (b * e) c d (sin a)\nf 200 e r e r",
	"in a fold":     trees + "def rec total t = match t with | Leaf y -> y | Node (l, r) -> total l + total r\nfold (fun a s -> s + total (build 5 (a * e))) 0 (list i < 20 -> i * r)",
	"result a tree": trees + "build 5 (e * r)",
}

func runFunctions(t *testing.T, src string, gradient, native bool, b limits.Bounds) *attempt {
	l, err := lang.Load("t.gram", []byte("input e = 0.75\ninput r = -0.5\n"+src), lang.Options{})
	require.NoError(t, err)
	return attemptOf(t, l, gradient, native, b)
}

// TestFunctions: recursive functions as machine code have the values, gradients and steps of the interpreter.
func TestFunctions(t *testing.T) {
	all := maps.Clone(functions)
	for name, body := range recursivePrograms {
		all[name] = "type fs = Nil | Cons of (R -> R) * fs\n" + body
	}
	for name, src := range all {
		t.Run(name, func(t *testing.T) {
			for _, gradient := range []bool{false, true} {
				if gradient && name == "result a tree" {
					continue
				}
				want := runFunctions(t, src, gradient, false, limits.Bounds{})
				got := runFunctions(t, src, gradient, true, limits.Bounds{})
				for range 3 {
					require.NoError(t, want.run())
					require.NoError(t, got.run())
					got.same(t, want, 1e-12)
					require.Positive(t, got.m.Functions())
				}
				require.NoError(t, got.m.Close())
			}
		})
	}
}

// TestFunctionsEnd: limits and a run that ends from outside hold in machine code of functions, and leave a machine that
// can be used.
func TestFunctionsEnd(t *testing.T) {
	spin := "def rec f n x = if n <= 0 then x else f (n - 1) (x * e + 1)\nf 3000000 e"
	grow := trees + "def rec total t = match t with | Leaf y -> y | Node (l, r) -> total l + total r\ntotal (build 16 e)"
	stop := errors.New("enough")
	looks := 0
	for name, c := range map[string]struct {
		src    string
		bounds limits.Bounds
	}{
		"nodes":  {grow, limits.Bounds{MaxNodes: 100_000}},
		"memory": {grow, limits.Bounds{Reserve: func(bytes int64) error { return stop }}},
		"look": {spin, limits.Bounds{Look: func() error {
			if looks++; looks > 20 {
				return stop
			}
			return nil
		}}},
	} {
		for _, gradient := range []bool{false, true} {
			t.Run(name, func(t *testing.T) {
				got := runFunctions(t, c.src, gradient, true, c.bounds)
				for range 2 {
					looks = 0
					var reached *limits.ReachedError
					require.ErrorAs(t, got.run(), &reached)
					require.Positive(t, got.m.Functions())
				}
			})
		}
	}
}

// TestFunctionsDeep: where machine code of functions nests too deep, or needs more memory than it has, the interpreter
// takes the place of it.
func TestFunctionsDeep(t *testing.T) {
	wide := "def rec f n a b c d = if n <= 0 then a * b + c * d else let (p, q) = f (n - 1) b c d (sin a) in (p + a * q / 1000, q)\n"
	for name, src := range map[string]string{
		"deep":   "def rec f n x = if n <= 0 then x else sin (f (n - 1) (x * e)) + r / 1000\nf 400000 e",
		"deeper": "def rec f n x = if n <= 0 then x else sin (f (n - 1) (x * e)) + r / 1000\nf 1200000 e",
		"wide":   strings.Replace(wide, "a * b + c * d", "(a * b, c * d)", 1) + "let (p, q) = f 300000 e r e r in p + q",
		"list":   "type q = End | More of R * q\ndef rec g n x = if n <= 0 then End else More (x, g (n - 1) (x * r))\ndef rec s q = match q with | End -> 0 | More (v, q) -> v + s q\ns (g 300000 e)",
	} {
		t.Run(name, func(t *testing.T) {
			if testing.Short() || name != "deep" && os.Getenv("FULL_SIZE") == "" {
				t.Skip("FULL_SIZE=1 runs it")
			}
			for _, gradient := range []bool{false, true} {
				want := runFunctions(t, src, gradient, false, limits.Bounds{})
				got := runFunctions(t, src, gradient, true, limits.Bounds{})
				require.NoError(t, want.run())
				require.NoError(t, got.run())
				got.same(t, want, 0)
			}
		})
	}
}

// TestFunctionsWithout: a run that needs more memory than machine code of functions has is made without.
func TestFunctionsWithout(t *testing.T) {
	for _, name := range []string{"tree", "deep", "tail", "garbage", "mapped", "closures", "in a fold"} {
		for bits := 8; bits < 18; bits++ {
			for _, gradient := range []bool{false, true} {
				want := runFunctions(t, functions[name], gradient, false, limits.Bounds{})
				got := runFunctions(t, functions[name], gradient, true, limits.Bounds{})
				got.m.SetScarce(bits)
				for range 2 {
					require.NoError(t, want.run())
					require.NoError(t, got.run())
					got.same(t, want, 1e-12)
				}
			}
		}
	}
}
