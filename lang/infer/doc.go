// Package infer holds the types of a program while they are being found: types with
// holes, their unification, and their text in the words of the source.
package infer
