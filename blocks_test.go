package gram_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// straightLine are programs of λs of straight-line arithmetic.
var straightLine = []struct{ name, src string }{
	{"a product added to a sigmoid, whose slope is taken from its value", `input w = 0.3
input a = 0.7
iter #3 (fun h -> sigmoid (w * h) + a * h) 0.5`},
	{"a product added to an exponential, in a fold", `input w = 0.3
input a = 0.7
data xs : List R = list i < 20 -> 0.1 * i
fold (fun x h -> exp (-(w * h)) + a * x) 0.5 xs`},
	{"many products added to a sigmoid", `input w = 0.3
input b = 2
iter #5 (fun h -> sigmoid h + w * h + b * w + h * b) w`},
	{"a sine and a cosine of one number", `input w = 0.3
input a = 0.7
data xs : List R = list i < 20 -> 0.1 * i
fold (fun x h -> sin (w * h) + a * x + cos (w * h) * x) 0.5 xs`},
	{"an input that is met before a parameter, between two functions", `input w = 0.3
data xs = [1; 2; 3]
xs (fun a -> let b = 0.75 + w * a in fun s -> b * s + w) w`},
	{"and one whose second parameter is not used", `input w = 0.3
data xs = [1; 2; 3]
xs (fun a -> let b = 0.75 + w in fun s -> b) 0.75`},
	{"components that swap places", `input w = 0.3
input v = 1.1
let (p, q) = iter #7 (fun (x, y) -> (y, x)) (w, v) in p * p * q`},
	{"a vector that rotates: the duals reached differ from run to run", `input w : R^3 = [| 0.1, 0.2, 0.3 |]
let u = iter #8 (fun (v : R^3) -> [| v.(1), v.(2), v.(0) * w.(1) |]) w in u.(0)`},
	{"a component that nothing but the last runs reach", `input w = 0.5
input u = 2
let (a, (b, (c, d))) = iter #3 (fun (a, (b, (c, d))) -> (w * a, (a, (b, c)))) (w, (1, (u, 2))) in d`},
	{"a component of the state that nothing reads", `input w = 0.3
input v = 1.1
let (p, q) = iter #7 (fun (x, y) -> (x * w, y * v)) (w, 1) in p`},
	{"a numeral as a component of the state", `input w = 0.3
let (p, q) = iter #5 (fun (x, y) -> (3, y * w)) (w, 1) in p`},
	{"a step that ignores its argument", `input w = 0.3
iter #5 (fun x -> w) 4`},
	{"no run", `input w = 0.3
input v : R^2 = [| 1, 2 |]
let (p, q) = iter #0 (fun (x, y) -> (x * w, y * v.(1))) (w, v.(0)) in p * q`},
	{"one run", `input w = 0.3
input v : R^2 = [| 1, 2 |]
let (p, q) = iter #1 (fun (x, y) -> (x * w, y * v.(1))) (w, v.(0)) in p * q`},
	{"no element", `input w = 0.3
data xs : List R = list i < 0 -> 0
fold (fun x h -> x * w + h) (w * w) xs`},
	{"an element as a component of the state", `input w = 2
data xs : List R = [2; 3; 4]
let (a, b) = fold (fun x (h, g) -> (x, h * w + g)) (w, w) xs in a * b`},
	{"elements that are vectors", `input w : R^2 = [| 0.3, 0.4 |]
data xs : List R^2 = [[| 1, 2 |]; [| 3, 4 |]]
fold (fun x h -> sigmoid (dot w x + h * w.(0))) 0 xs`},
	{"a whole element as the state", `input w = 0.5
data xs : List R^2 = [[| 1, 2 |]; [| 3, 4 |]]
let v = fold (fun x (h : R^2) -> x) [| w, w |] xs in v.(0) * v.(1) * w`},
	{"a captured number as a component of the state", `input w = 0.3
let (u, h) = iter #4 (fun (u, h) -> (w, u + h)) (w, 1) in u * h`},
	{"a vector that is returned unchanged", `input w : R^3 = [| 0.3, 0.2, -1 |]
let (u, h) = iter #4 (fun (u, h) -> (u, h * 2)) (w, 1) in u.(1) * h`},
	{"a loop in a fold", `input w = 0.3
data xs : List R = list i < 5 -> 0.1 * i
fold (fun x h -> iter #3 (fun g -> sin (g * w + x * h)) h) 0.5 xs`},
	{"a list of pairs", `input w = 0.3
input v = 0.4
fold (fun (x, y) h -> x * h + y * v) w [(w, v); (v, 1); (2, w)]`},
	{"an input of product type", `input q : R * R^2 = (0.3, [| 0.2, 0.7 |])
let (a, b) = q in iter #3 (fun h -> h * a + b.(1) * b.(0)) a`},
	{"a Jacobian", `input w : R^3 = [| 0.3, 0.2, -1 |]
iter #4 (fun (v : R^3) -> [| v.(0) * v.(1), sin v.(2), v.(0) + w.(2) |]) w`},
	{"a Jacobian with rows that are equal, or zero", `input w : R^3 = [| 0.3, 0.2, -1 |]
let f = fun (v : R^3) -> [| v.(0), 5, v.(0) |] in f (f w)`},
	{"two components that are equal", `input w = 0.5
let (a, b) = iter #5 (fun (x, y) -> (x * y, x * y)) (w, w) in a * b + a`},
	{"more runs than one object holds", `input w = 0.99999
input v = 0.00001
let (a, b) = iter #70001 (fun (a, b) -> (b * w + v, a)) (w, v) in a`},
	{"a partial application", `input w = 0.9
let g = fun x y z -> x * y + w * z in let h = g w 2 in h 1 + h 2`},
	{"a function that a function returns", `input w = 0.9
let g = fun x -> let u = x * x in fun y -> u * y + w in g 2 3 + g w w`},
	{"a chain of functions longer than a block", "input w = 0.3\n" + chain(12) + strings.Repeat(" w", 12)},
	{"the end of a chain", "input w = 0.3\nlet g = " + chain(12) + strings.Repeat(" w", 9) + " in g w 1 w + g 1 2 3"},
	{"values that are no numbers", `input w = -0.3
iter #3 (fun h -> log h * w) w`},
	{"all sorts of symbols", `input w = 0.9
input v = 0.4
iter #6 (fun h -> pow h w / (1 + exp (-(h * v))) + max h v * min w h - tan (h * 0.1) + sqrt (h + 2) + atan h + abs h + relu h + sign h + step h) 0.3`},
}

// chain is a function of n arguments, one at a time: each λ computes something and returns
// the next.
func chain(n int) string {
	var f strings.Builder
	last := "w"
	for i := range n {
		fmt.Fprintf(&f, "fun x%d -> let y%d = sin x%d + %s in ", i, i, i, last)
		last = fmt.Sprintf("y%d", i)
	}
	return "(" + f.String() + last + ")"
}

// TestBlocksAgree: fused or literal, in any mode, a program has the same value and
// derivatives; fused or literal it takes the same steps.
func TestBlocksAgree(t *testing.T) {
	ctx := context.Background()
	for _, p := range straightLine {
		t.Run(p.name, func(t *testing.T) {
			t.Parallel()
			p := load(t, p.src)
			want, err := p.Gradient(ctx, gram.EvalOptions{NoFuse: true})
			require.NoError(t, err)
			for _, opt := range []gram.EvalOptions{{}, {Schedule: gram.Random, Seed: 1}, {Mode: gram.Forward}, {Mode: gram.Tape}} {
				got, err := p.Gradient(ctx, opt)
				require.NoError(t, err)
				requireClose(t, want.Values, got.Values, 1e-12)
				requireClose(t, want.Jacobian, got.Jacobian, 1e-9)
				if opt.Mode == gram.Reverse {
					requireClose(t, want.Values, got.Values, 0)
					require.Equal(t, want.Cost.Steps, got.Cost.Steps)
				}
			}
		})
	}
}

// TestBlocksKeepTuplesWhole: a λ that passes a large tuple on without opening it makes no
// copy of it, fused or not.
func TestBlocksKeepTuplesWhole(t *testing.T) {
	ctx := context.Background()
	doubled := "(x, x)"
	for range 20 {
		doubled = "let x = " + doubled + " in (x, x)"
	}
	for name, src := range map[string]string{
		"a state": `
input w : R^1000 = vec i < 1000 -> i
let (v, h) = iter #100 (fun (v, h) -> (v, h + 1)) (w, 0) in v.(1) * h`,
		"a call": `
input w : R^1000 = vec i < 1000 -> i
let f = fun (v : R^1000) x -> (v, x + 1) in
let (v, h) = fold (fun y (v, h) -> if h < 0 then (v, h) else f v h) (w, 1) (list i < 100 -> i) in v.(1) * h`,
		"a tree of pairs, all shared": strings.ReplaceAll("input w = 2\nlet (p, q) = (fun x -> doubled) w in w", "doubled", doubled),
	} {
		t.Run(name, func(t *testing.T) {
			p := load(t, src)
			fused, err := p.Gradient(ctx, gram.EvalOptions{})
			require.NoError(t, err)
			literal, err := p.Gradient(ctx, gram.EvalOptions{NoFuse: true})
			require.NoError(t, err)
			require.Equal(t, literal.Cost.Steps, fused.Cost.Steps)
			require.LessOrEqual(t, fused.Cost.Nodes.Allocated, literal.Cost.Nodes.Allocated)
		})
	}
}
