package gradbench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/gram-machine/gram"
)

// server keeps the evaluators that have been made, by what they are compiled for.
type server map[string]*evaluator

// maxEvaluators is how many evaluators a server keeps. An eval asks for one size after the other.
const maxEvaluators = 4

// evaluator is a program that is compiled for some sizes.
type evaluator struct {
	*gram.Evaluator
	point *gram.Point
	count *counter // nil: nothing is counted
}

// counter counts the runs of an evaluator, and their steps with their overhead.
type counter struct{ runs, steps uint64 }

// add counts a run, unless it failed.
func (e *evaluator) add(err error) {
	if err == nil && e.count != nil {
		cost := e.Cost()
		e.count.runs++
		e.count.steps += cost.Steps.Total() + cost.Overhead.Total
	}
}

// problem is what a function computes for an input.
type problem struct {
	*module
	function
	name   string                      // of the module
	params map[string]int              // the sizes of the program
	values [roles]map[string][]float64 // of inputs, data lists and constants, by their names
	// run, if not nil, makes one run and returns its output, in place of a value or a gradient at the inputs.
	run func(context.Context, *evaluator) (any, error)
}

// define reports whether there is a module, whose program it loads in its default sizes.
func (s server) define(ctx context.Context, name string) (any, []timing, error) {
	m, ok := modules[name]
	if !ok {
		return nil, nil, fmt.Errorf("unknown module %q", name)
	}
	since := time.Now()
	for _, f := range m.functions {
		if _, err := (&problem{module: &m, function: f, name: name}).load(ctx); err != nil {
			return nil, nil, err
		}
	}
	return nil, []timing{elapsed("define", since)}, nil
}

// load loads the program, for the sizes and data of the problem.
func (p *problem) load(ctx context.Context) (*gram.Program, error) {
	file := p.name + ".gram"
	src, err := Programs.ReadFile(file)
	if err != nil {
		return nil, err
	}
	opt := gram.Options{Values: map[string][]float64{}, Body: p.body}
	for _, name := range slices.Sorted(maps.Keys(p.params)) {
		opt.Params = append(opt.Params, fmt.Sprintf("%s=%d", name, p.params[name]))
	}
	maps.Copy(opt.Values, p.values[list])
	maps.Copy(opt.Values, p.values[constant])
	return gram.Load(ctx, file, src, opt)
}

// newProblem reads an input of a function.
func newProblem(module, function string, text json.RawMessage) (*problem, error) {
	m := modules[module]
	f, ok := m.functions[function]
	if !ok {
		return nil, fmt.Errorf("unknown function %q of module %q", function, module)
	}
	p := &problem{module: &m, function: f, name: module, params: map[string]int{}}
	for r := range p.values {
		p.values[r] = map[string][]float64{}
	}
	err := p.read(text)
	if err == nil && m.more != nil {
		err = m.more(p, text)
	}
	if err != nil {
		return nil, fmt.Errorf("wrong input: %w", err)
	}
	return p, nil
}

// evaluate runs a function on an input until both of its minima are met, and returns the answer of the last run.
func (s server) evaluate(ctx context.Context, module, function string, text json.RawMessage) (any, []timing, error) {
	type runs struct { // what inputs have in common; errors of JSON name it
		MinRuns    int     `json:"min_runs"`
		MinSeconds float64 `json:"min_seconds"`
	}
	var least runs
	if bytes.HasPrefix(bytes.TrimSpace(text), []byte("{")) {
		if err := json.Unmarshal(text, &least); err != nil {
			return nil, nil, fmt.Errorf("wrong input: %w", err)
		}
	}
	p, err := newProblem(module, function, text)
	if err != nil {
		return nil, nil, err
	}
	since := time.Now()
	e, err := s.evaluator(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	timings := []timing{elapsed("prepare", since)}
	var output any
	total := time.Duration(0)
	for i := 0; i < max(1, least.MinRuns) || total.Seconds() < least.MinSeconds; i++ {
		since := time.Now()
		if output, err = p.output(ctx, e); err != nil {
			return nil, nil, err
		}
		t := elapsed("evaluate", since)
		total += time.Duration(t.Nanoseconds)
		timings = append(timings, t)
	}
	return output, timings, nil
}

// output makes one run.
func (p *problem) output(ctx context.Context, e *evaluator) (any, error) {
	if p.run != nil {
		return p.run(ctx, e)
	}
	run := e.Value
	if p.gradient {
		run = e.Gradient
	}
	res, err := run(ctx, e.point.Values)
	e.add(err)
	switch {
	case err != nil:
		return nil, err
	case p.answer != nil:
		return p.answer(p, res), nil
	case p.gradient:
		return res.Jacobian, nil
	}
	return res.Values[0], nil
}

// evaluator returns the evaluator of a problem, compiled if there is none of its sizes, with its inputs and data.
func (s server) evaluator(ctx context.Context, p *problem) (*evaluator, error) {
	key := fmt.Sprint(p.name, " ", p.function, " ", p.params, " ", p.values[constant])
	e := s[key]
	if e == nil {
		if len(s) == maxEvaluators {
			s.close()
		}
		program, err := p.load(ctx)
		if err != nil {
			return nil, err
		}
		e = &evaluator{point: program.NewPoint()}
		compile := program.NewValue
		if p.gradient {
			compile = program.NewGradient
		}
		if e.Evaluator, err = compile(ctx, gram.EvalOptions{}); err != nil {
			return nil, err
		}
		s[key] = e
	} else {
		for _, name := range slices.Sorted(maps.Keys(p.values[list])) {
			if err := e.SetData(name, p.values[list][name]); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(p.values[input])) {
		if err := e.point.Set(name, p.values[input][name]...); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// Count returns m and |G| of Theorem 1 for what a function of a module evaluates, and the steps of its evaluation with
// their overhead: those of the gradient where it is one. Where the program runs more than once, m and |G| are those of
// the last run, times the runs. A list has no graph: they are 0.
func Count(ctx context.Context, module, function string, text json.RawMessage) (m, graph, steps uint64, err error) {
	p, err := newProblem(module, function, text)
	if err != nil {
		return 0, 0, 0, err
	}
	s := server{}
	defer s.close()
	e, err := s.evaluator(ctx, p)
	if err != nil {
		return 0, 0, 0, err
	}
	e.count = &counter{}
	if _, err := p.output(ctx, e); err != nil {
		return 0, 0, 0, err
	}
	maps.Copy(p.values[constant], e.point.Map())
	program, err := p.load(ctx)
	if err != nil {
		return 0, 0, 0, err
	}
	if program.Differentiable() != nil {
		return 0, 0, e.count.steps, nil
	}
	bound, err := program.Bound(ctx, gram.EvalOptions{})
	if err != nil {
		return 0, 0, 0, err
	}
	return bound.M * e.count.runs, bound.Graph * e.count.runs, e.count.steps, nil
}

// close gives the memory of the evaluators back.
func (s server) close() {
	for _, e := range s {
		_ = e.Close()
	}
	clear(s)
}

// Modules returns the names of the modules.
func Modules() []string { return slices.Sorted(maps.Keys(modules)) }

// decode reads an input of some type. What is missing stays zero.
func decode[T any](text json.RawMessage) (in T, err error) {
	err = json.Unmarshal(text, &in)
	return in, err
}
