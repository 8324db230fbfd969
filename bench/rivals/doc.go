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
// An evaluator of its own makes the steps, by value, on environments:
//
//	(1)       a function is called
//	(2)       a pair is opened
//	(3)       an occurrence of a variable that is not linear; 3n where it is a number
//	(4)       a variable that is not linear is bound
//	(5)       a linear variable is bound: an a of λa.u, or a cotangent; its occurrences count none
//	(6) (7)   numbers are added; pairs of cotangents are
//	(8) (12)  symbols are applied
//	(13)      a condition is decided
//
// (9), (10) and (11) do not apply. What a rule builds counts no step, as in the calculus: pairs and closures. The
// variables that closures capture are counted apart, as on the machine. An added primitive counts one step for each
// word that it touches, a component, a node of a tree or an identifier, beside the rules that it makes ([Words]). Sums
// of cotangents are (6) and (7); a sum with the zero of the efficient form of CHAD is a word.
//
// Transformations and the evaluator recurse in Go: programs and evaluations that nest too deep end with a
// [*LimitError].
package rivals
