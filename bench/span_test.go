package bench_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/span"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// TestPropertySpanCounts: the evaluator makes the steps of the literal machine, by each rule, and computes its numbers: of
// random programs and their gradients, and of terms with dual λs of their own.
func TestPropertySpanCounts(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		opt := span.Options{Tree: rapid.Bool().Draw(t, "tree")}
		p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 100).Draw(t, "size"), Recursive: rapid.Bool().Draw(t, "recursive")})
		got, err := span.Value(p.Term, p.Inputs, p.Point, opt)
		require.NoError(t, err)
		prog, err := compile.NewValue(p.Term, p.Inputs, nil)
		require.NoError(t, err)
		requireValue(t, prog, p.Point, got)

		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		ty, err := p.Term.Check()
		require.NoError(t, err)
		outputs := 0
		if p.Term.Types.Kind(ty) == term.VecKind {
			outputs = p.Term.Types.Len(ty)
		}
		got, err = span.Gradient(d, p.Inputs, outputs, p.Point, opt)
		require.NoError(t, err)
		prog, err = compile.NewGradient(d, p.Inputs, outputs, nil)
		require.NoError(t, err)
		m, err := machine.New(prog, machine.Options{})
		require.NoError(t, err)
		defer m.Close()
		values := make([]float64, max(1, outputs))
		jacobian := make([]float64, len(values)*len(p.Point))
		require.NoError(t, m.Gradient(p.Point, values, jacobian))
		require.Equal(t, m.Stats().Counts, got.Counts)
		requireClose(t, values, got.Values)
		requireClose(t, jacobian, got.Jacobian)

		linear := property.Linear(t, rapid.IntRange(3, 150).Draw(t, "size of lin"))
		got, err = span.Value(linear, nil, nil, opt)
		require.NoError(t, err)
		prog, err = compile.NewValue(linear, nil, nil)
		require.NoError(t, err)
		requireValue(t, prog, nil, got)
	})
}

func requireValue(t *rapid.T, prog *compile.Program, point []float64, got *span.Result) {
	m, err := machine.New(prog, machine.Options{})
	require.NoError(t, err)
	defer m.Close()
	require.NoError(t, m.Value(point))
	values, _, err := m.Read(nil, nil)
	require.NoError(t, err)
	require.Equal(t, m.Stats().Counts, got.Counts)
	requireClose(t, values, got.Values)
}

func requireClose(t *rapid.T, want, got []float64) {
	require.Len(t, got, len(want))
	for i := range want {
		require.True(t, property.Close(want[i], got[i], 1e-9) || math.Abs(want[i]) > 1e9, "%v and %v", want, got)
	}
}

// spans returns the spans of a program's value and gradient.
func spans(t *testing.T, source string, tree bool) (value, gradient uint64) {
	t.Helper()
	p, err := gram.Load(t.Context(), "test", []byte(source), gram.Options{})
	require.NoError(t, err)
	opt := span.Options{Tree: tree}
	v, err := span.Value(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point(), opt)
	require.NoError(t, err)
	d, err := revgrad.Reverse(bridge.Of(p).Term(), nil)
	require.NoError(t, err)
	g, err := span.Gradient(d, bridge.Of(p).ScalarInputs(), 0, p.Point(), opt)
	require.NoError(t, err)
	return v.Span, g.Span
}

// TestSmall: chains that are short enough to be written down.
func TestSmall(t *testing.T) {
	for _, c := range []struct {
		source          string
		value, gradient uint64
	}{
		// Value: x (3n), (4). Gradient: x0 (3n), x (3), which needs the pair of x0 and its dual, (2), z* (3), and the dual (3), (1), (5).
		{"input x = 1\nx", 2, 7},
		// Value: x (3n), (6). Gradient: z* doesn't wait for the sum's number. Its (2) and (3), the sum's dual (3), (1); x* (3) in
		// the body, (11), and the dual of x (3), (1), (5).
		{"input x = 1\nx + x", 2, 9},
		// Value: x (3n), (12), y (3n), (8). Gradient: x0 (3n), x (3), (2), (3n), (12); y (3), (2), y* (3) in the body of the product's dual,
		// (11); the dual of the sine (3), (1), x* (3) in its body, and the dual of x (3), (1), (5).
		{"input x = 1\nlet y = sin x in y * y", 4, 15},
	} {
		v, g := spans(t, c.source, false)
		require.Equal(t, []uint64{c.value, c.gradient}, []uint64{v, g}, c.source)
	}
}

// TestRecurrent: the chains through n applications of a cell sigmoid(e·x + r·h).
//
// Value: the (3) of h, (8), (6), (12) for each. Gradient, forward: the (3) of h, its (2), the (3n) of its number, (8); the
// (3n) and (6) of the sum, and the (3n) and (12) of sigmoid. Backward, the duals of sigmoid, the sum and the product fire
// one after the other: (3) and (1), and the (3) of the next one's name in the body. What arrives at the weights of s
// sequences arrives sequence after sequence: by then the first sequence has ended, and (11) adds the n arrivals of each
// other one. The sum over the sequences makes s - 1 times (6).
func TestRecurrent(t *testing.T) {
	for _, s := range []uint64{1, 2, 8} {
		for _, n := range []uint64{3, 4, 7, 50} {
			v, g := spans(t, fmt.Sprintf("input e = 0.7\ninput r = 0.9\ndata a : List R = list i < %d -> sin i\n"+
				"sum i < %d -> fold (fun x h -> sigmoid (e * x + r * h)) (0.01 * i) a", n, s), false)
			require.Equal(t, 4*n+5+(s-1), v, "s = %d, n = %d", s, n)
			require.Equal(t, 17*n-5+(s-1)*n, g, "s = %d, n = %d", s, n)
		}
	}
}

// TestBatch: the chains through a balanced sum of n networks that share their weights, for n = 2^k. A level of the sum is
// a (6); backward, its dual fires by (3) and (1), and its body has the (3) of the next one's name. What arrives at a weight
// is added in n - 1 steps in a chain, or k in a tree.
func TestBatch(t *testing.T) {
	for k := uint64(3); k < 10; k++ {
		n := uint64(1) << k
		source := bench.Batch.Source(int(n))
		value, chain := spans(t, source, false)
		_, tree := spans(t, source, true)
		require.Equal(t, []uint64{k + 6, 3*k + n + 19, 3*k + k + 20}, []uint64{value, chain, tree}, "n = %d", n)
	}
}

// TestStatePassing: the contrast computes the same gradient, and passes its memory through all of it.
func TestStatePassing(t *testing.T) {
	for _, f := range []bench.Family{bench.Batch, bench.SumBalanced, bench.BalancedLogSumExp, bench.Chain} {
		var of [2]uint64
		for i, n := range []int{16, 64} {
			p, err := gram.Load(t.Context(), "test", []byte(f.Source(n)), gram.Options{})
			require.NoError(t, err)
			d, err := revgrad.Reverse(bridge.Of(p).Term(), nil)
			require.NoError(t, err)
			want, err := span.Gradient(d, bridge.Of(p).ScalarInputs(), 0, p.Point(), span.Options{})
			require.NoError(t, err)
			s, err := revgrad.StatePassing(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), nil)
			require.NoError(t, err)
			_, err = s.Check()
			require.NoError(t, err)
			got, err := span.Value(s, bridge.Of(p).ScalarInputs(), p.Point(), span.Options{})
			require.NoError(t, err)
			require.InDeltaSlice(t, want.Jacobian, got.Values[:len(want.Jacobian)], 1e-9)
			of[i] = got.Span
		}
		require.Greater(t, of[1], 4*of[0], f.Name)
	}
}

// TestSpanDepth: evaluations that are nested too deep are an error, and other panics pass.
func TestSpanDepth(t *testing.T) {
	for _, n := range []int{50, 200} {
		u := term.New(term.NewTypes())
		u.Root = u.Num(0, 1)
		for range n {
			u.Root = u.Fun(0, term.Sin, u.Root)
		}
		res, err := span.Value(u, nil, nil, span.Options{MaxDepth: 100})
		if n < 100 {
			require.NoError(t, err)
			require.Equal(t, uint64(n), res.Span)
			continue
		}
		var deep *span.UnknownError
		require.ErrorAs(t, err, &deep)
		require.EqualError(t, err, "the span is not known: more than 100 evaluations are nested")
	}
	u := term.New(term.NewTypes())
	u.Root = u.Num(0, 1)
	require.Panics(t, func() { _, _ = span.Value(u, nil, nil, span.Options{Check: func() error { panic("a fault") }}) })
}
