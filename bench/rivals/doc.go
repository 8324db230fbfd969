// Package rivals computes gradients as other calculi do, and counts the steps on the meter of the machine: CHAD, as it
// was published and in its efficient form, and dual numbers with backpropagators, without staging, staged in a map or
// in an array, and with a trace.
//
// # Programs
//
// A term is read as a program of a small language: the calculus without literals. Lists, data and numerals are
// the λ-terms that they stand for. Each rival is a transformation from this language to itself with added primitives;
// [Rival.Gradient] transforms a term, evaluates the result at a point, and reads the gradient.
//
// # Steps
//
// An evaluator of its own makes the steps, by value, on environments. page.md has the model: which rules count where,
// and which words an added primitive touches, one step each ([Words]).
//
// Transformations and the evaluator recurse in Go: programs and evaluations that nest too deep end with a
// [*LimitError].
package rivals
