package main

import (
	"bufio"
	"bytes"
	"context"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/rogpeppe/go-internal/testscript"
	"github.com/stretchr/testify/require"
)

func visitCommand(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 4 || signals[args[0]] == nil {
		ts.Fatalf("usage: visit INT|TERM N PATH program args…")
	}
	path, err := exec.LookPath(args[3])
	ts.Check(err)
	cmd := exec.Command(path, args[4:]...)
	var errs bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stderr = ts.MkAbs("."), append(os.Environ(), "PATH="+ts.Getenv("PATH")), &errs
	stdout, err := cmd.StdoutPipe()
	ts.Check(err)
	ts.Check(cmd.Start())
	out := bufio.NewReader(stdout)
	url, err := out.ReadString('\n')
	var answer []byte
	if err == nil {
		answer, err = fetch(strings.TrimSpace(url) + args[2])
	}
	ts.Check(cmd.Process.Signal(signals[args[0]]))
	rest, _ := io.ReadAll(out)
	exit := cmd.Wait()
	ts.Logf("[stderr]\n%s", errs.String())
	ts.Check(err)
	checkStatus(ts, args[1], exit)
	for name, text := range map[string]string{"answer": string(answer), "out": url + string(rest), "err": errs.String()} {
		ts.Check(os.WriteFile(ts.MkAbs(name), []byte(text), 0o644))
	}
}

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
	go func() { status <- run(ctx, []string{"explore", file}, nil, w, &errs) }()
	url, err := bufio.NewReader(r).ReadString('\n')
	require.NoError(t, err)
	require.Regexp(t, regexp.MustCompile(`^http://127\.0\.0\.1:[0-9]+/\n$`), url)
	body, err := fetch(strings.TrimSpace(url) + "api/file")
	require.NoError(t, err)
	require.Contains(t, string(body), `"name":"p.gram"`)
	stop()
	require.Equal(t, statusInterrupted, <-status)
	require.Equal(t, "gram: Ctrl-C stops the server\ngram: interrupted while serving\n", errs.String())
}

func TestExploreBusyPort(t *testing.T) {
	l, err := net.Listen("tcp4", "127.0.0.1:0")
	require.NoError(t, err)
	defer l.Close()
	port := strconv.Itoa(l.Addr().(*net.TCPAddr).Port)
	var out, errs bytes.Buffer
	status := run(t.Context(), []string{"explore", "-", "--port", port}, strings.NewReader("1"), &out, &errs)
	require.Equal(t, statusWrong, status)
	require.Empty(t, out.String())
	require.Equal(t, "gram: port "+port+" is in use; without --port a free one is taken\n", errs.String())
}

// TestExploreNobodyListens: an address that can't be told is an error, unless its reader has
// gone away, and nothing is served.
func TestExploreNobodyListens(t *testing.T) {
	var errs bytes.Buffer
	status := run(t.Context(), []string{"explore", "-"}, strings.NewReader("1"), failing{os.ErrPermission}, &errs)
	require.Equal(t, statusWrong, status)
	require.Contains(t, errs.String(), "gram: cannot write the result: ")

	errs.Reset()
	status = run(t.Context(), []string{"explore", "-"}, strings.NewReader("1"), failing{syscall.EPIPE}, &errs)
	require.Equal(t, statusDone, status, "the reader of a pipe went away")
	require.Empty(t, errs.String())
}
