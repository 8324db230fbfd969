package syntax

import (
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
)

// sameTree returns where two files differ but for places, or "". It keeps its own stack.
func sameTree(f, g *File) string {
	if len(f.Decls) != len(g.Decls) || (f.Body == 0) != (g.Body == 0) {
		return "other declarations"
	}
	c := &comparer{f: f, g: g}
	for i := range f.Decls {
		a, b := &f.Decls[i], &g.Decls[i]
		if a.Kind != b.Kind || a.Name != b.Name || len(a.Params) != len(b.Params) || (a.Type == 0) != (b.Type == 0) {
			return "declaration " + a.Name
		}
		c.exprs([]Expr{a.Value}, []Expr{b.Value})
		c.pats(a.Params, b.Params)
		c.types(a.Type, b.Type)
	}
	c.exprs([]Expr{f.Body}, []Expr{g.Body})
	for len(c.stack) > 0 {
		p := c.stack[len(c.stack)-1]
		c.stack = c.stack[:len(c.stack)-1]
		if !c.same(p) {
			return fmt.Sprintf("%v", p)
		}
	}
	return ""
}

type comparer struct {
	f, g  *File
	stack []pair
	bad   bool
}

type pair struct {
	kind byte // e, p or t
	a, b uint32
}

func (c *comparer) exprs(a, b []Expr) {
	c.bad = c.bad || len(a) != len(b)
	for i := range min(len(a), len(b)) {
		c.stack = append(c.stack, pair{'e', uint32(a[i]), uint32(b[i])})
	}
}

func (c *comparer) pats(a, b []Pat) {
	c.bad = c.bad || len(a) != len(b)
	for i := range min(len(a), len(b)) {
		c.stack = append(c.stack, pair{'p', uint32(a[i]), uint32(b[i])})
	}
}

func (c *comparer) types(a, b TypeExpr) {
	c.bad = c.bad || (a == 0) != (b == 0)
	if a != 0 && b != 0 {
		c.stack = append(c.stack, pair{'t', uint32(a), uint32(b)})
	}
}

// same compares two nodes and adds their parts to the stack.
func (c *comparer) same(p pair) bool {
	switch p.kind {
	case 'e':
		a, b := c.f.Expr(Expr(p.a)), c.g.Expr(Expr(p.b))
		if a.Kind != b.Kind || a.Op != b.Op || a.Text != b.Text || a.Num != b.Num || len(a.Words) != len(b.Words) {
			return false
		}
		for i := range a.Words {
			c.bad = c.bad || a.Words[i].Text != b.Words[i].Text || a.Words[i].Kind != b.Words[i].Kind
		}
		c.exprs(c.f.Kids(Expr(p.a)), c.g.Kids(Expr(p.b)))
		c.pats(c.f.Pats(Expr(p.a)), c.g.Pats(Expr(p.b)))
		c.types(a.Type, b.Type)
	case 'p':
		a, b := c.f.Pat(Pat(p.a)), c.g.Pat(Pat(p.b))
		if a.Kind != b.Kind || a.Text != b.Text {
			return false
		}
		c.pats(c.f.PatKids(Pat(p.a)), c.g.PatKids(Pat(p.b)))
		c.types(a.Type, b.Type)
	case 't':
		a, b := c.f.Type(TypeExpr(p.a)), c.g.Type(TypeExpr(p.b))
		if a.Kind != b.Kind {
			return false
		}
		c.types(a.A, b.A)
		c.types(a.B, b.B)
		c.exprs([]Expr{a.Size}, []Expr{b.Size})
	}
	return !c.bad
}

// mustParse parses a program without errors.
// checkFormat formats a parsed file and checks the three promises: the same tree,
// the same comments, and nothing more to do.
func checkFormat(t testing.TB, f *File) []byte {
	t.Helper()
	out := formatted(t, f)
	g, ds, err := Parse("formatted", out, Options{})
	require.NoError(t, err)
	if len(ds) > 0 {
		t.Fatalf("formatting broke the program: %v\nfrom:\n%s", NewErrors(g, ds), f.Src)
	}
	if diff := sameTree(f, g); diff != "" {
		t.Fatalf("formatting changed the tree at %s\nfrom:\n%s\nto:\n%s", diff, f.Src, out)
	}
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSuffix(line, "\n"); strings.HasSuffix(line, " ") {
			t.Fatalf("formatting left a space at the end of %q\nfrom:\n%s", line, f.Src)
		}
	}
	if a, b := commentTexts(f), commentTexts(g); a != b {
		t.Fatalf("formatting changed the comments\nfrom:\n%s\nto:\n%s", f.Src, out)
	}
	if again := formatted(t, g); string(again) != string(out) {
		t.Fatalf("formatting twice differs\nfrom:\n%s\nonce:\n%s\ntwice:\n%s", f.Src, out, again)
	}
	return out
}

func commentTexts(f *File) string {
	var b strings.Builder
	for _, c := range f.Comments {
		b.WriteString(strings.TrimRight(f.Text(c), " \t\r") + "\n")
	}
	return b.String()
}

// TestFormat compares testdata/format/*.gram with *.golden; UPDATE=1 writes them.
func TestFormat(t *testing.T) {
	files, err := filepath.Glob("testdata/format/*.gram")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, name := range files {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		got := checkFormat(t, mustParse(t, string(src)))
		golden := strings.TrimSuffix(name, ".gram") + ".golden"
		if os.Getenv("UPDATE") != "" {
			require.NoError(t, os.WriteFile(golden, got, 0o644))
		}
		want, err := os.ReadFile(golden)
		require.NoError(t, err)
		assert.Equal(t, string(want), string(got), name)
	}
	// The examples are in the canonical form.
	examples, err := filepath.Glob("../../examples/*.gram")
	require.NoError(t, err)
	require.GreaterOrEqual(t, len(examples), 10)
	for _, name := range examples {
		src, err := os.ReadFile(name)
		require.NoError(t, err)
		assert.Equal(t, string(src), string(formatted(t, mustParse(t, string(src)))), name)
	}
}

func TestFormatExpressions(t *testing.T) {
	tests := []struct{ src, want string }{
		{"((a))", "a"},
		{"(a + b) + (c + d)", "a + b + (c + d)"},
		{"(a * b) + (c / d)", "a * b + c / d"},
		{"a*b+c", "a*b + c"},
		{"a* b", "a * b"},
		{"-(-x)", "- -x"},
		{"-(x^2)", "-x^2"},
		{"(-x)^2", "(-x)^2"},
		{"(f x)^2", "f x^2"},
		{"f (x^2)", "f (x^2)"},
		{"f (g x) (y)", "f (g x) y"},
		{"(f x) y", "f x y"},
		{"x^(n)", "x^n"},
		{"#(3)", "#3"},
		{"#(n+1)", "#(n + 1)"},
		{"1 + fun x -> x", "1 + (fun x -> x)"},
		{"(sum i < n -> i) * 2", "(sum i < n -> i) * 2"},
		{"if ((a)<b and (c=d)) then 1 else 2", "if a < b and c = d then 1 else 2"},
		{"if not((a<b)or c<(d))and not (e = f) then 1 else if (a<b or b<c) or (c<d and d<e) then 1 else 2",
			"if not (a < b or c < d) and not e = f then 1 else if a < b or b < c or c < d and d < e then 1 else 2"},
		{"if a < b and (c < d and e < f) then 1 else 2", "if a < b and (c < d and e < f) then 1 else 2"},
		{"(scan i<n with (a,b)=(1,2) -> (b,a)) .(0)", "(scan i < n with (a, b) = (1, 2) -> (b, a)).(0)"},
		{"1+scan i<n with x=f 0->vec j<2->x", "1 + (scan i < n with x = f 0 -> vec j < 2 -> x)"},
		{"scan i < 3\n with x -- c\n = 0 -> x", "scan i < 3 with x =  -- c\n  0 -> x"},
		{"match t with | A->(scan i<2 with x=0->match x with | y->y) | B->2",
			"match t with | A -> (scan i < 2 with x = 0 -> match x with | y -> y) | B -> 2"},
		{"(*)", "( * )"},
		{"( - )", "(-)"},
		{"let (x : R) = 1 in x", "let x : R = 1 in x"},
		{"let f x = (x : R) in f", "let f x : R = x in f"},
		{"if (a) < (b) then (1) else (2)", "if a < b then 1 else 2"},
		{"(x : (R -> R) -> (R -> R))", "(x : (R -> R) -> R -> R)"},
		{"(x : (R * R) * (R * R))", "(x : (R * R) * R * R)"},
		{"(x : List (R^2) * (List R)^2)", "(x : List R^2 * (List R)^2)"},
		{"(x : R ⊸ R^(2))", "(x : R -o R^2)"},
		{"[ ]", "[]"},
		{"[|1,2|]", "[| 1, 2 |]"},
		{"(a,(b),c)", "(a, b, c)"},
		{"fun [|x,_|] ( y ,z)->x", "fun [| x, _ |] (y, z) -> x"},
		{"x . (0)"[:1] + " .(0)", "x.(0)"},
		{"(size xs)^2", "(size xs)^2"},
		{"f (size xs)", "f (size xs)"},
		{"size xs * 2", "size xs * 2"},
		{"let x = 1 in\n\n\nx", "let x = 1 in\n\nx"},
		{"x -- c", "x  -- c"},
		{"f -- c\n x", "f  -- c\n  x"},
		{"f\n -- c\n x", "f\n  -- c\n  x"},
	}
	for _, tt := range tests {
		got := checkFormat(t, mustParse(t, tt.src))
		assert.Equal(t, tt.want+"\n", string(got), "%s", tt.src)
	}
}

// TestFormatComments aligns comments behind neighbouring declarations.
func TestFormatComments(t *testing.T) {
	src := `
input a = 0.5 -- one
input beta  = -0.5  -- two
input c = 1
input d = 1 -- three
-- four
input e   = 1 -- five

input eps = 1     -- six
input x = vec i < 1000000 -> sin i + sin i + sin i + sin i + sin i + sin i -- seven
a`
	want := `input a = 0.5      -- one
input beta = -0.5  -- two
input c = 1
input d = 1  -- three
-- four
input e = 1  -- five

input eps = 1  -- six
input x = vec i < 1000000 -> sin i + sin i + sin i + sin i + sin i + sin i  -- seven
a
`
	assert.Equal(t, want, string(checkFormat(t, mustParse(t, src))))
}

// TestFormatBroken returns what has errors as it is.
func TestFormatBroken(t *testing.T) {
	src := "def f  x = (\n"
	f, ds, _ := Parse("t", []byte(src), Options{})
	require.NotEmpty(t, ds)
	assert.Equal(t, src, string(formatted(t, f)))
}

// TestFormatDeep formats programs of up to a million levels in time and space that
// are linear in their length.
func TestFormatDeep(t *testing.T) {
	eachDeep(property.Size(MaxNest), func(name string, src []byte) {
		f, ds, err := Parse("deep.gram", src, Options{})
		require.NoError(t, err, name)
		require.Empty(t, ds, name)
		assert.LessOrEqual(t, len(formatted(t, f)), 60*len(src)+100, name)
	})
	defer debug.SetMaxStack(debug.SetMaxStack(maxStack))
	for _, src := range deepSources(property.Size(2_000)) {
		checkFormat(t, mustParse(t, string(src)))
	}
}

// TestFormatLinear checks that the work grows with the program and no faster.
func TestFormatLinear(t *testing.T) {
	steps := func(src []byte) int {
		fm := newFormatter(mustParse(t, string(src)), Options{})
		fm.file()
		return fm.steps
	}
	small, large := deepSources(1000), deepSources(8000)
	for name := range small {
		assert.LessOrEqual(t, steps(large[name]), 8*steps(small[name])+100, name)
	}
}

// TestFormatRandom formats random programs with random white space, comments and
// needless parentheses.
func TestFormatRandom(t *testing.T) {
	for seed := range property.Size(5_000) {
		checkFormat(t, mustParse(t, random(rand.New(rand.NewPCG(uint64(seed), 7)), 5+seed%200)))
	}
}

func formatted(t testing.TB, f *File) []byte {
	out, err := Format(f, Options{})
	require.NoError(t, err)
	return out
}
