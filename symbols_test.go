package gram_test

import (
	"os"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
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
			require.NoError(t, declared.Source().CheckSymbols())
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
		{cube + "symbol sixth x = cube (cube x) / x ^ 3 with cube (2 * x) * cube' x * x / 4\nsixth x", 64, 384},
	} {
		p := load(t, "input x = 2\n"+c.src+"\n")
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
