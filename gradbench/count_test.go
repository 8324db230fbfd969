package gradbench_test

import (
	"fmt"
	"testing"

	"github.com/gram-machine/gram/gradbench"
	"github.com/gram-machine/gram/internal/property"
)

// TestCount: each observation of bundle adjustment costs the same; functions whose derivatives are part of the program are counted, too.
func TestCount(t *testing.T) {
	const observations = `{"n": 1, "m": 1, "p": %s, "cam": [0.1, 0.2, 0.3, 1, 2, 3, 4, 5, 6, 0.1, 0.2], "x": [1, 2, 3], "w": 0.5, "feat": [0.1, 0.2]}`
	count := func(module, function, input string) [3]uint64 {
		m, graph, steps, err := gradbench.Count(t.Context(), module, function, []byte(input))
		if err != nil {
			t.Fatal(err)
		}
		if min(m, graph, steps) == 0 {
			t.Errorf("%s %s: m %d, |G| %d, %d steps", module, function, m, graph, steps)
		}
		return [3]uint64{m, graph, steps}
	}
	one, three := count("ba", "jacobian", fmt.Sprintf(observations, "1")), count("ba", "jacobian", fmt.Sprintf(observations, "3"))
	for i := range one {
		if three[i] != 3*one[i] {
			t.Errorf("%d for one observation, and %d for three", one, three)
		}
	}
	if property.Full() {
		count("particle", "rr", `{"w": 0}`)
		count("saddle", "rr", `{"start": [1, 1]}`)
	}
}
