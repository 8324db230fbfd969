package gram_test

import (
	"bytes"
	"context"
	"slices"
	"testing"

	"github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestProfileOfExamples checks that the profile of each example, parsed back, has the counts
// of its run and of one without a profile, for its value and for its gradient by every
// strategy, in both forms, and in random order.
func TestProfileOfExamples(t *testing.T) {
	grad := differentiable(t)
	for _, name := range exampleNames(t) {
		p := loadExample(t, name)
		for form, noFuse := range map[string]bool{"fused": false, "literal": true} {
			t.Run(name+"/"+form+"/value", func(t *testing.T) {
				checkProfile(t, p, gram.ProfileOptions{EvalOptions: gram.EvalOptions{NoFuse: noFuse}})
			})
			if !slices.Contains(grad, name) {
				continue
			}
			t.Run(name+"/"+form+"/random", func(t *testing.T) {
				checkProfile(t, p, gram.ProfileOptions{EvalOptions: gram.EvalOptions{NoFuse: noFuse, Schedule: gram.Random, Seed: 5}, Gradient: true})
			})
			for _, s := range []gram.Strategy{gram.Direct, gram.Unfold, gram.Modular} {
				t.Run(name+"/"+form+"/"+s.String(), func(t *testing.T) {
					checkProfile(t, p, gram.ProfileOptions{EvalOptions: gram.EvalOptions{NoFuse: noFuse, Strategy: s}, Gradient: true})
				})
			}
		}
	}
}

// checkProfile profiles a program twice, and holds the profile against the run's counts.
func checkProfile(t *testing.T, p *gram.Program, opt gram.ProfileOptions) {
	t.Helper()
	prof, err := p.Profile(context.Background(), opt)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, prof.Write(&text))
	again, err := p.Profile(context.Background(), opt)
	require.NoError(t, err)
	var same bytes.Buffer
	require.NoError(t, again.Write(&same))
	require.True(t, bytes.Equal(text.Bytes(), same.Bytes()), "the bytes differ from run to run")

	parsed, err := profile.Parse(&text)
	require.NoError(t, err)
	require.NoError(t, parsed.CheckValid())
	require.Equal(t, "rewrites", parsed.DefaultSampleType)
	byRule := map[string]uint64{}
	totals := make([]uint64, 3)
	for _, s := range parsed.Sample {
		for i, v := range s.Value {
			require.GreaterOrEqual(t, v, int64(0))
			if i == 0 || s.Label["phase"][0] != "normalise" { // the cost has only the nodes of the last machine
				totals[i] += uint64(v)
			}
		}
		if rule := s.Label["rule"]; rule != nil {
			byRule[rule[0]] += uint64(s.Value[0])
		}
	}
	cost := prof.Result.Cost
	for _, r := range cost.Steps.ByRule() {
		require.Equal(t, r.Steps, byRule[r.Name], r.Name)
	}
	require.Equal(t, cost.Steps.Total, totals[0])
	require.Equal(t, cost.Nodes.Allocated, totals[1])
	require.Equal(t, 16*cost.Nodes.Allocated, totals[2])

	run := p.Value
	if opt.Gradient {
		run = p.Gradient
	}
	res, err := run(context.Background(), opt.EvalOptions)
	require.NoError(t, err)
	require.Equal(t, res.Cost.Steps, cost.Steps)
	require.Equal(t, res.Cost.Nodes.Allocated, cost.Nodes.Allocated)
}
