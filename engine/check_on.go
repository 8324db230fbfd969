//go:build check

package engine

// checking turns on the assertions of the machine's invariants: go test -tags check.
const checking = true
