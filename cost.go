package gram

import (
	"time"

	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/machine"
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

// Bound is the right side of Theorem 1, O(m + |G|), for a program.
type Bound struct {
	M     uint64 // steps that reduce t, with its inputs symbolic, to its graph G
	Graph uint64 // |G|
	// Parts of |G|.
	Operations, Edges, Inputs, Numerals uint64
}

// Ratio returns (steps + overhead) / (m + |G|) for a run of that cost.
func (b Bound) Ratio(c *Cost) float64 {
	return float64(c.Steps.Total()+c.Overhead.Total) / float64(b.M+b.Graph)
}

// Normalised says what the strategy [Modular] did before a program ran: how many closed λs were
// normalised or kept, within which budget, and in how many steps.
type Normalised = modular.Report

// Reuse says which closed λs the strategy [Modular] found in a cache, and how many symbols of D(t)
// those have; without a cache, all are misses.
type Reuse = modular.Reuse

// Work is what the literal machine has read and written, in words of 32 bits: in rewrites,
// by the names of their rules, and in units of the work beside them, by those of [UnitNames].
type Work struct {
	Rules map[string]MoveWork `json:"rules"`
	Units map[string]MoveWork `json:"units"`
}

// MoveWork is the work of all rewrites by a rule, or of all units of a kind.
type MoveWork struct {
	Fired uint64 `json:"fired"` // how often
	Words uint64 `json:"words"` // in all
	Most  uint64 `json:"most"`  // by a single one
}

// UnitNames returns the names of the units of work beside the rewrites.
func UnitNames() []string {
	names := make([]string, machine.NumUnits)
	for u := range names {
		names[u] = machine.Unit(u).String()
	}
	return names
}

// literalWork returns the work of a run that was measured.
func literalWork(s *machine.Stats) *Work {
	out := &Work{Rules: map[string]MoveWork{}, Units: map[string]MoveWork{}}
	for i, w := range s.Work {
		to := out.Units
		if _, ok := machine.Move(i).Rule(); ok {
			to = out.Rules
		}
		to[machine.Move(i).String()] = MoveWork(w)
	}
	return out
}
