// Package cost says what a run of a program costs.
package cost

import (
	"time"

	"github.com/gram-machine/gram/internal/modular"
	"github.com/gram-machine/gram/rule"
)

// Cost is what a run cost: exact and reproducible but for the times. the modes forward and tape set only
// Inputs, Nodes, Seconds and Operations.
type Cost struct {
	// M, Graph, BoundRatio and Span are there if they were asked for: m, |G| and
	// (steps + overhead) / (m + |G|), Theorem 1, and the longest chains of steps.
	M          *uint64  `json:"m,omitempty"`
	Graph      *uint64  `json:"graph,omitempty"`
	BoundRatio *float64 `json:"boundRatio,omitempty"`
	Theorem    *Theorem `json:"theorem,omitempty"` // with M and Graph, of a literal run
	Span       *Span    `json:"span,omitempty"`

	Inputs int      `json:"inputs"` // scalar input variables
	Size   struct { // |t| and |D(t)|, in symbols
		Term    int64 `json:"term"`
		Reverse int64 `json:"reverse,omitempty"`
	} `json:"size"`
	// Normalised and Cache are there for the strategy modular: what it did before the run, and
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
	// Operations are those of one gradient by the mode forward or tape: evaluations of
	// symbols, products and additions of numbers.
	Operations uint64 `json:"operations,omitempty"`
}

// Overhead is the work that is no step. Of a literal run it is the units, and in Search the rewrites.
type Overhead struct {
	Instantiate uint64 `json:"instantiate"` // instructions copied, references captured
	Search      uint64 `json:"search"`      // pops, waits, occurrences counted before a backward phase; nodes freed
	Readback    uint64 `json:"readback"`    // components read back
	Total       uint64 `json:"total"`
	// Machine is what ran, whose overhead it is: "literal" for the literal machine, "code" for the compiler's code.
	Machine string `json:"machine"`
	// Recompute is the steps that loops made again because they had not kept their rows. It is not in Total.
	Recompute uint64 `json:"recompute,omitempty"`
}

// Nodes are nodes of 16 bytes, of a literal run of 32; of the modes forward and tape, those of the
// computational graph.
type Nodes struct {
	Allocated uint64 `json:"allocated"`
	Freed     uint64 `json:"freed"` // before the run was over
	Peak      uint64 `json:"peak"`  // in the arena at once
}

// Seconds are times: Load of reading, elaborating and typing; Compile of D and the templates, and, for the
// modes forward and tape, of the reduction to the graph; Reduce of the fastest run; ReduceMedian the median.
type Seconds struct {
	Load         float64 `json:"load"`
	Compile      float64 `json:"compile"`
	Reduce       float64 `json:"reduce"`
	ReduceMedian float64 `json:"reduceMedian"`
}

// SetTimes sets the times of the fastest run and of the median one.
func (c *Cost) SetTimes(best, median time.Duration) {
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
	// Theorem is there if the literal machine made the graph and t has type R.
	Theorem *Theorem
}

// Theorem is what the reduction of Theorem 1 has cost on the literal machine: of D(t), with symbolic inputs and under
// the λ of its second component, to ⟨G0, λa.Σ xj*(Gj)⟩.
type Theorem struct {
	Steps rule.Counts `json:"steps"`
	Units uint64      `json:"units"`
	Words uint64      `json:"words"`
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

// Work is how often the rewrites and the units of work of the literal machine, by name, have reached a node, 8 words of
// 32 bits each time.
type Work struct {
	Rules map[string]rule.Work `json:"rules"`
	Units map[string]rule.Work `json:"units"`
}

// Total returns how many rewrites and units there were, and their words: what docs/work.md bounds by c·(|t| + n)·(steps
// + 1).
func (w *Work) Total() (moves, words uint64) {
	for _, by := range []map[string]rule.Work{w.Rules, w.Units} {
		for _, x := range by {
			moves += x.Fired
			words += x.Words
		}
	}
	return moves, words
}
