package gram

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// TestRandomPrograms: all forms of random programs in the source language make the same steps by rule and have the same m and |G|, and
// numbers that differ from those of backpropagation over the denotation by no more than rounding does. Forward mode, the denotation of
// D(t) and central differences agree too. One evaluator gives at several points, and after runs that ended early, what a new one gives.
//
// It draws 60 programs, or as many as the environment's RANDOM_PROGRAMS; the first seed is its RANDOM_SEED.
func TestRandomPrograms(t *testing.T) {
	programs, first := fromEnvironment(t, "RANDOM_PROGRAMS", 60), fromEnvironment(t, "RANDOM_SEED", 0)
	var drawn surfaceCounts
	var workers sync.WaitGroup
	var next atomic.Int64
	for range runtime.GOMAXPROCS(0) {
		workers.Go(func() {
			for {
				seed := first + int(next.Add(1)-1)
				if seed >= first+programs {
					return
				}
				if begun := seed - first; begun > 0 && begun%1000 == 0 {
					t.Logf("%d of %d programs", begun, programs)
				}
				if err := checkSurface(t.Context(), seed, &drawn); err != nil {
					t.Errorf("seed %d: %v", seed, err)
				}
			}
		})
	}
	workers.Wait()
	t.Logf("%d programs: %d have gradients, %d of them finite ones that no rounding decides; differences of %d, "+
		"D(t) of %d; %d runs of other modes and strategies", programs,
		drawn.gradients.Load(), drawn.compared.Load(), drawn.differences.Load(), drawn.denoted.Load(), drawn.modes.Load())
	t.Logf("runs that ended early: %d at limits, %d cancelled, %d without memory; other data in %d", drawn.reached.Load(),
		drawn.cancelled.Load(), drawn.refused.Load(), drawn.replaced.Load())
	for _, name := range slices.Sorted(maps.Keys(drawn.constructs)) {
		t.Logf("%6d %s", drawn.constructs[name], name)
	}
	if programs >= 1000 {
		require.Greater(t, 10*int(drawn.differences.Load()), programs)
		for _, name := range []string{"jvp", "recursion", "vector opened", "vector opened in a fold", "two matrices or more", "beside a large sum", "list over an index", "fold in a comprehension",
			"conditional in a comprehension", "application of a variable in a comprehension", "vec in an element of a list over an index",
			"sum in an element of a list over an index", "fold in an element of a list over an index", "conditional in an element of a list over an index",
			"component that two indices select in an element of a list over an index"} {
			require.Greater(t, drawn.constructs[name], programs/50, name)
		}
	}
	require.GreaterOrEqual(t, 10*drawn.compared.Load(), 9*drawn.gradients.Load())
}

// fromEnvironment is a number of the environment.
func fromEnvironment(t *testing.T, name string, otherwise int) int {
	s := os.Getenv(name)
	if s == "" {
		return otherwise
	}
	n, err := strconv.Atoi(s)
	require.NoError(t, err)
	return n
}

// surfaceCounts counts what has been compared, and the programs that have each construct.
type surfaceCounts struct {
	gradients, compared, differences, denoted, modes, cancelled, reached, refused, replaced atomic.Int64

	lock       sync.Mutex
	constructs map[string]int
}

// count counts the constructs of a program. Its term has no jvp any more, so those that its text shows are counted there.
func (c *surfaceCounts) count(src string, t *term.Term) {
	found := map[string]bool{}
	body := src[strings.LastIndex(src, "\ndata")+1:]
	for name, mark := range map[string]string{"jvp": "(jvp ", "grad": "(grad ", "scan": "= scan ", "iter": "(iter #", "filter": "(filter ",
		"map": "(map ", "vector opened": "[| v", "vector opened in a fold": "(fold (fun [| v", "vector in a constructor": "Put (u, a)", "beside a large sum": " + 0.001 * (sum ", "beside a large vector": "= vec i < 300"} {
		found[name] = strings.Contains(body, mark)
	}
	found["two matrices or more"] = btoi(strings.Contains(body, "A"))+btoi(strings.Contains(body, "B"))+btoi(strings.Contains(body, "C.(")) > 1

	// What is around a node: bits.
	const family, list = 1, 2
	around := make([]uint8, len(t.Nodes))
	for r := t.Root; r > 0; r-- {
		n, in := &t.Nodes[r], around[r]
		note := func(what string) {
			found[what] = true
			if in&family != 0 {
				found[what+" in a comprehension"] = true
			}
			if in&list != 0 {
				found[what+" in an element of a list over an index"] = true
			}
		}
		below := in
		switch n.Op {
		case term.FamilyOp, term.SumOp, term.ListFamilyOp:
			note(map[term.Op]string{term.FamilyOp: "vec", term.SumOp: "sum", term.ListFamilyOp: "list over an index"}[n.Op])
			below |= family
			if n.Op == term.ListFamilyOp {
				below |= list
			}
		case term.ComponentOp:
			note("component that an index selects")
			if len(t.IndicesOf(n.Static())) > 1 {
				note("component that two indices select")
			}
		case term.IfOp:
			note("conditional")
		case term.FixOp:
			note("recursion")
		case term.CaseOp:
			note("match")
		case term.AppOp:
			switch f := &t.Nodes[n.A]; f.Op {
			case term.ListOp, term.ListFamilyOp, term.DataOp:
				note("fold")
			case term.VarOp:
				note("application of a variable")
			}
		}
		t.Kids(n, func(k term.Ref) { around[k] |= below })
	}
	c.lock.Lock()
	defer c.lock.Unlock()
	if c.constructs == nil {
		c.constructs = map[string]int{}
	}
	for name, is := range found {
		if is {
			c.constructs[name]++
		}
	}
}

// surfaceMemory is said, for to ask the system what there is takes longer than to load a program.
const surfaceMemory = 8 << 30

// surface is a random program that is being checked.
type surface struct {
	ctx   context.Context
	p     *Program
	src   string
	seed  int
	r     *rand.Rand
	tape  *numberTape // nil: its value is no tuple of numbers, or depends on rounding
	steps [2]rule.Counts
	drawn *surfaceCounts
}

func surfaceProgram(seed int) (src string, value bool) {
	opt := surfaceOptions{K: 3 + seed%7/5, Large: seed%4 == 0, Value: seed%8 == 7, Cell: seed%5 == 2}
	if opt.Cell = opt.Cell && !opt.Value; opt.Cell {
		opt.K, opt.Large = 3+seed/5%10, false
	}
	if seed%64 == 33 {
		opt.K = 17
	}
	return surfaceSource(rand.New(rand.NewPCG(uint64(seed), 11)), opt), opt.Value
}

// TestRandomFile: testdata/random.txt has programs of surfaceSource, which tests of other packages read. UPDATE=1 writes it.
func TestRandomFile(t *testing.T) {
	const file = "testdata/random.txt"
	var text strings.Builder
	for seed := range 24 {
		if src, value := surfaceProgram(seed); !value {
			text.WriteString(src + "----\n")
		}
	}
	if os.Getenv("UPDATE") != "" {
		require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o600))
	}
	want, err := os.ReadFile(file)
	require.NoError(t, err)
	require.Equal(t, string(want), text.String())
}

// checkSurface draws a program and compares all of it.
func checkSurface(ctx context.Context, seed int, drawn *surfaceCounts) error {
	src, value := surfaceProgram(seed)
	if err := checkSource(ctx, src, value, seed, drawn); err != nil {
		return fmt.Errorf("%w\n%s", err, src)
	}
	return nil
}

func checkSource(ctx context.Context, src string, value bool, seed int, drawn *surfaceCounts) (err error) {
	defer recovered(&err)
	p, err := Load(ctx, "t.gram", []byte(src), Options{MaxMemory: surfaceMemory})
	if err != nil {
		return err
	}
	drawn.count(src, p.src.Written())
	s := &surface{ctx: ctx, p: p, src: src, seed: seed, r: rand.New(rand.NewPCG(uint64(seed), 12)), drawn: drawn}
	if !value {
		drawn.gradients.Add(1)
		s.tape = newTape(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
		if s.tape.tells() {
			drawn.compared.Add(1)
		} else {
			s.tape = nil
		}
	}
	checks := []func() error{func() error { return s.forms(false) }, func() error { return s.profile(false) }}
	if !value {
		checks = append(checks, func() error { return s.forms(true) }, s.graph, s.semantics, s.modes, s.reuse,
			func() error { return s.profile(true) })
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

// recovered, deferred, makes a panic an error.
func recovered(err *error) {
	if p := recover(); p != nil {
		stack := make([]byte, 1<<12)
		*err = fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
	}
}

// run is the value or the gradient.
func (s *surface) run(gradient bool, opt EvalOptions) (*Result, error) {
	if gradient {
		return s.p.Gradient(s.ctx, opt)
	}
	return s.p.Value(s.ctx, opt)
}

// forms compares the forms of a run. Where a comparison depends on rounding they may take different branches.
func (s *surface) forms(gradient bool) error {
	var want *Result
	for i, form := range forms {
		// The first five each time, and of the others some.
		if i > 0 && !gradient && i%4 != s.seed%4 || i > 4 && i%3 != s.seed%3 {
			continue
		}
		form.opt.Seed, s.p.eager = uint64(s.seed), form.eager
		res, err := s.run(gradient, form.opt)
		if err != nil {
			return fmt.Errorf("%s: %w", form.name, err)
		}
		if i == 0 {
			want, s.steps[btoi(gradient)] = res, res.Cost.Steps
		}
		if err := s.same(want, res, gradient); err != nil {
			return fmt.Errorf("%s, gradient %v: %w", form.name, gradient, err)
		}
	}
	return nil
}

func btoi(b bool) int {
	if b {
		return 1
	}
	return 0
}

// same compares a result with another one, and its numbers with those of the tape.
func (s *surface) same(want, res *Result, gradient bool) error {
	if s.tape == nil && bridge.Of(s.p).Branches() && gradient {
		return nil
	}
	if want.Cost.Steps != res.Cost.Steps {
		return fmt.Errorf("steps %v instead of %v", res.Cost.Steps, want.Cost.Steps)
	}
	if !slices.Equal(want.Lengths, res.Lengths) || len(want.Values) != len(res.Values) || len(want.Jacobian) != len(res.Jacobian) {
		return errors.New("another shape")
	}
	if s.tape == nil {
		return nearby(want.Values, res.Values, 1e-10)
	}
	if err := within(s.tape.Values, s.tape.ValueBounds, res.Values); err != nil || !gradient {
		return err
	}
	return within(s.tape.Jacobian, s.tape.Bounds, res.Jacobian)
}

// underflow bounds the rounding errors of subnormal numbers, which have fewer digits than others.
const underflow = 0x1p-1000

// within compares numbers with those that have bounds of their errors.
func within(want, bounds, got []float64) error {
	for i, x := range want {
		if d := math.Abs(got[i] - x); !(d <= 8*bounds[i]+underflow) {
			return fmt.Errorf("%v instead of %v at %d, %.2g times what rounding does", got[i], x, i, d/bounds[i])
		}
	}
	return nil
}

// nearby compares numbers that are small enough, relative to the largest.
func nearby(want, got []float64, bound float64) error {
	scale := 1.0
	for _, x := range want {
		if scale = max(scale, math.Abs(x)); !(scale < 1e8) {
			return nil
		}
	}
	for i, x := range want {
		if !(math.Abs(got[i]-x) <= bound*scale) {
			return fmt.Errorf("%v instead of %v at %d", got[i], x, i)
		}
	}
	return nil
}

// graph compares m and |G| of code with and without passes, and of the literal machine.
func (s *surface) graph() error {
	opt := EvalOptions{Seed: uint64(s.seed)}
	if s.seed%2 == 0 {
		opt.Schedule = Random
	}
	want, err := s.p.Bound(s.ctx, opt)
	if err != nil {
		return fmt.Errorf("m and |G|: %w", err)
	}
	for i, opt := range []EvalOptions{{}, {}, {NoFuse: true}} {
		s.p.eager = i == 1
		if got, err := s.p.Bound(s.ctx, opt); err != nil || got != want && (s.tape != nil || !bridge.Of(s.p).Branches()) {
			return fmt.Errorf("m and |G| are %+v instead of %+v, %+v: %w", got, want, opt, err)
		}
	}
	return nil
}

// semantics compares the tape with forward mode, with D(t) in the model, and with differences, along one direction.
func (s *surface) semantics() error {
	if s.tape == nil || s.seed%5 > 0 {
		return nil
	}
	t, inputs, at := bridge.Of(s.p).Term(), bridge.Of(s.p).ScalarInputs(), s.p.Point()
	point := make([]denote.Dual, len(at))
	along, bounds := make([]float64, len(s.tape.Values)), make([]float64, len(s.tape.Values))
	for i, x := range at {
		point[i] = denote.Dual{V: x, T: s.r.Float64() - 0.5}
		for j := range along {
			along[j] += s.tape.Jacobian[j*len(at)+i] * point[i].T
			bounds[j] += s.tape.Bounds[j*len(at)+i]
		}
	}
	values, slopes := make([]float64, len(along)), make([]float64, len(along))
	for j, d := range denote.Eval(t, inputs, point) {
		values[j], slopes[j] = d.V, d.T
	}
	if err := within(s.tape.Values, s.tape.ValueBounds, values); err != nil {
		return fmt.Errorf("forward mode: %w", err)
	}
	if err := within(along, bounds, slopes); err != nil {
		return fmt.Errorf("forward mode: %w", err)
	}
	if err := s.reversed(t, inputs, at); err != nil {
		return fmt.Errorf("the denotation of D(t): %w", err)
	}
	direction := make([]float64, len(at))
	for i := range direction {
		direction[i] = point[i].T
	}
	compared, err := s.difference(t, inputs, at, direction, along, bounds)
	s.drawn.differences.Add(int64(btoi(compared)))
	return err
}

// difference compares the derivative along a direction, known up to 8 times the bounds, with central differences, where
// the program is smooth between the points. Compared says whether it is, and whether differences tell anything.
//
// The step is such that no number of the program moves by more than about 1e-4: so the argument of a sine, say, stays
// within its period however steep the program is. The error of the difference is then what halving the step shows, and
// that of rounding the values and the points, divided by the step.
func (s *surface) difference(t *term.Term, inputs []term.Var, at, direction, along, bounds []float64) (
	compared bool, err error) {
	h := min(1e-5, 1e-4/s.tape.speed(direction))
	ahead := func(by float64) *numberTape {
		moved := slices.Clone(at)
		for i := range moved {
			moved[i] += by * direction[i]
		}
		return newTape(t, inputs, moved)
	}
	tapes := []*numberTape{ahead(-2 * h), ahead(-h), ahead(h), ahead(2 * h)}
	for _, x := range tapes {
		if !slices.Equal(x.Decisions, s.tape.Decisions) {
			return false, nil
		}
	}
	for j, x := range along {
		near := (tapes[2].Values[j] - tapes[1].Values[j]) / (2 * h)
		far := (tapes[3].Values[j] - tapes[0].Values[j]) / (4 * h)
		if math.IsNaN(near - far) { // a value overflows beside the point
			continue
		}
		rounding := 16 * tapes[3].ValueBounds[j]
		for i, y := range at {
			rounding += 2 * epsilon * math.Abs(y*s.tape.Jacobian[j*len(at)+i])
		}
		// The error of near is about a third of near − far.
		bound := math.Abs(near-far) + rounding/h + 8*bounds[j] + 1e-7*math.Abs(x) + 1e-12
		if !(math.Abs(near-x) <= bound) {
			return true, fmt.Errorf("the difference is %v, the derivative %v, bound %v", near, x, bound)
		}
		compared = compared || bound < math.Abs(x) || x == 0
	}
	return compared, nil
}

// TestDifferencesFind: of 95 in 100 random programs central differences find a derivative that is wrong by one part in a
// thousand, and one that leaves out the input that matters most. Of a program so steep that its derivative has no
// correct digit they say nothing.
func TestDifferencesFind(t *testing.T) {
	drawn, found := 0, [2]int{}
	for seed := 0; drawn < 50; seed++ {
		src, value := surfaceProgram(seed)
		if value {
			continue
		}
		p, err := Load(t.Context(), "t.gram", []byte(src), Options{MaxMemory: surfaceMemory})
		require.NoError(t, err)
		body, inputs, at := bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point()
		s := &surface{tape: newTape(body, inputs, at)}
		if !s.tape.tells() || len(s.tape.Values) > 1 {
			continue
		}
		r, direction, along, most := rand.New(rand.NewPCG(uint64(seed), 13)), make([]float64, len(at)), 0.0, 0.0
		for i, d := range s.tape.Jacobian {
			direction[i] = r.Float64() - 0.5
			along += d * direction[i]
			if part := d * direction[i]; math.Abs(part) > math.Abs(most) {
				most = part
			}
		}
		bound := 0.0
		for _, b := range s.tape.Bounds {
			bound += b
		}
		difference := func(x float64) (bool, error) {
			return s.difference(body, inputs, at, direction, []float64{x}, []float64{bound})
		}
		if compared, err := difference(along); !compared || along == 0 {
			require.NoError(t, err, src)
			continue
		}
		drawn++
		for i, wrong := range []float64{along * 1.001, along - most} {
			if _, err := difference(wrong); err != nil {
				found[i]++
			}
		}
	}
	t.Log(found, "of", drawn)
	require.GreaterOrEqual(t, min(found[0], found[1])*100, 95*drawn)

	p, err := Load(t.Context(), "t.gram", []byte("input x = 1\nsin (iter #50 (fun y -> y * 3) x)"), Options{})
	require.NoError(t, err)
	at := p.Point()
	s := &surface{tape: newTape(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), at)}
	compared, err := s.difference(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), at, []float64{1}, s.tape.Jacobian,
		s.tape.Bounds)
	require.NoError(t, err)
	require.False(t, compared)
}

// modes compares modes and strategies, which have steps of their own and may take far more.
func (s *surface) modes() error {
	if s.tape == nil || s.seed%5 != 1 {
		return nil
	}
	for _, opt := range []EvalOptions{{Mode: Forward}, {Mode: Tape}, {Strategy: Unfold}, {Strategy: Modular}} {
		opt.MaxSteps, opt.MaxNodes = 1e6, 1e6
		res, err := s.run(true, opt)
		if limit := new(LimitError); errors.As(err, &limit) {
			continue
		}
		if err == nil {
			res.Cost.Steps = s.steps[1]
			err = s.same(&Result{Values: s.tape.Values, Jacobian: s.tape.Jacobian, Cost: Cost{Steps: s.steps[1]}}, res, true)
		}
		if err != nil {
			return fmt.Errorf("mode %d, strategy %v: %w", opt.Mode, opt.Strategy, err)
		}
		s.drawn.modes.Add(1)
	}
	return nil
}

// budget is a model of numbers that ends when it has made so many operations.
type budget struct {
	denote.Floats
	left *int
}

func (b budget) Add(x, y denote.Number) denote.Number {
	b.spend()
	return b.Floats.Add(x, y)
}

func (b budget) Apply(f term.Symbol, args ...denote.Number) (denote.Number, error) {
	b.spend()
	return b.Floats.Apply(f, args...)
}

func (b budget) spend() {
	if *b.left--; *b.left < 0 {
		panic(&denote.UndefinedError{What: "takes too long"})
	}
}

// reversed compares the tape with ⟦D(t)⟧, whose numbers are functions: what is shared is computed as often as it is used.
func (s *surface) reversed(t *term.Term, inputs []term.Var, at []float64) (err error) {
	if len(s.tape.Values) > 1 {
		return nil
	}
	d, err := revgrad.Reverse(t, nil)
	if err != nil {
		return err
	}
	left := 200000
	m := denote.Model{Ground: budget{left: &left}, Dim: len(inputs)}
	var env *denote.Env
	for i, x := range inputs {
		env = env.With(x, denote.Pair{Left: at[i], Right: m.Injection(i)})
	}
	defer func() {
		if p := recover(); p != nil {
			if _, ok := p.(*denote.UndefinedError); !ok {
				panic(p)
			}
			err = nil
		}
	}()
	v, err := m.Denote(d).At(env)
	if err != nil {
		return nil // there are too many operations
	}
	row := denote.Flatten(v.(denote.Pair).Right.(denote.Linear)(1.0))
	got := make([]float64, len(row))
	for i, x := range row {
		got[i] = x.(float64)
	}
	s.drawn.denoted.Add(1)
	return within(s.tape.Jacobian, s.tape.Bounds, got)
}

// TestProfileOfCopies: jvp copies a value of a type that is declared by a function of its own. Its profile is that of the
// literal machine, which knows that the source does not have the variables.
func TestProfileOfCopies(t *testing.T) {
	p := mustLoad(t, `input x : R^3 = vec i < 3 -> sin (i + 1)
type tree = Leaf of R | Node of tree * tree
let w = Node (Node (Leaf 1, Leaf 0), Leaf x.(1)) in
jvp (fun (a : R^3) -> (fun (b : tree) -> tanh a.(1)) (Node (w, Leaf a.(0)))) x x`)
	var profiles [2]map[string]rule.Counts
	for i, literal := range []bool{true, false} {
		by := map[string]rule.Counts{}
		_, err := p.Value(t.Context(), bridge.Watch(EvalOptions{Literal: literal}, bridge.Hooks{Samples: func(x calls.Sample) {
			key := fmt.Sprint(x.Stack, x.Input, x.Phase, x.Origin)
			c := by[key]
			if c.AddTimes(&x.Counts, 1); c != (rule.Counts{}) {
				by[key] = c
			}
		}}))
		require.NoError(t, err)
		profiles[i] = by
	}
	require.Equal(t, profiles[0], profiles[1])
}

// profile: the samples of a run add up to its steps, and are those of the literal machine.
func (s *surface) profile(gradient bool) error {
	if s.seed%7 > 1 {
		return nil
	}
	var profiles [2]map[string]rule.Counts
	for i, opt := range []EvalOptions{{Literal: true}, {NoFuse: s.seed%2 == 0}} {
		var total rule.Counts
		by := map[string]rule.Counts{}
		opt.hooks.Samples = func(x calls.Sample) {
			total.AddTimes(&x.Counts, 1)
			key := fmt.Sprint(x.Stack, x.Input, x.Phase, x.Origin)
			c := by[key]
			if c.AddTimes(&x.Counts, 1); c != (rule.Counts{}) {
				by[key] = c
			}
		}
		res, err := s.run(gradient, opt)
		if err != nil {
			return fmt.Errorf("profile: %w", err)
		}
		if total != res.Cost.Steps || total != s.steps[btoi(gradient)] && (s.tape != nil || !bridge.Of(s.p).Branches()) {
			return fmt.Errorf("the profile has the steps %v, the run %v, gradient %v", total, res.Cost.Steps, gradient)
		}
		profiles[i] = by
	}
	if s.tape == nil && bridge.Of(s.p).Branches() || !s.p.hasCode() {
		return nil
	}
	for key, want := range profiles[0] {
		if got := profiles[1][key]; got != want {
			return fmt.Errorf("the profile has %v instead of %v at %s, gradient %v", got, want, key, gradient)
		}
	}
	return nil
}

// reuse runs one evaluator at several points, between which branches flip, and after runs that ended early; and several at the same time.
func (s *surface) reuse() error {
	if s.seed%6 > 0 {
		return nil
	}
	opts := []EvalOptions{{}, {NoNative: true}, {RowsMemory: 1}, {Schedule: Parallel, Workers: 2}, {NoFuse: true}, {Literal: true}}
	n := s.seed / 6
	s.p.eager = n%3 > 0
	var wait sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		wait.Go(func() {
			defer recovered(&errs[i])
			opt := opts[(n+i)%len(opts)]
			if errs[i] = s.points(opt); i == 0 && errs[i] == nil && !opt.Literal && len(s.p.src.Data) > 0 {
				errs[i] = s.replace(opt)
			}
		})
	}
	wait.Wait()
	return errors.Join(errs...)
}

// points runs an evaluator at several points, and then at all of them at once.
func (s *surface) points(opt EvalOptions) error {
	total := s.steps[1].Total()
	e, err := s.p.NewGradient(s.ctx, opt)
	if err != nil {
		return err
	}
	defer e.Close()
	limited := opt
	if limited.MaxSteps = max(1, total*3/4); s.seed%4 > 1 {
		limited.MaxSteps, limited.MaxNodes = 0, max(1, total/16)
	}
	l, err := s.p.NewGradient(s.ctx, limited)
	if err != nil {
		return err
	}
	defer l.Close()
	var points, values, jacobians []float64
	for i, factor := range []float64{1, -1.3, 0.1, 0, 1} {
		point := s.p.Point()
		for j := range point {
			point[j] *= factor
		}
		if i > 0 {
			if err := s.ended(e, point, i); err != nil {
				return err
			}
		}
		// A limit holds, and what has reached it runs again at the next point.
		_, err := l.Gradient(s.ctx, point)
		if limit := new(LimitError); err != nil && !errors.As(err, &limit) {
			return fmt.Errorf("a limit: %w", err)
		}
		if err != nil {
			s.drawn.reached.Add(1)
		}
		if i == 0 && err == nil && limited.MaxSteps > 300 {
			return fmt.Errorf("%d steps in a limit of %d", total, limited.MaxSteps)
		}
		res, err := e.Gradient(s.ctx, point)
		if err != nil {
			return err
		}
		res.Cost = e.Cost()
		if err := s.at(point, res); err != nil {
			return fmt.Errorf("one evaluator, run %d, %+v: %w", i, opt, err)
		}
		points, values, jacobians = append(points, point...), append(values, res.Values...), append(jacobians, res.Jacobian...)
	}
	if err := batch(s.ctx, e, points, values, jacobians, 0); err != nil {
		return fmt.Errorf("many points at once, %+v: %w", opt, err)
	}
	limit := new(LimitError) // with one, loops that have loops inside or make vectors are interpreted
	if err := batch(s.ctx, l, points, values, jacobians, 1e-6); err != nil && !errors.As(err, &limit) {
		return fmt.Errorf("many points at once, %+v: %w", limited, err)
	}
	return nil
}

// batch compares the results of an evaluator at many points with those of one after the other: the bits, or numbers up to
// rounding, relative to the largest.
func batch(ctx context.Context, e *Evaluator, points, values, jacobians []float64, rounding float64) error {
	v, d := make([]float64, len(values)), make([]float64, len(jacobians))
	if err := e.Gradients(ctx, points, v, d); err != nil {
		return err
	}
	same := func(x, y float64) bool { return math.Float64bits(x) == math.Float64bits(y) || x != x && y != y }
	for _, of := range [][2][]float64{{v, values}, {d, jacobians}} {
		scale := 0.0
		for _, x := range of[1] {
			if !math.IsInf(x, 0) && !math.IsNaN(x) {
				scale = max(scale, math.Abs(x))
			}
		}
		near := func(x, y float64) bool { return same(x, y) || math.Abs(x-y) <= rounding*scale }
		if !slices.EqualFunc(of[0], of[1], near) {
			return errors.New("another result")
		}
	}
	return nil
}

// ended ends a run of an evaluator where it looks at its limits for the nth time: it is cancelled, or there is no memory left.
func (s *surface) ended(e *Evaluator, point []float64, n int) error {
	ctx, cancel := context.WithCancel(s.ctx)
	defer cancel()
	saved, looks := *e.meter, new(atomic.Int64)
	memory := (s.seed+n)%5 == 0 && e.opt.Schedule != Parallel // workers look at the same time
	e.meter.Progress = func(string) {
		if looks.Add(1) < int64(n) {
			return
		}
		if cancel(); memory {
			*e.meter = *limits.New(s.ctx, 1)
		}
	}
	_, err := e.Gradient(ctx, point)
	*e.meter = saved
	limit := new(LimitError)
	switch {
	case err == nil && (memory || e.opt.Schedule == Parallel || looks.Load() < int64(n)):
		return nil // a machine may do without memory or a worker, and a run be too short
	case err == nil || !errors.As(err, &limit) || memory == errors.Is(err, context.Canceled):
		return fmt.Errorf("a run that ends at look %d of %d, for lack of memory %v, %+v: %w", n, looks.Load(), memory, e.opt, err)
	case memory:
		s.drawn.refused.Add(1)
	default:
		s.drawn.cancelled.Add(1)
	}
	return nil
}

// replace replaces data of a program of surfaceSource between runs at several points, and then the data that it had. A
// program that is loaded with these numbers gives the same.
func (s *surface) replace(opt EvalOptions) error {
	e, err := s.p.NewGradient(s.ctx, opt)
	if err != nil {
		return err
	}
	defer e.Close()
	data := &s.p.src.Data[s.seed/6%3]
	other := make([]float64, len(data.Value.Data))
	for i := range other {
		other[i] = math.Sin(float64(s.seed + i))
	}
	for i, numbers := range [][]float64{data.Value.Data, other, data.Value.Data} {
		point := s.p.NewPoint()
		for j := range point.Values {
			point.Values[j] *= 1 - 0.4*float64(i)
		}
		if i > 0 {
			if err := e.SetData(data.Name, numbers); err != nil {
				return err
			}
		}
		res, err := e.Gradient(s.ctx, point.Values)
		if err != nil {
			return err
		}
		res.Cost = e.Cost()
		values := point.Map()
		values[data.Name] = numbers
		there := *s
		there.p, err = Load(s.ctx, "t.gram", []byte(s.src), Options{MaxMemory: surfaceMemory, Values: values})
		if err != nil {
			return err
		}
		if err := there.at(there.p.Point(), res); err != nil {
			return fmt.Errorf("other data, run %d, %+v: %w", i, opt, err)
		}
		v, d := slices.Clone(res.Values), slices.Clone(res.Jacobian)
		if err := batch(s.ctx, e, slices.Repeat(point.Values, 3), slices.Repeat(v, 3), slices.Repeat(d, 3), 0); err != nil {
			return fmt.Errorf("other data at many points, %+v: %w", opt, err)
		}
	}
	s.drawn.replaced.Add(1)
	return nil
}

// at compares a result at a point with that of the literal machine, and with a tape.
func (s *surface) at(point []float64, res *Result) error {
	fresh, err := s.p.NewGradient(s.ctx, EvalOptions{Literal: true})
	if err != nil {
		return err
	}
	defer fresh.Close()
	want, err := fresh.Gradient(s.ctx, point)
	if err != nil {
		return err
	}
	want.Cost = fresh.Cost()
	here := *s
	here.tape = newTape(bridge.Of(s.p).Term(), bridge.Of(s.p).ScalarInputs(), point)
	if !here.tape.tells() {
		return nil
	}
	return here.same(want, res, true)
}
