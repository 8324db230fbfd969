package bench_test

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench"
)

// TestRegistry: the claims are numbered in order, and each series can be told from the others
// and fitted.
func TestRegistry(t *testing.T) {
	claims := bench.Claims()
	require.NotEmpty(t, claims)
	for i, c := range claims {
		require.Equal(t, i+1, c.Number)
		for _, text := range []string{c.Title, c.Source, c.Family, c.Meaning} {
			require.NotEmpty(t, text, c.Number)
		}
		require.False(t, strings.ContainsAny(c.Correction, "\n"), c.Number)
		names := map[string]bool{}
		evidence, printed := false, false
		for _, s := range c.Series {
			where := fmt.Sprintf("claim %d: %s", c.Number, s.Name)
			require.NotEmpty(t, s.Name, where)
			require.False(t, names[s.Name], where)
			names[s.Name] = true
			evidence, printed = evidence || s.Role == bench.Evidence, printed || s.Role == bench.Printed
			require.Contains(t, []bench.Role{bench.Evidence, bench.Printed, bench.Stronger, bench.Contrast, bench.Aside}, s.Role, where)
			require.NotEmpty(t, s.X, where)
			require.NotEmpty(t, s.Y, where)
			for _, sizes := range [][]int{s.Quick, s.Full} {
				require.NotEmpty(t, sizes, where)
				require.True(t, slices.IsSorted(sizes), where)
				require.Equal(t, slices.Compact(slices.Clone(sizes)), sizes, where)
			}
			for _, n := range s.Quick {
				require.Contains(t, s.Full, n, where)
			}
			if s.Law.Kind != bench.Equal && s.Law.Kind != bench.Below {
				require.GreaterOrEqual(t, len(s.Quick), 4, where)
			}
			require.False(t, s.Timed && s.Role != bench.Aside, "%s: times decide nothing", where)
		}
		require.True(t, evidence, c.Number)
		require.Equal(t, c.Correction != "", printed, "claim %d: a correction, and what breaks the sentence as printed", c.Number)
	}
}

// TestLinearClaimsHaveAdversaries: the programs that are made to be hard are members of
// the families of the linear claims.
func TestLinearClaimsHaveAdversaries(t *testing.T) {
	for _, c := range bench.Claims() {
		var names []string
		for _, s := range c.Series {
			names = append(names, s.Name)
		}
		for _, f := range bench.Adversarial() {
			switch c.Number {
			case 7, 9: // one output
				if f.Ground && f.Name != bench.TwoOutputs.Name {
					require.Contains(t, names, f.Name, c.Number)
				}
			case 10:
				require.Contains(t, names, f.Name, c.Number)
			}
		}
	}
}

// TestMeasurementsEnd: a measurement ends with its context.
func TestMeasurementsEnd(t *testing.T) {
	ctx, cancel := context.WithCancelCause(t.Context())
	cause := errors.New("enough")
	cancel(cause)
	for _, c := range bench.Claims() {
		s := &c.Series[0]
		if slices.Contains([]int{5, 15, 16}, c.Number) {
			continue // they are over before the context is looked at
		}
		_, err := s.Measure(ctx, s.Quick[0])
		require.Error(t, err, "claim %d", c.Number)
	}
}

// TestExactlyLinear: where each unit of n is the same code, counts are affine in one
// another, exactly: between any two sizes the slope is the same.
func TestExactlyLinear(t *testing.T) {
	measured := 0
	for _, c := range bench.Claims() {
		for _, s := range c.Series {
			if s.Role != bench.Evidence || s.Law != (bench.Law{Kind: bench.Power, Power: 1}) || s.Timed || inexact(c.Number, s.Name) {
				continue
			}
			measured++
			t.Run(fmt.Sprintf("%d/%s", c.Number, s.Name), func(t *testing.T) {
				t.Parallel()
				var p [3]bench.Point
				for i := range p {
					var err error
					p[i], err = s.Measure(t.Context(), 8<<i)
					require.NoError(t, err)
				}
				require.Equal(t, (p[2].Y-p[1].Y)*(p[1].X-p[0].X), (p[1].Y-p[0].Y)*(p[2].X-p[1].X), "%v", p)
			})
		}
	}
	require.Greater(t, measured, 100)
}

// inexact tells the series in which the units of n differ: random programs, branches, and
// sums of costs that grow in several ways.
func inexact(claim int, name string) bool {
	if claim == 14 || claim == 11 || claim == 2 && strings.Contains(name, "n partials") {
		return true
	}
	for _, part := range []string{"random", "branches", "unfolded", "numerals on numerals", "batch: critical path of the normal form"} {
		if strings.Contains(name, part) {
			return true
		}
	}
	return false
}

// TestAblations: the claims are held against what they would cost without the piece of the calculus or of the machine
// that they rest on, or against the sentence that they correct. Five rest on none.
func TestAblations(t *testing.T) {
	for _, c := range bench.Claims() {
		ablated := slices.ContainsFunc(c.Series, func(s bench.Series) bool {
			return s.Without != "" || s.Role == bench.Printed || s.Role == bench.Stronger
		})
		require.Equal(t, !slices.Contains([]int{2, 3, 11, 15, 23}, c.Number), ablated, "claim %d", c.Number)
	}
}
