package property

import (
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// TestSettings: what the environment may say.
func TestSettings(t *testing.T) {
	env := map[string]string{}
	getenv := func(name string) string { return env[name] }
	s, err := read(getenv)
	require.NoError(t, err)
	require.Equal(t, settings{100, time.Second / 10}, s)
	env["PROPERTY_DRAWS"] = "7"
	s, err = read(getenv)
	require.NoError(t, err)
	require.Equal(t, settings{draws: 7}, s)
	env["PROPERTY_DRAWS"], env["PROPERTY_BUDGET"] = "1000000", "1m30s"
	s, err = read(getenv)
	require.NoError(t, err)
	require.Equal(t, settings{1_000_000, 90 * time.Second}, s)
	env["PROPERTY_BUDGET"] = "90"
	_, err = read(getenv)
	require.EqualError(t, err, "PROPERTY_BUDGET=90: expected a time such as 10s")
	env["PROPERTY_DRAWS"] = "0"
	_, err = read(getenv)
	require.EqualError(t, err, "PROPERTY_DRAWS=0: expected a number of draws")
}

// TestPropertyDraws: a property is run as often as the settings say, or for its budget.
func TestPropertyDraws(t *testing.T) {
	s, err := environment()
	require.NoError(t, err)
	calls := 0
	Check(t, func(*rapid.T) { calls++ })
	if !testing.Short() {
		require.Equal(t, s.draws, calls) // they take no time
	}
}

// TestBudget: when the time is over a property is not run any more, but a failure is
// shrunk.
func TestBudget(t *testing.T) {
	calls := 0
	b := &budgeted{property: func(*rapid.T) { calls++ }, start: time.Now().Add(-time.Hour), budget: time.Minute}
	once := rapid.Custom(func(t *rapid.T) bool {
		b.run(t)
		return rapid.Bool().Draw(t, "any")
	})
	for range 5 {
		once.Example(0)
	}
	require.Equal(t, 1, calls)
	require.EqualValues(t, 1, b.draws.Load())
	b.failed.Store(true)
	once.Example(0)
	require.Equal(t, 2, calls)
}

// TestConstant: the largest value counts.
func TestConstant(t *testing.T) {
	var c Constant
	for _, word := range []string{"one", "three", "two"} {
		var b strings.Builder
		b.WriteString(word)
		c.Measure(float64(len(word)), &b)
	}
	require.Equal(t, 5., c.most)
	require.Equal(t, "three", c.where)
}
