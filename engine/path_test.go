package engine_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/generate"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
)

// pathInputs stand before each of the programs of this file.
const pathInputs = `input e = 0.75
input r = -0.5
input q = 0.3
data xs : List R = list i < 40 -> sin (i * i)
data ps : List R^2 = list i < 30 -> [| sin i, cos (i * i) |]
def leaky x = if x < 0 then 0.01 * x else x
def relu x = if x < 0 then 0 else x
def twice f x = f (f x)
`

// pathPrograms have loops that run as blocks with paths, or that are known only when they run.
var pathPrograms = map[string]string{
	"a conditional of two numbers":        "fold (fun x h -> leaky (e * x + r * h)) 0.5 xs",
	"a constant branch":                   "fold (fun x h -> relu (e * x + r * h + q)) 0.5 xs",
	"a state that is kept":                "fold (fun x h -> if x < 0.2 then h else sin (e * x + r * h)) 0.5 xs",
	"a state that is reset":               "fold (fun x h -> if x < -0.9 then 1 else sin (e * x + r * h)) 0.5 xs",
	"a state that is an input now":        "fold (fun x h -> if x < -0.9 then e else sin (e * x + r * h)) 0.5 xs",
	"an input that one branch reads":      "fold (fun x h -> if x < -0.95 then q * h else sin (e * x + h)) r xs",
	"an element that is returned":         "fold (fun x h -> if x < 0 then x else h * e + r) 0.5 xs",
	"nested conditionals":                 "fold (fun x h -> if x < 0 then (if h < 0.3 then e * h else r + h) else (if h < x then h else leaky (q * h))) 0.5 xs",
	"conditionals one after another":      "fold (fun x h -> leaky (e * x + r * relu (h + q) + leaky (h * x))) 0.5 xs",
	"components that trade places":        "let (a, b) = fold (fun x (a, b) -> if x < 0 then (b, a) else (a * e + x, b * r)) (q, e) xs in a * b + a",
	"components that become one":          "let (a, b) = fold (fun x (a, b) -> if x < -0.5 then (a, a) else (b * e + x, a * r + b)) (q, e) xs in a * b + a",
	"one component of a pair is read":     "fst (fold (fun x (a, b) -> if x < 0 then (b, a * e) else (a * e + x, b * r)) (q, e) xs)",
	"shared duals at the start":           "let z = e * r in let (a, b) = fold (fun x (a, b) -> if x < 0 then (b, a * e) else (a * e + x, b * r)) (z, z) xs in a + b",
	"a known function":                    "fold (fun x h -> twice (fun y -> sin (e * y + x)) (h * r)) 0.5 xs",
	"a function in a branch":              "fold (fun x h -> (if x < 0 then (fun y -> y * e) else (fun y -> sin (y + r))) (h + q)) 0.5 xs",
	"a captured function":                 "let f = (let z = e * q in fun y -> sin (y * z)) in fold (fun x h -> f (h * r + x)) 0.5 xs",
	"a captured function of a function":   "let z = e * q in let f = fun y -> sin (y * z) in let g = fun y -> f (y + r) * z in fold (fun x h -> g (h * r + f x)) 0.5 xs",
	"a list that is mapped":               "fold (fun x h -> sin (e * x + r * h)) 0.5 (map (fun x -> leaky (x * q)) xs)",
	"a list that is mapped three times":   "fold (fun x h -> sin (e * x + r * h)) 0.5 (map (fun x -> x + e) (map sin (map (fun x -> x * q) xs)))",
	"a left fold":                         "foldl (fun h x -> h * e + leaky (x * r)) 0.5 xs",
	"a left fold of vectors":              "foldl (fun h p -> sin (h * p.(0) + r * p.(1))) 0.5 ps",
	"a left fold of a mapped list":        "foldl (fun h x -> h * e + leaky (x * r)) 0.5 (map (fun x -> x * q) xs)",
	"a list that is reversed":             "fold (fun x h -> sin (e * x + r * h)) 0.5 (rev xs)",
	"a list folded into a function":       "(fold (fun x k h -> k (sin (h * e + x * r))) (fun h -> h * q) xs) (e * r)",
	"a function that is applied twice":    "let f = fold (fun x k h -> k (sin (h * e + x * r))) (fun h -> h * q) xs in f e + f (f r)",
	"one whose start captures":            "let z = e * r in (fold (fun x k h -> k (h * e + relu x)) (fun h -> h * z) xs) z",
	"one of pairs":                        "let (a, b) = (fold (fun x k (a, b) -> if x < 0 then k (b, a) else k (a * e, b + x)) (fun p -> p) xs) (q, r) in a * b",
	"one that is a number now and then":   "(fold (fun x k h -> if h < -3 then h else k (h * 1.1 + x)) (fun h -> h * q) xs) (e * r)",
	"one that goes on after the call":     "(fold (fun x k h -> k (h * e + x) * r) (fun h -> h * q) xs) e",
	"one that opens what it gets":         "fst ((fold (fun x k h -> let (a, b) = k (h * e) in (b, a + x)) (fun h -> (h, h * q)) xs) e)",
	"one that compares what it gets":      "(fold (fun x k h -> let z = k (h * e) in if z < x then z else z * r) (fun h -> h * q) xs) e",
	"one that calls twice":                "(#17 (fun k h -> let z = k h in if h < 0.4 then k (h * e) else h) (fun h -> h * q)) e",
	"one that hands its function on":      "(fold (fun x k h -> (fun f -> f (h * e + x)) k) (fun h -> h * q) xs) e",
	"a numeral folded into a function":    "(#30 (fun k h -> k (sin (h * e) + r)) (fun h -> h * q)) e",
	"a numeral with a conditional":        "#30 (fun h -> if h < 0.5 then h * e + q else h * r) e",
	"loops within loops that are known":   "fold (fun x h -> #20 (fun y -> leaky (y * e + x)) (h * r)) 0.5 xs",
	"vectors":                             "let v = fold (fun p v -> if p.(0) < 0 then [| v.(1), v.(0) * e |] else [| leaky (v.(0) * r), p.(1) |]) [| e, q |] ps in v.(0) * v.(1)",
	"work that nothing reads":             "fold (fun x h -> let z = leaky (h * e) in let y = twice leaky z in if x < 0 then h * r + z else h) 0.5 xs",
	"partial and further application":     "let f = fun a b c -> a * b + c * e in fold (fun x h -> let g = f x in let k = g h in k r) 0.5 xs",
	"a Jacobian":                          "fold (fun p v -> if p.(0) < 0 then [| v.(1), v.(0) * e |] else [| leaky (v.(0) * r), p.(1) |]) [| e, q |] ps",
	"arrivals at an input in each branch": "fold (fun x h -> if x < 0 then h * e + e * r + e else h * r + e) 0.5 xs",
}

// samePaths compares runs with and without blocks, of a gradient and of a value.
func samePaths(t *testing.T, body string) (fused bool) {
	t.Helper()
	s := testprogram.FromSource(t, pathInputs+body)
	prog := s.Compiled(t, compile.Options{Reversed: true})
	values, jacobian := denote.Jacobian(s.Term, s.Inputs, s.Point)
	want := runGradient(t, s, prog, engine.Options{NoFuse: true})
	for _, opt := range append(schedules, engine.Options{NoNative: true}, engine.Options{Schedule: engine.Parallel, Workers: 2},
		engine.Options{Limits: limits.Bounds{RowsMemory: 1}}) {
		got := runGradient(t, s, prog, opt)
		requireSame(t, values, got.values)
		for i := range jacobian {
			require.True(t, generate.Close(jacobian[i], got.jacobian[i], 1e-9), "%v instead of %v\n%s", got.jacobian, jacobian, body)
		}
		if opt.Schedule != engine.Random {
			require.Equal(t, want.jacobian, got.jacobian, body)
		}
		require.Equal(t, want.stats.Counts, got.stats.Counts, body)
		fused = fused || got.stats.Nodes < want.stats.Nodes/4
	}
	plain := s.Compiled(t, compile.Options{})
	a, b := runAlone(t, s, plain, engine.Options{NoFuse: true}), runAlone(t, s, plain, engine.Options{})
	requireSame(t, a.values, b.values)
	require.Equal(t, a.stats.Counts, b.stats.Counts, body)
	return fused
}

func runAlone(t *testing.T, s testprogram.Source, prog *graph.Program, opt engine.Options) (run blockRun) {
	t.Helper()
	m, err := engine.New(prog, opt)
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	require.NoError(t, m.Value(s.Point))
	run.values, _, err = m.Read(nil, nil)
	require.NoError(t, err)
	run.stats = m.Stats()
	return run
}

// TestPaths: loops of functions with conditionals, and of functions that are known only when they run, have the counts and the bits
// that they have without blocks.
func TestPaths(t *testing.T) {
	defer engine.RunsPerPath(1)()
	for name, body := range pathPrograms {
		t.Run(name, func(t *testing.T) { samePaths(t, body) })
	}
}

// TestRandomPaths compares random bodies of loops.
func TestRandomPaths(t *testing.T) {
	defer engine.RunsPerPath(1)()
	n := property.Size(1000)
	fused := 0
	for seed := range n {
		g := &pathBody{rng: rand.New(rand.NewPCG(uint64(seed), 1))}
		reset := engine.NativeWork(uint64(seed%2) << 40) // every other one is compiled
		if samePaths(t, g.program()) {
			fused++
		}
		reset()
	}
	require.Greater(t, 2*fused, n, "most programs have loops that run as blocks")
}

// pathBody makes random programs.
type pathBody struct {
	rng *rand.Rand
	n   int
}

func (g *pathBody) pick(of ...string) string { return of[g.rng.IntN(len(of))] }

func (g *pathBody) program() string {
	list := g.pick("xs", "xs", "(map (fun x -> "+g.number([]string{"x"}, 2)+") xs)", "(rev xs)")
	if g.rng.IntN(3) == 0 {
		return fmt.Sprintf("%s -> sin (%s)) (%s) %s", g.pick("fold (fun x h", "foldl (fun h x"), g.number([]string{"x", "h"}, 4), g.number(nil, 1), list)
	}
	if g.rng.IntN(4) == 0 {
		return fmt.Sprintf("(fold (fun x k h -> %s) (fun h -> h * q) %s) (%s)", g.tail([]string{"x", "h"}, 3), list, g.number(nil, 1))
	}
	return fmt.Sprintf("let (a, b) = fold (fun x (h, j) -> %s) (%s, %s) %s in a * e + b", g.pair([]string{"x", "h", "j"}, 4),
		g.number(nil, 1), g.number(nil, 1), list)
}

// tail is what a function of a chain returns.
func (g *pathBody) tail(names []string, depth int) string {
	if depth > 0 && g.rng.IntN(2) == 0 {
		return fmt.Sprintf("if %s < %s then %s else %s", g.number(names, 1), g.number(names, 1), g.tail(names, depth-1), g.tail(names, depth-1))
	}
	return fmt.Sprintf("k (sin (%s))", g.number(names, depth))
}

func (g *pathBody) pair(names []string, depth int) string {
	if depth > 0 {
		switch g.rng.IntN(4) {
		case 0:
			return fmt.Sprintf("if %s < %s then %s else %s", g.number(names, 1), g.number(names, 1), g.pair(names, depth-1), g.pair(names, depth-1))
		case 1:
			g.n++
			z := fmt.Sprint("z", g.n)
			return fmt.Sprintf("let %s = %s in %s", z, g.number(names, depth-1), g.pair(append(names[:len(names):len(names)], z), depth-1))
		}
	}
	component := func() string {
		if g.rng.IntN(3) == 0 {
			return names[g.rng.IntN(len(names))]
		}
		return "sin (" + g.number(names, depth) + ")"
	}
	return fmt.Sprintf("(%s, %s)", component(), component())
}

func (g *pathBody) number(names []string, depth int) string {
	if depth == 0 || g.rng.IntN(6) == 0 {
		return g.pick(append([]string{"e", "r", "q", "0.5", "e", "r"}, append(names, names...)...)...)
	}
	sub := func() string { return g.number(names, depth-1) }
	switch g.rng.IntN(10) {
	case 0, 1:
		return fmt.Sprintf("(%s * %s)", sub(), sub())
	case 2, 3:
		return fmt.Sprintf("(%s + %s)", sub(), sub())
	case 4:
		return fmt.Sprintf("%s (%s)", g.pick("sin", "tanh", "sigmoid"), sub())
	case 5:
		return fmt.Sprintf("%s (%s)", g.pick("leaky", "relu"), sub())
	case 6:
		return fmt.Sprintf("(if %s < %s then %s else %s)", sub(), sub(), sub(), sub())
	case 7:
		g.n++
		y := fmt.Sprint("y", g.n)
		return fmt.Sprintf("%s (fun %s -> %s) (%s)", g.pick("twice", "(fun f -> f)"), y, g.number(append(names[:len(names):len(names)], y), depth-1), sub())
	default:
		g.n++
		z := fmt.Sprint("z", g.n)
		return fmt.Sprintf("(let %s = %s in %s)", z, sub(), strings.TrimSpace(g.number(append(names[:len(names):len(names)], z), depth-1)))
	}
}
