package gram

import (
	"time"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/graph/calls"
	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/rule"
)

// Cost is what a run cost: exact and reproducible but for the times. [Forward] and [Tape] set only
// Inputs, Nodes, Seconds and Operations.
type Cost struct {
	// M, Graph, BoundRatio and Span are there if they were asked for: m, |G| and
	// (steps + overhead) / (m + |G|), Theorem 1, and the longest chains of steps.
	M          *uint64  `json:"m,omitempty"`
	Graph      *uint64  `json:"graph,omitempty"`
	BoundRatio *float64 `json:"boundRatio,omitempty"`
	Span       *Span    `json:"span,omitempty"`

	Inputs int      `json:"inputs"` // scalar input variables
	Size   struct { // |t| and |D(t)|, in symbols
		Term    int64 `json:"term"`
		Reverse int64 `json:"reverse,omitempty"`
	} `json:"size"`
	// Normalised and Cache are there for the strategy [Modular]: what it did before the run, and
	// what of that it found in a cache; without one, all λs are misses.
	Normalised *modular.Report `json:"normalised,omitempty"`
	Cache      *modular.Reuse  `json:"cache,omitempty"`
	Steps      rule.Counts     `json:"steps"`
	Overhead   Overhead        `json:"overhead"`
	Nodes      Nodes           `json:"nodes"`
	ArenaBytes uint64          `json:"arenaBytes"` // of memory that the arena holds
	Work       *Work           `json:"work,omitempty"`
	Seconds    Seconds         `json:"seconds"`
	// NsPerStep is Seconds.Reduce over all steps and overhead, in nanoseconds.
	NsPerStep float64 `json:"nsPerStep"`
	// Operations are those of one gradient by [Forward] or [Tape]: evaluations of
	// symbols, products and additions of numbers.
	Operations uint64 `json:"operations,omitempty"`
}

// Overhead is the work that is no step. Of a literal run it is the units, and in Search the rewrites.
type Overhead struct {
	Instantiate uint64 `json:"instantiate"` // instructions copied, references captured
	Search      uint64 `json:"search"`      // pops, waits, occurrences counted before a backward phase; nodes freed
	Readback    uint64 `json:"readback"`    // components read back
	Total       uint64 `json:"total"`
	// Recompute is the steps that loops made again because they had not kept their rows. It is not in Total.
	Recompute uint64 `json:"recompute,omitempty"`
}

// Nodes are nodes of 16 bytes, of a literal run of 32; of [Forward] and [Tape], those of the
// computational graph.
type Nodes struct {
	Allocated uint64 `json:"allocated"`
	Freed     uint64 `json:"freed"` // before the run was over
	Peak      uint64 `json:"peak"`  // in the arena at once
}

// Seconds are times: Load of reading, elaborating and typing; Compile of D and the templates, and, for
// [Forward] and [Tape], of the reduction to the graph; Reduce of the fastest run; ReduceMedian the median.
type Seconds struct {
	Load         float64 `json:"load"`
	Compile      float64 `json:"compile"`
	Reduce       float64 `json:"reduce"`
	ReduceMedian float64 `json:"reduceMedian"`
}

func (c *Cost) setTimes(best, median time.Duration) {
	c.Seconds.Reduce, c.Seconds.ReduceMedian = best.Seconds(), median.Seconds()
	if work := c.Steps.Total() + c.Overhead.Total; work > 0 {
		c.NsPerStep = float64(best.Nanoseconds()) / float64(work)
	}
}

// Bound is the right side of Theorem 1, O(m + |G|), for a program.
type Bound struct {
	M                                   uint64 // steps that reduce t, with its inputs symbolic, to its graph G
	Graph                               uint64 // |G|
	Operations, Edges, Inputs, Numerals uint64 // parts of |G|
}

// Ratio returns (steps + overhead) / (m + |G|) for a run of that cost.
func (b Bound) Ratio(c *Cost) float64 {
	return float64(c.Steps.Total()+c.Overhead.Total) / float64(b.M+b.Graph)
}

// Span is the length of the longest chain of dependent steps, for t and for D(t).
type Span struct {
	Value    uint64 `json:"value"`
	Gradient uint64 `json:"gradient,omitempty"` // 0: it was not asked for
}

// Work is what the rewrites and the units of work of the literal machine have read and written, in
// words of 32 bits, by name.
type Work struct {
	Rules map[string]rule.Work `json:"rules"`
	Units map[string]rule.Work `json:"units"`
}

// literalWork returns the work of a run that was measured.
func literalWork(s *machine.Stats) *Work {
	out := &Work{Rules: map[string]rule.Work{}, Units: map[string]rule.Work{}}
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
	if e.passes != nil {
		return e.passes.cost()
	}
	s, work := e.stats()
	p := e.p
	took := p.value.took
	switch {
	case e.opt.Literal && e.grad:
		took = p.literalGradient.took
	case e.opt.Literal:
		took = p.literal.took
	case e.grad && e.opt.Strategy == Modular:
		took = p.modularly.took
	case e.arrays() && p.arrays(e.grad).took() > 0:
		took = p.arrays(e.grad).took
	case e.grad:
		took = p.gradient.took
	}
	compiling := max(took(), e.making)
	p.mu.Lock()
	size := p.size
	p.mu.Unlock()
	cost := Cost{
		Inputs: len(p.inputs),
		Steps:  s.Counts,
		Overhead: Overhead{Instantiate: s.Instantiate, Search: s.Search, Readback: s.Readback,
			Total: s.Instantiate + s.Search + s.Readback, Recompute: s.Recompute},
		Nodes:      Nodes{Allocated: s.Nodes, Freed: s.Freed, Peak: s.PeakNodes},
		ArenaBytes: s.ArenaBytes,
		Work:       work,
		Seconds:    Seconds{Load: p.loading.Seconds(), Compile: compiling.Seconds()},
	}
	if m := e.modularised; m != nil {
		reuse := m.Reuse
		s := p.opt.Cache.Stats()
		reuse.Bytes, reuse.MaxBytes, reuse.Evictions = s.Bytes, s.MaxBytes, s.Evictions
		cost.Normalised, cost.Cache = &m.Report, &reuse
	}
	cost.Size.Term = size.term
	if e.grad {
		cost.Size.Reverse = size.reverse
	}
	cost.setTimes(e.last, e.last)
	return cost
}

// stats returns what the last run and what went before it cost, and the work if it was measured.
// Each rewrite of the literal machine is taken off the worklist, like the units that are no
// copying and no reading.
func (e *Evaluator) stats() (engine.Stats, *Work) {
	if !e.opt.Literal {
		return modular.Add(e.m.Stats(), e.before), nil
	}
	s := e.literal.Stats()
	units := func(u rule.Move) uint64 { return s.Work[u].Fired }
	var work *Work
	if e.opt.Work {
		work = literalWork(&s)
	}
	return engine.Stats{Counts: s.Counts, Instantiate: units(rule.Instantiate), Readback: units(rule.ReadBack),
		Search: s.Counts.Total() + units(rule.Wake) + units(rule.Search) + units(rule.FreeUnit),
		Nodes:  s.Nodes, Freed: s.Freed, PeakNodes: s.PeakNodes, ArenaBytes: s.ArenaBytes}, work
}

// samples hands out the profile of the last run.
func (e *Evaluator) samples(f func(calls.Sample)) {
	if e.profile != nil {
		e.profile.Samples(e.literal.Stats().Nodes, f)
	} else {
		e.m.Samples(f)
	}
}
