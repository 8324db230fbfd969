package gram

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"runtime"
	"slices"
	"strconv"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// allForms are the ways to run a program. Steps by rule are equal in all, and numbers to rounding.
var allForms = []struct {
	name  string
	opt   EvalOptions
	eager bool
	force int
}{
	{"literal", EvalOptions{Literal: true}, false, 0},
	{"machine code", EvalOptions{}, true, -1},
	{"no blocks", EvalOptions{NoFuse: true}, false, 0},
	{"the compiler", EvalOptions{NoNative: true}, false, 1},
	{"loops as machine code", EvalOptions{}, true, 1},
	{"default", EvalOptions{}, false, 0},
	{"interpreted", EvalOptions{NoNative: true}, true, -1},
	{"parallel", EvalOptions{Schedule: Parallel, Workers: 3}, false, -1},
	{"random", EvalOptions{Schedule: Random}, false, 0},
	{"literal, random", EvalOptions{Literal: true, Schedule: Random}, false, 0},
	{"parallel machine code", EvalOptions{Schedule: Parallel, Workers: 2}, true, -1},
}

// setting says which programs run as arrays.
type setting struct {
	short bool
	parts int
}

func (s setting) set() { expandShort, inParts = s.short, s.parts }

// arraySettings are arrays in whole programs, however short; in parts of programs, however small; and what a user has.
var arraySettings = []setting{{false, 1 << 16}, {false, 0}, {true, 1 << 16}}

// TestRandomPrograms: all forms of random programs in the source language make the same steps by rule and have the same m and |G|, and
// numbers that differ from those of backpropagation over the denotation by no more than rounding does. Forward mode, the denotation of
// D(t) and central differences agree too. One evaluator gives at several points, and after runs that ended early, what a new one gives.
//
// It draws 60 programs, or as many as the environment's RANDOM_PROGRAMS; the first seed is its RANDOM_SEED.
func TestRandomPrograms(t *testing.T) {
	number := func(name string, otherwise int) int {
		if s := os.Getenv(name); s != "" {
			n, err := strconv.Atoi(s)
			require.NoError(t, err)
			return n
		}
		return otherwise
	}
	programs, first := number("RANDOM_PROGRAMS", 60), number("RANDOM_SEED", 0)
	defer setting{expandShort, inParts}.set()
	var drawn surfaceCounts
	for i, setting := range arraySettings {
		setting.set()
		var workers sync.WaitGroup
		var next atomic.Int64
		for range runtime.GOMAXPROCS(0) {
			workers.Go(func() {
				for {
					seed := first + 3*int(next.Add(1)-1) + i
					if seed >= first+programs {
						return
					}
					if err := checkSurface(t.Context(), seed, &drawn); err != nil {
						t.Errorf("seed %d: %v", seed, err)
					}
				}
			})
		}
		workers.Wait()
	}
	t.Logf("%d programs: %d have gradients, %d of them finite ones that no rounding decides; differences of %d, D(t) of %d", programs,
		drawn.gradients.Load(), drawn.compared.Load(), drawn.differences.Load(), drawn.denoted.Load())
	require.GreaterOrEqual(t, 10*drawn.compared.Load(), 9*drawn.gradients.Load())
}

// surfaceCounts counts what has been compared.
type surfaceCounts struct {
	gradients, compared, differences, denoted atomic.Int64
}

// surface is a random program that is being checked.
type surface struct {
	ctx   context.Context
	p     *Program
	seed  int
	r     *rand.Rand
	tape  *numberTape // nil: its value is no tuple of numbers, or depends on rounding
	steps [2]rule.Counts
	drawn *surfaceCounts
}

func surfaceProgram(seed int) (src string, value bool) {
	opt := surfaceOptions{K: 3 + seed%7/6, Large: seed%4 == 0, Value: seed%8 == 7}
	if seed%64 == 33 {
		opt.K = 17
	}
	return surfaceSource(rand.New(rand.NewPCG(uint64(seed), 11)), opt), opt.Value
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
	defer func() {
		if p := recover(); p != nil {
			stack := make([]byte, 1<<12)
			err = fmt.Errorf("panic: %v\n%s", p, stack[:runtime.Stack(stack, false)])
		}
	}()
	p, err := Load(ctx, "t.gram", []byte(src), Options{})
	if err != nil {
		return err
	}
	s := &surface{ctx: ctx, p: p, seed: seed, r: rand.New(rand.NewPCG(uint64(seed), 12)), drawn: drawn}
	if !value {
		drawn.gradients.Add(1)
		s.tape = newTape(bridge.Of(p).Term(), bridge.Of(p).ScalarInputs(), p.Point())
		if finite := func(x float64) bool { return math.Abs(x) < 1e100 }; s.tape.Unsure || !every(s.tape.Bounds, finite) || !every(s.tape.Values, finite) || !every(s.tape.Jacobian, finite) {
			s.tape = nil
		} else {
			drawn.compared.Add(1)
		}
	}
	checks := []func() error{func() error { return s.forms(false) }, func() error { return s.profile(false) }}
	if !value {
		checks = append(checks, func() error { return s.forms(true) }, s.graph, s.semantics, s.reuse, func() error { return s.profile(true) })
	}
	for _, check := range checks {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func every(xs []float64, holds func(float64) bool) bool {
	return !slices.ContainsFunc(xs, func(x float64) bool { return !holds(x) })
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
	for i, form := range allForms {
		// The first five each time, and of the others some.
		if i > 0 && !gradient && i%4 != s.seed/3%4 || i > 4 && i%3 != s.seed/3%3 {
			continue
		}
		form.opt.Seed, s.p.eager, s.p.force = uint64(s.seed), form.eager, form.force
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

// within compares numbers with those that have bounds of their errors.
func within(want, bounds, got []float64) error {
	for i, x := range want {
		if d := math.Abs(got[i] - x); !(d <= 8*bounds[i]) {
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

// graph compares m and |G| of arrays, of blocks, of nodes and of the literal machine.
func (s *surface) graph() error {
	opt := EvalOptions{Literal: true, Seed: uint64(s.seed)}
	if s.seed%2 == 0 {
		opt.Schedule = Random
	}
	want, err := s.p.graphLiteral(bridge.Of(s.p).Meter(s.ctx), opt)
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
	return s.difference(t, inputs, at, func(i int) float64 { return point[i].T }, along)
}

// difference compares the derivative along a direction with differences, where the program is smooth between the points.
func (s *surface) difference(t *term.Term, inputs []term.Var, at []float64, direction func(int) float64, along []float64) error {
	const h = 1e-5
	ahead := func(by float64) *numberTape {
		moved := slices.Clone(at)
		for i := range moved {
			moved[i] += by * direction(i)
		}
		return newTape(t, inputs, moved)
	}
	tapes := []*numberTape{ahead(-2 * h), ahead(-h), ahead(h), ahead(2 * h)}
	for _, x := range tapes {
		if !slices.Equal(x.Decisions, s.tape.Decisions) {
			return nil
		}
	}
	s.drawn.differences.Add(1)
	for j, x := range along {
		near := (tapes[2].Values[j] - tapes[1].Values[j]) / (2 * h)
		far := (tapes[3].Values[j] - tapes[0].Values[j]) / (4 * h)
		// The error of near is about a third of near − far, beside those of rounding.
		if bound := math.Abs(near-far) + 16*tapes[3].ValueBounds[j]/h + 1e-7*math.Abs(x) + 1e-12; !(math.Abs(near-x) <= bound) {
			return fmt.Errorf("the difference is %v, the derivative %v, bound %v", near, x, bound)
		}
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

// profile: the samples of a run add up to its steps.
func (s *surface) profile(gradient bool) error {
	if s.seed%7 > 1 {
		return nil
	}
	var total rule.Counts
	opt := EvalOptions{Literal: s.seed%7 == 1, hooks: bridge.Hooks{Samples: func(x calls.Sample) { total.AddTimes(&x.Counts, 1) }}}
	res, err := s.run(gradient, opt)
	if err != nil {
		return fmt.Errorf("profile: %w", err)
	}
	if total != res.Cost.Steps || total != s.steps[btoi(gradient)] && (s.tape != nil || !bridge.Of(s.p).Branches()) {
		return fmt.Errorf("the profile has the steps %v, the run %v, gradient %v", total, res.Cost.Steps, gradient)
	}
	return nil
}

// reuse runs one evaluator at several points, between which branches flip, and after runs that ended early; and several at the same time.
func (s *surface) reuse() error {
	if s.seed%6 > 0 {
		return nil
	}
	opts := []EvalOptions{{}, {NoNative: true}, {RowsMemory: 1}, {Schedule: Parallel, Workers: 2}}
	s.p.eager = s.seed/6%3 > 0
	var wait sync.WaitGroup
	errs := make([]error, 2)
	for i := range errs {
		wait.Go(func() { errs[i] = s.points(opts[(s.seed/6+i)%len(opts)]) })
	}
	wait.Wait()
	return errors.Join(errs...)
}

// points runs an evaluator at several points.
func (s *surface) points(opt EvalOptions) error {
	total := s.steps[1].Total()
	e, err := s.p.NewGradient(s.ctx, opt)
	if err != nil {
		return err
	}
	defer e.Close()
	limited := opt
	limited.MaxSteps = max(1, total*3/4)
	l, err := s.p.NewGradient(s.ctx, limited)
	if err != nil {
		return err
	}
	defer l.Close()
	for i, factor := range []float64{1, -1.3, 0.1, 0, 1} {
		point := s.p.Point()
		for j := range point {
			point[j] *= factor
		}
		if i > 0 {
			ended, cancel := context.WithCancel(s.ctx)
			cancel()
			if _, err := e.Gradient(ended, point); !errors.Is(err, context.Canceled) {
				return fmt.Errorf("a cancelled run: %w", err)
			}
		}
		// A limit holds, and what has reached it runs again at the next point.
		_, err := l.Gradient(s.ctx, point)
		if limit := new(LimitError); err != nil && !errors.As(err, &limit) {
			return fmt.Errorf("a limit: %w", err)
		}
		if i == 0 && err == nil && total > 400 {
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
	}
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
	finite := func(x float64) bool { return math.Abs(x) < 1e100 }
	if here.tape.Unsure || !every(here.tape.Bounds, finite) || !every(here.tape.Jacobian, finite) {
		return nil
	}
	return here.same(want, res, true)
}
