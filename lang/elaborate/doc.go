// Package elaborate turns the syntax of a program into core: it evaluates the static layer, expands definitions and
// infers types.
//
// The elaborator visits each expression once for each time it is expanded, and makes a value: a node of [core.Core]
// with a type of inference. The resolver has settled what each name means: a local name has a slot, and each expansion
// of a def has its own slots, an activation.
//
// A comprehension whose body differs from one index to the next only in numerals, indices and bounds becomes one node,
// a family (family.go): its body is elaborated once, and [term.Term.Expand] makes the copies in the end. The attempt is
// given up where the body differs in more, as in x^i, and where there is an error. Then the body is elaborated once for
// each index, whose slot holds another number in each round; so every error is found and said there.
//
// The elaborator recurses where the source nests, which is bounded. It loops over what
// isn't: operators, arguments, elements, and tails. A tail is a part of an expression
// that has the same value: the body of let, fun and lin, and the right side of a def.
//
// An argument is elaborated before its function. A use of a def f p1 … pk is its right side with the arguments in place
// of the parameters:
//
//   - an atom (a variable or a projection of one, an input, data, a number, #s, the
//     name of a def or a symbol) at every occurrence;
//   - a value (a function, a list, a tuple or vector of atoms and values) if the
//     parameter occurs at most once, and not in a comprehension;
//   - anything else if the parameter occurs exactly once, and there not under fun,
//     not in a branch of if, not in a comprehension and not in a list;
//   - and otherwise let p = a in … around the right side. So it is for a parameter
//     that is a tuple or vector.
//
// The result of elaborating an argument decides which of these it is: f (g x) passes x if g is the identity. Missing
// arguments become parameters of λs. Further arguments are passed on. Symbols, dot and matvec are used in the same way.
//
// # Types
//
// Types are simple: R, products, vectors of a size, functions, and the linear negations R -o R and R -o R^s; List A and
// Nat stand for (A → X → X) → X → X and (X → X) → X → X, with an X of their own wherever they are written. Each
// expansion of a def has its own types, which is all the polymorphism there is. Sizes are unified too. What a
// projection needs to know of its vector is checked at the end. Types that stay open are R.
//
// In a program with lin or -o, an application of f to a number waits, where the type
// of f is open, until it is known whether f is a function or a dual. At the end f is a
// dual if the argument depends on a linear variable, and a function if not.
package elaborate
