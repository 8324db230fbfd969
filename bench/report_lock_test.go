//go:build linux || darwin || freebsd || netbsd || openbsd || dragonfly

package bench_test

import (
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/bench/report"
)

// TestOneRunWrites: of two runs at once into one folder the second is refused.
func TestOneRunWrites(t *testing.T) {
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	s := open(t, path)
	_, err := report.Open(path)
	require.ErrorContains(t, err, "another run writes results into "+filepath.Dir(path))
	require.NoError(t, s.Close())
	require.NoError(t, open(t, path).Close())
}
