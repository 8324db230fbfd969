// Package fit minimises the loss of a program: by L-BFGS and gradient descent of gonum/optimize, by Newton's method
// with conjugate gradients, and by Adam, which takes batches and can be continued.
package fit

import (
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/floats"
)

// Problem is what is minimised. Its functions don't keep x, and their results are overwritten by the next call.
type Problem struct {
	Point []float64 // the first point
	// Loss returns the loss on all rows for training, and its gradient unless there is a Batch.
	Loss func(x []float64) (loss float64, gradient []float64, err error)
	// Products returns the products of the Hessian of the loss with vectors, one behind the other.
	Products func(x, vectors []float64) ([]float64, error)
	// Batch returns an estimate of the gradient by Size of the Rows rows.
	Batch      func(x []float64, rows []int) (gradient []float64, err error)
	Rows, Size int
	HeldOut    func(x []float64) (float64, error) // the loss on the rows that are held out; nil: there are none
	// Report is called after each iteration. Its error ends the work.
	Report func(*State) error
}

// Options say how a problem is solved.
type Options struct {
	Method     string // one of Methods
	Iterations int    // at most
	Rate       float64
	Seed       uint64 // of the order of rows
}

// Methods are the names of the methods.
const Methods = "lbfgs gd newton-cg adam"

// patience is how often the loss on the rows that are held out may be measured without a new minimum.
const patience = 20

// flat is the length of a gradient, beside that at the start, at which a method ends. If the Hessian is known, Newton's
// method then goes on to the minimum. It is also the absolute length at which it ends if the Hessian is not known.
const flat = 1e-6

// State is how far the work has come. Its JSON reads back to the same bits: adam goes on from there as if it had not
// ended.
type State struct {
	Iteration int       `json:"iteration"`
	Point     []float64 `json:"point"`
	First     []float64 `json:"first,omitempty"` // of adam: running means of the gradient and of its squares
	Second    []float64 `json:"second,omitempty"`
	Curve     []Sample  `json:"curve"`
	Best      int       `json:"best"` // in Curve
	BestPoint []float64 `json:"bestPoint"`
	// Converged says that the best point is a minimum of the loss, as far as its gradient and, of few inputs, its
	// Hessian tell.
	Converged bool `json:"-"`
}

// Stuck reports whether the loss has come down by less than 1 %, and not to 0.
func (s *State) Stuck() bool {
	first, best := s.Curve[0].by(), s.Curve[s.Best].by()
	return best != 0 && first-best < 0.01*math.Abs(first)
}

// Sample is the loss at an iteration.
type Sample struct {
	Iteration int      `json:"iteration"`
	Loss      float64  `json:"loss"`
	HeldOut   *float64 `json:"heldOut,omitempty"`
}

// by is the loss by which points are compared.
func (s Sample) by() float64 {
	if s.HeldOut != nil {
		return *s.HeldOut
	}
	return s.Loss
}

// stop is the error of work that is done. It says why.
type stop string

func (s stop) Error() string { return string(s) }

const (
	enough    stop = "the number of iterations is reached"
	noLower   stop = "the held-out loss has not fallen for a while"
	level     stop = "the gradient is 0"
	many      stop = "the gradient is 0; the Hessian has a zero direction: other inputs are as good"
	stuck     stop = "no lower point is found, and the gradient is not 0"
	saddle    stop = "the Hessian has a negative direction: this is no minimum"
	degraded  stop = "the Hessian has a zero direction, along which the loss may fall on"
	unbounded stop = "the loss is unbounded: it falls without end"
)

// ErrNotFinite says that the loss has become infinite or NaN.
var ErrNotFinite = errors.New("the loss is not a finite number")

// Minimise goes on from a state, an empty one at first, and says why it has stopped. After an error, too, the state has
// the best point so far.
func Minimise(p *Problem, opt Options, s *State) (why string, err error) {
	if s.Point == nil {
		s.Point, s.BestPoint = slices.Clone(p.Point), slices.Clone(p.Point)
	}
	if opt.Method == "adam" {
		err = p.adam(opt, s)
	} else {
		err = p.descend(opt, s)
	}
	var done stop
	if !errors.As(err, &done) {
		return "", err
	}
	if last := len(s.Curve) - 1; done == level || done == many {
		// A minimum is preferred to a point on the way to it, if that is hardly better on the rows that are held out.
		first, best := s.Curve[0].by(), s.Curve[s.Best].by()
		if s.Curve[last].by()-best <= 0.01*(first-best) {
			s.Best = last
			copy(s.BestPoint, s.Point)
		}
		if s.Converged = s.Best == last; !s.Converged {
			done = "the held-out loss is less than at the minimum"
		}
	}
	return string(done), nil
}

// sample adds the loss at the point to the curve. It is an error if the loss is not finite.
func (p *Problem) sample(s *State, loss float64) error {
	at := Sample{Iteration: s.Iteration, Loss: loss}
	if p.HeldOut != nil {
		x, err := p.HeldOut(s.Point)
		if err != nil {
			return err
		}
		at.HeldOut = &x
	}
	if by := at.by(); math.IsInf(by, 0) || math.IsNaN(by) || math.IsInf(loss, 0) || math.IsNaN(loss) {
		return ErrNotFinite
	}
	s.Curve = append(s.Curve, at)
	if last := len(s.Curve) - 1; at.by() < s.Curve[s.Best].by() {
		s.Best = last
		copy(s.BestPoint, s.Point)
	}
	return nil
}

// patient reports an error if it is time to stop: if the loss on the rows that are held out has not fallen for a while,
// and the gradient is small beside that at the start, or that loss has risen by a part of what it had fallen. On a
// plateau the work goes on.
func (p *Problem) patient(s *State, steepness float64) error {
	if p.HeldOut == nil || len(s.Curve)-1-s.Best < patience {
		return nil
	}
	first, best, last := s.Curve[0].by(), s.Curve[s.Best].by(), s.Curve[len(s.Curve)-1].by()
	if steepness < 1e-3 || last-best > 0.05*(first-best) {
		return noLower
	}
	return nil
}

// The constants of Adam: Kingma and Ba, Adam: a method for stochastic optimization, 2015.
const (
	decay1, decay2 = 0.9, 0.999
	adamEpsilon    = 1e-8
)

// adam updates the point by batches, or by all rows. It measures the loss on all rows before each pass over the
// batches.
func (p *Problem) adam(opt Options, s *State) error {
	if s.First == nil {
		s.First, s.Second = make([]float64, len(s.Point)), make([]float64, len(s.Point))
	}
	perPass := 1
	if p.Batch != nil {
		perPass = p.Rows / p.Size
	}
	var order []int
	pass := -1
	for {
		var gradient []float64
		var err error
		if measured := len(s.Curve) > 0 && s.Curve[len(s.Curve)-1].Iteration == s.Iteration; p.Batch == nil ||
			s.Iteration%perPass == 0 && !measured {
			var loss float64
			loss, gradient, err = p.Loss(s.Point)
			if err == nil && !measured {
				err = p.sample(s, loss)
			}
			if err != nil {
				return err
			}
		}
		switch err := p.patient(s, 0); {
		case err != nil:
			return err
		case p.Batch == nil && length(gradient) < flat:
			return level
		case s.Iteration >= opt.Iterations:
			return enough
		}
		if p.Batch != nil {
			if now := s.Iteration / perPass; now != pass {
				pass, order = now, rand.New(rand.NewPCG(opt.Seed, uint64(now))).Perm(p.Rows)
			}
			from := s.Iteration % perPass * p.Size
			if gradient, err = p.Batch(s.Point, order[from:from+p.Size]); err != nil {
				return err
			}
		}
		s.Iteration++
		t := float64(s.Iteration)
		for i, g := range gradient {
			s.First[i] = decay1*s.First[i] + (1-decay1)*g
			s.Second[i] = decay2*s.Second[i] + (1-decay2)*g*g
			s.Point[i] -= opt.Rate * (s.First[i] / (1 - math.Pow(decay1,
				t))) / (math.Sqrt(s.Second[i]/(1-math.Pow(decay2, t))) + adamEpsilon)
		}
		if err := p.Report(s); err != nil {
			return err
		}
	}
}

// length is the Euclidean length of a vector.
func length(v []float64) float64 { return floats.Norm(v, 2) }

// Range bounds a number of the point: it stays between Low and High, which may be infinite. By rounding it may come to
// them.
type Range struct{ Low, High float64 }

// Everywhere is the range that bounds nothing.
var Everywhere = Range{math.Inf(-1), math.Inf(1)}

// Free reports whether the range bounds nothing.
func (r Range) Free() bool { return r == Everywhere }

// at returns the number for u, and the first and the second derivative by u. These are the transformations of James and
// Roos, "Minuit: a system for function minimization and analysis of the parameter errors and correlations", 1975.
func (r Range) at(u float64) (x, first, second float64) {
	root := math.Sqrt(u*u + 1)
	switch {
	case r.Free():
		return u, 1, 0
	case math.IsInf(r.High, 1):
		return r.Low - 1 + root, u / root, 1 / (root * root * root)
	case math.IsInf(r.Low, -1):
		return r.High + 1 - root, -u / root, -1 / (root * root * root)
	}
	half := (r.High - r.Low) / 2
	sin, cos := math.Sincos(u)
	return r.Low + half*(1+sin), half * cos, -half * sin
}

// of returns the u at which x is the number, which lies in the range, and not at its ends.
func (r Range) of(x float64) float64 {
	switch {
	case r.Free():
		return x
	case math.IsInf(r.High, 1):
		return math.Sqrt((x-r.Low)*(x-r.Low) + 2*(x-r.Low))
	case math.IsInf(r.Low, -1):
		return math.Sqrt((r.High-x)*(r.High-x) + 2*(r.High-x))
	}
	return math.Asin(2*(x-r.Low)/(r.High-r.Low) - 1)
}

// Within returns the problem of minimising p with each number of its point in a range, and the function that makes a
// point of p from one of that problem, which is not bounded. The numbers of p's first point lie in the ranges, and not
// at their ends.
func (p *Problem) Within(ranges []Range) (q *Problem, point func(u []float64) []float64) {
	point = func(u []float64) []float64 {
		x := make([]float64, len(u))
		for i, r := range ranges {
			x[i], _, _ = r.at(u[i])
		}
		return x
	}
	// byU multiplies vectors, one behind the other, by the first derivatives.
	byU := func(u, vectors []float64) []float64 {
		out := slices.Clone(vectors)
		for i := range out {
			_, first, _ := ranges[i%len(u)].at(u[i%len(u)])
			out[i] *= first
		}
		return out
	}
	q = &Problem{Rows: p.Rows, Size: p.Size, Report: p.Report}
	for i, x := range p.Point {
		q.Point = append(q.Point, ranges[i].of(x))
	}
	var at, slopes []float64 // the last point, and the gradient of p there
	q.Loss = func(u []float64) (float64, []float64, error) {
		loss, gradient, err := p.Loss(point(u))
		if err != nil || gradient == nil {
			return loss, nil, err
		}
		at, slopes = append(at[:0], u...), append(slopes[:0], gradient...)
		return loss, byU(u, gradient), nil
	}
	// H' = J·H·J + diag(g·x″), where J = diag(x′).
	q.Products = func(u, vectors []float64) ([]float64, error) {
		if !slices.Equal(at, u) {
			if _, _, err := q.Loss(u); err != nil {
				return nil, err
			}
		}
		h, err := p.Products(point(u), byU(u, vectors))
		if err != nil {
			return nil, err
		}
		h = byU(u, h)
		for i, x := range vectors {
			k := i % len(u)
			_, _, second := ranges[k].at(u[k])
			h[i] += slopes[k] * second * x
		}
		return h, nil
	}
	if p.Batch != nil {
		q.Batch = func(u []float64, rows []int) ([]float64, error) {
			gradient, err := p.Batch(point(u), rows)
			if err != nil {
				return nil, err
			}
			return byU(u, gradient), nil
		}
	}
	if p.HeldOut != nil {
		q.HeldOut = func(u []float64) (float64, error) { return p.HeldOut(point(u)) }
	}
	return q, point
}
