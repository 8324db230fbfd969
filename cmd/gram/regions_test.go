package main

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/exp/trace"
)

// regionsCommand prints the names of the regions of an execution trace, in the order in
// which they begin; a name that follows itself is printed once.
func regionsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: regions FILE")
	}
	events, err := trace.NewReader(strings.NewReader(ts.ReadFile(args[0])))
	ts.Check(err)
	last, open := "", 0
	for {
		e, err := events.ReadEvent()
		if errors.Is(err, io.EOF) {
			break
		}
		ts.Check(err)
		switch e.Kind() {
		case trace.EventRegionBegin:
			if open++; e.Region().Type != last {
				last = e.Region().Type
				fmt.Fprintln(ts.Stdout(), last)
			}
		case trace.EventRegionEnd:
			open--
		}
	}
	if open != 0 {
		ts.Fatalf("the trace has %d regions without an end", open)
	}
}
