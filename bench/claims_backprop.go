package bench

import (
	"slices"

	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// groundFamilies are the families of computational graphs with one output, adversarial ones too.
func groundFamilies() []Family {
	return append(Ground(), slices.DeleteFunc(Adversarial(), func(f Family) bool {
		return !f.Ground || f.Name == TwoOutputs.Name
	})...)
}

// transformed is the size of what a transformation makes of a program.
func transformed(name string, of func(*subject) *term.Term) quantity {
	return quantity{name, func(s *subject) float64 { return float64(of(s).Size()) }}
}

// The sizes of the transformations of claims 4, 5, 15 and 19.
var (
	groundSymbols = termSize.named("|G|, in symbols")
	bpSymbols     = bpSize(0)
	reverseSize   = transformed("|D(t)|, in symbols", (*subject).reversed)
	forwardSize   = transformed("|Fwd(G)|, in symbols", func(s *subject) *term.Term {
		return must(revgrad.Forward(s.Term(), s.ScalarInputs(), s.ctx.Err))
	})
)

// backpropagation is bp(G) and its variable a, with an ablation if that is not 0.
func (s *subject) backpropagation(without revgrad.Ablation) (bp *term.Term, a term.Var) {
	bp, a, err := revgrad.AblatedBP(s.Term(), s.ScalarInputs(), without, s.ctx.Err)
	try(err)
	return bp, a
}

func bpSize(without revgrad.Ablation) quantity {
	return transformed("|bp(G)|, in symbols", func(s *subject) *term.Term {
		bp, _ := s.backpropagation(without)
		return bp
	})
}

// bpSteps is the steps of bp(G) at the program's point for a = 1.
func bpSteps(without revgrad.Ablation) quantity {
	return quantity{StepsName, func(s *subject) float64 {
		bp, a := s.backpropagation(without)
		return s.evaluate(bp, append(s.ScalarInputs(), a), at(append(s.Point(), 1)))
	}}
}

// withoutSparse is what bp(G) costs without ⊕: with + for it, and with dense tuples. n grows with |G|.
func withoutSparse(x quantity, of func(revgrad.Ablation) quantity) []Series {
	var out []Series
	for _, f := range []Family{SumBalanced, LeastSquares} {
		s := func(a revgrad.Ablation, name, without string) Series {
			s := series(f, Contrast, quadratic, x, of(a)).without(without)
			return s.called(f.Name+": "+name, Sizes(10, 200), Sizes(10, 1000))
		}
		out = append(out, s(revgrad.PlainPlus, "plain + for ⊕", "⊕"), s(revgrad.DenseTuples, "dense tuples", "sparse tuples"))
	}
	return out
}

// claimBackpropSize is claim 4.
func claimBackpropSize() []Series {
	families := []Family{SumLeft, SumRight, SumBalanced, LeastSquares, RandomGraph,
		FanOut, Squares, DeadLets, Horner, Shadowed}
	return append(
		all(families, func(f Family) Series { return series(f, Evidence, linear, groundSymbols, bpSymbols) }),
		withoutSparse(groundSymbols, bpSize)...)
}

// claimReverseSize is claim 5.
func claimReverseSize() []Series {
	many := sized("one symbol of k arguments", Sizes(10, 1000), Sizes(10, 2000))
	return slices.Concat(
		all(append(Constructors(), RandomProgram), func(f Family) Series {
			return series(f, Evidence, linear, termSize, reverseSize)
		}),
		all([]Family{Chain, SumBalanced, RandomGraph, Horner}, func(f Family) Series {
			return series(f, Evidence, linear, groundSymbols, forwardSize).called("Fwd of " + f.Name)
		}),
		[]Series{points(many, Contrast, quadratic, termSize.name, reverseSize.name, manyAry).without("a bound on arities")},
	)
}

// manyAry is |t| and |D(t)| of t = f(t1,…,tk) for variables ti, by the equation of Table 3 for a symbol f of k
// arguments, each of whose derivatives is a symbol of k arguments too:
//
//	⟨f(x1,…,xk), λa.Σ xi* (fi(x1,…,xk)·a)⟩[⟨x1,x1*⟩:=t1]…[⟨xk,xk*⟩:=tk]
func manyAry(s *subject) Point {
	k, t := s.size, term.New(term.NewTypes())
	xs, stars := make([]term.Var, k), make([]term.Var, k)
	for i := range k {
		xs[i], stars[i] = t.NewVar(term.VarInfo{Name: "x", Type: term.R}),
			t.NewVar(term.VarInfo{Name: "x*", Type: term.AbstractDual})
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
	return Point{X: float64(k + 1), Y: float64(t.Size())}
}

// claimBackpropSteps is claim 7.
func claimBackpropSteps() []Series {
	return append(
		all(groundFamilies(), func(f Family) Series { return series(f, Evidence, linear, groundSize, bpSteps(0)) }),
		withoutSparse(groundSize, bpSteps)...)
}

// claimMainLemma is claim 9.
func claimMainLemma() []Series {
	shared := []Family{FanOut, Diamonds, Fibonacci, Squares, RandomGraph, Horner}
	unfactored := func(f Family, quick, full []int) Series {
		s := series(f, Contrast, exponential, graphSize, rewriterSteps(true, withoutRule(rule.Factor))).without("rule (11)")
		return s.called(f.Name+", no rule (11)", quick, full)
	}
	return slices.Concat(
		all(groundFamilies(), func(f Family) Series { return series(f, Evidence, linear, groundSize, normalSteps) }),
		all(shared, func(f Family) Series {
			return series(f, Evidence, atMostLinear, dualOccurrences, factorSteps).called(f.Name + ": ℓ-steps")
		}),
		[]Series{
			series(LogSumExp, Printed, equal, normalFrom("symbols of the normal form of D(G)[x:=⟨x,x*⟩]", false),
				normalFrom("symbols of that of D(G)[x:=⟨x,λa.x* a⟩]", true)).called("log-sum-exp: the start as printed",
				counting(1, 8), counting(1, 16)),
			unfactored(Squares, counting(2, 7), counting(2, 8)), unfactored(Diamonds, counting(2, 7), counting(2, 8)),
			unfactored(Fibonacci, counting(4, 10), counting(4, 11)),
		})
}

// Quantities of the reduction of D(G) to its symbolic normal form: its steps, those by (11), and the occurrences of
// dual variables in D(G).
var (
	normalSteps = ofNormal(StepsName, func(c *rule.Counts) uint64 { return c.Total() })
	factorSteps = ofNormal("steps by (11)", func(c *rule.Counts) uint64 { return c[rule.Factor] })

	dualOccurrences = quantity{"occurrences of dual variables in D(G)", func(s *subject) (n float64) {
		d := s.reversed()
		for i := range d.Nodes {
			if node := &d.Nodes[i]; node.Op == term.VarOp && d.TypeOf(node.X) == term.AbstractDual {
				n++
			}
		}
		return n
	}}
)

func ofNormal(name string, f func(*rule.Counts) uint64) quantity {
	return quantity{name, func(s *subject) float64 { return float64(f(&must(s.Bound(s.ctx, literally)).Theorem.Steps)) }}
}

// normalFrom is the size of the normal form of D(G)[x:=⟨x,x*⟩] by the rewriter, or of D(G)[x:=⟨x,λa.x* a⟩], from which
// Lemma main starts as it is printed.
func normalFrom(name string, printed bool) quantity {
	return quantity{name, func(s *subject) float64 {
		d, inputs := s.reversed(), []term.Var(nil)
		for _, x := range s.ScalarInputs() {
			x0, star := d.NewVar(term.VarInfo{Name: "x", Type: term.R}),
				d.NewVar(term.VarInfo{Name: "x*", Type: term.AbstractDual})
			dual := d.Variable(0, star)
			if printed {
				a := d.NewVar(term.VarInfo{Name: "a", Type: term.R, Linear: true})
				dual = d.Lam(0, a, d.App(0, dual, d.Variable(0, a)))
			}
			d.Root = d.Let(0, x, d.Pair(0, d.Variable(0, x0), dual), d.Root)
			inputs = append(inputs, x0)
		}
		start := reference.Convert(d, denote.Floats{}).OpenStart(inputs, s.Point())
		return symbols(start, must(s.reduce(start, reference.Leftmost, rewriteLimit)).Term)
	}}
}
