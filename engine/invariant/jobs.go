// Package invariant asserts what the engine promises of a run, where the build tag check is set.
package invariant

import (
	"fmt"

	"github.com/gram-machine/gram/graph"
)

// Jobs are the assertions about jobs: a dual fires once in a job, nothing arrives
// at it after that, and the job's (11) are its arrivals less its firings. The zero
// value is ready after Reset.
type Jobs struct {
	fired map[[2]graph.Ref]bool // by job and dual
	due   map[graph.Ref]uint64  // of each job, arrivals whose cells have not fired
}

// Reset begins a run.
func (c *Jobs) Reset() {
	if c.fired == nil {
		*c = Jobs{map[[2]graph.Ref]bool{}, map[graph.Ref]uint64{}}
	}
	clear(c.fired)
	clear(c.due)
}

// Arrive books an arrival at the dual.
func (c *Jobs) Arrive(job, dual graph.Ref) {
	if c.fired[[2]graph.Ref{job, dual}] {
		panic(fmt.Sprintf("engine: an arrival at dual %d in job %d after it has fired", dual, job))
	}
	c.due[job]++
}

// Fire books that the dual fires for so many arrivals.
func (c *Jobs) Fire(job, dual graph.Ref, arrivals uint64) {
	key := [2]graph.Ref{job, dual}
	if c.fired[key] {
		panic(fmt.Sprintf("engine: dual %d fires twice in job %d", dual, job))
	}
	c.fired[key] = true
	c.due[job] -= arrivals
}

// Finish books that the job ends.
func (c *Jobs) Finish(job graph.Ref) {
	if c.due[job] != 0 {
		panic(fmt.Sprintf("engine: job %d ends with %d arrivals outstanding", job, c.due[job]))
	}
}
