// Package term is the calculus: types, terms, their typing, and the table of function symbols.
//
// # Grammar
//
// Types and terms are those of section 4 of the paper, with the constructors
// that the surface language needs kept as single nodes:
//
//	A, B ::= R | A × B | A → B | R⊥d | A^s | T A1 … Ap         (types)
//	t, u ::= x | r | λx.t | t u | ⟨t,u⟩ | t[⟨x,y⟩:=u] | t[x:=u]
//	       | t + u | f(t1,…,tk) | 0⃗                            (the calculus)
//	       | ⟦t0,…⟧ | t[⟦x0,…⟧:=u]                             (vectors A^s)
//	       | [t1;…;tn] | #n | data                             (Church literals)
//	       | if s < s' then t else u                           (rule 13)
//	       | C t | match t with C1 p1 → u1 | …                 (rule 14)
//	       | fix f.λx.t                                        (rule 15)
//
// A vector A^s is the tuple ⟨t0,⟨t1,…⟩⟩ of the calculus with a type of its own: opening one counts s−1 instances of
// (2). A list literal [t1;…;tn] is the term λf.λx.f t1 (… (f tn x)) and #n the term λf.λx.f (… (f x)); they are one
// node each, whatever their length, and count as the terms that they stand for.
//
// # Inductive types
//
// A universe of types has declarations T α1 … αp = C1 of A1 | … | Ck of Ak ([Types.Declare], [Types.Define]); the types
// T B1 … Bp are their instances. D(T) is a declaration as well, with the arguments D(Ai). A pattern p is x, or
// ⟨x1,…,xk⟩. Functions that are defined together are one fix ⟨f1,…,fk⟩.⟨λ1,…,λk⟩; a node stands for one of its members
// ([Term.Fix]).
//
// # Families
//
// These nodes stand for their expansion, with an index i that is below s, and static expressions e
// of indices (family.go); [Term.Expand] makes it. Types, sizes and free variables are those of the
// expansion. Everything else takes a term without families.
//
//	t, u ::= ⟦t | i<s⟧ | [t | i<s]                              ⟦t{0/i},…,t{s−1/i}⟧, and the list
//	       | Σ(i<s) t                                           the sum, in the order of [Sum]
//	       | x_e | e                                            a component of an opened vector; a numeral
//
// # Representation
//
// A [Term] is an arena. A node names its children by [Ref], an index into the arena, and children always come before
// their parents. So every pass that works from the leaves up (typing, size, the reverse transformation) is a loop over
// the arena from front to back, whatever the depth of the term; passes that need a traversal from the root keep an
// explicit stack. Nothing in this package recurses on the depth of a term; families and static expressions do not nest
// so deep.
//
// Every binder of an arena binds a [Var] of its own: no variable is bound twice, and a free variable is never bound.
// Substitution therefore needs no renaming. A node has one parent.
package term
