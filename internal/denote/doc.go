// Package denote is the denotational semantics of the calculus: the model in the category of sets and functions of
// the paper's appendix (Table denotational). It is an evaluator that shares no idea with the machine: nothing is
// rewritten, counted or ordered.
//
// # Types are sets
//
//	⟦R⟧     = the numbers of a [Ground]: float64, or exact rationals
//	⟦A×B⟧   = ⟦A⟧×⟦B⟧                          [Pair]
//	⟦A→B⟧   = the functions from ⟦A⟧ to ⟦B⟧    [Func]
//	⟦R⊥d⟧   = the linear maps from ⟦R⟧ to ⟦R^d⟧ [Linear]
//	⟦A^s⟧   = ⟦A×(A×…)⟧
//	⟦T⟧     = Σi ⟦Ai⟧, the finite trees          [Con]
//
// [Model.Member] is the membership of a value in the set of a type, as far as that can be seen. A linear map from R
// is known by its image at 1, so two of them can be compared; functions can't.
//
// # Terms are functions
//
// ⟦Γ ⊢ t : A⟧ is a function from environments, the elements of ⟦Γ⟧, to ⟦A⟧, and ⟦Γ ⊢_Z t : R^d⟧ one from environments
// to linear maps from R^Z. The second is the first, with the linear variables read from the environment: ⊢_Z t
// implies Γ,Z:R ⊢ t (docs/paper-notes.md, A1). [Sem.At] is the one, and [Sem.LinearIn] the other.
//
// Recursive functions are the least fixpoints, so ⟦A→B⟧ has partial functions too. [Fuel] bounds the calls of one
// evaluation.
//
// # The dimension of R⊥
//
// D leaves d abstract. A model fixes it, [Model.Dim]: with d the number of inputs and each x* the injection of its
// input, [Model.Injection], the tagged sum Σ xj* gj is the gradient (the remark after Cor. gradient).
//
// # Oracles
//
// [Jacobian] and [Differences] are derivatives that share nothing with the machine: by forward mode, which is the
// denotation of the term on dual numbers (section 2.2), and by central differences. They are slow and obvious; tests
// hold the machine against them.
package denote
