// Gradbench is a tool for GradBench (github.com/gradbench/gradbench): it reads the messages of an eval from standard
// input, a line each, and writes the answers to standard output.
//
// With -clone it measures evals: gram, and tools that are built in a clone of GradBench, one after the other on one
// thread. It writes a line of JSON for each measurement, and prints tables of seconds and scores.
//
//	go run ./cmd/gradbench -clone ~/gradbench -tools manual,codipack,adept -o results.jsonl
//
// A tool is a folder tools/NAME of the clone with programs in bin, which `make` makes there. Each takes the name of a
// file with an input, and that of a function. The answers are compared with those of the first tool.
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"maps"
	"math"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/gram-machine/gram/bench/report"
	"github.com/gram-machine/gram/gradbench"
)

var (
	clone   = flag.String("clone", "", "measure with the tools in this folder of GradBench")
	tools   = flag.String("tools", "manual,codipack", "the tools, the first of which is right")
	names   = flag.String("evals", "", "the evals; all that are in the command if empty")
	most    = flag.Int("sizes", math.MaxInt, "how many sizes of each eval, from the smallest on")
	seconds = flag.Float64("seconds", 1, "for how long a function is run at least")
	timeout = flag.Duration("timeout", 10*time.Minute, "how long a tool may take for a function")
	counts  = flag.Int("counts", 2, "for how many sizes of each eval m, |G| and the steps of gram are counted")
	out     = flag.String("o", "", "the file of the measurements, to which lines are added")
)

func main() {
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	var err error
	if *clone != "" {
		err = measureAll(ctx)
	} else if err = gradbench.Serve(ctx, os.Stdin, os.Stdout); errors.Is(err, context.Canceled) {
		err = nil
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "gradbench:", err)
		os.Exit(1)
	}
}

// measureAll measures evals with gram and other tools, and prints tables.
func measureAll(ctx context.Context) error {
	runtime.GOMAXPROCS(1)
	s := measurement{clone: *clone, tools: strings.Split(*tools, ","), seconds: *seconds, timeout: *timeout,
		counts: *counts, log: io.Discard}
	if *out != "" {
		f, err := os.OpenFile(*out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			return err
		}
		defer f.Close()
		s.log = f
	}
	for _, e := range evals {
		if *names != "" && !slices.Contains(strings.Split(*names, ","), e.name) {
			continue
		}
		rows, err := s.measure(ctx, &e, e.sizes[:min(len(e.sizes), *most)])
		text, failed := report.GradBenchText(rows)
		fmt.Print(text)
		if err := errors.Join(err, failed); err != nil {
			return err
		}
	}
	return nil
}

type measurement struct {
	clone   string
	tools   []string
	seconds float64
	timeout time.Duration
	counts  int
	log     io.Writer
}

// measure measures an eval. The error is that of ctx, or of writing.
func (s *measurement) measure(ctx context.Context, e *eval, sizes [][]int) (rows []report.GradBenchRow, err error) {
	for k, size := range sizes {
		input := e.input(size)
		input["min_runs"], input["min_seconds"] = 1, s.seconds
		text, err := json.Marshal(input)
		if err != nil {
			return rows, err
		}
		for f, function := range e.functions {
			var right []float64
			tools := slices.DeleteFunc(slices.Clone(s.tools), func(tool string) bool { // those that don't have the eval
				_, err := os.Stat(s.executable(tool, e.name))
				return e.alone || errors.Is(err, os.ErrNotExist)
			})
			tools = append(tools, "gram")
			for i, tool := range tools {
				r := report.GradBenchRow{Eval: e.name, Size: fmt.Sprint(size), Function: function, Tool: tool}
				output, err := s.run(ctx, &r, text)
				if err == nil && tool == "gram" && k < s.counts && f == len(e.functions)-1 {
					r.M, r.Graph, r.Steps, err = gradbench.Count(ctx, e.name, function, text)
				}
				if ctx.Err() != nil {
					return rows, ctx.Err()
				}
				switch {
				case err != nil:
					r.Error = err.Error()
				case i == 0:
					right = output
				case right != nil:
					r.Difference = difference(output, right)
				}
				rows = append(rows, r)
				if err := json.NewEncoder(s.log).Encode(r); err != nil {
					return rows, err
				}
			}
		}
	}
	return rows, nil
}

// answer is what a tool says of a function, and timing an entry of its timings.
type (
	answer struct {
		Output  any
		Timings []timing
		Error   string
	}
	timing struct {
		Name        string
		Nanoseconds float64
	}
)

// run runs a tool on an input. It returns the numbers of the answer, and notes how long the runs took.
func (s *measurement) run(ctx context.Context, r *report.GradBenchRow, input []byte) ([]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	run := s.program
	if r.Tool == "gram" {
		run = s.gram
	}
	a, err := run(ctx, r, input)
	if err != nil {
		return nil, err
	}
	for _, t := range a.Timings {
		switch t.Name {
		case "prepare":
			r.Prepare = t.Nanoseconds / 1e9
		case "evaluate":
			r.Runs++
			r.Seconds += t.Nanoseconds / 1e9
		}
	}
	r.Seconds /= float64(max(1, r.Runs))
	return numbers(nil, a.Output), nil
}

// gram runs gram's tool.
func (s *measurement) gram(ctx context.Context, r *report.GradBenchRow, input []byte) (a answer, err error) {
	line, err := json.Marshal(map[string]any{"id": 0, "kind": "evaluate", "module": r.Eval, "function": r.Function,
		"input": json.RawMessage(input)})
	if err != nil {
		return a, err
	}
	var out bytes.Buffer
	if err := gradbench.Serve(ctx, bytes.NewReader(line), &out); err != nil {
		return a, err
	}
	if err = json.Unmarshal(out.Bytes(), &a); err == nil && a.Error != "" {
		err = errors.New(a.Error)
	}
	return a, err
}

// executable is the program of a tool for an eval.
func (s *measurement) executable(tool, eval string) string {
	return filepath.Join(s.clone, "tools", tool, "bin", eval)
}

// program runs a program of the clone. It prints the output, and then each timing.
func (s *measurement) program(ctx context.Context, r *report.GradBenchRow, input []byte) (a answer, err error) {
	f, err := os.CreateTemp("", "gradbench")
	if err != nil {
		return a, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(input)
	if err := errors.Join(err, f.Close()); err != nil {
		return a, err
	}
	text, err := exec.CommandContext(ctx, s.executable(r.Tool, r.Eval), f.Name(), r.Function).Output()
	if err != nil {
		return a, err
	}
	lines := json.NewDecoder(bytes.NewReader(text))
	err = lines.Decode(&a.Output)
	for err == nil && lines.More() {
		var t timing
		err = lines.Decode(&t)
		a.Timings = append(a.Timings, t)
	}
	return a, err
}

// numbers appends the numbers in an answer, those of objects in the order of their keys.
func numbers(all []float64, output any) []float64 {
	switch o := output.(type) {
	case float64:
		return append(all, o)
	case []any:
		for _, x := range o {
			all = numbers(all, x)
		}
	case map[string]any:
		for _, key := range slices.Sorted(maps.Keys(o)) {
			all = numbers(all, o[key])
		}
	}
	return all
}

// difference is the largest one of two answers, relative to numbers above 1.
func difference(a, b []float64) float64 {
	if len(a) != len(b) {
		return math.MaxFloat64
	}
	most := 0.0
	for i := range a {
		most = max(most, math.Abs(a[i]-b[i])/max(1, math.Abs(b[i])))
	}
	return most
}
