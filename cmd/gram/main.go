package main

import (
	"github.com/spf13/cobra"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
)

func main() { command.Main(commands) }

// app is one run of gram.
type app struct {
	*command.App
	cache *gram.Cache  // for all programs of the process, made at first use
	phase func(string) // if not nil, is called when a phase of the work begins
	// progress, if not nil, is called now and then with the current phase.
	progress func(string)
	note     func(string) // if not nil, sets what the line of progress shows instead of the phase
}

// commands returns gram's commands, in the order of its help.
func commands(base *command.App) []*cobra.Command {
	a := &app{App: base}
	base.AtEnd = func() { a.cache.Close() }
	return []*cobra.Command{
		newCheck(a), newEval(a), newGrad(a), newCheckGradient(a), newFit(a), newExport(a), newShow(a), newProfile(a), newTrace(a),
		newReduce(a), command.Elsewhere(base, "explore", "Step through a run, in a page of the browser"), newLSP(a),
		command.Elsewhere(base, "bench",
			"Measure the paper's cost claims, the speed beside peers, or how a program's cost grows"),
		newFmt(a), newExample(a), newVersion(a),
	}
}
