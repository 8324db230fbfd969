package gram_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestPhylogeny: the likelihood of the tree is what PhyML 3.3 computes for it (phyml -m K80 -t 4.24178 -c 1 -o n), its gradient is that of
// differences, and the literal machine has the same value and steps.
func TestPhylogeny(t *testing.T) {
	p := loadExample(t, "phylogeny")
	res, err := p.Gradient(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	require.InDelta(t, 4252.55611, res.Values[0], 5e-6)

	e, err := p.NewValue(t.Context(), gram.EvalOptions{})
	require.NoError(t, err)
	defer e.Close()
	at := func(i int, h float64) float64 {
		point := p.Point()
		point[i] += h
		res, err := e.Value(t.Context(), point)
		require.NoError(t, err)
		return res.Values[0]
	}
	const h = 1e-6
	for _, i := range []int{0, 1, 7, 20, 45} { // branches that are longer than h, and kappa
		require.InEpsilon(t, (at(i, h)-at(i, -h))/(2*h), res.Jacobian[i], 1e-4, i)
	}

	literal, err := p.Gradient(t.Context(), gram.EvalOptions{Literal: true})
	require.NoError(t, err)
	require.Equal(t, res.Values, literal.Values)
	require.Equal(t, res.Cost.Steps, literal.Cost.Steps)
}
