package gram

import (
	"time"

	"github.com/gram-machine/gram/cost"
	"github.com/gram-machine/gram/engine/exec"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// Cost is what a run cost: its steps by rule, and more.
type Cost = cost.Cost

// Bound is the right side of Theorem 1, O(m + |G|).
type Bound = cost.Bound

// literalWork returns the work of a run that was measured.
func literalWork(s *machine.Stats) *cost.Work {
	out := &cost.Work{Rules: map[string]rule.Work{}, Units: map[string]rule.Work{}}
	for i, w := range s.Work {
		to := out.Units
		if _, ok := rule.Move(i).Rule(); ok {
			to = out.Rules
		}
		to[rule.Move(i).String()] = w
	}
	return out
}

// Cost returns what the evaluator's last run cost.
func (e *Evaluator) Cost() Cost {
	if e.alongLast {
		return e.along.Cost()
	}
	if e.passes != nil {
		return e.passes.cost()
	}
	s, work := e.stats()
	s.Counts.AddTimes(&e.before.Counts, 1)
	s.Instantiate += e.before.Instantiate
	s.Search += e.before.Search
	p := e.p
	var took func() time.Duration
	switch {
	case e.grad && e.opt.Strategy == Unfold:
		took = func() time.Duration { return 0 }
	case e.code != nil:
		took = p.code[e.opt.codeForm(e.grad)].took
	case e.grad && e.opt.Strategy == Modular:
		took = p.modularly.took
	case e.grad:
		took = p.literalGradient.took
	default:
		took = p.literal.took
	}
	compiling := max(took(), e.making)
	p.mu.Lock()
	size := p.size
	p.mu.Unlock()
	c := Cost{
		Inputs: len(p.inputs),
		Steps:  s.Counts,
		Overhead: cost.Overhead{Instantiate: s.Instantiate, Search: s.Search, Readback: s.Readback,
			Total: s.Instantiate + s.Search + s.Readback, Recompute: s.Recompute, Machine: e.machine()},
		Nodes:      cost.Nodes{Allocated: s.Nodes, Freed: s.Freed, Peak: s.Peak},
		ArenaBytes: s.Bytes,
		Work:       work,
		Seconds:    cost.Seconds{Load: p.loading.Seconds(), Compile: compiling.Seconds()},
	}
	if m := e.modularised; m != nil {
		reuse := m.Reuse
		s := p.opt.Cache.Stats()
		reuse.Bytes, reuse.MaxBytes, reuse.Evictions = s.Bytes, s.MaxBytes, s.Evictions
		c.Normalised, c.Cache = &m.Report, &reuse
	}
	c.Size.Term = size.term
	if e.grad {
		c.Size.Reverse = size.reverse
	}
	c.SetTimes(e.last, e.last)
	return c
}

// machine is what runs, as in [cost.Overhead].
func (e *Evaluator) machine() string {
	if e.code != nil {
		return "code"
	}
	return "literal"
}

// stats returns what the last run cost, and the work if it was measured.
func (e *Evaluator) stats() (exec.Stats, *cost.Work) {
	if e.code != nil {
		return e.ran.Stats(), nil
	}
	s := e.literal.Stats()
	var work *cost.Work
	if e.opt.Work {
		work = literalWork(&s)
	}
	return literalStats(&s), work
}

// literalStats returns what a run of the literal machine cost. Each rewrite is taken off the worklist, like the units
// that are no copying and no reading.
func literalStats(s *machine.Stats) exec.Stats {
	units := func(u rule.Move) uint64 { return s.Work[u].Fired }
	return exec.Stats{Counts: s.Counts, Instantiate: units(rule.Instantiate), Readback: units(rule.ReadBack),
		Search: s.Counts.Total() + units(rule.Wake) + units(rule.Search) + units(rule.FreeUnit),
		Nodes:  s.Nodes, Freed: s.Freed, Peak: s.PeakNodes, Bytes: s.ArenaBytes}
}

// samples hands out the profile of the last run.
func (e *Evaluator) samples(f func(calls.Sample)) {
	switch {
	case e.profile != nil:
		e.profile.Samples(e.literal.Stats().Nodes, func(s calls.Sample) {
			if !e.opt.Literal { // words are of a run that measures
				s.Words = 0
			}
			f(s)
		})
	default:
		e.code.Samples(f)
	}
}
