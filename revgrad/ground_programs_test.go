package revgrad_test

import (
	"errors"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram/compile"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/hypergraph"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/limits"
	"github.com/gram-machine/gram/machine"
	"github.com/gram-machine/gram/revgrad"
)

// TestPropertyProgramsAgree does what TestPropertyModesAgree does on the graphs of random programs,
// one for each output, and compares |G|.
func TestPropertyProgramsAgree(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector")})
		prog, err := compile.NewOpen(p.Term, p.Inputs, nil)
		require.NoError(t, err)
		m, err := machine.New(prog, machine.Options{Limits: limits.Bounds{MaxSteps: 50_000, MaxMemory: 64 << 20}})
		require.NoError(t, err)
		defer m.Close()
		err = m.Graph(p.Point)
		var limit *limits.ReachedError
		if errors.As(err, &limit) {
			return
		}
		require.NoError(t, err)
		b := hypergraph.NewBuilder(len(p.Inputs))
		outputs := m.Operations(func(op machine.Operation) bool {
			args := make([]hypergraph.Operand, len(op.Args))
			for i, o := range op.Args {
				args[i] = hypergraph.Operand(o)
			}
			b.Operation(op.Symbol, op.Pos, args...)
			return true
		})
		for _, o := range outputs {
			b.Output(hypergraph.Operand(o))
		}
		h, err := b.Graph()
		require.NoError(t, err)
		require.EqualValues(t, m.GraphSize().Total(), h.Size().Total())
		values, jacobian := denote.Jacobian(p.Term, p.Inputs, p.Point)
		revgrad.CheckOutputs(t, h, p.Term.Types, p.Point, values, jacobian)
	})
}
