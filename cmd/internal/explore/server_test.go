package explore

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"io"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"go.uber.org/goleak"

	"github.com/gram-machine/gram"
)

func TestMain(m *testing.M) {
	flag.Parse()
	if f := flag.Lookup("test.parallel"); f.Value.String() == f.DefValue {
		_ = f.Value.Set("4") // tabs mostly wait for the browser
	}
	goleak.VerifyTestMain(m)
}

// figure1 is Figure 1 of the paper.
const figure1 = `input x1 = 5
input x2 = 2
let z1 = x1 - x2 in
let z2 = z1 * z1 in
sin z2
`

// logs is a log that may be read while the server writes.
type logs struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *logs) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *logs) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// site is a server that runs, and what is needed to ask it.
type site struct {
	*Server
	t      *testing.T
	url    string
	client *http.Client
	log    *logs
}

func testConfig(source string) Config {
	return Config{
		Name: "test.gram", Path: "test.gram", Source: []byte(source), Version: "v0", Timeout: time.Minute,
		Run:  gram.EvalOptions{MaxSteps: 1e6, MaxNodes: 1e6},
		Open: func(_ context.Context, path string) (fs.File, error) { return os.Open(path) },
	}
}

// newServer returns a server that doesn't listen.
func newServer(t *testing.T, cfg Config) (*Server, *logs) {
	t.Helper()
	log := &logs{}
	cfg.Log = log
	s, err := New(t.Context(), cfg)
	require.NoError(t, err)
	t.Cleanup(s.Close)
	return s, log
}

// serve runs a server until the test ends. change, if not nil, is called before.
func serve(t *testing.T, cfg Config, change func(*Server)) *site {
	t.Helper()
	s, log := newServer(t, cfg)
	if change != nil {
		change(s)
	}
	l, err := Listen(t.Context(), 0)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error, 1)
	go func() { done <- s.Serve(ctx, l) }()
	client := &http.Client{Transport: &http.Transport{}}
	t.Cleanup(func() {
		client.CloseIdleConnections()
		stop()
		require.ErrorIs(t, <-done, context.Canceled)
	})
	return &site{s, t, "http://" + l.Addr().String(), client, log}
}

// ask sends a request and returns the status and the body of the answer.
func (s *site) ask(r *http.Request) (int, []byte, http.Header) {
	s.t.Helper()
	resp, err := s.client.Do(r)
	require.NoError(s.t, err)
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	require.NoError(s.t, err)
	return resp.StatusCode, body, resp.Header
}

func (s *site) request(method, path, body string) *http.Request {
	s.t.Helper()
	r, err := http.NewRequestWithContext(s.t.Context(), method, s.url+path, strings.NewReader(body))
	require.NoError(s.t, err)
	if method == http.MethodPost {
		r.Header.Set("Content-Type", "application/json")
	}
	return r
}

// get asks for an answer in JSON.
func (s *site) get(path string, into any) int {
	s.t.Helper()
	return s.read(s.request(http.MethodGet, path, ""), into)
}

func (s *site) read(r *http.Request, into any) int {
	s.t.Helper()
	status, body, h := s.ask(r)
	require.Equal(s.t, "application/json", h.Get("Content-Type"), string(body))
	require.NoError(s.t, json.Unmarshal(body, into), string(body))
	return status
}

// runAnswer is the answer to a program, right or wrong.
type runAnswer struct {
	runReply
	wrongProgram
}

// run sends a program.
func (s *site) run(source, of string) (int, runAnswer) {
	s.t.Helper()
	body, err := json.Marshal(request{source, of})
	require.NoError(s.t, err)
	var a runAnswer
	return s.read(s.request(http.MethodPost, "/api/run", string(body)), &a), a
}

func TestListen(t *testing.T) {
	l, err := Listen(t.Context(), 0)
	require.NoError(t, err)
	defer l.Close()
	require.True(t, l.Addr().(*net.TCPAddr).IP.IsLoopback())
	_, err = Listen(t.Context(), Port(l))
	require.ErrorContains(t, err, "is in use; without --port a free one is taken")
	_, err = Listen(t.Context(), 1<<16)
	require.Error(t, err)
}

// TestLoopbackOnly: the other addresses of this computer don't lead to the server.
func TestLoopbackOnly(t *testing.T) {
	l, err := Listen(t.Context(), 0)
	require.NoError(t, err)
	defer l.Close()
	addresses, err := net.InterfaceAddrs()
	require.NoError(t, err)
	for _, a := range addresses {
		ip, ok := a.(*net.IPNet)
		if !ok || ip.IP.IsLoopback() {
			continue
		}
		c, err := net.DialTimeout("tcp", (&net.TCPAddr{IP: ip.IP, Port: Port(l)}).String(), time.Second)
		if err == nil {
			c.Close()
		}
		require.Error(t, err, "%s leads to the server", ip.IP)
	}
}

// TestServeEnds: the end of the context ends the requests under way.
func TestServeEnds(t *testing.T) {
	s, _ := newServer(t, testConfig(figure1))
	begun := make(chan struct{})
	s.start = func(ctx context.Context, _ *request) (*started, error) {
		close(begun)
		<-ctx.Done()
		return nil, ctx.Err()
	}
	l, err := Listen(t.Context(), 0)
	require.NoError(t, err)
	ctx, stop := context.WithCancel(t.Context())
	served := make(chan error, 1)
	go func() { served <- s.Serve(ctx, l) }()
	answered := make(chan string, 1)
	go func() {
		client := http.Client{Transport: &http.Transport{DisableKeepAlives: true}}
		resp, err := client.Post("http://"+l.Addr().String()+"/api/run", "application/json", strings.NewReader(`{"source":"1","of":"value"}`))
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		body, _ := io.ReadAll(resp.Body)
		answered <- string(body)
	}()
	<-begun
	stop()
	require.ErrorIs(t, <-served, context.Canceled)
	require.Equal(t, `{"error":"the server is stopping"}`, <-answered)
	_, err = net.DialTimeout("tcp", l.Addr().String(), time.Second)
	require.Error(t, err)
}

// TestServeListenerFails: an error of the listener ends the server.
func TestServeListenerFails(t *testing.T) {
	s, _ := newServer(t, testConfig(figure1))
	l, err := Listen(t.Context(), 0)
	require.NoError(t, err)
	require.NoError(t, l.Close())
	require.ErrorIs(t, s.Serve(t.Context(), l), net.ErrClosed)
}

func TestNew(t *testing.T) {
	for _, c := range []struct {
		name, source, of, want string
		wrong                  bool
	}{
		{"a gradient", figure1, "", OfGradient, false},
		{"none", "[1; 2]", "", OfValue, false},
		{"as asked for", figure1, OfValue, OfValue, false},
		{"no type", "sin sin", "", OfGradient, true},
		{"no syntax", "let", "", OfGradient, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			cfg := testConfig(c.source)
			cfg.Of = c.of
			s := serve(t, cfg, nil)
			require.Equal(t, c.wrong, s.Problem() != nil)
			var file struct{ Name, Source, Of, Version string }
			require.Equal(t, http.StatusOK, s.get("/api/file", &file))
			require.Equal(t, struct{ Name, Source, Of, Version string }{"test.gram", c.source, c.want, "v0"}, file)
		})
	}
}

func TestNewFails(t *testing.T) {
	cfg := testConfig(figure1)
	cfg.Sets = []string{"x1"}
	_, err := New(t.Context(), cfg)
	var usage *gram.UsageError
	require.ErrorAs(t, err, &usage)

	cfg.Sets = []string{"y=1"}
	_, err = New(t.Context(), cfg)
	require.ErrorAs(t, err, &usage)

	_, err = New(t.Context(), testConfig(strings.Repeat("1 + ", MaxSource/4)+"1"))
	require.ErrorContains(t, err, "the program has 1048577 bytes")

	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err = New(ctx, testConfig(figure1))
	require.ErrorIs(t, err, context.Canceled)
}
