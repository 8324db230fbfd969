package engine_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/term"
)

// blockInputs and blockData stand before each of the programs.
const blockInputs = `input e = 0.75
input r = -0.5
data xs : List R = [0.5; -1; 2; 0.25; 3]
data ps : List R^2 = [[| 1, 2 |]; [| -1, 0.5 |]; [| 0.25, 3 |]]
`

// blockPrograms have blocks whose backward code depends on which duals of their results
// are reached, in which run.
var blockPrograms = map[string]string{
	"a state of a number":                                      "fold (fun x h -> sigmoid (e * x + r * h)) 0 xs",
	"one component of a pair is read":                          "fst (fold (fun x (h, k) -> (sin (e * x + h), k * r + x)) (0, 1) xs)",
	"the other":                                                "snd (fold (fun x (h, k) -> (sin (e * x + h), k * r + x)) (0, 1) xs)",
	"components that are swapped, an even time":                "fst (#4 (fun (h, k) -> (k, exp (e * h))) (r, e))",
	"and an odd time":                                          "fst (#5 (fun (h, k) -> (k, exp (e * h))) (r, e))",
	"a component that is passed through":                       "let (h, k) = #3 (fun (h, k) -> (h * k + e, k)) (1, r * e) in h * k",
	"one that is passed through alone":                         "snd (#3 (fun (h, k) -> (h * k + e, k)) (1, r * e))",
	"a delay: a component is read runs later":                  "let (a, (b, c)) = #5 (fun (a, (b, c)) -> (b, (c, e * a))) (r, (e, r * e)) in a",
	"a delay that ends at a constant":                          "let (a, (b, c)) = #2 (fun (a, (b, c)) -> (b, (c, 1))) (r, (e, r)) in a",
	"a component that forgets":                                 "let (h, k) = #3 (fun (h, k) -> (h + e * k, 2)) (0, r) in h",
	"an element that is returned as it is":                     "let (h, l) = fold (fun x (h, l) -> (h + e * l, x)) (0, r) xs in h * l",
	"elements alone":                                           "e * fold (fun x h -> x) r xs",
	"a vector for a state, in turns":                           "let v = fold (fun x v -> [| v.(1) * e, v.(2), v.(0) + x |]) [| r, e, r * e |] xs in v.(0)",
	"a vector all of whose duals are reached":                  "let v = #3 (fun v -> [| v.(1), e * v.(0) |]) [| r, e |] in v.(0) * v.(1)",
	"elements that are vectors":                                "fold (fun p h -> tanh (e * p.(0) + r * p.(1) * h)) 1 ps",
	"vectors returned as they are":                             "let (h, p) = fold (fun p (h, q) -> (h + q.(0) * q.(1), p)) (e, [| r, e |]) ps in h + p.(1)",
	"a captured number, in each run":                           "let c = e * r in fold (fun x h -> h * c + x) 1 xs",
	"a captured pair":                                          "let p = (e * r, sin e) in fold (fun x h -> h * fst p + snd p) 1 xs",
	"a block applied once, one dual reached":                   "fst ((fun x y -> (x * y, sin x)) e r)",
	"a block applied once, both reached":                       "let (a, b) = (fun x y -> (x * y, sin x)) e r in a * b + a",
	"a block that returns its argument":                        "let f = fun x -> (x, x * x) in let (a, b) = f (fst (f e)) in a + b",
	"λs that are returned, one block":                          "let f = fun x -> let y = sin x in fun k -> y * k + x in f e r",
	"a loop within a block's reach":                            "let f = fun x -> exp x * sigmoid x in f (fold (fun x h -> h * e + f x) r xs)",
	"a result that nothing reads":                              "let (h, k) = #3 (fun (h, k) -> (h * e, k * r)) (1, 1) in e",
	"a constant state":                                         "#3 (fun h -> 2) e",
	"no runs":                                                  "#0 (fun h -> h * e) r",
	"the slopes that a block knows":                            "#2 (fun h -> sin (e * h) + exp (r * h) + sigmoid h + tanh (h - r)) e",
	"numerals, relu and symbols of two arguments":              "#3 (fun h -> max (relu (h - 2)) (pow 2 h * atan e / 3)) r",
	"one dual of the result stands twice":                      "let (h, k) = #3 (fun (h, k) -> let z = h * e + k in (z, z)) (r, 1) in h * k",
	"loops whose start is a loop, in one heap":                 "fold (fun x h -> h * e + x) (#3 (fun h -> h * r + e) e) xs * #2 (fun h -> h * h) r",
	"a chain that is summed as it is made":                     chain(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11),
	"a chain that is summed backwards":                         chain(11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1, 0),
	"a chain whose youngest loop comes first, then the oldest": chain(11, 0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10),
	"a loop in a λ that is called again and again":             "let f = fun s -> #2 (fun h -> h * e + s) r in f (f (f 1))",
	"all duals, one by one: a Jacobian":                        "let (h, k) = fold (fun x (h, k) -> (k + x, e * h)) (r, e) xs in [| h, k, h * k, 3 |]",
	"a Jacobian of a vector that is the state":                 "fold (fun x v -> [| v.(1), v.(2) * r + x, e |]) [| r, e, 1 |] xs",
	"an element's dual among those of a pair's end":            "let (h, (k, l)) = fold (fun x (h, (k, l)) -> (k, (l * e, x))) (1, (2, r)) xs in h + k",
}

// chain is a program of twelve loops, each from the second component of the one before,
// whose first components are summed in the given order: each block has a dual that the sum
// reaches, and one that the next block reaches.
func chain(order ...int) string {
	var b strings.Builder
	b.WriteString("let k = e in\n")
	for i := range 12 {
		fmt.Fprintf(&b, "let (h%d, k) = #3 (fun (h, k) -> (h * e + 1, k * r + 1)) (k, k) in\n", i)
	}
	for i, loop := range order {
		if i > 0 {
			b.WriteString(" + ")
		}
		fmt.Fprintf(&b, "h%d", loop)
	}
	return b.String()
}

// blockRun is what a run of a program came to.
type blockRun struct {
	values, jacobian []float64
	stats            engine.Stats
}

func runGradient(t *testing.T, s testprogram.Source, prog *graph.Program, opt engine.Options) blockRun {
	t.Helper()
	m, err := engine.New(prog, opt)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	k := prog.Outputs
	run := blockRun{values: make([]float64, k), jacobian: make([]float64, k*len(s.Point))}
	require.NoError(t, m.Gradient(s.Point, run.values, run.jacobian))
	run.stats = m.Stats()
	return run
}

// TestBlocks: with blocks and without, and under random schedules, the machine makes the
// same counts, and the values and derivatives of the oracle.
func TestBlocks(t *testing.T) {
	for name, body := range blockPrograms {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, blockInputs+body)
			prog := s.Compiled(t, compile.Options{Reversed: true})
			require.Greater(t, len(prog.Blocks), 1, "it has a block")
			values, jacobian := denote.Jacobian(s.Term, s.Inputs, s.Point)
			literal := runGradient(t, s, prog, engine.Options{NoFuse: true})
			for _, opt := range schedules {
				run := runGradient(t, s, prog, opt)
				requireSame(t, values, run.values)
				for i := range jacobian {
					require.True(t, generate.Close(jacobian[i], run.jacobian[i], 1e-12), "%v instead of %v", run.jacobian, jacobian)
				}
				if opt.Schedule == engine.LIFO {
					requireSame(t, literal.jacobian, run.jacobian)
				}
				require.Equal(t, literal.stats.Counts, run.stats.Counts)
			}
		})
	}
}

// long loops take more rows than one object holds: 2¹⁶ numbers.
var longLoops = map[string]string{
	"#n, a column":      "#100000 (fun h -> h * e + 1e-3) r",
	"#n, two columns":   "let (h, k) = #70001 (fun (h, k) -> (k * e + 1, h * r + k * e)) (1, r) in h + k",
	"#n, swapped":       "fst (#65537 (fun (h, k) -> (k * r, h * h)) (e, 0.5))",
	"data":              "data ys : List R = list i < 100000 -> sin i\nfold (fun y h -> tanh (e * y + r * h)) 0 ys",
	"data, two columns": "data ys : List R^2 = list i < 40000 -> [| sin i, cos i |]\nfold (fun y h -> sigmoid (e * y.(0) + r * h * y.(1))) 0 ys",
	"declared symbols": "symbol swish x = x * sigmoid x with sigmoid x * (1 + x * (1 - sigmoid x))\n" +
		"symbol hyp x y = sqrt (x * x + y * y) with x / sqrt (x * x + y * y), y / sqrt (x * x + y * y)\n" +
		"#66000 (fun h -> hyp (swish (h * e)) r) 1",
	"data that is returned": "data ys : List R = list i < 70000 -> sin i\nlet (h, l) = fold (fun y (h, l) -> (h * 0.5 + r * l, y)) (0, e) ys in h + l",
}

// TestLongLoops: loops of several objects, with the counts and the results of the runs
// without blocks.
func TestLongLoops(t *testing.T) {
	for name, body := range longLoops {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, "input e = 0.75\ninput r = -0.5\n"+body)
			prog := s.Compiled(t, compile.Options{Reversed: true})
			want := runGradient(t, s, prog, engine.Options{NoFuse: true})
			for _, opt := range []engine.Options{{}, {Schedule: engine.Random, Seed: 7}} {
				got := runGradient(t, s, prog, opt)
				require.Equal(t, want.stats.Counts, got.stats.Counts)
				requireSame(t, want.values, got.values)
				for i := range want.jacobian {
					require.True(t, generate.Close(want.jacobian[i], got.jacobian[i], 1e-9), "%v instead of %v", got.jacobian, want.jacobian)
				}
				if opt.Schedule == engine.LIFO {
					requireSame(t, want.jacobian, got.jacobian)
				}
				require.Less(t, 4*got.stats.Nodes, want.stats.Nodes)
			}
		})
	}
}

// loopProgram is 10⁵ runs of a loop that is kept for the backward phase.
const loopProgram = "input e = 0.75\ninput r = -0.5\n#100000 (fun h -> h * e + 1) r"

// TestLoopLimits: the limits hold within a loop, that of steps to within one run of its
// block, in the primal and in the backward phase.
func TestLoopLimits(t *testing.T) {
	s := testprogram.FromSource(t, loopProgram)
	prog := s.Compiled(t, compile.Options{Reversed: true})
	full := runGradient(t, s, prog, engine.Options{}).stats
	total := full.Counts.Total()
	perRun := total/100_000 + 1
	for _, most := range []uint64{total / 10, total / 3, total - total/3, total - total/10} {
		err := limited(t, s, prog, limits.Bounds{MaxSteps: most})
		require.Equal(t, "steps", err.Limit)
		require.Equal(t, most, err.Max)
		require.EqualError(t, err, fmt.Sprintf("limit of %d steps reached after %d steps, with %d nodes", most, err.Steps, err.Nodes))
		require.GreaterOrEqual(t, err.Steps, most)
		require.LessOrEqual(t, err.Steps, most+perRun)
		require.NotZero(t, err.Pos)
	}
	for _, most := range []uint64{1000, 30_000, full.Nodes - 100} {
		err := limited(t, s, prog, limits.Bounds{MaxNodes: most})
		require.Equal(t, "nodes", err.Limit)
		require.Equal(t, most, err.Max)
		require.NotZero(t, err.Pos)
	}
}

// TestLoopMemory: a program that needs more than the arena takes. The error says so.
func TestLoopMemory(t *testing.T) {
	s := testprogram.FromSource(t, "input e = 0.75\n#1000000 (fun k h -> k (h * e) * e) (fun h -> h) 0")
	prog := s.Compiled(t, compile.Options{Reversed: true})
	err := limited(t, s, prog, limits.Bounds{MaxMemory: 1})
	require.Equal(t, "memory", err.Limit)
	require.Less(t, err.Nodes, uint64(graph.SlabNodes))
	var full *graph.ArenaFullError
	require.ErrorAs(t, err, &full)
	require.Regexp(t, `^memory limit of 1 bytes reached after [0-9]+ steps`, err.Error())
}

// limited runs a gradient with the limits, of which it must reach one.
func limited(t *testing.T, s testprogram.Source, prog *graph.Program, bounds limits.Bounds) *limits.ReachedError {
	t.Helper()
	m, err := engine.New(prog, engine.Options{Limits: bounds})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	v, j := make([]float64, 1), make([]float64, len(s.Point))
	err = m.Gradient(s.Point, v, j)
	var limit *limits.ReachedError
	require.ErrorAs(t, err, &limit, "%+v", bounds)
	return limit
}

// TestLoopLooks: an error of Look ends a run wherever it comes, in a loop too, and the next
// run of the same machine is as if nothing had been.
func TestLoopLooks(t *testing.T) { sameAfterLooks(t, loopProgram) }

// TestPathLooks is TestLoopLooks of a loop with a branch.
func TestPathLooks(t *testing.T) {
	sameAfterLooks(t, "input e = 0.75\ninput r = -0.5\n#200000 (fun h -> if h < 0 then h * e + 1 else h - r * 3) r")
}

// sameAfterLooks runs a gradient in which an error of Look comes earlier or later, and one after it.
func sameAfterLooks(t *testing.T, src string) {
	t.Helper()
	s := testprogram.FromSource(t, src)
	prog := s.Compiled(t, compile.Options{Reversed: true})
	runGradient(t, s, prog, engine.Options{}) // making code looks too
	full := runGradient(t, s, prog, engine.Options{})
	stop := errors.New("stop")
	left := uint64(0)
	m, err := engine.New(prog, engine.Options{Limits: limits.Bounds{Look: func() error {
		if left--; left == 0 {
			return stop
		}
		return nil
	}}})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	require.Greater(t, full.stats.Looks, uint64(20))
	for at := uint64(1); at <= full.stats.Looks; at += 3 {
		v, j := make([]float64, 1), make([]float64, len(s.Point))
		left = at
		err := m.Gradient(s.Point, v, j)
		require.ErrorIs(t, err, stop, "look %d", at)
		require.Regexp(t, `^stopped after [0-9]+ steps, with [0-9]+ nodes: stop$`, err.Error())
		require.NoError(t, m.Gradient(s.Point, v, j))
		require.Equal(t, full.values, v)
		require.Equal(t, full.jacobian, j)
		require.Equal(t, full.stats, m.Stats())
	}
}

// TestBlockOfNormalForm: a block whose dual has products and sums in the argument of its
// head, as the normal form of D(z·z) has: f = λp.⟨z·z, λa.z*(z·a + z·a)⟩[⟨z,z*⟩:=p]. At 2,
// f (f y) is 2⁴, and its derivative 4·2³.
func TestBlockOfNormalForm(t *testing.T) {
	q := term.New(term.NewTypes())
	pairs := q.Types.Reverse(term.R)
	variable := func(name string, ty term.Type, linear bool) term.Var {
		return q.NewVar(term.VarInfo{Name: name, Type: ty, Linear: linear})
	}
	y, f, p := variable("y", pairs, false), variable("f", q.Types.Arrow(pairs, pairs), false), variable("p", pairs, false)
	z, star, a := variable("z", term.R, false), variable("z*", term.AbstractDual, false), variable("a", term.R, true)
	at := func(x term.Var) term.Ref { return q.Variable(0, x) }
	times := func(x, y term.Var) term.Ref { return q.Fun(0, term.Mul, at(x), at(y)) }
	dual := q.Lam(0, a, q.App(0, at(star), q.Add(0, times(z, a), times(z, a))))
	lam := q.Lam(0, p, q.Unpair(0, z, star, at(p), q.Pair(0, times(z, z), dual)))
	q.Root = q.Let(0, f, lam, q.App(0, at(f), q.App(0, at(f), at(y))))
	prog, err := compile.Compile(q, compile.Options{Inputs: []term.Var{y}, Reversed: true})
	require.NoError(t, err)
	require.Len(t, prog.Blocks, 2)
	s := testprogram.Source{Term: q, Inputs: []term.Var{y}, Point: []float64{2}}
	literal := runGradient(t, s, prog, engine.Options{NoFuse: true})
	for _, opt := range schedules {
		run := runGradient(t, s, prog, opt)
		require.Equal(t, []float64{16}, run.values)
		require.Equal(t, []float64{32}, run.jacobian)
		require.Equal(t, literal.stats.Counts, run.stats.Counts)
	}
}
