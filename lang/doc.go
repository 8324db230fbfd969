// Package lang reads a program of the surface language: it parses, evaluates the
// static layer, infers types and elaborates to a [term.Term].
//
// # Two layers
//
// The static layer (params, indices, sizes, comprehensions, definitions) is gone after elaboration; what is left is a
// term of the simply typed calculus. The declarations are taken from the top, and then the body:
//
//	syntax ──elaborate──▶ core ──lower──▶ term
//	                        └──eval──▶ default values
//
// elaborate and eval are packages in this folder. [Load] calls elaborate, and then lower; elaborate calls eval.
//
// A param is a static number. The default value of an input or of data is elaborated and typed like everything else,
// and then run: so what stands below knows its shape and, for a list, its size. Of its core nothing stays. The body of
// a comprehension in it is elaborated once, for all indices, unless the size of a vector depends on the index. Values
// that the command line gives are read by package load.
package lang
