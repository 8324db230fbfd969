// Gradbench measures the evals of GradBench: gram, and tools that are built in a clone of GradBench, one after the other on one
// thread. It writes a line of JSON for each measurement, and prints tables of seconds and scores.
//
//	go run ./bench/gradbench -clone ~/gradbench -tools manual,codipack,adept -o results.jsonl
//
// A tool is a folder tools/NAME of the clone with programs in bin, which `make` makes there. Each takes the name of a file with an
// input, and that of a function. The answers are compared with those of the first tool.
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
	"time"

	"github.com/gram-machine/gram/gradbench"
)

// row is a measurement: of a tool on a function of an eval.
type row struct {
	Eval, Size, Function, Tool string
	Seconds                    float64 // the mean of the runs
	Runs                       int
	Prepare                    float64 `json:",omitempty"` // seconds before the first run, of gram
	Difference                 float64 // the largest to the first tool, relative to numbers above 1
	Error                      string  `json:",omitempty"`
}

func main() {
	clone := flag.String("clone", "", "the folder of GradBench")
	tools := flag.String("tools", "manual,codipack", "the tools, the first of which is right")
	names := flag.String("evals", "", "the evals; all that are in the command if empty")
	most := flag.Int("sizes", math.MaxInt, "how many sizes of each eval, from the smallest on")
	seconds := flag.Float64("seconds", 1, "for how long a function is run at least")
	timeout := flag.Duration("timeout", 10*time.Minute, "how long a tool may take for a function")
	out := flag.String("o", "", "the file of the measurements, to which lines are added")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	runtime.GOMAXPROCS(1)
	s := session{clone: *clone, tools: strings.Split(*tools, ","), seconds: *seconds, timeout: *timeout, log: io.Discard}
	if *out != "" {
		f, err := os.OpenFile(*out, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
		if err != nil {
			fail(err)
		}
		defer f.Close()
		s.log = f
	}
	for _, e := range evals {
		if *names != "" && !slices.Contains(strings.Split(*names, ","), e.name) {
			continue
		}
		rows, err := s.measure(ctx, &e, e.sizes[:min(len(e.sizes), *most)])
		printTable(os.Stdout, &e, append([]string{"gram"}, s.tools...), rows)
		if err != nil {
			fail(err)
		}
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "gradbench:", err)
	os.Exit(1)
}

type session struct {
	clone   string
	tools   []string
	seconds float64
	timeout time.Duration
	log     io.Writer
}

// measure measures an eval. The error is that of ctx, or of writing.
func (s *session) measure(ctx context.Context, e *eval, sizes [][]int) (rows []row, err error) {
	for _, size := range sizes {
		input := e.input(size)
		input["min_runs"], input["min_seconds"] = 1, s.seconds
		text, err := json.Marshal(input)
		if err != nil {
			return rows, err
		}
		for _, function := range e.functions {
			var right []float64
			for i, tool := range append(slices.Clone(s.tools), "gram") {
				r := row{Eval: e.name, Size: fmt.Sprint(size), Function: function, Tool: tool}
				output, err := s.run(ctx, &r, text)
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

// timing is an entry of the timings of an answer.
type timing struct {
	Name        string
	Nanoseconds float64
}

// run runs a tool on an input. It returns the numbers of the answer, and notes how long the runs took.
func (s *session) run(ctx context.Context, r *row, input []byte) ([]float64, error) {
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	run := s.program
	if r.Tool == "gram" {
		run = s.gram
	}
	output, timings, err := run(ctx, r, input)
	if err != nil {
		return nil, err
	}
	for _, t := range timings {
		switch t.Name {
		case "prepare":
			r.Prepare = t.Nanoseconds / 1e9
		case "evaluate":
			r.Runs++
			r.Seconds += t.Nanoseconds / 1e9
		}
	}
	r.Seconds /= float64(max(1, r.Runs))
	return numbers(nil, output), nil
}

// gram runs gram's tool.
func (s *session) gram(ctx context.Context, r *row, input []byte) (any, []timing, error) {
	line, err := json.Marshal(map[string]any{"id": 0, "kind": "evaluate", "module": r.Eval, "function": r.Function, "input": json.RawMessage(input)})
	if err != nil {
		return nil, nil, err
	}
	var out bytes.Buffer
	if err := gradbench.Serve(ctx, bytes.NewReader(line), &out); err != nil {
		return nil, nil, err
	}
	var answer struct {
		Output  any
		Timings []timing
		Error   string
	}
	if err := json.Unmarshal(out.Bytes(), &answer); err != nil {
		return nil, nil, err
	}
	if answer.Error != "" {
		return nil, nil, errors.New(answer.Error)
	}
	return answer.Output, answer.Timings, nil
}

// program runs a program of the clone.
func (s *session) program(ctx context.Context, r *row, input []byte) (any, []timing, error) {
	f, err := os.CreateTemp("", "gradbench")
	if err != nil {
		return nil, nil, err
	}
	defer os.Remove(f.Name())
	_, err = f.Write(input)
	if err := errors.Join(err, f.Close()); err != nil {
		return nil, nil, err
	}
	text, err := exec.CommandContext(ctx, filepath.Join(s.clone, "tools", r.Tool, "bin", r.Eval), f.Name(), r.Function).Output()
	if err != nil {
		return nil, nil, err
	}
	lines := json.NewDecoder(bytes.NewReader(text))
	var output any
	if err := lines.Decode(&output); err != nil {
		return nil, nil, err
	}
	var timings []timing
	for lines.More() {
		var t timing
		if err := lines.Decode(&t); err != nil {
			return nil, nil, err
		}
		timings = append(timings, t)
	}
	return output, timings, nil
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

// printTable prints the seconds of an eval in Markdown: of each size those of both functions, by tool, and the scores.
func printTable(w io.Writer, e *eval, tools []string, rows []row) {
	fmt.Fprintf(w, "### %s\n\nSeconds for %s and %s.\n\n| |", e.name, e.functions[0], e.functions[1])
	for _, tool := range tools {
		fmt.Fprintf(w, " %s |", tool)
	}
	fmt.Fprintf(w, " gram / %s |\n|%s\n", strings.Join(tools[1:], ", / "), strings.Repeat("---|", len(tools)+2))
	sums, complete := make([]float64, len(tools)), make([]bool, len(tools))
	for k := range complete {
		complete[k] = true
	}
	of := func(size, function, tool string) *row {
		i := slices.IndexFunc(rows, func(r row) bool { return r.Size == size && r.Function == function && r.Tool == tool && r.Error == "" })
		if i < 0 {
			return nil
		}
		return &rows[i]
	}
	var sizes []string
	for _, r := range rows {
		if !slices.Contains(sizes, r.Size) {
			sizes = append(sizes, r.Size)
		}
	}
	for _, size := range sizes {
		fmt.Fprintf(w, "| %s |", strings.Trim(size, "[]"))
		var derivatives []float64
		for k, tool := range tools {
			primal, derivative := of(size, e.functions[0], tool), of(size, e.functions[1], tool)
			if primal == nil || derivative == nil {
				complete[k] = false
				derivatives = append(derivatives, math.NaN())
				fmt.Fprint(w, " – |")
				continue
			}
			sums[k] += primal.Seconds + derivative.Seconds
			derivatives = append(derivatives, derivative.Seconds)
			fmt.Fprintf(w, " %.2g, %.2g |", primal.Seconds, derivative.Seconds)
		}
		var ratios []string
		for _, d := range derivatives[1:] {
			ratios = append(ratios, fmt.Sprintf("%.2g", derivatives[0]/d))
		}
		fmt.Fprintf(w, " %s |\n", strings.ReplaceAll(strings.Join(ratios, ", "), "NaN", "–"))
	}
	fmt.Fprint(w, "| score |")
	for k := range tools {
		if complete[k] && sums[k] > 0 {
			fmt.Fprintf(w, " %.3g |", 1/sums[k])
		} else {
			fmt.Fprint(w, " – |")
		}
	}
	fmt.Fprint(w, " |\n\n")
	for _, r := range rows {
		if r.Error != "" || r.Difference > 1e-9 {
			fmt.Fprintf(w, "- %s %s %s: difference %.1g %s\n", r.Tool, r.Function, r.Size, r.Difference, r.Error)
		}
	}
}
