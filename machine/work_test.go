package machine_test

import (
	"context"
	"fmt"
	"math/bits"
	"strings"
	"testing"

	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/rule"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// mostWords are the constants: how many words of the arena a single firing of each rule, and a single unit of work,
// touches at most. A node counts eight. None depends on the program, its size or the schedule: an operand that is
// delivered touches at most eight nodes, and what would go on from there is pushed as a unit.
var mostWords = map[string]uint64{
	"lambda": 72, "pair": 64, "subst": 88, "substNumeral": 80, "gc": 32, "lin": 24, "plus": 72, "plusPair": 72, "times": 72,
	"factor": 64, "function": 72, "branch": 16, "case": 24, "unfold": 16,
	"instantiate": 88, "wake": 88, "search": 88, "free": 48, "readback": 16,
}

// mostOpen are those that are other where inputs are symbolic: an operand may be the name of an operation, whose number
// at the point decides a branch, or a pair that (10) has to see. A unit of wake may make an operation of G, and deliver
// it.
var mostOpen = map[string]uint64{"pair": 88, "etaPair": 56, "lin": 40, "branch": 48, "wake": 96}

// requireConstants requires the constants of what a run has done.
func requireConstants(t require.TestingT, s machine.Stats, open bool, what string) {
	for i, w := range s.Work {
		name := rule.Move(i).String()
		most := mostWords[name]
		if open {
			most = max(most, mostOpen[name])
		}
		require.LessOrEqual(t, w.Most, most, "%s in %s", name, what)
	}
}

// families are programs in which something has size n.
var families = map[string]func(n int) string{
	"a λ that captures n variables": func(n int) string {
		return "input x = 0.5\n" + lets(n, "x + %d") + "let f = fun y -> y * (" + sum(n) + ") in f 1 + f 2"
	},
	"a branch that captures n variables": func(n int) string {
		return "input x = 0.5\n" + lets(n, "x + %d") + "if x < 1 then " + sum(n) + " else x"
	},
	"a case that captures n variables": func(n int) string {
		return "type option = None | Some of R\ninput x = 0.5\n" + lets(n, "x + %d") + "match Some x with | Some y -> y * (" + sum(n) + ") | None -> x"
	},
	"a recursive function that captures n variables": func(n int) string {
		return "input x = 0.5\n" + lets(n, "x + %d") + "let rec f y = if y < 1 then " + sum(n) + " else f (y - 1) in f 5"
	},
	"a value nested n deep": func(n int) string {
		return fmt.Sprintf("type stream = Nil | Cons of R * stream\ninput x = 0.5\nlet rec make k = if k < 1 then Nil else Cons (k * x, make (k - 1)) in\n"+
			"let rec total s = match s with | Nil -> 0 | Cons (y, r) -> y + total r in total (make %d)", n)
	},
	"one value with n waiters": func(n int) string {
		return "input x = 0.5\nlet y = (fun z -> sin z) x in " + strings.Repeat("y + ", n) + "y"
	},
	"one pair with n waiters": func(n int) string {
		return "input x = 0.5\nlet y = (fun z -> (sin z, z)) x in " + strings.Repeat("fst y + ", n) + "snd y"
	},
	"n arrivals at one dual": func(n int) string { return fmt.Sprintf("input x = 0.5\nsum i < %d -> x * i", n) },
	"tuples of n": func(n int) string {
		return fmt.Sprintf("input x : R^%d = vec i < %d -> 0.1 * i\nlet y = vec i < %d -> sin x.(i) in sum i < %d -> y.(i) * y.(i)", n, n, n, n)
	},
	"n seeds":              func(n int) string { return fmt.Sprintf("input x = 0.5\nlet y = sin x in vec i < %d -> y * i", n) },
	"n names of one value": func(n int) string { return "input x = 0.5\nlet y0 = x in " + names(n) + fmt.Sprintf("y%d * y0", n) },
	"n dead values":        func(n int) string { return "input x = 0.5\n" + lets(n, "(x, %d)") + "x" },
	"a list of n": func(n int) string {
		return fmt.Sprintf("input x = 0.5\nfold (fun a h -> a * h + x) 0 (list i < %d -> x * i)", n)
	},
	"data of n": func(n int) string {
		return fmt.Sprintf("data l : List R^3 = list i < %d -> [| i, 1, 2 |]\ninput x = 0.5\nfold (fun [| a, b, c |] h -> sin (a * x + b * h + c)) 0 l", n)
	},
	"a numeral #n": func(n int) string { return fmt.Sprintf("input x = 0.5\niter #%d (fun y -> x * y + x) x", n) },
	"n nested numerals": func(n int) string {
		return "input x = 0.5\n" + strings.Repeat("#1 (", n) + "fun y -> x * y" + strings.Repeat(")", n) + " x"
	},
}

// linearFamilies have duals of their own, and no gradient.
var linearFamilies = map[string]func(n int) string{
	"a linear variable with n occurrences": func(n int) string {
		return "let d = lin a -> " + strings.Repeat("a + ", n) + "a in d 2"
	},
	"a linear let with n occurrences": func(n int) string {
		return "let d = lin a -> (fun s -> s) 1 * a in let e = lin b -> " + strings.Repeat("d b + ", n) + "b in e 2"
	},
	"n arrivals at a dual of one's own": func(n int) string {
		return "let d = lin a -> 2 * a in " + strings.Repeat("d 1 + ", n) + "d 3"
	},
	"n nested applications of a dual": func(n int) string {
		return "let d = lin a -> 2 * a in " + strings.Repeat("d (", n) + "(fun x -> x + 2) 1" + strings.Repeat(")", n)
	},
	"n sums in applications of a dual": func(n int) string {
		return "let d = lin a -> 2 * a in " + strings.Repeat("d (d 1 + ", n) + "(fun x -> x + 2) 1" + strings.Repeat(")", n)
	},
	"n duals in one sum": func(n int) string {
		return fmt.Sprintf("let d0 = lin a -> 2 * a in %sd%d 3", duals(n), n)
	},
	"tuples of n that add": func(n int) string {
		return fmt.Sprintf("let d = lin a -> vec i < %d -> i * a in let e = lin b -> d b + d (2 * b) + (vec i < %d -> b) in e 1", n, n)
	},
}

func lets(n int, form string) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "let v%d = "+form+" in\n ", i, i)
	}
	return b.String()
}

func sum(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "v%d + ", i)
	}
	return b.String() + "1"
}

func names(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "let y%d = y%d in\n ", i+1, i)
	}
	return b.String()
}

func duals(n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, "let d%d = lin a -> d%d a + d%d (2 * a) in\n ", i+1, i, i)
	}
	return b.String()
}

// TestUnitsAreSmall: a unit is never larger than a rewrite.
func TestUnitsAreSmall(t *testing.T) {
	var largest [2]uint64
	for m := range rule.NumMoves {
		kind := 0
		if _, ok := m.Rule(); !ok {
			kind = 1
		}
		largest[kind] = max(largest[kind], mostWords[m.String()])
	}
	require.LessOrEqual(t, largest[1], largest[0])
}

// TestConstants: the words that a move touches are bounded by a constant, whatever n is.
func TestConstants(t *testing.T) {
	for name, source := range families {
		t.Run(name, func(t *testing.T) { testFamily(t, source, true) })
	}
	for name, source := range linearFamilies {
		t.Run(name, func(t *testing.T) { testFamily(t, source, false) })
	}
}

func testFamily(t *testing.T, source func(n int) string, gradient bool) {
	var most [2][rule.NumMoves]uint64
	for i, n := range []int{40, 400} {
		p, err := gram.Load(context.Background(), "family", []byte(source(n)+"\n"), gram.Options{})
		require.NoError(t, err)
		for _, random := range []bool{false, true} {
			s := run(t, p, gradient, machine.Options{Measure: true, Random: random, Seed: 7})
			requireConstants(t, s, false, source(3))
			if !random {
				for k, w := range s.Work {
					most[i][k] = w.Most
				}
			}
		}
	}
	require.Equal(t, most[0], most[1], "the most of any single firing depends on n")
}

// TestSeedsSearchWhatTheyReach: each of the n backward phases of a Jacobian looks at the two duals that it reaches, of 2n. So
// all units but those that read the n rows of n numbers are linear in n, as the steps are.
func TestSeedsSearchWhatTheyReach(t *testing.T) {
	for _, n := range []uint64{200, 400} {
		p, err := gram.Load(t.Context(), "jacobian", fmt.Appendf(nil, "input x : R^%d = vec i < %d -> 0.1 * i\nvec i < %d -> sin x.(i)\n", n, n, n), gram.Options{})
		require.NoError(t, err)
		s := run(t, p, true, machine.Options{Measure: true})
		for unit, want := range map[rule.Move]uint64{rule.Instantiate: 33*n - 1, rule.Wake: 7*n - 3, rule.Search: 2 * n, rule.FreeUnit: 0, rule.ReadBack: n * (n + 1)} {
			require.Equal(t, want, s.Work[unit].Fired, "%s for n = %d", unit, n)
		}
		require.Equal(t, 28*n-1, s.Counts.Total())
	}
}

// TestArrivalsOfDuals: a arrivals at different duals that a program writes itself, in one sum, take 6·a − 1 units of search if the
// newest dual stands first. In the order of reversed bits the heap sorts them: 6·a units, and some 1.2·a·log₂ a. At one dual they take at
// most 10·a.
func TestArrivalsOfDuals(t *testing.T) {
	search := func(duals, a uint, of func(i uint) uint) float64 {
		var b strings.Builder
		for i := range duals {
			fmt.Fprintf(&b, "let d%d = lin a -> 2 * a in\n", i)
		}
		var sum []string
		for i := range a {
			sum = append(sum, fmt.Sprintf("d%d 1", of(i)))
		}
		p, err := gram.Load(t.Context(), "duals", []byte(b.String()+strings.Join(sum, " + ")+"\n"), gram.Options{})
		require.NoError(t, err)
		s := run(t, p, false, machine.Options{Measure: true})
		ratios(t, started(t, p, false), 0, s)
		return float64(s.Work[rule.Search].Fired)
	}
	for log := 4; log <= 11; log++ {
		a := uint(1) << log
		require.EqualValues(t, 6*a-1, search(a, a, func(i uint) uint { return a - 1 - i }))
		units := search(a, a, func(i uint) uint { return bits.Reverse(i) >> (bits.UintSize - log) })
		logarithm := (units - 6*float64(a)) / float64(a) / float64(log)
		t.Logf("a = %d: %v units of search, 6·a + %.3f·a·log₂ a", a, units, logarithm)
		require.LessOrEqual(t, logarithm, 1.25)
		if log >= 8 {
			require.GreaterOrEqual(t, logarithm, 1.1)
		}
		require.LessOrEqual(t, search(1, a, func(uint) uint { return 0 }), 10*float64(a))
	}
}

// TestListOfInputs: the units of each kind that a list of n different inputs takes, or of n different variables, are linear in n: value,
// gradient and m. The copy of an element loads what that element captures, and not what the list does.
func TestListOfInputs(t *testing.T) {
	for _, source := range []string{
		"input x : R^%d = vec i < %[1]d -> 0.1 * i\nfold (fun a h -> a * h + 1) 0 (list i < %[1]d -> x.(i))",
		"input x : R^%d = vec i < %[1]d -> 0.1 * i\nlet l = list i < %[1]d -> x.(i) * x.(0) in fold (fun a h -> a * h + 1) (fold (fun a h -> a + h) 1 l) l",
	} {
		var units [3][3][rule.NumMoves]uint64 // by kind of run and size
		for i, n := range []int{60, 120, 240} {
			p, err := gram.Load(t.Context(), "list", fmt.Appendf(nil, source+"\n", n), gram.Options{})
			require.NoError(t, err)
			prog, err := compile.NewOpen(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), nil)
			require.NoError(t, err)
			m, err := machine.New(prog, machine.Options{Measure: true})
			require.NoError(t, err)
			defer m.Close()
			require.NoError(t, m.Graph(p.Point()))
			for k, s := range []machine.Stats{run(t, p, false, machine.Options{Measure: true}), run(t, p, true, machine.Options{Measure: true}), m.Stats()} {
				for unit, w := range s.Work {
					units[k][i][unit] = w.Fired
				}
			}
		}
		for _, u := range units {
			for unit := range u[0] {
				require.Equal(t, u[2][unit]-u[1][unit], 2*(u[1][unit]-u[0][unit]), "%v of %s", rule.Move(unit), source)
			}
		}
	}
}

// TestPropertyConstants: so they are on random programs, also with dual λs of their own, by any schedule.
func TestPropertyConstants(t *testing.T) {
	bounds := limits.Bounds{MaxSteps: 20_000, MaxMemory: 64 << 20}
	property.Check(t, func(t *rapid.T) {
		opt := machine.Options{Measure: true, Limits: bounds, Seed: rapid.Uint64().Draw(t, "seed"),
			Random: rapid.Bool().Draw(t, "random")}
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
		require.NoError(t, err)
		k = max(1, k)
		requireBounded(t, prog, opt, func(m *machine.Machine) { _ = m.Gradient(p.Point, make([]float64, k), make([]float64, k*len(p.Point))) })
		prog, err = compile.NewOpen(p.Term, p.Inputs, nil)
		require.NoError(t, err)
		requireBounded(t, prog, opt, func(m *machine.Machine) { _ = m.Graph(p.Point) })
		if p.Term.Types.Kind(ty) == term.RKind {
			prog, err = compile.NewOpenGradient(d, p.Inputs, nil)
			require.NoError(t, err)
			requireBounded(t, prog, opt, func(m *machine.Machine) { _ = m.Graph(p.Point) })
		}
		prog, err = compile.NewValue(property.Linear(t, rapid.IntRange(3, 150).Draw(t, "size of lin")), nil, nil)
		require.NoError(t, err)
		requireBounded(t, prog, opt, func(m *machine.Machine) { _ = m.Value(nil) })
	})
}

func requireBounded(t require.TestingT, p *compile.Program, opt machine.Options, run func(*machine.Machine)) {
	m, err := machine.New(p, opt)
	require.NoError(t, err)
	defer m.Close()
	run(m)
	requireConstants(t, m.Stats(), p.Open, "a random program")
}

// run runs the gradient or the value of a program.
func run(t require.TestingT, p *gram.Program, gradient bool, opt machine.Options) machine.Stats {
	if !gradient {
		prog, err := compile.NewValue(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), nil)
		require.NoError(t, err)
		m, err := machine.New(prog, opt)
		require.NoError(t, err)
		defer m.Close()
		require.NoError(t, m.Value(p.Point()))
		_, _, err = m.Read(nil, nil)
		require.NoError(t, err)
		return m.Stats()
	}
	d, err := revgrad.Reverse(bridge.Of(p).Term(), nil)
	require.NoError(t, err)
	k := 0
	if p.Shape().Kind == load.Vector {
		k = p.Shape().Size
	}
	prog, err := compile.NewGradient(d, bridge.Of(p).ScalarInputs(), k, nil)
	require.NoError(t, err)
	m, err := machine.New(prog, opt)
	require.NoError(t, err)
	defer m.Close()
	k = max(1, k)
	require.NoError(t, m.Gradient(p.Point(), make([]float64, k), make([]float64, k*len(p.Point()))))
	return m.Stats()
}
