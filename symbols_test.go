package gram_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/rule"
)

// TestDeclaredSymbols: the examples have the same values, derivatives of both orders and steps where they declare the symbols that they
// use, in all forms.
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
			declared, err := gram.Load(t.Context(), name, append([]byte(declarations), src...),
				gram.Options{Dir: "examples", Open: testprogram.FirstRows, Params: params[name]})
			require.NoError(t, err)
			require.NoError(t, bridge.Of(declared).Source().CheckSymbols())
			for _, opt := range forms {
				want, err := p.Gradient(t.Context(), opt)
				require.NoError(t, err)
				got, err := declared.Gradient(t.Context(), opt)
				require.NoError(t, err)
				require.Equal(t, want.Values, got.Values)
				require.Equal(t, want.Jacobian, got.Jacobian)
				require.Equal(t, want.Cost.Steps, got.Cost.Steps)
			}
			if p.Shape().Width() > 1 {
				return
			}
			product := func(p *gram.Program) []float64 {
				e, err := p.NewGradient(t.Context(), gram.EvalOptions{})
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

// TestSymbolDerivatives: derivatives of declared symbols, of orders up to three, are what one computes by hand.
func TestSymbolDerivatives(t *testing.T) {
	cube := "symbol cube x = x ^ 3 with 3 * x * x\n"
	area := "symbol area x y = let s = x + y in s * s / 2 with x + y, x + y\n"
	hull := "symbol hull x y z = x * y + z with y, x, 1\n"
	for _, c := range []struct {
		src             string
		value, gradient float64
	}{
		{cube + "cube x", 8, 12},
		{cube + "cube' x", 12, 12},
		{cube + "jvp cube x 1", 12, 12},
		{cube + "jvp (jvp cube x) 1 1", 12, 12},
		{cube + "def d f x = jvp f x 1\nd (d cube) x", 12, 6},
		{cube + "sum (cube [| x, 1 |])", 9, 12},
		{cube + "input y : R = cube 2\ncube x + 0 * y", 8, 12},
		{area + "area x (x * x)", 18, 30}, // (x + x²)²/2
		{area + "let (u, v) = grad (fun (y, z) -> area (x * y) z) (1, x) in u * v", 32, 48},
		{area + "(grad (fun y -> area'1 y x * y) 3) * x", 16, 10}, // 2y + x
		{area + "foldl area 0 [x; x]", 8, 12},                     // (x²/2 + x)²/2
		{"symbol first x y = x with 1, 0\nfirst (x * x) 7", 4, 4},
		{"symbol straight x = step x with 1\nstraight x * x", 2, 3}, // the declared derivative is another than that of step
		{hull + "hull x 1 3", 5, 1},
		{hull + "hull (x * x) x (hull 1 x x)", 12, 14},              // x³ + 2x
		{hull + "(grad (fun y -> hull y (y * x) y) 3) * x", 26, 25}, // 2xy + 1
		{hull + "jvp (fun y -> jvp (fun z -> hull z (z * y) z) y 1) x 1", 8, 4},
		{hull + "let f = hull x in #40 (fun h -> f h 1 / 2) x", 22, 236},
		{hull + "fold (fun y h -> hull h x y / 3 - y / 3) x [2; 3]", 8. / 9, 4. / 3},
		{hull + "sum (vec i < 2 -> hull x i x)", 6, 3},
		{hull + "def rec f y = if y > 9 then y else f (hull y x 1)\nf 1", 15, 17},
		{hull + "input y : R = hull 1 2 3\nhull y x x", 12, 6},
		{hull + "symbol mean a b c d = hull a b (c + d) / 4 with b / 4, a / 4, 1 / 4, 1 / 4\nmean x x x x + 2 * mean'3 1 2 3 4", 2.5, 1.5},
		{hull + "symbol both x y = hull x y 1 / 8 + hull x x 1 / 8 with y / 8 + x / 4, x / 8\n#4000 (fun h -> both x h) 1", 1, 5. / 6},
		{cube + "symbol sixth x = cube (cube x) / x ^ 3 with cube (2 * x) * cube' x * x / 4\nsixth x", 64, 384},
	} {
		p := load(t, "input x = 2\n"+c.src+"\n")
		if strings.HasPrefix(c.src, hull) {
			require.NoError(t, bridge.Of(p).Source().CheckSymbols(), c.src)
		}
		res, err := p.Gradient(t.Context(), gram.EvalOptions{})
		require.NoError(t, err, c.src)
		require.InDelta(t, c.value, res.Values[0], 1e-12, c.src)
		require.InDelta(t, c.gradient, res.Jacobian[0], 1e-12, c.src)
		for _, opt := range append(forms[1:], gram.EvalOptions{Strategy: gram.Modular}, gram.EvalOptions{Mode: gram.Forward}, gram.EvalOptions{Mode: gram.Tape}) {
			got, err := p.Gradient(t.Context(), opt)
			require.NoError(t, err)
			if opt.Mode == gram.Reverse && opt.Strategy == gram.Direct {
				require.Equal(t, res.Cost.Steps, got.Cost.Steps, c.src)
			}
			require.InDelta(t, c.value, got.Values[0], 1e-12, c.src)
			require.InDelta(t, c.gradient, got.Jacobian[0], 1e-12, c.src)
		}
	}
}

// TestSymbolSteps: a declared symbol is one step (12), and its derivative another.
func TestSymbolSteps(t *testing.T) {
	p := load(t, "symbol f x = sin (x * x) + exp x with 2 * x * cos (x * x) + exp x\ninput x = 2\nf x\n")
	value, err := p.Value(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 1, value.Cost.Steps[rule.Function])
	require.Zero(t, value.Cost.Steps[rule.Plus]+value.Cost.Steps[rule.Times])
	gradient, err := p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 2, gradient.Cost.Steps[rule.Function])

	// Of three parameters: m has one step for each of the two uses, and G three edges.
	p = load(t, "symbol f x y z = sin (x * y) + exp z with y * cos (x * y), x * cos (x * y), exp z\ninput x = 2\nf x 3 (f x x 1)\n")
	gradient, err = p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 2+6, gradient.Cost.Steps[rule.Function])
	bound, err := p.Bound(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.EqualValues(t, 2+6+3, bound.Graph)
}

// TestSymbolFinite: what a symbol of three parameters computes on the way to its value may be infinite.
func TestSymbolFinite(t *testing.T) {
	const f = "symbol f x y z = y / exp x + z with -y / exp x, 1 / exp x, 1\ninput x = 1000\n"
	p := load(t, f+"f x 1 2\n")
	res, err := p.Gradient(t.Context(), gram.EvalOptions{Finite: true})
	require.NoError(t, err)
	require.Equal(t, []float64{2}, res.Values)
	_, err = load(t, f+"f x 1 (exp x)\n").Value(t.Context(), gram.EvalOptions{Finite: true})
	require.ErrorContains(t, err, "exp")
	_, err = load(t, f+"f (-x) 1 2\n").Value(t.Context(), gram.EvalOptions{Finite: true})
	require.ErrorContains(t, err, "f ")
}

// TestSymbolKinks: a symbol whose value is computed at a kink is one.
func TestSymbolKinks(t *testing.T) {
	p := load(t, "symbol leaky x = max x (0.1 * x) with 0.1 + 0.9 * step x\ninput x = 0\nleaky x + leaky (x - 1)\n")
	kinks, err := p.Kinks(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.Len(t, kinks, 1)
	for k, n := range kinks {
		require.Equal(t, "leaky", k.Headline)
		require.Equal(t, 1, n)
		require.Equal(t, 3, k.Line)
	}
}
