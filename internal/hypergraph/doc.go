// Package hypergraph is the numeric side of section 2 of the paper: computational graphs as directed acyclic
// hypergraphs, their evaluation, forward mode and the backpropagation algorithm.
//
// # The graph (section 2.1)
//
// A node is a number that a computation makes. A hyperedge
//
//	z1,…,zk ──f──▶ w
//
// is the assignment w := f(z1,…,zk); f is a symbol of the table in package term, or
// +. A node is the target of at most one hyperedge. Inputs are the target of none,
// numerals that of a nullary one. Outputs are any nodes, in an order. Figure 1:
//
//	x1,x2 ──−──▶ z1    z1,z1 ──·──▶ z2    z2 ──sin──▶ y
//
// A [Graph] keeps its nodes in topological order: what a hyperedge reads comes before its target. "Look for a
// hyperedge whose sources are known", which the algorithms do at each step, is then a loop from front to back, and
// its mirror image in the backward phase a loop from back to front.
//
// A graph is made by a [Builder], operation by operation, or from a ground term by [FromTerm].
//
// # The memory
//
// The algorithms fill a [Memory] with an assignment for each node:
//
//	forward evaluation (2.1)   x := s        the primal
//	forward mode (2.2)         x := (s, t)   primal and tangent
//	backpropagation (2.4)      x := (s, α)   primal and adjoint
//
// Each is one pass over the graph, O(|G|), without recursion. A gradient by n inputs
// is n passes of forward mode, or one backpropagation. A Jacobian of k outputs is n
// passes of forward mode, or one forward phase and k backward phases.
//
// # What is counted
//
// An operation is one evaluation of a symbol of F or F′, one product or one addition
// of numbers. With k operands, of which p have a slope ∂i f that is a symbol of its
// own (the others have a numeral or another operand for it), a hyperedge costs
//
//	evaluation       1
//	forward mode     1 + p + k + (k−1)    f, the slopes, the products, their sum
//	backward phase   p + k + k            the slopes, the products, the updates
//
// and + costs 1, 2 and 2: its slopes are 1 and multiply nothing. In forward mode each
// hyperedge costs the same, whether its sources depend on the input or not.
//
// # Two corrections
//
// The backward phase of section 2.4 visits every hyperedge, also those that the
// output doesn't depend on. Their adjoint is 0, but 0·∂f is NaN where the slope is
// infinite: for let z = sqrt x in x at 0 the algorithm as printed finds NaN and not
// 1. Here a hyperedge is visited only if an adjoint has arrived at its target. That
// is the case H = 0 in the definition of bp (section 5.1).
//
// Forward mode of section 2.2 multiplies every tangent, also those of nodes that don't depend on the input. They are
// 0, and again 0·∂f may be NaN: for x + sqrt y at y = 0 the derivative by x is 1. Here the product with such a
// tangent is 0, as 0 is the neutral element of ⊕ in section 5.1. Which nodes depend on the input is a property of the
// graph: a tangent that happens to be 0 at the point is multiplied.
package hypergraph
