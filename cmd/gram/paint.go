package main

import (
	"os"

	"github.com/fatih/color"
	"golang.org/x/term"
)

// isTerminal reports whether a stream is a terminal.
func isTerminal(stream any) bool {
	f, ok := stream.(interface{ Fd() uintptr })
	return ok && term.IsTerminal(int(f.Fd()))
}

// painter colours the text for one stream, or leaves it uncoloured.
type painter struct{ heading *color.Color }

// newPainter paints for a terminal, unless NO_COLOR is set.
func newPainter(stream any) painter {
	p := painter{color.New(color.Bold)}
	if isTerminal(stream) && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb" {
		p.heading.EnableColor()
	} else {
		p.heading.DisableColor()
	}
	return p
}
