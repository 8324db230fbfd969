// Package page writes what the measurements of claims say: as tables for a terminal, as Markdown, and as JSON. The
// same report gives the same bytes.
//
// BENCHMARKS.md is a first screen: the verdicts, the bounds of Theorem 1 with their constants, and the speed beside
// other programs. It links to a page for each claim, with the fits, pictures and measurements of its series, and to one
// for the peers. The text comes from the claims, the figures from the report alone. What has not been measured is left
// out.
package page
