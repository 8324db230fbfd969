// Package compile turns a term into templates.
//
// The body of each λ, of each branch of a conditional and of each list literal
// becomes a [graph.Template] in A-normal form: an instruction for each node that
// running it creates, in evaluation order. What is known of the strategy is used
// here, once, instead of by the machine, each time:
//
//   - Curried λs are one template of several parameters. A λ, a list or a numeral
//     without captured variables is a global, made once.
//   - The calculus's strategy is by value, so all code of a body outside inner λs
//     and branches runs exactly once in a run of the body. The steps that it takes
//     by (2), (3), (4), (6), (8), (12) and (13) are therefore counted here, in
//     [graph.Template.Counts], and the machine counts the runs.
//   - A pair that is opened in the body that builds it is never built: its
//     components are operands. (2) is counted all the same.
//   - ⟨e, λa.u⟩ is ⟨e, d⟩[d:=λa.u]: each dual λ is named where it is evaluated, and
//     d counts one (4).
//   - A sum in which an application of a dual λ may stand is put off up to where its
//     value is needed (linear.go), unless the program is D(t), whose duals are all
//     fired by the one seed.
//   - An operand is marked ready where no application of the same body can
//     delay it; the machine then does not look.
//
// The compiler keeps an explicit stack of tasks and one of operands; it takes time
// linear in the term plus the total number of captured variables.
package compile
