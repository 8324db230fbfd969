package exec_test

import (
	"testing"

	"github.com/gram-machine/gram"
)

var recursivePrograms = map[string]string{
	"mutual recursion, passed on": `let rec even (k : R) (x : R) : R = if k < 1 then x else odd (k - 1) (x * e)
and odd (k : R) (x : R) : R = if k < 1 then 0 - x else twice even (k - 1) x
and twice (f : R -> R -> R) (k : R) : R -> R = fun x -> f k (x + r) in
even 9 e + odd 12 r`,
	"a recursion through a fold": `let rec f (k : R) : R = if k < 1 then e * r else fold (fun y s -> y * f (k - 1) + s) r (list i < 3 -> i + e) in f 4`,
	"five parameters":            `let rec f (k : R) (a : R) (b : R) (c : R) (d : R) : R = if k < 1 then a * b + c * d else f (k - 1) (b * e) c d (sin a) in f 20 e r e r`,
	"pairs and vectors": `let rec f (k : R) (p : R * (R * R)) (v : R^3) : R * R^3 =
  let (a, q) = p in let (b, c) = q in let [| x, y, z |] = v in
  if k < 1 then (a * x + b * y + c * z, v) else f (k - 1) (b, (c * e, a)) [| y, z + r, x * e |] in
let (s, v) = f 9 (e, (r, e)) [| r, e, r |] in let [| x, y, z |] = v in s + x * y + z`,
	"a call behind a conditional": `let rec f (k : R) (x : R) : R = let y = if x < r then x * e else x + r in if k < 1 then y else let z = f (k - 1) y in if z < y then z * y else f (k - 2) z in f 8 e`,
	"a call that is not used":     `let rec f (k : R) (x : R) : R = let y = sin (x + k) in if k < 1 then y else let z = f (k - 1) y in let u = f (k - 2) z in y * e in f 6 r`,
	"three calls, one behind the other": `let rec f (k : R) (x : R) : R * R = let p = (x * e, k) in if k < 1 then p else
  let (a, b) = f (k - 1) x in let (c, d) = f (k - 2) (a + r) in let (g, h) = f (k - 3) b in (a * c + g, d + h * e) in
let (u, v) = f 6 e in u + v * r`,
	"paths that call nothing behind two matches": `let rec ones (k : R) : fs = if k < 1 then Nil else Cons ((fun x -> x * k + e), ones (k - 1)) in
let rec all (s : fs) (x : R) : R = match s with Nil -> sin x | Cons (f, rest) ->
  (match rest with Nil -> f x | Cons (g, q) -> if x < r then x * e else all q (g x) * all rest (f x * e) + all q (x * e)) in all (ones 4) e`,
	"a stream of functions": `let rec ones (k : R) : fs = if k < 1 then Nil else Cons ((fun x -> x * k + e), ones (k - 1)) in
let rec all (s : fs) (x : R) : R = match s with Nil -> x | Cons (f, rest) -> all rest (f x * r) in all (ones 7) e`,
}

// TestRecursion: recursive functions that call one another, in pairs, through folds, and on streams of functions have the values, gradients and
// steps of the literal machine.
func TestRecursion(t *testing.T) {
	for name, body := range recursivePrograms {
		t.Run(name, func(t *testing.T) {
			compare(t, name, []byte("type fs = Nil | Cons of (R -> R) * fs\ninput e = 0.75\ninput r = -0.5\n"+body), gram.Options{})
		})
	}
}

// TestElementOfItsOwn: in strips of rows, a row that takes an element by its own index has that of its row.
func TestElementOfItsOwn(t *testing.T) {
	src := "param k = 9\ninput Z : R^k^k = vec i < k -> vec j < k -> sin (i + 3*j)\n" +
		"data x : R^k = vec j < k -> if j < 4 then 8 - j else j\n" +
		"sum i < k -> i * (let v = vec j < k -> (sum l < k -> Z.(l).(j) * (let w = vec r < k -> same x.(i) r in w.(l))) in v.(i))\n"
	compare(t, "element", []byte(src), gram.Options{})
}
