// Package graph is the representation that the compiler and the machine share:
// the nodes of the arena, the templates that are instantiated into it, and the
// names of the rules.
//
// # Nodes
//
// A [Node] is 16 bytes without a Go pointer; a [Ref] is its index, 0 is nil. An
// object takes one node or several consecutive ones, which are then read as words
// of 32 bits (w0 w1 w2 w3 of the first node, w4… of those that follow). The low
// byte of w0 is the object's [Kind]. Kinds below [Wait] are values:
//
//	kind      w0 above the kind  w1            w2 w3            w4…
//	Num                                        the number
//	Pair                         1, 2: open    a, b
//	Vec       components         1, 2: open; 3: late  the components …
//	Con       constructor                      its argument, 0: none
//	Closure   template                         the captured references …
//	Partial   arguments          function      the arguments …
//	Chain                        function      data or numeral, innermost function
//	List      template                         the captured references …
//	Nat                                        the count
//	Data      1: reversed        index
//	Dual      dual template      arrivals due  the argument     the captured references …
//	Input     input              arrivals due  the argument
//	Forward                      the value
//	SymInput  input                            its value at the point
//	Inert     symbol, 0 for +                  value         w4 the instruction, w5 its number, then the operands
//	Neutral   what it is         type          a number, and how many operands; the operands …
//	LinDual   template                         the captured references …
//	Arrival                                    dual, argument  its links in a job's heap (two words)
//	Bag                                        a, b
//
// and the others wait for an operand, or stand on the worklist:
//
//	kind      w0 above the kind  w1            w2    w3     w4…
//	Suspended next operand       its waiters   next  instr  the operands …
//	Apply     args | operand<<8  its waiters   next  instr  function, arguments (at most 3)
//	Project   component          its waiters   next  instr  the tuple
//	Copy                         its waiters   next  instr  the value to take over
//	IterNat   –                  its waiters   next  instr  function, accumulator, count (two words)
//	IterData  –                  its waiters   next  instr  function, accumulator, data, elements left
//	IterList  –                  its waiters   next  instr  function, accumulator, vector, elements left
//	Job       phase              its waiters   next  instr  operand, heap, sum, dual or component
//
// "next" links the nodes that wait for the same operand. An explicit substitution
// is a reference: an operand that was a variable of the term holds the reference
// of the node that is substituted for it.
//
// The invariants are: a value refers to values only, never to a waiting node and
// never to a Forward; a Forward refers to a value that is no Forward.
//
// Where inputs are symbolic, an operation on an inert operand is an Inert node: what
// is left of them when no redex is left is the computational graph G. A pair or a
// vector with an inert component is open: 1 before rule (10) has named its
// components, 2 after that. The top bit of an Inert's head says that it has no value
// at the point: it depends on a variable of a λ that normalisation has gone under. Such
// a variable is a Neutral node, and so is what it keeps from firing: an application of a
// neutral function, a conditional, or a component of either. At a product or a vector
// the value is a Pair or a Vec of neutral components.
//
// Where a program has dual λs of its own, a sum is a Bag of Arrivals, numbers and
// vectors until a Job runs it; a vector is late if a component is such a sum. Bags and
// Arrivals have one owner: a slot, a node or a job, which may link them.
//
// # Templates
//
// A [Template] is the body of a λ, of a branch, of the elements of a list, or of
// the whole program in A-normal form: a sequence of [Instr], one for each node to
// create. Operands are slots of the machine's one frame: first the globals of the
// program (constants, inputs, data, closures without captured variables), then the
// captured variables, the parameters and the results of the template that is being
// instantiated. Instantiating never nests, so there is one frame.
//
// The rules that a template's code fires once each time that it runs are counted
// in the template, when it is compiled, and not again when it runs: see
// [Template.Counts].
//
// The body of a dual λ that D makes is a [Dual]: arithmetic on numbers alone, in
// registers, and then one arrival for each summand. That of any other is a template of
// one parameter.
package graph
