package gram

import (
	"time"

	"github.com/gram-machine/gram/engine"
	"github.com/gram-machine/gram/rule"
)

// Cost is what a run cost: exact and reproducible but for the times. Of a gradient by
// [Forward] or [Tape], only Inputs, Nodes, Seconds and Operations are set.
type Cost struct {
	// M, Graph and BoundRatio are there if they were asked for: m, |G| and
	// (steps + overhead) / (m + |G|), Theorem 1.
	M          *uint64  `json:"m,omitempty"`
	Graph      *uint64  `json:"graph,omitempty"`
	BoundRatio *float64 `json:"boundRatio,omitempty"`

	Inputs int  `json:"inputs"` // scalar input variables
	Size   Size `json:"size"`
	// Normalised and Cache are there for the strategy Modular.
	Normalised *Normalised `json:"normalised,omitempty"`
	Cache      *Reuse      `json:"cache,omitempty"`
	Steps      rule.Counts `json:"steps"`
	Overhead   Overhead    `json:"overhead"`
	Nodes      Nodes       `json:"nodes"`
	// ArenaBytes is the memory that the arena holds.
	ArenaBytes uint64 `json:"arenaBytes"`
	// Work is there if it was asked for.
	Work    *Work   `json:"work,omitempty"`
	Seconds Seconds `json:"seconds"`
	// NsPerStep is Seconds.Reduce over all steps and overhead, in nanoseconds.
	NsPerStep float64 `json:"nsPerStep"`
	// Operations are those of one gradient by [Forward] or [Tape]: evaluations of
	// symbols, products and additions of numbers.
	Operations uint64 `json:"operations,omitempty"`
}

// Size holds |t| and |D(t)|, in symbols.
type Size struct {
	Term    int64 `json:"term"`
	Reverse int64 `json:"reverse,omitempty"`
}

// Overhead is the work that is no step of the calculus. Of a literal run it is the units,
// and in Search the pops of the rewrites too.
type Overhead struct {
	Instantiate uint64 `json:"instantiate"` // instructions copied, references captured
	Search      uint64 `json:"search"`      // pops, waits, occurrences counted before a backward phase; nodes freed
	Readback    uint64 `json:"readback"`    // components read back
	Total       uint64 `json:"total"`
}

// Nodes are numbers of nodes of 16 bytes, of a literal run of 32; of a gradient by
// [Forward] or [Tape], the inputs, numerals and operations of the computational graph.
type Nodes struct {
	Allocated uint64 `json:"allocated"`
	Freed     uint64 `json:"freed"` // before the run was over
	Peak      uint64 `json:"peak"`  // in the arena at once
}

// Seconds are times. Load covers reading, elaborating and typing; Compile D and
// the templates; Reduce one run, read-back included: the best of all repetitions,
// ReduceMedian their median. By [Forward] or [Tape], Compile covers the templates and
// the reduction to the graph, Reduce the passes over it.
type Seconds struct {
	Load         float64 `json:"load"`
	Compile      float64 `json:"compile"`
	Reduce       float64 `json:"reduce"`
	ReduceMedian float64 `json:"reduceMedian"`
}

// Cost returns what the evaluator's last run cost.
func (e *Evaluator) Cost() Cost {
	if e.passes != nil {
		return e.passes.cost()
	}
	s, work := e.stats()
	c := s.Counts
	p := e.p
	took := p.value.took
	switch {
	case e.opt.Literal && e.grad:
		took = p.literalGradient.took
	case e.opt.Literal:
		took = p.literal.took
	case e.grad && e.opt.Strategy == Modular:
		took = p.modularly.took
	case e.grad:
		took = p.gradient.took
	}
	compiling := max(took(), e.making)
	p.mu.Lock()
	size := p.size
	p.mu.Unlock()
	cost := Cost{
		Inputs: p.scalars(),
		Size:   Size{Term: size.term},
		Steps:  c,
		Overhead: Overhead{Instantiate: s.Instantiate, Search: s.Search, Readback: s.Readback,
			Total: s.Instantiate + s.Search + s.Readback},
		Nodes:      Nodes{Allocated: s.Nodes, Freed: s.Freed, Peak: s.PeakNodes},
		ArenaBytes: s.ArenaBytes,
		Work:       work,
		Seconds:    Seconds{Load: p.loading.Seconds(), Compile: compiling.Seconds()},
	}
	if m := e.modularised; m != nil {
		reuse := m.reuse
		s := p.opt.Cache.Stats()
		reuse.Bytes, reuse.MaxBytes, reuse.Evictions = s.Bytes, s.MaxBytes, s.Evictions
		cost.Normalised, cost.Cache = &m.report, &reuse
	}
	if e.grad {
		cost.Size.Reverse = size.reverse
	}
	cost.setTimes(e.last, e.last)
	return cost
}

// stats returns what the last run and what went before it cost, and the work if it was measured.
func (e *Evaluator) stats() (engine.Stats, *Work) {
	if !e.opt.Literal {
		return addStats(e.m.Stats(), e.before), nil
	}
	s := e.literal.Stats()
	var work *Work
	if e.opt.Work {
		work = literalWork(&s)
	}
	return literalStats(&s), work
}

func (c *Cost) setTimes(best, median time.Duration) {
	c.Seconds.Reduce, c.Seconds.ReduceMedian = best.Seconds(), median.Seconds()
	if work := c.Steps.Total() + c.Overhead.Total; work > 0 {
		c.NsPerStep = float64(best.Nanoseconds()) / float64(work)
	}
}

// SetBound puts m, |G| and their ratio into the cost.
func (c *Cost) SetBound(b Bound) {
	ratio := b.Ratio(c)
	c.M, c.Graph, c.BoundRatio = &b.M, &b.Graph, &ratio
}
