package bench

import (
	"context"
	"errors"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench/family"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/term"
)

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
			{Name: "modular, charged |M| for each copy of M", Role: Contrast, Without: "copies in one step", Law: linear, X: "(d + m)·m·n", Y: "steps", Quick: lengths, Full: lengths,
				Measure: recurrent(byLength, chargedSteps, nil)},
			{Name: "unfold", Role: Contrast, Law: linear, X: "(d + m)·m·n", Y: "steps", Quick: family.Sizes(10, 200), Full: family.Sizes(10, 2000),
				Measure: recurrent(byLength, stepsOf(gram.Unfold), nil)},
		},
		Meaning: "The saving grows with the weights and with the length of the input, as section 6.2 has it: D's own redexes in the layer are fired " +
			"once, and not for each element. What normalising costs is counted against it. Unfolding first pays for D(G) at each element. " +
			"A copy is one step here, whatever its size; charged |M| for each copy of M, the normal form of D(L), most of the saving is gone, though " +
			"direct is not charged for its copies of D(L).",
	}
}

// chargedSteps is the number of steps of a gradient by the strategy modular, with a step more for each symbol of
// each copy of a function's normal form M: in a program of one function, its elements times |M|.
func chargedSteps(ctx context.Context, p *gram.Program) (float64, error) {
	steps, err := stepsOf(gram.Modular)(ctx, p)
	if err != nil {
		return 0, err
	}
	lambdas := p.Term().ClosedLambdas(p.ScalarInputs())
	if len(lambdas) != 1 {
		return 0, errors.New("bench: a recurrent network has one function")
	}
	d, err := revgrad.Reverse(subterm(p.Term(), lambdas[0].At), ctx.Err)
	if err != nil {
		return 0, err
	}
	normal, _, err := normalise(ctx, d, p.ScalarInputs(), p.Point())
	if err != nil {
		return 0, err
	}
	return steps + float64(p.Term().Data[0].Rows)*float64(normal.Size()), nil
}

// stepsOf is the number of steps of a gradient by the strategy, those taken before the
// program runs included.
func stepsOf(s gram.Strategy) func(context.Context, *gram.Program) (float64, error) {
	return func(ctx context.Context, p *gram.Program) (float64, error) {
		res, err := p.Gradient(ctx, gram.EvalOptions{Strategy: s})
		if err != nil {
			return 0, err
		}
		return float64(res.Cost.Steps.Total()), nil
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
			{Name: "rebuilt, without a cache", Role: Contrast, Without: "the cache", Law: linear, X: "|t u|, in symbols", Y: "symbols of D(t u)", Quick: f.Quick, Full: f.Full, Measure: rebuilt(false)},
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
