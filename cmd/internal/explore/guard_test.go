package explore

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// TestHosts: the server answers to its own names only.
func TestHosts(t *testing.T) {
	s, _ := newServer(t, testConfig(figure1))
	for host, want := range map[string]int{
		"127.0.0.1:8080":   200,
		"localhost:8080":   200,
		"LOCALHOST:8080":   200,
		"[::1]:8080":       200,
		"127.0.0.1":        403,
		"localhost":        403,
		"127.0.0.1:8081":   403,
		"evil.test:8080":   403,
		"evil.test":        403,
		"localhost.evil":   403,
		"127.0.0.1.nip.io": 403,
		"0.0.0.0:8080":     403,
		"":                 403,
	} {
		for _, path := range []string{"/", "/assets/index.html", "/api/file"} {
			r := httptest.NewRequest(http.MethodGet, path, nil)
			r.Host = host
			w := httptest.NewRecorder()
			s.handler(8080).ServeHTTP(w, r)
			require.Equal(t, want, w.Code, "%s of %q", path, host)
		}
	}
	r := httptest.NewRequest(http.MethodGet, "/", nil)
	r.Host = "localhost"
	w := httptest.NewRecorder()
	s.handler(80).ServeHTTP(w, r)
	require.Equal(t, 200, w.Code)
}

// TestCrossSite: what another page asks for is refused; it may link to the page.
func TestCrossSite(t *testing.T) {
	s, _ := newServer(t, testConfig(figure1))
	type headers map[string]string
	own := headers{"Sec-Fetch-Site": "same-origin", "Sec-Fetch-Mode": "cors"}
	for _, c := range []struct {
		name string
		path string
		h    headers
		want int
	}{
		{"the page itself", "/api/file", own, 200},
		{"a program", "/api/run", headers{"Sec-Fetch-Site": "same-origin", "Origin": "http://localhost:8080"}, 200},
		{"the user", "/api/file", headers{"Sec-Fetch-Site": "none", "Sec-Fetch-Mode": "navigate"}, 200},
		{"no browser", "/api/run", nil, 200},
		{"another site", "/api/file", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"another site's program", "/api/run", headers{"Sec-Fetch-Site": "cross-site"}, 403},
		{"another port", "/api/file", headers{"Sec-Fetch-Site": "same-site"}, 403},
		{"another port's program", "/api/run", headers{"Sec-Fetch-Site": "same-site"}, 403},
		{"a link to the data", "/api/file", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 403},
		{"a script", "/assets/app.js", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
		{"an old browser", "/api/file", headers{"Origin": "https://evil.test"}, 403},
		{"an old browser's program", "/api/run", headers{"Origin": "https://evil.test"}, 403},
		{"another port of an old one", "/api/file", headers{"Origin": "http://localhost:8081"}, 403},
		{"a page without an origin", "/api/run", headers{"Origin": "null"}, 403},
		{"TLS", "/api/file", headers{"Origin": "https://localhost:8080"}, 403},
		{"a link to the page", "/", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}, 200},
		{"the page as data", "/", headers{"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "no-cors"}, 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := httptest.NewRequest(http.MethodGet, c.path, nil)
			if c.path == "/api/run" {
				r = httptest.NewRequest(http.MethodPost, c.path, strings.NewReader(`{"source":"1","of":"value"}`))
				r.Header.Set("Content-Type", "application/json")
			}
			r.Host = "localhost:8080"
			for name, value := range c.h {
				r.Header.Set(name, value)
			}
			w := httptest.NewRecorder()
			s.handler(8080).ServeHTTP(w, r)
			require.Equal(t, c.want, w.Code, w.Body.String())
		})
	}
}

// TestHeaders: every answer tells the browser to keep others out.
func TestHeaders(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	for _, path := range []string{"/", "/assets/index.html", "/api/file", "/api/nothing", "/assets/none.js", "/assets/"} {
		_, _, h := s.ask(s.request(http.MethodGet, path, ""))
		require.Equal(t, "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; "+
			"base-uri 'none'; form-action 'none'; frame-ancestors 'none'", h.Get("Content-Security-Policy"), path)
		require.Equal(t, "nosniff", h.Get("X-Content-Type-Options"), path)
		require.Equal(t, "no-referrer", h.Get("Referrer-Policy"), path)
		require.Equal(t, "same-origin", h.Get("Cross-Origin-Resource-Policy"), path)
		require.Equal(t, "same-origin", h.Get("Cross-Origin-Opener-Policy"), path)
		require.Empty(t, h.Get("Access-Control-Allow-Origin"), path)
		if strings.HasPrefix(path, "/api") {
			require.Equal(t, "no-store", h.Get("Cache-Control"), path)
		}
	}
}

// TestPanic: a panic is answered and logged, its run is dropped, and the server lives on.
func TestPanic(t *testing.T) {
	s := serve(t, testConfig(figure1), func(s *Server) {
		start := s.start
		s.start = func(ctx context.Context, r *request) (*started, error) {
			if r.Source == "2" {
				panic("a fault")
			}
			return start(ctx, r)
		}
	})
	for range maxWorking + 1 {
		status, a := s.run("2", OfValue)
		require.Equal(t, http.StatusInternalServerError, status)
		require.Equal(t, "internal error: a fault", a.Error)
	}
	require.Contains(t, s.log.String(), "internal error: POST /api/run: a fault\n")
	require.Contains(t, s.log.String(), "goroutine ")
	require.Empty(t, s.shelf.runs)
	status, a := s.run("1", OfValue)
	require.Equal(t, http.StatusOK, status)

	// So it is with one that was there before.
	f := &fake{steps: 1, fault: "another"}
	s.shelf.runs[0].explorer = f
	var answer refusal
	require.Equal(t, http.StatusInternalServerError, s.get("/api/runs/"+a.Run+"/window?at=0", &answer))
	require.Equal(t, "internal error: another", answer.Error)
	require.Equal(t, http.StatusNotFound, s.get("/api/runs/"+a.Run+"/window?at=0", &answer))
}

// TestAbort: a handler that gives its connection up is not a fault.
func TestAbort(t *testing.T) {
	s, log := newServer(t, testConfig(figure1))
	h := s.recovering(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { panic(http.ErrAbortHandler) }))
	require.PanicsWithValue(t, http.ErrAbortHandler, func() {
		h.ServeHTTP(httptest.NewRecorder(), httptest.NewRequest(http.MethodGet, "/", nil))
	})
	require.Empty(t, log.String())
}
