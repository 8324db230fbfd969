package main

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/rogpeppe/go-internal/testscript"
	"golang.org/x/exp/trace"
)

// regionsCommand prints the names of the regions of an execution trace, in the order in
// which they begin; a name that follows itself is printed once.
func regionsCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 1 {
		ts.Fatalf("usage: regions FILE")
	}
	names, err := regions(ts.ReadFile(args[0]))
	ts.Check(err)
	for _, name := range slices.Compact(names) {
		fmt.Fprintln(ts.Stdout(), name)
	}
}

// regions returns the names of the regions of a trace. It is an error if one does not end.
func regions(data string) (names []string, err error) {
	r, err := trace.NewReader(bytes.NewReader([]byte(data)))
	if err != nil {
		return nil, err
	}
	open := 0
	for {
		event, err := r.ReadEvent()
		switch {
		case errors.Is(err, io.EOF):
			if open != 0 {
				return nil, fmt.Errorf("%d regions do not end", open)
			}
			return names, nil
		case err != nil:
			return nil, err
		case event.Kind() == trace.EventRegionBegin:
			names = append(names, event.Region().Type)
			open++
		case event.Kind() == trace.EventRegionEnd:
			open--
		}
	}
}
