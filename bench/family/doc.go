// Package family holds families of programs: for each size n a program, whose cost
// grows with n in a known way. The cost claims of the paper are measured on them.
//
// A family is data: a name, sizes, and a function from sizes to source text.
// Most are programs of the language that a param would do for; those with n lets, or
// with random ones, are written out. Random families are seeded by their size, so that
// a size is always the same program.
//
//	ground.go       programs that are computational graphs already
//	adversarial.go  programs made to be hard for a machine
//	higher.go       programs with functions, lists and numerals
//	random.go       random programs
//	rivals.go       the examples of other papers
package family
