// Package load evaluates the static layer of a program: what is settled before
// any term is built.
//
// A file's declarations are taken from the top. A param is a natural number; the
// default value of an input or of data is plain numbers, given in place,
// computed, or read from a CSV file; the command line may replace any of them.
// The result, a [Program], gives each param its number and each input and data
// declaration its [Shape] and its numbers, so that the elaborator knows every
// size before it meets the first one. Definitions are not touched here, except
// where a default value calls them.
//
// # Shapes and values
//
// The shape of an input or of data is a tree over R:
//
//	S ::= R | S * S | S^n | List S
//
// A [Value] is a shape and its numbers, flat and in row-major order: those of
// v.(0) before those of v.(1), those of a pair's first component before those
// of its second, element by element for a list. Inputs are R, products and
// vectors of R. Data are R, R^k, List R and List R^k.
//
// # Static naturals
//
// Where the language wants a size or an index it evaluates a static expression
// on the natural numbers up to 2^53, exactly: a negative difference is an error
// and not a wrapped number. [Static] is that evaluator. It asks its caller what
// a name means, so that the elaborator, which has indices in scope, uses the
// same one.
//
// # Default values
//
// Default values are written in the whole expression language, functions, lists
// as functions and Church numerals included. Such an expression is compiled once
// to a tree of Go values (code) over frames of slots, and run. Every node can
// give its result in three ways: as a number, as a value, or written straight
// into a slice of the shape that its context expects. The body of a
// comprehension is run in the first or the last way, so a computed list of ten
// million numbers is one slice and no garbage. Typing is dynamic: a value of the
// wrong shape is an error at the expression that gave it.
//
// Nothing here can run away: nesting and calls are bounded, [Options.Check] is
// called at least every 2^16 steps and [Options.Reserve] before every large slice.
package load
