// Package page writes what the measurements of claims say: as a table for a terminal, as the page BENCHMARKS.md,
// as JSON, and in the Go benchmark format that benchstat reads. The same report gives the same bytes.
//
// The page begins with a table of all claims, and the bound of Theorem 1 with its constants. A section for each
// claim follows: its families, figures, pictures, the command that repeats it, and what it means. Its text comes from
// the claims themselves, its figures from the report alone. Last comes workloads.md as it stands: times of the
// workloads beside a tape, which were taken by other means (see there) and are no claim of the paper.
package page
