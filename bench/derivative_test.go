package bench_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/term"
)

// TestDerivative prints the derivative of each case, and holds its value against forward mode.
func TestDerivative(t *testing.T) {
	for _, c := range []struct{ text, want string }{
		{"x", "1"},
		{"c", "0"},
		{"x + 2 + c", "1"},
		{"x * x", "x·1 + x·1"},
		{"sin (x * c)", "∂1 sin(x·c)·(c·1)"},
		{"let y = c * x in y * y", "(y·(c·1) + y·(c·1))[y:=c·x]"},
		{"let y = c * c in y * y", "0"},
		{"let f = fun y -> sin y in f (f x)", "(f' (f x) (f' x 1))[f':=λy.λa.∂1 sin(y)·a][f:=λy.sin(y)]"},
		{"let f = fun y -> y * y in f x + f c", "(f' x 1)[f':=λy.λa.y·a + y·a][f:=λy.y·y]"},
		{"let f = fun y -> c in x * f x", "(f x·1 + x·f' x 1)[f':=λy.λa.0][f:=λy.c]"},
	} {
		p := load(t, "input x = 0.5\ninput c = 3\n"+c.text+"\n")
		xs := bridge.Of(p).ScalarInputs()
		d, err := bench.Derivative(bridge.Of(p).Term(), xs[0], limit, nil)
		require.NoError(t, err, c.text)
		require.Equal(t, c.want, plain(d.String()))
		typ, err := d.Check()
		require.NoError(t, err)
		require.Equal(t, term.R, typ)
		_, want := denote.Jacobian(bridge.Of(p).Term(), xs, p.Point())
		got := denote.Eval(d, xs, []denote.Dual{{V: 0.5}, {V: 3}})
		require.InDelta(t, want[0], got[0].V, 1e-12)
	}
}

// plain is a term without the numbers by which variables of one name are told apart.
func plain(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] == '#' {
			for i+1 < len(s) && '0' <= s[i+1] && s[i+1] <= '9' {
				i++
			}
			continue
		}
		b.WriteByte(s[i])
	}
	return b.String()
}

// TestDerivativeOfChains: with n sines in lets, the derivative is one product of n cosines, each of what
// is shared; with n squares, linear substitution copies, and it has 2ⁿ leaves.
func TestDerivativeOfChains(t *testing.T) {
	sines, squares := "input x = 0.5\n", "input x = 0.5\n"
	for n := range 10 {
		for _, c := range []struct {
			text string
			ones int
		}{{sines, 1}, {squares, 1 << n}} {
			p := load(t, c.text+"x\n")
			d, err := bench.Derivative(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs()[0], limit, nil)
			require.NoError(t, err)
			_, want := denote.Jacobian(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
			require.InDelta(t, want[0], denote.Eval(d, bridge.Of(p).ScalarInputs(), []denote.Dual{{V: 0.5}})[0].V, 1e-12)
			ones := 0
			for i := range d.Nodes {
				if k := &d.Nodes[i]; k.Op == term.NumOp && k.Val == 1 {
					ones++
				}
			}
			require.Equal(t, c.ones, ones)
		}
		sines += "let x = sin x in\n"
		squares += "let x = x * x in\n"
	}
	p := load(t, squares+"x\n")
	_, err := bench.Derivative(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs()[0], 1000, nil)
	require.ErrorContains(t, err, "more than 1000 nodes")
	stop := errors.New("stop")
	_, err = bench.Derivative(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs()[0], limit, func() error { return stop })
	require.ErrorIs(t, err, stop)
}

// TestNotFirstOrder: what has no derivative is told apart.
func TestNotFirstOrder(t *testing.T) {
	for text, want := range map[string]string{
		"if x < 0 then x else 1":                                "it has tuples, lists, conditionals or functions of a higher type",
		"(fun y -> y) x":                                        "what is applied is no function with a name (constructor 3)",
		"let f = fun y -> y * x in f x":                         "a function mentions x",
		"let y = x * x in let f = fun z -> z * y in f x":        "a function mentions y",
		"let f = fun y -> let g = fun z -> z + y in g y in f x": "a function mentions y",
		"let f = fun g -> g x in f sin":                         "what is applied is no function with a name (constructor 1)",
	} {
		p := load(t, fmt.Sprintf("input x = 0.5\n%s\n", text))
		_, err := bench.Derivative(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs()[0], limit, nil)
		require.EqualError(t, err, "not a first-order term: "+want, text)
	}
}
