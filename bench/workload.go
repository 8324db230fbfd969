package bench

import (
	"context"
	"fmt"
	"math"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/examples"
)

// Workload is one of W1–W5 at a size: the program, and the same on the tape and by hand.
type Workload struct {
	Name       string
	Program    *gram.Program
	Primitives float64 // of the forward computation
	Tape       func(t *Tape) (value float64, gradient []float64)
	Hand       func(h *Hand) (value float64, gradient []float64)
}

// Primitives is the number of operations of the forward computation of workload w, one of
// "w1" to "w5", with n steps; k is the width of w2 and w5. It is 0 for other names.
//
// In W2 a component of the state takes two products of a row and a vector, of 2k − 1 operations each, their sum and a
// sigmoid function: 4k in all, and a step k times as many. In W5 a component of a gate takes as many, and there are 4k
// of them; a component of the cell, f·c + i·g, takes 3, and one of the state, o·tanh c, takes 2. So a step takes
// 4k·4k + 5k operations. The sum of the last state is not counted.
func Primitives(w string, n, k int) float64 {
	size, width := float64(n), float64(k)
	switch w {
	case "w1":
		return 4 * size
	case "w2":
		return size * 4 * width * width
	case "w3":
		return 3 * size
	case "w4":
		return 2 * size
	case "w5":
		return size * (16*width*width + 5*width)
	}
	return 0
}

// weightOfW4 is the input w of W4: with that of the example, 0.999, adjoints are subnormal from step 7.1·10⁵ on, and
// products of subnormal numbers are slow on many processors.
const weightOfW4 = 0.9999999

// NewWorkload loads workload w, one of "w1" to "w5", with n steps; k is the width
// of w2 and w5.
func NewWorkload(w string, n, k int) (*Workload, error) {
	text, err := examples.Files.ReadFile(w + ".gram")
	if err != nil {
		return nil, fmt.Errorf("bench: there is no workload %q", w)
	}
	params := []string{fmt.Sprintf("n=%d", n)}
	if w == "w2" || w == "w5" {
		params = append(params, fmt.Sprintf("k=%d", k))
	}
	opt := gram.Options{Params: params}
	if w == "w4" {
		opt.Sets = []string{fmt.Sprint("w=", weightOfW4)}
	}
	p, err := gram.Load(context.Background(), w+".gram", text, opt)
	if err != nil {
		return nil, err
	}
	out := &Workload{Name: w, Program: p, Primitives: Primitives(w, n, k)}
	out.yardsticks(n, k)
	return out, nil
}

// yardsticks sets the workload on the tape and by hand.
func (w *Workload) yardsticks(n, k int) {
	switch w.Name {
	case "w1":
		data := sines(n)
		w.Tape = func(t *Tape) (float64, []float64) { return t.W1(0.7, 0.9, data) }
		w.Hand = func(h *Hand) (float64, []float64) { return h.W1(0.7, 0.9, data) }
	case "w2":
		e, r, data := make([]float64, k*k), make([]float64, k*k), sines(n*k)
		for i := range e {
			e[i], r[i] = 0.1*math.Sin(1+float64(i)), 0.1*math.Cos(1+float64(i))
		}
		w.Tape = func(t *Tape) (float64, []float64) { return t.W2(k, e, r, data) }
		w.Hand = func(h *Hand) (float64, []float64) { return h.W2(k, e, r, data) }
	case "w3":
		w.Tape = func(t *Tape) (float64, []float64) { return t.W3(-0.3, n) }
		w.Hand = func(h *Hand) (float64, []float64) { return h.W3(-0.3, n) }
	case "w4":
		w.Tape = func(t *Tape) (float64, []float64) { return t.W4(weightOfW4, 1.1, n) }
		w.Hand = func(h *Hand) (float64, []float64) { return h.W4(weightOfW4, 1.1, n) }
	case "w5":
		weightsW, weightsU, data := gates(k, 1), gates(k, 3), sines(n*k)
		w.Tape = func(t *Tape) (float64, []float64) { return t.W5(k, weightsW, weightsU, data) }
		w.Hand = func(h *Hand) (float64, []float64) { return h.W5(k, weightsW, weightsU, data) }
	}
}

// gates are four weights of w5 for gates of k units, those of i, f, o and g, row by row. They are 0.1·sin, 0.1·cos,
// 0.1·sin and 0.1·cos of the place in the matrix plus from, from, from + 1 and from + 1.
func gates(k int, from float64) []float64 {
	var out []float64
	for g, f := range []func(float64) float64{math.Sin, math.Cos, math.Sin, math.Cos} {
		for i := range k * k {
			out = append(out, 0.1*f(from+float64(g/2+i)))
		}
	}
	return out
}

// sines is sin 0, sin 1, …: what the workloads apply their cells to, first to last.
func sines(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Sin(float64(i))
	}
	return out
}

// leastTime is how long something runs at least until its time is taken; the programs of peers
// have the same.
const leastTime = 10 * time.Millisecond

// TimeOf runs a function once, and then until some time has passed: it returns the mean of
// those runs.
func TimeOf(run func() error) (time.Duration, error) {
	if err := run(); err != nil {
		return 0, err
	}
	start, runs := time.Now(), 0
	for ; runs == 0 || time.Since(start) < leastTime; runs++ {
		if err := run(); err != nil {
			return 0, err
		}
	}
	return time.Since(start) / time.Duration(runs), nil
}
