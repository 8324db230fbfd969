// Package lang reads a program of the surface language: it parses, evaluates the
// static layer, infers types and elaborates to a [term.Term].
//
// # Two layers
//
// The static layer (params, indices, sizes, comprehensions, definitions) is gone
// after elaboration; what is left is a term of the simply typed calculus. The
// declarations are taken from the top, and then the body:
//
//	syntax ──elaborate, infer──▶ core ──lower──▶ term
//	                              └──translate──▶ code ──run──▶ value
//
// A param is a static number. The default value of an input or of data is elaborated
// and typed like everything else, and then run: so what stands below knows its shape
// and, for a list, its size. Of its core nothing stays. The body of a comprehension in
// it is elaborated once, for all indices, unless the size of a vector depends on the
// index. Values that the command line gives are read by package load.
//
// # Elaboration
//
// The elaborator visits each expression once for each time it is expanded, and makes a
// [val]: a node of core with a type of inference. The resolver has settled what each
// name means: a local name has a slot, and each expansion of a def has its own slots, an
// activation.
//
// A comprehension whose body differs from one index to the next only in numerals, indices and
// bounds becomes one node, a family (family.go): its body is elaborated once, and
// [term.Term.Expand] makes the copies in the end. The attempt is given up where the body
// differs in more, as in x^i, and where there is an error. Then the body is elaborated once
// for each index, whose slot holds another number in each round; so every error is found and
// said there.
//
// The elaborator recurses where the source nests, which is bounded. It loops over what
// isn't: operators, arguments, elements, and tails. A tail is a part of an expression
// that has the same value: the body of let, fun and lin, and the right side of a def.
//
// An argument is elaborated before its function, into a [binding]. A use of a def f p1 … pk is its right side with the arguments in place of the
// parameters:
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
// The result of elaborating an argument decides which of these it is: f (g x) passes x
// if g is the identity. Missing arguments become parameters of λs. Further arguments are
// passed on. Symbols, dot and matvec are used in the same way.
//
// # Types
//
// Types are simple: R, products, vectors of a size, functions, and the linear
// negations R -o R and R -o R^s; List A and Nat stand for (A → X → X) → X → X and
// (X → X) → X → X, with an X of their own wherever they are written. Each expansion of
// a def has its own types, which is all the polymorphism there is. Sizes are unified
// too. What a projection needs to know of its vector is checked at the end. Types that
// stay open are R.
//
// In a program with lin or -o, an application of f to a number waits, where the type
// of f is open, until it is known whether f is a function or a dual. At the end f is a
// dual if the argument depends on a linear variable, and a function if not.
//
// # Linear variables
//
// When all is typed, one loop over core checks by the two judgements of the calculus
// that what stands under lin is linear ([linearity]), and finds the lets that are linear:
// those to what depends on a linear variable. Differences, negations and quotients with
// such an operand are written out as sums and products. term.Check accepts whatever
// passes; the check here is for the messages.
//
// # Core and lowering
//
// [core] is the term before its types are known. Lowering is one loop over its nodes,
// children before parents, and does what needs types. A vector with projections is
// opened by one UnvecOp directly inside its binder, one level at a time; its
// projections are variables. dot and matvec become sums of products. An input that is
// used whole becomes a tuple of its scalars. A data vector with projections is opened
// once, around the program.
//
// jvp and grad are differentiated here (derivative.go): the term of the function has been made, and package revgrad makes the term
// of its derivative. So derivatives in a function are terms without jvp and grad before it is differentiated itself.
package lang
