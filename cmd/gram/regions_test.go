package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"

	"github.com/gram-machine/gram/cmd/internal/observe"
)

// regionsCommand prints the names of the regions of an execution trace, in the order in
// which they begin; a name that follows itself is printed once.
func regionsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: regions FILE")
	}
	phases, err := observe.ReadPhases(context.Background(), strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	for _, p := range phases {
		if p.Time < 0 {
			ts.Fatalf("the region %s ends before it begins", p.Name)
		}
		fmt.Fprintln(ts.Stdout(), p.Name)
	}
}
