package profile_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	pprof "github.com/google/pprof/profile"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/gramtest"
	"github.com/gram-machine/gram/cmd/internal/profile"
)

// rewritesOf returns the rewrites of a profile by stack, rule, phase and pass.
func rewritesOf(t require.TestingT, prof *profile.Profile) map[string]int64 {
	var text bytes.Buffer
	require.NoError(t, prof.Write(&text))
	parsed, err := pprof.Parse(&text)
	require.NoError(t, err)
	out := map[string]int64{}
	for _, s := range parsed.Sample {
		if s.Value[0] == 0 {
			continue
		}
		var key strings.Builder
		fmt.Fprint(&key, s.Label["rule"], s.Label["phase"], s.Label["pass"])
		for _, l := range s.Location {
			for _, x := range l.Line {
				fmt.Fprintf(&key, " %s:%d:%d", x.Function.Name, x.Line, x.Column)
			}
			key.WriteString(";")
		}
		out[key.String()] += s.Value[0]
	}
	return out
}

// checkLiteralProfile holds the profiles of a literal run against those of the compiler's code. Those of
// programs with duals of their own differ in the places of these duals' firings.
func checkLiteralProfile(t *testing.T, p *gram.Program, gradient, duals bool) {
	t.Helper()
	want, err := run(t.Context(), p, profileOptions{Gradient: gradient})
	require.NoError(t, err)
	for _, opt := range []gram.EvalOptions{{Literal: true}, {Literal: true, Schedule: gram.Random, Seed: 3}} {
		got, err := run(t.Context(), p, profileOptions{EvalOptions: opt, Gradient: gradient})
		require.NoError(t, err)
		if duals {
			require.Equal(t, want.Result.Cost.Steps, got.Result.Cost.Steps)
		} else {
			require.Equal(t, rewritesOf(t, want), rewritesOf(t, got))
		}
		checkLines(t, got)
	}
}

// TestLiteralProfile: the profile of a literal run of each example has the samples of the compiler's code
// of rewrites.
func TestLiteralProfile(t *testing.T) {
	for _, name := range gramtest.Examples(t) {
		p := gramtest.Example(t, name)
		t.Run(name+"/value", func(t *testing.T) { checkLiteralProfile(t, p, false, name == "backpropagators") })
		if name != "backpropagators" {
			t.Run(name+"/gradient", func(t *testing.T) { checkLiteralProfile(t, p, true, false) })
		}
	}
}

// TestLiteralProfileOfBenchmarks: and so has that of each program of gradbench whose literal run is short.
func TestLiteralProfileOfBenchmarks(t *testing.T) {
	files, err := filepath.Glob("../../../gradbench/*.gram")
	require.NoError(t, err)
	require.NotEmpty(t, files)
	for _, file := range files {
		name := strings.TrimSuffix(filepath.Base(file), ".gram")
		if name == "particle" || name == "saddle" {
			continue
		}
		t.Run(name, func(t *testing.T) {
			p, err := gram.LoadFile(t.Context(), file, gram.Options{})
			require.NoError(t, err)
			checkLiteralProfile(t, p, false, false)
			if s := p.Shape().String(); s == "R" || strings.HasPrefix(s, "R^") {
				checkLiteralProfile(t, p, true, false)
			}
		})
	}
}

// TestLiteralProfileCalls: and so has that of calls whose parameters are not bound at once, of
// lists and numerals that are applied in parts, of nested ones, and of recursion and deep calls.
func TestLiteralProfileCalls(t *testing.T) {
	for _, body := range []string{
		"let f = fun a b c d e -> a * b + c * d + e in f x 1 2 3 4 + f 1 2 3 x 4",
		"let f = fun a b c d -> a * b + c * d in let g = f x in let h = g 2 in h 3 4 + g 1 2 x",
		"let f = fun a -> let g = fun b c -> sin (a * b) + c in g in f x 1 x + (f 2) x 3",
		"let s = fold (fun a b -> a * b + x) in s 0 [1; 2; x] + s x [1; 2; 3] + s x []",
		"let twice = fun f y -> f (f y) in twice (twice (fun y -> sin (x * y))) x",
		"iter #3 (fun y -> iter #2 (fun z -> z * x + y) y) x + iter #0 (fun y -> y * y) x",
		"let f = if x < 1 then fun y -> y * y else fun y -> if y < 2 then sin y else cos (y * x) in f x + f 3",
		"fold (fun g y -> y * x + g) 0 (map (fun y -> sin y) [x; 2 * x])",
		"foldl (fun s y -> tanh (s * x + y)) x [1; 2; 3]",
	} {
		p := gramtest.Load(t, "input x = 1.5\n"+body)
		checkLiteralProfile(t, p, false, false)
		checkLiteralProfile(t, p, true, false)
	}
}
