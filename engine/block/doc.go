// Package block runs blocks, straight-line arithmetic, in registers: once, as loops, and backward. It knows registers, the rows that
// loops keep for their backward phase, data, and machine code. It does not know the nodes of the machine: that is its [Host].
//
// # Loops
//
// A [Loop] makes runs one after the other, each from the results of the one before. It keeps a row for each run, or [Checkpoints].
//
// # Blocks with paths
//
// The runs of a block may take several paths: see [graph.Block]. A row says which path its run took.
//
// # Backward
//
// [Runner.Sweep] fires the cells of all runs of an object, the last run first, by the backward code of each: that of the duals
// which the run behind reaches. What comes of it are [Contributions] to the external duals.
//
// # Machine code
//
// A loop that runs long is compiled by package native.
package block
