// Package reference is the calculus itself: rules (1)–(13) and (5') on terms, as they are printed, one step at a
// time, anywhere in the term. It is slow and obvious, and shares nothing with the machine; what the machine computes
// and counts is held against it.
//
// # Terms
//
// A [Term] is an immutable tree. Every binder has a [Var] of its own, known by its address; a value that (3) copies
// is given new ones. So nothing is ever captured, and x ∈ fv(t) is the question whether x occurs in t. [Convert]
// makes a program of a term of package term: list literals, numerals #n and data become the λ-terms that they stand
// for, and vectors become pairs nested to the right. An explicit substitution binds a [Pattern], a variable or a pair
// of patterns:
//
//	s[⟨p,q⟩:=⟨t,u⟩α]  →  s[p:=t][q:=u]α
//
// is rule (2), and opening a tuple of s components is s − 1 instances of it whose
// tails have no names. [Program.Back] goes the other way.
//
// # Steps
//
// [Program.State] finds all redexes of a term, in the order in which it is printed. rules.go has the table. The rules
// match through stacks of substitutions, α and β, as they are written; and
//
//	⟨v1α,v2β⟩  ≡  ⟨v1,v2⟩αβ        a pair of values with substitutions is a vα
//	(t1 + t2)α + t3  ≡  (t1 + t2 + t3)α    a sum is a bag, whose summands (11) picks
//
// is all of ≡ that reductions use. [State.Moves] are ≡'s own steps, for the tests.
// Sums are built by ⊕, which drops the zero tuple 0⃗ of a dual's body.
//
// # Strategies
//
// A [Strategy] chooses one of the redexes. [Leftmost] and [Random] reduce under λ;
// [ByValue], [ByName] and [ByNeed] do not. [Machine] is the one by which the project
// counts. Of the redexes that are under no λ and in no branch it leaves out
//
//	(1)    whose argument is not settled
//	(3–5)  whose value is not settled
//	(3)    of a dual variable by a λ, unless the occurrence is the head of an
//	       application and nothing else than these is left
//	(5')   always: an argument at a point comes to a value, and counts (5)
//	(11)   whose head is not settled: it waits for its (3) by a variable
//
// where the settled values are numerals, λs, pairs of settled values, and dual variables that are free or bound to a
// λ. Any order of what is left gives the same counts. The (3) that are last come in reverse topological order, so
// that a dual fires once in a maximal sum: firings tells how.
//
// [Open] is the same with the inputs left symbolic: of a term of ground type, what is left is a computational graph
// G.
//
// # Starts
//
// [Program.ValueStart] and [Program.GradientStart] are the start terms, with inputs as lets. [Start.Named] names the
// dual λs, before the first step and without counting.
//
// The result is a value, read by [Numbers], or a tagged sum x1* g1 + … + xn* gn for each output, read by
// [Start.Jacobian]. Numbers are those of a [denote.Ground]: floating-point numbers, or exact rationals.
//
// # Types
//
// [Program.Check] types a term by the two judgements of note A1, as [term.Term.Check] does: ⊢ t : A and ⊢_Z t : R^d for
// a set Z of linear variables.
//
// Notes, from A1 to F2, are those of docs/paper-notes.md.
package reference
