// Package engine reduces a compiled program in an arena of shared nodes.
//
// # The primal phase
//
// A worklist holds the nodes that can fire: applications, conditionals, and nodes whose last operand has arrived. Popping one fires one
// rule. An application of a closure instantiates its template: the instructions run one after the other; arithmetic, pairs and
// projections whose operands are values fire at once, the others become nodes that wait for one missing operand at a time, in a list of
// that operand. The template's result is put into the application's own node, so tail calls grow nothing, and then the nodes that
// waited for it go on. Nothing nests: instantiating never instantiates, resuming never fires.
//
// Lists, data and numerals are iterated from the last element on by one node, which waits for one application at a time.
//
// # The backward phase
//
// The dual applications of one maximal sum are a job; the seed z* 1 is one. A dual in a job is a cell: it holds the argument that has
// arrived for it so far, and how many arrivals are due. Discovery counts them: it visits each dual that the seed reaches once. Then the
// seed's cell fires: its body runs, in registers, and each of its summands arrives at its cell, where it is added to what is there,
// rule (11) and the (6) that it creates; with no arrival outstanding that cell fires in turn, once: (3), (1), (5). The gradient is what
// arrives at the inputs. A run without blocks under LIFO needs no discovery: see package cells.
//
// # Jobs
//
// Dual λs that are written by hand choose their heads as they run, and stand in any sum of a program. A maximal sum is then a job of
// its own on the worklist. It is put off as a bag, through the results of calls and branches, up to the place that needs its value;
// then a job divides it into its summands: applications of duals arrive, numbers and vectors contribute to the sum, (6) and (7). The
// job fires one dual each time that it is popped, the one that was allocated last of those that have arrivals, which is a reverse
// topological order: a value refers to older values only. All arrivals at it are there then; beyond the first each is (11), which adds
// the arguments, bags too. Their sum is a job that the first waits for, and so is the result of the dual's body, before it is divided
// in turn. Late components of a vector are jobs at the end, when (7) has added all. Jobs are nodes that wait like others: a sum in a
// sum in a sum uses no stack, and as no cell has a state, one dual may have arrivals in several jobs.
//
// # Blocks
//
// A closure whose template has a block runs as one instruction, or as a loop: see package block. A function of an iteration that has
// none may have a block with paths, made for the closures that it captures: see chain.go. A function that takes one argument more than
// the iteration gives it makes a chain: the function that comes of it is not built, and applying it is a loop.
//
// # Packages
//
// What needs nothing of the machine is in packages of its own: block runs blocks, by packages array and native; collect has the objects
// of the arena and the collector, ground the size of the graph of an open program, order the order in which cells fire, and pool the
// tasks of the schedule [Parallel]. Packages listing and profile read a machine.
//
// # Counting
//
// The steps of a template's straight-line code are known when it is compiled; the machine counts the runs of each template and of each
// dual's body, and what depends on the run: arguments bound, iterations, arrivals. [Machine.Stats] adds them up. Under every schedule
// the counts are the same.
package engine
