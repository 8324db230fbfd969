package syntax

import (
	"runtime/debug"
	"slices"
	"strings"

	"github.com/gram-machine/gram/internal/property"
)

// deepProgram is a deep program: a repeated opening, a middle and a repeated closing.
type deepProgram struct{ Name, Open, Mid, Close string }

// Source returns the program with n levels.
func (d deepProgram) source(n int) []byte {
	return []byte(strings.Repeat(d.Open, n) + d.Mid + strings.Repeat(d.Close, n))
}

// deeps are deep programs whose expressions nest.
var deeps = []deepProgram{
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
	deepProgram
}{
	{"fun ", " -> x", deepProgram{"pattern", "(x, ", "y", ")"}},
	{"fun ", " -> x", deepProgram{"vector pattern", "[| ", "y", " |]"}},
	{"fun ", " -> x", deepProgram{"annotated pattern", "(", "y", " : R)"}},
	{"(x : ", ")", deepProgram{"type", "(", "R", ")"}},
	{"(x : ", ")", deepProgram{"arrows", "R -> ", "R", ""}},
	{"(x : ", ")", deepProgram{"products to the left", "(", "R", ") * R"}},
	{"(x : ", ")", deepProgram{"List", "List ", "R", ""}},
	{"(x : ", ")", deepProgram{"vector types", "", "R", "^2"}},
	{"x^(", ")", deepProgram{"size", "(", "n", ")"}},
	{"x^(", ")", deepProgram{"size sum", "n + ", "n", ""}},
	{"x.(", ")", deepProgram{"size to the right", "n - (", "n", ")"}},
}

// deepSources returns every deep program with n levels.
func deepSources(n int) map[string][]byte {
	out := map[string][]byte{}
	for _, d := range deeps {
		src := d.source(n)
		if d.Name == "list" {
			src = append(src, ']')
		}
		out[d.Name] = src
	}
	for _, d := range deepParts {
		out[d.Name] = []byte(d.head + string(d.source(n)) + d.tail)
	}
	return out
}

// unbounded are the programs whose levels don't count as nested.
var unbounded = []string{"sum", "list", "spine", "let in body", "projections", "vector types", "size sum"}

// maxStack is the stack in which the deepest programs are parsed and formatted.
const maxStack = 32 << 20

// eachDeep calls f with every deep program: a million levels where they don't count,
// and otherwise almost nest, which is as many as there may be.
func eachDeep(nest int, f func(name string, src []byte)) {
	defer debug.SetMaxStack(debug.SetMaxStack(maxStack))
	many := 1_000_000
	if !property.Full() {
		many = 50_000
	}
	for name, src := range deepSources(many) {
		if slices.Contains(unbounded, name) {
			f(name, src)
		}
	}
	for name, src := range deepSources(nest - 10) {
		f(name, src)
	}
}
