// Package page writes what the measurements of claims say: as a table for a terminal, as the page BENCHMARKS.md,
// as JSON, and in the Go benchmark format that benchstat reads. The same report gives the same bytes.
//
// The page begins with what it comes to: the verdicts counted, the speed beside C, Go and a tape, and the commands
// that repeat it. Then come a table of all claims, the bound of Theorem 1 with its constants, the workloads beside their
// peers, and how fast steps are. A section for each claim follows: its families, figures, pictures, the command that
// repeats it, and what it means. Its text comes from the claims themselves, its figures from the report alone; what has
// not been measured is left out.
package page
