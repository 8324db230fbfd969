package engine_test

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// outcome is all of a run that the schedule Parallel must leave as it is under LIFO.
type outcome struct {
	values, jacobian []float64
	counts           rule.Counts
	nodes            uint64
	limit            string // that ended it, "" if none did
}

// runAs runs a program; what prepares the machine first.
func runAs(t require.TestingT, prog *graph.Program, point []float64, opt engine.Options, prepare func(*engine.Machine)) (outcome, *engine.Machine) {
	m, err := engine.New(prog, opt)
	require.NoError(t, err)
	prepare(m)
	out, err := runAgain(m, point, prog)
	if err != nil {
		var limit *limits.ReachedError
		require.ErrorAs(t, err, &limit)
		return outcome{limit: fmt.Sprint(limit.Max, limit.Limit)}, m
	}
	return out, m
}

// asIs prepares nothing.
func asIs(*engine.Machine) {}

// sameBits asserts that two outcomes are equal, to the last bit.
func sameBits(t require.TestingT, want, got outcome) {
	require.Equal(t, want.limit, got.limit)
	requireSame(t, want.values, got.values)
	requireSame(t, want.jacobian, got.jacobian)
	require.Equal(t, want.counts, got.counts)
	require.Equal(t, want.nodes, got.nodes)
}

// parallelProperty: under the schedule Parallel values, derivatives, counts, nodes and the
// limit that is reached are those of LIFO.
func parallelProperty(t *rapid.T) {
	p := generate.Draw(t, generate.Options{Vector: rapid.Bool().Draw(t, "vector")})
	q, reversed := p.Term, rapid.Bool().Draw(t, "gradient")
	if reversed {
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		_, err = d.Check()
		require.NoError(t, err)
		q = d
	}
	prog, err := compile.Compile(q, compile.Options{Inputs: p.Inputs, Reversed: reversed})
	require.NoError(t, err)
	opt := engine.Options{NoFuse: rapid.Bool().Draw(t, "literal"), Limits: limits.Bounds{MaxMemory: 64 << 20,
		MaxSteps: rapid.OneOf(rapid.Just(uint64(maxSteps)), rapid.Uint64Range(1, 300)).Draw(t, "max steps")}}
	want, m := runAs(t, prog, p.Point, opt, asIs)
	defer m.Close()
	opt.Schedule, opt.Workers = engine.Parallel, rapid.IntRange(2, 4).Draw(t, "workers")
	every, waits := rapid.Uint64Range(1, 20).Draw(t, "every"), rapid.Bool().Draw(t, "waits")
	collect := rapid.Uint32Range(1, 50).Draw(t, "collect")
	got, m := runAs(t, prog, p.Point, opt, func(m *engine.Machine) {
		engine.LendEvery(m, every, waits)
		engine.CollectEvery(m, collect)
	})
	defer m.Close()
	if !reversed {
		got.nodes = want.nodes // what a collection frees is not what LIFO's does
	}
	sameBits(t, want, got)
}

// TestPropertyParallel holds the schedule Parallel against LIFO.
func TestPropertyParallel(t *testing.T) { property.Check(t, parallelProperty) }

// parallelPrograms have much that is independent.
var parallelPrograms = map[string]string{
	"calls":                     "let f = fun x -> sin (e * x) + r in\nsum i < 40 -> f (0.1 * i)",
	"calls of calls":            "let f = fun x -> sin (e * x) + r in\nlet g = fun x -> f (f x) * f (x * r) in\nsum i < 12 -> g (g (0.1 * i))",
	"loops":                     "sum i < 20 -> #50 (fun h -> sin (h * e) + r) (0.1 * i)",
	"folds of data":             "data xs : List R = list i < 60 -> sin i\nsum i < 20 -> fold (fun x h -> sigmoid (e * x + r * h)) (0.1 * i) xs",
	"loops, a Jacobian":         "vec i < 20 -> #50 (fun h -> sin (h * e) + r) (0.1 * i)",
	"calls, a Jacobian":         "let f = fun x -> if x < 0.5 then sin (e * x) else r * x in\nvec i < 20 -> f (f (0.1 * i))",
	"loops after loops":         "let a = sum i < 9 -> #30 (fun h -> h * e + r) (0.1 * i) in sum i < 9 -> #30 (fun h -> sin (h * a)) (0.1 * i)",
	"loops in a row":            "sum i < 9 -> #30 (fun h -> sin (h * e)) (#40 (fun h -> h * r + e) (0.1 * i))",
	"a loop that is used twice": "sum i < 9 -> let y = #40 (fun h -> h * r + e) (0.1 * i) in #30 (fun h -> sin (h * e)) y + #30 (fun h -> cos (h * r)) y",
	"loops of pairs":            "sum i < 9 -> let (a, b) = #30 (fun (u, v) -> (v * e, u + r)) (#40 (fun (u, v) -> (v * r, u + e)) (0.1 * i, r)) in a",
	"a call that is not used":   "let f = fun x -> sin (e * x) in\nlet y = #9 (fun h -> f h + r) e in let z = f r in f z + f (z * z)",
	"functions as results":      "let f = fun x -> fun y -> sin (x * y) in\nlet g = f e in let h = f r in g r * h e + g (h 1)",
	"a tree of calls":           "def t0 x = #50 (fun h -> sin (h * e) + x) r\ndef t1 x = t0 (x * r) + t0 (x + e)\ndef t2 x = t1 (x * r) + t1 (x + e)\ndef t3 x = t2 (x * r) + t2 (x + e)\nt3 0.5",
	"a recursive tree of calls": "def leaf x = #50 (fun h -> sin (h * e) + x) r\ndef rec tree (n : R) (x : R) : R = if n < 1 then leaf x else tree (n - 1) (x * r) + tree (n - 1) (x + e)\ntree 4 0.5",
	"a balanced sum":            "let two = fun x -> sin x * e + sin (x * r) in\nlet four = fun x -> two x + two (x + 1) in\nlet eight = fun x -> four x * four (x + 2) in\neight e + eight r",
}

// TestParallel: with all that is lent done by workers, and with tasks taken back, in
// both forms, values and gradients are those of LIFO, and tasks are accepted.
func TestParallel(t *testing.T) {
	for name, body := range parallelPrograms {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, "input e = 0.75\ninput r = -0.5\n"+body)
			for _, reversed := range []bool{false, true} {
				prog := s.Compiled(t, compile.Options{Reversed: reversed})
				for _, literal := range []bool{false, true} {
					opt := engine.Options{NoFuse: literal, Limits: limits.Bounds{MaxMemory: 64 << 20}}
					want, m := runAs(t, prog, s.Point, opt, asIs)
					require.NoError(t, m.Close())
					opt.Schedule = engine.Parallel
					for _, waits := range []bool{false, true} {
						for opt.Workers = 2; opt.Workers <= 4; opt.Workers++ {
							got, m := runAs(t, prog, s.Point, opt, func(m *engine.Machine) {
								engine.LendEvery(m, 3, waits)
							})
							sameBits(t, want, got)
							if waits {
								require.NotZero(t, engine.Accepted(m))
							}
							again, _ := runAgain(m, s.Point, prog)
							sameBits(t, want, again)
							require.NoError(t, m.Close())
						}
					}
				}
			}
		})
	}
}

// TestParallelLongLoops: a loop whose runs are in several objects is lent as a chain.
func TestParallelLongLoops(t *testing.T) {
	s := testprogram.FromSource(t, "input e = 0.75\ninput r = -0.5\nsum i < 5 -> #150000 (fun h -> sin (h * e) + r) (0.1 * i)")
	prog := s.Compiled(t, compile.Options{Reversed: true})
	want, m := runAs(t, prog, s.Point, engine.Options{}, asIs)
	require.NoError(t, m.Close())
	for _, waits := range []bool{false, true} {
		got, m := runAs(t, prog, s.Point, engine.Options{Schedule: engine.Parallel, Workers: 3}, func(m *engine.Machine) {
			engine.LendEvery(m, 3, waits)
		})
		sameBits(t, want, got)
		if waits {
			require.Greater(t, engine.Accepted(m), 5, "more than one object of each loop")
		}
		require.NoError(t, m.Close())
	}
}

// TestParallelLendsAhead: the loops that are added up are lent before the first of them fires, also where the object that fires first has few
// runs.
func TestParallelLendsAhead(t *testing.T) {
	s := testprogram.FromSource(t, "input e = 0.75\ninput r = -0.5\ndef t0 x = #35000 (fun h -> sin (h * e) + x) r\n"+
		"def t1 x = t0 (x * r) + t0 (x + e)\ndef t2 x = t1 (x * r) + t1 (x + e)\ndef t3 x = t2 (x * r) + t2 (x + e)\nt3 0.5")
	prog := s.Compiled(t, compile.Options{Reversed: true})
	want, m := runAs(t, prog, s.Point, engine.Options{}, asIs)
	require.NoError(t, m.Close())
	got, m := runAs(t, prog, s.Point, engine.Options{Schedule: engine.Parallel, Workers: 2}, func(m *engine.Machine) {
		engine.LendFrom(m, 1<<14)
	})
	sameBits(t, want, got)
	require.Greater(t, engine.Accepted(m), 8, "more than the leaf beside the one that fires")
	require.NoError(t, m.Close())
}

// runAgain runs the same machine once more.
func runAgain(m *engine.Machine, point []float64, prog *graph.Program) (outcome, error) {
	var out outcome
	var err error
	if prog.Reversed {
		out.values, out.jacobian = make([]float64, prog.Outputs), make([]float64, prog.Outputs*len(point))
		err = m.Gradient(point, out.values, out.jacobian)
	} else if err = m.Value(point); err == nil {
		out.values, _, err = m.Read(nil, nil)
	}
	s := m.Stats()
	out.counts, out.nodes = s.Counts, s.Nodes
	return out, err
}

// TestParallelLimits: a limit that ends a run under LIFO ends it whoever is at work. How
// far the run got may differ: what nothing uses may run earlier.
func TestParallelLimits(t *testing.T) {
	for name, body := range parallelPrograms {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, "input e = 0.75\ninput r = -0.5\n"+body)
			prog := s.Compiled(t, compile.Options{Reversed: true})
			full, m := runAs(t, prog, s.Point, engine.Options{Limits: limits.Bounds{MaxMemory: 64 << 20}}, asIs)
			require.NoError(t, m.Close())
			for i := range uint64(8) {
				bounds := limits.Bounds{MaxMemory: 64 << 20, MaxSteps: full.counts.Total() * (i + 1) / 8}
				if i%2 == 1 {
					bounds = limits.Bounds{MaxMemory: 64 << 20, MaxNodes: full.nodes * i / 8}
				}
				want, m := runAs(t, prog, s.Point, engine.Options{Limits: bounds}, asIs)
				require.NoError(t, m.Close())
				opt := engine.Options{Schedule: engine.Parallel, Workers: 3, Limits: bounds}
				got, m := runAs(t, prog, s.Point, opt, func(m *engine.Machine) { engine.LendEvery(m, 3, true) })
				require.NoError(t, m.Close())
				sameBits(t, want, got)
			}
		})
	}
}

// TestParallelCancel: a context that ends while workers are busy ends the run, and no
// worker is left.
func TestParallelCancel(t *testing.T) {
	s := testprogram.FromSource(t, "input e = 0.75\nsum i < 30 -> #1000000 (fun h -> sin (h * e)) (0.1 * i)")
	prog := s.Compiled(t, compile.Options{Reversed: true})
	ctx, cancel := context.WithCancel(context.Background())
	looks := 0
	look := func() error {
		if looks++; looks == 40 {
			cancel()
		}
		return ctx.Err()
	}
	m, err := engine.New(prog, engine.Options{Schedule: engine.Parallel, Workers: 2, Limits: limits.Bounds{Look: look}})
	require.NoError(t, err)
	err = m.Gradient(s.Point, make([]float64, 1), make([]float64, 1))
	require.ErrorIs(t, err, context.Canceled)
	var limit *limits.ReachedError
	require.True(t, errors.As(err, &limit))
	require.NoError(t, m.Close())
}

// TestParallelMemory: what the workers hold counts for the limit of memory.
func TestParallelMemory(t *testing.T) {
	s := testprogram.FromSource(t, "input e = 0.75\nsum i < 30 -> #100000 (fun h -> sin (h * e)) (0.1 * i)")
	prog := s.Compiled(t, compile.Options{Reversed: true})
	for _, most := range []uint64{1, 16 << 20} {
		t.Run(fmt.Sprint(most), func(t *testing.T) {
			opt := engine.Options{Schedule: engine.Parallel, Workers: 2, NoFuse: true, Limits: limits.Bounds{MaxMemory: most}}
			m, err := engine.New(prog, opt)
			require.NoError(t, err)
			err = m.Gradient(s.Point, make([]float64, 1), make([]float64, 1))
			var limit *limits.ReachedError
			require.ErrorAs(t, err, &limit)
			require.Equal(t, "memory", limit.Limit)
			require.LessOrEqual(t, m.ArenaBytes(), max(most, graph.SlabNodes*graph.NodeBytes))
			require.NoError(t, m.Close())
		})
	}
}

// TestParallelCollects: what LIFO collects is collected in parallel too, while workers are
// at work: the arenas hold no more than a few times what LIFO's does, and a limit of memory
// or of nodes that LIFO keeps is kept.
func TestParallelCollects(t *testing.T) {
	s := testprogram.FromSource(t, "input x = 0.3\nlet f = fun a -> #300000 (fun h -> if h < 2 then sin (h * a) else a) a in sum i < 8 -> f (x * i)")
	prog := s.Compiled(t, compile.Options{})
	want, m := runAs(t, prog, s.Point, engine.Options{}, asIs)
	lifo := m.Stats()
	require.NoError(t, m.Close())
	for _, bounds := range []limits.Bounds{{}, {MaxNodes: lifo.PeakNodes + lifo.PeakNodes/16}, {MaxMemory: 64 << 20}} {
		const workers = 3
		var got outcome
		got, m = runAs(t, prog, s.Point, engine.Options{Schedule: engine.Parallel, Workers: workers, Limits: bounds}, asIs)
		require.Equal(t, want.limit, got.limit)
		require.Equal(t, want.values, got.values)
		require.Equal(t, want.counts, got.counts)
		stats := m.Stats()
		require.LessOrEqual(t, stats.ArenaBytes, 2*workers*lifo.ArenaBytes)
		if bounds.MaxNodes != 0 {
			require.LessOrEqual(t, stats.PeakNodes, bounds.MaxNodes+bounds.MaxNodes/16+64)
		}
		require.NoError(t, m.Close())
	}
}

// TestParallelMemoryIsGivenBack: where a look finds too much memory in use while there are
// workers, the machine ends their tasks, and does the rest of the run alone.
func TestParallelMemoryIsGivenBack(t *testing.T) {
	for name, body := range parallelPrograms {
		s := testprogram.FromSource(t, "input e = 0.75\ninput r = -0.5\n"+body)
		for _, reversed := range []bool{false, true} {
			prog := s.Compiled(t, compile.Options{Reversed: reversed})
			want, m := runAs(t, prog, s.Point, engine.Options{}, asIs)
			require.NoError(t, m.Close())
			for at := 2; at <= 50; at += 7 { // the first look is that of New
				looks := 0
				opt := engine.Options{Schedule: engine.Parallel, Workers: 3}
				opt.Limits.Look = func() error {
					if looks++; looks == at {
						return errors.New("too much memory")
					}
					return nil
				}
				got, m := runAs(t, prog, s.Point, opt, func(m *engine.Machine) {
					engine.LendEvery(m, 3, at%2 == 0)
				})
				sameBits(t, want, got)
				require.NoError(t, m.Close(), name)
			}
		}
	}
}

// TestParallelDoesNotLend: programs with symbolic inputs or hand-written duals run as
// under LIFO.
func TestParallelDoesNotLend(t *testing.T) {
	s := testprogram.FromSource(t, "input e = 0.75\n(lin a -> 2 * a) e + #3 (fun h -> h * e) 1")
	want, m := runAs(t, s.Compiled(t, compile.Options{}), s.Point, engine.Options{}, asIs)
	require.NoError(t, m.Close())
	got, m := runAs(t, s.Compiled(t, compile.Options{}), s.Point, engine.Options{Schedule: engine.Parallel, Workers: 4}, asIs)
	require.NoError(t, m.Close())
	sameBits(t, want, got)
}
