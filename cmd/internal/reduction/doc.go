// Package reduction prints reductions, step by step.
//
// Of a run of the literal machine, gram trace: [Rewrites] prints its rewrites, a line each, [Calculus] the terms of the
// calculus that its states are, and [Draw] draws its memory at a step.
//
// Of a term of the calculus with linear negation, gram reduce: [Parse] reads one in the notation of the paper and
// [Load] takes that of a program; [Reduce] makes the steps that are chosen, by the rewriter of package reference, and
// lists the redexes of the term that they lead to; [Explore] makes the graph of all reductions, and says whether it is
// confluent.
//
// Terms are printed one after the other, in text, in LaTeX or as objects of JSON. The redex of the next step is marked,
// and so is the occurrence that a (3) replaces; in LaTeX the redex is coloured and the occurrence framed:
//
//	«sin(‹z2›)[z2:=9]»
//	4  (3n) substNumeral  5:5   4 → 4 symbols
//	«sin(9)[z2:=9]»
//
// A term is printed as soon as the rewriter comes to it.
package reduction
