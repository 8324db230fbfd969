package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/exp/trace"
)

// traceSummary says how long each phase was under way, by the regions of the execution trace in a
// file, in the order in which they begin. It is "" for a pipe, which can't be read back, and for
// a trace without a phase.
func traceSummary(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", err
	}
	f, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	phases, err := readPhases(ctx, bufio.NewReader(f))
	if err != nil || len(phases) == 0 {
		return "", err
	}
	var parts []string
	for _, p := range phases {
		parts = append(parts, p.name+" "+seconds(p.time.Seconds()))
	}
	return strings.Join(parts, ", "), nil
}

// phaseTime is how long a phase was under way.
type phaseTime struct {
	name string
	time time.Duration
}

// readPhases adds up the regions of an execution trace by their names.
func readPhases(ctx context.Context, r io.Reader) ([]phaseTime, error) {
	events, err := trace.NewReader(r)
	if err != nil {
		return nil, err
	}
	var phases []phaseTime
	index := map[string]int{}
	begun := map[string]trace.Time{}
	for ctx.Err() == nil {
		e, err := events.ReadEvent()
		switch {
		case errors.Is(err, io.EOF) && len(begun) > 0:
			return nil, fmt.Errorf("the trace has %d regions without an end", len(begun))
		case errors.Is(err, io.EOF):
			return phases, nil
		case err != nil:
			return nil, err
		case e.Kind() == trace.EventRegionBegin:
			name := e.Region().Type
			if _, known := index[name]; !known {
				index[name] = len(phases)
				phases = append(phases, phaseTime{name: name})
			}
			begun[name] = e.Time()
		case e.Kind() == trace.EventRegionEnd:
			name := e.Region().Type
			phases[index[name]].time += e.Time().Sub(begun[name])
			delete(begun, name)
		}
	}
	return nil, ctx.Err()
}
