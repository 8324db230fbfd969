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
func (t Task) Contest(ctx context.Context, all []Contestant, rounds int, dir string) (out []Times, faults []*Fault,
	err error) {
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
	leaveOut := func(p *Peer, err error) { faults = append(faults, &Fault{Peer: p.Name, Task: &t, Err: err}) }
	for i := range all {
		p := &all[i]
		if !p.Takes(t) {
			continue
		}
		r, err := p.start(ctx, t, w, dir)
		switch {
		case ctx.Err() != nil:
			return nil, nil, ctx.Err()
		case err != nil:
			leaveOut(&p.Peer, err)
		default:
			entries = append(entries, &entry{runner: r, times: Times{Peer: &p.Peer}})
		}
	}
	machine := slices.IndexFunc(entries, func(e *entry) bool { return e.times.Peer.Steps })
	if machine < 0 {
		return nil, nil, fmt.Errorf("peers: %s without the machine", t.Name())
	}
	want, err := entries[machine].Turn(ctx)
	if err != nil {
		return nil, nil, err
	}
	want.Gradient = slices.Clone(want.Gradient) // which the next turn overwrites
	for range rounds {
		for _, e := range entries {
			if e.out {
				continue
			}
			err := e.turn(ctx, &want)
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			if err != nil {
				e.out = true
				leaveOut(e.times.Peer, err)
			}
		}
	}
	for _, e := range entries {
		if !e.out {
			out = append(out, e.times)
		}
	}
	return out, faults, nil
}

// entry is a peer at work on the task.
type entry struct {
	runner
	times Times
	out   bool // it has failed, and is not measured again
}

// turn takes one time. The answer must agree with the one that is wanted.
func (e *entry) turn(ctx context.Context, want *Answer) error {
	a, err := e.Turn(ctx)
	if err == nil {
		err = a.Agrees(want)
	}
	if err != nil {
		return err
	}
	e.times.Samples = append(e.times.Samples, float64(a.Time.Nanoseconds()))
	e.times.Bytes, e.times.Steps = e.Bytes(), a.Steps
	return nil
}
