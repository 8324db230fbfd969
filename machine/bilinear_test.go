package machine_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// The constants of docs/work.md: how many moves, which are rewrites and units, and how many words a run of a term t
// with n inputs makes for each of (|t| + n)·(steps + 1). The smallest programs come close to them: a numeral, or an
// input.
const (
	movesConstant = 4
	wordsConstant = 60
)

// loops are programs in which a step has to do with much of the program, again and again.
var loops = map[string]func(n int) string{
	"a loop that makes a tuple of n closed λs": func(n int) string {
		return fmt.Sprintf("input x = 0.5\niter #%d (fun y -> (fun p -> y) (%s)) x", n, strings.TrimSuffix(strings.Repeat("fun z -> z + 1, ", n), ", "))
	},
	"a loop that makes a tuple of n numerals": func(n int) string {
		return fmt.Sprintf("input x = 0.5\niter #%d (fun y -> (fun p -> y) (vec i < %d -> i + 1)) x", n, n)
	},
	"a loop with a branch of n variables that is not taken": func(n int) string {
		return "input x = 0.5\n" + lets(n, "x + %d") + fmt.Sprintf("iter #%d (fun y -> if y < 1000 then y else %s) x", n, sum(n))
	},
	"a loop that makes a λ of n variables": func(n int) string {
		return "input x = 0.5\n" + lets(n, "x + %d") + fmt.Sprintf("iter #%d (fun y -> (fun p -> y) (fun z -> %s)) x", n, sum(n))
	},
	"λs nested n deep": func(n int) string {
		return "input x = 0.5\n" + strings.Repeat("(fun y -> y + ", n) + "x" + strings.Repeat(") x", n)
	},
	"n functions that are defined together": func(n int) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, "%s f%d y = if y < 1 then v%d else f%d (y - 1)\n", [...]string{"let rec", "and"}[min(i, 1)], i, i, (i+1)%n)
		}
		return "input x = 0.5\n" + lets(n, "x + %d") + b.String() + fmt.Sprintf("in f0 %d", n)
	},
	"a Jacobian": func(n int) string {
		return fmt.Sprintf("input x : R^%d = vec i < %d -> 0.1 * i\nvec i < %d -> sin x.(i)", n, n, n)
	},
	"n inputs": func(n int) string { return fmt.Sprintf("input x : R^%d = vec i < %d -> 0.1 * i\nx.(0)", n, n) },
}

// ratios returns the moves and the words of a run of t for each of (|t| + n)·(steps + 1).
func ratios(t require.TestingT, u *term.Term, inputs int, s machine.Stats) (moves, words float64) {
	size, err := u.Symbols(nil)
	require.NoError(t, err)
	by := float64(size+int64(inputs)) * float64(s.Counts.Total()+1)
	for _, w := range s.Work {
		moves += float64(w.Fired) / by
		words += float64(w.Words) / by
	}
	require.LessOrEqual(t, moves, float64(movesConstant), "moves of %v", u)
	require.LessOrEqual(t, words, float64(wordsConstant), "words of %v", u)
	return moves, words
}

// TestWorkIsBilinear is the theorem of docs/work.md on families, where the ratio does not grow with n, and on examples.
func TestWorkIsBilinear(t *testing.T) {
	sizes := []int{30, 60}
	if property.Full() {
		sizes = []int{30, 90}
	}
	for name, source := range loops {
		t.Run(name, func(t *testing.T) {
			for _, gradient := range []bool{false, true} {
				var most [2]float64
				for i, n := range sizes {
					p, err := gram.Load(t.Context(), "family", []byte(source(n)+"\n"), gram.Options{})
					require.NoError(t, err)
					s := run(t, p, gradient, machine.Options{Measure: true})
					moves, words := ratios(t, started(t, p, gradient), len(p.Point()), s)
					require.Less(t, moves, 0.25)
					require.Less(t, words, 3.5)
					most[i] = moves
				}
				require.LessOrEqual(t, most[1], 1.1*most[0])
			}
		})
	}
	for name, source := range families {
		t.Run(name, func(t *testing.T) { workFamily(t, source, true) })
	}
	for name, source := range linearFamilies {
		t.Run(name, func(t *testing.T) { workFamily(t, source, false) })
	}
	for _, name := range []string{"figure1", "rnn", "mlp", "polynomial", "newton", "jacobian", "linear", "logsumexp", "mapfold", "rain"} {
		t.Run(name, func(t *testing.T) {
			p, err := gram.LoadFile(t.Context(), "../examples/"+name+".gram", gram.Options{})
			require.NoError(t, err)
			for _, gradient := range []bool{false, true} {
				ratios(t, started(t, p, gradient), len(p.Point()), run(t, p, gradient, machine.Options{Measure: true}))
			}
		})
	}
}

// started is the term that a run starts from: t or D(t).
func started(t require.TestingT, p *gram.Program, gradient bool) *term.Term {
	if !gradient {
		return bridge.Of(p).Term()
	}
	d, err := revgrad.Reverse(bridge.Of(p).Term(), nil)
	require.NoError(t, err)
	return d
}

func workFamily(t *testing.T, source func(n int) string, gradient bool) {
	sizes := []int{1, 5, 20}
	if property.Full() {
		sizes = append(sizes, 50)
	}
	for _, n := range sizes {
		p, err := gram.Load(t.Context(), "family", []byte(source(n)+"\n"), gram.Options{})
		require.NoError(t, err)
		ratios(t, started(t, p, gradient), len(p.Point()), run(t, p, gradient, machine.Options{Measure: true}))
	}
}

// TestPropertyWorkIsBilinear is the same on random programs, also where a limit ends the run, by any schedule.
func TestPropertyWorkIsBilinear(t *testing.T) {
	var moves, words property.Constant
	t.Cleanup(func() {
		moves.Report(t, "moves for each of (|t| + n)·(steps + 1)", movesConstant)
		words.Report(t, "words for each of (|t| + n)·(steps + 1)", wordsConstant)
	})
	property.Check(t, func(t *rapid.T) {
		opt := machine.Options{Measure: true, Limits: limits.Bounds{MaxSteps: 20_000, MaxMemory: 64 << 20}, Seed: rapid.Uint64().Draw(t, "seed"),
			Random: rapid.Bool().Draw(t, "random")}
		measure := func(u *term.Term, prog *compile.Program, err error, run func(m *machine.Machine)) {
			require.NoError(t, err)
			m, err := machine.New(prog, opt)
			require.NoError(t, err)
			defer m.Close()
			run(m)
			x, y := ratios(t, u, prog.Inputs, m.Stats())
			moves.Measure(x, u)
			words.Measure(y, u)
		}
		p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 100).Draw(t, "size"),
			Recursive: rapid.Bool().Draw(t, "recursive")})
		d, err := revgrad.Reverse(p.Term, nil)
		require.NoError(t, err)
		ty, err := p.Term.Check()
		require.NoError(t, err)
		k := 0
		if p.Term.Types.Kind(ty) == term.VecKind {
			k = p.Term.Types.Len(ty)
		}
		prog, err := compile.NewGradient(d, p.Inputs, k, nil)
		k = max(1, k)
		measure(d, prog, err, func(m *machine.Machine) { _ = m.Gradient(p.Point, make([]float64, k), make([]float64, k*len(p.Point))) })
		prog, err = compile.NewValue(p.Term, p.Inputs, nil)
		measure(p.Term, prog, err, func(m *machine.Machine) { _ = m.Value(p.Point) })
		prog, err = compile.NewOpen(p.Term, p.Inputs, nil)
		measure(p.Term, prog, err, func(m *machine.Machine) { _ = m.Graph(p.Point) })
		if p.Term.Types.Kind(ty) == term.RKind {
			prog, err = compile.NewOpenGradient(d, p.Inputs, nil)
			measure(d, prog, err, func(m *machine.Machine) { _ = m.Graph(p.Point) })
		}
		u := property.Linear(t, rapid.IntRange(3, 150).Draw(t, "size of lin"))
		prog, err = compile.NewValue(u, nil, nil)
		measure(u, prog, err, func(m *machine.Machine) { _ = m.Value(nil) })
	})
}
