package bench_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/bench"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/internal/denote"
	"github.com/gram-machine/gram/internal/property"
	"github.com/gram-machine/gram/internal/reference"
	"github.com/gram-machine/gram/rule"
)

const limit = 200_000

func load(t *testing.T, text string) *gram.Program {
	t.Helper()
	p, err := gram.Load(t.Context(), "test", []byte(text), gram.Options{})
	require.NoError(t, err)
	return p
}

// TestPropertyAblated: by name programs have the same numbers, to the last bit.
func TestPropertyAblated(t *testing.T) {
	property.Check(t, func(t *rapid.T) {
		p := property.Draw(t, property.Options{Vector: rapid.Bool().Draw(t, "vector")})
		want, _ := denote.Jacobian(p.Term, p.Inputs, p.Point)

		s := reference.Convert(p.Term, denote.Floats{}).ValueStart(p.Inputs, p.Point)
		numbers, _, err := bench.ByName(s, limit, nil)
		var long *reference.LimitError
		if errors.As(err, &long) {
			return
		}
		require.NoError(t, err)
		require.Len(t, numbers, len(want))
		for i, r := range numbers {
			require.InDelta(t, want[i], r, 0)
		}
	})
}

// network is a fold of a cell over n numbers.
func network(t *testing.T, n int, cell string) *reference.Start {
	p := load(t, fmt.Sprintf("input e = 0.7\ninput r = 0.9\ndata a : List R = list i < %d -> sin i\nfold (fun x h -> %s) 0 a\n", n, cell))
	return reference.Convert(bridge.Of(p).Term(), denote.Floats{}).ValueStart(bridge.Of(p).ScalarInputs(), p.Point())
}

// TestByName: a cell that uses its state once is copied n times and takes the steps that it takes by value,
// but for (4); one that uses it twice is copied 2ⁿ − 1 times.
func TestByName(t *testing.T) {
	for n := 1; n <= 10; n++ {
		s := network(t, n, "sigmoid (e * x + r * h)")
		want, err := s.Run(reference.Machine(nil), limit, nil)
		require.NoError(t, err)
		want.Counts[rule.GC] = 0
		_, once, err := bench.ByName(s, limit, nil)
		require.NoError(t, err)
		require.Equal(t, want.Counts, once)

		_, twice, err := bench.ByName(network(t, n, "sigmoid (e * x + r * h * h)"), limit, nil)
		require.NoError(t, err)
		require.EqualValues(t, 1<<n-1, twice[rule.Subst])
		require.EqualValues(t, 1<<n-1, twice[rule.Function])
	}
	_, _, err := bench.ByName(network(t, 20, "sigmoid (e * x + r * h * h)"), 1000, nil)
	var long *reference.LimitError
	require.ErrorAs(t, err, &long)
	require.Equal(t, 1000, long.Steps)
}

// TestCheck: an evaluation ends with its check.
func TestCheck(t *testing.T) {
	stop := errors.New("stop")
	check := func() error { return stop }
	p := load(t, "input x = 1\n"+strings.Repeat("let x = x + x in\n", 10)+"x\n")
	_, _, err := bench.ByName(reference.Convert(bridge.Of(p).Term(), denote.Floats{}).ValueStart(bridge.Of(p).ScalarInputs(), p.Point()), limit, check)
	require.ErrorIs(t, err, stop)
}
