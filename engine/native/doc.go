// Package native runs loops of straight-line code. A [Loop] becomes one WebAssembly function, of which wazero makes
// machine code, or bytecode for an interpreter, on at most 256 registers. Operations are made in the order of the code and rounded as it
// says, so results have the same bits in both forms; only which NaN an operation makes may differ.
//
// The functions of package elementary, and those of the table of symbols of package term, are translated from their Go sources by
// the command generate. What it does not translate, such as the pow of package math, compiled code calls.
package native

//go:generate go run ./generate ../../term functions.go
