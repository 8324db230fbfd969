package bench

import (
	"bytes"
	"errors"
	"slices"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/internal/stage"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// unshared is the steps of a value where each let of a family is evaluated at each use, for it is written out there.
// Its (4) is not counted: it is one let.
func unshared(f Family) quantity {
	return quantity{StepsName, func(s *subject) float64 {
		steps := s.program(f.Name, family[f.Name+", sharing expanded"].Source(s.size)).value(gram.EvalOptions{}).Steps
		return float64(steps.Total() - steps[rule.GC])
	}}
}

// graph is the program's computational graph. The program must be one as it stands.
func (s *subject) graph() *hypergraph.Graph {
	return must(hypergraph.FromTerm(s.Term(), s.ScalarInputs(), nil))
}

// groundSize is |G| of a program that is a computational graph as it stands.
var groundSize = quantity{GraphName, func(s *subject) float64 { return float64(s.graph().Size().Total()) }}

// Quantities of forward mode: the steps for one partial derivative, and for the gradient.
var (
	forwardPartial  = quantity{"steps of Fwd(G)", func(s *subject) float64 { return forwardSteps(s, 1) }}
	forwardGradient = quantity{"steps of Fwd(G)",
		func(s *subject) float64 { return forwardSteps(s, len(s.ScalarInputs())) }}
)

// forwardSteps is the number of steps of Fwd(G) at the point, in all, with the tangent 1 for each of the first inputs
// in turn.
func forwardSteps(s *subject, passes int) float64 {
	fwd := must(revgrad.Forward(s.Term(), s.ScalarInputs(), s.ctx.Err))
	var inputs []term.Var
	for _, x := range s.ScalarInputs() {
		z, a := fwd.NewVar(term.VarInfo{Name: "x", Type: term.R}), fwd.NewVar(term.VarInfo{Name: "dx", Type: term.R})
		fwd.Root = fwd.Let(0, x, fwd.Pair(0, fwd.Variable(0, z), fwd.Variable(0, a)), fwd.Root)
		inputs = append(inputs, z, a)
	}
	points := make([][]float64, passes)
	for i := range points {
		points[i] = make([]float64, len(inputs))
		for j, r := range s.Point() {
			points[i][2*j] = r
		}
		points[i][2*i+1] = 1
	}
	return s.evaluate(fwd, inputs, points...)
}

// tapeOperations is the operations of backpropagation on the graph, which a tape makes one after the other.
var tapeOperations = quantity{"operations", func(s *subject) float64 {
	m := hypergraph.NewMemory(s.graph(), s.ctx.Err)
	return float64(must(m.Backpropagation(s.Point())).Operations)
}}

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
		return s.evaluate(bp, append(s.ScalarInputs(), a), append(s.Point(), 1))
	}}
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

// unfactoredSteps is the steps of a gradient by the rewriter without (11).
var unfactoredSteps = rewriterSteps(true, reference.Without(reference.Machine(nil),
	func(r *reference.Redex) bool { return r.Rule == rule.Factor }))

// mostSteps is the bound of Corollary gradient with its constant: one (12) of a declared symbol of three parameters, of
// numerals, takes 43 steps of the gradient, and one of a binary symbol 27.
var mostSteps = quantity{"43·(m + |G| + n + 1)", func(s *subject) float64 { return 43 * (withInputs.of(s) + 1) }}

// mostWork is the bound of docs/work.md with its constant.
var mostWork = bilinear.times("3·(|t| + n)·(steps + 1)", quantity{"3", func(*subject) float64 { return 3 }})

// withInputs is m + |G| + n.
var withInputs = quantity{"m + |G| + n",
	func(s *subject) float64 { return mAndGraph.of(s) + float64(len(s.ScalarInputs())) }}

// Quantities of the reductions of t to its graph: the steps by need, those of normalising λs first, and the steps of
// the gradient by the strategy that does so.
var (
	mNeed          = openSteps("m by need", reference.ByNeed)
	mNormal        = openSteps("m after normalising", normalising)
	normalAndGraph = quantity{"mNormal + |G|", func(s *subject) float64 { return mNormal.of(s) + graphSize.of(s) }}
	modularSteps   = ofGradient(StepsName, gram.EvalOptions{Strategy: gram.Modular}, totalSteps)
)

// openSteps is the number of steps by which the rewriter reduces a program with symbolic inputs.
func openSteps(name string, by reference.Strategy) quantity {
	return quantity{name, func(s *subject) float64 {
		return s.steps(reference.Convert(s.Term(), denote.Floats{}).OpenStart(s.ScalarInputs(), s.Point()), by)
	}}
}

// normalising is the strategy that fires what is under λs first, and then continues as the machine does.
func normalising(s *reference.State) *reference.Redex {
	for i := range s.Redex {
		if r := &s.Redex[i]; !r.Weak {
			return r
		}
	}
	return reference.Open(nil)(s)
}

// rewriterSteps is the steps of a gradient by a strategy of the rewriter: with dual λs named, or with D's pairs copied
// whole.
func rewriterSteps(named bool, by reference.Strategy) quantity {
	return quantity{StepsName, func(s *subject) float64 {
		start := s.gradientStart(denote.Floats{})
		if named {
			start = start.Named()
		}
		return s.steps(start, by)
	}}
}

// towerOfTwos is 2^(2^(…)), with k twos.
var towerOfTwos = quantity{"a tower of k twos", func(s *subject) float64 {
	n := 1
	for range s.size {
		n = 1 << n
	}
	return float64(n)
}}

// productsInG is the number of products in the graph of a program that has a sum with each of them.
var productsInG = ofBound("products in G", func(b *gram.Bound) uint64 { return b.Operations / 2 })

// sumsAndNumbers is what a run adds and reads: steps by (6) and (7), and numbers of the result.
const sumsAndNumbers = "sums of tuples and of numbers, numbers read"

func sumsOf(c *gram.Cost) uint64 {
	return c.Steps[rule.Plus] + c.Steps[rule.PlusPair] + c.Overhead.Readback
}

var adHoc = ofGradient(sumsAndNumbers, literally, sumsOf)

// injected is what it takes to add n-tuples and to read one: D(t) as a program whose inputs carry injections.
var injected = quantity{sumsAndNumbers, func(s *subject) float64 {
	var text bytes.Buffer
	st := stage.Stage{Kind: stage.Reverse, Source: s.Source(), Term: s.reversed(), Inputs: s.ScalarInputs()}
	try(st.Write(&text, nil, nil))
	return float64(sumsOf(s.program("injections", Injected(text.String())).value(literally)))
}}

// injectionSums is what the injections of n inputs that all contribute add by Corollary gradient's remark: n − 1 times
// n − 1 steps by (7) and n by (6).
var injectionSums = quantity{"(n − 1)·(2n − 1)",
	func(s *subject) float64 { return float64((s.size - 1) * (2*s.size - 1)) }}

var injectionSteps = quantity{"steps by (6) and (7) beyond those of a tagged sum", func(s *subject) float64 {
	tagged := s.gradientStart(denote.Floats{})
	sums := func(start *reference.Start) float64 {
		counts := must(s.reduce(start.Named(), reference.Machine(nil), rewriteLimit)).Counts
		return float64(counts[rule.Plus] + counts[rule.PlusPair])
	}
	return sums(tagged.Injections()) - sums(tagged)
}}

// stepsSaved is the steps of a gradient that modular saves.
func stepsSaved(s *subject) float64 {
	return recurrentSteps(gram.Direct)(s) - recurrentSteps(gram.Modular)(s)
}

// chargedSteps is the number of steps of a gradient by the strategy modular, with a step more for each symbol of
// each copy of a function's normal form M: in a program of one function, its elements times |M|.
func chargedSteps(s *subject) float64 {
	lambdas := must(s.Term().ClosedLambdas(s.ScalarInputs(), s.ctx.Err))
	if len(lambdas) != 1 {
		try(errors.New("bench: a recurrent network has one function"))
	}
	layer := *s.Term()
	layer.Root = lambdas[0].At
	normal, _, err := modular.Normal(must(revgrad.Reverse(&layer, s.ctx.Err)), s.ScalarInputs(), s.Point(),
		modular.Options{Unfold: true, Limits: limits.Bounds{Look: s.ctx.Err}})
	try(err)
	return recurrentSteps(gram.Modular)(s) + float64(s.Term().Data[0].Rows)*float64(normal.Size())
}

// recurrentSteps is the number of steps of a gradient by the strategy, those taken before the program runs included.
func recurrentSteps(by gram.Strategy) func(*subject) float64 {
	return func(s *subject) float64 { return float64(s.gradient(gram.EvalOptions{Strategy: by}).Steps.Total()) }
}

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

// cacheBytes is the size of a cache that holds all that a claim puts there.
const cacheBytes = 1 << 30

// rebuilt takes a gradient after an edit by the strategy modular, with a cache that has the program as it was before,
// or with an empty one. The edit is named as the family of the programs before it. It returns |t u|, the cost, and the
// time with that of loading.
func rebuilt(s *subject, edit string, kept bool) (size float64, cost *gram.Cost, took time.Duration) {
	cache := must(gram.NewCache(cacheBytes))
	defer cache.Close()
	gradient := func(program string) {
		start := time.Now()
		p := must(gram.Load(s.ctx, "an edit", []byte(family[program].Source(s.size)), gram.Options{Cache: cache}))
		cost = &must(p.Gradient(s.ctx, gram.EvalOptions{Strategy: gram.Modular})).Cost
		size, took = float64(bridge.Of(p).Term().Size()), time.Since(start)
	}
	if kept {
		gradient(edit)
	}
	gradient(edit + ", made")
	return size, cost, took
}

// copiesName is the number of steps by (3) at λs that are no duals.
const copiesName = "steps by (3) at λs"

// valueCopies are those of the program's value. No other values than numerals and λs are bound in the network.
var valueCopies = ofValue(copiesName, literally, func(c *gram.Cost) uint64 { return c.Steps[rule.Subst] })

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

// literalCopies are those of a gradient on the literal machine, and copiesByName those of the layer in the value of a
// network by name.
var (
	literalCopies = quantity{copiesName, func(s *subject) float64 {
		return s.copies(true, func(_ string, dual bool) bool { return !dual })
	}}
	copiesByName = quantity{copiesName, func(s *subject) float64 {
		return s.copies(false, func(parameter string, _ bool) bool { return parameter == "x" })
	}}
)

// copies counts the steps by (3) of the literal machine that put such a λ in the place of an operand.
func (s *subject) copies(gradient bool, of func(parameter string, dual bool) bool) (n float64) {
	var (
		e   *gram.Evaluator
		run func() error
		err error
	)
	events := func(f *machine.Fired) error {
		if by, ok := f.Move.Rule(); !ok || by != rule.Subst {
			return nil
		}
		h := bridge.Heap(e)
		if at := h.Node(f.Result / 4); int(f.Result%4) < len(at.Operands) {
			if o := at.Operands[f.Result%4]; o.Tag == compile.Value {
				if v := h.Node(o.Ref); v.Kind == compile.Lam && of(v.Name, v.Dual) {
					n++
				}
			}
		}
		return nil
	}
	e, run, err = s.evaluator(gradient, bridge.Watch(literally, bridge.Hooks{Events: events}))
	try(err)
	defer e.Close()
	try(run())
	return n
}
