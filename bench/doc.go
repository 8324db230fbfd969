// Package bench measures. It holds the paper's cost claims, and the workloads W1–W5 against yardsticks.
//
// A [Claim] is data: families of programs, the quantities of a run that are measured at each size, and the
// laws that they are to follow. [Claims] are those of the paper. [Series.Judge] fits what was measured and holds it
// against the law, [Claim.Judge] makes that a verdict, and [TheoremBound] fits the constants of Theorem 1. A program of
// one's own is a claim too: [Source]. The packages below it take the measurements and keep them (measure), compare with
// others (peers), fit (fit), draw (plot) and write (page); docs/benchmarks.md tells how to add a claim. BENCHMARKS.md is what
//
//	go run ./cmd/gram bench --page .
//
// measures and writes; go generate writes it again from the same measurements.
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
