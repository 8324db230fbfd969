package decode_test

import (
	"cmp"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/decode"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/internal/testprogram"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// subject is a term with its inputs at a point.
type subject struct {
	t      *term.Term
	inputs []term.Var
	point  []float64
}

// outputs is k of a term of type R^k, 0 of one of type R.
func (p subject) outputs(t require.TestingT) int {
	ty, err := p.t.Check()
	require.NoError(t, err)
	if p.t.Types.Kind(ty) == term.VecKind {
		return p.t.Types.Len(ty)
	}
	return 0
}

// goal is what a run computes: of a term at the point its value or its gradient, or with its inputs symbolic its graph, which is m, or
// the right-hand side of Theorem 1.
type goal struct{ gradient, open bool }

// start compiles the program of the goal, and makes its start term.
func (p subject) start(t require.TestingT, g goal) (start *reference.Start, prog *compile.Program) {
	var err error
	if !g.gradient {
		of := reference.Convert(p.t, denote.Floats{})
		if g.open {
			prog, err = compile.NewOpen(p.t, p.inputs, nil)
			start = of.OpenStart(p.inputs, p.point)
		} else {
			prog, err = compile.NewValue(p.t, p.inputs, nil)
			start = of.ValueStart(p.inputs, p.point)
		}
		require.NoError(t, err)
		return start.Named(), prog
	}
	d, err := revgrad.Reverse(p.t, nil)
	require.NoError(t, err)
	of := reference.Convert(d, denote.Floats{})
	if g.open {
		prog, err = compile.NewOpenGradient(d, p.inputs, nil)
		start = of.OpenGradientStart(p.inputs, p.point)
	} else {
		k := p.outputs(t)
		prog, err = compile.NewGradient(d, p.inputs, k, nil)
		start = of.GradientStart(p.inputs, p.point, k)
	}
	require.NoError(t, err)
	return start.Named(), prog
}

// The bounds of the runs that are followed: steps, and symbols of a term.
const (
	maxSteps   = 400
	maxSymbols = 4000
)

var errLong = errors.New("the run is too long to be followed")

// follow makes a run and goes through it move by move.
func follow(t require.TestingT, p subject, g goal, opt machine.Options) (moves [rule.NumMoves]int, whole bool) {
	start, prog := p.start(t, g)
	d := decode.New(start, prog)
	var m *machine.Machine
	var last *decode.State
	class := start.Term.Class()
	opt.Limits = limits.Bounds{MaxSteps: cmp.Or(opt.Limits.MaxSteps, maxSteps), MaxMemory: 64 << 20}
	opt.Events = func(e *machine.Fired) error {
		moves[e.Move]++
		if e.N == 0 && e.Code == compile.NoCode {
			return nil // the start term does not stand yet
		}
		next := d.State(m)
		was := class
		class = next.Term.Class()
		if by, ok := e.Move.Rule(); !ok {
			require.True(t, class == was, "a unit, %v, has changed the term to\n%s\nin %s", e.Move, next.Term, p.t)
		} else {
			s := start.State(last.Term, false)
			if s.Size() > maxSymbols {
				return errLong
			}
			if last.Redex(s, e, class) == nil {
				message := ""
				for i := range s.Redex {
					if r := &s.Redex[i]; r.Rule == by {
						u, _ := s.Fire(r)
						message += fmt.Sprintf("\nweak %v garbage %v: %s", r.Weak, r.Garbage, u)
					}
				}
				require.Fail(t, "no step", "step %d, (%v), is none from\n%s\nto\n%s\n but %s \nin %s", e.N, by, last.Term, next.Term, message, p.t)
			}
		}
		last = next
		return nil
	}
	m, err := machine.New(prog, opt)
	require.NoError(t, err)
	defer m.Close()
	switch {
	case g.open:
		err = m.Graph(p.point)
	case g.gradient:
		k := max(1, prog.Outputs)
		err = m.Gradient(p.point, make([]float64, k), make([]float64, k*len(p.point)))
	default:
		err = m.Value(p.point)
	}
	var limit *limits.ReachedError
	if errors.Is(err, errLong) || errors.As(err, &limit) && limit.Limit == "steps" {
		return moves, false
	}
	require.NoError(t, err)
	return moves, true
}

// followAll follows a run under LIFO and under random schedules, one where inputs are symbolic, and returns how often it has made each move.
func followAll(t require.TestingT, p subject, g goal) (moves [rule.NumMoves]int, whole bool) {
	moves, whole = follow(t, p, g, machine.Options{})
	seeds := uint64(1)
	if property.Full() && !g.open {
		seeds = 3
	}
	for seed := range seeds {
		again, _ := follow(t, p, g, machine.Options{Random: true, Seed: seed})
		if whole {
			require.Equal(t, moves[:rule.Count], again[:rule.Count])
		}
	}
	return moves, whole
}

// programs have every construct of the language.
var programs = map[string]string{
	"Figure 1":         "input x1 = 5\ninput x2 = 2\nlet z1 = x1 - x2 in let z2 = z1 * z1 in sin z2",
	"squares":          "input x = 1.25\nlet z = x in\nlet z = z * z in\nlet z = z * z in\nlet z = z * z in\nz",
	"functions":        "input w = 2\ninput x = 3\n(fun f -> f (f x)) (fun y -> w * y + x)",
	"partial":          "let f = fun x y z -> x * y + z in let g = f 2 in g 3 4 + g 4 5",
	"list":             "input e = 0.7\ninput r = 0.9\nfold (fun x h -> sigmoid (e * x + r * h)) 0 [1; e; 3]",
	"no list":          "input e = 0.7\nfold (fun x h -> x + h) e [] + iter #0 (fun y -> y) e",
	"pairs":            "input e = 0.7\nlet (a, b) = fold (fun (x, y) (h, k) -> (x * h, y + k)) (1, e) [(1, e); (3, 2)] in a * b",
	"shared":           "input e = 0.7\nlet xs = [e; 2] in fold (fun x h -> x * h + fold (fun y k -> y + k) 0 xs) 1 xs",
	"numeral":          "input x = 0.9\niter #4 (fun y -> sin y * x) x",
	"data":             "data a : List R = list i < 3 -> i + 1\ninput x = 2\nfold (fun y h -> h * x + y) x a",
	"rows":             "data a : List R^2 = list i < 2 -> [| i, 1 |]\ninput x = 2\nfold (fun y h -> h * x + y.(0) * y.(1)) x a",
	"vectors":          "input v : R^3 = [| 1, 2, 3 |]\nlet w = v in [| w.(0) * w.(1), v.(2), dot v w |]",
	"branches":         "input x = 2\nlet f = fun y -> if y > 1 then y * x else x in f x + f (f 0.5)",
	"stream":           "type stream = Nil | Cons of R * stream\ninput x = 2\nlet rec total (s : stream) : R = match s with Nil -> 0 | Cons (a, r) -> a * x + total r in total (Cons (x, Cons (3, Nil)))",
	"tree":             "type tree = Leaf of R | Node of tree * tree\ninput x = 3\nlet rec f (t : tree) (p : R) : R = match t with Leaf y -> y * p | Node (l, r) -> f l (f r p) in f (Node (Leaf x, Leaf 2)) 1",
	"mutual":           "input x = 0.5\nlet rec even (n : R) : R = if n < 1 then x else odd (n - 1) * x and odd (n : R) : R = if n < 1 then 0 else even (n - 1) in even 3",
	"duals":            "let d = lin a -> 2 * a in let e = lin a -> d a + d (3 * a) in e 1 + d 5",
	"pairs of duals":   "let d = lin a -> [| a, 2 * a |] in let k = lin a -> [| a * 3, a |] in let e = lin a -> d (a * 3) + k a + d a in let f = fun k -> lin a -> e (k * a) in (f 3) 1",
	"numerals dropped": "input x = 0.5\n(fun p -> x) (1, (2, 3))",
}

// TestDecodePrograms follows all goals of programs that have, together, each rule but (9), which never fires, and each unit.
func TestDecodePrograms(t *testing.T) {
	var all [rule.NumMoves]int
	for name, src := range programs {
		t.Run(name, func(t *testing.T) {
			s := testprogram.FromSource(t, src)
			p := subject{s.Term, s.Inputs, s.Point}
			for _, g := range goals(t, p, strings.Contains(src, "lin ")) {
				moves, whole := followAll(t, p, g)
				require.True(t, whole)
				for i, n := range moves {
					all[i] += n
				}
			}
		})
	}
	for i, n := range all {
		require.Equal(t, i == int(rule.EtaLambda), n == 0, "%v", rule.Move(i))
	}
}

// goals are those that a program has. One with dual λs of its own has a value alone.
func goals(t require.TestingT, p subject, linear bool) []goal {
	switch {
	case linear:
		return []goal{{}}
	case p.outputs(t) > 0:
		return []goal{{}, {gradient: true}, {open: true}}
	}
	return []goal{{}, {gradient: true}, {open: true}, {gradient: true, open: true}}
}

// TestDecodeExamples follows the beginning of those examples whose terms are small.
func TestDecodeExamples(t *testing.T) {
	fewer := uint64(3)
	if property.Full() {
		fewer = 1
	}
	for _, name := range []string{"figure1", "backpropagators", "huber", "jacobian", "logsumexp", "mapfold", "polynomial", "rnn", "w1", "w4"} {
		t.Run(name, func(t *testing.T) {
			g, err := gram.LoadFile(t.Context(), "../../examples/"+name+".gram", gram.Options{Params: testprogram.Small[name], Open: testprogram.FirstRows})
			require.NoError(t, err)
			q, inputs := bridge.Of(g).Copy()
			require.Less(t, reference.Symbols(q), uint64(maxSymbols/8))
			p := subject{q, inputs, g.Point()}
			for _, goal := range goals(t, p, g.Differentiable() != nil) {
				for _, random := range []bool{false, true} {
					if random && goal.open {
						continue
					}
					moves, _ := follow(t, p, goal, machine.Options{Random: random, Limits: limits.Bounds{MaxSteps: 100 / fewer}})
					require.True(t, goal.open || moves[rule.GC] > 0)
				}
			}
		})
	}
}

// TestPropertyDecode: each rewrite of the literal machine is one step of its rule on the decoded terms, and no unit changes them. A
// draw is a run: of a value or a gradient, under LIFO or a random schedule.
func TestPropertyDecode(t *testing.T) {
	checkRuns(t, func(t *rapid.T) bool { return followDraw(t, false) })
}

// TestPropertyDecodeOpen does the same with symbolic inputs: m, and the reduction of Theorem 1.
func TestPropertyDecodeOpen(t *testing.T) {
	checkRuns(t, func(t *rapid.T) bool { return followDraw(t, true) })
}

// followDraw follows a run of a random program.
func followDraw(t *rapid.T, open bool) (whole bool) {
	p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector"), Size: rapid.IntRange(5, 40).Draw(t, "size"),
		Recursive: rapid.Bool().Draw(t, "recursive")})
	s := subject{p.Term, p.Inputs, p.Point}
	g := goal{rapid.Bool().Draw(t, "gradient"), open}
	g.gradient = g.gradient && !(open && s.outputs(t) > 0)
	_, whole = follow(t, s, g, drawSchedule(t))
	return whole
}

// TestPropertyDecodeLinear does the same for programs with dual λs of their own.
func TestPropertyDecodeLinear(t *testing.T) {
	checkRuns(t, func(t *rapid.T) bool {
		p := subject{t: property.Linear(t, rapid.IntRange(3, 60).Draw(t, "size"))}
		_, whole := follow(t, p, goal{}, drawSchedule(t))
		return whole
	})
}

// checkRuns tests a property of runs. Of those that are too long only the beginning is followed.
func checkRuns(t *testing.T, run func(t *rapid.T) bool) {
	property.Check(t, func(t *rapid.T) {
		if !run(t) {
			property.Leave(t, fmt.Sprintf("the rest of a run behind %d steps or %d symbols", maxSteps, maxSymbols))
		}
	})
}

func drawSchedule(t *rapid.T) machine.Options {
	return machine.Options{Random: rapid.Bool().Draw(t, "random"), Seed: rapid.Uint64().Draw(t, "schedule")}
}
