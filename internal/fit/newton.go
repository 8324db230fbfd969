package fit

import (
	"math"
	"slices"

	"gonum.org/v1/gonum/floats"
)

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
