package command

import (
	"context"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestReader(t *testing.T) {
	text := strings.Repeat("0123456789", 20000)
	got, err := io.ReadAll(NewReader(context.Background(), strings.NewReader(text)))
	require.NoError(t, err)
	require.Equal(t, text, string(got))

	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	_, err = NewReader(ctx, strings.NewReader(text)).Read(make([]byte, 1))
	require.ErrorIs(t, err, context.Canceled)
}
