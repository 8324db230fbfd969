package revgrad

import (
	"maps"
	"slices"

	"github.com/gram-machine/gram/term"
)

// Ablation is a way to do without what makes [BP] small. The ablations exist to be measured: what
// they make has the same value and gradient, and is larger by a factor of n.
type Ablation uint8

// The ablations.
const (
	// PlainPlus has + for ⊕, of which the remark after Lemma backprop_size says that bp(x1 + … + xn)
	// is then quadratic in n. Each leaf of G writes the 0 of every variable in scope that it does
	// not depend on, and each F + G and F[z:=G] adds component by component:
	//
	//	bp_a(xi)    = ⟨xi, ⟦0,…,a,…,0⟧⟩
	//	bp_a(F + G) = ⟨F0 + G0, ⟦F1 + G1,…,Fn + Gn⟧αα'⟩ββ'
	//
	// The inputs and the variables of the lets around are in scope, as in the definition. H = 0 is
	// the numeral; 0 + 0 is none, so its products with partial derivatives are made, and where one of
	// those is infinite the result is no number.
	PlainPlus Ablation = iota + 1
	// DenseTuples has the gradient of each subterm as a term ∇ of type R^n, so that tuples are added
	// when bp(G) runs, by n − 1 steps by (7) and n by (6) for each F + G and F[z:=G]:
	//
	//	bp_a(xi)       = ⟨xi, ⟦0,…,a,…,0⟧⟩
	//	bp_a(F + G)    = ⟨F0 + G0, (∇F + ∇G)αα'⟩ββ'
	//	bp_a(F[z:=G])  = ⟨F0, (∇F + ∇G)α'[b:=H]α⟩β[z:=G0]β'
	//
	// The H of a let is none of the n components: it is added up by ⊕.
	DenseTuples
)

// summedTuple stands for no variable: its component is ∇G, the sum of tuples of [DenseTuples].
const summedTuple term.Var = 0

// complete completes the gradient of the leaf at which the walk is: by zeros, or to a tuple of all inputs.
func (w *backprop) complete(grad components, pos term.Pos) components {
	out := components{}
	maps.Copy(out, grad)
	if w.ablated == DenseTuples {
		out[summedTuple] = w.tuple(grad, pos)
		for _, x := range w.inputs {
			delete(out, x)
		}
		return out
	}
	scope := slices.Clone(w.inputs)
	for _, f := range w.frames {
		if n := &w.src.Nodes[f.r]; n.Op == term.LetOp && f.phase == 1 {
			scope = append(scope, n.X)
		}
	}
	for _, x := range scope {
		if out[x] == 0 {
			out[x] = w.dst.Num(pos, 0)
		}
	}
	return out
}

// isZero reports whether a component is the numeral 0, which no leaf has but by [PlainPlus].
func (w *backprop) isZero(expr term.Ref) bool {
	n := &w.dst.Nodes[expr]
	return n.Op == term.NumOp && n.Val == 0
}
