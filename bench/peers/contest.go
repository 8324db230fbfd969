package peers

import (
	"context"
	"fmt"
	"os"
	"slices"
	"strconv"

	"github.com/gram-machine/gram/bench"
)

// arguments are the task for a program of ours.
func (t Task) arguments() []string {
	return []string{t.Workload, strconv.Itoa(t.N), strconv.Itoa(t.K)}
}

// Times are what one peer took in one task.
type Times struct {
	Peer    *Peer
	Samples []float64 // nanoseconds of one run, one for each round
	Bytes   float64   // 0: not known
	Steps   float64   // of one run, before which nothing is left to normalise; 0 of peers that don't rewrite
}

// entry is a peer at work.
type entry struct {
	*Contestant
	runner
	times Times
}

// Contest lets the contestants that take the task run turn by turn, in rounds. The first of
// them whose steps are counted is the machine that the others must agree with. Who does not, or
// fails, is left out, with a fault. The error is that of the machine, or of the context. Programs run in
// folders of their own, in dir.
func (t Task) Contest(ctx context.Context, all []Contestant, rounds int, dir string) ([]Times, []*Fault, error) {
	w, err := bench.NewWorkload(t.Workload, t.N, t.K)
	if err != nil {
		return nil, nil, err
	}
	var entries []*entry
	defer func() {
		for _, e := range entries {
			e.Close()
		}
	}()
	var faults []*Fault
	for i := range all {
		c := &all[i]
		if !c.Takes(t) {
			continue
		}
		r, err := c.begin(ctx, t, w, dir)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if err != nil {
			faults = append(faults, &Fault{Peer: c.Name, Task: &t, Err: err})
			continue
		}
		entries = append(entries, &entry{Contestant: c, runner: r, times: Times{Peer: &c.Peer}})
	}
	out := faulty{t, faults}
	last, err := out.rounds(ctx, entries, rounds)
	if err != nil {
		return nil, nil, err
	}
	var times []Times
	for _, e := range last {
		times = append(times, e.times)
	}
	return times, out.faults, nil
}

// begin starts the peer in a folder of its own.
func (c *Contestant) begin(ctx context.Context, t Task, w *bench.Workload, dir string) (runner, error) {
	if c.find == nil {
		return c.start(ctx, t, w, "")
	}
	own, err := os.MkdirTemp(dir, "task")
	if err != nil {
		return nil, err
	}
	return c.start(ctx, t, w, own)
}

// faulty collects who is left out of a task.
type faulty struct {
	task   Task
	faults []*Fault
}

// reference is the answer of the machine, which the others are held against.
func (f *faulty) reference(ctx context.Context, entries []*entry) (Answer, error) {
	for _, e := range entries {
		if e.Contestant.Steps {
			a, err := e.Turn(ctx)
			a.Gradient = slices.Clone(a.Gradient)
			return a, err
		}
	}
	return Answer{}, fmt.Errorf("peers: %s without the machine", f.task.Name())
}

// rounds takes the times of all entries, one after the other in each round, and returns those
// that came to the end.
func (f *faulty) rounds(ctx context.Context, entries []*entry, rounds int) ([]*entry, error) {
	want, err := f.reference(ctx, entries)
	if err != nil {
		return nil, err
	}
	for range rounds {
		var left []*entry
		for _, e := range entries {
			a, err := e.Turn(ctx)
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			if err == nil {
				err = a.Agrees(&want)
			}
			if err != nil {
				f.faults = append(f.faults, &Fault{Peer: e.Name, Task: &f.task, Err: err})
				continue
			}
			e.times.Samples = append(e.times.Samples, float64(a.Time.Nanoseconds()))
			e.times.Bytes, e.times.Steps = e.Bytes(), a.Steps
			left = append(left, e)
		}
		entries = left
	}
	return entries, nil
}
