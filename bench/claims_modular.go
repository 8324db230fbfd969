package bench

import (
	"context"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/ablation"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/compile/literal"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// claimPure is claim 15.
func claimPure() Claim {
	equal := Law{Kind: Equal}
	var out []Series
	for _, f := range []family.Family{family.ChurchSums, family.ChurchProducts, family.PureFold, family.PureMap} {
		few := f.Quick[:min(5, len(f.Quick))]
		out = append(out,
			series(f, Evidence, equal, termSize, pureSize).called(f.Name+": sizes"),
			series(f, Evidence, equal, pureSteps("steps of t", false), pureSteps("steps of D(t)", true)).called(f.Name+": steps", few))
	}
	return Claim{
		Number:  15,
		Title:   "On pure terms D is the identity",
		Source:  "section 7",
		Family:  "Sums and products of Church numerals written as λ-terms, and folds and maps over lists of variables, reduced to normal form.",
		Series:  out,
		Meaning: "D(t) is t itself, up to the names of bound variables and to types, and normalises in the same number of steps.",
	}
}

// pureSize is |D(t)| if that is t up to the names of bound variables, else 0.
var pureSize = quantity{"|D(t)|, in symbols", func(ctx context.Context, s *subject) (float64, error) {
	d, err := reversed(ctx, s)
	if err != nil || !term.AlphaEqual(s.Term(), d) {
		return 0, err
	}
	return float64(d.Size()), nil
}}

// pureSteps is the number of steps by which t or D(t) comes to its normal form, the leftmost redex first.
func pureSteps(name string, reverse bool) quantity {
	return quantity{name, func(ctx context.Context, s *subject) (float64, error) {
		t := s.Term()
		if reverse {
			var err error
			if t, err = reversed(ctx, s); err != nil {
				return 0, err
			}
		}
		res, err := run(ctx, reference.Convert(t, denote.Floats{}).ValueStart(nil, nil), reference.Leftmost, rewriteLimit)
		if err != nil {
			return 0, err
		}
		return float64(res.Counts.Total()), nil
	}}
}

// claimEditing is claim 16.
func claimEditing() Claim {
	sizes := family.Edited
	of := func(name string, e family.Edit, role Role, law Law, kept bool) Series {
		return Series{Name: name, Role: role, Law: law, X: "|t u|, in symbols", Y: "symbols of D(t u) that are made again",
			Quick: sizes.Quick, Full: sizes.Full, Measure: rebuilt(e, kept, func(_ time.Duration, c *gram.Cost) float64 { return float64(c.Cache.Rebuilt) })}
	}
	timed := func(name string, e family.Edit, kept bool) Series {
		s := of(name, e, Aside, Law{Kind: AtMost, Power: 1}, kept)
		s.Y, s.Timed = "time after the edit (ns)", true
		s.Measure = rebuilt(e, kept, func(took time.Duration, _ *gram.Cost) float64 { return float64(took.Nanoseconds()) })
		return s
	}
	return Claim{
		Number: 16,
		Title:  "D is modular: after an edit of u in t u, D(t) stands and u alone is transformed again",
		Source: "section 1",
		Family: "A function t of n lets, applied to a small u, which is edited; and a t of n functions, of which the one in the middle is edited.",
		Series: []Series{
			of("rebuilt, with a cache", family.EditArgument, Evidence, Law{Kind: AtMost}, true),
			of("rebuilt after an edit inside t, with a cache", family.EditInside, Evidence, Law{Kind: AtMost, Power: 1}, true),
			of("rebuilt, without a cache", family.EditArgument, Contrast, linear, false).without("the cache"),
			of("rebuilt after an edit inside t, without a cache", family.EditInside, Contrast, linear, false).without("the cache"),
			timed("time with a cache", family.EditArgument, true),
			timed("time without a cache", family.EditArgument, false),
		},
		Meaning: "D(t u) = D(t) D(u), with nothing in D(t) that knows of u. The reuse cache (--no-cache is without) makes use of that: after the edit " +
			"the strategy modular finds the normal forms of closed λs that have not changed there, and makes the others. " +
			"Where t itself is edited, the code that calls its functions is transformed again: as many symbols as there are calls, which is less than all, but linear. " +
			"The time includes reading the program and typing it, which are linear.",
	}
}

// cacheBytes is the size of a cache that holds all that a claim puts there.
const cacheBytes = 1 << 28

// rebuilt is |t u|, and a quantity of a gradient after an edit by the strategy modular, with a cache that has the
// program as it was before, or with an empty one.
func rebuilt(e family.Edit, kept bool, of func(time.Duration, *gram.Cost) float64) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, n int) (Point, error) {
		cache, err := gram.NewCache(cacheBytes)
		if err != nil {
			return Point{}, err
		}
		defer cache.Close()
		texts := []string{e(n, true)}
		if kept {
			texts = []string{e(n, false), e(n, true)}
		}
		var pt Point
		for _, text := range texts {
			start := time.Now()
			p, err := gram.Load(ctx, "an edit", []byte(text), gram.Options{Cache: cache})
			if err != nil {
				return Point{}, err
			}
			res, err := p.Gradient(ctx, gram.EvalOptions{Strategy: gram.Modular})
			if err != nil {
				return Point{}, err
			}
			pt = Point{X: float64(p.Term().Size()), Y: of(time.Since(start), &res.Cost)}
		}
		return pt, nil
	}
}

// claimHigherTypes is claim 19.
func claimHigherTypes() Claim {
	c, twice := family.Composed, family.ComposedSquares
	k := quantity{"k", sizeN.of}
	return Claim{
		Number: 19,
		Title:  "The chain rule of Ehrhard's D duplicates u in t(u x), the reverse transformation does not",
		Source: "section 7, on higher-type derivatives",
		Family: "k functions t' = f ∘ t, composed one by one, with f = sin and with f y = y·y: D of this paper, and Ehrhard's D by its equations.",
		Series: []Series{
			series(c, Evidence, linear, k, reverseSize).called("D: size"),
			series(c, Evidence, linear, k, gradientSteps).called("D: steps of the gradient"),
			series(twice, Evidence, linear, k, gradientSteps).called("D: steps of the gradient, f y = y·y"),
			series(c, Contrast, Law{Kind: Power, Power: 2}, k, derivativeSteps).without("pairs of value and dual").
				called("Ehrhard's D: steps of the derivative, f = sin", family.Sizes(50, 500), family.Sizes(50, 2000)),
			series(twice, Contrast, Law{Kind: Exponential}, k, derivativeSteps).without("pairs of value and dual, tangents not shared").
				called("Ehrhard's D: steps of the derivative, f y = y·y", doubling),
		},
		Meaning: "By the chain rule, u is there twice: for its value and within its derivative. In a chain of compositions that is quadratic " +
			"by value, for only one of the two copies of u is duplicated again. That is the duplication of which the paper speaks. The exponential series has another cause besides: where f " +
			"uses its argument twice, linear substitution puts the tangent of u in both summands of the product rule, unshared, and that is 2ᵏ. D keeps values " +
			"and duals together and stays linear.",
	}
}

// derivativeNodes bounds the terms of derivatives by Ehrhard's D.
const derivativeNodes = 1 << 20

// derivativeSteps is the steps of the derivative of the program by Ehrhard's D at its point.
var derivativeSteps = quantity{StepsName, func(ctx context.Context, s *subject) (float64, error) {
	d, err := ablation.Derivative(s.Term(), s.ScalarInputs()[0], derivativeNodes, ctx.Err)
	if err != nil {
		return 0, err
	}
	stats, err := evaluate(ctx, d, s.ScalarInputs(), s.Point())
	return float64(stats.Counts.Total()), err
}}

// claimCopies is claim 20.
func claimCopies() Claim {
	equal := Law{Kind: Equal}
	f, twice := family.Network, family.StateTwice
	few, full := family.Sizes(1, 10), family.Sizes(1, 20)
	long := family.Sizes(10, 10_000)
	return Claim{
		Number: 20,
		Title:  "The layer L and its reverse image D(L) are copied n times",
		Source: "section 6.2",
		Family: "The recurrent network over a list of n numbers, and one whose cell uses its state twice.",
		Series: []Series{
			series(f, Evidence, equal, sizeN, valueCopies).called("L, by the engine"),
			series(f, Evidence, equal, sizeN, rewrittenCopies(false)).called("L, by the rewriter", few, full),
			series(f, Evidence, equal, sizeN, rewrittenCopies(true)).called("D(L), by the rewriter", few, full),
			series(f, Evidence, equal, sizeN, literalCopies).called("D(L), by the literal machine", long, family.Sizes(10, 100_000)),
			series(twice, Evidence, equal, sizeN, valueCopies).called("L with its state twice, by the engine"),
			series(twice, Evidence, equal, sizeN, literalCopies).called("D(L) with the state twice, by the literal machine", long, family.Sizes(10, 100_000)),
			series(f, Contrast, linear, sizeN, copiesByName).without("call by value").called("L, by name", family.Sizes(1, 1000)),
			series(twice, Contrast, Law{Kind: Exponential}, sizeN, copiesByName).without("call by value").called("L with its state twice, by name", doubling),
		},
		Meaning: "Each element of the list takes one copy of the layer, of its source and of its reverse image alike. Call by name, the contrast, " +
			"evaluates an argument again at each use: where the layer uses its state once that changes nothing, where it does so twice there are 2ⁿ − 1 copies.",
	}
}

// copiesName is the number of steps by (3) at λs that are no duals.
const copiesName = "steps by (3) at λs"

// valueCopies are those of the program's value. No other values than numerals and λs are bound in the network.
var valueCopies = ofValue(copiesName, gram.EvalOptions{}, func(c *gram.Cost) uint64 { return c.Steps[rule.Subst] })

// copiesByName are those of the program's value by name.
var copiesByName = quantity{copiesName, func(ctx context.Context, s *subject) (float64, error) {
	_, counts, err := ablation.ByName(valueStart(s.Program, denote.Floats{}), rewriteLimit, ctx.Err)
	return float64(counts[rule.Subst]), err
}}

// rewrittenCopies are those of a value or of a gradient that the rewriter reduces by the machine's strategy.
func rewrittenCopies(gradient bool) quantity {
	return quantity{copiesName, func(ctx context.Context, s *subject) (float64, error) {
		start := valueStart(s.Program, denote.Floats{})
		if gradient {
			var err error
			if start, err = gradientStart(ctx, s.Program, denote.Floats{}); err != nil {
				return 0, err
			}
			start = start.Named()
		}
		n := 0.0
		_, err := start.Run(reference.Machine(nil), rewriteLimit, func(r *reference.Redex, _ *reference.Term) error {
			if r.Rule == rule.Subst && r.V.Op == reference.Lambda && !r.V.X.Linear {
				n++
			}
			return ctx.Err()
		})
		return n, err
	}}
}

// literalCopies are those of a gradient on the literal machine: the operand to which (3) has put a value holds a λ.
var literalCopies = quantity{copiesName, func(ctx context.Context, s *subject) (float64, error) {
	d, err := reversed(ctx, s)
	if err != nil {
		return 0, err
	}
	prog, err := literal.NewGradient(d, s.ScalarInputs(), 0, ctx.Err)
	if err != nil {
		return 0, err
	}
	n := 0.0
	var m *machine.Machine
	m, err = machine.New(prog, machine.Options{Limits: limits.Bounds{Look: ctx.Err}, Events: func(f *machine.Fired) error {
		if by, ok := f.Move.Rule(); !ok || by != rule.Subst {
			return nil
		}
		h := m.Heap()
		if at := h.Node(f.Result / 4); int(f.Result%4) < len(at.Operands) {
			if o := at.Operands[f.Result%4]; o.Tag == machine.Value {
				if v := h.Node(o.Ref); v.Kind == literal.Lam && !v.Dual {
					n++
				}
			}
		}
		return nil
	}})
	if err != nil {
		return 0, err
	}
	defer m.Close()
	err = m.Gradient(s.Point(), make([]float64, 1), make([]float64, len(s.Point())))
	return n, err
}}
