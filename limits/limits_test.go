package limits

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestGarbage: garbage is collected before memory is refused.
func TestGarbage(t *testing.T) {
	m := New(t.Context(), heapBytes()+program()+100<<20)
	garbage := make([]byte, 200<<20)
	require.Error(t, m.Check())
	clear(garbage[:1])
	garbage = nil
	require.NoError(t, m.Check())
}

// TestOutside: memory outside the Go heap counts for all meters of the process.
func TestOutside(t *testing.T) {
	m, other := New(t.Context(), heapBytes()+program()+100<<20), New(t.Context(), 1<<40)
	Outside(200 << 20)
	var memory *MemoryError
	require.ErrorAs(t, m.Check(), &memory)
	require.NoError(t, other.Check())
	Outside(-200 << 20)
	require.NoError(t, m.Check())
	require.Error(t, m.Reserve(200<<20))
	require.NoError(t, m.Reserve(10<<20))
}

// TestBuffer: a buffer ends with the limits.
func TestBuffer(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	b := New(ctx, 1<<40).NewBuffer()
	_, err := b.Write(make([]byte, bufferCheck))
	require.NoError(t, err)
	cancel()
	_, err = b.Write(make([]byte, bufferCheck))
	require.ErrorIs(t, err, context.Canceled)
}
