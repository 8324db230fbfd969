// Package reduce is what gram reduce does: it reads a term of the calculus with linear negation, lists its redexes, makes
// the steps that are chosen, or explores all reductions. The rewriting is that of package reference, and steps are
// printed by package derivation.
//
//	[Parse]     text in the notation of the paper  →  term
//	[Load]      a program                          →  term, t, D(t) or a start term
//	[List]      the redexes of a term
//	[Explore]   the graph of all reductions, its normal forms, and whether they are one
package reduce
