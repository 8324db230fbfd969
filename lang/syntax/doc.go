// Package syntax reads and writes the text of gram programs: from bytes to a syntax tree and back, and
// from errors to messages.
//
// # From text to tree
//
// [Parse] makes a [File]: declarations, then one body expression. A tree is a set of arenas, one each for expressions,
// patterns and types. A node names its parts by indices, and parts stand before their wholes, so a pass from the leaves
// up is a loop over an arena. Static expressions, which stand for sizes, are expressions like others, of the few kinds
// that the grammar allows there.
//
// The parser descends into what nests, which is bounded: a source nests at most 10 000 deep. Operators, arguments,
// elements and a let in the body of a let are loops, so a sum of a million terms is not deep. From loose to tight:
//
//	fun lin let if vec sum list      reach as far right as they can
//	a + b   a - b                    to the left
//	a * b   a / b                    to the left
//	-a
//	a ^ s                            s an atom; no chaining
//	f a                              to the left; a an atom with projections
//	a.(s)
//
// Patterns, types and static expressions have smaller parsers of the same make. Each
// token is scanned once, or twice after an opening parenthesis.
//
// # Layout
//
// A declaration starts with its keyword at column 1 and ends before the next token at column 1. The parser sees an end
// of file there. The first token at column 1 that is no declaration's keyword starts the body, which runs to the end.
//
// # Spans
//
// The span of a node leaves out parentheses around it, and covers those around its
// parts: in "(a + b) * c" the span of the sum is "a + b" and that of the product
// is all of it. While parsing, an operand carries its extent with parentheses for this.
//
// # Errors
//
// After an error the parser skips to a token that some open form waits for ("in", "then", "else", a closing bracket) or
// to the end of the declaration, and puts a BadExpr in place of what it skipped. A token is reported once at most, and
// after a broken declaration what stands unindented below it is passed over, up to the next declaration, so that one
// mistake does not cause a row of messages.
package syntax
