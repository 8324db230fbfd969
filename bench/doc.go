// Package bench measures: the workloads W1–W4 against yardsticks that run in the
// same process, so that a figure is a ratio and not a property of the machine that
// it was taken on.
//
//	go test ./bench -bench .
//
// prints, for each workload and size, the steps of one gradient, the nanoseconds
// for each step and for each primitive of the forward computation, the bytes of
// arena for each primitive, and the time over that of a plain tape in Go, in the
// form that benchstat reads.
package bench
