package main

import (
	"os"

	"golang.org/x/term"

	"github.com/gram-machine/gram/cmd/internal/result"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// hasColor reports whether a stream is a terminal that shows colours and NO_COLOR is not set.
func hasColor(stream any) bool {
	return isTerminal(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// report returns a report that is printed as the answer.
func (a *app) report() *result.Report { return &result.Report{Out: &a.out, Color: a.color} }
