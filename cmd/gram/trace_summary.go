package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"golang.org/x/exp/trace"
)

// traceSummary returns how long each phase took, from the regions of the execution trace in a
// file, in the order in which the phases begin. It returns "" for a pipe, which can't be read back,
// and for a trace without phases.
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
	for i, p := range phases {
		if slices.IndexFunc(phases, func(o phaseTime) bool { return o.name == p.name }) < i {
			continue // it has been counted
		}
		var total time.Duration
		for _, o := range phases[i:] {
			if o.name == p.name {
				total += o.time
			}
		}
		parts = append(parts, p.name+" "+seconds(total.Seconds()))
	}
	return strings.Join(parts, ", "), nil
}

// phaseTime is the time that a phase took.
type phaseTime struct {
	name string
	time time.Duration
}

// readPhases returns the regions of an execution trace in order. Adjacent regions of one name are one
// phase. Regions are not nested.
func readPhases(ctx context.Context, r io.Reader) ([]phaseTime, error) {
	events, err := trace.NewReader(r)
	if err != nil {
		return nil, err
	}
	var phases []phaseTime
	open, begun := 0, trace.Time(0)
	for ctx.Err() == nil {
		e, err := events.ReadEvent()
		switch {
		case errors.Is(err, io.EOF) && open != 0:
			return nil, fmt.Errorf("the trace has %d regions without an end", open)
		case errors.Is(err, io.EOF):
			return phases, nil
		case err != nil:
			return nil, err
		case e.Kind() == trace.EventRegionBegin:
			if name := e.Region().Type; len(phases) == 0 || phases[len(phases)-1].name != name {
				phases = append(phases, phaseTime{name: name})
			}
			begun = e.Time()
			open++
		case e.Kind() == trace.EventRegionEnd:
			phases[len(phases)-1].time += e.Time().Sub(begun)
			open--
		}
	}
	return nil, ctx.Err()
}
