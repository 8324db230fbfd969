package bench

import (
	"context"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

// claimBackpropSize is claim 4.
func claimBackpropSize() Claim {
	sizes := func(f family.Family) func(context.Context, int) (Point, error) { return on(f, backpropSize) }
	return Claim{
		Number: 4,
		Title:  "Symbolic backpropagation makes a term of size O(|G|)",
		Source: "Lemma backprop_size, section 5.1",
		Family: "x1 + … + xn, bracketed in three ways; random graphs; graphs with dead lets, numerals and shared nodes.",
		Series: append(
			seriesOf([]family.Family{family.SumLeft, family.SumRight, family.SumBalanced, family.LeastSquares, family.RandomGraph,
				family.FanOut, family.Squares, family.DeadLets, family.Horner, family.Shadowed}, Evidence, linear, "|G|, in symbols", "|bp(G)|, in symbols", sizes),
			ablatedSeries("|G|, in symbols", "|bp(G)|, in symbols", ablatedSize)...),
		Correction: "⊕ drops a zero on either side: F⟨1−i⟩ stands where the paper has F⟨i−1⟩; as printed, sums nested to the left are quadratic.",
		Meaning: "All brackets of a sum give the same linear growth: ⊕ adds nothing for the inputs on which a summand does not depend, so no " +
			"n-tuple is added to another component by component. The contrasts are what ⊕ is for: with a plain + each component has all the " +
			"zeros and sums of the term, and with tuples of all inputs at each leaf there are as many zeros; both are quadratic where n grows with |G|.",
	}
}

// ablatedSeries is what bp(G) costs without ⊕: with + for it, and with dense tuples. n grows with |G|.
func ablatedSeries(x, y string, measure func(revgrad.Ablation) func(context.Context, *gram.Program) (Point, error)) []Series {
	var out []Series
	for _, a := range []struct {
		name    string
		without string
		by      revgrad.Ablation
	}{{"plain + for ⊕", "⊕", revgrad.PlainPlus}, {"dense tuples", "sparse tuples", revgrad.DenseTuples}} {
		for _, f := range []family.Family{family.SumBalanced, family.LeastSquares} {
			out = append(out, Series{Name: f.Name + ": " + a.name, Role: Contrast, Without: a.without, Law: Law{Kind: Power, Power: 2}, X: x, Y: y,
				Quick: family.Sizes(10, 200), Full: family.Sizes(10, 1000), Measure: on(f, measure(a.by))})
		}
	}
	return out
}

// ablatedSize is |G|, and |bp(G)| with an ablation.
func ablatedSize(without revgrad.Ablation) func(context.Context, *gram.Program) (Point, error) {
	return func(ctx context.Context, p *gram.Program) (Point, error) {
		bp, _, err := revgrad.AblatedBP(p.Term(), p.ScalarInputs(), without, ctx.Err)
		if err != nil {
			return Point{}, err
		}
		return Point{X: float64(p.Term().Size()), Y: float64(bp.Size())}, nil
	}
}

// backpropSize is |G| and |bp(G)|.
func backpropSize(ctx context.Context, p *gram.Program) (Point, error) {
	bp, _, err := revgrad.BP(p.Term(), p.ScalarInputs(), ctx.Err)
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(p.Term().Size()), Y: float64(bp.Size())}, nil
}

// claimReverseSize is claim 5.
func claimReverseSize() Claim {
	reverse := func(f family.Family) func(context.Context, int) (Point, error) { return on(f, reverseSize) }
	series := seriesOf(append(family.Constructors(), family.RandomProgram), Evidence, linear, "|t|, in symbols", "|D(t)|, in symbols", reverse)
	for _, f := range []family.Family{family.Chain, family.SumBalanced, family.RandomGraph, family.Horner} {
		series = append(series, Series{Name: "Fwd of " + f.Name, Role: Evidence, Law: linear, X: "|G|, in symbols", Y: "|Fwd(G)|, in symbols",
			Quick: f.Quick, Full: f.Full, Measure: on(f, forwardSize)})
	}
	series = append(series, Series{Name: "one symbol of k arguments", Role: Contrast, Without: "a bound on arities", Law: Law{Kind: Power, Power: 2}, X: "k", Y: "|D(t)|, in symbols",
		Quick: family.Sizes(10, 1000), Full: family.Sizes(10, 2000), Measure: manyAry})
	return Claim{
		Number: 5,
		Title:  "Both transformations make a program longer by a constant factor: |D(t)| = O(|t|), |Fwd(G)| = O(|G|)",
		Source: "Lemma sizeReverse, section 5.2; section 2.3",
		Family: "n of each constructor of the calculus, random programs, and graphs.",
		Series: series,
		Correction: "The zero tuple of a numeral's dual is one symbol: written out, it has as many as there are inputs; and the arity of " +
			"symbols is bounded.",
		Meaning: "Each constructor has a constant of its own, the largest for a binary symbol between numerals. A symbol of k arguments has k " +
			"derivatives of k arguments each: with unbounded arity, the contrast, the growth is quadratic.",
	}
}

// reverseSize is |t| and |D(t)|.
func reverseSize(ctx context.Context, p *gram.Program) (Point, error) {
	d, err := revgrad.Reverse(p.Term(), ctx.Err)
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(p.Term().Size()), Y: float64(d.Size())}, nil
}

// forwardSize is |G| and |Fwd(G)|.
func forwardSize(ctx context.Context, p *gram.Program) (Point, error) {
	fwd, err := revgrad.Forward(p.Term(), p.ScalarInputs(), ctx.Err)
	if err != nil {
		return Point{}, err
	}
	return Point{X: float64(p.Term().Size()), Y: float64(fwd.Size())}, nil
}

// manyAry is k, and |D(f(t1,…,tk))| by the equation of Table 3 for a symbol f of k
// arguments, each of whose derivatives is a symbol of k arguments too:
//
//	⟨f(x1,…,xk), λa.Σ xi* (fi(x1,…,xk)·a)⟩[⟨x1,x1*⟩:=t1]…[⟨xk,xk*⟩:=tk]
func manyAry(_ context.Context, k int) (Point, error) {
	t := term.New(term.NewTypes())
	xs, stars := make([]term.Var, k), make([]term.Var, k)
	for i := range k {
		xs[i], stars[i] = t.NewVar(term.VarInfo{Name: "x", Type: term.R}), t.NewVar(term.VarInfo{Name: "x*", Type: term.AbstractDual})
	}
	f := func() term.Ref {
		args := make([]term.Ref, k)
		for i, x := range xs {
			args[i] = t.Variable(0, x)
		}
		return t.Fun(0, term.Sin, args...) // any symbol: that of f has no name here
	}
	a := t.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
	var sum term.Ref
	for i := range k {
		summand := t.App(0, t.Variable(0, stars[i]), t.Fun(0, term.Mul, f(), t.Variable(0, a)))
		if i == 0 {
			sum = summand
		} else {
			sum = t.Add(0, sum, summand)
		}
	}
	t.Root = t.Pair(0, f(), t.Lam(0, a, sum))
	for i := range k {
		t.Root = t.Unpair(0, xs[i], stars[i], t.Variable(0, t.NewVar(term.VarInfo{Name: "t"})), t.Root)
	}
	return Point{X: float64(k), Y: float64(t.Size())}, nil
}
