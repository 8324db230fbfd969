// Package machine is the literal machine: it makes every step that it counts. Terms are shared nodes in a
// slice arena, explicit substitutions are references, and a worklist of redexes drives the rewrites. Package
// engine computes the same counts much faster, from templates; it is held to this machine.
//
// # Nodes
//
// The arena holds the term. There is a node of 32 bytes for each constructor: a numeral and an occurrence of a
// variable are operands of the node in which they stand. node.go has the layout of each [Kind].
//
//   - An occurrence refers to its substitution, a Sub, Linear or Cell. That knows how many occurrences are left.
//     Until it has its value, its occurrences wait for it in a list.
//   - A node that can't fire yet waits for its operands, and knows the one [Place] that waits for it. An operand is
//     written when it is a value. The last one makes the node a redex, which goes on the worklist.
//   - A λ refers to the substitutions of its free variables. Its body is code (package compile/literal) until (1) fires. It is a
//     value when they have their values; so a value refers to older values alone.
//   - A dual λ has a name: λa.t is d[d:=λa.t], where d is a Cell.
//   - A vector is pairs nested to the right. A list or a numeral is one node, of which one application at a time is
//     made.
//
// # Rules
//
// rules.go is the table: for each rule its number, its picture, and the function that makes the rewrite at a
// place. The functions are in lambda.go (1), pair.go (2, 7), subst.go (3, 4, 5), arith.go (6, 8, 12, 13) and
// dual.go (11). The loop that takes redexes off the worklist, counts them and tells of them is Machine.reduce.
//
//	(1)   An application becomes the substitution of the λ's parameter.
//	(2)   The components of a pair become the values of two substitutions.
//	(3)   An occurrence becomes the value, which is shared; the last one takes it.
//	(4)   A substitution without occurrences goes to the free list.
//	(5)   The occurrences of a linear variable become its number.
//	(11)  Two applications of one dual become one, of a sum.
//
// # Units
//
// What is not bounded by nature is cut into units of work that are. They are counted beside the rules:
//
//	instantiate   a node of a body is made, a captured variable is loaded, or an operand is given after the
//	              nodes are made
//	wake          something that waits for a value goes on
//	search        the backward phase looks at one dual, or takes a node of a sum apart
//	free          a value that nothing refers to goes to the free list
//	readback      a number of the result is read
//
// A rewrite and a unit touch a bounded number of nodes, whatever the program is. A machine that measures counts
// [literal.NodeWords] words for each node that it touches, in the function at, by which rewrites and units reach nodes; a
// test has the constants.
//
// # Duals
//
// An application of a dual whose argument is a number has arrived. In a gradient it waits at the dual's Cell, and
// a second one is a redex of (11). When the worklist is empty, the newest cell with an arrival fires: (3) puts its λ
// at the head, then (1) and (5) follow, and the applications in its body arrive at older cells. That order is a
// topological one, and it fixes the order in which arrivals are added. Copying a body puts its applications, conditionals and
// λs of duals on the worklist, the one that is evaluated first on top. So under LIFO its cells are made in the order of
// evaluation. Where operations of one body wait for the result of an application, package engine may make their cells in
// another order, and its results then differ in the last bits. Cells are linked in the order in which they were made, so finding
// the next one looks at each cell once for each seed.
//
// Duals that a program writes itself choose their heads when they run. There a maximal sum is a Job, with a heap of
// its arrivals (job.go).
//
// # Events
//
// A machine with [Options.Events] tells of each rewrite and each unit in the order in which they happen: [Fired].
// [Machine.Heap] shows the arena between two events.
package machine
