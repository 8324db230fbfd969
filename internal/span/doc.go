// Package span measures how long a reduction would take if all steps that don't depend on each other were made at once.
//
// Every counted step has length 1. A step depends on the steps that made its redex and on the values that it reads, and
// on nothing else, so the span of a reduction is the same by every schedule:
//
//   - (1) needs its λ, and (2) the pair's constructor, not what stands in them.
//   - (3) needs the whole value. The (3)s of one binder are independent of each other.
//   - (4) needs the value and the (3)s of its binder. Nothing depends on (4).
//   - (5) needs its number, and (6), (8), (12) and (13) need their operands. (7) needs the constructors.
//   - (11) needs its two applications, not their arguments. The arrivals at a dual are added in a chain, in their
//     order, or in a balanced tree over it.
//   - The (3) of a dual needs all arrivals.
//
// The package evaluates terms in an environment, with the time at which each value exists, and counts the steps by
// rule. It shares no code with the machines, whose counts, values and gradients are its test.
package span
