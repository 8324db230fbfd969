// Package derivation prints reductions of the calculus, a term after the other, as the
// rewriter of package reference takes them: in text, in LaTeX or as objects of JSON. The
// redex of the next step is marked, and so is the occurrence that a (3) replaces:
//
//	«sin(‹z2›)[z2:=9]»
//	4  (3n) substNumeral  5:5   4 → 4 symbols
//	«sin(9)[z2:=9]»
//
// In LaTeX the redex is coloured and the occurrence framed. A term is printed as soon as
// the rewriter comes to it.
package derivation
