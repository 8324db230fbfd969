package engine_test

import (
	"maps"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/engine/wasm"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
)

// bits returns the numbers' bits, the same for all NaN.
func bits(values []float64) []uint64 {
	all := make([]uint64, len(values))
	for i, v := range values {
		if all[i] = math.Float64bits(v); math.IsNaN(v) {
			all[i] = math.Float64bits(math.NaN())
		}
	}
	return all
}

// sameCompiled holds a gradient whose loops are all machine code, and one whose loops are all bytecode, against one whose loops are the
// blocks' instructions, one by one. It reports whether there are such loops.
func sameCompiled(t require.TestingT, prog *graph.Program, point []float64, opt engine.Options, prepare func(*engine.Machine)) (ran bool) {
	opt.NoNative = true
	reset := engine.BytecodeRuns(1 << 40)
	want, m := runAs(t, prog, point, opt, prepare)
	reset()
	defer engine.BytecodeRuns(0)()
	defer m.Close()
	require.False(t, engine.HasCode(m))
	for _, opt.NoNative = range []bool{true, false} {
		got, n := runAs(t, prog, point, opt, prepare)
		defer n.Close()
		ran = engine.Compiled(n)
		require.False(t, ran && opt.NoNative)
		require.True(t, engine.HasCode(n) || !ran)
		sameBits(t, want, got)
		require.Equal(t, bits(want.values), bits(got.values))
		require.Equal(t, bits(want.jacobian), bits(got.jacobian))
		if opt.Schedule != engine.Parallel { // there it depends on which worker is first
			require.Equal(t, m.Stats().Recompute, n.Stats().Recompute)
		}
	}
	return ran
}

// TestPropertyCompiled: random loops have the same bits and counts as machine code, in every schedule and with rows that are computed
// again.
func TestPropertyCompiled(t *testing.T) {
	defer engine.NativeWork(0)()
	property.Check(t, func(t *rapid.T) {
		opt := engine.Options{Limits: limits.Bounds{MaxMemory: 64 << 20}}
		if rapid.Bool().Draw(t, "straight") {
			p := straight(t)
			d, err := revgrad.Reverse(p.Term, nil)
			require.NoError(t, err)
			prog, err := compile.Compile(d, compile.Options{Inputs: p.Inputs, Reversed: true})
			require.NoError(t, err)
			sameCompiled(t, prog, p.Point, opt, func(*engine.Machine) {})
			return
		}
		s := testprogram.FromSource(t, drawLoops(t))
		opt.Schedule, opt.Workers = rapid.SampledFrom([]engine.Schedule{engine.LIFO, engine.Random, engine.Parallel}).Draw(t, "schedule"), 3
		opt.Limits.RowsMemory = rapid.SampledFrom([]uint64{0, 0, 1, 500}).Draw(t, "rows memory")
		numbers := rapid.Uint64Range(1, 60).Draw(t, "numbers")
		sameCompiled(t, s.Compiled(t, compile.Options{Reversed: true}), s.Point, opt, func(m *engine.Machine) {
			engine.ObjectNumbers(m, numbers)
			if opt.Schedule == engine.Parallel {
				engine.LendEvery(m, 5, true)
			}
		})
	})
}

// TestCompiled: the programs of other tests have the same bits and counts as machine code.
func TestCompiled(t *testing.T) {
	defer engine.NativeWork(0)()
	defer engine.RunsPerPath(1)()
	all := map[string]string{}
	maps.Copy(all, longLoops)
	maps.Copy(all, parallelPrograms)
	for name, body := range all {
		all[name] = "input e = 0.75\ninput r = -0.5\n" + body
	}
	for name, body := range blockPrograms {
		all[name] = blockInputs + body
	}
	for name, body := range pathPrograms {
		all[name] = pathInputs + body
	}
	for name, src := range all {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, src)
			prog := s.Compiled(t, compile.Options{Reversed: true})
			for _, opt := range []engine.Options{{}, {Schedule: engine.Parallel, Workers: 2}} {
				ran := sameCompiled(t, prog, s.Point, opt, func(*engine.Machine) {})
				require.True(t, ran || longLoops[name] == "" || !wasm.Supported(), "it has a loop")
				// With few runs in an object, its first run may have another wiring than that of the object before.
				sameCompiled(t, prog, s.Point, opt, func(m *engine.Machine) { engine.ObjectNumbers(m, 20) })
			}
			value := s.Compiled(t, compile.Options{})
			want, got := runAlone(t, s, value, engine.Options{NoNative: true}), runAlone(t, s, value, engine.Options{})
			require.Equal(t, bits(want.values), bits(got.values))
			require.Equal(t, want.stats.Counts, got.stats.Counts)
		})
	}
}

// TestSharedCode: loops with equal code are compiled once, and loops that differ in a constant or an operation are not mixed up.
func TestSharedCode(t *testing.T) {
	if !wasm.Supported() {
		t.Skip("no machine code")
	}
	defer engine.NativeWork(0)()
	for body, codes := range map[string]int{
		"sum i < 8 -> #30 (fun h -> sin (h * e)) (r * (i + 1))":                    3, // two are of the backward phase: the first run has its own
		"#30 (fun h -> sin (h * e)) r + #30 (fun h -> tanh (h * e)) r":             6,
		"#30 (fun h -> sin (h * e) + 0.5) r + #30 (fun h -> sin (h * e) + 0.25) r": 6,
	} {
		s := testprogram.FromSource(t, "input e = 0.75\ninput r = -0.5\n"+body)
		prog := s.Compiled(t, compile.Options{Reversed: true})
		sameCompiled(t, prog, s.Point, engine.Options{}, func(*engine.Machine) {})
		n := 0
		prog.Loops.Range(func(_, _ any) bool { n++; return true })
		require.Equal(t, codes, n, body)
	}
}
