// Package bench measures. It holds the paper's cost claims, and the workloads W1–W5 against yardsticks.
//
// A [Claim] is data: families of programs, the quantities of a run that are measured at each size, and the laws that
// they are to follow. [Claims] are those of the paper: claims.go has their series, claims.md their sentences.
// [Series.Judge] fits what was measured and holds it against the law, [Claim.Judge] makes that a verdict, and
// [TheoremBounds] fits the constants of Theorem 1. A program of one's own is a claim too: [Source]. Package report
// takes the measurements, keeps them and writes pages, peers compares with others; docs/benchmarks.md tells how to add
// a claim. BENCHMARKS.md is what
//
//	go run ./cmd/gram bench --page .
//
// measures and writes; go generate writes it again from the same measurements.
//
// A [Family] is data: a name, sizes, and a function from sizes to source text. families.txt has those whose programs
// follow a pattern. Random families are seeded by their size, so that a size is always the same program.
//
// The workloads run beside yardsticks in the same process, so that a figure is a ratio and not a property of the
// computer that it was taken on: gram bench --peers has them all. For work on the machine
//
//	go test ./bench -bench .
//
// prints, for each workload and size, the steps of one gradient, the nanoseconds
// for each step and for each primitive of the forward computation, the bytes of
// arena for each primitive, and the time over that of a plain tape in Go, in the
// form that benchstat reads.
package bench

//go:generate go run ../cmd/gram bench --render --page ..
