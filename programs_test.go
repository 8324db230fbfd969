package gram

import (
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/rule"
)

// worked is a program, with its value and its gradient if one computes them by hand.
type worked struct {
	src             string
	value, gradient []float64
}

// at2 is a program with the input x = 2.
func at2(src string, value, gradient float64) worked {
	return worked{"input x = 2\n" + src + "\n", []float64{value}, []float64{gradient}}
}

const (
	cube     = "symbol cube x = x ^ 3 with 3 * x * x\n"
	area     = "symbol area x y = let s = x + y in s * s / 2 with x + y, x + y\n"
	hull     = "symbol hull x y z = x * y + z with y, x, 1\n"
	variants = "type tree = Leaf of R | Node of tree * tree\n" +
		"def rec product t = match t with | Leaf y -> y | Node (l, r) -> product l * product r\n" +
		"def rec scale x t = match t with | Leaf y -> Leaf (x * y) | Node (l, r) -> Node (scale x l, scale x r)\n"
	pairInput = "input x : R^2 = [| 1, 2 |]\n"
	mixture   = "param n = 150\ninput mu : R^5^3 = vec c < 3 -> vec i < 5 -> sin (c + i)\n" +
		"input l : R^5^5^3 = vec c < 3 -> vec i < 5 -> vec j < 5 -> cos (c + 2 * i - j)\n" +
		"data x : List R^5 = list p < n -> vec i < 5 -> cos (p + i)\n" +
		"let part = fun (z : R^5) (m : R^5^5) -> let r = matvec m z in sum i < 5 -> r.(i) * tanh r.(i) in\n" +
		"fold (fun p t -> t + sum c < 3 -> part ("
	nineInputs = "param n = 9\ninput x : R^n = vec i < n -> sin (i + 1)\ninput s = 0.7\n"
)

var programs = []worked{
	// A number outside of the loops of a vector statement that has an adjoint in some of its runs.
	{`param n = 16
input x = 0.7
let s = scan j < 5 with q = (vec a < n -> if a > 7 then x * a else 1) -> vec i < n -> if i > 4 then q.(i) else q.(j + 4) * q.(3) in
s.(4).(3)`, nil, nil},
	// Two components that change places, in passes of a sort, and a third of their sum.
	{`param n = 16
input v : R^n = vec a < n -> sin (7 * a)
let s = scan p < 3 with q = v -> (scan j < n - 1 with q = q ->
  if q.(j) > q.(j + 1) then vec k < n -> if k = j then q.(j + 1) else if k = j + 1 then q.(j) else q.(k) else q).(n - 2) in
(sum i < n -> i * s.(2).(i)) + (let t = scan j < 5 with q = v ->
  vec k < n -> if k = j then q.(j + 2) * q.(k) else if k = 3 then q.(j) + q.(k) else q.(k) in sum t.(4) * t.(4).(3))`, nil, nil},
	// A component that changes, in a function, and one that is read before it changes.
	{`param n = 16
input v : R^n = vec a < n -> cos a
input w = 0.3
type tree = Leaf of R | Node of tree * tree
let rec make (k : R) (x : R) : tree = if k < 1 then Leaf x else Node (make (k - 1) (x * w), make (k - 1) (sin x)) in
let rec total (t : tree) : R = match t with
  | Leaf x ->
    let s = scan j < 5 with q = v -> (let a = q.(j) in vec i < n -> if i = n - 1 - j then a * x + q.(i) else if i = j then x else q.(i)) in
    sum i < n -> s.(4).(i) * x
  | Node (a, b) -> total a + cos (total b) in
total (make 3 0.5) + (let s = scan j < 9 with q = v -> let old = q.(j) in let u = vec i < n -> if i = j then w * q.(j + 1) else q.(i) in
  vec i < n -> if i = j + 1 then old * u.(j) + (sum k < n -> old * u.(k)) else u.(i) in sum s.(8))`, nil, nil},
	// Slices whose ends go on with an index together, also over the end of data where they are not reached.
	{`param n = 20
data x : R^(n + 4) = vec i < n + 4 -> sin (0.1 * i)
input h : R^4 = vec k < 4 -> 0.1 * cos k
(sum i < n -> (dot h x.(i..i + 4) - x.(i))^2) + (sum i < n - 4 -> dot x.(i..i+4) x.(i + 3..i + 7)) + (sum j < 5 -> sum x.(j..2*j + 1)) +
  (fold (fun v s -> s + dot v h) 0 (list i < 9 -> x.(i..i + 4))) + (let s = scan i < 9 with p = h.(0) -> p + dot h x.(i..i + 4) in s.(8))`, nil, nil},
	{`data x : R^9 = vec i < 9 -> sin (0.1 * i)
input h = 1
h * (sum k < 3 -> sum i < 5 -> if i > 0 then sum x.(i - 1..i + 1) else 0)`, nil, nil},
	// Data that is a matrix is read where it lies, also where no index selects its first row, or it is read as a whole.
	{`param n = 12
data s : R^(n, n) = vec i < n -> vec j < n -> sin (i * n + j)
data t : R^(3, n, 2) = vec i < 3 -> vec j < n -> vec k < 2 -> cos (i + j + k)
input x = 3
(sum i < n -> sum j < i -> if s.(i, j) > 0 then s.(i, j) * x else x) + sum (matvec s (vec j < n -> x * j)) + x * t.(1).(4).(1) +
  (sum i < n -> sum j < n - i -> t.(2, j, 0) * s.(i + j, j) * x)`, nil, nil},
	// Of a scan of vectors that has a name only the last state is used, or all; there are scans in it, and in a comprehension.
	{`param n = 11
input x : R^n = vec i < n -> 1 + 0.1 * i
let s = scan k < n with b = x -> vec i < n -> if i > k then b.(i) - b.(k) * 0.1 else b.(i) in
let t = scan k < n with b = s.(n - 1) -> let r = scan i < n with c = b -> vec j < n -> if j = i then c.(j) / x.(k) else c.(j) in r.(n - 1) in
let u = vec m < 6 -> let v = scan k < n with b = x -> vec i < n -> b.(i) * sin (m * b.(k)) in sum v.(n - 1) * v.(m).(2) in
sum t.(n - 1) * t.(3).(4) + sum u`, nil, nil},
	// Short triangles have code for each component, also where what is around them is a loop of few iterations.
	{`param n = 70
input a : R^(5, 5) = vec i < 5 -> vec j < 5 -> sin (1 + i + 2 * j)
input z : R^(n, 5) = vec k < n -> vec j < 5 -> cos (k * j)
let below = fun (v : R^5) -> vec i < 5 -> v.(i) - (sum j < i -> a.(i, j) * v.(j)) in
(sum k < n -> let b = below z.(k) in exp (b.(4) * b.(1)) + sum i < 5 -> sum j < i + 1 -> a.(j, i) * b.(i)) +
  (sum k < 7 -> sum i < 3 -> sum j < 2 -> sum m < 2 * i -> a.(i, j) * z.(k, m))`, nil, nil},
	// Indices of comprehensions as arguments of defs that select components, and give sizes.
	{`param n = 4
input x : R^(n, n) = vec i < n -> vec j < n -> sin (i + 2 * j)
def at i j = x.(i, j)
def row i = sum k < i + 1 -> x.(i, k) * k
def next i j = at (i + 1) j + i
(sum i < n -> sum j < n -> at i j * i) + (sum i < n -> row i) + (sum i < n - 1 -> next i (n - 1 - i)) + (fold (fun z s -> s + z) 0 (list i < n -> at i 2)) +
  (let s = scan i < n with p = 0 -> p + at i i in s.(3))`, nil, nil},
	// A literal list folded into a function of matrices, in a loop.
	{`input a = 1.3
input b = 0.2
data ts : List R = list i < 30 -> 0.01 * i
def mul (A : R^(2, 2)) (B : R^(2, 2)) = vec i < 2 -> vec j < 2 -> sum k < 2 -> A.(i, k) * B.(k, j)
def f x = let X = [| [|x, 0.1|], [|0.2, -x|] |] in let S = foldl (fun S k -> 1 + mul X S / k) X [4;3;2;1] in S.(0,1)
foldl (fun s t -> s + (f (a * t + b) - sin t)^2) 0 ts`, nil, nil},
	// A convolution, and vectors that data selects of which a component is not read.
	{`param n = 9
input p : R^(4, 4) = vec a < 4 -> vec b < 4 -> sin (a + 2 * b)
input s : R^(n + 3, n + 3) = vec i < n + 3 -> vec j < n + 3 -> cos (i * j)
sum i < n -> sum j < n -> sqrt (1 + (sum a < 4 -> sum b < 4 -> p.(a, b) * s.(i + a, j + b))^2)`, nil, nil},
	{`input points : R^(7, 3) = vec i < 7 -> vec j < 3 -> sin (i + 2 * j)
data l : List (R * R * R) = list i < 40 -> (floor (i / 6), 6 - floor (i / 7), i / 40)
foldl (fun s (f, t, w) -> let [| x, _, o |] = pick points f in let [| x', y', _ |] = pick points t in s + (x' - x) * sin (o + w) * cos (o + w) * y') 0 l`, nil, nil},
	// Lists of different lengths in literals and data are parts of tables.
	{`param n = 5
data xs : (List R^2)^n = [| [[| 1, 2 |]; [| 2, 0.5 |]; [| 0, 3 |]; [| 1, 1 |]; [| 2, 2 |]; [| 0.1, 4 |]], [], [[| 4, 1 |]], [[| 3, 3 |]; [| 2, 1 |]; [| 0, 1 |]; [| 0.5, 1 |]],
  [[| 7, -2 |]; [| 1, 1 |]; [| 3, -1 |]] |]
input e : R^n = vec p < n -> 0.2 * sin p
input a = 0.5
sum p < n -> foldl (fun s [| x, y |] -> if y > 1 then s * a + e.(p) else sin (s * e.(p) + x * y)) a xs.(p)`, nil, nil},
	{`data xs : List (R^2 * List R) = [([| 1, 2 |], [0.1; 2; 3; 4; 5; 6]); ([| 2, 1 |], []); ([| 0, 1 |], [1; 1; 2; 4; 3; -1; 0.5]); ([| 3, 4 |], [7; 8])]
input a = 0.5
fold (fun (w, ys) s -> s * a + (sum i < 2 -> w.(i) * a) + fold (fun y t -> tanh (t + y * a)) s ys) 0 xs`, nil, nil},
	{`data xs : List (List (List R)) = [[[1; 2]; []; [3; 0.1; 2; 5]]; []; [[4; 5; 6; 7; 8; 9]; [2]]; [[0.3; 0.4]; [1; 2; 3]; []; [4]]]
input a = 0.5
def rec go (n : R) (l : List (List R)) = if n > 0 then go (n - 1) l else fold (fun m t -> fold (fun x u -> u * a + x) t m) n l
fold (fun l s -> cos (s * go 2 l)) a xs`, nil, nil},
	{`data xs : List (List R)^3 = [[| [1; 2], [], [3; 0.1; 2] |]; [| [4; 5; 6; 7; 8; 9], [2], [] |]; [| [0.3; 0.4; 3], [1; 2], [4; 4; 4; 1] |]; [| [], [8; 9], [-1] |]]
input a = 0.5
let h = fun (l : List R) -> fold (fun x s -> s * a + x) 1 (map (fun x -> x * a) l) in
fold (fun v s -> s + (sum j < 3 -> h v.(j)) + length (filter (fun x -> x - a) v.(2))) 0 xs + fold (fun v s -> s + h v.(1)) 0 xs`, nil, nil},
	{`param n = 5
input a = 0.5
let xs : List (R * List R) = [(1, [2; 3; 4; 5; 6; 7]); (a, [1; 2; 3; 4; 5]); (0.1, []); (2, [1; a; 3; 4; 5; 6; 7])] in
let vs : (R * List R)^n = [| (1, [2; 3; 4; 5; 6; 7]), (2, [1; 2; 3; 4; 5]), (0.1, []), (2, [1; 0.7; 3; 4; 5; 6; 7]), (1, [1]) |] in
let part = vec p < n -> (let (w, l) = vs.(p) in w * fold (fun x s -> s * a + x) a l) in
sum (part * part) + fold (fun (w, l) s -> w * fold (fun x s -> s + x * a) s l) 1 xs + (let (w, l) = if a > 1 then vs.(1) else vs.(3) in w)`, nil, nil},
	{`data bonds : List (R * R * List (R * R)) = [(1, 2, [(0, 1); (2, 3); (1, 4); (1, 1)]); (0, 3, []); (3, 1, [(1, 5); (2, 5); (0, 9)])]
input spread : R^4 = [| 0.1, 0.3, 0.6, 0.9 |]
input a : R^3 = [| 1, 2, 4 |]
fold (fun (c, y, l) s -> s * pick spread c + fold (fun (k, v) t -> t + sin (pick a k * v)) y l) 0 bonds`, nil, nil},
	// What loops in branches reach of the iteration around them, where no input has an adjoint.
	{`param n = 7
input A : R^n = vec j < n -> sin (1 + j)
let s = vec j < n -> 1 - 2 * sin (3 * j) in
sum j < n -> if A.(j) <= 0.2 then 0.5 + (let s = vec i < n -> 0.1 * i - s.(j) in
  sum j < n -> if A.(j) <= 0.2 then 0.5 + (let s = vec i < n -> 0.1 * i - s.(j) in 1) else s.(j)) else s.(j)`, nil, nil},
	// Folds that make functions: each has the next one in one place, in a function that is applied twice, or behind what
	// takes the element apart.
	{`param n = 30
input e = 0.3
let f = fold (fun x (g : R -> R) -> fun y -> (let h = fun z -> g (z * e + x) in if y > 0 then h y else h (2 * y))) (fun y -> y)
  (list i < n -> sin i) in f e`, nil, nil},
	{`param n = 30
input e = 0.3
def cont k y = if y > 0 then k y else k (y + 1)
let f = fold (fun x (g : R -> R) -> fun y -> cont (fun z -> g (z * e + x)) y) (fun y -> y) (list i < n -> sin i) in f e + f 1`, nil, nil},
	{`input e = 0.3
let f = fold (fun x (g : R -> R) -> fun y -> (sum k < 6 -> g (y * e + x * k)) * y) (fun y -> y * e) [1; 2; 3] in f e * f 1`, nil, nil},
	{`input F : R^(3, 3) = vec i < 3 -> vec j < 3 -> sin (i + 2 * j)
data ys : List R^2 = list t < 12 -> [| sin t, cos t |]
def filter (m, (P : R^(3, 3)), l) y =
  let m = matvec F m in
  let P = map (fun row -> matvec F row) (transpose P) / 2 in
  (m + y.(0) * P.(1), P, l + dot m P.(0) * y.(1))
let (_, _, l) = foldl filter (vec i < 3 -> 1, F, 0) ys in l`, nil, nil},
	// Conditions of static numbers guard indices, and long parts of vectors are copied at once.
	{`param n = 6
input u0 : R^(n, n) = vec i < n -> vec j < n -> sin (i + n * j)
def step (u : R^(n, n)) = vec i < n -> vec j < n ->
  if i = 0 or j = 0 or i = n - 1 or j = n - 1 then u.(i, j) else u.(i - 1, j) + u.(i + 1, j) + u.(i, j - 1) * u.(i, j + 1)
let v = iter #2 step u0 in
let w = vec i < n -> if not (i = 0) and i <= 3 then v.(i - 1, 2) * v.(i + 1, 1) else 0 in
sum i < n -> w.(i) * v.(i, i)`, nil, nil},
	{`param k = 11
input y : R^k = vec i < k -> cos i
data q : R^k = vec i < k -> 0.5 - 0.2 * i
sum l < k -> (jvp (fun a -> vec i < k -> if l + 2 < k then q.(l + 2) else
  if not (i = i - 1) and i + i < k then y.(i + i) else 0.5) y.(5) y.(l)).(0)`, nil, nil},
	{`param n = 12
input u0 : R^(n, n) = vec i < n -> vec j < n -> sin (i + n * j)
def step (u : R^(n, n)) =
  let inner = vec i < n - 2 ->
    let row = vec j < n - 2 -> u.(i, j + 1) * u.(i + 2, j + 1) + cos u.(i + 1, j) - u.(i + 1, j + 2) in
    concat (concat [| u.(i + 1, 0) |] row) [| u.(i + 1, n - 1) |] in
  concat (concat [| u.(0) |] inner) [| u.(n - 1) |]
let u = iter #3 step u0 in sum i < n -> sum j < n -> u.(i, j)^2`, nil, nil},
	{`input difficulty : R^8 = vec i < 8 -> cos (2 * i)
input slope : R^8 = vec i < 8 -> 1 + sin i
data answers : List (R * R) = list k < 60 -> (7 - floor (k / 8), floor (sin k))
def surprise (i, correct) =
  let p = sigmoid (pick slope i * (0.3 - pick difficulty i)) in if correct >= 0 then -log p else -log (1 - p)
def other (i, correct) = let p = pick slope i in if correct >= 0 then p * p else p * pick difficulty i
foldl (fun total a -> total + surprise a) 0 answers + foldl (fun total a -> total + other a) 0 answers`, nil, nil},
	// What does not depend on what iterations carry is made ahead of them: picks, and sums, with numbers that are left.
	{`input eta : R^(6, 2) = vec p < 6 -> vec i < 2 -> 0.2 * sin (p + 4 * i)
input typical : R^2 = [| 0.1, 0.8 |]
data events : List (R * R * R) = list k < 70 -> (floor (k / 12), floor (1.5 * sin k), 0.1 * k)
def event (level, loss) (who, first, hours) =
  let [| a, b |] = exp (typical + pick eta who) in
  let level = if first > 0 then 0 else level in
  let next = level * exp (-a * hours / 10) + b in
  (next, if hours > 3 then loss + (log next - a)^2 else loss)
let (_, loss) = foldl event (0, 0) events in loss`, nil, nil},
	{`input w : R^9 = vec i < 9 -> sin (i + 1)
data xs : List R^9 = list k < 50 -> vec i < 9 -> cos (k * i)
let steps = scan k < 50 with (h, c) = (0.1, 0) ->
  let x = sum i < 9 -> w.(i) * sin (w.(i) + k) in
  let y = sum i < 9 -> w.(8 - i) * k in
  (tanh (h + x), c + h * y * x) in
let (h, c) = steps.(49) in
h * c + foldl (fun h x -> if h > x.(2) then h * (sum i < 9 -> w.(i) * x.(i)) / 4 else h + 0.1) 0.3 xs`, nil, nil},
	// A component that is the same in all iterations of the loop that makes it.
	// Chains of vector arithmetic, whose loops are fused: in a loop, with results that are read behind it, of pairs, before
	// sums, and of more numbers than a region has.
	{"param n = " + full(23, 12) + `
input y : R^n = vec i < n -> 0.1 * sin (i + 1)
input a : R^n = vec i < n -> 0.1 * cos i
def slope (y : R^n) = a * sin y - 0.1 * y * y
def adam (x, m, v) =
  let g = 2 * x + cos x in
  let m = 0.9 * m + 0.1 * g in
  let v = 0.99 * v + 0.01 * g * g in
  (x - 0.1 * m / (sqrt v + 0.01), m, v)
let step = fun (y : R^n) ->
  let k = slope y in
  let l = slope (y + 0.05 * k) in
  y + 0.1 / 6 * (k + 2 * l) in
let z = iter #3 step y in
let (x, m, v) = iter #2 adam (z, a, vec i < n -> 0.1 + i) in
let p = vec i < n -> (x.(i) * m.(i), x.(i) - v.(i)) in
let q = vec i < n -> let (b, c) = p.(i) in b * c + fst p.(n - 1 - i) in
let t = 0.1 * softmax (q + m) in
sum (t * t) + dot q m + maximum (x + t)
`, nil, nil},
	{"param n = " + full(9000, 8200) + `
input s = 0.3
data u : R^n = vec i < n -> sin i
let a = s * u + 1 in
let b = a * a - u in
let c = b / 2 + sin a in
sum (c * c) + b.(7) + c.(n - 1)
`, nil, nil},
	{"param n = " + full(116, 40) + `
input x : R^n = vec i < n -> 0.3 * sin (i + 1)
input y : R^5 = vec i < 5 -> 0.4 * cos i
sum i < n -> if (let t = vec k < n -> x.(k) * x.(i) in sum k < n -> t.(i)) > 0.01 then (sum j < 5 -> y.(j)) else 0`, nil, nil},
	// Lists in pairs in lists.
	{`input k = 2
data xs : List (R * List R^2) = [(1, [[| 2, 3 |]; [| 2, 4 |]]); (4, [[| 5, 5 |]])]
def g (t, u) [| a, b |] = (t + k * a * b, u)
foldl (fun s (w, l) -> let (t, _) = foldl g (0, 0) l in s + w * t) 0 xs`, []float64{228}, []float64{114}},
	// Windows that go over long vectors, with numerals beyond the boundary, and of functions of elements.
	{"param n = " + full(18, 10) + `
input img : R^(n, n) = vec i < n -> vec j < n -> sin (i + n * j)
input ker : R^(3, 3) = vec a < 3 -> vec b < 3 -> cos (a - b)
let blur = vec i < n -> vec j < n -> sum a < 3 -> sum b < 3 ->
  if i + a >= 1 and i + a <= n and j + b >= 1 and j + b <= n then ker.(a, b) * img.(i + a - 1, j + b - 1) else 0 in
sum i < n -> sum j < n -> (blur.(i, j) - img.(j, i))^2`, nil, nil},
	{`param n = 40
input x : R^n = vec i < n -> sin i
input w : R^12 = vec i < 12 -> 1 / (1 + i)
let y = vec i < n - 12 -> tanh (sum j < 12 -> w.(j) * sin x.(i + j)) in
(sum i < n - 14 -> foldl (fun m z -> max m z) y.(i) (list j < 2 -> y.(i + 1 + j))) * sum i < 20 -> y.(i) * y.(i + 1)`, nil, nil},
	// Components that data selects: from rows of numbers, of vectors that are made, of two at once, and with coordinates beside.
	{`input W : R^(9, 4) = vec i < 9 -> vec j < 4 -> sin (i * 4 + j)
data points : List R^2 = list i < 8 -> [| i, 8 - i |]
sum (foldl (fun s e -> s + e) (vec i < 4 -> 0) (map (fun p -> pick W p.(0) * pick W p.(1)) points))`, nil, nil},
	{`input w : R^6 = vec i < 6 -> sin i
data text : List R = list i < 6 -> 5 - i
let W = vec i < 6 -> vec j < 5 -> exp (w.(i) * (j - 2)) in
foldl (fun s x -> s + x) 0 (map (fun x -> sum (vec j < 5 -> (pick W x).(j) * j)) text)`, nil, nil},
	{`input W : R^(2, 7, 2) = vec k < 2 -> vec i < 7 -> vec j < 2 -> sin (i * 2 + j + k)
data text : List (R^2 * R^3) = list i < 5 -> ([| 1, 2 |], [| i, 6 - i, i |])
foldl (fun s x -> s + x) 0 (map (fun (u, e) -> let c = vec k < 2 -> vec m < 3 -> pick W.(k) e.(m) in
  sum k < 2 -> dot (u.(0) * c.(k, 0) + u.(1) * c.(k, 1)) c.(k, 2)) text)`, nil, nil},
	{`input W : R^(8, 9) = vec i < 8 -> vec j < 9 -> sin (i * 8 + j)
data text : List R = list i < 6 -> i
sum (foldl (fun s x -> tanh (s + pick W x)) (vec i < 9 -> 0) text)`, nil, nil},
	// The sum of the products with 0 is 0, and not −0.
	{`input x = 2
input w : R^6 = [| -1, -2, 0, -3, -4, -5 |]
data text : List R = list i < 4 -> 2
let W = vec i < 6 -> vec j < 5 -> w.(i) * x in
foldl (fun s x -> s + x) 0 (map (fun i -> sum (vec j < 5 -> atan (1 / (pick W i).(j)))) text)`, nil, nil},
	// A convolution: a sum of products over two loops, of inputs and of what is made.
	{`input F : R^(2, 2, 3) = vec k < 2 -> vec a < 2 -> vec b < 3 -> sin (k + 2 * a - b)
input x : R^(4, 5) = vec i < 4 -> vec j < 5 -> cos (i * j)
let y = vec i < 4 -> vec j < 5 -> if x.(i, j) > 0 then x.(i, j) else 0 in
let h = vec k < 2 -> vec i < 3 -> vec j < 3 -> sum a < 2 -> sum b < 3 -> F.(k, a, b) * y.(i + a, j + b) in
sum k < 2 -> sum i < 3 -> sum j < 3 -> h.(k, i, j) * tanh h.(k, i, j)`, nil, nil},
	// A row of numbers of which one is 1 depends on an input.
	{`input x = 2
input W : R^(8, 3) = vec i < 8 -> vec j < 3 -> sin (i * 8 + j)
foldl (fun s x -> s + x) 0 (map (fun e -> let o = vec i < 8 -> same (x + e) i in
  sum (vec j < 3 -> sum i < 8 -> o.(i) * W.(i, j))) (list i < 5 -> i))`, nil, nil},
	// The sum of the outermost loop is of products with what its iterations have made.
	{`input x : R^9 = vec i < 9 -> sin i
input q : R^9 = vec i < 9 -> cos i
sum i < 9 -> (let w = vec j < 5 -> sin (x.(i) * j) in w.(1) * q.(i))`, nil, nil},
	// Rows of numbers of which several are 1, or none: what is compared goes with the index.
	{`input A : R^(8, 3) = vec i < 8 -> vec j < 3 -> sin (3 * i + j)
data p : R^8 = [| 3, 1, 2, 0, 4, 7, 6, 5 |]
let c = vec i < 4 -> let o = vec k < 8 -> same p.(k) k in vec j < 3 -> i * sum k < 8 -> o.(k) * A.(k).(j) in
(sum i < 4 -> sum j < 3 -> c.(i).(j)) + sum i < 4 -> i * sum k < 8 -> same p.(k) k * A.(k).(1)`, nil, nil},
	{`input A : R^(9, 8) = vec i < 9 -> vec j < 8 -> sin (3 * i + j)
data p : R^9 = vec i < 9 -> i
let o = vec k < 9 -> same p.(k) k in
let c = vec j < 8 -> sum k < 9 -> o.(k) * A.(k).(j) in
let d = vec j < 8 -> c.(j) * 2 in
sum j < 8 -> c.(j) * d.(j)`, nil, nil},
	// A list whose elements are made of tuples of data.
	{`input W : R^(8, 3) = vec i < 8 -> vec j < 3 -> sin (i * 8 + j)
data points : List (R^2 * R) = list i < 6 -> ([| i, 9 - i |], 7 - i)
foldl (fun s (a, b) -> s + sum a * b) 1 (map (fun (q, p) -> (pick W p, q.(0) * W.(1, 2))) points)`, nil, nil},
	// λs of straight-line arithmetic.
	// A product added to a sigmoid, whose slope is taken from its value.
	{`input w = 0.3
input a = 0.7
iter #3 (fun h -> sigmoid (w * h) + a * h) 0.5`, nil, nil},
	// A product added to an exponential, in a fold.
	{`input w = 0.3
input a = 0.7
data xs : List R = list i < 20 -> 0.1 * i
fold (fun x h -> exp (-(w * h)) + a * x) 0.5 xs`, nil, nil},
	// Many products added to a sigmoid.
	{`input w = 0.3
input b = 2
iter #5 (fun h -> sigmoid h + w * h + b * w + h * b) w`, nil, nil},
	// A sine and a cosine of one number.
	{`input w = 0.3
input a = 0.7
data xs : List R = list i < 20 -> 0.1 * i
fold (fun x h -> sin (w * h) + a * x + cos (w * h) * x) 0.5 xs`, nil, nil},
	// An input that is met before a parameter, between two functions.
	{`input w = 0.3
data xs = [1; 2; 3]
xs (fun a -> let b = 0.75 + w * a in fun s -> b * s + w) w`, nil, nil},
	// And one whose second parameter is not used.
	{`input w = 0.3
data xs = [1; 2; 3]
xs (fun a -> let b = 0.75 + w in fun s -> b) 0.75`, nil, nil},
	// Components that swap places.
	{`input w = 0.3
input v = 1.1
let (p, q) = iter #7 (fun (x, y) -> (y, x)) (w, v) in p * p * q`, nil, nil},
	// A vector that rotates: the duals reached differ from run to run.
	{`input w : R^3 = [| 0.1, 0.2, 0.3 |]
let u = iter #8 (fun (v : R^3) -> [| v.(1), v.(2), v.(0) * w.(1) |]) w in u.(0)`, nil, nil},
	// A component that nothing but the last runs reach.
	{`input w = 0.5
input u = 2
let (a, (b, (c, d))) = iter #3 (fun (a, (b, (c, d))) -> (w * a, (a, (b, c)))) (w, (1, (u, 2))) in d`, nil, nil},
	// A component of the state that nothing reads.
	{`input w = 0.3
input v = 1.1
let (p, q) = iter #7 (fun (x, y) -> (x * w, y * v)) (w, 1) in p`, nil, nil},
	// A numeral as a component of the state.
	{`input w = 0.3
let (p, q) = iter #5 (fun (x, y) -> (3, y * w)) (w, 1) in p`, nil, nil},
	// A step that ignores its argument.
	{`input w = 0.3
iter #5 (fun x -> w) 4`, nil, nil},
	// No run.
	{`input w = 0.3
input v : R^2 = [| 1, 2 |]
let (p, q) = iter #0 (fun (x, y) -> (x * w, y * v.(1))) (w, v.(0)) in p * q`, nil, nil},
	// One run.
	{`input w = 0.3
input v : R^2 = [| 1, 2 |]
let (p, q) = iter #1 (fun (x, y) -> (x * w, y * v.(1))) (w, v.(0)) in p * q`, nil, nil},
	// No element.
	{`input w = 0.3
data xs : List R = list i < 0 -> 0
fold (fun x h -> x * w + h) (w * w) xs`, nil, nil},
	// An element as a component of the state.
	{`input w = 2
data xs : List R = [2; 3; 4]
let (a, b) = fold (fun x (h, g) -> (x, h * w + g)) (w, w) xs in a * b`, nil, nil},
	// Elements that are vectors.
	{`input w : R^2 = [| 0.3, 0.4 |]
data xs : List R^2 = [[| 1, 2 |]; [| 3, 4 |]]
fold (fun x h -> sigmoid (dot w x + h * w.(0))) 0 xs`, nil, nil},
	// A whole element as the state.
	{`input w = 0.5
data xs : List R^2 = [[| 1, 2 |]; [| 3, 4 |]]
let v = fold (fun x (h : R^2) -> x) [| w, w |] xs in v.(0) * v.(1) * w`, nil, nil},
	// A captured number as a component of the state.
	{`input w = 0.3
let (u, h) = iter #4 (fun (u, h) -> (w, u + h)) (w, 1) in u * h`, nil, nil},
	// A vector that is returned unchanged.
	{`input w : R^3 = [| 0.3, 0.2, -1 |]
let (u, h) = iter #4 (fun (u, h) -> (u, h * 2)) (w, 1) in u.(1) * h`, nil, nil},
	// A loop in a fold.
	{`input w = 0.3
data xs : List R = list i < 5 -> 0.1 * i
fold (fun x h -> iter #3 (fun g -> sin (g * w + x * h)) h) 0.5 xs`, nil, nil},
	// A list of pairs.
	{`input w = 0.3
input v = 0.4
fold (fun (x, y) h -> x * h + y * v) w [(w, v); (v, 1); (2, w)]`, nil, nil},
	// An input of product type.
	{`input q : R * R^2 = (0.3, [| 0.2, 0.7 |])
let (a, b) = q in iter #3 (fun h -> h * a + b.(1) * b.(0)) a`, nil, nil},
	// A Jacobian.
	{`input w : R^3 = [| 0.3, 0.2, -1 |]
iter #4 (fun (v : R^3) -> [| v.(0) * v.(1), sin v.(2), v.(0) + w.(2) |]) w`, nil, nil},
	// A Jacobian with rows that are equal, or zero.
	{`input w : R^3 = [| 0.3, 0.2, -1 |]
let f = fun (v : R^3) -> [| v.(0), 5, v.(0) |] in f (f w)`, nil, nil},
	// Two components that are equal.
	{`input w = 0.5
let (a, b) = iter #5 (fun (x, y) -> (x * y, x * y)) (w, w) in a * b + a`, nil, nil},
	// As many runs as FULL_SIZE says.
	{"input w = 0.99999\ninput v = 0.00001\nlet (a, b) = iter #" + strconv.Itoa(property.Size(70_010)) +
		" (fun (a, b) -> (b * w + v, a)) (w, v) in a", nil, nil},
	// A partial application.
	{`input w = 0.9
let g = fun x y z -> x * y + w * z in let h = g w 2 in h 1 + h 2`, nil, nil},
	// A function that a function returns.
	{`input w = 0.9
let g = fun x -> let u = x * x in fun y -> u * y + w in g 2 3 + g w w`, nil, nil},
	// A chain of functions longer than a block.
	{"input w = 0.3\n" + chain(12) + strings.Repeat(" w", 12), nil, nil},
	// The end of a chain.
	{"input w = 0.3\nlet g = " + chain(12) + strings.Repeat(" w", 9) + " in g w 1 w + g 1 2 3", nil, nil},
	// Values that are no numbers.
	{`input w = -0.3
iter #3 (fun h -> log h * w) w`, nil, nil},
	// All sorts of symbols.
	{`input w = 0.9
input v = 0.4
iter #6 (fun h -> pow h w / (1 + exp (-(h * v))) + max h v * min w h - tan (h * 0.1) + sqrt (h + 2) + atan h + abs h + relu h + sign h + step h) 0.3`, nil, nil},
	// Programs with jvp and grad, among them those in which derivatives in one another are easily confused (Siskind and
	// Pearlmutter, "Perturbation confusion and referential transparency", 2005).
	at2("jvp (fun y -> y * jvp (fun z -> y + z) x 1) 1 1", 1, 0),
	at2("jvp (fun y -> y * jvp (fun z -> x * y * z) 1 1) 1 1", 4, 2),
	at2("def d f x = jvp f x 1\nd (fun y -> x * y * d (fun z -> y * z * z) x) x", 32, 48), // ∂(2x²y²)
	at2("def d f x = jvp f x 1\nd (d (d (fun y -> y ^ 4))) x", 48, 24),
	at2("jvp (fun y -> jvp (fun y -> x * y) y y * y) x 3", 24, 24), // 3 ∂(x·y²) = 6·x·y
	at2("let f = fun y -> x * y * y in jvp f x 1", 8, 8),
	at2("let f = fun y -> x * y in let g = fun y -> f (f y) * y in grad g 3", 24, 24),
	at2("let s = sin 0 + x in grad (fun y -> s * y) 3", 2, 1),
	at2("let (u, v) = grad (fun (y, z) -> x * y * y * z) (x, 3) in u * v", 192, 480), // (2x·x·3)(x·x²)
	at2("(grad (fun v -> x * sum i < 20 -> v.(i) ^ 3) (vec i < 20 -> x)).(7)", 24, 36),
	at2("sum k < 3 -> jvp (fun y -> sum j < k -> exp 0 * j * x * y * y) k 1", 8, 4),
	at2("sum (transpose (grad (fun M -> sum (matvec M [| x, x |])) (vec i < 3 -> vec j < 2 -> x))).(1)", 6, 3),
	at2("jvp (fun y -> let a = vec b < 3 -> vec i < 3 -> vec j < 2 -> (x + j) * y ^ 2 * (b + i) in "+ // 9·(2x + 1)·y²
		"sum b < 3 -> sum i < 2 -> sum j < 2 -> a.(b, i, j)) 1 1", 90, 36),
	at2("jvp (fun y -> foldl (fun s a -> s * y + a * x) 0 [1; 2; 3]) 1 1", 8, 4), // a·y² + b·y + c, times x
	at2("jvp (fun y -> if y < 1 then y else x * y * y) 1.5 1", 6, 3),
	at2("let rec f y = if y < 1 then x * y * y else f (y / 2) in jvp f x 1", 0.5, 0.5), // x·y²/16
	at2(variants+"grad (fun y -> product (scale y (Node (Leaf 2, Node (Leaf x, Leaf 3))))) 1", 36, 18),
	at2(variants+"let t = Node (Leaf 5, Leaf x) in grad (fun y -> product (Node (t, Leaf (y * y)))) x", 40, 40),
	at2("def newton f y = y - f y / jvp f y 1\niter #8 (newton (fun y -> y * y - x)) 1", 1.4142135623730951,
		0.35355339059327376),
	// Derivatives of declared symbols, of orders up to three.
	at2(cube+"cube x", 8, 12),
	at2(cube+"cube' x", 12, 12),
	at2(cube+"jvp cube x 1", 12, 12),
	at2(cube+"jvp (jvp cube x) 1 1", 12, 12),
	at2(cube+"def d f x = jvp f x 1\nd (d cube) x", 12, 6),
	at2(cube+"sum (cube [| x, 1 |])", 9, 12),
	{"input x = 2\n" + cube + "input y : R = cube 2\ncube x + 0 * y", []float64{8}, []float64{12, 0}},
	at2(area+"area x (x * x)", 18, 30), // (x + x²)²/2
	at2(area+"let (u, v) = grad (fun (y, z) -> area (x * y) z) (1, x) in u * v", 32, 48),
	at2(area+"(grad (fun y -> area'1 y x * y) 3) * x", 16, 10), // 2y + x
	at2(area+"foldl area 0 [x; x]", 8, 12),                     // (x²/2 + x)²/2
	at2("symbol first x y = x with 1, 0\nfirst (x * x) 7", 4, 4),
	at2("symbol straight x = step x with 1\nstraight x * x", 2, 3), // the declared derivative is another than that of step
	at2(hull+"hull x 1 3", 5, 1),
	at2(hull+"hull (x * x) x (hull 1 x x)", 12, 14),              // x³ + 2x
	at2(hull+"(grad (fun y -> hull y (y * x) y) 3) * x", 26, 25), // 2xy + 1
	at2(hull+"jvp (fun y -> jvp (fun z -> hull z (z * y) z) y 1) x 1", 8, 4),
	at2(hull+"let f = hull x in #40 (fun h -> f h 1 / 2) x", 22, 236),
	at2(hull+"fold (fun y h -> hull h x y / 3 - y / 3) x [2; 3]", 8./9, 4./3),
	at2(hull+"sum (vec i < 2 -> hull x i x)", 6, 3),
	at2(hull+"def rec f y = if y > 9 then y else f (hull y x 1)\nf 1", 15, 17),
	{"input x = 2\n" + hull + "input y : R = hull 1 2 3\nhull y x x", []float64{12}, []float64{6, 2}},
	at2(hull+"symbol mean a b c d = hull a b (c + d) / 4 with b / 4, a / 4, 1 / 4, 1 / 4\nmean x x x x + 2 * mean'3 1 2 "+
		"3 4", 2.5, 1.5),
	at2(hull+"symbol both x y = hull x y 1 / 8 + hull x x 1 / 8 with y / 8 + x / 4, x / 8\n#4000 (fun h -> both x h) 1",
		1, 5./6),
	at2(cube+"symbol sixth x = cube (cube x) / x ^ 3 with cube (2 * x) * cube' x * x / 4\nsixth x", 64, 384),
	// Programs that gave a wrong result, or ended in a crash.
	{pairInput + "fold (fun (a, b) s -> s + a * b) 0 (list i < 2 -> (x.(i) * x.(i), sum z < 2 -> x.(1 - z) * (1 + z))) " +
		"+ " +
		"0 * (sum i < " + full(5000, 1000) + " -> sin (x.(0) * i))", []float64{20}, []float64{18, 21}},
	{pairInput + "input y = 1\nfold (fun (a, v) s -> s + a * v.(0)) 0 (list i < 2 -> (x.(i), vec z < 2 -> y))",
		[]float64{3}, []float64{1, 1, 3}},
	{"param n = 300\ninput x = 0.5\niter #n (fun y -> (fun p -> y) (vec i < n -> i + 1)) x", []float64{0.5}, []float64{1}},
	{src: nineInputs + "fold (fun e (r : R^n) -> let u : R^n = x in tanh (map (fun b -> dot r x) u)) x (list j < 3 -> j)"},
	{src: "input a = 0.7\nlet s = iter #20 (fun (s : R^5) -> vec i < 5 -> let z = (if s.(i) > 0.3 then i else -i) in " +
		"sin (s.(4 - i) * a + 1 + atan (1 / z))) (vec i < 5 -> a * i) in\nsum s"},
	{src: "input a = 0.7\nlet s = iter #20 (fun (s : R^12) -> vec i < 12 -> let z = (if s.(i) > 0.3 then i else -i) in " +
		"sin (s.(11 - i) * a + 1 + atan (1 / z))) (vec i < 12 -> a * i) in\nsum s"},
	{src: "input a = 0.7\nlet s = iter #30 (fun (s : R^2) -> let z = (if s.(0) > 0.3 then 0 else -0) in " +
		"[| sin (s.(1) * 3 + a), sin (2 * s.(0) + atan (1 / z)) |]) [| a, 0.1 |] in\nsum s"},
	{src: mixture + "p - mu.(c)) l.(c)) 0 x"},
	{src: mixture + "vec i < 5 -> if p.(i) > 0.1 then p.(i) - mu.(c).(i) else 0.5) l.(c)) 0 x"},
	{src: nineInputs + "data l : List R = [1; 2; 3; 0.1; 5]\nlet (a, b) = fold (fun u (a, b) -> if u > 1.5 then (a, b) else (u, 2 * u)) (s, s) l in a + 10 * b"},
	{src: nineInputs + "sum (fold (fun (e : R^4) (h : R^4) -> let v = vec l < 4 -> s * 0.3 in vec i < 4 -> sum j < 5 -> " +
		"let p = (h.(3 - i), v.(3 - i)) in let w = scan l < 5 with a = h -> tanh e in w.(4).(0)) (vec i < 4 -> s) " +
		"(list i < 2 -> vec j < 4 -> x.(i + j)))"},
	{src: nineInputs + "fold (fun (a, b) r -> r + a * b) s (list j < 2 -> let b = if s > 0 then sin 0.5 else 0.5 in (x.(0), " +
		"if x.(1) > 0 then sin b else b))"},
	{pairInput + "vec i < 2 -> jvp (fun b -> if x.(i) > 3 / 2 then b else b * x.(1 - i)) 1 3", []float64{6, 3},
		[]float64{0, 3, 0, 0}},
	{pairInput + "vec i < 2 -> jvp (fun b -> if x.(i) < 3 / 2 then b * b else x.(1 - i)) 1 3", []float64{6, 0},
		[]float64{0, 0, 0, 0}},
	{"param k = 2\n" + pairInput + "type stream = Nil | Cons of R^k * stream\nmatch Cons (x, Nil) with | Nil -> 0 | " +
		"Cons (v, r) -> v.(0) * v.(1)",
		[]float64{2}, []float64{2, 1}},
	// A list of numerals has the index of the list around it.
	{"input s = 2\ninput t = 1\nfold (fun r u -> r + u) t (list i < 2 -> s * fold (fun a r -> r + a) 0 (list j < 2 -> " +
		"i))", []float64{5}, []float64{2, 1}},
	// Each match binds a copy of the pair in the constructor, whose components (10) names.
	{pairInput + "type t = C of R * R\nlet v = C (x.(0) * x.(0), x.(1)) in (match v with | C s -> fst s) + (match v " +
		"with | C s -> snd s)", []float64{3}, []float64{2, 1}},
	// Of a vector in an expanded comprehension, the first component is not opened, and two others are.
	{pairInput + "input A : R^(3, 2) = vec i < 3 -> vec j < 2 -> i + j\n(fun v -> vec j < 2 -> (let a = A in fold (fun " +
		"(s, t) r -> s * r) 1 (list i < 2 -> (a.(2 - i).(1), v.(0))))) x",
		[]float64{6, 6}, []float64{0, 0, 0, 0, 0, 3, 0, 2, 0, 0, 0, 0, 0, 3, 0, 2}},
	// A loop whose state is a constructor is none for machine code of numbers.
	{"type option = None | Some of R\ninput x = 2\nmatch fold (fun a (r : option) -> if 1 < x then r else r) (Some x) " +
		"(list i < 18 -> i * x) with | None -> 1 | Some u -> u",
		[]float64{2}, []float64{1}},
	// m: what counts the uses of z waits for u first, while a branch of a branch gives z.
	{"input x : R^3 = [| 1, 2, 3 |]\ninput y : R^3 = [| 4, 5, 6 |]\ninput t = -1\ndata q : R^3 = [| 7, 8, 9 |]\n" +
		"let u = (if t < 1 then x else y) in let z = (if t > 0 then [| q.(0), q.(1), t |] else if t < 1 then y else [| " +
		"q.(2), t, t |]) in z",
		[]float64{4, 5, 6}, []float64{0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0}},
	// A list that a comprehension makes in a function is expanded with it.
	at2("let f = fun y -> fold (fun a s -> a * s + 1) 0 (list i < 3 -> y * i) in f x", 1, 0),
	// The variables of a pattern are numbered as the body mentions them, not as they stand in the pattern.
	{`type sites = End | Site of R^4 * sites
input x : R^4 = [| 1, 2, 3, 4 |]
def up [| a, c, g, t |] = [| 2 * a + g, c + 3 * t, a, t |]
def rec each u = match u with | Site (a, u) -> Site (up a, each u) | End -> End
def rec total u = match u with | Site (a, u) -> dot a x + total u | End -> 0
total (each (Site (x, Site (2 * x, End))))
`, []float64{3 * (5 + 28 + 3 + 16)}, []float64{30, 48, 6, 42}},
	// One vector statement ends where the next one begins. The numbers that the next one reads are set before it,
	// whichever way leads there.
	{`param k = 17
input x : R^k = vec i < k -> sin (i + 1)
input y : R^k = vec i < k -> cos i
input t = -0.4
max (logsumexp ((fun (a : R -> R) -> y) (fun z -> z))) t + t + x.(1)
`, nil, nil},
	// Recursive functions inside the functions that modular normalises stay folded there.
	{`type stream = Nil | Cons of R * stream
input x = 2
input w = 0.5
let g = fun y -> (let rec f z = if z < 1 then sin (y * z) else f (z / 2) * y in f (y * 3)) in
let rec total s = match s with | Nil -> 0 | Cons (a, r) -> g a * w + total r in
let h = fun s -> total (Cons (x, s)) in
h (Cons (w, Nil)) + g x + h Nil
`, nil, nil},
	// A symbol of three parameters in a family is its operations on lanes.
	{"symbol gate x y z = x * sigmoid y + z with sigmoid y, x * sigmoid' y, 1\n" + familyHead +
		"sum (fold (fun x h -> vec i < k -> gate (dot W.(i) h) x.(i) b.(i)) start a)\n", nil, nil},
	// The derivative by x is finite where the slope by what doesn't depend on x is infinite or NaN.
	{"input x = -1\npow x 2", []float64{1}, []float64{-2}},
	{"input x = 1\ninput y = 0\nx + sqrt y", []float64{1}, []float64{1, math.Inf(1)}},
	{"input x = -1\ninput y = 2\npow x y * x", []float64{-1}, []float64{3, math.NaN()}},
}

// TestPrograms: programs have the values and the gradients that one computes by hand, or those of the literal machine,
// in all forms, strategies and modes, and m and |G| of the literal machine.
func TestPrograms(t *testing.T) {
	for _, c := range programs {
		p := mustLoad(t, c.src)
		rounding, used := 1e-12, forms
		if c.value == nil {
			rounding, used = 0, allForms
		}
		value, gradient := checkForms(t, p, rounding, used...)
		if c.value == nil {
			c.value, c.gradient = gradient.Values, gradient.Jacobian
		}
		requireClose(t, c.value, value.Values, 1e-12)
		requireClose(t, c.value, gradient.Values, 1e-12)
		requireClose(t, c.gradient, gradient.Jacobian, 1e-12)
		for _, opt := range []EvalOptions{{Mode: Forward}, {Mode: Tape}, {Strategy: Modular}, {Strategy: Unfold}} {
			got, err := p.Gradient(t.Context(), opt)
			require.NoError(t, err, c.src)
			requireClose(t, c.value, got.Values, 1e-12)
			requireClose(t, c.gradient, got.Jacobian, 1e-9)
		}
		require.NoError(t, (&surface{ctx: t.Context(), p: p}).graph(), c.src)
		if strings.Contains(c.src, hull) {
			require.NoError(t, bridge.Of(p).Source().CheckSymbols(), c.src)
		}
	}
}

// full is a size with FULL_SIZE, and part without: the literal machine, in five of the forms, takes most of the time.
func full(n, part int) string {
	if property.Full() {
		part = n
	}
	return strconv.Itoa(part)
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

// TestNoCode: a program for which the compiler has no code runs on the literal machine.
func TestNoCode(t *testing.T) {
	p := mustLoad(t, "symbol five a b c d e = a * b + c * d + e with b, a, d, c, 1\ninput x = 2\nfive x 1 x 3 x\n")
	value, gradient := checkForms(t, p, 0, forms[:2]...)
	require.Equal(t, []float64{10}, value.Values)
	require.Equal(t, []float64{5}, gradient.Jacobian)
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
		"a tree of pairs, all shared": strings.ReplaceAll("input w = 2\nlet (p, q) = (fun x -> doubled) w in w", "doubled",
			doubled),
	} {
		t.Run(name, func(t *testing.T) {
			p := mustLoad(t, src)
			fused, err := p.Gradient(ctx, EvalOptions{})
			require.NoError(t, err)
			literal, err := p.Gradient(ctx, EvalOptions{NoFuse: true})
			require.NoError(t, err)
			require.Equal(t, literal.Cost.Steps, fused.Cost.Steps)
			require.LessOrEqual(t, fused.Cost.Nodes.Allocated, literal.Cost.Nodes.Allocated)
		})
	}
}

// TestDeclaredSymbols: the examples have the same values, derivatives of both orders and steps where they declare the
// symbols that they use, in all forms.
func TestDeclaredSymbols(t *testing.T) {
	declarations := ""
	for _, f := range []string{"sin", "cos", "exp", "log", "sqrt", "tanh", "sigmoid", "abs", "softplus", "relu"} {
		declarations += "symbol " + f + " x = " + f + " x with " + f + "' x\n"
	}
	declarations += "symbol max x y = max x y with max'1 x y, max'2 x y\n"
	for _, name := range []string{"w1", "w3", "rnn", "mlp", "huber", "logsumexp", "newton"} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			src, err := os.ReadFile("examples/" + name + ".gram")
			require.NoError(t, err)
			p := loadExample(t, name)
			declared, err := Load(t.Context(), name, append([]byte(declarations), src...),
				Options{Dir: "examples", Open: testprogram.FirstRows, Params: params[name]})
			require.NoError(t, err)
			require.NoError(t, bridge.Of(declared).Source().CheckSymbols())
			for _, f := range append(forms[:3:3], forms[7]) {
				want, err := p.Gradient(t.Context(), f.opt)
				require.NoError(t, err)
				got, err := declared.Gradient(t.Context(), f.opt)
				require.NoError(t, err)
				require.Equal(t, want.Values, got.Values)
				require.Equal(t, want.Jacobian, got.Jacobian)
				require.Equal(t, want.Cost.Steps, got.Cost.Steps)
			}
			if p.Shape().Width() > 1 {
				return
			}
			product := func(p *Program) []float64 {
				e, err := p.NewGradient(t.Context(), EvalOptions{})
				require.NoError(t, err)
				defer e.Close()
				res, err := e.HessianVector(t.Context(), p.Point(), wave(len(p.Point()), 1))
				require.NoError(t, err)
				return append([]float64{float64(e.Cost().Steps.Total())}, res.Jacobian...)
			}
			require.Equal(t, product(p), product(declared))
		})
	}
}

// TestSymbolSteps: a declared symbol is one step (12), and its derivative another.
func TestSymbolSteps(t *testing.T) {
	p := mustLoad(t, "symbol f x = sin (x * x) + exp x with 2 * x * cos (x * x) + exp x\ninput x = 2\nf x\n")
	value, err := p.Value(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 1, value.Cost.Steps[rule.Function])
	require.Zero(t, value.Cost.Steps[rule.Plus]+value.Cost.Steps[rule.Times])
	gradient, err := p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 2, gradient.Cost.Steps[rule.Function])

	// Of three parameters: m has one step for each of the two uses, and G three edges.
	p = mustLoad(t, "symbol f x y z = sin (x * y) + exp z with y * cos (x * y), x * cos (x * y), exp z\ninput x = 2\nf "+
		"x 3 (f x x 1)\n")
	gradient, err = p.Gradient(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 2+6, gradient.Cost.Steps[rule.Function])
	bound, err := p.Bound(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 2+6+3, bound.Graph)
}

// TestSymbolFinite: what a symbol of three parameters computes on the way to its value may be infinite.
func TestSymbolFinite(t *testing.T) {
	const f = "symbol f x y z = y / exp x + z with -y / exp x, 1 / exp x, 1\ninput x = 1000\n"
	p := mustLoad(t, f+"f x 1 2\n")
	res, err := p.Gradient(t.Context(), EvalOptions{Finite: true})
	require.NoError(t, err)
	require.Equal(t, []float64{2}, res.Values)
	_, err = mustLoad(t, f+"f x 1 (exp x)\n").Value(t.Context(), EvalOptions{Finite: true})
	require.ErrorContains(t, err, "exp")
	_, err = mustLoad(t, f+"f (-x) 1 2\n").Value(t.Context(), EvalOptions{Finite: true})
	require.ErrorContains(t, err, "f ")
}

// TestSymbolKinks: a symbol whose value is computed at a kink is one.
func TestSymbolKinks(t *testing.T) {
	p := mustLoad(t, "symbol leaky x = max x (0.1 * x) with 0.1 + 0.9 * step x\ninput x = 0\nleaky x + leaky (x - 1)\n")
	kinks, err := p.Kinks(t.Context(), EvalOptions{})
	require.NoError(t, err)
	require.Len(t, kinks, 1)
	for k, n := range kinks {
		require.Equal(t, "leaky", k.Headline)
		require.Equal(t, 1, n)
		require.Equal(t, 3, k.Line)
	}
}

// updater makes programs whose loops change a vector of 16 numbers, or a matrix, at places that are indices, or data.
type updater struct {
	*rand.Rand
	names   int
	numbers []string // names of numbers that have been read
}

func (u *updater) pick(from ...string) string { return from[u.IntN(len(from))] }

// number is a number that is made of vectors.
func (u *updater) number(vs []string) string {
	v := u.pick(vs...)
	if len(u.numbers) > 0 && u.IntN(3) == 0 {
		return u.pick(u.numbers...) + u.pick("", " * w", " * "+v+".("+u.place()+")")
	}
	return u.pick("x", "w", "0", "2", "sin x * w", v+".("+u.place()+")", v+".("+u.place()+") * "+u.pick(vs...)+".("+u.place()+")",
		"(sum a < n -> "+v+".(a) * "+u.pick(vs...)+".(n - 1 - a))", "(if "+v+".("+u.place()+") > 0.5 then "+v+".(j) else w)")
}

// place is an index that is within the bounds.
func (u *updater) place() string { return u.pick("j", "n - 1 - j", "3", "j + 4", "2 * j") }

// changed is a number with which an index is compared.
func (u *updater) changed() string {
	return u.pick("j", "n - 1 - j", "3", "j + 4", "j + 12", "j - 3", "2 * j", "at.(j)", "at.(j + 1)", "near")
}

// update makes a vector of others.
func (u *updater) update(vs []string) string {
	v, i := u.pick(vs...), u.pick("i", "k")
	old := v + ".(" + i + ")"
	value := func() string { return u.pick(u.number(vs), u.number(vs), old+" * w + "+u.number(vs)) }
	s := fmt.Sprintf("if %s = %s then %s else %s", i, u.changed(), value(), old)
	switch u.IntN(5) {
	case 0:
		s = fmt.Sprintf("if %s = %s then %s else if %s = %s then %s else %s", i, u.changed(), value(), i, u.changed(),
			value(), old)
	case 1:
		s = fmt.Sprintf("if %s > %s then %s else %s", i, u.changed(), old, value())
	}
	s = "vec " + i + " < n -> " + s
	if u.IntN(4) == 0 {
		s = fmt.Sprintf("if %s > 0.3 then (%s) else %s", u.number(vs), s, u.pick(vs...))
	}
	return s
}

// body is what a loop makes of a vector.
func (u *updater) body(v string) string {
	vs, b := []string{v}, strings.Builder{}
	u.numbers = nil
	for range 1 + u.IntN(3) {
		u.names++
		if u.IntN(2) == 0 {
			name := fmt.Sprintf("n%d", u.names)
			fmt.Fprintf(&b, "let %s = %s in\n    ", name, u.number(vs))
			u.numbers = append(u.numbers, name)
		}
		name := fmt.Sprintf("v%d", u.names)
		fmt.Fprintf(&b, "let %s = %s in\n    ", name, u.update(vs))
		if vs = append(vs, name); u.IntN(4) > 0 {
			vs = vs[len(vs)-1:]
		}
	}
	if u.numbers = nil; u.IntN(4) == 0 {
		u.names++
		inner := fmt.Sprintf("u%d", u.names)
		return b.String() + fmt.Sprintf("(scan j < 5 with %s = %s -> %s).(4)", inner, vs[len(vs)-1], u.update([]string{inner}))
	}
	return b.String() + vs[len(vs)-1]
}

// program makes a program.
func (u *updater) program() string {
	first := u.pick("x0", "(vec a < n -> 0)", "(vec a < n -> if a > 7 then x * a else 1)")
	head := "param n = 16\ninput x0 : R^n = vec a < n -> cos a\ninput x = 0.7\ninput w = 0.3\n" +
		"data at : R^12 = [| 3, 3, 1.5, -1, 16, 15, 0, 7, 8, 8, 2, 5 |]\ndata near = 4\n"
	last := u.pick("q", "vec z < 3 -> q.(5 * z) * w", "sum z < n -> q.(z) * q.(n - 1 - z)", "q.(3) + x0.(4)")
	switch u.IntN(6) {
	case 5:
		inner := u.pick("(vec a < n -> if a = 0 then w * i else 0)", "row", "x0")
		return head + fmt.Sprintf("let rows = scan i < 6 with row = %s -> (scan j < 9 with r = %s ->\n  "+
			"let z = row.(j) * w + row.(j + 1) * %s in vec a < n -> if a = %s then z%s else r.(a)).(8) in\nlet q = rows.(5) in\n%s",
			first, inner, u.pick("r.(j)", "x0.(i)", "row.(i)"), u.pick("j + 1", "2 * j", "at.(j)"),
			u.pick("", " + row.(3)", " * r.(4)"), last)
	case 0:
		return head + fmt.Sprintf("let q = foldl (fun q (j, a) -> vec i < n -> if i = a then %s else q.(i)) %s "+
			"(list j < 9 -> (sin j, at.(j))) in\n%s", u.pick("q.(i) + x", "x * w", "q.(3) * q.(i)", "0"), first, last)
	case 1:
		place := u.pick("j", "1", "7 - j", "at.(j)")
		return head + fmt.Sprintf("let t = scan j < 8 with t = (vec a < n -> vec b < 3 -> %s) ->\n  "+
			"let r = (vec b < 3 -> t.(j, b) * x0.(j + b) + t.(%s, 1) + w) in vec a < n -> if a = %s then r else t.(a) in\n"+
			"let q = vec a < n -> t.(7).(a, 1) in\n%s", u.pick("0", "x * a"), u.pick("j", "j + 1", "2 * j"), place, last)
	case 2:
		return head + fmt.Sprintf("let t = scan j < 7 with t = (vec a < n -> vec b < n -> %s) -> (scan k < 6 with t = t ->\n  "+
			"let z = t.(j, k) * x0.(j) + w * %s in vec a < n -> vec b < n -> if a = %s and b = %s then z else t.(a, b)).(5) in\n"+
			"let q = vec a < n -> t.(6).(a, 3) in\n%s", u.pick("0", "x * b"), u.pick("x0.(k)", "t.(k, j)", "(sum c < n -> t.(c, k) * t.(j, c))"),
			u.pick("j", "j + 1", "2 * j"), u.pick("k", "j", "at.(k)"), last)
	case 3:
		two := u.pick("p.(j) * q.(n - 1 - j)", "(sum c < n -> p.(c) * q.(c))")
		return head + fmt.Sprintf("let (q, p) = (scan j < 8 with (q, p) = (%s, %s) ->\n  let q2 = vec a < n -> if a = %s then %s else q.(a) in\n  "+
			"%s).(7) in\n%s", first, u.pick(first, "x0"), u.changed(), two, u.pick("(q2, p)", "(p, q2)", "(q2, q)", "(q2, vec a < n -> if a = j then q2.(j) else p.(a))"),
			last)
	}
	all := u.pick("let q = s.(7)", "let q = s.(7)", "let q = vec a < n -> s.(7).(a) + s.(2).(a)")
	return head + fmt.Sprintf("let s = scan j < 8 with q = %s ->\n    %s in\n%s in\n%s", first, u.body("q"), all, last)
}

// TestUpdates: programs that change components of vectors have the values, gradients and steps of the literal machine.
func TestUpdates(t *testing.T) {
	first := fromEnvironment(t, "RANDOM_SEED", 0)
	for seed := first; seed < first+property.Size(100); seed++ {
		u := &updater{Rand: rand.New(rand.NewPCG(uint64(seed), 1))}
		p := mustLoad(t, u.program()+"\n")
		checkForms(t, p, 1e-12, forms...)
	}
}
