package lang

import (
	"fmt"
	"runtime/debug"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang/elaborate"
)

// nest returns open repeated n times, middle, and end repeated n times.
func nest(n int, open, middle, end string) string {
	return strings.Repeat(open, n) + middle + strings.Repeat(end, n)
}

// chain joins n lines made from their numbers.
func chain(n int, line func(i int) string) string {
	var b strings.Builder
	for i := range n {
		b.WriteString(line(i))
	}
	return b.String()
}

// TestDepth elaborates programs nested in every way: as deep as they may be, or with
// many levels that don't count.
func TestDepth(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(32 << 20))
	const deep = 9_990
	million, many, left := 1_000_000, 200_000, deep // left takes as long as its square
	if !property.Full() {
		million, many, left = million/50, many/50, left/4
	}
	in := "input x = 1\n"
	for _, c := range []struct{ name, src string }{
		{"sums to the right", in + nest(deep, "x + (", "x", ")")},
		{"sums to the left", in + "x" + strings.Repeat(" + x", million)},
		{"numerals", nest(deep, "1 + (", "1", ")")},
		{"parentheses", in + nest(deep, "(", "x", ")")},
		{"minus", in + strings.Repeat("- ", deep) + "x"},
		{"annotations", in + nest(deep, "(", "x", " : R)")},
		{"lets", in + chain(many, func(i int) string { return fmt.Sprintf("let y%d = x in\n ", i) }) + "x"},
		{"a chain of lets", in + "let y0 = x in " + chain(many, func(i int) string { return fmt.Sprintf("let y%d = y%d * y%d in\n ", i+1, i, i) }) + "x"},
		{"lets in lets", in + nest(deep, "let y = ", "x", " in y")},
		{"let functions", in + chain(many, func(i int) string { return fmt.Sprintf("let f%d a = a in\n ", i) }) + "x"},
		{"pairs of pairs", in + "let y0 = x in " + chain(many, func(i int) string { return fmt.Sprintf("let y%d = (y%d, y%d) in\n ", i+1, i, i) }) + "x"},
		{"funs", strings.Repeat("fun a -> ", deep) + "a"},
		{"one fun", "fun" + strings.Repeat(" a", many) + " -> a"},
		{"applied funs", in + nest(deep/2, "(fun a -> ", "a", ") x")},
		{"applications", "fun f x -> " + nest(deep, "f (", "x", ")")},
		{"a spine", "fun f x -> f" + strings.Repeat(" x", many)},
		{"symbols", in + nest(deep, "sin (", "x", ")")},
		{"linear sums", "lin a -> " + nest(deep, "a + (", "a", ")")},
		{"linear lets", "lin y0 -> " + chain(many, func(i int) string { return fmt.Sprintf("let y%d = y%d - y%d / 2 in\n ", i+1, i, i) }) + "y0"},
		{"duals", "let y0 = lin a -> a in " + chain(many, func(i int) string { return fmt.Sprintf("let y%d = lin a -> y%d a + y%d a in\n ", i+1, i, i) }) + "y0"},
		{"a dual that is not known yet", "fun y -> lin a -> " + nest(deep, "y (", "a", ")")},
		{"functions that are not known yet", "fun" + chain(many, func(i int) string { return fmt.Sprintf(" y%d", i) }) + " -> lin a -> " +
			chain(many, func(i int) string { return fmt.Sprintf("y%d 1 * a + ", i) }) + "a"},
		{"functions that turn out to be one", "fun" + chain(many, func(i int) string { return fmt.Sprintf(" y%d", i) }) + " -> lin a -> " +
			chain(many, func(i int) string { return fmt.Sprintf("(let f = [y%d; y%d] in y%d 1 * a) + ", i, max(i, 1)-1, i) }) + "a"},
		{"tuples to the right", in + nest(deep, "(x, ", "x", ")")},
		{"tuples to the left", in + nest(deep, "(", "x", ", x)")},
		{"a wide tuple", in + "(x" + strings.Repeat(", x", million) + ")"},
		{"lists", in + nest(deep, "[", "x", "]")},
		{"vectors", in + nest(deep, "[|", "x", "|]")},
		{"ifs", in + nest(deep, "if x < 1 then x else ", "x", "")},
		{"projections", in + nest(deep, "[|", "x", "|]") + strings.Repeat(".(0)", deep)},
		{"projections of a variable", "fun (v : R" + strings.Repeat("^1", deep) + ") -> v" + strings.Repeat(".(0)", deep)},
		{"powers", in + nest(deep, "(", "x", ")^1")},
		{"comprehensions", in + strings.Repeat("sum i < 1 -> ", deep) + "x"},
		{"vectors of comprehensions", in + strings.Repeat("vec i < 1 -> ", deep) + "x"},
		{"a pattern to the right", "fun " + nest(deep, "(_, ", "b", ")") + " -> b"},
		{"a pattern to the left", "fun " + nest(left, "(", "b", ", _)") + " -> b"},
		{"a type", "fun (a : " + nest(deep/2, "R -> (", "R", ")") + ") -> a"},
		{"a type to the left", "fun (a : " + nest(deep, "(", "R", ") -> R") + ") -> a"},
		{"a vector type", "fun (a : R" + strings.Repeat("^1", deep) + ") -> a"},
		{"a type of lists", "fun (a : " + nest(deep/2, "List (", "R", ")") + ") -> a"},
		{"static sums", "#(" + nest(5000, "1 + (", "1", ")") + ")"},
		{"defs of defs", "def f0 x = x\n" + chain(many/4, func(i int) string { return fmt.Sprintf("def f%d x = f%d (x + 1)\n", i+1, i) }) + fmt.Sprintf("f%d 1", many/4)},
		{"names of defs", "def f0 = sin\n" + chain(many/4, func(i int) string { return fmt.Sprintf("def f%d = f%d\n", i+1, i) }) + fmt.Sprintf("f%d 1", many/4)},
		{"defs that are lets", in + "def y0 = sin x\n" + chain(many/4, func(i int) string { return fmt.Sprintf("def y%d = y%d * 2\n", i+1, i) }) + fmt.Sprintf("y%d", many/4)},
		{"a def in itself", in + "def f x = x * 2\n" + nest(deep, "f (", "x", ")")},
		{"twice", in + "def f g x = g (g x)\n" + nest(deep, "f sin (", "x", ")")},
		{"fst", in + nest(deep, "fst (", "x", ", 1)")},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			p, err := Load("deep.gram", []byte(c.src), Options{})
			require.NoError(t, err)
			require.NotZero(t, p.Term().Root)
			t.Log(time.Since(start), len(p.Term().Nodes))
		})
	}
}

// TestDefsTooDeep checks that definitions that nest too deep by their uses are an error with
// a place, and no overflow of the stack.
func TestDefsTooDeep(t *testing.T) {
	source := func(defs, deep int) string {
		return "input x = 1\ndef f0 x = sin x\n" + chain(defs, func(i int) string {
			return fmt.Sprintf("def f%d x = %s\n", i+1, nest(deep, "1 + sin (", fmt.Sprintf("f%d x", i), ")"))
		}) + fmt.Sprintf("f%d x", defs)
	}
	_, err := Load("deep.gram", []byte(source(10, 1000)), Options{})
	require.NoError(t, err)
	_, err = Load("deep.gram", []byte(source(30, 5000)), Options{})
	require.ErrorContains(t, err, "nest more than 131072 deep")
	require.ErrorIs(t, err, elaborate.ErrExpansion)
}

// TestTooDeep checks that a program that is nested too deep is an error with a place.
func TestTooDeep(t *testing.T) {
	_, err := Load("deep.gram", []byte(nest(1_000_000, "(", "1", ")")), Options{})
	require.ErrorContains(t, err, "deep.gram:1:10001: nested too deep")
}
