// Package adversary searches for programs that break a bound of a claim.
//
// A program is what a list of choices makes of package generate, at any scale: a factor of its numbers of inputs,
// components, elements, iterations and lets in a row. The search draws lists, mutates those whose programs have the
// largest ratios or whose ratios grow most from scale to scale, and keeps the worst. A ratio that is large does not
// break a bound with some constant; one that grows with the scale does. In the end the worst programs are made as short
// as can be.
//
// found.json has the result of one search, which BENCHMARKS.md and the pages of the claims print. A test measures its
// programs again.
package adversary
