package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/gob"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/beam/gramio"
	"github.com/gram-machine/gram/internal/fit"
)

func newFit() *cobra.Command {
	var f struct {
		sumFlags
		fit.Options
		state, output string
	}
	cmd := &cobra.Command{
		Use:   "fit FILE",
		Short: "Fit the inputs of a program, with gradients summed over shards of its data",
		Long: `Fit minimises a program over its inputs, as gram fit does, with the loss and the gradient that sum computes: a pipeline for
each evaluation. lbfgs and gd search along lines; adam takes steps of --rate, each by all rows.

With --state, each evaluation is written to a file as soon as it is there. A fit that was interrupted goes on from
there: it reads what was computed, and ends with the bits that it would have had. The program, its own data and the
flags must be the same, but for --iterations and for what runs the pipeline; --input files must not have changed.

` + overHelp,
		Example: `  gram-beam fit examples/linear.gram --over rows --mean --state state.jsonl -o params.json
  gram eval examples/linear.gram --inputs params.json`,
	}
	f.add(cmd)
	fs := cmd.Flags()
	fs.StringVar(&f.Method, "method", "lbfgs", "`how` the loss is minimised: "+strings.ReplaceAll(fit.Methods, " ", ", "))
	fs.IntVar(&f.Iterations, "iterations", 1000, "stop after so many iterations, a `count`")
	fs.Float64Var(&f.Rate, "rate", 0.01, "of adam: the `size` of its updates")
	fs.StringVar(&f.state, "state", "", "keep what is computed in a `file`, and go on from it where it is there")
	fs.StringVarP(&f.output, "output", "o", "", "write the fitted inputs to a `file` that gram's --inputs reads, .json")
	valid := func() error {
		switch {
		case !slices.Contains(strings.Fields(fit.Methods), f.Method):
			return usagef("--method %s: the methods are %s", f.Method, fit.Methods)
		case f.Iterations < 0 || !(f.Rate > 0) || math.IsInf(f.Rate, 0):
			return usagef("--iterations and --rate are positive")
		}
		return f.valid()
	}
	return f.with(cmd, 1, valid, func(ctx context.Context, r *Runner, args []string) error {
		f.Path = args[0]
		t, err := newSummed(ctx, r, &f.sumFlags)
		if err != nil {
			return err
		}
		if len(t.program.Point) == 0 {
			return fmt.Errorf("%s: the program has no inputs that could be fitted", f.Path)
		}
		history, err := openHistory(f.state, t.digest(f.Method, f.Rate))
		if err != nil {
			return err
		}
		defer history.Close()
		problem := &fit.Problem{Point: t.program.Point, Report: func(*fit.State) error { return ctx.Err() },
			Loss: func(x []float64) (float64, []float64, error) {
				return history.evaluate(x, func() (float64, []float64, error) {
					p, err := t.sum(ctx, x)
					if err != nil {
						return 0, nil, err
					}
					return p.Value, p.Gradient, nil
				})
			}}
		s := &fit.State{}
		why, err := fit.Minimise(problem, f.Options, s)
		if err != nil {
			return err
		}
		inputs, err := t.named(ctx, s.BestPoint)
		if err != nil {
			return err
		}
		text, err := json.Marshal(inputs)
		if err != nil {
			return err
		}
		if f.output != "" {
			if err := gramio.WriteFile(ctx, f.output, append(text, '\n')); err != nil {
				return err
			}
		}
		best := s.Curve[s.Best]
		if f.json {
			return printJSON(struct {
				Version    string       `json:"version"`
				Method     string       `json:"method"`
				Loss       float64      `json:"loss"`
				Iteration  int          `json:"iteration"`
				Iterations int          `json:"iterations"`
				Stopped    string       `json:"stopped"`
				Inputs     *gram.Point  `json:"inputs"`
				Curve      []fit.Sample `json:"curve"`
			}{version(), f.Method, best.Loss, best.Iteration, s.Iteration, why, inputs, s.Curve})
		}
		_, err = fmt.Printf("loss    %.10g, from %.6g\nmethod  %s, iteration %d of %d: %s\ninputs  %s\n",
			best.Loss, s.Curve[0].Loss, f.Method, best.Iteration, s.Iteration, why, text)
		return err
	})
}

// digest identifies a fit: the program, its shards and the method.
func (t *summed) digest(method string, rate float64) string {
	h := sha256.New()
	program, err := json.Marshal(t.program)
	fmt.Fprintf(h, "%s %v %d\n%s\n", method, rate, t.weight, program)
	if err = errors.Join(err, gob.NewEncoder(h).Encode(t.shards)); err != nil {
		panic(err) // of types that can be encoded
	}
	return hex.EncodeToString(h.Sum(nil))
}

// history is what a fit has computed, a line of JSON for each evaluation, in a file or in none. The optimisers are
// deterministic, so a fit that begins again asks for the same evaluations first.
type history struct {
	file *os.File // nil: none
	past []evaluation
	next int
}

type evaluation struct {
	Point    string    `json:"point"` // a digest
	Loss     float64   `json:"loss"`
	Gradient []float64 `json:"gradient"`
}

// openHistory reads the file, if it is there. A last line that is torn is cut off.
func openHistory(path, run string) (*history, error) {
	h := &history{}
	if path == "" {
		return h, nil
	}
	text, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	text = text[:bytes.LastIndexByte(text, '\n')+1]
	lines := bytes.SplitAfter(text, []byte("\n"))
	var head struct {
		Run string `json:"run"`
	}
	switch {
	case len(text) == 0:
	case json.Unmarshal(lines[0], &head) != nil || head.Run == "":
		return nil, fmt.Errorf("%s: this is no state of gram-beam fit", path)
	case head.Run != run:
		return nil, fmt.Errorf("%s: this is the state of another program, other data or other flags", path)
	default:
		for i, line := range lines[1 : len(lines)-1] {
			var e evaluation
			if err := json.Unmarshal(line, &e); err != nil {
				return nil, fmt.Errorf("%s:%d: %w", path, i+2, err)
			}
			h.past = append(h.past, e)
		}
	}
	if h.file, err = os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o666); err != nil {
		return nil, err
	}
	if err = h.file.Truncate(int64(len(text))); err == nil {
		_, err = h.file.Seek(int64(len(text)), 0)
	}
	if err == nil && len(text) == 0 {
		head.Run = run
		err = h.append(head)
	}
	if err != nil {
		return nil, errors.Join(err, h.Close())
	}
	return h, nil
}

// append writes a line, and waits until it is on the disk.
func (h *history) append(value any) error {
	line, err := json.Marshal(value)
	if err == nil {
		_, err = h.file.Write(append(line, '\n'))
	}
	if err == nil {
		err = h.file.Sync()
	}
	return err
}

// evaluate returns what is in the file already, or computes and writes it.
func (h *history) evaluate(x []float64, compute func() (float64, []float64, error)) (float64, []float64, error) {
	digest := sha256.New()
	for _, v := range x {
		fmt.Fprintf(digest, "%x ", math.Float64bits(v))
	}
	point := hex.EncodeToString(digest.Sum(nil)[:16])
	if h.next < len(h.past) {
		e := &h.past[h.next]
		if e.Point != point {
			return 0, nil, fmt.Errorf("the state's evaluation %d is at another point: it was written by another build", h.next+1)
		}
		h.next++
		return e.Loss, e.Gradient, nil
	}
	loss, gradient, err := compute()
	if err == nil && h.file != nil {
		err = h.append(evaluation{point, loss, gradient})
	}
	return loss, gradient, err
}

// Close closes the file.
func (h *history) Close() error {
	if h.file == nil {
		return nil
	}
	return h.file.Close()
}
