package lang

import (
	"runtime/debug"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/lang/load"
)

// TestStatic evaluates params.
func TestStatic(t *testing.T) {
	const before = "param n = 10\nparam i = 3\ndata xs = list i < 7 -> i\nparam p = "
	for expr, want := range map[string]uint64{
		"3": 3, "1e6": 1_000_000, "9007199254740992": 1 << 53, "n - 1 - i": 6, "(n + i) * 2 - size xs": 19, "n - n": 0,
		"0 * 9007199254740992 * 5": 0,
	} {
		p, err := declared(before+expr, Options{})
		require.NoError(t, err, expr)
		assert.Equal(t, want, p.Params[2].Value, expr)
	}
}

// TestShapes declares inputs and data of all shapes.
func TestShapes(t *testing.T) {
	for _, test := range []struct {
		typ   string
		width int
	}{
		{"R", 1},
		{"R^(3, 2)", 6},
		{"R * R^2", 3},
		{"(R * R^2) * R", 4},
		{"(R * R)^2", 4},
		{"R * R * R", 3},
		{"R^(3, 2) * R^1", 7},
		{"(R * R)^2 * (R * R^2)^(1, 3)", 13},
	} {
		set := load.SetValues("x", make([]float64, test.width))
		p, err := declared("input x : "+test.typ+" = 1", Options{Sets: []load.Setting{set}})
		require.NoError(t, err)
		shape := p.Inputs[0].Shape
		assert.Equal(t, test.typ, shape.String())
		assert.Equal(t, test.width, shape.Width())
		assert.False(t, shape.Equal(load.VectorShape(load.RealShape(), 99)))
	}
	assert.Equal(t, "?", (*load.Shape)(nil).String())
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
		p, err := declared(src, given{}.options(t))
		require.NoError(t, err)
		assert.Len(t, p.variable("x").Data, 1)
	}
	for _, test := range []struct{ src, want string }{
		{deep("- ", "", 9_900), ""},
		{deep("1 + ", "", 100_000), ""},
		{deep("let y = 1 in ", "", 100_000), "too deep"},
		{deep("fun y -> ", "", 9_900), "type not allowed here"},
		{deep("[| ", " |]", 9_900), ""},
		{deep("vec i < ", " -> 1", 1) + deep(" + 1", "", 100_000), ""},
		{deep("let y = ", " in y", 9_900), ""},
	} {
		_, err := declared("input x = "+test.src, Options{})
		if test.want == "" {
			assert.NoError(t, err)
			continue
		}
		assert.ErrorContains(t, err, test.want)
	}
	var chain strings.Builder
	chain.WriteString("def f0 x = x + 1\n")
	for i := 1; i <= 3000; i++ {
		n := strings.NewReplacer("A", itoa(i), "B", itoa(i-1))
		chain.WriteString(n.Replace("def fA x = fB (x + 1)\n"))
	}
	chain.WriteString("input x = f3000 0\n")
	p, err := declared(chain.String(), given{}.options(t))
	require.NoError(t, err)
	assert.Equal(t, []float64{3001}, p.variable("x").Data)
}

func TestDeepValues(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(128 << 20))
	for _, test := range []struct{ src, want string }{
		{"input x = iter #1000000 (fun p -> (p, 1)) 0", "infinite type"},
		{"input x = iter #1000000 (fun p -> (1, p)) 0", "infinite type"},
		{"input x = iter #1000000 (fun p -> [| p |]) 0", "infinite type"},
		{"input x : R = iter #1000000 (fun p -> [| p |]) 0", "infinite type"},
		{"input x = iter #1000000 (fun k s -> k (s + 1)) (fun s -> s) 0", "too many calls in one another"},
		{"def f x = [1; 2] (fun a k s -> k (s + a)) (fun s -> s) x\ninput x = (fun g -> g g) (fun g -> f (g g))", "infinite type"},
		{"data d : List R = (fun g -> g g) (fun g -> map g [g g])", "infinite type"},
	} {
		_, err := declared(test.src, given{}.options(t))
		assert.ErrorContains(t, err, test.want, test.src)
	}
}

func itoa(i int) string { return strconv.Itoa(i) }
