package parquet

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestReadBack: what Write writes, in several groups, Read reads. The tests against the library parquet-go have the build tag
// libraries: it takes long to compile.
func TestReadBack(t *testing.T) {
	const n = groupMost + 10
	var b bytes.Buffer
	require.NoError(t, Write(&b, func(yield func(string, float64) bool) {
		for i := range n {
			yield("x", float64(i)/3)
		}
	}))
	look, reserve := func() error { return nil }, func(int64) error { return nil }
	data, err := Read(bytes.NewReader(b.Bytes()), int64(b.Len()), []string{"value"}, look, reserve)
	require.NoError(t, err)
	require.Len(t, data, n)
	for i, x := range data {
		require.Equal(t, float64(i)/3, x)
	}
	_, err = Read(bytes.NewReader(b.Bytes()), int64(b.Len()), []string{"name"}, look, reserve)
	require.ErrorContains(t, err, `column "name" is of the type`)
}
