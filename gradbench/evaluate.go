package gradbench

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/gram-machine/gram"
)

// server keeps the evaluators that have been made.
type server struct {
	evaluators map[string]*evaluator
}

// maxEvaluators is how many evaluators a server keeps. An eval asks for one size after the other.
const maxEvaluators = 4

// evaluator is a program that is compiled for some sizes.
type evaluator struct {
	*gram.Evaluator
	point *gram.Point
}

// problem is what a function computes for an input.
type problem struct {
	params map[string]int       // the sizes of the program
	inputs map[string][]float64 // the values of its inputs
	lists  map[string][]float64 // of data lists
	fixed  map[string][]float64 // of other data
	// output makes the answer of a result.
	output func(*gram.Result) any
	// run, if not nil, makes one run and returns the answer, in place of a value or a gradient at the inputs.
	run func(context.Context, *evaluator) (any, error)
}

// function is a function of a module.
type function struct {
	program  string // the file, without its end; the module's name if empty
	body     string // in place of the body in the file, if not empty
	gradient bool
	problem  func(input json.RawMessage) (*problem, error)
}

// runs are the fields that inputs have in common.
type runs struct {
	MinRuns    int     `json:"min_runs"`
	MinSeconds float64 `json:"min_seconds"`
}

// define reports whether there is a module, whose programs it loads in their default sizes.
func (s *server) define(ctx context.Context, name string) (any, []timing, error) {
	functions, ok := modules[name]
	if !ok {
		return nil, nil, fmt.Errorf("unknown module %q", name)
	}
	since := time.Now()
	for _, f := range functions {
		if _, err := f.load(ctx, name, &problem{}); err != nil {
			return nil, nil, err
		}
	}
	return nil, []timing{elapsed("define", since)}, nil
}

// load loads the program of a function, for the sizes and data of a problem.
func (f *function) load(ctx context.Context, module string, p *problem) (*gram.Program, error) {
	file := f.file(module)
	src, err := Programs.ReadFile(file)
	if err != nil {
		return nil, err
	}
	if f.body != "" {
		src = append(bytes.TrimRight(src, "\n"), '\n')
		last := bytes.LastIndexByte(src[:len(src)-1], '\n') + 1
		src = append(src[:last:last], f.body...)
	}
	opt := gram.Options{Values: map[string][]float64{}}
	for _, name := range slices.Sorted(maps.Keys(p.params)) {
		opt.Params = append(opt.Params, fmt.Sprintf("%s=%d", name, p.params[name]))
	}
	maps.Copy(opt.Values, p.lists)
	maps.Copy(opt.Values, p.fixed)
	return gram.Load(ctx, file, src, opt)
}

func (f *function) file(module string) string {
	if f.program != "" {
		module = f.program
	}
	return module + ".gram"
}

// evaluate runs a function on an input until both of its minima are met, and returns the answer of the last run.
func (s *server) evaluate(ctx context.Context, module, name string, input json.RawMessage) (any, []timing, error) {
	f, ok := modules[module][name]
	if !ok {
		return nil, nil, fmt.Errorf("unknown function %q of module %q", name, module)
	}
	var least runs
	if bytes.HasPrefix(bytes.TrimSpace(input), []byte("{")) {
		if err := json.Unmarshal(input, &least); err != nil {
			return nil, nil, fmt.Errorf("wrong input: %w", err)
		}
	}
	p, err := f.problem(input)
	if err != nil {
		return nil, nil, fmt.Errorf("wrong input: %w", err)
	}
	since := time.Now()
	e, err := s.evaluator(ctx, module, name, &f, p)
	if err != nil {
		return nil, nil, err
	}
	timings := []timing{elapsed("prepare", since)}
	var output any
	total := time.Duration(0)
	for i := 0; i < max(1, least.MinRuns) || total.Seconds() < least.MinSeconds; i++ {
		since := time.Now()
		if output, err = f.run(ctx, e, p); err != nil {
			return nil, nil, err
		}
		t := elapsed("evaluate", since)
		total += time.Duration(t.Nanoseconds)
		timings = append(timings, t)
	}
	return output, timings, nil
}

// run makes one run.
func (f *function) run(ctx context.Context, e *evaluator, p *problem) (any, error) {
	if p.run != nil {
		return p.run(ctx, e)
	}
	res, err := f.at(ctx, e)
	if err != nil {
		return nil, err
	}
	return p.output(res), nil
}

// at computes the value or the gradient at the evaluator's point.
func (f *function) at(ctx context.Context, e *evaluator) (*gram.Result, error) {
	if f.gradient {
		return e.Gradient(ctx, e.point.Values)
	}
	return e.Value(ctx, e.point.Values)
}

// evaluator returns the evaluator of a problem, compiled if there is none of its sizes, with its inputs and data.
func (s *server) evaluator(ctx context.Context, module, name string, f *function, p *problem) (*evaluator, error) {
	key := fmt.Sprint(module, " ", name, " ", p.params, " ", p.fixed)
	e := s.evaluators[key]
	if e == nil {
		if len(s.evaluators) == maxEvaluators {
			s.close()
		}
		program, err := f.load(ctx, module, p)
		if err != nil {
			return nil, err
		}
		e = &evaluator{point: program.NewPoint()}
		if f.gradient {
			e.Evaluator, err = program.NewGradient(ctx, gram.EvalOptions{})
		} else {
			e.Evaluator, err = program.NewValue(ctx, gram.EvalOptions{})
		}
		if err != nil {
			return nil, err
		}
		s.evaluators[key] = e
	} else {
		for _, list := range slices.Sorted(maps.Keys(p.lists)) {
			if err := e.SetData(list, p.lists[list]); err != nil {
				return nil, err
			}
		}
	}
	for _, input := range slices.Sorted(maps.Keys(p.inputs)) {
		if err := e.point.Set(input, p.inputs[input]...); err != nil {
			return nil, err
		}
	}
	return e, nil
}

// close gives the memory of the evaluators back.
func (s *server) close() {
	for _, e := range s.evaluators {
		_ = e.Close()
	}
	clear(s.evaluators)
}

// Modules returns the names of the modules.
func Modules() []string { return slices.Sorted(maps.Keys(modules)) }

// flat returns the numbers of rows, one row after the other. It is an error if the rows differ in length, or there are none.
func flat(name string, rows [][]float64) (all []float64, width int, err error) {
	for i, row := range rows {
		if i == 0 {
			width = len(row)
		}
		if len(row) != width {
			return nil, 0, fmt.Errorf("row %d of %s has %d numbers, and row 0 has %d", i, name, len(row), width)
		}
		all = append(all, row...)
	}
	if len(all) == 0 {
		return nil, 0, fmt.Errorf("%s is empty", name)
	}
	return all, width, nil
}

// rows cuts numbers into rows.
func rows(all []float64, width int) [][]float64 {
	return slices.Collect(slices.Chunk(all, width))
}

// length is an error unless a list has n numbers.
func length(name string, list []float64, n int) error {
	if len(list) != n {
		return fmt.Errorf("%s has %d numbers, not %d", name, len(list), n)
	}
	return nil
}

// decode reads an input of some type. What is missing stays zero.
func decode[T any](input json.RawMessage) (in T, err error) {
	if len(input) == 0 || strings.TrimSpace(string(input[:min(len(input), 8)])) == "null" {
		return in, fmt.Errorf("there is none")
	}
	err = json.Unmarshal(input, &in)
	return in, err
}
