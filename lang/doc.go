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
// The elaborator visits each expression once for each time it is expanded, with a
// stack of frames in place of recursion, and leaves a [val]: a node of core with a
// type of inference. What a name means was settled before, by the resolver: each
// local name has a slot, and an expansion of a def has slots of its own, an
// activation. The index of a comprehension is a slot that holds another number at
// each round.
//
// An argument is elaborated before the function that it is for, into a [binding].
// A use of a def f p1 … pk is its right side with the arguments in place of the
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
// What an argument is, is decided on what it elaborated to: f (g x) passes x if g is
// the identity. Missing arguments are parameters of λs, further ones are passed on.
// Symbols, dot and matvec are used in the same way.
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
// [core] is the term before its types are known. Lowering is one loop over its
// nodes, children before parents, which settles what waits for types: a vector with
// projections is opened by one UnvecOp directly inside its binder, one level at a
// time, and its projections are variables; dot and matvec become sums of products;
// an input that is used whole becomes a tuple of its scalars. A data vector with
// projections is opened once, around the program.
//
// Nothing here recurses on the program: a sum a million deep needs no more of Go's
// stack than a short one.
package lang
