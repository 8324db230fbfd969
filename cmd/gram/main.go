// Command gram types, runs and differentiates programs of the simply typed
// lambda-calculus with linear negation, and tells exactly what that cost.
//
// The command gram help lists its commands. The files here have their constructors.
//
// Three commands are programs of their own, which gram runs: gram-fit, gram-explore and gram-bench. So gram is built
// without what only they link. How a command line is run, package command says.
package main

import (
	"github.com/spf13/cobra"

	"github.com/gram-machine/gram/cmd/internal/command"
)

func main() { command.Main(commands) }

// app is one run of gram.
type app struct{ *command.App }

// commands returns gram's commands, in the order of its help.
func commands(base *command.App) []*cobra.Command {
	a := &app{base}
	return []*cobra.Command{
		newCheck(a), newEval(a), newGrad(a), newCheckGradient(a),
		command.Elsewhere(base, "fit", "Fit the inputs of a program to its data"),
		newExport(a), newShow(a), newProfile(a), newTrace(a), newReduce(a),
		command.Elsewhere(base, "explore", "Step through a run, in a page of the browser"),
		newLSP(a),
		command.Elsewhere(base, "bench",
			"Measure the paper's cost claims, the speed beside peers, or how a program's cost grows"),
		newFmt(a), newExample(a), newVersion(a),
	}
}
