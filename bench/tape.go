package bench

import (
	"context"
	"fmt"
	"math"
	"slices"
	"time"
	"unsafe"

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

// Tape is a plain array tape: two parents and two partial derivatives a node, what
// one would write first for reverse mode in Go. It is the yardstick.
type Tape struct {
	nodes   []tapeNode
	adjoint []float64
}

type tapeNode struct {
	p, q   int32
	dp, dq float64
}

// Bytes is the memory that the last run used.
func (t *Tape) Bytes() float64 {
	return float64(len(t.nodes)*int(unsafe.Sizeof(tapeNode{})) + 8*len(t.adjoint))
}

// tapeVar is a value with its place on the tape.
type tapeVar struct {
	v float64
	i int32
}

func (t *Tape) push(v float64, p int32, dp float64, q int32, dq float64) tapeVar {
	t.nodes = append(t.nodes, tapeNode{p, q, dp, dq})
	return tapeVar{v, int32(len(t.nodes) - 1)}
}

func (t *Tape) reset()                             { t.nodes = append(t.nodes[:0], tapeNode{}) }
func (t *Tape) input(v float64) tapeVar            { return t.push(v, 0, 0, 0, 0) }
func (t *Tape) mul(a, b tapeVar) tapeVar           { return t.push(a.v*b.v, a.i, b.v, b.i, a.v) }
func (t *Tape) scale(a tapeVar, c float64) tapeVar { return t.push(a.v*c, a.i, c, 0, 0) }
func (t *Tape) add(a, b tapeVar) tapeVar           { return t.push(a.v+b.v, a.i, 1, b.i, 1) }
func (t *Tape) sin(a tapeVar) tapeVar              { return t.push(math.Sin(a.v), a.i, math.Cos(a.v), 0, 0) }
func (t *Tape) tanh(a tapeVar) tapeVar {
	y := math.Tanh(a.v)
	return t.push(y, a.i, 1-y*y, 0, 0)
}
func (t *Tape) sigmoid(a tapeVar) tapeVar {
	s := 1 / (1 + math.Exp(-a.v))
	return t.push(s, a.i, s*(1-s), 0, 0)
}

func (t *Tape) backward(y tapeVar) {
	if cap(t.adjoint) < len(t.nodes) {
		t.adjoint = make([]float64, len(t.nodes))
	}
	t.adjoint = t.adjoint[:len(t.nodes)]
	clear(t.adjoint)
	t.adjoint[y.i] = 1
	for i := len(t.nodes) - 1; i > 0; i-- {
		a := t.adjoint[i]
		if a == 0 {
			continue
		}
		n := &t.nodes[i]
		t.adjoint[n.p] += a * n.dp
		t.adjoint[n.q] += a * n.dq
	}
}

// W1 is the scalar recurrent network on data, in the order in which it is applied.
func (t *Tape) W1(e, r float64, data []float64) (value float64, gradient []float64) {
	t.reset()
	ev, rv := t.input(e), t.input(r)
	u := t.input(0)
	for _, a := range data {
		u = t.sigmoid(t.add(t.scale(ev, a), t.mul(rv, u)))
	}
	t.backward(u)
	return u.v, []float64{t.adjoint[ev.i], t.adjoint[rv.i]}
}

// W2 is the network with vectors of k: weights E and W row by row, data row by row.
func (t *Tape) W2(k int, weightsE, weightsW, data []float64) (value float64, gradient []float64) {
	t.reset()
	e, w := t.inputs(weightsE), t.inputs(weightsW)
	h, o := t.inputs(make([]float64, k)), make([]tapeVar, k)
	for ; len(data) > 0; data = data[k:] {
		for i := range o {
			o[i] = t.sigmoid(t.inner(e[i*k:], data, w[i*k:], h))
		}
		h, o = o, h
	}
	s := t.sum(h)
	t.backward(s)
	return s.v, slices.Clone(t.adjoint[e[0].i:][:2*k*k])
}

// inputs are inputs with consecutive places.
func (t *Tape) inputs(values []float64) []tapeVar {
	out := make([]tapeVar, len(values))
	for i, v := range values {
		out[i] = t.input(v)
	}
	return out
}

// inner is e·data + w·h of as many numbers as h has.
func (t *Tape) inner(e []tapeVar, data []float64, w, h []tapeVar) tapeVar {
	s := t.scale(e[0], data[0])
	for j := 1; j < len(h); j++ {
		s = t.add(s, t.scale(e[j], data[j]))
	}
	for j, x := range h {
		s = t.add(s, t.mul(w[j], x))
	}
	return s
}

func (t *Tape) sum(h []tapeVar) tapeVar {
	s := h[0]
	for _, x := range h[1:] {
		s = t.add(s, x)
	}
	return s
}

// W5 is an LSTM of k units: the weights of the gates i, f, o and g, row by row, and data row by row.
func (t *Tape) W5(k int, weightsW, weightsU, data []float64) (value float64, gradient []float64) {
	t.reset()
	w, u := t.inputs(weightsW), t.inputs(weightsU)
	h, c, gates := t.inputs(make([]float64, k)), t.inputs(make([]float64, k)), make([]tapeVar, 4*k)
	for ; len(data) > 0; data = data[k:] {
		for r := range gates {
			if s := t.inner(w[r*k:], data, u[r*k:], h); r < 3*k {
				gates[r] = t.sigmoid(s)
			} else {
				gates[r] = t.tanh(s)
			}
		}
		for q := range k {
			c[q] = t.add(t.mul(gates[k+q], c[q]), t.mul(gates[q], gates[3*k+q]))
			h[q] = t.mul(gates[2*k+q], t.tanh(c[q]))
		}
	}
	s := t.sum(h)
	t.backward(s)
	return s.v, slices.Clone(t.adjoint[w[0].i:][:8*k*k])
}

// W3 is the chain z ← sin(z·z) + z, n times.
func (t *Tape) W3(x float64, n int) (value float64, gradient []float64) {
	t.reset()
	xv := t.input(x)
	z := xv
	for range n {
		z = t.add(t.sin(t.mul(z, z)), z)
	}
	t.backward(z)
	return z.v, []float64{t.adjoint[xv.i]}
}

// W4 is the polynomial y ← w·y + x, n times.
func (t *Tape) W4(w, x float64, n int) (value float64, gradient []float64) {
	t.reset()
	wv, xv := t.input(w), t.input(x)
	y := xv
	for range n {
		y = t.add(t.mul(wv, y), xv)
	}
	t.backward(y)
	return y.v, []float64{t.adjoint[wv.i], t.adjoint[xv.i]}
}
