package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestStopped: what was done before a limit can be explored.
func TestStopped(t *testing.T) {
	cfg := testConfig("param n = 100000\ninput x = 1\niter #n (fun y -> x * y) 1")
	cfg.Run.MaxSteps = 500
	s := serve(t, cfg, nil)
	status, a := s.run(string(cfg.Source), OfGradient)
	require.Equal(t, http.StatusOK, status, a.Text)
	require.Contains(t, a.Stopped, "limit of 500 steps reached while reducing, after ")
	require.NotContains(t, a.Stopped, "\n")
	require.Empty(t, a.Value)
	require.Empty(t, a.Gradient)
	var w Window
	require.Equal(t, http.StatusOK, s.get("/api/runs/"+a.Run+"/window?at="+strconv.FormatUint(a.Steps, 10), &w))
	require.Equal(t, a.Steps, w.To)
}

// TestStoppedAtOnce: a limit that ends a run after its first step is told as others are.
func TestStoppedAtOnce(t *testing.T) {
	cfg := testConfig(figure1)
	cfg.Run.MaxSteps = 1
	s := serve(t, cfg, nil)
	for _, of := range []string{OfGradient, OfValue} {
		status, a := s.run(figure1, of)
		require.Equal(t, http.StatusOK, status, a.Text)
		require.Contains(t, a.Stopped, "limit of 1 steps reached while reducing")
		var w Window
		require.Equal(t, http.StatusOK, s.get("/api/runs/"+a.Run+"/window?at=0", &w))
		require.Equal(t, a.Steps, w.To)
	}
}

// TestTimeLimit: time is a limit like the others.
func TestTimeLimit(t *testing.T) {
	cfg := testConfig(figure1)
	cfg.Run, cfg.Timeout = gram.EvalOptions{}, time.Second
	s := serve(t, cfg, nil)
	status, a := s.run("param n = 1000000000\ninput x = 1\niter #n (fun y -> x * y) 1", OfValue)
	require.Equal(t, http.StatusOK, status, a.Text)
	require.Contains(t, a.Stopped, "time limit reached while reducing, after ")
	require.Positive(t, a.Steps)
}

// TestLoadingLimit: a program that is too much before it runs is refused.
func TestLoadingLimit(t *testing.T) {
	cfg := testConfig(figure1)
	cfg.MaxMemory = 256 << 20
	s := serve(t, cfg, nil)
	status, a := s.run("data xs : List R = list i < 1000000000 -> sin i\nsize xs", OfValue)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, a.Error, "memory limit of 256.0 MiB reached while loading")
}

// TestEvicted: a run that isn't kept any more is not found, and comes back when its program
// is sent again.
func TestEvicted(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	_, first := s.run(figure1, OfGradient)
	window := "/api/runs/" + first.Run + "/window?at=0"
	var w Window
	require.Equal(t, http.StatusOK, s.get(window, &w))
	for i := range maxRuns {
		status, _ := s.run(strconv.Itoa(i), OfValue)
		require.Equal(t, http.StatusOK, status)
	}
	var answer refusal
	require.Equal(t, http.StatusNotFound, s.get(window, &answer))
	_, again := s.run(figure1, OfGradient)
	require.Equal(t, first, again)
	require.Equal(t, http.StatusOK, s.get(window, &w))
}

// TestTwoClients: what several clients ask at once is what one alone is told.
func TestTwoClients(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	sources := []string{figure1, "input x = 3\nx * x", "input x = 3\nsin x"}
	want := map[string][]byte{}
	ask := func(source string) (string, []byte, error) {
		body, err := json.Marshal(request{source, OfGradient})
		if err != nil {
			return "", nil, err
		}
		status, answer, _ := s.ask(s.request(http.MethodPost, "/api/run", string(body)))
		if status != http.StatusOK {
			return "", nil, errors.New(string(answer))
		}
		var a runReply
		if err := json.Unmarshal(answer, &a); err != nil {
			return "", nil, err
		}
		run := "/api/runs/" + a.Run
		_, window, _ := s.ask(s.request(http.MethodGet, run+"/window?at=3", ""))
		_, found, _ := s.ask(s.request(http.MethodGet, run+"/find?from=0&rule=factor,times", ""))
		return a.Run, append(append(answer, window...), found...), nil
	}
	for _, source := range sources {
		_, answer, err := ask(source)
		require.NoError(t, err)
		want[source] = answer
	}
	s.shelf = shelf{}
	const clients = 6
	done := make(chan error, clients)
	for i := range clients {
		go func() {
			for j := range 6 {
				source := sources[(i+j)%len(sources)]
				_, answer, err := ask(source)
				if err == nil && string(answer) != string(want[source]) {
					err = fmt.Errorf("%s\nnot\n%s", answer, want[source])
				}
				if err != nil {
					done <- err
					return
				}
			}
			done <- nil
		}()
	}
	for range clients {
		require.NoError(t, <-done)
	}
	require.Len(t, s.shelf.runs, len(sources))
}

// blocked is a start that waits for the end of its context or for a release.
type blocked struct{ begun, ended, release chan struct{} }

func newBlocked() *blocked {
	return &blocked{make(chan struct{}, 100), make(chan struct{}, 100), make(chan struct{})}
}

func (b *blocked) start(ctx context.Context, req *request) (*started, error) {
	b.begun <- struct{}{}
	select {
	case <-ctx.Done():
		b.ended <- struct{}{}
		return nil, ctx.Err()
	case <-b.release:
		return &started{&fake{steps: 1}, &runReply{Run: req.id(), Info: Info{Steps: 1}}}, nil
	}
}

// TestClientGone: work that nobody waits for ends, and what it came to is not kept.
func TestClientGone(t *testing.T) {
	b := newBlocked()
	s := serve(t, testConfig(figure1), func(s *Server) { s.start = b.start })
	ctx, leave := context.WithCancel(t.Context())
	gone := make(chan error, 1)
	go func() {
		r := s.request(http.MethodPost, "/api/run", `{"source":"1","of":"value"}`).WithContext(ctx)
		_, err := s.client.Do(r)
		gone <- err
	}()
	<-b.begun
	leave()
	require.ErrorIs(t, <-gone, context.Canceled)
	<-b.ended
	close(b.release)
	status, _ := s.run("1", OfValue)
	require.Equal(t, http.StatusOK, status)
	require.Empty(t, s.log.String())
}

// TestBusy: requests beyond those that may wait are sent away, and those that wait are
// served in the end.
func TestBusy(t *testing.T) {
	b := newBlocked()
	s := serve(t, testConfig(figure1), func(s *Server) { s.start = b.start })
	const all = maxWorking + maxWaiting
	statuses := make(chan int, all)
	for i := range all {
		go func() {
			status, _, _ := s.ask(s.request(http.MethodPost, "/api/run", fmt.Sprintf(`{"source":"%d","of":"value"}`, i)))
			statuses <- status
		}()
	}
	for range maxWorking {
		<-b.begun
	}
	for len(s.inside) < all {
		require.Empty(t, statuses)
	}
	status, body, h := s.ask(s.request(http.MethodPost, "/api/run", `{"source":"more","of":"value"}`))
	require.Equal(t, http.StatusServiceUnavailable, status)
	require.Equal(t, "1", h.Get("Retry-After"))
	require.JSONEq(t, `{"error":"the server is busy with other requests"}`, string(body))
	require.Empty(t, b.begun, "more are at work than may be")
	require.Nil(t, s.shelf.take((&request{"more", OfValue}).id(), false))
	close(b.release)
	for range all {
		require.Equal(t, http.StatusOK, <-statuses)
	}
}

// TestPatience: who waits too long for others is sent away.
func TestPatience(t *testing.T) {
	s, _ := newServer(t, testConfig(figure1))
	s.cfg.Timeout = 1
	r := s.shelf.take("x", true)
	r.turn <- struct{}{}
	err := s.work(t.Context(), r, func(context.Context) error { panic("two at once") })
	require.ErrorIs(t, err, errBusy)
	require.Empty(t, s.inside)
	require.Empty(t, s.working)
}
