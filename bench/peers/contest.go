package peers

import (
	"context"
	"fmt"
	"slices"

	"github.com/gram-machine/gram/bench"
)

// Times are what one peer took in one task.
type Times struct {
	Peer    *Peer
	Samples []float64 // nanoseconds of one run, one for each round
	Bytes   float64   // 0: not known
	Steps   float64   // of one run, before which nothing is left to normalise; 0 of peers that don't rewrite
}

// Contest lets the contestants that take the task run turn by turn, in rounds. The first of
// them whose steps are counted is the machine that the others must agree with. Who does not, or
// fails, is left out, with a fault. The error is that of the machine, or of the context. Programs run in
// folders of their own, in dir.
func (t Task) Contest(ctx context.Context, all []Contestant, rounds int, dir string) ([]Times, []*Fault, error) {
	c := &contest{task: t}
	defer c.close()
	if err := c.start(ctx, all, dir); err != nil {
		return nil, nil, err
	}
	want, err := c.reference(ctx)
	if err != nil {
		return nil, nil, err
	}
	for range rounds {
		if err := c.round(ctx, &want); err != nil {
			return nil, nil, err
		}
	}
	var times []Times
	for _, e := range c.entries {
		if !e.out {
			times = append(times, e.times)
		}
	}
	return times, c.faults, nil
}

// contest is one task under way.
type contest struct {
	task    Task
	entries []*entry
	faults  []*Fault
}

// entry is a peer at work.
type entry struct {
	runner
	times Times
	out   bool // takes no part any longer
}

// start makes the contestants ready that take the task.
func (c *contest) start(ctx context.Context, all []Contestant, dir string) error {
	w, err := bench.NewWorkload(c.task.Workload, c.task.N, c.task.K)
	if err != nil {
		return err
	}
	for i := range all {
		p := &all[i]
		if !p.Takes(c.task) {
			continue
		}
		r, err := p.start(ctx, c.task, w, dir)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			c.fault(&p.Peer, err)
			continue
		}
		c.entries = append(c.entries, &entry{runner: r, times: Times{Peer: &p.Peer}})
	}
	return nil
}

func (c *contest) close() {
	for _, e := range c.entries {
		e.Close()
	}
}

func (c *contest) fault(p *Peer, err error) {
	c.faults = append(c.faults, &Fault{Peer: p.Name, Task: &c.task, Err: err})
}

// reference is the answer of the machine, which the others are held against.
func (c *contest) reference(ctx context.Context) (Answer, error) {
	for _, e := range c.entries {
		if e.times.Peer.Steps {
			a, err := e.Turn(ctx)
			a.Gradient = slices.Clone(a.Gradient) // which the next turn overwrites
			return a, err
		}
	}
	return Answer{}, fmt.Errorf("peers: %s without the machine", c.task.Name())
}

// round takes a time of each entry, one after the other.
func (c *contest) round(ctx context.Context, want *Answer) error {
	for _, e := range c.entries {
		if e.out {
			continue
		}
		a, err := e.Turn(ctx)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil {
			err = a.Agrees(want)
		}
		if err != nil {
			e.out = true
			c.fault(e.times.Peer, err)
			continue
		}
		e.times.Samples = append(e.times.Samples, float64(a.Time.Nanoseconds()))
		e.times.Bytes, e.times.Steps = e.Bytes(), a.Steps
	}
	return nil
}
