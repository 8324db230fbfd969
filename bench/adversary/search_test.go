package adversary_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/adversary"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
)

func search(t *testing.T, ctx context.Context, opt adversary.Options) *adversary.Result {
	r, err := adversary.Search(ctx, opt)
	require.NoError(t, err)
	return r
}

// TestSearch: a seed gives the same result in each run, and each program that is printed has the figures that are printed.
func TestSearch(t *testing.T) {
	opt := adversary.Options{Seed: 1, Programs: property.Size(200)}
	r := search(t, t.Context(), opt)
	require.Equal(t, opt.Programs, r.Measured)
	require.Len(t, r.Findings, len(adversary.Objectives))
	require.Equal(t, r, search(t, t.Context(), opt))
	if opt.Seed = 2; property.Full() {
		require.NotEqual(t, r.Findings, search(t, t.Context(), opt).Findings)
	}
	requirePrinted(t, r)
}

// TestStored: the programs that the pages print have the figures that they print.
func TestStored(t *testing.T) {
	r, err := adversary.Stored()
	require.NoError(t, err)
	requirePrinted(t, r)
}

// requirePrinted runs the programs as they are printed, which is at the first scale.
func requirePrinted(t *testing.T, r *adversary.Result) {
	for _, f := range r.Findings {
		want := f.Figures[0]
		if want.OneStep > 0 {
			continue // reduced by the rewriter
		}
		p, err := gram.Load(t.Context(), "found.gram", []byte(f.Text), gram.Options{})
		require.NoError(t, err, f.Text)
		opt := gram.EvalOptions{Literal: true, Work: true}
		run := p.Gradient
		if want.Graph == 0 { // its value was measured
			run = p.Value
		}
		res, err := run(t.Context(), opt)
		require.NoError(t, err, f.Text)
		got := adversary.Figures{Scale: want.Scale, Symbols: uint64(bridge.Of(p).Term().Size()) + uint64(len(bridge.Of(p).ScalarInputs())), Inputs: uint64(len(bridge.Of(p).ScalarInputs())),
			Steps: res.Cost.Steps.Total(), Made: res.Cost.Work.Units["instantiate"].Fired,
			Searched: res.Cost.Work.Units["search"].Fired + res.Cost.Work.Units["wake"].Fired}
		for _, w := range res.Cost.Work.Rules {
			got.Most = max(got.Most, w.Most)
		}
		for _, w := range res.Cost.Work.Units {
			got.Most, got.Units = max(got.Most, w.Most), got.Units+w.Fired
		}
		if want.Graph > 0 {
			b, err := p.Bound(t.Context(), gram.EvalOptions{})
			require.NoError(t, err)
			got.M, got.Graph = b.M, b.Graph
		}
		require.Equal(t, *want, got, f.Text)
	}
}

// TestInterrupted: a search that is interrupted returns what it has found.
func TestInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	r := search(t, ctx, adversary.Options{Seed: 1, Progress: func(measured int, _ *adversary.Finding) {
		if measured == 100 {
			cancel()
		}
	}})
	require.GreaterOrEqual(t, r.Measured, 100)
	require.Len(t, r.Findings, len(adversary.Objectives))
}
