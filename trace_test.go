package gram_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// tracedSteps sums the steps of a trace in JSON by the name of their rule.
func tracedSteps(t *testing.T, text []byte) map[string]uint64 {
	counts := map[string]uint64{}
	var last uint64
	for dec := json.NewDecoder(bytes.NewReader(text)); dec.More(); {
		var step struct {
			Step uint64
			Rule string
		}
		require.NoError(t, dec.Decode(&step))
		require.Equal(t, last+1, step.Step)
		last = step.Step
		counts[step.Rule]++
	}
	return counts
}

// runSteps are the steps of the machine by the name of their rule.
func runSteps(t *testing.T, p *gram.Program, gradient bool, opt gram.EvalOptions) map[string]uint64 {
	var cost gram.Cost
	if gradient {
		res, err := p.Gradient(t.Context(), opt)
		require.NoError(t, err)
		cost = res.Cost
	} else {
		res, err := p.Value(t.Context(), opt)
		require.NoError(t, err)
		cost = res.Cost
	}
	counts := map[string]uint64{}
	for _, r := range cost.Steps.ByRule() {
		if r.Steps > 0 {
			counts[r.Name] = r.Steps
		}
	}
	return counts
}

// TestTraceCalculusCounts: the rewriter takes as many steps of each rule as the machine,
// on the examples whose terms are small.
func TestTraceCalculusCounts(t *testing.T) {
	traced := 0
	for _, name := range exampleNames(t) {
		for _, gradient := range []bool{false, true} {
			p := loadExample(t, name)
			if gradient && name == "mapfold" {
				continue // some seconds
			}
			var text bytes.Buffer
			err := p.TraceCalculus(t.Context(), &text, gram.TraceOptions{Gradient: gradient, Format: gram.TraceJSON, MaxSize: 1000})
			if err != nil {
				var program *gram.Error
				require.True(t, errors.As(err, &program), "%s: %v", name, err)
				continue
			}
			traced++
			require.Equal(t, runSteps(t, p, gradient, gram.EvalOptions{}), tracedSteps(t, text.Bytes()), "%s, gradient %v", name, gradient)
		}
	}
	require.Greater(t, traced, 8)
}
