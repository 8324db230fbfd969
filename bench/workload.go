package bench

import (
	"context"
	"fmt"
	"math"
	"path/filepath"
	"runtime"

	"github.com/gram-machine/gram"
)

// Workload is one of W1–W4 at a size: the program, and the same on the tape.
type Workload struct {
	Name       string
	Program    *gram.Program
	Primitives float64 // of the forward computation
	Tape       func(t *Tape) (value float64, gradient []float64)
}

// examples is the folder of the programs, beside this package's.
func examples() string {
	_, file, _, _ := runtime.Caller(0)
	return filepath.Join(filepath.Dir(file), "..", "examples")
}

// NewWorkload loads workload w, one of "w1" to "w4", with n steps; k is the width
// of w2.
func NewWorkload(w string, n, k int) (*Workload, error) {
	params := []string{fmt.Sprintf("n=%d", n)}
	if w == "w2" {
		params = append(params, fmt.Sprintf("k=%d", k))
	}
	p, err := gram.LoadFile(context.Background(), filepath.Join(examples(), w+".gram"), gram.Options{Params: params})
	if err != nil {
		return nil, err
	}
	out := &Workload{Name: w, Program: p}
	size, width := float64(n), float64(k)
	switch w {
	case "w1":
		out.Primitives = 4 * size
		data := sines(n)
		out.Tape = func(t *Tape) (float64, []float64) { return t.W1(0.7, 0.9, data) }
	case "w2":
		out.Primitives = size * (width*2*width + width*(2*width-1) + width)
		e, r, data := make([]float64, k*k), make([]float64, k*k), sines(n*k)
		for i := range e {
			e[i], r[i] = 0.1*math.Sin(1+float64(i)), 0.1*math.Cos(1+float64(i))
		}
		out.Tape = func(t *Tape) (float64, []float64) { return t.W2(k, e, r, data) }
	case "w3":
		out.Primitives = 3 * size
		out.Tape = func(t *Tape) (float64, []float64) { return t.W3(-0.3, n) }
	case "w4":
		out.Primitives = 2 * size
		out.Tape = func(t *Tape) (float64, []float64) { return t.W4(0.999, 1.1, n) }
	default:
		return nil, fmt.Errorf("bench: there is no workload %q", w)
	}
	return out, nil
}

// sines is sin 0, sin 1, …: what the workloads apply their cells to, first to last.
func sines(n int) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = math.Sin(float64(i))
	}
	return out
}
