package engine

import (
	"fmt"

	"github.com/gram-machine/gram/graph"
)

// jobChecks are the assertions about jobs: a dual fires once in a job, nothing arrives
// at it after that, and the job's (11) are its arrivals less its firings. Nothing is
// kept unless checking.
type jobChecks struct {
	fired map[[2]graph.Ref]bool // by job and dual
	due   map[graph.Ref]uint64  // of each job, arrivals whose cells have not fired
}

func (c *jobChecks) reset() {
	if c.fired == nil {
		*c = jobChecks{map[[2]graph.Ref]bool{}, map[graph.Ref]uint64{}}
	}
	clear(c.fired)
	clear(c.due)
}

func (c *jobChecks) arrive(job, dual graph.Ref) {
	if c.fired[[2]graph.Ref{job, dual}] {
		panic(fmt.Sprintf("engine: an arrival at dual %d in job %d after it has fired", dual, job))
	}
	c.due[job]++
}

// fire books that the dual fires for so many arrivals.
func (c *jobChecks) fire(job, dual graph.Ref, arrivals uint64) {
	key := [2]graph.Ref{job, dual}
	if c.fired[key] {
		panic(fmt.Sprintf("engine: dual %d fires twice in job %d", dual, job))
	}
	c.fired[key] = true
	c.due[job] -= arrivals
}

func (c *jobChecks) finish(job graph.Ref) {
	if c.due[job] != 0 {
		panic(fmt.Sprintf("engine: job %d ends with %d arrivals outstanding", job, c.due[job]))
	}
}
