package peers

import (
	"fmt"

	"github.com/gram-machine/gram/bench"
)

// Task is a workload at a size.
type Task struct {
	Workload string `json:"workload"` // "w1" to "w5"
	N        int    `json:"n"`
	K        int    `json:"k,omitempty"` // the width of w2 and w5, 0 of the others
}

// Quick and Full are the tasks of a quick run and of a full one.
var (
	Quick = []Task{{"w1", 1000, 0}, {"w1", 100_000, 0}, {"w2", 100, 16}, {"w3", 1000, 0}, {"w3", 100_000, 0},
		{"w4", 1000, 0}, {"w4", 100_000, 0}, {"w5", 100, 16}}
	Full = []Task{{"w1", 1000, 0}, {"w1", 1_000_000, 0}, {"w2", 1000, 16}, {"w2", 1000, 64}, {"w2", 1000, 256},
		{"w3", 1000, 0}, {"w3", 1_000_000, 0},
		{"w4", 1000, 0}, {"w4", 1_000_000, 0}, {"w5", 100, 64}, {"w5", 100, 256}}
)

// Primitives is the number of operations of the forward computation.
func (t Task) Primitives() float64 { return bench.Primitives(t.Workload, t.N, t.K) }

// Name is the task's name in errors: "w2, n = 100, k = 16".
func (t Task) Name() string {
	if t.K > 0 {
		return fmt.Sprintf("%s, n = %d, k = %d", t.Workload, t.N, t.K)
	}
	return fmt.Sprintf("%s, n = %d", t.Workload, t.N)
}
