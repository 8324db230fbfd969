package bench

import (
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/revgrad"
	"github.com/gram-machine/gram/rule"
	"github.com/gram-machine/gram/term"
)

// unsharedSteps is the steps of a value where each let is evaluated at each use, as if it was written out there.
var unsharedSteps = quantity{StepsName, func(s *subject) float64 {
	counts := s.byName()
	return float64(counts.Total())
}}

// byName counts the steps of the program's value by name.
func (s *subject) byName() rule.Counts {
	_, counts, err := ByName(s.valueStart(denote.Floats{}), rewriteLimit, s.ctx.Err)
	try(err)
	return counts
}

// doubling are sizes at which a cost of 2ⁿ can be paid.
var doubling = counting(4, 14)

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
	point := make([]float64, len(inputs))
	for j, r := range s.Point() {
		point[2*j] = r
	}
	return s.evaluate(fwd, inputs, func(yield func([]float64) bool) {
		for i := range passes {
			point[2*i+1] = 1
			if !yield(point) {
				return
			}
			point[2*i+1] = 0
		}
	})
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
		return s.evaluate(bp, append(s.ScalarInputs(), a), at(append(s.Point(), 1)))
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
