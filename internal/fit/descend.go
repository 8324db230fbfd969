package fit

import (
	"cmp"
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
	"gonum.org/v1/gonum/mat"
	"gonum.org/v1/gonum/optimize"
)

// exact is the most numbers of a point whose Hessian is computed, a product for each. Points of more numbers are not
// rescaled, and are a minimum if the gradient is 0.
const exact = 100

// descent is the work of a method that searches along lines. It works on numbers u: the point is u times scale,
// number by number, so that the second derivatives by each u are about 1 where a search begins. The results are in
// the units of the point.
type descent struct {
	*Problem
	s        *State
	opt      Options
	scale    []float64
	at       []float64 // the last u
	loss     float64   // there, and the gradient by u
	gradient []float64
	start    float64 // the length of the gradient at the first point
	failed   error
}

// descend runs a method that searches along lines until it has come to a minimum, or does not get on.
func (p *Problem) descend(opt Options, s *State) error {
	d := &descent{Problem: p, s: s, opt: opt, scale: slices.Repeat([]float64{1}, len(p.Point))}
	d.evaluate(p.Point)
	if err := d.reached(p.Point, d.loss); err != nil {
		return err
	}
	first := d.gradient // by the numbers of the point
	for {
		if s.Iteration >= opt.Iterations {
			return enough
		}
		d.rescale()
		d.start = length(floats.MulTo(make([]float64, len(first)), first, d.scale))
		u := d.of(s.Point)
		if d.evaluate(u); d.failed != nil {
			return d.failed
		}
		before := d.loss
		search := d.search
		if opt.Method == "newton-cg" {
			search = d.newtonCG
		}
		if err := search(u); err != nil {
			return err
		}
		if err := d.settle(); err == level || err == many || !(d.loss < before-1e-9*math.Abs(before)) {
			return err
		}
	}
}

// of returns the u of a point, and point the point of a u.
func (d *descent) of(point []float64) []float64 {
	return floats.DivTo(make([]float64, len(point)), point, d.scale)
}

func (d *descent) point(u []float64) []float64 {
	return floats.MulTo(make([]float64, len(u)), u, d.scale)
}

// evaluate computes the loss and its gradient at u.
func (d *descent) evaluate(u []float64) {
	if d.failed != nil || d.at != nil && slices.Equal(d.at, u) {
		return
	}
	var gradient []float64
	if d.loss, gradient, d.failed = d.Loss(d.point(u)); d.failed != nil {
		d.loss, d.gradient = math.NaN(), make([]float64, len(u))
		return
	}
	d.gradient = floats.MulTo(make([]float64, len(u)), gradient, d.scale)
	if len(d.s.Curve) > 0 {
		if d.loss < -1e100*math.Max(1, math.Abs(d.s.Curve[0].Loss)) {
			d.failed = unbounded
		}
		if math.IsNaN(d.loss) {
			d.loss = math.Inf(1) // a search along a line turns back
		}
	}
	d.at = append(d.at[:0], u...)
}

// reached is called with each u that the method has reached.
func (d *descent) reached(u []float64, loss float64) error {
	point := d.point(u)
	if d.failed == nil && (len(d.s.Curve) == 0 || !slices.Equal(d.s.Point, point)) {
		d.s.Iteration = len(d.s.Curve)
		copy(d.s.Point, point)
		if d.failed = d.sample(d.s, loss); d.failed == nil {
			d.evaluate(u)
			d.failed = cmp.Or(d.failed, d.patient(d.s, length(d.gradient)/d.start), d.Report(d.s))
		}
	}
	return d.failed
}

// search runs a method of gonum/optimize. It returns nil if the gradient is small, or no lower point was found.
func (d *descent) search(u []float64) error {
	threshold := math.Max(flat*d.start, 1e-300)
	if len(u) > exact {
		threshold = math.Max(threshold, flat)
	}
	res, err := d.minimize(u, d.opt.Iterations-d.s.Iteration, threshold, recorder(d.reached))
	switch {
	case d.failed != nil:
		return d.failed
	case res == nil:
		return err
	}
	if err := d.reached(res.X, res.F); err != nil { // gonum does not record the last one
		return err
	}
	if res.Status == optimize.IterationLimit {
		return enough
	}
	return nil
}

// minimize runs the method for so many iterations at most. The result is nil if there is only an error.
func (d *descent) minimize(u []float64, iterations int, threshold float64, r optimize.Recorder) (*optimize.Result,
	error) {
	method := optimize.Method(&optimize.LBFGS{})
	if d.opt.Method == "gd" {
		method = &optimize.GradientDescent{}
	}
	return optimize.Minimize(optimize.Problem{
		Func: func(u []float64) float64 { d.evaluate(u); return d.loss },
		Grad: func(grad, u []float64) { d.evaluate(u); copy(grad, d.gradient) },
		Status: func() (optimize.Status, error) {
			if d.failed != nil {
				return optimize.Failure, d.failed
			}
			return optimize.NotTerminated, nil
		},
	}, u, &optimize.Settings{
		MajorIterations: iterations, GradientThreshold: threshold, Recorder: r,
		Converger: &optimize.FunctionConverge{Relative: 1e-12, Iterations: 100},
	}, method)
}

// trial is the loss after some iterations with a scale.
func (d *descent) trial(scale []float64) float64 {
	d.scale, d.at = scale, nil
	res, _ := d.minimize(d.of(d.s.Point), 5, 1e-300, nil)
	d.at = nil
	if res == nil || d.failed != nil {
		d.failed = nil // what comes next meets it as well
		return math.Inf(1)
	}
	return res.F
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

// rescale makes the second derivatives at the point about 1. Where there is no second derivative, the scale is the
// geometric mean of the others. Scales are powers of two, so numbers are scaled without rounding. Near kinks second
// derivatives say little: if the loss falls twice as far without scales, there are none.
func (d *descent) rescale() {
	h := d.hessian(d.s.Point)
	if h == nil {
		return
	}
	sum, n := 0.0, 0.0
	plain := slices.Repeat([]float64{1}, len(d.scale))
	d.scale = slices.Clone(plain)
	for i := range d.scale {
		if d.scale[i] = 1 / math.Sqrt(math.Abs(h.At(i, i))); !math.IsInf(d.scale[i], 0) {
			sum, n = sum+math.Log(d.scale[i]), n+1
		}
	}
	for i, x := range d.scale {
		if math.IsInf(x, 0) {
			x = math.Exp(sum / math.Max(n, 1))
		}
		d.scale[i] = math.Exp2(math.Round(math.Log2(x)))
	}
	d.at = nil
	if scale, loss := d.scale, d.loss; d.opt.Method != "newton-cg" && 2*(loss-d.trial(scale)) >= loss-d.trial(plain) {
		d.scale = scale
	}
}

// hessian returns the Hessian at a point; nil if it has too many numbers, or they are not known or not finite.
func (p *Problem) hessian(point []float64) *mat.SymDense {
	if p.Products == nil || len(point) > exact {
		return nil
	}
	h, err := p.Hessian(point)
	if err != nil {
		return nil // if it is a limit's, the next loss has it as well
	}
	for _, x := range h.RawSymmetric().Data {
		if math.IsNaN(x) || math.IsInf(x, 0) {
			return nil
		}
	}
	return h
}

// Hessian returns the Hessian at a point, by its products with unit vectors.
func (p *Problem) Hessian(point []float64) (*mat.SymDense, error) {
	n := len(point)
	units := make([]float64, n*n)
	for i := range n {
		units[i*n+i] = 1
	}
	rows, err := p.Products(point, units)
	if err != nil {
		return nil, err
	}
	h := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			h.SetSym(i, j, rows[i*n+j])
		}
	}
	return h, nil
}

// settle takes steps of Newton's method from where a search has ended, if the Hessian is known, and says what point
// that is.
func (d *descent) settle() error {
	for range 8 {
		if d.evaluate(d.of(d.s.Point)); d.failed != nil {
			return d.failed
		}
		h := d.hessian(d.s.Point)
		if h == nil {
			if g := length(d.gradient); g <= flat*d.start || g < flat {
				return level
			}
			return stuck
		}
		step, why := d.newton(h)
		if why != nil {
			return why
		}
		loss, gradient := d.loss, d.gradient
		u := floats.SubTo(make([]float64, len(step)), d.of(d.s.Point), step)
		if d.evaluate(u); d.failed == nil && d.loss <= loss && length(d.gradient) < length(gradient) {
			if err := d.reached(u, d.loss); err != nil {
				return err
			}
			continue
		}
		if d.evaluate(d.of(d.s.Point)); d.failed != nil {
			return d.failed
		}
		switch {
		case floats.Dot(step, gradient) > 1e-9*d.fall():
			return stuck
		case d.regular(h, step):
			return level
		}
		return degraded
	}
	return degraded
}

// fall is how much a change of the loss is compared with.
func (d *descent) fall() float64 {
	return math.Max(math.Abs(d.loss), math.Abs(d.s.Curve[0].Loss-d.loss))
}

// newton returns the step of Newton's method, by u. If the Hessian is not positive definite, the error says what
// point that is.
func (d *descent) newton(h *mat.SymDense) ([]float64, error) {
	n := len(d.scale)
	by := mat.NewSymDense(n, nil)
	for i := range n {
		for j := range i + 1 {
			by.SetSym(i, j, h.At(i, j)*d.scale[i]*d.scale[j])
		}
	}
	var eigen mat.EigenSym
	if !eigen.Factorize(by, true) {
		return nil, stuck
	}
	values := eigen.Values(nil)
	var vectors mat.Dense
	eigen.VectorsTo(&vectors)
	if largest := values[n-1]; values[0] > 1e-12*largest {
		var step mat.VecDense
		step.MulVec(vectors.T(), mat.NewVecDense(n, d.gradient))
		for i, x := range values {
			step.SetVec(i, step.AtVec(i)/x)
		}
		step.MulVec(&vectors, mat.VecDenseCopyOf(&step))
		return step.RawVector().Data, nil
	}
	switch direction := mat.Col(nil, 0, &vectors); {
	case length(d.gradient) > flat*d.start && length(d.gradient) > 1e-12:
		return nil, stuck
	case values[0] < -1e-9*math.Max(values[n-1], -values[0]):
		return nil, saddle
	case d.falls(direction, 0.1), d.falls(direction, -0.1):
		return nil, degraded
	}
	return nil, many
}

// falls reports whether the loss is less some way from the point along a direction.
func (d *descent) falls(direction []float64, way float64) bool {
	u := d.of(d.s.Point)
	loss, _, err := d.Loss(d.point(floats.AddScaledTo(u, u, way, direction)))
	d.at = nil
	return err == nil && loss < d.loss-1e-9*d.fall()
}

// regular reports whether the Hessian hardly changes on twice a step of Newton's method: at a point that the gradient
// and the Hessian approach together, as 0 of x³ or x⁴, the step goes a fixed part of the way, however close that is.
func (d *descent) regular(h *mat.SymDense, step []float64) bool {
	u := d.of(d.s.Point)
	there := d.hessian(d.point(floats.AddScaledTo(u, u, -2, step)))
	if there == nil {
		return false
	}
	for i := range step {
		if a, b := h.At(i, i), there.At(i, i); !(b > a/2 && b < 2*a) {
			return false
		}
	}
	return true
}

// newtonCG takes steps of Newton's method, whose equations the method of conjugate gradients solves by Hessian-vector
// products, the more exactly the smaller the gradient is: Nocedal and Wright, Numerical optimization, 2006, algorithm
// 7.1. A step is halved until the loss falls enough. It returns nil if the gradient is small, or no lower point was
// found.
func (d *descent) newtonCG(u []float64) error {
	for {
		g, before := slices.Clone(d.gradient), d.loss
		switch {
		case length(g) <= flat*flat*d.start:
			return nil
		case d.s.Iteration >= d.opt.Iterations:
			return enough
		}
		step, err := d.direction(u, g)
		if err != nil {
			return err
		}
		from := slices.Clone(u)
		for t, slope := 1.0, floats.Dot(g, step); ; t /= 2 {
			if floats.AddScaledTo(u, from, t, step); slices.Equal(u, from) {
				return nil
			}
			if d.evaluate(u); d.failed != nil {
				return d.failed
			}
			if d.loss <= before+1e-4*t*slope {
				break
			}
		}
		if err := d.reached(u, d.loss); err != nil {
			return err
		}
	}
}

// direction solves H·d = −g by conjugate gradients. It stops where the residue is small beside g, or the curvature is
// not positive.
func (d *descent) direction(u, g []float64) ([]float64, error) {
	sum, r := make([]float64, len(g)), slices.Clone(g)
	next := floats.ScaleTo(make([]float64, len(g)), -1, g)
	small := math.Min(0.01, math.Sqrt(length(g))) * length(g)
	for range 2 * len(g) {
		h, err := d.Products(d.point(u), d.point(next))
		if err != nil {
			return nil, err
		}
		h = floats.MulTo(make([]float64, len(h)), h, d.scale)
		curvature, rr := floats.Dot(next, h), floats.Dot(r, r)
		if !(curvature > 0) {
			break
		}
		for i := range sum {
			sum[i] += rr / curvature * next[i]
			r[i] += rr / curvature * h[i]
		}
		if length(r) < small {
			return sum, nil
		}
		by := floats.Dot(r, r) / rr
		for i := range next {
			next[i] = by*next[i] - r[i]
		}
	}
	if length(sum) == 0 {
		return next, nil // −g
	}
	return sum, nil
}
