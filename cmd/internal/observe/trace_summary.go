package observe

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

	"github.com/gram-machine/gram/internal/notation"
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
	phases, err := ReadPhases(ctx, bufio.NewReader(f))
	if err != nil || len(phases) == 0 {
		return "", err
	}
	var names []string
	total := map[string]time.Duration{}
	for _, p := range phases {
		if _, ok := total[p.Name]; !ok {
			names = append(names, p.Name)
		}
		total[p.Name] += p.Time
	}
	for i, name := range names {
		names[i] = name + " " + notation.Seconds(total[name].Seconds())
	}
	return strings.Join(names, ", "), nil
}

// Phase is a phase of a run and the time that it took.
type Phase struct {
	Name string
	Time time.Duration
}

// ReadPhases returns the regions of an execution trace in order. Adjacent regions of one name are one
// phase. Regions are not nested.
func ReadPhases(ctx context.Context, r io.Reader) ([]Phase, error) {
	events, err := trace.NewReader(r)
	if err != nil {
		return nil, err
	}
	var phases []Phase
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
			if name := e.Region().Type; len(phases) == 0 || phases[len(phases)-1].Name != name {
				phases = append(phases, Phase{Name: name})
			}
			begun = e.Time()
			open++
		case e.Kind() == trace.EventRegionEnd:
			phases[len(phases)-1].Time += e.Time().Sub(begun)
			open--
		}
	}
	return nil, ctx.Err()
}
