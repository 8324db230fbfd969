package explore

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"log"
	"net"
	"net/http"
	"strconv"
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
	gate    gate
	log     *log.Logger
}

// New loads the program. If the program is wrong, or too much for the limits, the page can still
// be served, so that the user can correct it: see [Server.Problem]. The error is a
// [*gram.UsageError] about Params or Sets, or that of the context.
func New(ctx context.Context, cfg Config) (*Server, error) {
	if len(cfg.Source) > MaxSource {
		return nil, fmt.Errorf("%s: the program has %d bytes, and %d can be explored", cfg.Path, len(cfg.Source), MaxSource)
	}
	s := &Server{cfg: cfg, gate: newGate(), sending: sendTime, log: log.New(cfg.Log, "gram: ", 0)}
	s.start = s.explore
	var err error
	if s.files, err = newFiles(cfg.Dir, cfg.Sets, cfg.Inputs, cfg.Open); err != nil {
		return nil, err
	}
	if err := s.loadFirst(ctx); err != nil {
		s.Close()
		return nil, err
	}
	if s.cfg.Of == "" {
		s.cfg.Of = OfGradient
		if s.first != nil && s.first.Differentiable() != nil {
			s.cfg.Of = OfValue
		}
	}
	return s, nil
}

func (s *Server) loadFirst(ctx context.Context) error {
	work, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	p, err := s.load(work, string(s.cfg.Source), s.files.first(work), nil, nil)
	var usage *gram.UsageError
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case errors.As(err, &usage):
		return err
	}
	s.first, s.problem = p, err
	return nil
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
	mux.HandleFunc("GET /{$}", s.page)
	mux.HandleFunc("GET /assets/{name...}", s.asset)
	mux.HandleFunc("GET /api/file", s.api(s.getFile))
	mux.HandleFunc("GET /api/examples", s.api(s.getExamples))
	mux.HandleFunc("POST /api/run", s.api(s.postRun))
	mux.HandleFunc("GET /api/runs/{id}/window", s.api(s.getWindow))
	mux.HandleFunc("GET /api/runs/{id}/find", s.api(s.getFind))
	mux.HandleFunc("/", s.api(func(_ http.ResponseWriter, r *http.Request) error {
		return failure(http.StatusNotFound, "there is nothing at %s %s", r.Method, r.URL.Path)
	}))
	return s.recovering(s.bodyTimed(guarded(port, mux)))
}
