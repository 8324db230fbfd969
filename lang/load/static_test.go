package load

import (
	"errors"
	"runtime/debug"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/syntax"
)

// TestStatic evaluates with a Lookup of the caller, as the elaborator does.
func TestStatic(t *testing.T) {
	names := map[string]Name{
		"n": {Kind: ParamName, Nat: 10}, "i": {Kind: IndexName, Nat: 3}, "xs": {Kind: DataName, Nat: 7, List: true},
		"bad": {Kind: BadName}, "x": {Kind: LocalName}, "c": {Kind: DataName, Nat: 1},
	}
	for _, test := range []struct {
		expr, want string
		n          uint64
	}{
		{expr: "3", n: 3},
		{expr: "1e6", n: 1_000_000},
		{expr: "9007199254740992", n: 1 << 53},
		{expr: "n - 1 - i", n: 6},
		{expr: "(n + i) * 2 - size xs", n: 19},
		{expr: "n - n", n: 0},
		{expr: "0 * 9007199254740992 * 5", n: 0},
		{expr: "i - n", want: "3 - 10 is negative"},
		{expr: "i - n + n", want: "3 - 10 is negative"},
		{expr: "x", want: "x is a variable"},
		{expr: "y", want: "y is not declared"},
		{expr: "size c", want: "c is no list"},
		{expr: "size x", want: "x is a variable"},
		{expr: "size y", want: "y is not declared"},
		{expr: "size n", want: "n is a param"},
		{expr: "c", want: "c is data"},
		{expr: "bad + 1", want: "reported already"},
		{expr: "size bad", want: "reported already"},
	} {
		f := parse(t, "param p = "+test.expr)
		s := Static{File: f, Lookup: func(name string) Name { return names[name] }}
		got, err := s.Nat(f.Decls[0].Value)
		if test.want != "" {
			var e *Error
			require.ErrorAs(t, err, &e)
			assert.Contains(t, err.Error(), test.want)
			continue
		}
		require.NoError(t, err, test.expr)
		assert.Equal(t, test.n, got, test.expr)
	}
}

func TestStaticSize(t *testing.T) {
	for expr, want := range map[string]string{"3": "", "0": "at least one", "1e12": "too large", "1 - 2": "negative"} {
		f := parse(t, "param p = "+expr)
		s := Static{File: f}
		n, err := s.Size(f.Decls[0].Value)
		if want == "" {
			require.NoError(t, err)
			assert.Equal(t, 3, n)
		} else {
			assert.ErrorContains(t, err, want)
		}
	}
}

func TestShapes(t *testing.T) {
	for _, test := range []struct {
		typ   string
		width int
	}{
		{"R", 1},
		{"R^2^3", 6},
		{"R * R^2", 3},
		{"(R * R^2) * R", 4},
		{"(R * R)^2", 4},
		{"R * R * R", 3},
		{"R^2^3 * R^1", 7},
		{"List R^4", 4},
		{"List (R * R)", 2},
		{"(R * R)^2 * (R * R^2)^3^1", 13},
	} {
		f := parse(t, "data x : "+test.typ+" = 1")
		s := Static{File: f, Lookup: func(string) Name { return Name{} }}
		shape, err := s.Shape(f.Decls[0].Type)
		require.NoError(t, err)
		assert.Equal(t, test.typ, shape.String())
		assert.Equal(t, test.width, shape.Width())
		again, err := s.Shape(f.Decls[0].Type)
		require.NoError(t, err)
		assert.True(t, shape.Equal(again))
		assert.False(t, shape.Equal(VectorShape(RealShape(), 99)))
	}
	assert.Equal(t, "?", (*Shape)(nil).String())
}

// TestDeepSources and what follows fail by a crash if the stack grows too much.
func TestDeepSources(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(128 << 20))
	deep := func(before, after string, n int) string {
		return strings.Repeat(before, n) + "1" + strings.Repeat(after, n)
	}
	for _, src := range []string{
		"input x = " + deep("- ", "", 9_000),
		"input x = " + deep("1 + ", "", 9_000),
		"input x = " + deep("let y = 1 in ", "", 9_000),
		"param n = " + deep("(1 + ", ")", 9_000) + "\ninput x = n",
	} {
		p, err := load(t, src, given{})
		require.NoError(t, err)
		assert.Len(t, p.variable("x").Value.Data, 1)
	}
	for _, src := range []string{
		deep("- ", "", 100_000),
		deep("1 + ", "", 100_000),
		deep("fun y -> ", "", 100_000),
		deep("[| ", " |]", 100_000),
		deep("vec i < ", " -> 1", 1) + deep(" + 1", "", 100_000),
		deep("let y = ", " in y", 100_000),
	} {
		f, _, err := syntax.Parse("deep", []byte("input x = "+src), syntax.Options{NoBody: true})
		require.NoError(t, err)
		_, err = Load(f, Options{})
		require.Error(t, err)
		var e *Error
		require.True(t, errors.As(err, &e))
	}
	var chain strings.Builder
	chain.WriteString("def f0 x = x + 1\n")
	for i := 1; i <= 3000; i++ {
		n := strings.NewReplacer("A", itoa(i), "B", itoa(i-1))
		chain.WriteString(n.Replace("def fA x = fB (x + 1)\n"))
	}
	chain.WriteString("input x = f3000 0\n")
	p, err := load(t, chain.String(), given{})
	require.NoError(t, err)
	assert.Equal(t, []float64{3001}, p.variable("x").Value.Data)
}

func TestDeepValues(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(128 << 20))
	for _, test := range []struct{ src, want string }{
		{"input x = iter #1000000 (fun p -> (p, 1)) 0", "type not allowed here"},
		{"input x = iter #1000000 (fun p -> (1, p)) 0", "type not allowed here"},
		{"input x = iter #1000000 (fun p -> [| p |]) 0", "type not allowed here"},
		{"input x : R = iter #1000000 (fun p -> [| p |]) 0", "but R is expected"},
		{"input x = iter #1000000 (fun k s -> k (s + 1)) (fun s -> s) 0", "too many calls in one another"},
		{"def f x = [1; 2] (fun a k s -> k (s + a)) (fun s -> s) x\ninput x = (fun g -> g g) (fun g -> f (g g))", "too many calls"},
		{"data d : List R = (fun g -> g g) (fun g -> map g [g g])", "too many calls"},
	} {
		_, err := load(t, test.src, given{})
		assert.ErrorContains(t, err, test.want, test.src)
	}
}

func itoa(i int) string { return formatNumber(float64(i)) }
