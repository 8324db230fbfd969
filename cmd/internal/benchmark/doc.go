// Package benchmark is the command gram bench.
package benchmark
