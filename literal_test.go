package gram

import (
	"context"
	"math"
	"path/filepath"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
)

func TestLiteralExamples(t *testing.T) {
	files, _ := filepath.Glob("examples/*.gram")
	for _, f := range files {
		t.Run(filepath.Base(f), func(t *testing.T) {
			ctx := context.Background()
			opt := Options{Params: nil}
			p, err := LoadFile(ctx, f, opt)
			require.NoError(t, err)
			prog, err := machine.NewValue(p.Term(), p.ScalarInputs(), nil)
			require.NoError(t, err)
			m, err := machine.New(prog, machine.Options{Measure: testing.Verbose()})
			require.NoError(t, err)
			defer m.Close()
			require.NoError(t, m.Value(p.Point()))
			got, _, err := m.Read(nil, nil)
			require.NoError(t, err)
			ev, err := p.NewValue(ctx, EvalOptions{NoFuse: true})
			require.NoError(t, err)
			defer ev.Close()
			want, err := ev.Value(ctx, p.Point(), nil)
			require.NoError(t, err)
			require.Equal(t, want, got)
			require.Equal(t, ev.m.Stats().Counts, m.Stats().Counts)
			if !p.HasGradient() {
				return
			}
			d, err := revgrad.Reverse(p.Term(), nil)
			require.NoError(t, err)
			k := 0
			if p.Shape().Kind == VectorShape {
				k = p.Shape().Size
			}
			gprog, err := machine.NewGradient(d, p.ScalarInputs(), k, nil)
			require.NoError(t, err)
			g, err := machine.New(gprog, machine.Options{Measure: testing.Verbose()})
			require.NoError(t, err)
			defer g.Close()
			n := len(p.Point())
			vals, jac := make([]float64, max(1, k)), make([]float64, max(1, k)*n)
			require.NoError(t, g.Gradient(p.Point(), vals, jac))
			start := time.Now()
			require.NoError(t, g.Gradient(p.Point(), vals, jac))
			el := time.Since(start)
			s := g.Stats()
			if testing.Verbose() {
				for i, w := range s.Work {
					if w.Fired > 0 {
						t.Logf("%-14s %8d %6.2f most %d", machine.Move(i), w.Fired, float64(w.Words)/float64(w.Fired), w.Most)
					}
				}
			}
			tot := s.Counts.Total()
			t.Logf("%d steps, %.1f ns a step, peak %d nodes", tot, float64(el.Nanoseconds())/float64(tot), s.PeakNodes)
			eg, err := p.NewGradient(ctx, EvalOptions{NoFuse: true})
			require.NoError(t, err)
			defer eg.Close()
			wv, wj := make([]float64, max(1, k)), make([]float64, max(1, k)*n)
			require.NoError(t, eg.Gradient(ctx, p.Point(), wv, wj))
			require.Equal(t, eg.m.Stats().Counts, s.Counts)
			require.Equal(t, wv, vals)
			bits := 0
			for i := range wj {
				if math.Float64bits(wj[i]) != math.Float64bits(jac[i]) {
					bits++
					if bits < 3 {
						t.Logf("%v %v", wj[i], jac[i])
					}
				}
			}
			require.Zero(t, bits)
		})
	}
}
