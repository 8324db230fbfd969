// Package fit minimises the loss of a program: by L-BFGS and gradient descent of gonum/optimize, by Newton's method with
// conjugate gradients, and by Adam, which takes batches and can be continued.
package fit

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"slices"

	"gonum.org/v1/gonum/optimize"
)

// Problem is what is minimised. Its functions don't keep x, and their results are overwritten by the next call.
type Problem struct {
	Point []float64 // the first point
	// Loss returns the loss on all rows for training, and its gradient unless there is a Batch.
	Loss func(x []float64) (loss float64, gradient []float64, err error)
	// Product returns the product of the Hessian of the loss with v, for newton-cg.
	Product func(x, v []float64) ([]float64, error)
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

// flat is the length of a gradient at which the methods without batches stop.
const flat = 1e-6

// State is how far the work has come. Its JSON reads back to the same bits: adam goes on from there as if it had not ended.
type State struct {
	Iteration int       `json:"iteration"`
	Point     []float64 `json:"point"`
	First     []float64 `json:"first,omitempty"` // of adam: running means of the gradient and of its squares
	Second    []float64 `json:"second,omitempty"`
	Curve     []Sample  `json:"curve"`
	Best      int       `json:"best"` // in Curve
	BestPoint []float64 `json:"bestPoint"`
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
	enough  stop = "the number of iterations is reached"
	noLower stop = "the held-out loss has not fallen for a while"
	level   stop = "the gradient is 0, or the loss does not fall any more"
)

// ErrNotFinite says that the loss has become infinite or NaN.
var ErrNotFinite = errors.New("the loss is not a finite number")

// Minimise goes on from a state, an empty one at first, and says why it has stopped. After an error, too, the state has the
// best point so far.
func Minimise(p *Problem, opt Options, s *State) (why string, err error) {
	if s.Point == nil {
		s.Point, s.BestPoint = slices.Clone(p.Point), slices.Clone(p.Point)
	}
	switch opt.Method {
	case "adam":
		err = p.adam(opt, s)
	case "newton-cg":
		err = p.newtonCG(opt, s)
	default:
		err = p.descend(opt, s)
	}
	var done stop
	if errors.As(err, &done) {
		return string(done), nil
	}
	return "", err
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

// patient reports an error if it is time to stop.
func (p *Problem) patient(s *State) error {
	if p.HeldOut != nil && len(s.Curve)-1-s.Best >= patience {
		return noLower
	}
	return nil
}

// The constants of Adam: Kingma and Ba, Adam: a method for stochastic optimization, 2015.
const (
	decay1, decay2 = 0.9, 0.999
	adamEpsilon    = 1e-8
)

// adam updates the point by batches, or by all rows. It measures the loss on all rows before each pass over the batches.
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
		if measured := len(s.Curve) > 0 && s.Curve[len(s.Curve)-1].Iteration == s.Iteration; p.Batch == nil || s.Iteration%perPass == 0 && !measured {
			var loss float64
			loss, gradient, err = p.Loss(s.Point)
			if err == nil && !measured {
				err = p.sample(s, loss)
			}
			if err != nil {
				return err
			}
		}
		switch err := p.patient(s); {
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
			s.Point[i] -= opt.Rate * (s.First[i] / (1 - math.Pow(decay1, t))) / (math.Sqrt(s.Second[i]/(1-math.Pow(decay2, t))) + adamEpsilon)
		}
		if err := p.Report(s); err != nil {
			return err
		}
	}
}

// descend runs a method of gonum/optimize.
func (p *Problem) descend(opt Options, s *State) error {
	var failed error
	var at, gradient []float64
	var loss float64
	evaluate := func(x []float64) {
		if failed != nil || at != nil && slices.Equal(at, x) {
			return
		}
		if loss, gradient, failed = p.Loss(x); failed != nil {
			loss, gradient = math.NaN(), make([]float64, len(x))
		}
		at = append(at[:0], x...)
	}
	// reached is called with each point that the method has reached.
	reached := func(x []float64, loss float64) error {
		if failed == nil && (len(s.Curve) == 0 || !slices.Equal(s.Point, x)) {
			s.Iteration = len(s.Curve)
			copy(s.Point, x)
			if failed = p.sample(s, loss); failed == nil {
				failed = cmp.Or(p.patient(s), p.Report(s))
			}
		}
		return failed
	}
	evaluate(p.Point)
	if err := reached(p.Point, loss); err != nil {
		return err
	}
	if opt.Iterations == 0 {
		return enough // of gonum, a limit of 0 is none
	}
	method := optimize.Method(&optimize.LBFGS{})
	if opt.Method == "gd" {
		method = &optimize.GradientDescent{}
	}
	res, err := optimize.Minimize(optimize.Problem{
		Func: func(x []float64) float64 { evaluate(x); return loss },
		Grad: func(grad, x []float64) { evaluate(x); copy(grad, gradient) },
		Status: func() (optimize.Status, error) {
			if failed != nil {
				return optimize.Failure, failed
			}
			return optimize.NotTerminated, nil
		},
	}, p.Point, &optimize.Settings{MajorIterations: opt.Iterations, GradientThreshold: flat, Recorder: recorder(reached)}, method)
	switch {
	case failed != nil:
		return failed
	case res == nil:
		return err
	}
	if err := reached(res.X, res.F); err != nil { // gonum does not record the last one
		return err
	}
	if res.Status == optimize.IterationLimit {
		return enough
	}
	return level // or, close to a minimum, the search along a line has found no lower point
}

// recorder is called with each point that a method has reached.
type recorder func(x []float64, loss float64) error

func (recorder) Init() error { return nil }

func (r recorder) Record(loc *optimize.Location, op optimize.Operation, _ *optimize.Stats) error {
	if op != optimize.MajorIteration {
		return nil
	}
	return r(loc.X, loc.F)
}

// length is the Euclidean length of a vector.
func length(v []float64) float64 { return math.Sqrt(dot(v, v)) }
