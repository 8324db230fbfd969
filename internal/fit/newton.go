package fit

import (
	"cmp"
	"math"
	"slices"
)

// newtonCG takes steps of Newton's method, whose equations the method of conjugate gradients solves by Hessian-vector products, the more
// exactly the smaller the gradient is: Nocedal and Wright, Numerical optimization, 2006, algorithm 7.1. A step is halved until the
// loss falls enough.
func (p *Problem) newtonCG(opt Options, s *State) error {
	loss, gradient, err := p.Loss(s.Point)
	if err != nil {
		return err
	}
	if err := p.sample(s, loss); err != nil {
		return err
	}
	for {
		g := slices.Clone(gradient)
		switch {
		case length(g) < flat:
			return level
		case s.Iteration >= opt.Iterations:
			return enough
		}
		step, err := p.direction(s.Point, g)
		if err != nil {
			return err
		}
		slope, before, from := dot(g, step), loss, slices.Clone(s.Point)
		for t := 1.0; ; t /= 2 {
			for i := range from {
				s.Point[i] = from[i] + t*step[i]
			}
			if slices.Equal(s.Point, from) {
				return level
			}
			if loss, gradient, err = p.Loss(s.Point); err != nil {
				return err
			}
			if loss <= before+1e-4*t*slope {
				break
			}
		}
		s.Iteration++
		if err := cmp.Or(p.sample(s, loss), p.patient(s), p.Report(s)); err != nil {
			return err
		}
	}
}

// direction solves H·d = −g by conjugate gradients. It stops where the residue is small beside g, or the curvature is not positive.
func (p *Problem) direction(x, g []float64) ([]float64, error) {
	d, r := make([]float64, len(g)), slices.Clone(g)
	next := make([]float64, len(g))
	for i := range g {
		next[i] = -g[i]
	}
	small := math.Min(0.01, math.Sqrt(length(g))) * length(g)
	for range 2 * len(g) {
		h, err := p.Product(x, next)
		if err != nil {
			return nil, err
		}
		curvature, rr := dot(next, h), dot(r, r)
		if !(curvature > 0) {
			break
		}
		for i := range d {
			d[i] += rr / curvature * next[i]
			r[i] += rr / curvature * h[i]
		}
		if length(r) < small {
			return d, nil
		}
		by := dot(r, r) / rr
		for i := range next {
			next[i] = by*next[i] - r[i]
		}
	}
	if dot(d, d) == 0 {
		return next, nil // −g
	}
	return d, nil
}

func dot(u, v []float64) (sum float64) {
	for i := range u {
		sum += u[i] * v[i]
	}
	return sum
}
