// Package load reads values of params, inputs and data that are given as numbers:
// on the command line, in files, or by the caller. It writes values as text, as the
// language or as JSON has them: numbers with the fewest digits that read back to them.
//
// The shape of an input or of data is a tree over R:
//
//	S ::= R | S * S | S^n | List S
//
// A [Value] is a shape and its numbers, flat and in row-major order: those of v.(0) before those of v.(1), those of a
// pair's first component before those of its second, element by element for a list. Inputs are R, products and vectors
// of R. Data are R, R^k, List R and List R^k.
package load
