package syntax

import (
	"errors"
	"runtime/debug"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/internal/property"
)

// TestTooDeep parses programs that are nested deeper than they may be.
func TestTooDeep(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(maxStack))
	for _, n := range []int{MaxNest + 1, property.Size(100 * MaxNest)} {
		for name, src := range deepSources(n) {
			if slices.Contains(unbounded, name) {
				continue
			}
			_, ds, err := Parse("deep.gram", src, Options{})
			require.NoError(t, err, name)
			require.Len(t, ds, 1, name)
			require.Equal(t, "nested too deep", ds[0].Headline, name)
			require.Positive(t, ds[0].Span.Start, name)
		}
	}
}

// TestDeep parses programs that are as deep as they may be, or have many levels that
// don't count.
func TestDeep(t *testing.T) {
	eachDeep(MaxNest, func(name string, src []byte) {
		f, ds, err := Parse("deep.gram", src, Options{})
		require.NoError(t, err, name)
		require.Empty(t, ds, name)
		require.NotZero(t, f.Body, name)
		for e := 1; e < len(f.exprs); e++ {
			for _, k := range f.Kids(Expr(e)) {
				if k >= Expr(e) {
					t.Fatalf("%s: a child after its parent", name)
				}
			}
		}
	})
}

// TestDeepErrors parses programs that are cut off or broken at depth.
func TestDeepErrors(t *testing.T) {
	defer debug.SetMaxStack(debug.SetMaxStack(maxStack))
	n := property.Size(50_000)
	for _, d := range deeps {
		for _, src := range [][]byte{
			[]byte(strings.Repeat(d.Open, n)),
			[]byte(strings.Repeat(d.Open, n) + d.Mid + " )" + strings.Repeat(d.Close, n)),
			[]byte(strings.Repeat(d.Open, n) + " ; " + strings.Repeat(d.Close, n/2)),
			[]byte(strings.Repeat(d.Close+" "+d.Open, n)),
		} {
			_, ds, err := Parse("deep.gram", src, Options{})
			require.NoError(t, err)
			assert.LessOrEqual(t, len(ds), MaxDiagnostics)
		}
	}
}

// TestLinear checks that the work grows with the source and no faster.
func TestLinear(t *testing.T) {
	steps := func(src []byte) int {
		p := newParser("t", src, Options{})
		p.program()
		return p.guard.steps
	}
	small, large := deepSources(1000), deepSources(8000)
	for name := range small {
		a, b := steps(small[name]), steps(large[name])
		assert.LessOrEqual(t, b, 8*a+8, name)
		assert.LessOrEqual(t, b, 3*len(large[name])+8, name)
	}
}

// TestCheck ends a parse by the caller's check.
func TestCheck(t *testing.T) {
	n := property.Size(10 << 18)
	src := deeps[0].source(n)
	calls := 0
	_, _, err := Parse("t", src, Options{Guard: Guard{Check: func() error { calls++; return nil }}})
	require.NoError(t, err)
	assert.GreaterOrEqual(t, calls, 2*n>>16)
	stop := errors.New("stop")
	calls = 0
	_, ds, err := Parse("t", src, Options{Guard: Guard{Check: func() error { calls++; return stop }}})
	assert.ErrorIs(t, err, stop)
	assert.Empty(t, ds)
	assert.Equal(t, 1, calls)
}
