package gram

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"
	"strings"
)

// surfaceOptions bound a program in the source language.
type surfaceOptions struct {
	K     int  // the numbers of a vector, at least 3
	Large bool // beside a large sum
	// Cell says that it applies the function of a fold, which makes a vector of two.
	Cell bool
	// Value says that the value may be of any type that is printed. The program has no gradient, and may have linear
	// functions.
	Value bool
}

// surfaceSource writes a random well-typed program in the source language. It has inputs that are numbers, vectors and
// matrices, data, and all
// constructs and functions of docs/language.md but imports. The same r gives the same program.
func surfaceSource(r *rand.Rand, opt surfaceOptions) string {
	w := &surfaceWriter{r: r, k: opt.K, left: 15 + r.IntN(70), value: opt.Value, cell: opt.Cell, flat: r.IntN(3) == 0 || opt.Cell}
	return w.program(opt.Large)
}

// kind is a type of the programs that surfaceSource writes.
type kind uint8

const (
	real    kind = iota
	vector       // R^k
	matrix       // R^k^k
	pair         // R * R
	row          // R * R^k
	option       // None | Some of R
	tree         // Leaf of R | Node of tree * tree
	stream       // Nil | Cons of row * stream
	unary        // R -> R
	binary       // R -> R -> R
	reduce       // R^k -> R
	layer        // R^k -> R^k
	numKind      // how many types there are but lists
	numbers kind = iota
	vectors      // List R^k
	pairs        // List (R * R)
	rows         // List (R * R^k)
	unaries      // List (R -> R)
)

// kindText are the types in the source language.
var kindText = map[kind]string{real: "R", vector: "R^k", matrix: "R^k^k", pair: "R * R", row: "R * R^k",
	option: "option", tree: "tree",
	stream: "stream", unary: "R -> R", binary: "R -> R -> R", reduce: "R^k -> R", layer: "R^k -> R^k"}

// elements are the types of the elements of lists.
var elements = map[kind]kind{numbers: real, vectors: vector, pairs: pair, rows: row, unaries: unary}

func (t kind) isFunction() bool { return t >= unary && t <= layer }

// named is a name in scope.
type named struct {
	name string
	kind kind
	// result is what a list that let binds is folded into: it has one type. Data lists have any.
	result kind
	any    bool
	// parameter says that it is bound by fun, or made of what is: a function that is one has no place in the argument
	// of jvp.
	parameter bool
}

// staticIndex is an index below most.
type staticIndex struct {
	name string
	most int
}

// surfaceWriter writes a program.
type surfaceWriter struct {
	r       *rand.Rand
	k       int
	left    int // how many constructs there may be
	work    int // the sizes of the loops around what is written, multiplied
	value   bool
	cell    bool
	flat    bool // no functions of their own, and no inductive types: so vector statements hold more of it
	scope   []named
	indices []staticIndex
	made    int
	in      int // how many arguments of jvp and grad are around what is written
	defined int // how many functions, which these may use
}

const sourceHead = `param k = %d
input x : R^k = vec i < k -> sin (i + 1)
input y : R^k = vec i < k -> cos i
input A : R^k^k = vec i < k -> vec j < k -> 0.3 * sin (1 + i*k + j)
input B : R^k^k = vec i < k -> vec j < k -> 0.3 * cos (2 + i - j*k)
input C : R^(5, 2, 2) = vec i < 5 -> vec j < 2 -> vec l < 2 -> 0.2 * cos (i - 2*j + 3*l)
input p : R * R^k = (0.3, vec i < k -> 0.2 * i - 0.3)
input s = 0.7
input t = -0.4
data  l : List R = list i < 3 -> 0.4 * i - 0.3
data  m : List R^k = list i < 2 -> vec j < k -> 0.2 * cos (i + j)
data  d : List (R * R^k) = list i < 3 -> (sin i, vec j < k -> 0.3 * sin (i - j))
data  o : List R = [2; 0; 1; 0]
data  q : R^k = vec i < k -> 0.5 - 0.2 * i
data  ga : (R * List R^2)^3 = [| (0, [[| 0.3, 0.1 |]; [| -0.4, 1 |]; [| 0, 0.5 |]; [| 1, 2 |]]), (2, []), (1, list i < 7 -> [| sin i, 0.1 * i |]) |]
data  gb : List (R * List (List R)) = [(0.2, [[0.1; 0.2]; []; [0.5; 1; -0.3; 0.8]]); (0.4, []); (-0.5, [[]; [0.7]]); (0.6, [list i < 9 -> 0.1 * i])]
`

const sourceTypes = `type option = None | Some of R
type stack = Bottom | Put of R^k * stack
type tree = Leaf of R | Node of tree * tree
type stream = Nil | Cons of (R * R^k) * stream
symbol swish a = a * sigmoid a with sigmoid a * (1 + a * (1 - sigmoid a))
symbol hypot a b = sqrt (1 + a*a + b*b) with a / sqrt (1 + a*a + b*b), b / sqrt (1 + a*a + b*b)
def   twice f = fun a -> f (f a)
`

func (w *surfaceWriter) program(large bool) string {
	var text strings.Builder
	fmt.Fprintf(&text, sourceHead, w.k)
	for i, x := range strings.Fields("x y q A B p s t l m d") {
		kinds := [...]kind{vector, vector, vector, matrix, matrix, row, real, real, numbers, vectors, rows}
		w.scope = append(w.scope, named{name: x, kind: kinds[i], any: kinds[i] >= numbers})
	}
	w.work = 1
	if !w.flat {
		text.WriteString(sourceTypes)
	}
	if w.value && w.r.IntN(6) == 0 {
		return text.String() + w.linear() + "\n"
	}
	if w.cell {
		left := w.left
		text.WriteString("def cell (x : R^k) (h : R^k) = " + w.bound([]named{{name: "x", kind: vector}, {name: "h", kind: vector}}, w.layers) + "\n")
		w.left = left
	}
	for range w.r.IntN(5) {
		text.WriteString(w.line())
	}
	if !w.flat {
		for range w.r.IntN(3) {
			text.WriteString(w.recursive())
		}
	}
	text.WriteString(w.body(large))
	return text.String() + "\n"
}

// body writes what stands behind the declarations.
func (w *surfaceWriter) body(large bool) string {
	if w.value {
		w.left += 10
		switch w.r.IntN(5) {
		case 0:
			return w.expr(matrix, 3)
		case 1:
			return "(" + w.expr(real, 2) + ", " + w.expr(matrix, 2) + ", " + w.expr(row, 2) + ")"
		case 2:
			if !w.flat {
				return w.expr([]kind{option, tree, stream}[w.r.IntN(3)], 3)
			}
		case 3:
			l, _ := w.list(rows, pair, 3)
			return "(" + l + ", " + w.expr(pair, 2) + ")"
		}
		return "vec i < 2 -> " + w.expr(row, 3)
	}
	w.left += 20
	sum := ""
	if large {
		sum = []string{" + 0.001 * (sum i < 500 -> sin (x.(0) * i))",
			" + 0.001 * (sum i < 80 -> sum j < 7 -> x.(1) * (if s * j < 1 then 0.5 * i else t))",
			" + (let z = vec i < 300 -> cos (s * i) in 0.01 * dot z z)"}[w.r.IntN(3)]
	}
	switch w.r.IntN(6) {
	case 0:
		return w.with("vec %s < k -> %s", w.k, func() string { return "(" + w.expr(real, 4) + ")" + sum })
	case 1:
		return "let z = " + w.expr(vector, 4) + " in z" + sum
	}
	text := "(" + w.expr(real, 4) + ")"
	if w.cell {
		text = strings.ReplaceAll(w.pick(cells...), "INPUTS", strings.Repeat(", s", w.k-2))
	}
	for range w.r.IntN(3) {
		text += " + (" + w.expr(real, 4) + ")"
	}
	return text + sum
}

// layers writes vectors, mostly of components of those before: so statements of vectors hold them.
func (w *surfaceWriter) layers() string {
	layer := func(depth int) string {
		return w.with("vec %s < k -> 0.3 * %s", w.k, func() string { return w.expr(real, depth) })
	}
	text := ""
	for range w.r.IntN(3) {
		v := w.name("v")
		text += "let " + v + " = " + layer(3) + " in "
		w.scope = append(w.scope, named{name: v, kind: vector})
	}
	return text + layer(4)
}

// cells apply a function of two vectors: in a fold, alone, by another function, with branches before and behind, and where some
// components are numerals.
var cells = []string{
	"sum (fold cell y m)",
	"sum (cell x y)",
	"sum (foldl (fun h x -> cell x h) y m)",
	"(let f = fun x -> fun h -> cell x h in sum (fold (fun x h -> f x (f x h)) y m))",
	"(let g = fold (fun x h -> let z = matvec A (cell x h) in vec i < k -> if z.(i) < 0 then sin z.(i) else z.(i)) y m in sum g)",
	"(let z = matvec A (cell x q) in let u = matvec B (vec i < k -> if z.(i) < 0 then 0.1 * z.(i) else z.(i)) in " +
		"sum i < k -> if u.(i) < 0.1 then u.(i)^2 else u.(i))",
	"sum (fold (fun x h -> let c = cell x h in vec i < k -> s * (if c.(i) + h.(i) > 0 then c.(i) * h.(i) else 0)) " +
		"(vec i < k -> if i < 2 then s * s + y.(i) else sin y.(i)) m)",
	"(sum j < 2 -> let v = vec i < k -> s * y.(i) * j in sum (cell v y))",
	"sum (fst (fold (fun x (h, c) -> (cell (x * c) h, c)) (y, [| 0, 0.5INPUTS |]) m))",
}

// linear writes a program with functions that are linear.
func (w *surfaceWriter) linear() string {
	leaf := w.leaf
	a, b := leaf(), leaf()
	return "let f = lin a -> a * " + a + " + " + leaf() + " * a in\nlet g = lin b -> f (b * " + leaf() + ") + (if " + leaf() + " < " + leaf() +
		" then f b else b * " + b + ") in\nlet h = lin c -> [| g c, f (c / (2 + " + leaf() + " * " + leaf() + ")) - c |] in\n(h 1, g (" + leaf() + "))"
}

// line writes a let around the program.
func (w *surfaceWriter) line() string {
	t := w.anyKind(true)
	name := w.name("v")
	e := w.expr(t, 3)
	w.scope = append(w.scope, named{name: name, kind: t})
	if t.isFunction() && w.r.IntN(3) == 0 {
		return "let " + name + " : " + kindText[t] + " = " + e + " in\n"
	}
	return "let " + name + " = " + e + " in\n"
}

// recursive writes functions that use themselves.
func (w *surfaceWriter) recursive() string {
	w.defined++
	defer func() { w.defined-- }()
	h := w.name("h")
	n := len(w.scope)
	in := func(t kind, names ...named) string {
		w.scope = append(w.scope, names...)
		w.work *= 4
		text := w.expr(t, 2)
		w.work /= 4
		w.scope = w.scope[:n]
		return text
	}
	u, v := named{name: "u", kind: real}, named{name: "v", kind: vector}
	var text string
	var t kind
	switch w.r.IntN(6) {
	case 0:
		text, t = fmt.Sprintf("let rec %[1]s u = if u < 0.5 then %[2]s else tanh (%[1]s (u - 1) * %[3]s) + %[4]s in\n",
			h, in(real, u), in(real, u), in(real, u)), unary
	case 1:
		text, t = fmt.Sprintf("let rec %[1]s n u = if n < 1 then %[2]s else tanh (%[1]s (n - 1) (%[3]s)) * %[4]s in\nlet %[1]s' = %[1]s %[5]d in\n", h,
			in(real, u), in(real, u), in(real, u), w.r.IntN(4)), unary
		h += "'"
	case 2:
		text, t = fmt.Sprintf("let rec %[1]s n v = if n < 1 then v else %[1]s (n - 1) (vec i < k -> tanh (%[2]s)) in\nlet %[1]s' = %[1]s %[3]d in\n", h,
			in(real, v, named{name: "n", kind: real}), w.r.IntN(4)), layer
		h += "'"
	case 3:
		text = fmt.Sprintf("let rec %[1]s a = match a with | Leaf u -> %[2]s | Node (b, c) -> tanh (%[1]s b * %[3]s - %[1]s c) in\n", h, in(real, u), in(real))
		text += fmt.Sprintf("let rec %[1]s' n u = if n < 1 then Leaf (%[2]s) else Node (%[1]s' (n - 1) (u * 0.5), %[1]s' (n - 1) (%[3]s)) in\n", h, in(real, u), in(real, u))
		text += fmt.Sprintf("let %[1]s'' = fun u -> %[1]s (%[1]s' %[2]d u) in\n", h, w.r.IntN(4))
		w.scope = append(w.scope, named{name: h + "''", kind: unary})
		text += fmt.Sprintf("let %[1]s''' = %[1]s' %[2]d %[3]s in\n", h, w.r.IntN(3), w.leaf())
		w.scope = append(w.scope, named{name: h + "'''", kind: tree})
		return text
	case 4: // vectors in constructors, which a function opens
		open := "(fun (v : R^k) -> vec i < k -> tanh v.(i))"
		if w.k <= 8 {
			open = w.opening(w.k)
		}
		text = fmt.Sprintf("let rec %[1]s a b = match (a, b) with | (Put (u, a), Put (v, b)) -> Put (%[2]s u * v, %[1]s a b) | _ -> Bottom in\n", h, open)
		text += fmt.Sprintf("let rec %[1]s' a = match a with | Put (v, a) -> tanh (%[2]s) + %[1]s' a | Bottom -> %[3]s in\n", h, in(real, v), in(real))
		text += fmt.Sprintf("let %[1]s'' = fun u -> %[1]s' (%[1]s (fold (fun v a -> Put (v * u, a)) Bottom m) (fold (fun v a -> Put (v, a)) Bottom m)) in\n", h)
		t, h = unary, h+"''"
	default:
		text = fmt.Sprintf("let rec %[1]s a = match a with | Nil -> %[2]s | Cons ((u, v), b) -> tanh (%[3]s + %[1]s b) in\n", h, in(real), in(real, u, v))
		text += fmt.Sprintf("let %[1]s' = fun u -> %[1]s (fold (fun (b, v) a -> Cons ((b * u, v), a)) Nil d) in\n", h)
		t, h = unary, h+"'"
	}
	w.scope = append(w.scope, named{name: h, kind: t})
	return text
}

func (w *surfaceWriter) name(letter string) string {
	w.made++
	return letter + strconv.Itoa(w.made)
}

func (w *surfaceWriter) pick(of ...string) string { return of[w.r.IntN(len(of))] }

func (w *surfaceWriter) anyKind(functions bool) kind {
	if w.flat {
		return []kind{real, real, vector, vector, pair, row, matrix}[w.r.IntN(7)]
	}
	if functions {
		return kind(w.r.IntN(int(numKind)))
	}
	return kind(w.r.IntN(int(unary)))
}

// below writes an index that is below n.
func (w *surfaceWriter) below(n int) string {
	i := w.r.IntN(len(w.indices) + 1)
	if i == len(w.indices) {
		return strconv.Itoa(w.r.IntN(n))
	}
	x := w.indices[i]
	switch {
	case x.most > n || x.most == 0:
		return strconv.Itoa(w.r.IntN(n))
	case w.r.IntN(5) == 0 && 2*(x.most-1) < n:
		return "(2 * " + x.name + ")"
	case w.r.IntN(4) == 0:
		return fmt.Sprintf("(%d - %s)", x.most-1+w.r.IntN(n-x.most+1), x.name)
	case w.r.IntN(5) == 0 && x.most < n:
		return fmt.Sprintf("(%s + %d)", x.name, 1+w.r.IntN(n-x.most))
	case n == w.k && w.r.IntN(4) == 0:
		return "(k - 1 - " + x.name + ")"
	}
	if y := w.indices[w.r.IntN(len(w.indices))]; y.most > 0 && x.most+y.most-1 <= n && w.r.IntN(3) == 0 {
		return "(" + x.name + " + " + y.name + ")"
	}
	return x.name
}

// with writes what is in the scope of an index below size.
func (w *surfaceWriter) with(format string, size int, write func() string) string {
	i := w.name("i")
	w.indices = append(w.indices, staticIndex{i, size})
	w.work *= max(1, size)
	text := write()
	w.work /= max(1, size)
	w.indices = w.indices[:len(w.indices)-1]
	return fmt.Sprintf(format, i, text)
}

// sized writes what is in the scope of an index, with the size of its loop, at most k.
func (w *surfaceWriter) sized(head string, least int, write func() string) string {
	size, text := w.k, "k"
	switch w.r.IntN(8) {
	case 0:
		size = max(least, w.r.IntN(4))
		text = strconv.Itoa(size)
	case 1:
		size, text = 2, "2"
		if w.r.IntN(2) == 0 {
			size, text = 5, "5"
		}
	case 2:
		if i := len(w.indices) - 1; i >= 0 && w.indices[i].most <= w.k {
			if x := w.indices[i]; least == 0 && w.r.IntN(2) == 0 {
				size, text = max(1, x.most-1), x.name
			} else {
				size, text = x.most, x.name+" + 1"
			}
		}
	}
	return w.with("("+head+" %s < "+text+" -> %s)", size, write)
}

// bound writes what is in the scope of names.
func (w *surfaceWriter) bound(names []named, write func() string) string {
	n := len(w.scope)
	w.scope = append(w.scope, names...)
	text := write()
	w.scope = w.scope[:n]
	return text
}

// find returns a name of a type, the last ones more often; "" if there is none.
func (w *surfaceWriter) find(t kind) string {
	var found []string
	for _, x := range w.scope {
		if x.kind == t && (w.in == 0 || !x.parameter || !t.isFunction()) {
			found = append(found, x.name)
		}
	}
	if len(found) == 0 {
		return ""
	}
	return found[max(w.r.IntN(len(found)), w.r.IntN(len(found)))]
}

// leaf writes a small expression of type R.
func (w *surfaceWriter) leaf() string {
	switch w.r.IntN(9) {
	case 0:
		return w.pick("0.5", "1", "0", "2", "0.5", "0", "(-0.3)")
	case 1:
		return w.numeral()
	case 2:
		if m := w.find(matrix); m != "" {
			return m + ".(" + w.below(w.k) + ").(" + w.below(w.k) + ")"
		}
	case 3, 4, 5:
		if v := w.find(vector); v != "" {
			return v + ".(" + w.below(w.k) + ")"
		}
	case 6:
		if n := len(w.indices); n > 0 && w.r.IntN(3) == 0 {
			if v := w.find(vector); v != "" {
				return w.guarded(v, w.indices[w.r.IntN(n)].name, w.indices[w.r.IntN(n)].name)
			}
		}
		if w.r.IntN(3) == 0 {
			return "C.(" + w.below(5) + ").(" + w.below(2) + ").(" + w.below(2) + ")"
		}
		if p := w.find(pair); p != "" {
			return "(" + w.pick("fst ", "snd ") + p + ")"
		}
	}
	return w.find(real)
}

// guarded writes component i of a vector, or one that stands near it, where there is one.
func (w *surfaceWriter) guarded(v, i, j string) string {
	return "(if " + strings.NewReplacer("V", v, "I", i, "J", j, "E", w.leaf(), "N", strconv.Itoa(1+w.r.IntN(2))).Replace(w.pick(
		"I >= N and I < k then V.(I - N) else E)", "I + N < k then V.(I + N) else E)", "I < k then V.(I) else E)",
		"not I = J - N and I + J < k then V.(I + J) else E)", "I < J or E > 0 or I >= k then E else V.(I - J))",
		"I >= k then E else if I + J < N then E else if I + J < k + N then V.(I + J - N) else 1)",
		"I + 1 < k and V.(I + 1) > E then V.(I + 1) else E)"))
}

// numeral writes a numeral that may depend on indices.
func (w *surfaceWriter) numeral() string {
	i, j := w.below(99), w.below(99)
	return w.pick("(0.1 * "+i+")", "(0.1 * "+i+")", "(0.1 * "+i+" - 0.2 * "+j+")", "(0.05 * "+i+" * "+j+")",
		"(0.1 + "+i+" / 9)", "(- "+i+")")
}

// component writes a product with a component of an input that the innermost index selects, mostly that one alone.
func (w *surfaceWriter) component() string {
	all, other := w.indices, w.leaf()
	if w.r.IntN(4) > 0 {
		w.indices = all[max(0, len(all)-1):]
		other = w.pick("s", "t", w.numeral(), "x.("+w.below(w.k)+")")
	}
	at := w.below(w.k)
	if _, err := strconv.Atoi(at); err == nil {
		at = w.below(w.k)
	}
	text := "(" + w.pick("x", "y", "q", "A.("+w.below(w.k)+")") + ".(" + at + ") * " + other + ")"
	w.indices = all
	return text
}

// selecting writes an element of a list over an index, whose index selects components of inputs beside comprehensions of its own, whose
// indices do too. In blocks, a component of the list's index once had the number that the index of another one has.
func (w *surfaceWriter) selecting(e kind) string {
	sum := func() string { return w.sized("sum", 0, w.component) }
	vec := func() string { return w.with("(vec %s < k -> %s)", w.k, w.component) }
	switch e {
	case real:
		return "(" + w.component() + w.pick(" * ", " + ") + sum() + ")"
	case pair:
		return "(" + w.component() + ", " + w.pick(sum(), w.component()+" * "+sum()) + ")"
	case vector:
		return "(" + w.component() + " * " + vec() + ")"
	}
	return "(" + w.component() + w.pick("", " * "+sum()) + ", " + vec() + ")"
}

// selectingFold writes a fold of elements that select components.
func (w *surfaceWriter) selectingFold(depth int) string {
	a, b, r, n := w.name("a"), w.name("b"), w.name("r"), 2+w.r.IntN(w.k-1)
	e := []kind{pair, row}[w.r.IntN(2)]
	list := w.with("(list %s < "+strconv.Itoa(n)+" -> %s)", n, func() string { return w.selecting(e) })
	second, number := named{name: b, kind: real}, b
	if e == row {
		second.kind, number = vector, w.pick(b+".("+w.below(w.k)+")", "sum "+b, "dot "+b+" x")
	}
	w.work *= 4
	body := w.bound([]named{{name: a, kind: real}, second, {name: r, kind: real, parameter: true}}, func() string {
		switch w.r.IntN(4) {
		case 0:
			return "tanh " + w.expr(real, depth)
		case 1:
			return "if " + w.condition(1) + " then " + r + " + " + a + " else " + r + " * " + number
		}
		return r + " * " + w.leaf() + " + " + a + " * " + number
	})
	w.work /= 4
	pattern := "(" + a + ", (" + b + " : " + kindText[second.kind] + "))"
	return "(fold (fun " + pattern + " " + r + " -> " + body + ") " + w.leaf() + " " + list + ")"
}

// ragged writes a fold of lists of different lengths in data.
func (w *surfaceWriter) ragged(depth int) string {
	a, b, l, n, r, s := w.name("a"), w.name("b"), w.name("l"), w.name("n"), w.name("r"), w.name("s")
	body := func(outer named) string {
		w.work *= 12
		defer func() { w.work /= 12 }()
		return w.bound([]named{outer, {name: b, kind: real}, {name: r, kind: real, parameter: true}}, func() string {
			return w.pick("sin (", "tanh (", "cos (") + w.expr(real, depth) + " + " + r + " * " + b + ")"
		})
	}
	if w.r.IntN(2) == 0 {
		over := body(named{name: a, kind: real})
		return "(let (" + a + ", " + l + ") = ga.(" + w.below(3) + ") in foldl (fun " + r + " [| " + b + ", _ |] -> " + over + ") " +
			w.leaf() + " " + l + ")"
	}
	over := body(named{name: a, kind: real})
	return "(fold (fun (" + a + ", " + l + ") " + s + " -> fold (fun " + n + " " + r + " -> fold (fun " + b + " " + r + " -> " + over + ") " +
		r + " " + n + ") (" + s + " * " + a + ") " + l + ") " + w.leaf() + " gb)"
}

// atom writes a small expression of a type.
func (w *surfaceWriter) atom(t kind) string {
	if t == real {
		return w.leaf()
	}
	if x := w.find(t); x != "" && w.r.IntN(4) > 0 {
		return x
	}
	a := w.name("a")
	switch t {
	case vector:
		return w.with("(vec %s < k -> %s)", w.k, w.leaf)
	case matrix:
		return w.with("(vec %s < k -> %s)", w.k, func() string { return w.with("vec %s < k -> %s", w.k, w.leaf) })
	case pair:
		return "(" + w.leaf() + ", " + w.leaf() + ")"
	case row:
		return "(" + w.leaf() + ", " + w.atom(vector) + ")"
	case option:
		return w.pick("None", "(Some "+w.leaf()+")")
	case tree:
		return w.pick("(Leaf "+w.leaf()+")", "(Node (Leaf "+w.leaf()+", Leaf "+w.leaf()+"))")
	case stream:
		return w.pick("Nil", "(Cons ("+w.atom(row)+", Nil))")
	case unary:
		return w.pick("sin", "neg", "tanh", "(fun "+a+" -> "+a+" * "+w.leaf()+")", "(fun _ -> "+w.leaf()+")", "(max 0)",
			"(( * ) "+w.leaf()+")", "relu", "swish")
	case binary:
		return w.pick("( * )", "min", "(+)", "(-)", "(fun "+a+" b -> "+a+" * "+w.leaf()+" + b)", "(fun "+a+" -> sin)",
			"hypot", "max")
	case reduce:
		return "(fun (" + a + " : R^k) -> " + a + ".(" + w.below(w.k) + ") * " + w.leaf() + ")"
	case layer:
		if w.k <= 8 && w.r.IntN(3) == 0 {
			return w.opening(w.k)
		}
		return "(fun (" + a + " : R^k) -> vec i < k -> tanh (" + a + ".(i) * " + w.leaf() + "))"
	}
	panic("no atom")
}

// expr writes an expression of a type, in parentheses if it is no atom.
func (w *surfaceWriter) expr(t kind, depth int) string {
	w.left--
	if depth <= 0 || w.left < 0 || w.work > 200 {
		return w.atom(t)
	}
	if !t.isFunction() || w.r.IntN(3) == 0 {
		if text := w.control(t, depth-1); text != "" {
			return text
		}
	}
	switch t {
	case real:
		return w.number(depth - 1)
	case vector:
		return w.vector(depth - 1)
	case matrix:
		switch w.r.IntN(5) {
		case 0:
			return "(transpose " + w.expr(matrix, depth-1) + ")"
		case 1:
			return w.with("(vec %s < k -> %s)", w.k, func() string { return w.expr(vector, depth-1) })
		case 2:
			return "(" + w.expr(matrix, depth-1) + w.pick(" + ", " - ", " * ") + w.pick(w.atom(matrix), w.leaf()) + ")"
		}
		return w.with("(vec %s < k -> %s)", w.k, func() string {
			return w.with("vec %s < k -> %s", w.k, func() string { return w.expr(real, depth-1) })
		})
	case pair:
		return "(" + w.expr(real, depth-1) + ", " + w.expr(real, depth-1) + ")"
	case row:
		return "(" + w.expr(real, depth-1) + ", " + w.expr(vector, depth-1) + ")"
	case option:
		return "(Some " + w.expr(real, depth-1) + ")"
	case tree:
		return "(Node (" + w.expr(tree, depth-2) + ", " + w.expr(tree, depth-1) + "))"
	case stream:
		return "(Cons (" + w.expr(row, depth-1) + ", " + w.expr(stream, depth-2) + "))"
	}
	return w.function(t, depth-1)
}

// function writes an expression of a type of functions.
func (w *surfaceWriter) function(t kind, depth int) string {
	w.defined++
	defer func() { w.defined-- }()
	a, b := w.name("a"), w.name("b")
	switch w.r.IntN(8) {
	case 0:
		return w.atom(t)
	case 1:
		if t == unary {
			return "(" + w.expr(binary, depth) + " " + w.expr(real, depth) + ")"
		}
	case 2:
		if t == unary {
			return "(compose " + w.expr(unary, depth) + " " + w.expr(unary, depth) + ")"
		}
		if t == reduce {
			return "(compose " + w.expr(reduce, depth) + " " + w.expr(layer, depth) + ")"
		}
	case 3:
		if (t == unary || t == layer) && !w.flat {
			return "(twice " + w.expr(t, depth) + ")"
		}
	}
	head, from := "(fun "+a+" -> ", []named{{name: a, kind: real, parameter: true}}
	to := real
	switch t {
	case binary:
		head, from = "(fun "+a+" "+b+" -> ", append(from, named{name: b, kind: real, parameter: true})
		if w.r.IntN(3) == 0 {
			head, from, to = "(fun "+a+" -> ", from[:1], unary
		}
	case reduce, layer:
		from[0].kind = vector
		head = "(fun (" + a + " : R^k) -> "
		if t == layer {
			to = vector
		}
	}
	w.work *= 2
	text := w.bound(from, func() string { return w.expr(to, depth) })
	w.work /= 2
	return head + text + ")"
}

// control writes an expression of any type by what goes with all types; "" if it is to be one of its own.
func (w *surfaceWriter) control(t kind, depth int) string {
	next := func() string { return w.expr(t, depth) }
	switch w.r.IntN(16) {
	case 0:
		of := w.anyKind(true)
		a, e := w.name("a"), w.expr(of, depth)
		parameter := slices.ContainsFunc(w.scope, func(x named) bool { return x.parameter && strings.Contains(e, x.name) })
		return "(let " + a + " = " + e + " in " + w.bound([]named{{name: a, kind: of, parameter: parameter}}, next) + ")"
	case 1:
		return "(if " + w.condition(depth) + " then " + next() + " else " + next() + ")"
	case 2, 3:
		return w.fold(t, depth)
	case 4:
		of := w.anyKind(true)
		if w.flat {
			of = real
		}
		a := w.name("a")
		typ := a
		if of != real {
			typ = "(" + a + " : " + kindText[of] + ")"
		}
		e := w.expr(of, depth)
		return "((fun " + typ + " -> " + w.bound([]named{{name: a, kind: of, parameter: true}}, next) + ") " + e + ")"
	case 5:
		a, b := w.name("a"), w.name("b")
		of, second := pair, real
		if w.r.IntN(2) == 0 {
			of, second = row, vector
		}
		e := w.expr(of, depth)
		return "(let (" + a + ", " + b + ") = " + e + " in " + w.bound([]named{{name: a, kind: real}, {name: b,
			kind: second}}, next) + ")"
	case 6:
		if w.flat || t.isFunction() {
			return ""
		}
		return w.match(t, depth)
	case 7:
		if t.isFunction() {
			return ""
		}
		return w.bind(t, depth)
	case 10: // a vector that a pattern opens
		n := 2 + w.r.IntN(7)
		names := w.opened(n, w.r.IntN(2) == 0)
		e := w.with("(vec %s < "+strconv.Itoa(n)+" -> %s)", n, func() string { return w.expr(real, depth) })
		if n == w.k && w.r.IntN(2) == 0 {
			e = w.expr(vector, depth)
		}
		body := w.bound(names, func() string { return w.mention(names) + next() })
		if names[0].parameter {
			return "((fun " + pattern(names) + " -> " + body + ") " + e + ")"
		}
		return "(let " + pattern(names) + " = " + e + " in " + body + ")"
	case 9: // numerals, whose duals have no names
		c, e, numeral := w.name("c"), w.name("e"), w.pick("0.5", "1", "0", "2")
		names := []named{{name: c, kind: real}, {name: e, kind: real}}
		if w.r.IntN(2) == 0 {
			return "(let " + c + " = " + numeral + " in " + w.bound(names[:1], next) + ")"
		}
		first := w.pick(numeral, w.leaf())
		return "(let (" + c + ", " + e + ") = (" + first + ", " + numeral + ") in " + w.bound(names, next) + ")"
	case 8:
		if !t.isFunction() && t != option && t != tree && t != stream {
			n, a := 1+w.r.IntN(3), w.name("a")
			if w.r.IntN(8) == 0 {
				n += 16
			}
			w.work *= n
			text := w.bound([]named{{name: a, kind: t, parameter: true}}, next)
			w.work /= n
			return fmt.Sprintf("(iter #%d (fun %s -> %s) %s)", n, a, w.tame(t, text), w.atom(t))
		}
	}
	return ""
}

// opened are new names of n components of a vector.
func (w *surfaceWriter) opened(n int, parameter bool) []named {
	names := make([]named, n)
	for i := range names {
		names[i] = named{name: w.name("v"), kind: real, parameter: parameter}
	}
	return names
}

// some is some of the components that a pattern binds, in any order: variables are numbered as they are mentioned.
func (w *surfaceWriter) some(names []named) string {
	var text strings.Builder
	for i, at := range w.r.Perm(len(names))[:1+w.r.IntN(len(names))] {
		if i > 0 {
			text.WriteString(w.pick(" + ", " - "))
		}
		text.WriteString(w.pick("", "0.3 * ", w.leaf()+" * ") + names[at].name)
	}
	return text.String()
}

// mention writes a let of a sum of some of the components that a pattern binds.
func (w *surfaceWriter) mention(names []named) string {
	a, text := w.name("a"), w.some(names)
	w.scope = append(w.scope, named{name: a, kind: real, parameter: names[0].parameter})
	return "let " + a + " = " + text + " in "
}

// opening writes a function of vectors of n components, which a pattern opens: its result has them in another order,
// some of them with others.
func (w *surfaceWriter) opening(n int) string {
	names := w.opened(n, true)
	order := w.r.Perm(n)
	if w.r.IntN(2) == 0 { // two change places
		slices.Sort(order)
		i, j := w.r.IntN(n), w.r.IntN(n)
		order[i], order[j] = j, i
	}
	parts := make([]string, n)
	w.bound(names, func() string {
		for i, at := range order {
			parts[i] = names[at].name
			if w.r.IntN(3) == 0 {
				parts[i] = "tanh (" + parts[i] + " + " + w.pick(w.some(names), w.leaf()) + ")"
			}
		}
		return ""
	})
	return "(fun " + pattern(names) + " -> [| " + strings.Join(parts, ", ") + " |])"
}

// pattern is the pattern of a vector with components of these names.
func pattern(names []named) string {
	parts := make([]string, len(names))
	for i, x := range names {
		parts[i] = x.name
	}
	return "[| " + strings.Join(parts, ", ") + " |]"
}

// bind binds a list, and writes an expression that folds it.
func (w *surfaceWriter) bind(t kind, depth int) string {
	of := w.listKind()
	a := w.name("a")
	list, _ := w.list(of, t, depth)
	return "(let " + a + " = " + list + " in " + w.bound([]named{{name: a, kind: of, result: t, parameter: true}},
		func() string { return w.fold(t, depth) }) + ")"
}

func (w *surfaceWriter) listKind() kind {
	kinds := []kind{numbers, pairs, vectors, rows, pairs, rows, unaries}
	if w.flat {
		kinds = kinds[:6]
	}
	return kinds[w.r.IntN(len(kinds))]
}

// condition writes a condition.
func (w *surfaceWriter) condition(depth int) string {
	compare := func() string { return w.expr(real, depth) + w.pick(" < ", " > ", " <= ", " >= ") + w.leaf() }
	switch w.r.IntN(10) {
	case 0:
		return compare() + w.pick(" and ", " or ") + compare()
	case 1:
		return "not (" + compare() + ")"
	case 2:
		return w.leaf() + " = " + w.leaf()
	}
	return compare()
}

// match writes a match.
func (w *surfaceWriter) match(t kind, depth int) string {
	next := func(names ...named) string { return w.bound(names, func() string { return w.expr(t, depth) }) }
	a, b, c, v := w.name("a"), w.name("b"), w.name("c"), w.name("v")
	number := func(x string) named { return named{name: x, kind: real} }
	switch w.r.IntN(4) {
	case 0:
		return "(match " + w.expr(option,
			depth) + " with | None -> " + next() + " | Some " + a + " -> " + next(number(a)) + ")"
	case 1:
		return "(match " + w.expr(tree,
			depth) + " with | Leaf " + a + " -> " + next(number(a)) + " | Node (Leaf " + a + ", _) -> " + next(number(a)) +
			" | Node (" + b + ", " + c + ") -> " + next(named{name: b, kind: tree}, named{name: c, kind: tree}) + ")"
	case 2:
		return "(match (" + w.expr(option, depth) + ", " + w.expr(option,
			depth) + ") with | (Some " + a + ", Some " + b + ") -> " + next(number(a), number(b)) +
			" | _ -> " + next() + ")"
	}
	return "(match " + w.expr(stream,
		depth) + " with | Nil -> " + next() + " | Cons ((" + a + ", " + v + "), " + b + ") -> " +
		next(number(a), named{name: v, kind: vector}, named{name: b, kind: stream}) + ")"
}

// tame writes an expression of the type of a state such that the state of a loop stays small.
func (w *surfaceWriter) tame(t kind, text string) string {
	a, b := w.name("a"), w.name("b")
	switch t {
	case real:
		return "tanh " + text
	case vector:
		if w.k <= 8 && w.r.IntN(3) == 0 {
			return w.opening(w.k) + " (tanh " + text + ")"
		}
		return w.pick("tanh "+text, "let "+a+" = "+text+" in vec i < k -> sin "+a+".(i)")
	case pair:
		return "let (" + a + ", " + b + ") = " + text + " in " + w.pick("(tanh "+a+", sin "+b+")", "("+b+", tanh "+a+")")
	case row:
		return "let (" + a + ", " + b + ") = " + text + " in (tanh " + a + ", tanh " + b + ")"
	}
	return text
}

// list writes a list with elements of a type, whose folds give t. Polymorphic says whether they may give another type.
func (w *surfaceWriter) list(of, t kind, depth int) (text string, polymorphic bool) {
	e := elements[of]
	next := func() string { return w.expr(e, depth) }
	size := w.r.IntN(4)
	if w.r.IntN(20) == 0 {
		size = 9 + w.r.IntN(12)
	}
	switch w.r.IntN(8) {
	case 0, 1:
		for _, i := range w.r.Perm(len(w.scope)) {
			if x := w.scope[i]; x.kind == of && of >= numbers && (x.any || x.result == t) && (w.in == 0 || x.any) {
				return x.name, x.any
			}
		}
	case 2:
		text := "[" + w.atom(e)
		for range min(size, 3) {
			text += "; " + next()
		}
		return text + "]", true
	case 3:
		a, from := w.name("a"), w.listKind()
		if f := elements[from]; f == real || f == pair {
			list, any := w.list(from, t, depth-1)
			typ := "(" + a + " : " + kindText[f] + ")"
			return "(map (fun " + typ + " -> " + w.bound([]named{{name: a, kind: f, parameter: true}},
				next) + ") " + list + ")", any
		}
	case 4:
		if e == real || e == pair {
			a := w.name("a")
			list, any := w.list(of, t, depth-1)
			test := w.bound([]named{{name: a, kind: e, parameter: true}}, func() string { return w.expr(real, depth) })
			return "(filter (fun (" + a + " : " + kindText[e] + ") -> " + test + ") " + list + ")", any
		}
	case 5:
		if list, any := w.list(of, t, depth-1); any && !w.flat {
			return "(rev " + list + ")", true
		}
	}
	if size == 0 && w.r.IntN(4) > 0 {
		size = w.k
	}
	switch {
	case e == real && w.r.IntN(8) == 0:
		next = w.numeral
	case e <= row && w.r.IntN(2) == 0:
		next = func() string { return w.selecting(e) }
	}
	return w.with("(list %s < "+strconv.Itoa(size)+" -> %s)", size, next), true
}

// fold writes a fold over a list.
func (w *surfaceWriter) fold(t kind, depth int) string {
	of := w.listKind()
	list, any := w.list(of, t, depth)
	a, b, r := w.name("a"), w.name("b"), w.name("r")
	parts, names := a, []named{{name: a, kind: elements[of], parameter: true}}
	var opened []named
	if (of == rows || of == vectors) && w.k <= 8 && w.r.IntN(2) == 0 {
		opened = w.opened(w.k, true)
	}
	switch {
	case of == pairs:
		parts, names = "("+a+", "+b+")", []named{{name: a, kind: real}, {name: b, kind: real}}
	case of == rows && opened != nil:
		parts, names = "("+a+", "+pattern(opened)+")", append(opened, named{name: a, kind: real})
	case of == rows:
		parts, names = "("+a+", ("+b+" : R^k))", []named{{name: a, kind: real}, {name: b, kind: vector}}
	case of == vectors && opened != nil:
		parts, names = pattern(opened), opened
	case of == vectors:
		parts = "(" + a + " : R^k)"
	case of == unaries:
		parts = "(" + a + " : R -> R)"
	}
	state := r
	if t != real {
		state = "(" + r + " : " + kindText[t] + ")"
	}
	w.work *= 4
	body := w.tame(t, w.bound(append(names, named{name: r, kind: t, parameter: true}), func() string {
		switch w.r.IntN(4) {
		case 0:
			if t == unary {
				return "(fun " + b + "' -> " + r + " (tanh (" + b + "' * " + w.leaf() + ")))"
			}
			if t == real && of == unaries {
				return "(" + a + " " + r + ")"
			}
		case 1:
			if t == stream {
				return "(Cons (" + w.atom(row) + ", " + r + "))"
			}
			if t == real && of == numbers {
				return "(" + r + " * " + w.leaf() + " + " + a + ")"
			}
		case 2, 3:
			if t == real && of == pairs {
				return "(" + r + " * " + w.leaf() + " + " + a + " * " + b + ")"
			}
		}
		if opened != nil {
			return "(" + w.mention(opened) + w.expr(t, depth) + ")"
		}
		return w.expr(t, depth)
	}))
	w.work /= 4
	start := w.atom(t)
	if w.r.IntN(4) == 0 {
		start = w.expr(t, depth)
	}
	if any && !w.flat && w.r.IntN(4) == 0 {
		return "(foldl (fun " + state + " " + parts + " -> " + body + ") " + start + " " + list + ")"
	}
	return "(fold (fun " + parts + " " + state + " -> " + body + ") " + start + " " + list + ")"
}

// number writes an expression of type R.
func (w *surfaceWriter) number(depth int) string {
	next := func() string { return w.expr(real, depth) }
	switch w.r.IntN(24) {
	case 0:
		return "(" + next() + " + " + next() + ")"
	case 1:
		return "(" + next() + " - " + next() + ")"
	case 2, 3, 4:
		return "(" + next() + " * " + next() + ")"
	case 5:
		return "(" + next() + " / (2 + sin " + next() + "))"
	case 6, 7:
		return "(" + w.pick("sin", "tanh", "sigmoid", "cos", "softplus", "relu", "abs", "atan", "neg",
			"erf") + " " + next() + ")"
	case 8:
		return w.pick("(exp (tanh ", "(sqrt (1 + abs ", "(log (2 + sin ", "(floor (3 * ", "(sign (-",
			"(step (0.1 + ") + next() + "))"
	case 9:
		return "(" + w.pick("min", "max") + " " + next() + " " + next() + ")"
	case 10:
		return w.pick("((tanh "+next()+")^"+w.pick("2", "3", "0", "1")+")", "(pow (1.5 + sin "+next()+") "+w.leaf()+")",
			"(-"+next()+")")
	case 11, 12, 13:
		return w.sized("sum", 0, next)
	case 14:
		return "(dot " + w.expr(vector, depth) + " " + w.expr(vector, depth) + ")"
	case 15:
		return "(" + w.pick("sum", "maximum", "logsumexp", "sum") + " " + w.expr(vector, depth) + ")"
	case 16:
		return w.derivative(depth)
	case 17:
		return w.scan(depth)
	case 18:
		if w.in == 0 {
			i := w.name("i")
			v, r := w.expr(vector, depth), w.name("r")
			w.work *= 4
			e := w.bound([]named{{name: r, kind: real, parameter: true}}, next)
			w.work /= 4
			return "(fold (fun " + i + " " + r + " -> tanh " + e + " * " + w.pick("pick "+v+" "+i,
				"sum (onehot k "+i+" * "+v+")", "(pick A "+i+").("+w.below(w.k)+")") + ") " + w.leaf() + " o)"
		}
	case 23:
		if n := 2 + w.r.IntN(7); w.r.IntN(2) == 0 {
			return fmt.Sprintf("(iter #%d %s ", w.r.IntN(5), w.opening(n)) +
				w.with("(vec %s < "+strconv.Itoa(n)+" -> %s)", n, next) + ").(" + w.below(n) + ")"
		}
	case 19:
		return "(length " + w.pick("l", "[s; t]", "d") + " * " + next() + ")"
	case 20, 21, 22:
		if w.in+w.defined == 0 && w.r.IntN(3) == 0 { // jvp does not know the definition of such a list
			return w.ragged(depth)
		}
		return w.selectingFold(depth)
	}
	if w.flat {
		return w.sized("sum", 0, next)
	}
	switch w.r.IntN(5) {
	case 0:
		return "(" + w.expr(binary, depth) + " " + next() + " " + next() + ")"
	case 1:
		return "(" + w.expr(reduce, depth) + " " + w.expr(vector, depth) + ")"
	case 2:
		return "(" + w.pick("swish ", "hypot "+w.leaf()+" ") + next() + ")"
	}
	return "(" + w.expr(unary, depth) + " " + next() + ")"
}

// scan writes a number that a scan gives.
func (w *surfaceWriter) scan(depth int) string {
	n, a, b, v := 1+w.r.IntN(5), w.name("a"), w.name("b"), w.name("v")
	t := []kind{real, pair, vector}[w.r.IntN(3)]
	if t != vector && w.r.IntN(3) == 0 { // a loop
		n += 8
	}
	pattern, names, read := a, []named{{name: a, kind: t}}, v+".("+strconv.Itoa(n-1)+")"
	switch t {
	case pair:
		pattern, names, read = "("+a+", "+b+")", []named{{name: a, kind: real}, {name: b,
			kind: real}}, "fst "+v+".(0) * snd "+read
	case vector:
		read += ".(" + w.below(w.k) + ")"
	default:
		read = w.pick(read, "sum "+v)
	}
	start := w.expr(t, depth)
	body := w.with(fmt.Sprintf("scan %%s < %d with %s = %s -> %%s", n, pattern, start), n, func() string {
		return "(" + w.tame(t, w.bound(names, func() string { return w.expr(t, depth) })) + ")"
	})
	return "(let " + v + " = " + body + " in " + read + ")"
}

// derivative writes a number that a derivative gives.
func (w *surfaceWriter) derivative(depth int) string {
	a := w.name("a")
	if w.in > 1 || w.work > 16 {
		return w.leaf()
	}
	argument := func(of, t kind) string {
		w.in++
		w.work *= 4
		text := w.bound([]named{{name: a, kind: of}}, func() string { return w.expr(t, depth) })
		w.in--
		w.work /= 4
		return text
	}
	switch w.r.IntN(5) {
	case 0:
		return "(jvp (fun (" + a + " : R^k) -> " + argument(vector, real) + ") " + w.expr(vector,
			depth) + " " + w.atom(vector) + ")"
	case 1:
		return "(jvp (fun " + a + " -> " + argument(real,
			vector) + ") " + w.leaf() + " " + w.leaf() + ").(" + w.below(w.k) + ")"
	case 2:
		return "(grad (fun (" + a + " : R^k) -> " + argument(vector,
			real) + ") " + w.atom(vector) + ").(" + w.below(w.k) + ")"
	case 3:
		return "(grad (fun " + a + " -> " + argument(real, real) + ") " + w.leaf() + ")"
	}
	return "(jvp (fun " + a + " -> " + argument(real, real) + ") " + w.expr(real, depth) + " " + w.leaf() + ")"
}

// vector writes an expression of type R^k.
func (w *surfaceWriter) vector(depth int) string {
	switch w.r.IntN(9) {
	case 0:
		return "(matvec " + w.expr(matrix, depth) + " " + w.expr(vector, depth) + ")"
	case 1:
		return "(" + w.expr(vector, depth) + w.pick(" + ", " - ", " * ") + w.pick(w.atom(vector), w.leaf()) + ")"
	case 2:
		return "(" + w.pick("softmax", "tanh", "sin", "-") + " " + w.expr(vector, depth) + ")"
	case 3:
		if !w.flat {
			return "(" + w.expr(layer, depth) + " " + w.expr(vector, depth) + ")"
		}
	case 4:
		a, b := w.name("a"), w.name("b")
		e := w.bound([]named{{name: b, kind: real, parameter: true}}, func() string { return w.expr(real, depth) })
		return "(let (" + a + " : R^k) = " + w.expr(vector, depth) + " in map (fun " + b + " -> " + e + ") " + a + ")"
	case 5:
		return w.expr(matrix, depth) + ".(" + w.below(w.k) + ")"
	}
	return w.with("(vec %s < k -> %s)", w.k, func() string { return w.expr(real, depth) })
}
