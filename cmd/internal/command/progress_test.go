package command

import (
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// screen is a stream that one goroutine writes and another looks at.
type screen struct {
	mu   sync.Mutex
	text strings.Builder
}

func (s *screen) Write(b []byte) (int, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.Write(b)
}

func (s *screen) String() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.text.String()
}

func TestProgress(t *testing.T) {
	var s screen
	p := newLine(&s, true, 10*time.Millisecond)
	require.Eventually(t, func() bool { return strings.Contains(s.String(), "loading, ") }, 10*time.Second, time.Millisecond)
	p.Phase("reduce")
	require.Eventually(t, func() bool { return strings.Contains(s.String(), "reducing, ") }, 10*time.Second, time.Millisecond)
	p.Show(1, 2, "a line", "claim 7")
	require.Eventually(t, func() bool { return strings.Contains(s.String(), "claim 7 (1/2), ") }, 10*time.Second, time.Millisecond)
	p.Close()
	require.True(t, strings.HasSuffix(s.String(), "\x1b[2K\r"), "the line is erased")
	require.NotContains(t, s.String(), "\n")
}

func TestProgressOfAShortRun(t *testing.T) {
	var s screen
	newLine(&s, true, time.Hour).Close()
	newLine(&s, false, 0).Close()
	require.Empty(t, s.String())
}
