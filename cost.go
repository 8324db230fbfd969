package gram

import (
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
	var c Cost
	if e.passes != nil {
		c = e.passes.cost()
	} else {
		c = e.reductionCost()
	}
	c.Inputs = len(e.p.inputs)
	c.Seconds = cost.Seconds{Load: e.p.loading.Seconds(), Compile: e.making.Seconds()}
	c.SetTimes(e.last, e.last)
	return c
}

// reductionCost is the cost of a run of the compiler's code or of the literal machine, but for times.
func (e *Evaluator) reductionCost() Cost {
	var s exec.Stats
	c := Cost{Overhead: cost.Overhead{Machine: "code"}}
	if e.code != nil {
		s = e.ran.Stats()
	} else {
		literal := e.literal.Stats()
		s, c.Overhead.Machine = literalStats(&literal), "literal"
		if e.opt.Work {
			c.Work = literalWork(&literal)
		}
	}
	c.Steps = s.Counts
	c.Steps.AddTimes(&e.before.Counts, 1)
	o := &c.Overhead
	o.Instantiate, o.Search = s.Instantiate+e.before.Instantiate, s.Search+e.before.Search
	o.Readback, o.Recompute = s.Readback, s.Recompute
	o.Total = o.Instantiate + o.Search + o.Readback
	c.Nodes, c.ArenaBytes = cost.Nodes{Allocated: s.Nodes, Freed: s.Freed, Peak: s.Peak}, s.Bytes
	if m := e.modularised; m != nil {
		reuse := m.Reuse
		s := e.p.opt.Cache.Stats()
		reuse.Bytes, reuse.MaxBytes, reuse.Evictions = s.Bytes, s.MaxBytes, s.Evictions
		c.Normalised, c.Cache = &m.Report, &reuse
	}
	e.p.mu.Lock()
	defer e.p.mu.Unlock()
	c.Size.Term = e.p.size.term
	if e.grad {
		c.Size.Reverse = e.p.size.reverse
	}
	return c
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
	if e.profile == nil {
		e.code.Samples(f)
		return
	}
	e.profile.Samples(e.literal.Stats().Nodes, func(s calls.Sample) {
		if !e.opt.Literal { // words are of a run that measures
			s.Words = 0
		}
		f(s)
	})
}
