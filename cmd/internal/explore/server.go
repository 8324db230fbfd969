// Package explore serves a page that shows a run of a program step by step.
//
// # What is sent
//
// The states of a run are neither sent as a whole nor kept: the run is repeated up to the states that are shown. The
// page asks for a window, that is all states from one step to another, with the objects in them and their changes. It
// shows these states without asking again. The server computes the positions of the objects. They are the same in all
// states of a window, so nothing moves from one step to the next.
//
//	page                        server
//	 │ POST /api/run             │ load, type, run once: steps, counts, value, gradient
//	 │ GET  …/window?at=K        │ run again to the window of state K, place its objects
//	 │ GET  …/find?from=K&rule=… │ run again until a step matches
//
// The name of a run is a hash of its program and options. The last few runs are kept. A
// request for another run is answered with 404, and the page sends the program again.
//
// # Safety
//
// Other pages are open in the same browser, and any of them can send requests to this computer. docs/explorer.md says
// what the server does so that it is safe. The served page contains no part of a program: programs are sent as JSON.
package explore

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"runtime/debug"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/gram-machine/gram"
)

// MaxSource is the largest size of a program that is explored, in bytes.
const MaxSource = 1 << 20

// The runs that can be explored.
const (
	OfGradient = "gradient"
	OfValue    = "value"
)

// Config describes what a server explores.
type Config struct {
	Name    string // of the program, for the page
	Path    string // of its file, for messages
	Source  []byte // the program
	Of      string // [OfGradient] or [OfValue]; "" is the gradient if there is one
	Version string // of gram

	// Options are those of loading it. Dir is the folder of the program: its paths are relative to it, and what the page
	// sends may read the files in it; "" is the current one.
	gram.Options
	// Run has the schedule, and the limits of steps and nodes of each run.
	Run gram.EvalOptions
	// Timeout bounds the work on a request, and the time that it waits for others.
	Timeout time.Duration
	// Open opens a file that the program of the command line has named.
	Open func(ctx context.Context, path string) (fs.File, error)
	// Log receives the errors of the server itself.
	Log io.Writer
}

// Server serves the page and its runs. Close it in the end.
type Server struct {
	cfg     Config
	files   *files
	first   *gram.Program                                     // of cfg.Source; nil if that is wrong
	problem error                                             // the error of loading it
	start   func(context.Context, *request) (*started, error) // runs a program
	sending time.Duration                                     // for the body of a request: sendTime
	shelf   shelf
	log     *log.Logger

	// tokens of the requests that are read, of those that work or wait for that, and of those that work
	reading, inside, working chan struct{}
}

// New loads the program. If the program is wrong, or too much for the limits, the page can still
// be served, so that the user can correct it: see [Server.Problem]. The error is a
// [*gram.UsageError] about Params or Sets, or that of the context.
func New(ctx context.Context, cfg Config) (*Server, error) {
	if len(cfg.Source) > MaxSource {
		return nil, fmt.Errorf("%s: the program has %d bytes, and %d can be explored", cfg.Path, len(cfg.Source), MaxSource)
	}
	s := &Server{cfg: cfg, sending: sendTime, log: log.New(cfg.Log, "gram: ", 0),
		reading: make(chan struct{}, maxReading), inside: make(chan struct{}, maxWorking+maxWaiting),
		working: make(chan struct{}, maxWorking)}
	s.start = s.explore
	var err error
	if s.files, err = newFiles(cfg.Dir, cfg.Sets, cfg.Inputs, cfg.Open); err != nil {
		return nil, err
	}
	work, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	s.first, s.problem = s.load(work, string(s.cfg.Source), s.files.first(work), nil, nil)
	var usage *gram.UsageError
	if err := ctx.Err(); err != nil || errors.As(s.problem, &usage) {
		s.Close()
		return nil, cmp.Or(err, s.problem)
	}
	if s.cfg.Of == "" {
		s.cfg.Of = OfGradient
		if s.first != nil && s.first.Differentiable() != nil {
			s.cfg.Of = OfValue
		}
	}
	return s, nil
}

// Problem returns the error of loading the program of the command line, or nil.
func (s *Server) Problem() error { return s.problem }

// Close releases the resources of the server.
func (s *Server) Close() { s.files.close() }

// Listen returns a listener on the loopback interface. Port 0 stands for any free port.
func Listen(ctx context.Context, port int) (net.Listener, error) {
	var config net.ListenConfig
	l, err := config.Listen(ctx, "tcp4", net.JoinHostPort("127.0.0.1", strconv.Itoa(port)))
	var system syscall.Errno
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil, fmt.Errorf("port %d is in use; without --port a free one is taken", port)
	case errors.As(err, &system):
		return nil, fmt.Errorf("cannot listen on port %d: %w", port, system)
	}
	return l, err
}

// Port returns the port of a listener.
func Port(l net.Listener) int { return l.Addr().(*net.TCPAddr).Port }

// Bounds on connections.
const (
	headerTime  = 5 * time.Second
	sendTime    = 15 * time.Second // to send the body of a request, or to take its answer
	idleTime    = 2 * time.Minute
	headerBytes = 16 << 10
	graceTime   = 2 * time.Second // for the requests under way when the server stops
)

// Serve answers requests until the context ends. It returns the error of the context, or that of
// the listener, which it closes. Open requests end with the context.
func (s *Server) Serve(ctx context.Context, l net.Listener) error {
	server := &http.Server{
		Handler:           s.handler(Port(l)),
		BaseContext:       func(net.Listener) context.Context { return ctx },
		ReadHeaderTimeout: headerTime,
		WriteTimeout:      2*s.cfg.Timeout + 3*sendTime, // a request waits, is sent, waits, works, and is answered
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          s.log,
	}
	done := make(chan error, 1)
	go func() { done <- server.Serve(l) }()
	select {
	case err := <-done:
		return err
	case <-ctx.Done():
	}
	grace, cancel := context.WithTimeout(context.WithoutCancel(ctx), graceTime)
	defer cancel()
	if server.Shutdown(grace) != nil {
		server.Close()
	}
	<-done
	return ctx.Err()
}

// handler answers requests to the port.
func (s *Server) handler(port int) http.Handler {
	mux := http.NewServeMux()
	value := func(of func() any) http.HandlerFunc {
		return s.api(func(http.ResponseWriter, *http.Request) (any, error) { return of(), nil })
	}
	mux.HandleFunc("GET /{$}", asset)
	mux.HandleFunc("GET /assets/{name...}", asset)
	mux.HandleFunc("GET /api/file", value(func() any { return s.file() }))
	mux.HandleFunc("GET /api/examples", value(func() any { return gallery() }))
	mux.HandleFunc("POST /api/run", s.api(s.postRun))
	mux.HandleFunc("GET /api/runs/{id}/window", s.api(s.getWindow))
	mux.HandleFunc("GET /api/runs/{id}/find", s.api(s.getFind))
	mux.HandleFunc("/", s.api(func(_ http.ResponseWriter, r *http.Request) (any, error) {
		return nil, failure(http.StatusNotFound, "there is nothing at %s %s", r.Method, r.URL.Path)
	}))
	return s.recovering(s.guarded(port, mux))
}

// policy says what the page may load, and from where.
const policy = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:; " +
	"base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// guarded passes on only requests of the page itself and requests of the user for the page. It sets the headers that
// keep other pages out. And it bounds the time for sending the body of a request, even if the body is not read: the
// answer waits for it. The handler that reads the body lifts the bound afterwards, since it would end the work on the
// request too, as [http.Server.ReadTimeout] does.
func (s *Server) guarded(port int, next http.Handler) http.Handler {
	var hosts []string // the names by which a browser calls the server; browsers leave port 80 out
	for _, host := range []string{"127.0.0.1", "localhost", "[::1]"} {
		hosts = append(hosts, strings.TrimSuffix(host+":"+strconv.Itoa(port), ":80"), host+":"+strconv.Itoa(port))
	}
	protection := http.NewCrossOriginProtection()
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Body != http.NoBody {
			_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.sending))
		}
		h := w.Header()
		h.Set("Content-Security-Policy", policy)
		h.Set("X-Content-Type-Options", "nosniff")
		h.Set("Referrer-Policy", "no-referrer")
		h.Set("Cross-Origin-Resource-Policy", "same-origin")
		h.Set("Cross-Origin-Opener-Policy", "same-origin")
		h.Set("Cache-Control", "no-store")
		switch {
		case !slices.Contains(hosts, strings.ToLower(r.Host)):
			writeFailure(w, http.StatusForbidden, "this server has other names than the one that was asked for")
		case protection.Check(r) != nil, !sameOrigin(r):
			writeFailure(w, http.StatusForbidden, "another page may not ask this server")
		default:
			next.ServeHTTP(w, r)
		}
	})
}

// sameOrigin reports whether a request comes from the page or the user. A request without the
// headers that browsers set comes from no page. Another page may link to the page.
func sameOrigin(r *http.Request) bool {
	if origin := r.Header.Get("Origin"); origin != "" && !strings.EqualFold(origin, "http://"+r.Host) {
		return false
	}
	switch r.Header.Get("Sec-Fetch-Site") {
	case "", "same-origin", "none":
		return true
	}
	return r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// recovering answers a request whose handler panics, and logs the panic. The server continues.
func (s *Server) recovering(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer func() {
			fault := recover()
			if fault == nil {
				return
			}
			if fault == http.ErrAbortHandler {
				panic(fault)
			}
			s.log.Printf("internal error: %s %s: %v\n%s", r.Method, r.URL.EscapedPath(), fault, debug.Stack())
			writeFailure(w, http.StatusInternalServerError, fmt.Sprintf("internal error: %v", fault))
		}()
		next.ServeHTTP(w, r)
	})
}

// How many requests may work at once, how many more may wait for that, and how many bodies may be
// read at once; bodies are kept in memory while they are read.
const (
	maxWorking = 2
	maxWaiting = 30
	maxReading = 4
)

// wait sends a token to a channel. It returns an error if the context ends first.
func wait(ctx context.Context, tokens chan struct{}) error {
	select {
	case tokens <- struct{}{}:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
