package bench

import (
	"context"
	"errors"
	"math"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/graph"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// claimUnicity is claim 13.
func claimUnicity() Claim {
	equal := Law{Kind: Equal}
	sizes := family.Sizes(10, 2000)
	series := []Series{{Name: "exact values, strategies of the calculus", Role: Evidence, Law: equal, X: "values", Y: "values that agree",
		Quick: []int{1, 2, 4, 8}, Full: []int{1, 2, 4, 8, 16}, Measure: exactValues}}
	for _, f := range []family.Family{family.RandomProgram, family.Network, family.Continuations, family.Perceptron, family.RandomGraph} {
		series = append(series,
			Series{Name: f.Name + ": steps under a random schedule", Role: Evidence, Law: equal, X: "steps, the redex found last", Y: "steps, any redex",
				Quick: sizes, Full: family.Sizes(10, 20_000), Measure: on(f, schedules(true))},
			Series{Name: f.Name + ": gradients of the strategies", Role: Evidence, Law: equal, X: "numbers", Y: "numbers that agree to a relative 1e-9",
				Quick: []int{10, 100}, Full: []int{10, 100, 1000}, Measure: on(f, strategiesAgree)})
	}
	return Claim{
		Number: 13,
		Title:  "The result does not depend on the strategy",
		Source: "Corollary unicity_value, section 5.2",
		Family: "Random programs over exact rationals, by six strategies of the rewriter; gradients by direct, unfold and modular; random schedules.",
		Series: series,
		Meaning: "Over the rationals all strategies give one value. The machine's schedules take equal numbers of steps too. " +
			"With floating-point numbers the order of a sum shows in the last digits, so gradients are compared to nine.",
	}
}

// strategyLimit is how many steps a strategy may take; some copy work without bound.
const strategyLimit = 2000

// exactValues runs random programs over the rationals by six strategies, and counts the
// values that were reached, and those equal to what the machine's strategy gives.
func exactValues(ctx context.Context, n int) (Point, error) {
	var pt Point
	for seed := range uint64(n) {
		p, err := loadText(ctx, "random program", family.Rational(2, seed))
		if err != nil {
			return Point{}, err
		}
		var want []denote.Number
		rng := generator(int(seed))
		for i, by := range []reference.Strategy{reference.Machine(nil), reference.Machine(rng), reference.Leftmost, reference.Random(rng),
			reference.ByValue, reference.ByName, reference.ByNeed} {
			res, err := run(ctx, valueStart(p, denote.Rationals{}), by, strategyLimit)
			var limit *reference.LimitError
			var undefined *denote.UndefinedError
			if errors.As(err, &limit) || errors.As(err, &undefined) { // or a number grows too long
				continue
			}
			if err != nil {
				return Point{}, err
			}
			got, ok := reference.Numbers(res.Term)
			if i == 0 {
				want = got
				continue
			}
			pt.X++
			if ok && sameNumbers(want, got) {
				pt.Y++
			}
		}
	}
	return pt, nil
}

// sameNumbers reports whether two values are equal, exactly.
func sameNumbers(a, b []denote.Number) bool {
	if len(a) != len(b) {
		return false
	}
	m := denote.Model{Ground: denote.Rationals{}}
	for i := range a {
		if !m.Same(a[i], b[i]) {
			return false
		}
	}
	return true
}

// strategiesAgree is how many numbers the gradients by unfold and modular have, and how
// many of them agree with that by direct.
func strategiesAgree(ctx context.Context, p *gram.Program) (Point, error) {
	want, err := p.Gradient(ctx, literal)
	if err != nil {
		return Point{}, err
	}
	var pt Point
	for _, opt := range []gram.EvalOptions{{Strategy: gram.Unfold}, {Strategy: gram.Modular}, {Schedule: gram.Random, Seed: 1}} {
		got, err := p.Gradient(ctx, opt)
		if err != nil {
			return Point{}, err
		}
		for i, w := range want.Jacobian {
			pt.X++
			if math.Abs(got.Jacobian[i]-w) <= 1e-9*max(1, math.Abs(w)) {
				pt.Y++
			}
		}
	}
	return pt, nil
}

// claimModular is claim 14.
func claimModular() Claim {
	saved := func(name string, quick, full []int, shape func(int) (d, m, n int)) Series {
		return Series{Name: name, Role: Evidence, Law: linear, X: "(d + m)·m·n", Y: "steps saved", Quick: quick, Full: full,
			Measure: recurrent(shape, stepsOf(gram.Direct), stepsOf(gram.Modular))}
	}
	byLength := func(n int) (int, int, int) { return 4, 4, n }
	byWidth := func(w int) (int, int, int) { return w, w, 20 }
	byInput := func(d int) (int, int, int) { return d, 8, 50 }
	lengths, wide := family.Sizes(50, 5000), []int{8, 16, 24, 32, 48, 64}
	return Claim{
		Number: 14,
		Title:  "Normalising D(L) before it is copied saves Θ((d + m)·m·n) steps",
		Source: "section 6.2",
		Family: "The recurrent network: n vectors of R^d in, states of R^m, all of the state's sum as the value.",
		Series: []Series{
			saved("n grows, d = m = 4", lengths, family.Sizes(50, 50_000), byLength),
			saved("d = m grow, n = 20", wide, wide, byWidth),
			saved("d grows, m = 8, n = 50", wide, wide, byInput),
			{Name: "direct", Role: Contrast, Law: linear, X: "(d + m)·m·n", Y: "steps", Quick: lengths, Full: lengths,
				Measure: recurrent(byLength, stepsOf(gram.Direct), nil)},
			{Name: "modular", Role: Contrast, Law: linear, X: "(d + m)·m·n", Y: "steps", Quick: lengths, Full: lengths,
				Measure: recurrent(byLength, stepsOf(gram.Modular), nil)},
			{Name: "unfold", Role: Contrast, Law: linear, X: "(d + m)·m·n", Y: "steps", Quick: family.Sizes(10, 200), Full: family.Sizes(10, 2000),
				Measure: recurrent(byLength, stepsOf(gram.Unfold), nil)},
		},
		Meaning: "The saving grows with the weights and with the length of the input, as section 6.2 has it: D's own redexes in the layer are fired " +
			"once, and not for each element. What normalising costs is counted against it. Unfolding first pays for D(G) at each element.",
	}
}

// stepsOf is the number of steps of a gradient by the strategy, those taken before the
// program runs included.
func stepsOf(s gram.Strategy) func(context.Context, *gram.Program) (float64, error) {
	return func(ctx context.Context, p *gram.Program) (float64, error) {
		res, err := p.Gradient(ctx, gram.EvalOptions{Strategy: s})
		if err != nil {
			return 0, err
		}
		return float64(res.Cost.Steps.Total), nil
	}
}

// recurrent is (d + m)·m·n for a network, and a cost less another, if that is not nil.
func recurrent(shape func(int) (d, m, n int), cost, less func(context.Context, *gram.Program) (float64, error)) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, size int) (Point, error) {
		d, m, n := shape(size)
		p, err := loadText(ctx, "recurrent network", family.Recurrent(d, m, n))
		if err != nil {
			return Point{}, err
		}
		pt := Point{X: float64((d + m) * m * n)}
		if pt.Y, err = cost(ctx, p); err != nil || less == nil {
			return pt, err
		}
		y, err := less(ctx, p)
		pt.Y -= y
		return pt, err
	}
}

// claimPure is claim 15.
func claimPure() Claim {
	equal := Law{Kind: Equal}
	var series []Series
	for _, f := range []family.Family{family.ChurchSums, family.ChurchProducts} {
		few := f.Quick[:min(5, len(f.Quick))]
		series = append(series,
			Series{Name: f.Name + ": sizes", Role: Evidence, Law: equal, X: "|t|, in symbols", Y: "|D(t)|, in symbols", Quick: f.Quick, Full: f.Full, Measure: on(f, pureSize)},
			Series{Name: f.Name + ": steps", Role: Evidence, Law: equal, X: "steps of t", Y: "steps of D(t)", Quick: few, Full: few, Measure: on(f, pureSteps)})
	}
	return Claim{
		Number:  15,
		Title:   "On pure terms D is the identity",
		Source:  "section 7",
		Family:  "Sums and products of Church numerals written as λ-terms, reduced to normal form.",
		Series:  series,
		Meaning: "D(t) is t itself, up to the names of bound variables and to types, and normalises in the same number of steps.",
	}
}

// pureSize is |t|, and |D(t)| if that is t up to the names of bound variables, else 0.
func pureSize(ctx context.Context, p *gram.Program) (Point, error) {
	d, err := revgrad.Reverse(p.Term(), ctx.Err)
	if err != nil {
		return Point{}, err
	}
	pt := Point{X: float64(p.Term().Size())}
	if term.AlphaEqual(p.Term(), d) {
		pt.Y = float64(d.Size())
	}
	return pt, nil
}

// pureSteps is the number of steps by which t and D(t) come to their normal forms, the
// leftmost redex first.
func pureSteps(ctx context.Context, p *gram.Program) (Point, error) {
	d, err := revgrad.Reverse(p.Term(), ctx.Err)
	if err != nil {
		return Point{}, err
	}
	var steps [2]float64
	for i, t := range []*term.Term{p.Term(), d} {
		res, err := run(ctx, reference.Convert(t, denote.Floats{}).ValueStart(nil, nil), reference.Leftmost, rewriteLimit)
		if err != nil {
			return Point{}, err
		}
		steps[i] = float64(res.Counts.Total())
	}
	return Point{X: steps[0], Y: steps[1]}, nil
}

// claimEditing is claim 16.
func claimEditing() Claim {
	f := family.Edited
	return Claim{
		Number: 16,
		Title:  "D is modular: after an edit of u in t u, D(t) stands and u alone is transformed again",
		Source: "section 1",
		Family: "A function t of n lets, applied to a small u, which is edited.",
		Series: []Series{
			{Name: "transformed again", Role: Evidence, Law: Law{Kind: AtMost}, X: "|t u|, in symbols", Y: "symbols of D(t u) that are new", Quick: f.Quick, Full: f.Full, Measure: retransformed},
			{Name: "all of it", Role: Contrast, Law: linear, X: "|t u|, in symbols", Y: "symbols of D(t u)", Quick: f.Quick, Full: f.Full, Measure: on(f, reverseSize)},
			{Name: "rebuilt, with a cache", Role: Evidence, Law: Law{Kind: AtMost}, X: "|t u|, in symbols", Y: "symbols of D(t u) that are new", Quick: f.Quick, Full: f.Full, Measure: rebuilt(true)},
			{Name: "rebuilt, without a cache", Role: Contrast, Law: linear, X: "|t u|, in symbols", Y: "symbols of D(t u)", Quick: f.Quick, Full: f.Full, Measure: rebuilt(false)},
		},
		Meaning: "D(t u) = D(t) D(u), with nothing in D(t) that knows of u: of the transformed program the edited part is new, and " +
			"its size is that of the edit, however large the program is. The reuse cache (--no-cache is without) makes use of that: " +
			"the strategy modular finds the normal form of D(t) there, and makes that of D(u).",
	}
}

// rebuilt is |t u|, and the symbols of D(t u') that the strategy modular does not find in
// a cache which has t u; or in an empty one.
func rebuilt(kept bool) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, n int) (Point, error) {
		cache, err := gram.NewCache(cacheBytes)
		if err != nil {
			return Point{}, err
		}
		defer func() { cache.Close() }()
		var pt Point
		for _, text := range []string{family.Edited.Source(n), family.Edit(n)} {
			if !kept {
				cache.Close()
				if cache, err = gram.NewCache(cacheBytes); err != nil {
					return Point{}, err
				}
			}
			p, err := gram.Load(ctx, "an edit", []byte(text), gram.Options{Cache: cache})
			if err != nil {
				return Point{}, err
			}
			res, err := p.Gradient(ctx, gram.EvalOptions{Strategy: gram.Modular})
			if err != nil {
				return Point{}, err
			}
			pt = Point{X: float64(p.Term().Size()), Y: float64(res.Cost.Cache.Rebuilt)}
		}
		return pt, nil
	}
}

// cacheBytes is the size of a cache that holds all that a claim puts there.
const cacheBytes = 1 << 28

// retransformed is |t u|, and how many symbols of D(t u') are new after an edit of u to u': those
// of D(u'), if D(t) is what it was, else all.
func retransformed(ctx context.Context, n int) (Point, error) {
	var size, whole, argument float64
	var functions [2]*term.Term
	for i, text := range []string{family.Edited.Source(n), family.Edit(n)} {
		p, err := loadText(ctx, "an edit", text)
		if err != nil {
			return Point{}, err
		}
		d, err := revgrad.Reverse(p.Term(), ctx.Err)
		if err != nil {
			return Point{}, err
		}
		root := &d.Nodes[d.Root]
		if root.Op != term.AppOp {
			return Point{}, errors.New("bench: an edited program is no application")
		}
		functions[i] = subterm(d, root.A)
		size, whole, argument = float64(p.Term().Size()), float64(d.Size()), float64(subterm(d, root.B).Size())
	}
	pt := Point{X: size, Y: argument}
	if !term.AlphaEqual(functions[0], functions[1]) {
		pt.Y = whole
	}
	return pt, nil
}

// subterm is the subterm at r.
func subterm(t *term.Term, r term.Ref) *term.Term {
	u := *t
	u.Root = r
	return &u
}

// claimHigherTypes is claim 19.
func claimHigherTypes() Claim {
	square := Law{Kind: Power, Power: 2}
	c, d := family.Composed, family.ChainRule
	return Claim{
		Number: 19,
		Title:  "The chain rule of Ehrhard's D duplicates u in t(u x), the reverse transformation does not",
		Source: "section 7, on higher-type derivatives",
		Family: "k functions t' = f ∘ t, composed one by one: D of this paper, and Ehrhard's D by its equation.",
		Series: []Series{
			{Name: "D: size", Role: Evidence, Law: linear, X: "k", Y: "|D(t)|, in symbols", Quick: c.Quick, Full: c.Full, Measure: against(on(c, reverseSize))},
			{Name: "D: steps of the gradient", Role: Evidence, Law: linear, X: "k", Y: "steps", Quick: c.Quick, Full: c.Full, Measure: against(on(c, gradientSteps))},
			{Name: "Ehrhard's D: steps of the derivative", Role: Contrast, Law: square, X: "k", Y: "steps", Quick: d.Quick, Full: d.Full, Measure: against(on(d, derivativeSteps))},
		},
		Meaning: "By the chain rule each level evaluates the inner functions for their value and again within their derivative. " +
			"In a chain of compositions that is quadratic by value; D keeps values and duals together and stays linear.",
	}
}

// derivativeSteps is |t|, and the steps of its value.
func derivativeSteps(ctx context.Context, p *gram.Program) (Point, error) {
	res, err := p.Value(ctx, literal)
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(res.Cost.Size.Term), Y: float64(res.Cost.Steps.Total)}, nil
}

// claimCopies is claim 20.
func claimCopies() Claim {
	equal := Law{Kind: Equal}
	f := family.Network
	return Claim{
		Number: 20,
		Title:  "The layer L and its reverse image D(L) are copied n times",
		Source: "section 6.2",
		Family: "The recurrent network over a list of n numbers.",
		Series: []Series{
			{Name: "L, by the machine", Role: Evidence, Law: equal, X: "n", Y: "steps by (3) at λs", Quick: f.Quick, Full: f.Full, Measure: on2(f, copiesOfValue)},
			{Name: "L, by the rewriter", Role: Evidence, Law: equal, X: "n", Y: "steps by (3) at λs", Quick: family.Sizes(1, 10), Full: family.Sizes(1, 20), Measure: on2(f, copies(false))},
			{Name: "D(L), by the rewriter", Role: Evidence, Law: equal, X: "n", Y: "steps by (3) at λs", Quick: family.Sizes(1, 10), Full: family.Sizes(1, 20), Measure: on2(f, copies(true))},
		},
		Meaning: "Each element of the list takes one copy of the layer, of its source and of its reverse image alike.",
	}
}

// copiesOfValue is n, and the steps by (3) at λs of the program's value. No other
// values than numerals and λs are bound in the network.
func copiesOfValue(ctx context.Context, p *gram.Program, n int) (Point, error) {
	res, err := p.Value(ctx, gram.EvalOptions{})
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(n), Y: float64(res.Cost.Steps.Subst)}, nil
}

// copies is n, and the steps by (3) at λs that are no duals, of a value or of a gradient
// that the rewriter reduces by the machine's strategy.
func copies(gradient bool) func(context.Context, *gram.Program, int) (Point, error) {
	return func(ctx context.Context, p *gram.Program, n int) (Point, error) {
		s := valueStart(p, denote.Floats{})
		if gradient {
			d, err := revgrad.Reverse(p.Term(), ctx.Err)
			if err != nil {
				return Point{}, err
			}
			s = reference.Convert(d, denote.Floats{}).GradientStart(p.ScalarInputs(), p.Point(), 0).Named()
		}
		pt := Point{X: float64(n)}
		_, err := s.Run(reference.Machine(nil), rewriteLimit, func(r *reference.Redex, _ *reference.Term) error {
			if r.Rule == graph.Subst && r.V.Op == reference.Lambda && !r.V.X.Linear {
				pt.Y++
			}
			return ctx.Err()
		})
		return pt, err
	}
}
