package bench

import (
	"slices"

	"github.com/gram-machine/gram"
)

// Quantities of Hessian-vector products, along the vector of ones.
var (
	productSteps = quantity{StepsName, func(s *subject) float64 { return s.hessianVectors(1) }}
	hessianSteps = quantity{"steps of n products",
		func(s *subject) float64 { return s.hessianVectors(len(s.ScalarInputs())) }}
)

// hessianVectors is the steps of so many Hessian-vector products: they don't depend on the vector.
func (s *subject) hessianVectors(products int) float64 {
	e := must(s.NewGradient(s.ctx, gram.EvalOptions{}))
	defer func() { try(e.Close()) }()
	along := slices.Repeat([]float64{1}, len(s.ScalarInputs()))
	steps := uint64(0)
	for range products {
		must(e.HessianVector(s.ctx, s.Point(), along))
		steps += e.Cost().Steps.Total()
	}
	return float64(steps)
}

// claimHessian is claim 23.
func claimHessian() []Series {
	families := slices.DeleteFunc(append(groundFamilies(), HigherOrder()...),
		func(f Family) bool { return f.Name == TwoOutputs.Name })
	return slices.Concat(
		all(families, func(f Family) Series {
			s := series(f, Evidence, linear, mAndGraph, productSteps, gradientSteps)
			if f.Name == RandomProgram.Name { // its steps are not exactly linear
				return s
			}
			return s.called(f.Name, f.Quick)
		}),
		all([]Family{LeastSquares, LogSumExp}, func(f Family) Series {
			s := series(f, Evidence, quadratic, sizeN, hessianSteps, mAndGraph)
			return s.called(f.Name+": the Hessian", Sizes(10, 100))
		}))
}
