package explore

import (
	"strconv"
	"testing"

	"github.com/stretchr/testify/require"
)

func ids(s *shelf) []string {
	var out []string
	for _, r := range s.runs {
		out = append(out, r.id)
	}
	return out
}

func TestShelf(t *testing.T) {
	var s shelf
	require.Nil(t, s.take("a", false))
	a := s.take("a", true)
	require.Same(t, a, s.take("a", false), "a second request waits for the first")
	s.drop(a, true)
	require.Nil(t, s.take("a", false))
	s.keep(a, 1, 0)
	s.drop(a, true)
	require.Same(t, a, s.take("a", false))
	s.drop(a, false)
	require.Nil(t, s.take("a", false))

	// Of two that were made under one name the one that came to a run is found.
	b := s.take("a", true)
	s.keep(a, 1, 0)
	require.Same(t, a, s.take("a", false))
	require.NotSame(t, b, a)

	// The last few are kept, and what is only begun drives nothing away.
	for i := range 2 * maxRuns {
		s.take("begun "+strconv.Itoa(i), true)
	}
	for i := range maxRuns {
		id := strconv.Itoa(i)
		s.keep(s.take(id, true), 1, 0)
		s.take("0", false)
	}
	require.Nil(t, s.take("a", false))
	require.NotNil(t, s.take("begun 0", false))
	s.keep(s.take("x", true), 1, 0)
	require.NotNil(t, s.take("0", false), "was used")
	require.Nil(t, s.take("1", false), "was not")
}

// TestShelfSteps: long runs, and runs of long programs, are fewer.
func TestShelfSteps(t *testing.T) {
	var s shelf
	for _, id := range []string{"a", "b", "c"} {
		s.keep(s.take(id, true), maxKeptSteps/2, 0)
	}
	require.Equal(t, []string{"c", "b"}, ids(&s))
	s.keep(s.take("d", true), 2*maxKeptSteps, 0)
	require.Equal(t, []string{"d"}, ids(&s))
	s.keep(s.take("e", true), 1, 0)
	require.Equal(t, []string{"e"}, ids(&s))
	s.keep(s.take("f", true), 1, MaxSource)
	require.Equal(t, []string{"f"}, ids(&s))
}
