package syntax

import (
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
)

// A deep program is a repeated opening, a middle and a repeated closing.
type deep struct{ name, open, mid, close string }

func (d deep) src(n int) []byte {
	return []byte(strings.Repeat(d.open, n) + d.mid + strings.Repeat(d.close, n))
}

var deeps = []deep{
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
	deep
}{
	{"fun ", " -> x", deep{"pattern", "(x, ", "y", ")"}},
	{"fun ", " -> x", deep{"vector pattern", "[| ", "y", " |]"}},
	{"fun ", " -> x", deep{"annotated pattern", "(", "y", " : R)"}},
	{"(x : ", ")", deep{"type", "(", "R", ")"}},
	{"(x : ", ")", deep{"arrows", "R -> ", "R", ""}},
	{"(x : ", ")", deep{"products to the left", "(", "R", ") * R"}},
	{"(x : ", ")", deep{"List", "List ", "R", ""}},
	{"(x : ", ")", deep{"vector types", "", "R", "^2"}},
	{"x^(", ")", deep{"size", "(", "n", ")"}},
	{"x^(", ")", deep{"size sum", "n + ", "n", ""}},
	{"x.(", ")", deep{"size to the right", "n - (", "n", ")"}},
}

// deepSources returns every deep program with n levels.
func deepSources(n int) map[string][]byte {
	out := map[string][]byte{}
	for _, d := range deeps {
		src := d.src(n)
		if d.name == "list" {
			src = append(src, ']')
		}
		out[d.name] = src
	}
	for _, d := range deepParts {
		out[d.name] = []byte(d.head + string(d.src(n)) + d.tail)
	}
	return out
}

// unbounded are the programs whose levels don't count as nested.
var unbounded = []string{"sum", "list", "spine", "let in body", "projections", "vector types", "size sum"}

// maxStack is the stack in which the deepest programs are parsed and formatted.
const maxStack = 32 << 20

// eachDeep calls f with every deep program: a million levels where they don't count,
// and otherwise almost as many as there may be.
func eachDeep(t *testing.T, f func(name string, src []byte)) {
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
	for name, src := range deepSources(maxNest - 10) {
		f(name, src)
	}
}

// TestTooDeep parses programs that are nested deeper than they may be.
func TestTooDeep(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(maxStack))
	for _, n := range []int{maxNest + 1, 100 * maxNest} {
		for name, src := range deepSources(n) {
			if slices.Contains(unbounded, name) {
				continue
			}
			f, ds, err := Parse("deep.gram", src, Options{})
			require.NoError(t, err, name)
			require.Len(t, ds, 1, name)
			require.Equal(t, "nested too deep", ds[0].Headline, name)
			require.Positive(t, ds[0].Span.Start, name)
			_, err = Format(f, Options{})
			require.NoError(t, err, name)
		}
	}
}

// TestDeep parses programs that are as deep as they may be, or have many levels that
// don't count.
func TestDeep(t *testing.T) {
	eachDeep(t, func(name string, src []byte) {
		f, ds, err := Parse("deep.gram", src, Options{})
		require.NoError(t, err, name)
		require.Empty(t, ds, name)
		require.NotZero(t, f.Body, name)
		for e := 1; e < len(f.exprs); e++ {
			for _, k := range f.Kids(Expr(e)) {
				if k >= Expr(e) {
					t.Fatalf("%s: a child after its parent", name)
				}
			}
		}
	})
}

// TestDeepErrors parses programs that are cut off or broken at depth.
func TestDeepErrors(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(maxStack))
	n := 50_000
	if !property.Full() {
		n = 5_000
	}
	for _, d := range deeps {
		for _, src := range [][]byte{
			[]byte(strings.Repeat(d.open, n)),
			[]byte(strings.Repeat(d.open, n) + d.mid + " )" + strings.Repeat(d.close, n)),
			[]byte(strings.Repeat(d.open, n) + " ; " + strings.Repeat(d.close, n/2)),
			[]byte(strings.Repeat(d.close+" "+d.open, n)),
		} {
			_, ds, err := Parse("deep.gram", src, Options{})
			require.NoError(t, err)
			assert.LessOrEqual(t, len(ds), maxDiagnostics)
		}
	}
}

// TestLinear checks that the work grows with the source and no faster.
func TestLinear(t *testing.T) {
	steps := func(src []byte) int {
		p := newParser("t", src, Options{})
		p.program()
		return p.guard.steps
	}
	small, large := deepSources(1000), deepSources(8000)
	for name := range small {
		a, b := steps(small[name]), steps(large[name])
		assert.LessOrEqual(t, b, 8*a+8, name)
		assert.LessOrEqual(t, b, 3*len(large[name])+8, name)
	}
}

// TestCheck ends a parse by the caller's check.
func TestCheck(t *testing.T) {
	src := deeps[0].src(1 << 20)
	calls := 0
	_, _, err := Parse("t", src, Options{Check: func() error { calls++; return nil }})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, calls, (2<<20)>>16)
	stop := errors.New("stop")
	calls = 0
	_, ds, err := Parse("t", src, Options{Check: func() error { calls++; return stop }})
	assert.ErrorIs(t, err, stop)
	assert.Empty(t, ds)
	assert.Equal(t, 1, calls)
}
