package bench

import (
	"bytes"
	"context"
	"slices"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
)

// programs are the families that have a gradient, adversarial ones too.
func programs() []family.Family {
	return append(append(family.Ground(), family.HigherOrder()...), family.Adversarial()...)
}

// claimTheorem is claim 10.
func claimTheorem() Claim {
	bound := func(f family.Family) func(context.Context, int) (Point, error) { return on(f, theorem) }
	c := family.Untaken
	few, most := []int{2, 3, 4, 5, 6, 7, 8}, []int{2, 3, 4, 5, 6, 7, 8, 9, 10}
	return Claim{
		Number: 10,
		Title:  "The gradient of t costs O(m + |G|), where t comes to its graph G in m steps",
		Source: "Theorem 1 and Corollary gradient, section 5.2",
		Family: "All families: graphs, the programs of sections 6.1 and 6.2, functions, folds, a perceptron, random programs, and adversarial ones.",
		Series: slices.Concat(seriesOf(append(programs(), family.Church), Evidence, linear, "m + |G|", "steps + overhead", bound), []Series{
			{Name: c.Name + ": steps", Role: Evidence, Law: linear, X: "m + |G|", Y: "steps", Quick: c.Quick, Full: c.Full, Measure: on(c, theoremSteps)},
			{Name: c.Name + ": with overhead", Role: Contrast, Law: Law{Kind: AtMost, Power: 2}, X: "m + |G|", Y: "steps + overhead", Quick: c.Quick, Full: c.Full, Measure: on(c, theorem)},
			{Name: "squares: steps, by the rewriter", Role: Contrast, Law: linear, X: "m + |G|", Y: "steps", Quick: few, Full: most, Measure: on(family.Squares, rewriterSteps(true, reference.Machine(nil)))},
			{Name: "squares: D's pairs copied whole, λs last", Role: Contrast, Law: linear, X: "m + |G|", Y: "steps", Quick: few, Full: most, Measure: on(family.Squares, rewriterSteps(false, reference.Machine(nil)))},
			{Name: "squares: D's pairs copied whole, by value", Role: Contrast, Without: "names of dual λs, by value", Law: Law{Kind: Exponential}, X: "m + |G|", Y: "steps", Quick: few, Full: most, Measure: on(family.Squares, rewriterSteps(false, reference.ByValue))},
		}, substituteFirst()),
		Correction: "≡ is taken without (dup), by which terms would be shared for nothing; the bound is one of a strategy: names of duals are " +
			"copied, not their λs, and a λ is substituted for a dual variable last; and the overhead's constant is the program's, for λs and " +
			"branches capture what they mention, called and taken or not.",
		Meaning: "Steps by every rule and all work that is no step (instructions copied, search, read-back) are counted, without blocks. " +
			"Each family has a constant of its own; the largest ratio and the fit over all families on m and |G| together bound them all. " +
			"One contrast is a loop with a branch that is never taken and mentions n variables: no step sees it, but each iteration captures them, " +
			"which is quadratic in m + |G|. Another puts λs of duals in place of their variables before (11) has joined those: each is then " +
			"copied for each path to it. If D's pairs are copied whole with the λs that their duals have become, z·z, n times, takes 12·2ⁿ steps; " +
			"where λs come last it takes a quarter more than with names.",
	}
}

// theoremSteps is m + |G|, and the steps of a gradient.
func theoremSteps(ctx context.Context, p *gram.Program) (Point, error) {
	pt, err := theorem(ctx, p)
	return Point{X: pt.X, Y: pt.More[StepsName]}, err
}

// rewriterSteps is m + |G|, and the steps of a gradient by a strategy of the rewriter: with dual λs named,
// or with D's pairs copied whole.
func rewriterSteps(named bool, by reference.Strategy) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		b, err := p.Bound(ctx, gram.EvalOptions{})
		if err != nil {
			return Point{}, err
		}
		d, err := revgrad.Reverse(p.Term(), ctx.Err)
		if err != nil {
			return Point{}, err
		}
		s := reference.Convert(d, denote.Floats{}).GradientStart(p.ScalarInputs(), p.Point(), 0)
		if named {
			s = s.Named()
		}
		res, err := run(ctx, s, by, rewriteLimit)
		if err != nil {
			return Point{}, err
		}
		return Point{X: float64(b.M + b.Graph), Y: float64(res.Counts.Total())}, nil
	}
}

// claimParameter is claim 11.
func claimParameter() Claim {
	counts := []int{2, 4, 6, 8, 10, 12, 14}
	more := append(counts[:len(counts):len(counts)], 16, 18)
	return Claim{
		Number: 11,
		Title:  "What the gradient costs is a matter of m, not of |t|",
		Source: "the remarks on Theorem 1, section 5.2",
		Family: "The Church numeral n applied to the numeral 2, and that to a function: 2ⁿ of its applications.",
		Series: []Series{
			{Name: "m", Role: Evidence, Law: Law{Kind: Exponential}, X: "n", Y: "m", Quick: counts, Full: more, Measure: on2(family.Church, sourceSteps)},
			{Name: "the gradient", Role: Evidence, Law: linear, X: "m + |G|", Y: "steps + overhead", Quick: counts, Full: more, Measure: on(family.Church, theorem)},
			{Name: "the size of the program", Role: Contrast, Law: linear, X: "n", Y: "|t|, in symbols", Quick: counts, Full: more, Measure: on2(family.Church, sizeOf)},
		},
		Meaning: "The program grows by a constant for each n and the graph doubles. Gradient and m grow together; no function of " +
			"|t| bounds either.",
	}
}

// on2 is on for measurements that need the size.
func on2(fam family.Family, f func(ctx context.Context, p *gram.Program, size int) (Point, error)) func(context.Context, int) (Point, error) {
	return func(ctx context.Context, size int) (Point, error) {
		return on(fam, func(ctx context.Context, p *gram.Program) (Point, error) { return f(ctx, p, size) })(ctx, size)
	}
}

// sourceSteps is n and m.
func sourceSteps(ctx context.Context, p *gram.Program, n int) (Point, error) {
	b, err := p.Bound(ctx, gram.EvalOptions{})
	return Point{X: float64(n), Y: float64(b.M)}, err
}

// sizeOf is n and |t|.
func sizeOf(_ context.Context, p *gram.Program, n int) (Point, error) {
	return Point{X: float64(n), Y: float64(p.Term().Size())}, nil
}

// claimReadback is claim 12.
func claimReadback() Claim {
	square := Law{Kind: Power, Power: 2}
	quick, full := family.Sizes(5, 200), family.Sizes(5, 1000)
	few := family.Sizes(2, 20)
	var series []Series
	for _, f := range []family.Family{family.SumRight, family.LogSumExp} {
		series = append(series,
			Series{Name: f.Name + ": injections", Role: Evidence, Without: "a tagged sum", Law: square, X: "n", Y: "sums of tuples and of numbers, numbers read",
				Quick: quick, Full: full, Measure: on2(f, injected)},
			Series{Name: f.Name + ": ad hoc", Role: Evidence, Law: linear, X: "n", Y: "sums of tuples and of numbers, numbers read",
				Quick: f.Quick, Full: f.Full, Measure: on2(f, adHoc)},
			Series{Name: f.Name + ": injections, by the rewriter", Role: Evidence, Law: Law{Kind: Equal}, X: "(n − 1)·(2n − 1)", Y: "steps by (6) and (7) beyond those of a tagged sum",
				Quick: few, Full: family.Sizes(2, 50), Measure: on2(f, rewritten)})
	}
	return Claim{
		Number: 12,
		Title:  "Reading the gradient back by injections takes Θ(n²), by an ad hoc read-back O(n)",
		Source: "after Corollary gradient, section 5.2",
		Family: "A sum of n inputs, and log-sum-exp: D(t) with the injection λa.⟨0,…,a,…,0⟩ for each input, and with a tagged sum.",
		Series: series,
		Meaning: "By injections each input contributes an n-tuple, and (7) adds n of them component by component. A tagged sum has one summand " +
			"for each input, and its read-back visits each once: this is what the machine does.",
	}
}

// injected is n, and what it takes to add n-tuples and to read one: D(t) as a program
// whose inputs carry injections.
func injected(ctx context.Context, p *gram.Program, n int) (Point, error) {
	d, err := revgrad.Reverse(p.Term(), nil)
	if err != nil {
		return Point{}, err
	}
	var text bytes.Buffer
	st := stage.Stage{Kind: stage.Reverse, Source: p.Source(), Term: d, Inputs: p.ScalarInputs()}
	if err := st.Write(&text, nil, nil); err != nil {
		return Point{}, err
	}
	q, err := loadText(ctx, "injections", family.Injected(text.String()))
	if err != nil {
		return Point{}, err
	}
	res, err := q.Value(ctx, literal)
	if err != nil {
		return Point{}, err
	}
	s := &res.Cost.Steps
	return Point{X: float64(n), Y: float64(s[rule.Plus] + s[rule.PlusPair] + res.Cost.Overhead.Readback)}, nil
}

// adHoc is n, and the sums and numbers read of a gradient.
func adHoc(ctx context.Context, p *gram.Program, n int) (Point, error) {
	res, err := p.Gradient(ctx, literal)
	if err != nil {
		return Point{}, err
	}
	s := &res.Cost.Steps
	return Point{X: float64(n), Y: float64(s[rule.Plus] + s[rule.PlusPair] + res.Cost.Overhead.Readback)}, nil
}

// rewritten is what the injections of n inputs that all contribute add by Corollary
// gradient's remark, n − 1 times n − 1 steps by (7) and n by (6), and what they do add.
func rewritten(ctx context.Context, p *gram.Program, n int) (Point, error) {
	d, err := revgrad.Reverse(p.Term(), ctx.Err)
	if err != nil {
		return Point{}, err
	}
	tagged := reference.Convert(d, denote.Floats{}).GradientStart(p.ScalarInputs(), p.Point(), 0)
	pt := Point{X: float64((n - 1) * (2*n - 1))}
	for i, s := range []*reference.Start{tagged.Named(), tagged.Injections().Named()} {
		res, err := run(ctx, s, reference.Machine(nil), rewriteLimit)
		if err != nil {
			return Point{}, err
		}
		steps := float64(res.Counts[rule.Plus] + res.Counts[rule.PlusPair])
		pt.Y += float64(2*i-1) * steps
	}
	return pt, nil
}
