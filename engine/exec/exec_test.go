package exec_test

import (
	"context"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/engine/ir"
	"github.com/gram-machine/gram/engine/lower"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/limits"
)

// verified verifies the code behind a pass.
func verified(p *ir.Program, pass string) error {
	if err := p.Verify(); err != nil {
		return fmt.Errorf("behind the pass %s: %w", pass, err)
	}
	return nil
}

// compiled compiles a program, and verifies its code.
func compiled(t *testing.T, p *lang.Program, gradient bool) *exec.Program {
	t.Helper()
	code, err := lower.Program(p.Written(), lower.Options{Inputs: p.Scalars, Gradient: gradient, After: verified})
	require.NoError(t, err)
	return exec.New(code)
}

// TestExamples: the values, gradients and steps of examples are those of the literal machine.
func TestExamples(t *testing.T) {
	files, err := filepath.Glob("../../examples/*.gram")
	require.NoError(t, err)
	more, err := filepath.Glob("../../gradbench/*.gram")
	require.NoError(t, err)
	for _, file := range append(files, more...) {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".gram"), func(t *testing.T) {
			src, err := os.ReadFile(file)
			require.NoError(t, err)
			for _, big := range []string{"w1", "w2", "w3", "w4", "w5", "bigram", "characters", "molecules", "phylogeny",
				"logsumexp",
				"particle", "saddle", "backpropagators"} {
				if strings.HasPrefix(filepath.Base(file), big+".") {
					t.Skip()
				}
			}
			compare(t, file, src, gram.Options{Dir: filepath.Dir(file)})
		})
	}
}

func compare(t *testing.T, name string, src []byte, opt gram.Options) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	p, err := gram.Load(ctx, name, src, opt)
	require.NoError(t, err)
	l, err := lang.Load(name, src, lang.Options{Dir: opt.Dir, Params: nil})
	require.NoError(t, err)
	want, err := p.Value(ctx, gram.EvalOptions{Literal: true})
	require.NoError(t, err)
	m := compiled(t, l, false).NewMachine(limits.Bounds{})
	require.NoError(t, m.Value(l.Point))
	got, lengths, err := m.Read(nil, nil)
	require.NoError(t, err)
	require.Equal(t, want.Lengths, lengths)
	near(t, want.Values, got)
	if len(want.Lengths) > 0 { // the literal machine leaves the substitutions that a list still refers to
		want, err = p.Value(ctx, gram.EvalOptions{NoFuse: true})
		require.NoError(t, err)
	}
	require.Equal(t, want.Cost.Steps, m.Stats().Counts)
	if s := p.Shape(); s == nil || (s.String() != "R" && !strings.HasPrefix(s.String(), "R^")) {
		return
	}
	want, err = p.Gradient(ctx, gram.EvalOptions{Literal: true})
	if err != nil {
		t.Log(err)
		return
	}
	m = compiled(t, l, true).NewMachine(limits.Bounds{})
	values, jacobian := make([]float64, len(want.Values)), make([]float64, len(want.Jacobian))
	require.NoError(t, m.Gradient(l.Point, values, jacobian))
	near(t, want.Values, values)
	require.InDeltaSlice(t, want.Jacobian, jacobian, 1e-9)
	require.Equal(t, want.Cost.Steps, m.Stats().Counts)
}

// near asserts that values agree to rounding, also where larger numbers cancel.
func near(t *testing.T, want, got []float64) {
	t.Helper()
	require.Len(t, got, len(want))
	for i, x := range want {
		if x != got[i] && !(math.Abs(x-got[i]) <= 1e-13*math.Abs(x)+1e-15) && !(math.IsNaN(x) && math.IsNaN(got[i])) {
			t.Fatalf("value %d: %v instead of %v", i, got[i], x)
		}
	}
}

// load compiles a program from its text.
func load(t *testing.T, src string, gradient bool, bounds limits.Bounds) (*exec.Machine, []float64) {
	t.Helper()
	l, err := lang.Load("t.gram", []byte(src), lang.Options{})
	require.NoError(t, err)
	return compiled(t, l, gradient).NewMachine(bounds), l.Point
}

const (
	sumOfStream = "type stream = Nil | Cons of R * stream\ninput x = 0.5\n" +
		"let rec make (k : R) : stream = if k < 1 then Nil else Cons (x, make (k - 1)) in\n" +
		"let rec total (s : stream) : R = match s with Nil -> 0 | Cons (y, r) -> y + total r in\ntotal (make 100000)\n"
	again = "type stream = Nil | Cons of R * stream\ninput x = 0.5\n" +
		"let rec make (k : R) : stream = if k < 1 then Nil else Cons (x, make (k - 1)) in\n" +
		"let rec total (s : stream) (a : R) : R = match s with Nil -> a | Cons (y, r) -> total r (y + a) in\n" +
		"let rec loop (k : R) (a : R) : R = if k < 1 then a else loop (k - 1) (a + total (make 10) 0) in\nloop 20000 0\n"
	endless = "input x = 0.5\nlet rec loop (k : R) : R = 1 + loop (k + x) in loop 0\n"
)

// TestWithin: code of a λ that is made within its own code, by way of what it is applied to, has variables and indices
// of its own.
func TestWithin(t *testing.T) {
	for name, body := range map[string]string{
		"a parameter":         "let f = fun g y -> g (y * 2) + y in f (f (fun z -> z)) e",
		"the outer parameter": "let f = fun g y -> g (y * 2) + g y in f (fun z -> f (fun u -> u * r) z) e",
		"a let":               "let f = fun g y -> let z = y * 2 in g (z + r) * z + z in f (f (f (fun z -> z * e))) e",
		"a let between":       "let f = fun g -> let z = g r in fun y -> g (y * 2) + z * y in f (fun z -> f (fun u -> u * r) z) e",
		"an index":            "let f = fun g y -> let v = vec i < 40 -> g (y + i) + y * i in v.(7) + y in f (f (fun z -> z * e)) r",
		"a list":              "let l = list i < 3 -> let z = e * i in z + r in fold (fun a s -> fold (fun b q -> q * b + a) s l + a) e l",
	} {
		t.Run(name, func(t *testing.T) {
			compare(t, name, []byte("input e = 0.75\ninput r = -0.5\n"+body), gram.Options{})
		})
	}
}

// TestDeep: recursion takes no stack of Go, and its gradient is right.
func TestDeep(t *testing.T) {
	m, point := load(t, sumOfStream, true, limits.Bounds{})
	values, gradient := make([]float64, 1), make([]float64, 1)
	require.NoError(t, m.Gradient(point, values, gradient))
	require.Equal(t, []float64{50000}, values)
	require.Equal(t, []float64{100000}, gradient)
}

// TestCollection: objects that nothing refers to are freed, in a value and in a gradient.
func TestCollection(t *testing.T) {
	for _, gradient := range []bool{false, true} {
		m, point := load(t, again, gradient, limits.Bounds{})
		if gradient {
			values, jacobian := make([]float64, 1), make([]float64, 1)
			require.NoError(t, m.Gradient(point, values, jacobian))
			require.Equal(t, []float64{200000}, jacobian)
		} else {
			require.NoError(t, m.Value(point))
		}
		s := m.Stats()
		require.Greater(t, s.Nodes, uint64(20000*30))
		require.Less(t, s.Peak-s.Statements, uint64(1<<14))
		require.Greater(t, s.Freed, s.Nodes-s.Peak-1)
	}
}

// TestLimits: limits end a run, and name the function that recurs. A run that takes exactly as many steps as it may
// is not stopped.
func TestLimits(t *testing.T) {
	looks := 0
	second := func() error {
		if looks++; looks > 1 {
			return context.Canceled
		}
		return nil
	}
	for _, bounds := range []limits.Bounds{{MaxSteps: 1000}, {Look: second}} {
		m, point := load(t, endless, false, bounds)
		var reached *limits.ReachedError
		require.ErrorAs(t, m.Value(point), &reached)
		require.Equal(t, "loop", reached.Function)
	}
	m, point := load(t, again, false, limits.Bounds{})
	require.NoError(t, m.Value(point))
	n := m.Stats().Counts.Total()
	m, point = load(t, again, false, limits.Bounds{MaxSteps: n})
	require.NoError(t, m.Value(point))
	m, point = load(t, again, false, limits.Bounds{MaxSteps: n - 1})
	require.Error(t, m.Value(point))
}

// TestFlow: code with many conditionals, one behind the other, is walked once, and the body of a loop twice at most.
func TestFlow(t *testing.T) {
	var code []ir.Instr
	const many = 2000
	for k := range uint32(many) {
		code = append(code, ir.Instr{Op: ir.Branch, N: k}, ir.Instr{Op: ir.Const, D: ir.Reg(k)}, ir.Instr{Op: ir.Label, N: k},
			ir.Instr{Op: ir.Const, D: many})
	}
	code = append(code, ir.Instr{Op: ir.Next, D: many, A: many, N: 0}, ir.Instr{Op: ir.Return})
	steps := 0
	require.NoError(t, ir.Flow(code, 0, ir.NewRegSet(many+1), func(i int, set ir.RegSet) error {
		steps++
		set.Put(&code[i], true)
		if code[i].Op == ir.Return {
			require.True(t, set.Has(many))
			require.False(t, set.Has(many-1), "one way leaves it out")
		}
		return nil
	}))
	require.LessOrEqual(t, steps, 2*len(code))
	require.GreaterOrEqual(t, steps, len(code))
}
