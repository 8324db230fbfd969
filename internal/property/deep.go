package property

import (
	"runtime/debug"
	"slices"
	"strings"
)

// Deep is a deep program: a repeated opening, a middle and a repeated closing.
type Deep struct{ Name, Open, Mid, Close string }

// Source returns the program with n levels.
func (d Deep) Source(n int) []byte {
	return []byte(strings.Repeat(d.Open, n) + d.Mid + strings.Repeat(d.Close, n))
}

// Deeps are deep programs whose expressions nest.
var Deeps = []Deep{
	{"sum", "x + ", "x", ""},
	{"sum to the right", "x + (", "x", ")"},
	{"parentheses", "(", "x", ")"},
	{"list", "", "[1", "; 2]"[:3]},
	{"lists", "[", "", "]"},
	{"vectors", "[| ", "x", " |]"},
	{"tuples", "(x, ", "x", ")"},
	{"fun", "fun x -> ", "x", ""},
	{"arguments", "f (", "x", ")"},
	{"spine", "f x ", "x", ""},
	{"if in else", "if x < y then x else ", "x", ""},
	{"if in then", "if x < y then ", "x", " else x"},
	{"if in the condition", "if ", "x", " < y then x else x"},
	{"let in body", "let x = y in ", "x", ""},
	{"let in value", "let x = ", "y", " in x"},
	{"minus", "- ", "x", ""},
	{"vec", "vec i < n -> ", "x", ""},
	{"lin", "lin a -> ", "a", ""},
	{"projections", "", "x", ".(0)"},
	{"projections of parentheses", "(", "x", ").(0)"},
	{"annotations", "(", "x", " : R)"},
	{"powers", "(", "x", ")^2"},
}

// deepParts nest something other than expressions.
var deepParts = []struct {
	head, tail string
	Deep
}{
	{"fun ", " -> x", Deep{"pattern", "(x, ", "y", ")"}},
	{"fun ", " -> x", Deep{"vector pattern", "[| ", "y", " |]"}},
	{"fun ", " -> x", Deep{"annotated pattern", "(", "y", " : R)"}},
	{"(x : ", ")", Deep{"type", "(", "R", ")"}},
	{"(x : ", ")", Deep{"arrows", "R -> ", "R", ""}},
	{"(x : ", ")", Deep{"products to the left", "(", "R", ") * R"}},
	{"(x : ", ")", Deep{"List", "List ", "R", ""}},
	{"(x : ", ")", Deep{"vector types", "", "R", "^2"}},
	{"x^(", ")", Deep{"size", "(", "n", ")"}},
	{"x^(", ")", Deep{"size sum", "n + ", "n", ""}},
	{"x.(", ")", Deep{"size to the right", "n - (", "n", ")"}},
}

// DeepSources returns every deep program with n levels.
func DeepSources(n int) map[string][]byte {
	out := map[string][]byte{}
	for _, d := range Deeps {
		src := d.Source(n)
		if d.Name == "list" {
			src = append(src, ']')
		}
		out[d.Name] = src
	}
	for _, d := range deepParts {
		out[d.Name] = []byte(d.head + string(d.Source(n)) + d.tail)
	}
	return out
}

// Unbounded are the programs whose levels don't count as nested.
var Unbounded = []string{"sum", "list", "spine", "let in body", "projections", "vector types", "size sum"}

// MaxStack is the stack in which the deepest programs are parsed and formatted.
const MaxStack = 32 << 20

// EachDeep calls f with every deep program: a million levels where they don't count,
// and otherwise almost nest, which is as many as there may be.
func EachDeep(nest int, f func(name string, src []byte)) {
	defer debug.SetMaxStack(debug.SetMaxStack(MaxStack))
	many := 1_000_000
	if !Full() {
		many = 50_000
	}
	for name, src := range DeepSources(many) {
		if slices.Contains(Unbounded, name) {
			f(name, src)
		}
	}
	for name, src := range DeepSources(nest - 10) {
		f(name, src)
	}
}
