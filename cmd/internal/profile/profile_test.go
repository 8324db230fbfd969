package profile_test

import (
	"bytes"
	"context"
	"testing"

	pprof "github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
	"github.com/gram-machine/gram/cmd/internal/profile"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/rule"
)

// profileOptions say what is profiled.
type profileOptions struct {
	gram.EvalOptions
	Gradient bool
}

func run(ctx context.Context, p *gram.Program, opt profileOptions) (*profile.Profile, error) {
	return profile.Run(ctx, p, opt.Gradient, false, opt.EvalOptions)
}

// TestProfileOfExamples checks that the profile of each example, parsed back, has the counts
// of its run and of one without a profile, for its value and for its gradient by every
// strategy, in both forms, and in random order.
func TestProfileOfExamples(t *testing.T) {
	for _, name := range gramtest.Examples(t) {
		p := gramtest.Example(t, name)
		for form, noFuse := range map[string]bool{"fused": false, "literal": true} {
			t.Run(name+"/"+form+"/value", func(t *testing.T) {
				checkProfile(t, p, profileOptions{EvalOptions: gram.EvalOptions{NoFuse: noFuse}})
			})
			if name == "backpropagators" {
				continue
			}
			t.Run(name+"/"+form+"/random", func(t *testing.T) {
				checkProfile(t, p, profileOptions{EvalOptions: gram.EvalOptions{NoFuse: noFuse, Schedule: gram.Random, Seed: 5}, Gradient: true})
			})
			for _, s := range []gram.Strategy{gram.Direct, gram.Unfold, gram.Modular} {
				if noFuse && s != gram.Direct && !property.Full() {
					continue
				}
				t.Run(name+"/"+form+"/"+s.String(), func(t *testing.T) {
					checkProfile(t, p, profileOptions{EvalOptions: gram.EvalOptions{NoFuse: noFuse, Strategy: s}, Gradient: true})
				})
			}
		}
	}
}

// checkProfile profiles a program twice, and holds the profile against the run's counts.
func checkProfile(t *testing.T, p *gram.Program, opt profileOptions) {
	t.Helper()
	prof, err := run(context.Background(), p, opt)
	require.NoError(t, err)
	var text bytes.Buffer
	require.NoError(t, prof.Write(&text))
	again, err := run(context.Background(), p, opt)
	require.NoError(t, err)
	var same bytes.Buffer
	require.NoError(t, again.Write(&same))
	require.True(t, bytes.Equal(text.Bytes(), same.Bytes()), "the bytes differ from run to run")

	checkLines(t, prof)
	parsed, err := pprof.Parse(&text)
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
		if by := s.Label["rule"]; by != nil {
			byRule[by[0]] += uint64(s.Value[0])
		}
	}
	cost := prof.Result.Cost
	for r, name := range rule.Names() {
		require.Equal(t, cost.Steps[r], byRule[name], name)
	}
	require.Equal(t, cost.Steps.Total(), totals[0])
	require.Equal(t, cost.Nodes.Allocated, totals[1])
	require.Contains(t, []uint64{16 * cost.Nodes.Allocated, 32 * cost.Nodes.Allocated}, totals[2]) // of the literal machine

	res, err := p.Repeat(context.Background(), opt.EvalOptions, opt.Gradient, 1)
	require.NoError(t, err)
	require.Equal(t, res.Cost.Steps, cost.Steps)
}

// checkLines checks that over all lines of the source the rewrites and nodes are those of
// the run, and that a value has none that D has put in.
func checkLines(t *testing.T, prof *profile.Profile) {
	t.Helper()
	var rewrites, nodes uint64
	for i, l := range prof.Lines() {
		require.Equal(t, i, l.Line)
		rewrites += l.Source + l.Generated + l.Normalised
		nodes += l.Nodes
		if prof.Result.Jacobian == nil {
			require.Zero(t, l.Generated+l.Normalised)
		}
	}
	require.Equal(t, prof.Result.Cost.Steps.Total(), rewrites)
	require.Equal(t, prof.Result.Cost.Nodes.Allocated, nodes)

	// In the flame graph, calls stand beside each other within the frame that makes them.
	frames := prof.Frames()
	require.Equal(t, profile.Frame{Rewrites: rewrites}, frames[0])
	ends, begins := []uint64{rewrites}, []uint64{0} // of the frames around, by depth
	for _, f := range frames[1:] {
		require.NotZero(t, f.Rewrites)
		require.LessOrEqual(t, f.Depth, len(ends))
		require.GreaterOrEqual(t, f.From, begins[f.Depth-1])
		require.LessOrEqual(t, f.From+f.Rewrites, ends[f.Depth-1])
		ends, begins = append(ends[:f.Depth], f.From+f.Rewrites), append(begins[:f.Depth], f.From)
		begins[f.Depth-1] = f.From + f.Rewrites // the next call begins behind it
	}
}

// TestLines: the lines of a small program, and what was done at each.
func TestLines(t *testing.T) {
	src := "input x = 3\ndef square y =\n  y * y\nsquare x + square 2\n"
	p, err := gram.Load(context.Background(), "x.gram", []byte(src), gram.Options{})
	require.NoError(t, err)
	prof, err := run(context.Background(), p, profileOptions{Gradient: true})
	require.NoError(t, err)
	lines := prof.Lines()
	require.Len(t, lines, 6)
	require.Empty(t, lines[0].Text)
	require.Equal(t, "  y * y", lines[3].Text)
	require.NotZero(t, lines[1].Generated) // the dual of the input
	require.Zero(t, lines[2].Source+lines[2].Generated+lines[2].Normalised)
	require.NotZero(t, lines[3].Source)
	require.NotZero(t, lines[3].Generated)
	require.NotZero(t, lines[3].Nodes)
	require.NotZero(t, lines[4].Source)
	require.Zero(t, lines[5].Source+lines[5].Generated+lines[5].Normalised)
}
