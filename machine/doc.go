// Package machine reduces a compiled program in an arena of shared nodes.
//
// # The primal phase
//
// A worklist holds the nodes that can fire: applications, conditionals, and nodes
// whose last operand has arrived. Popping one fires one rule. An application of a
// closure instantiates its template: the instructions run one after the other;
// arithmetic, pairs and projections whose operands are values fire at once, the
// others become nodes that wait for one missing operand at a time, in a list of
// that operand. The template's result is put into the application's own node, so
// tail calls grow nothing, and then the nodes that waited for it go on. Nothing
// nests: instantiating never instantiates, waking never fires.
//
// Lists, data and numerals are iterated from the last element on by one node,
// which waits for one application at a time.
//
// # The backward phase
//
// The dual applications of one maximal sum are a job; the seed z* 1 is one. A dual
// in a job is a cell: it holds the argument that has arrived for it so far, and how
// many arrivals are due. Discovery counts them: it visits each dual that the seed
// reaches once. Then the seed's cell fires: its body runs, in registers, and each of
// its summands arrives at its cell, where it is added to what is there, rule (11)
// and the (6) that it creates; with no arrival outstanding that cell fires in turn,
// once: (3), (1), (5). The gradient is what arrives at the inputs.
//
// # Counting
//
// The steps of a template's straight-line code are known when it is compiled; the
// machine counts the runs of each template and of each dual's body, and what
// depends on the run: arguments bound, iterations, arrivals. [Machine.Stats] adds
// them up. Under every schedule the counts are the same.
package machine
