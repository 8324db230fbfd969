package engine_test

import (
	"errors"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/limits"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/revgrad"
)

// watching checks what a watched run tells against the arena.
type watching struct {
	tracing
	m        *engine.Machine
	sums     map[graph.Ref]float64
	arrivals map[graph.Ref]uint64
	factors  uint64
}

func (w *watching) rewrite(r *engine.Rewrite) error {
	if r.Instr != nil && !r.Instr.Opens() {
		w.computed(r)
	}
	return w.tracing.rewrite(r)
}

// computed checks that a number is what its operands make.
func (w *watching) computed(r *engine.Rewrite) {
	n := w.m.Node(r.At)
	require.Equal(w.t, graph.Num, n.Kind())
	var x []float64
	for _, v := range r.Operands {
		o := w.m.Node(v)
		x = append(x, o.Number())
	}
	var want float64
	switch r.Instr.Op {
	case graph.OpMul:
		want = x[0] * x[1]
	case graph.OpAdd:
		want = x[0] + x[1]
	case graph.OpSub:
		want = x[0] - x[1]
	case graph.OpFun1:
		want = r.Instr.Sym.Info().Eval1(x[0])
	case graph.OpFun2:
		want = r.Instr.Sym.Info().Eval2(x[0], x[1])
	default:
		require.Failf(w.t, "no number", "%s", r.Instr.Name())
	}
	require.Equal(w.t, math.Float64bits(want), math.Float64bits(n.Number()))
}

func (w *watching) arrive(a engine.Arrival) {
	require.Equal(w.t, w.last.Number, a.Step)
	w.arrivals[a.To]++
	w.sums[a.To] += a.Value
	if w.arrivals[a.To] > 1 {
		w.factors++
	}
}

// TestPropertyWatch: a watched run tells of each number what it was computed from, and of
// each dual what arrives at it: in the end the sums at the inputs are the gradient, and
// all arrivals at a dual but the first are a (11) each.
func TestPropertyWatch(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := generate.Draw(t, generate.Options{})
		for _, opt := range tracedOptions {
			opt.Limits.MaxSteps = maxSteps
			d, err := revgrad.Reverse(p.Term, nil)
			require.NoError(t, err)
			m, done := newMachine(t, d, p.Inputs, true, opt)
			defer done()
			w := &watching{tracing: tracing{t: t}, m: m, sums: map[graph.Ref]float64{}, arrivals: map[graph.Ref]uint64{}}
			values, jacobian := make([]float64, 1), make([]float64, len(p.Point))
			err = m.WatchGradient(p.Point, values, jacobian, &engine.Watch{Rewrite: w.rewrite, Arrive: w.arrive,
				Backward: func() { require.Empty(t, w.sums) }})
			var limit *limits.ReachedError
			if errors.As(err, &limit) {
				return
			}
			require.NoError(t, err)
			require.Equal(t, m.Stats().Counts, w.counts)
			require.Equal(t, w.counts[graph.Factor], w.factors)
			got := make([]float64, len(p.Point))
			for at, sum := range w.sums {
				if i := m.InputAt(at); i >= 0 {
					got[i] = sum
				}
			}
			for i := range got {
				require.True(t, generate.Close(jacobian[i], got[i], 1e-9) || math.IsNaN(got[i]), "%v %v", jacobian, got)
			}
		}
	})
}
