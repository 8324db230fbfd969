// Command gram types, runs and differentiates programs of the simply typed
// lambda-calculus with linear negation, and tells exactly what that cost.
//
// The command gram help lists its commands. Each has a file with its constructor.
//
// Three commands are programs of their own, which gram runs: gram-fit, gram-explore and gram-bench. So gram is built
// without what only they link. How a command line is run, package command says.
package main
