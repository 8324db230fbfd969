package gram

import (
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// wave is a vector without pattern.
func wave(n int, phase float64) []float64 {
	v := make([]float64, n)
	for i := range v {
		v[i] = math.Sin(3*float64(i+1) + phase)
	}
	return v
}

func dot(u, v []float64) (sum float64) {
	for i := range u {
		sum += u[i] * v[i]
	}
	return sum
}

func norm(v []float64) float64 { return math.Sqrt(dot(v, v)) }

// scalars are the examples of type R without kinks.
func scalars(t testing.TB) []string {
	return slices.DeleteFunc(differentiable(t), func(name string) bool {
		return loadExample(t, name).Shape().Kind != load.Real
	})
}

// TestHessianVector: the Hessian-vector products of the examples are those of Fwd of Fwd, to 10⁻¹², and of differences
// of gradients, to 10⁻⁶; they are symmetric to 10⁻¹²; and they are the same in all forms of the machine.
func TestHessianVector(t *testing.T) {
	ctx := context.Background()
	for _, name := range scalars(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p := loadExample(t, name)
			e, err := p.NewGradient(ctx, EvalOptions{})
			require.NoError(t, err)
			defer e.Close()
			x := p.Point()
			u, v := wave(len(x), 1), wave(len(x), 2)
			product := func(e *Evaluator, v []float64) (float64, []float64) {
				res, err := e.HessianVector(ctx, x, v)
				require.NoError(t, err)
				return res.Values[0], slices.Clone(res.Jacobian)
			}
			gradient := func(x []float64) []float64 {
				res, err := e.Gradient(ctx, x)
				require.NoError(t, err)
				return slices.Clone(res.Jacobian)
			}
			along, hv := product(e, v)
			steps := e.Cost().Steps
			require.InDelta(t, dot(gradient(x), v), along, 1e-10*norm(gradient(x))*norm(v))
			require.NotEqual(t, steps, e.Cost().Steps) // these are the gradient's
			_, hu := product(e, u)
			res, err := e.HessianVector(ctx, x, slices.Concat(slices.Repeat(v, leastBatch), u))
			require.NoError(t, err)
			requireClose(t, slices.Concat(slices.Repeat(hv, leastBatch), hu), res.Jacobian, 1e-12)
			scale := math.Max(norm(hu)*norm(v), norm(hv)*norm(u))
			require.InDelta(t, dot(u, hv), dot(v, hu), 1e-12*scale)

			d, xs, vs := alongVector(t, p)
			twice, both, along2, err := revgrad.Tangent(d, slices.Concat(xs, vs), nil)
			require.NoError(t, err)
			got := denote.Eval(twice, slices.Concat(both, along2), duals(x, v, u, make([]float64, len(x))))
			require.InDelta(t, got[0].V, dot(u, hv), 1e-12*scale)

			h := 1e-6 * math.Max(1, norm(x)) / norm(v)
			up, down := slices.Clone(x), slices.Clone(x)
			for i := range x {
				up[i] += h * v[i]
				down[i] -= h * v[i]
			}
			differences, down := gradient(up), gradient(down)
			for i := range x {
				differences[i] = (differences[i] - down[i]) / (2 * h)
			}
			requireClose(t, differences, hv, 1e-6*math.Max(1, norm(hv)))

			for _, opt := range []EvalOptions{{NoFuse: true}, {Schedule: Random, Seed: 3}, {Mode: Tape}, {Literal: true}} {
				if opt.Literal && steps.Total() > 1e6 {
					continue
				}
				e, err := p.NewGradient(ctx, opt)
				require.NoError(t, err)
				_, other := product(e, v)
				requireClose(t, hv, other, 1e-9)
				if opt.Mode == Reverse {
					require.Equal(t, steps, e.Cost().Steps)
				}
				require.NoError(t, e.Close())
			}
		})
	}
}

// alongVector returns the derivative of a program along a vector, as a term.
func alongVector(t *testing.T, p *Program) (d *term.Term, xs, vs []term.Var) {
	q, inputs := bridge.Of(p).Copy()
	d, xs, vs, err := revgrad.Tangent(q, inputs, nil)
	require.NoError(t, err)
	return d, xs, vs
}

func duals(parts ...[]float64) (out []denote.Dual) {
	for _, x := range slices.Concat(parts...) {
		out = append(out, denote.Dual{V: x})
	}
	return out
}

// TestHessianVectorArrays: programs whose comprehensions run as arrays have Hessian-vector products that do, too.
func TestHessianVectorArrays(t *testing.T) {
	ctx := context.Background()
	p := mustLoad(t, `
param n = 40
input W : R^n^n = vec i < n -> vec j < n -> sin (i + 2 * j)
input x : R^n = vec i < n -> i / n
sum (map tanh (matvec W (tanh (matvec W x))))`)
	v := wave(len(p.Point()), 1)
	e, err := p.NewGradient(ctx, EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	res, err := e.HessianVector(ctx, p.Point(), v)
	require.NoError(t, err)
	cost := e.Cost()
	require.Less(t, cost.Nodes.Allocated, uint64(2*len(v)))
	other, err := p.NewGradient(ctx, EvalOptions{NoFuse: true})
	require.NoError(t, err)
	defer other.Close()
	want, err := other.HessianVector(ctx, p.Point(), v)
	require.NoError(t, err)
	requireClose(t, want.Jacobian, res.Jacobian, 1e-12)
	require.Equal(t, cost.Steps, other.Cost().Steps)

	p = mustLoad(t, "input x = 2\nlet a = vec b < 3 -> vec i < 3 -> vec j < 2 -> (x + j) ^ 2 * (b + i) in\n"+
		"sum b < 3 -> sum i < 2 -> sum j < 2 -> a.(b, i, j)") // rows that no index comes to
	rows, err := p.NewGradient(ctx, EvalOptions{})
	require.NoError(t, err)
	defer rows.Close()
	res, err = rows.HessianVector(ctx, p.Point(), []float64{1})
	require.NoError(t, err)
	require.Equal(t, []float64{36}, res.Jacobian)
}

// TestHessianVectorData: replaced data and closed evaluators.
func TestHessianVectorData(t *testing.T) {
	ctx := context.Background()
	p := mustLoad(t, "input a = 2\ndata xs : List R = [1; 2; 3]\nfold (fun x s -> s + a ^ 3 * x) 0 xs")
	e, err := p.NewGradient(ctx, EvalOptions{})
	require.NoError(t, err)
	product := func() float64 {
		res, err := e.HessianVector(ctx, p.Point(), []float64{1})
		require.NoError(t, err)
		return res.Jacobian[0]
	}
	require.Equal(t, 72.0, product())
	require.NoError(t, e.SetData("xs", []float64{0, 0, 1}))
	require.Equal(t, 12.0, product())
	require.NoError(t, e.SetData("xs", []float64{0, 0, 2}))
	require.Equal(t, 24.0, product())
	_, err = e.HessianVector(ctx, p.Point(), nil)
	require.ErrorContains(t, err, "the vector has length 0, and the point 1")
	res, err := e.HessianVector(ctx, p.Point(), wave(20, 0))
	require.NoError(t, err)
	for i, x := range wave(20, 0) {
		require.InDelta(t, 24*x, res.Jacobian[i], 1e-12)
	}
	require.NoError(t, e.Close())
	_, err = e.HessianVector(ctx, p.Point(), []float64{1})
	require.ErrorIs(t, err, ErrClosed)

	e, err = mustLoad(t, "1 + 2").NewGradient(ctx, EvalOptions{}) // no inputs
	require.NoError(t, err)
	res, err = e.HessianVector(ctx, nil, nil)
	require.NoError(t, err)
	require.Empty(t, res.Jacobian)
}

// TestKinks: at points where Kinks finds nothing, gradients agree with central differences. The points are apart from
// kinks by more than the step of the differences, or at them.
func TestKinks(t *testing.T) {
	ctx := context.Background()
	grid := []float64{-1.5, -1, -0.5, 0, 0.25, 0.5, 1, 2}
	right, wrong, choices := 0, 0, 0
	for _, body := range []string{
		"if x < 0 then 0 else if 0 < x then 0 else x",
		"relu (x + y) * abs (x - y)",
		"min (x * y) x + max x (sin y)",
		"sqrt (x * x) + sign (y - 1) * x",
		"fold (fun e s -> if s < e * x then s + y else abs (s - x)) y [0.5; 1; 2]",
		"floor (2 * x) * y + step y * x^2",
		"pow (abs x) 1.5 + pow y 3",
	} {
		for _, x := range grid {
			for _, y := range grid {
				p, err := Load(ctx, "test.gram", []byte("input x = 0\ninput y = 0\n"+body),
					Options{Values: map[string][]float64{"x": {x}, "y": {y}}})
				require.NoError(t, err)
				res, err := p.Gradient(ctx, EvalOptions{})
				require.NoError(t, err)
				kinks, err := p.Kinks(ctx, EvalOptions{})
				require.NoError(t, err)
				q, inputs := bridge.Of(p).Copy()
				differences := denote.Differences(q, inputs, p.Point())
				agree := true
				for i := range differences {
					agree = agree && math.Abs(differences[i]-res.Jacobian[i]) < 1e-5*math.Max(1, math.Abs(differences[i]))
				}
				switch {
				case len(kinks) == 0:
					require.True(t, agree, "%s at %v, %v: %v instead of %v", body, x, y, res.Jacobian, differences)
					right++
				case agree:
					choices++
				default:
					wrong++
				}
			}
		}
	}
	require.Greater(t, right, 200)
	require.Greater(t, wrong, 20)
	t.Logf("%d right, %d choices that agree, %d that do not", right, choices, wrong)
}

// drawBody draws an expression of x and y, smooth but for conditionals and symbols with kinks.
func drawBody(t *rapid.T, depth int) string {
	if depth == 0 {
		return rapid.SampledFrom([]string{"x", "y", "0.5", "(x - y)", "(2 * y)"}).Draw(t, "leaf")
	}
	form := rapid.SampledFrom([]string{"sin A", "tanh A", "abs A", "relu A", "(A + B)", "(A - B)", "(A * tanh B)",
		"(min A B)", "(max A B)",
		"(if A < B then C else D)", "(let z = A in z * tanh z + B)", "(fold (fun e s -> if s < e then s + A else sin s) B " +
			"[0; 1])"}).Draw(t, "form")
	for _, part := range []string{"A", "B", "C", "D"} {
		if strings.Contains(form, part) {
			form = strings.ReplaceAll(form, part, "("+drawBody(t, depth-1)+")")
		}
	}
	return form
}

// TestPropertyKinks: the same for random programs at random points. Where slopes to the left and to the right differ, a
// kink is nearer than the step of the differences.
func TestPropertyKinks(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		ctx := t.Context()
		number := rapid.OneOf(rapid.IntRange(-512, 512), rapid.SampledFrom([]int{-256, 0, 128, 256}))
		point := []float64{float64(number.Draw(t, "x")) / 256, float64(number.Draw(t, "y")) / 256}
		p, err := Load(ctx, "test.gram", []byte("input x = 0\ninput y = 0\n"+drawBody(t, 3)),
			Options{Values: map[string][]float64{"x": point[:1], "y": point[1:]}})
		require.NoError(t, err)
		res, err := p.Gradient(ctx, EvalOptions{})
		require.NoError(t, err)
		kinks, err := p.Kinks(ctx, EvalOptions{})
		require.NoError(t, err)
		if len(kinks) > 0 {
			return
		}
		e, err := p.NewValue(ctx, EvalOptions{})
		require.NoError(t, err)
		defer e.Close()
		const h = 1e-5
		for i, derivative := range res.Jacobian {
			var at [3]float64 // at x-h, x and x+h
			for k := range at {
				moved := slices.Clone(point)
				moved[i] += float64(k-1) * h
				res, err := e.Value(ctx, moved)
				require.NoError(t, err)
				at[k] = res.Values[0]
			}
			left, right := (at[1]-at[0])/h, (at[2]-at[1])/h
			if scale := max(1, math.Abs(left), math.Abs(right)); math.Abs(right-left) < 1e-2*scale {
				require.InDelta(t, (left+right)/2, derivative, 1e-4*scale)
			}
		}
	})
}
