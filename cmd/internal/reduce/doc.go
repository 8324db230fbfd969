// Package reduce is what gram reduce does: it reads a term of the calculus with linear negation, lists its redexes,
// makes the steps that are chosen, or explores all reductions. The rewriting is that of package reference, and steps
// are printed by package derivation.
//
//	[Parse]     text in the notation of the paper  →  term
//	[Load]      a program                          →  term
//	[Source.Start]  source  →  t itself, D(t), or the start term of a value or a gradient
//	[Write]     chosen steps, and the redexes of the term that they lead to
//	[Explore]   the graph of all reductions, its normal forms, and whether they are one
package reduce
