// Package machine is the literal machine: it makes every step that it counts. Terms are shared nodes in a
// slice arena, explicit substitutions are references, and a worklist of redexes drives the rewrites. Package
// engine/exec computes the same counts much faster, by code of the compiler; it is held to this machine.
//
// Start with rules.go: the loop that takes redexes off the worklist, with the table of the rules. For each rule it
// has the number, the picture and the function that makes the rewrite at a place. The functions are in lambda.go (1,
// 15), pair.go (2, 7), subst.go (3, 4, 5), arith.go (6, 8, 12, 13, 14) and dual.go (11). [compile.Node] has the
// layout of the nodes.
//
// A node that can't fire yet waits for its operands, and knows the one [Place] that waits for it. An operand is
// written when it is a value (deliver.go). The last one makes the node a redex. A λ is a value when all that it
// captures has its value; so a value refers to older values alone. Lists and numerals are one node, of which one
// application at a time is made (iterate.go).
//
// What a rewrite leaves that is not bounded by nature is cut into units of work, which are counted beside the rules:
// [rule.Move]. A rewrite and a unit touch a bounded number of nodes, whatever the program is. A machine that measures
// counts the calls of the function at, by which rewrites and units reach nodes: [compile.NodeWords] words for each
// call; a test has the constants. What is beside the arena is not counted, and is bounded for each move: a move puts
// a bounded number of redexes on the worklist, a unit of instantiate reads a bounded number of entries of the frame
// and of the code, and the set of reached duals has six levels (dual.go). A node that comes from the free list is
// read there by the move that makes it, which counts it. Two things are no moves: the look at the limits, once in 2¹⁶
// moves, and the application of a list that reads it.
//
// An application of a dual whose argument is a number has arrived. In a gradient it waits at the dual's Cell, and a
// second one is a redex of (11). When the worklist is empty, the newest cell with an arrival fires, a unit of search,
// and then (3), (1), (5), and the applications in its body arrive at older cells. Under LIFO, cells are made in the
// order of evaluation. Package engine/exec may make cells in another order where operations of one body wait for the
// result of an application, and its results then differ in the last bits. Duals that a program writes itself choose
// their heads when they run. There a maximal sum is a Job, with a heap of its arrivals (job.go).
//
// With symbolic inputs, an operation on a symbol stays as an operation of the graph G, and (10) fires (open.go).
package machine
