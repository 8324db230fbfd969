package gram

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// HessianVector returns the derivative of a body of type R along v, and as Jacobian the product of its Hessian with v;
// of several vectors, one behind the other, the derivatives and products, by [Evaluator.Gradients].
func (e *Evaluator) HessianVector(ctx context.Context, point, v []float64) (*Result, error) {
	if err := e.ready(true, point); err != nil {
		return nil, err
	}
	n, count := len(point), 1
	if n > 0 && len(v) > 0 {
		count = len(v) / n
	}
	if len(v) != count*n {
		return nil, misuse("the vector has length %d, and the point %d", len(v), n)
	}
	if e.along == nil {
		e.meter.SetContext(ctx)
		p, err := e.p.derivative(e.meter)
		if err != nil {
			return nil, err
		}
		if e.along, err = p.NewGradient(ctx, e.opt); err != nil {
			e.along = nil
			return nil, err
		}
		if e.data != nil {
			e.along.data = maps.Clone(e.data)
			if err := e.along.start(); err != nil {
				return nil, err
			}
		}
	}
	e.alongPoint, e.alongLast = e.alongPoint[:0], true
	for i := range count {
		e.alongPoint = append(append(e.alongPoint, point...), v[i*n:(i+1)*n]...)
	}
	values, jacobians := make([]float64, count), make([]float64, count*2*n)
	if count > 1 {
		if err := e.along.Gradients(ctx, e.alongPoint, values, jacobians); err != nil {
			return nil, err
		}
	} else if res, err := e.along.Gradient(ctx, e.alongPoint); err != nil {
		return nil, err
	} else {
		values, jacobians = slices.Clone(res.Values), res.Jacobian
	}
	e.result.Values, e.result.Jacobian = values, e.result.Jacobian[:0]
	for i := range count {
		e.result.Jacobian = append(e.result.Jacobian, jacobians[2*i*n:(2*i+1)*n]...)
	}
	return &e.result, nil
}

// derivative returns the program that computes the derivative of p along a vector.
func (p *Program) derivative(meter *limits.Meter) (*Program, error) {
	if s := p.src.Shape; s == nil || s.Kind != load.Real {
		return nil, errorAt(p.src, p.src.BodyPos(), "no Hessian", "the body has type "+p.src.TypeText+"; a Hessian needs R")
	}
	along, _, err := p.along.get(p, meter, func() (*Program, error) {
		t, xs, vs, err := revgrad.Tangent(p.src.Written(), p.inputs, meter.During("compile"))
		if errors.Is(err, revgrad.ErrBounds) {
			if err := p.expand(meter, "compile"); err != nil {
				return nil, err
			}
			t, xs, vs, err = revgrad.Tangent(p.src.Term(), p.inputs, meter.During("compile"))
		}
		if err != nil {
			return nil, p.locate(err, "differentiating")
		}
		d := p.src.Derivative(t, xs, vs)
		return &Program{src: d, inputs: append(xs[:len(xs):len(xs)], vs...), opt: p.opt, terms: p.terms}, nil
	})
	return along, err
}

// Kinks returns where the derivative at the program's point is a choice, and how often. The Headline is a symbol, or
// "if".
func (p *Program) Kinks(ctx context.Context, opt EvalOptions) (map[Diagnostic]int, error) {
	m, err := p.open(p.meter(ctx), p.Point(), opt, nil)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	type kink struct {
		kind string
		pos  term.Pos
	}
	counts := map[kink]int{}
	for _, pos := range m.Ties() {
		counts[kink{"if", pos}]++
	}
	m.Operations(func(op machine.Operation) bool {
		x := make([]float64, len(op.Args))
		for i, a := range op.Args {
			x[i] = a.Value
		}
		if op.Symbol != term.NoSymbol && op.Symbol.Kink(x...) {
			counts[kink{op.Symbol.SourceName(), op.Pos}]++
		}
		return true
	})
	out := map[Diagnostic]int{}
	for k, n := range counts {
		d := Diagnostic{Headline: k.kind}
		d.Line, d.Column, d.Width = p.src.File.Place(p.src.Diagnostic(k.pos, k.kind, ""))
		out[d] += n
	}
	return out, nil
}
