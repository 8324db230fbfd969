// Package native runs loops of straight-line code. A [Loop] becomes one WebAssembly function, of which package wasm makes
// machine code, or bytecode for an interpreter, on at most 256 registers. Operations are made in the order of the code and
// rounded as it says, so results have the same bits in both forms; only which NaN an operation makes may differ.
package native
