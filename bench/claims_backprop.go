package bench

import (
	"context"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// groundFamilies are the families of computational graphs with one output, adversarial
// ones too.
func groundFamilies() []family.Family {
	out := family.Ground()
	for _, f := range family.Adversarial() {
		if f.Ground && f.Name != family.TwoOutputs.Name {
			out = append(out, f)
		}
	}
	return out
}

// claimBackpropSteps is claim 7.
func claimBackpropSteps() Claim {
	steps := func(f family.Family) func(context.Context, int) (Point, error) { return on(f, backpropSteps) }
	return Claim{
		Number:     7,
		Title:      "bp(G) at a point evaluates in O(|G|) steps",
		Source:     "Proposition backprop_sound, section 5.1",
		Family:     "The graphs of claim 4 and the adversarial ones: bp(G) as a program of the inputs and of a = 1.",
		Series:     append(seriesOf(groundFamilies(), Evidence, linear, "|G|", "steps", steps), ablatedSeries("|G|", "steps", ablatedSteps)...),
		Correction: "The rules of the proposition are (3) at numerals, (4), (6), (8) and also (12), which symbols need.",
		Meaning: "bp(G) is again a computational graph, as large as G up to a constant, and evaluates as claim 1 has it. The tuple of the " +
			"gradient is read, not added up. The contrasts evaluate bp(G) with plain + for ⊕, which adds zeros, and with dense tuples, which are " +
			"added by (7) and (6) at each sum and each let: O(n·|G|), quadratic where n grows with |G|.",
	}
}

// backpropSteps is |G|, and the steps of bp(G) at the program's point.
func backpropSteps(ctx context.Context, p *gram.Program) (Point, error) {
	bp, a, err := revgrad.BP(p.Term(), p.ScalarInputs(), ctx.Err)
	if err != nil {
		return Point{}, err
	}
	return stepsAt(ctx, p, bp, a)
}

// ablatedSteps is the same of bp(G) with an ablation.
func ablatedSteps(without revgrad.Ablation) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		bp, a, err := revgrad.AblatedBP(p.Term(), p.ScalarInputs(), without, ctx.Err)
		if err != nil {
			return Point{}, err
		}
		return stepsAt(ctx, p, bp, a)
	}
}

// stepsAt is |G|, and the steps of bp(G) at the program's point for a = 1.
func stepsAt(ctx context.Context, p *gram.Program, bp *term.Term, a term.Var) (Point, error) {
	g, err := hypergraph.FromTerm(p.Term(), p.ScalarInputs())
	if err != nil {
		return Point{}, err
	}
	s, err := evaluate(ctx, bp, append(p.ScalarInputs(), a), append(p.Point(), 1))
	return Point{X: float64(g.Size().Total()), Y: float64(s.Counts.Total())}, err
}

// claimMainLemma is claim 9.
func claimMainLemma() Claim {
	steps := func(f family.Family) func(context.Context, int) (Point, error) { return on(f, normalSteps) }
	factors := func(f family.Family) func(context.Context, int) (Point, error) { return on(f, factorSteps) }
	series := seriesOf(groundFamilies(), Evidence, linear, "|G|", "steps", steps)
	for _, s := range seriesOf([]family.Family{family.FanOut, family.Diamonds, family.Fibonacci, family.Squares, family.RandomGraph, family.Horner},
		Evidence, Law{Kind: AtMost, Power: 1}, "occurrences of dual variables in D(G)", "steps by (11)", factors) {
		s.Name += ": ℓ-steps"
		series = append(series, s)
	}
	series = append(series, withoutFactoring()...)
	return Claim{
		Number: 9,
		Title:  "D(G) reaches the backpropagation term in O(|G|) steps, of which at most as many are ℓ-steps as dual variables occur",
		Source: "Lemma main, section 5.2",
		Family: "Fan-out, diamonds, Fibonacci lets and the other graphs: D(G) with symbolic inputs, reduced under λ too.",
		Series: series,
		Correction: "Sums are bags and ⊕ drops zeros, (5') collects the linear substitutions that nobody reads, and a λ is substituted for a " +
			"dual variable last.",
		Meaning: "The steps follow the graph also where every node is used many times, which unshared would take exponentially many. A step by (11) " +
			"joins two occurrences of a dual variable into one, so there are fewer of them than occurrences. Without the rule a dual fires once " +
			"for each path to it.",
	}
}

// normalSteps is |G|, and the steps by which D(G) comes to its symbolic normal form.
func normalSteps(ctx context.Context, p *gram.Program) (Point, error) {
	g, err := hypergraph.FromTerm(p.Term(), p.ScalarInputs())
	if err != nil {
		return Point{}, err
	}
	_, c, err := normalForm(ctx, p)
	return Point{X: float64(g.Size().Total()), Y: float64(c.Total())}, err
}

// factorSteps is the number of occurrences of dual variables in D(G), and that of the
// steps by (11) on the way to its normal form.
func factorSteps(ctx context.Context, p *gram.Program) (Point, error) {
	d, c, err := normalForm(ctx, p)
	if err != nil {
		return Point{}, err
	}
	occurrences := 0
	for i := range d.Nodes {
		if n := &d.Nodes[i]; n.Op == term.VarOp && d.Vars[n.X].Type == term.AbstractDual {
			occurrences++
		}
	}
	return Point{X: float64(occurrences), Y: float64(c[rule.Factor])}, nil
}

// normalForm returns D(t), and the steps by which it comes to its symbolic normal form.
func normalForm(ctx context.Context, p *gram.Program) (*term.Term, rule.Counts, error) {
	d, err := revgrad.Reverse(p.Term(), ctx.Err)
	if err != nil {
		return nil, rule.Counts{}, err
	}
	_, s, err := normalise(ctx, d, p.ScalarInputs(), p.Point())
	return d, s.Counts, err
}
