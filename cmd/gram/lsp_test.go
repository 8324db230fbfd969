package main

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
)

// framed returns messages as the protocol sends them.
func framed(messages ...string) string {
	var b strings.Builder
	for _, m := range messages {
		fmt.Fprintf(&b, "Content-Length: %d\r\n\r\n%s", len(m), m)
	}
	return b.String()
}

func TestLSP(t *testing.T) {
	serve := func(ctx context.Context, messages ...string) (status int, stdout, stderr string) {
		var out, errs bytes.Buffer
		status = run(ctx, []string{"lsp"}, strings.NewReader(framed(messages...)), &out, &errs)
		return status, out.String(), errs.String()
	}
	status, out, errs := serve(t.Context(),
		`{"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}`,
		`{"jsonrpc": "2.0", "method": "initialized", "params": {}}`,
		`{"jsonrpc": "2.0", "id": 2, "method": "shutdown"}`,
		`{"jsonrpc": "2.0", "method": "exit"}`)
	require.Equal(t, command.StatusDone, status, errs)
	require.Contains(t, out, `"positionEncoding":"utf-16"`)
	require.Contains(t, out, `"version":"`+command.BuildInfo().Version)
	require.Contains(t, out, `"id":2`)
	require.Empty(t, errs)

	status, _, errs = serve(t.Context())
	require.Equal(t, command.StatusWrong, status)
	require.Contains(t, errs, "without the request shutdown")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	status, _, _ = serve(ctx)
	require.Equal(t, command.StatusInterrupted, status)

	status = run(t.Context(), []string{"lsp", "x.gram"}, strings.NewReader(""), new(bytes.Buffer), new(bytes.Buffer))
	require.Equal(t, command.StatusUsage, status)
}
