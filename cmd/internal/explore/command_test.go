package explore

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/cobra"
	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram/cmd/internal/command"
)

// execute runs a command line.
func execute(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) int {
	return command.Run(ctx, args, stdin, stdout, stderr,
		func(a *command.App) []*cobra.Command { return []*cobra.Command{Command(a)} })
}

// failing is a stream that takes nothing.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// fetch asks a server, and keeps no connection.
func fetch(url string) ([]byte, error) {
	client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute}
	resp, err := client.Get(url)
	if err != nil {
		return nil, err
	}
	defer resp.Body.Close()
	return io.ReadAll(resp.Body)
}

// TestExplore: the address is printed at once, and the end of the context is an interrupt.
func TestExplore(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.gram")
	require.NoError(t, os.WriteFile(file, []byte("input x = 2\nx * x"), 0o644))
	ctx, stop := context.WithCancel(t.Context())
	r, w := io.Pipe()
	var errs bytes.Buffer
	status := make(chan int, 1)
	go func() { status <- execute(ctx, []string{"explore", file}, nil, w, &errs) }()
	url, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]+/\n$`), url)
	body, err := fetch(strings.TrimSpace(url) + "api/file")
	require.NoError(t, err)
	require.Contains(t, string(body), `"name":"p.gram"`)
	stop()
	require.Equal(t, command.StatusInterrupted, <-status)
	require.Equal(t, "gram: Ctrl-C stops the server\ngram: interrupted while serving\n", errs.String())
}

func TestExploreBusyPort(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	var out, errs bytes.Buffer
	status := execute(t.Context(), []string{"explore", "-", "--port", port}, strings.NewReader("1"), &out, &errs)
	require.Equal(t, command.StatusWrong, status)
	require.Empty(t, out.String())
	require.Equal(t, "gram: port "+port+" is in use; without --port a free one is taken\n", errs.String())
}

// TestExploreNobodyListens: an address that can't be told is an error, unless its reader has
// gone away, and nothing is served.
func TestExploreNobodyListens(t *testing.T) {
	var errs bytes.Buffer
	status := execute(t.Context(), []string{"explore", "-"}, strings.NewReader("1"), failing{os.ErrPermission}, &errs)
	require.Equal(t, command.StatusWrong, status)
	require.Contains(t, errs.String(), "gram: cannot write the result: ")

	errs.Reset()
	status = execute(t.Context(), []string{"explore", "-"}, strings.NewReader("1"), failing{syscall.EPIPE}, &errs)
	require.Equal(t, command.StatusDone, status, "the reader of a pipe went away")
	require.Empty(t, errs.String())
}
