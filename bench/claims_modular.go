package bench

import (
	"slices"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// claimPure is claim 15.
func claimPure() []Series {
	var out []Series
	steps, reversed := pureSteps("steps of t", (*subject).Term), pureSteps("steps of D(t)", (*subject).reversed)
	for _, f := range []Family{ChurchSums, ChurchProducts, PureFold, PureMap} {
		out = slices.Concat(out,
			series(Evidence, equal, termSize, pureSize, f).called("*: sizes"),
			series(Evidence, equal, steps, reversed, f).called("*: steps", f.Quick[:min(5, len(f.Quick))]))
	}
	return out
}

// pureSize is |D(t)| if that is t up to the names of bound variables, else 0.
var pureSize = quantity{"|D(t)|, in symbols", func(s *subject) float64 {
	d := s.reversed()
	if !term.AlphaEqual(s.Term(), d) {
		return 0
	}
	return float64(d.Size())
}}

// pureSteps is the number of steps that a term takes to its normal form, the leftmost redex first.
func pureSteps(name string, of func(*subject) *term.Term) quantity {
	return quantity{name, func(s *subject) float64 {
		return s.steps(reference.Convert(of(s), denote.Floats{}).ValueStart(nil, nil), reference.Leftmost)
	}}
}

// claimEditing is claim 16.
func claimEditing() []Series {
	const size = "|t u|, in symbols"
	of := func(e Edit, role Role, law Law, kept bool) curves {
		return points(role, law, size, "symbols of D(t u) that are made again", func(s *subject) Point {
			size, cost, _ := rebuilt(s, e, kept)
			return Point{X: size, Y: float64(cost.Cache.Rebuilt)}
		}, Edited)
	}
	timed := func(kept bool) curves {
		return points(Aside, atMostLinear, size, "time after the edit (ns)", func(s *subject) Point {
			size, _, took := rebuilt(s, EditArgument, kept)
			return Point{X: size, Y: float64(took.Nanoseconds())}
		}, Edited).timed()
	}
	return slices.Concat(
		of(EditArgument, Evidence, constant, true).called("rebuilt, with a cache"),
		of(EditInside, Evidence, atMostLinear, true).called("rebuilt after an edit inside t, with a cache"),
		of(EditArgument, Contrast, linear, false).without("the cache").called("rebuilt, without a cache"),
		of(EditInside, Contrast, linear, false).without("the cache").
			called("rebuilt after an edit inside t, without a cache"),
		timed(true).called("time with a cache"),
		timed(false).called("time without a cache"))
}

// cacheBytes is the size of a cache that holds all that a claim puts there.
const cacheBytes = 1 << 30

// rebuilt takes a gradient after an edit by the strategy modular, with a cache that has the program as it was before,
// or with an empty one. It returns |t u|, the cost, and the time with that of loading.
func rebuilt(s *subject, e Edit, kept bool) (size float64, cost *gram.Cost, took time.Duration) {
	cache := must(gram.NewCache(cacheBytes))
	defer cache.Close()
	gradient := func(edited bool) {
		start := time.Now()
		p := must(gram.Load(s.ctx, "an edit", []byte(e(s.size, edited)), gram.Options{Cache: cache}))
		cost = &must(p.Gradient(s.ctx, gram.EvalOptions{Strategy: gram.Modular})).Cost
		size, took = float64(bridge.Of(p).Term().Size()), time.Since(start)
	}
	if kept {
		gradient(false)
	}
	gradient(true)
	return size, cost, took
}

// claimHigherTypes is claim 19.
func claimHigherTypes() []Series {
	k := sizeN.named("k")
	return slices.Concat(
		series(Evidence, linear, k, reverseSize, Composed).called("D: size"),
		series(Evidence, linear, k, gradientSteps, Composed).called("D: steps of the gradient"),
		series(Evidence, linear, k, gradientSteps, ComposedSquares).called("D: steps of the gradient, f y = y·y"),
		series(Contrast, quadratic, k, derivativeSteps, Composed).without("pairs of value and dual").
			called("Ehrhard's D: steps of the derivative, f = sin", Sizes(50, 500), Sizes(50, 2000)),
		series(Contrast, exponential, k, derivativeSteps, ComposedSquares).
			without("pairs of value and dual, tangents not shared").
			called("Ehrhard's D: steps of the derivative, f y = y·y", doubling))
}

// derivativeNodes bounds the terms of derivatives by Ehrhard's D.
const derivativeNodes = 1 << 20

// derivativeSteps is the steps of the derivative of the program by Ehrhard's D at its point.
var derivativeSteps = quantity{StepsName, func(s *subject) float64 {
	inputs := s.ScalarInputs()
	return s.evaluate(must(Derivative(s.Term(), inputs[0], derivativeNodes, s.ctx.Err)), inputs, at(s.Point()))
}}

// claimCopies is claim 20.
func claimCopies() []Series {
	few, full := Sizes(1, 10), Sizes(1, 20)
	long, longer := Sizes(10, 10_000), Sizes(10, 100_000)
	return slices.Concat(
		series(Evidence, equal, sizeN, valueCopies, Network).called("L, by the literal machine"),
		series(Evidence, equal, sizeN, rewrittenCopies(false), Network).called("L, by the rewriter", few, full),
		series(Evidence, equal, sizeN, rewrittenCopies(true), Network).called("D(L), by the rewriter", few, full),
		series(Evidence, equal, sizeN, literalCopies, Network).called("D(L), by the literal machine", long, longer),
		series(Evidence, equal, sizeN, valueCopies, StateTwice).called("L with its state twice, by the literal machine"),
		series(Evidence, equal, sizeN, literalCopies, StateTwice).
			called("D(L) with the state twice, by the literal machine", long, longer),
		series(Contrast, linear, sizeN, copiesByName, Network).without("call by value").
			called("L, by name", Sizes(1, 1000)),
		series(Contrast, exponential, sizeN, copiesByName, StateTwice).without("call by value").
			called("L with its state twice, by name", doubling))
}

// copiesName is the number of steps by (3) at λs that are no duals.
const copiesName = "steps by (3) at λs"

// valueCopies are those of the program's value. No other values than numerals and λs are bound in the network.
var valueCopies = ofValue(copiesName, literally, func(c *gram.Cost) uint64 { return c.Steps[rule.Subst] })

// copiesByName are those of the program's value by name.
var copiesByName = quantity{copiesName, func(s *subject) float64 {
	counts := s.byName()
	return float64(counts[rule.Subst])
}}

// rewrittenCopies are those of a value or of a gradient that the rewriter reduces by the machine's strategy.
func rewrittenCopies(gradient bool) quantity {
	return quantity{copiesName, func(s *subject) (n float64) {
		start := s.valueStart(denote.Floats{})
		if gradient {
			start = s.gradientStart(denote.Floats{}).Named()
		}
		must(start.Run(reference.Machine(nil), rewriteLimit, func(r *reference.Redex, _ *reference.Term) error {
			if r.Rule == rule.Subst && r.V.Op == reference.Lambda && !r.V.X.Linear {
				n++
			}
			return s.ctx.Err()
		}))
		return n
	}}
}

// literalCopies are those of a gradient on the literal machine: the operand to which (3) has put a value holds a λ.
var literalCopies = quantity{copiesName, func(s *subject) (n float64) {
	prog := must(compile.NewGradient(s.reversed(), s.ScalarInputs(), 0, s.ctx.Err))
	var m *machine.Machine
	events := func(f *machine.Fired) error {
		if by, ok := f.Move.Rule(); !ok || by != rule.Subst {
			return nil
		}
		h := m.Heap()
		if at := h.Node(f.Result / 4); int(f.Result%4) < len(at.Operands) {
			if o := at.Operands[f.Result%4]; o.Tag == compile.Value {
				if v := h.Node(o.Ref); v.Kind == compile.Lam && !v.Dual {
					n++
				}
			}
		}
		return nil
	}
	s.run(prog, machine.Options{Events: events}, func(made *machine.Machine) error {
		m = made
		return m.Gradient(s.Point(), make([]float64, 1), make([]float64, len(s.Point())))
	})
	return n
}}
