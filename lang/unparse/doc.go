// Package unparse prints terms as programs of the language, which elaborate to the same terms.
//
//	x, ⟨t,u⟩, ⟦t,u⟧        x, (t, u), [| t, u |]
//	λx.t, λa.t (a linear)   fun x -> t, lin a -> t
//	t[x:=u]                 let x = u in t
//	t[⟨x,y⟩:=u], t[⟦x,y⟧:=u]  let (x, y) = u in t, let [| x, y |] = u in t
//	t + u, f(t,u)           t + u, f t u
//	[t;u], #n, data         [t; u], #n, the name of the data
//	0⃗                       0, [| 0, 0 |] or vec i < d -> 0, where d is concrete
//
// # Names
//
// A variable keeps its name where it may: characters that a name can't have become underscores, x* is x'. A name that
// is taken by a variable in scope, an input, data or a function gets a number. So nothing is captured, and a name may
// be used again where its scope has ended.
//
// # Types
//
// What is inferred is not written. A parameter whose type has a vector or a dual in it is annotated: a projection and
// the application of a dual need to know. A type that would take more than 2000 characters is left to inference.
//
// # Numbers
//
// The language folds the operators on numerals. An operation on two numerals that has
// been left in the term is therefore printed as a function: ( * ) 2 3, neg 2.
//
// # What can't be written
//
// A NaN or an infinity becomes a quotient. A sum of vectors outside lin, and a linear let of what no linear variable is
// in, are terms of the calculus but not of the language. And a number of an input with a product in its shape that
// stands elsewhere than in that product is bound by a pattern, which adds to the term.
//
// The text is laid out as gram fmt does it. Its size is linear in the term, and nothing recurses on the depth of the
// term. The same holds of [LaTeX], which prints a term in the notation of the paper.
package unparse
