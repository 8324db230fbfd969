// Package ablation does what gram does without one of the things that make it cheap, so that claims can be
// held against their opposites. It exists to be measured by package bench, and nothing else uses it.
//
//	[Derivative]  a derivative by Ehrhard's D: the chain rule, instead of D (claim 19, section 7)
//	[ByName]      evaluation by name: an argument is evaluated again at each use (claims 1 and 20, sections 2.1 and 6.2)
//
// Four are hooks of the engine:
//
//	[NoFactoring]      without rule (11) (claim 9, Lemma main)
//	[SubstituteFirst]  (3) on duals before (11) (claim 10, Theorem 1)
//	[Rescan]           a search for each redex, without a worklist (claim 17, section 7)
//	[CopyBodies]       a copy of the whole body at each (1) (claim 18)
//
// Results are those of gram; sizes and steps may be exponentially larger, and end at limits. The
// ablations that change a transformation or a rule are in its package: revgrad.AblatedBP is bp without ⊕,
// reference.WithoutLinGC is without (5'), and a start that is not reference.Start.Named copies D's pairs.
//
// The functions on terms recurse on the depth of the term.
package ablation
