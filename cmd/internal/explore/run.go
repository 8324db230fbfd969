package explore

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"mime"
	"net/http"
	"strings"
	"time"

	"github.com/gram-machine/gram"
)

// explorer is a [scene.Exploration], or a substitute in a test.
type explorer interface {
	Window(ctx context.Context, at uint64) (*Window, error)
	Find(ctx context.Context, f Find) (step uint64, ok bool, err error)
	Group(w *Window, opened Opened) *Window
	Levels(w *Window) [][]Level
}

// started is a program that has been run.
type started struct {
	explorer
	steps uint64
	reply []byte // a [runReply] in JSON
}

// request asks for a run.
type request struct {
	Source string `json:"source"`
	Of     string `json:"of"`
}

// maxBody bounds the body of a request. In JSON, a byte of a program may take six bytes: \u and four digits.
const maxBody = 6*MaxSource + 1024

// readRequest reads a request for a run. It waits while too many others are read. The wait and
// the reading are each bounded by the time of bodyTimed.
func (s *Server) readRequest(w http.ResponseWriter, r *http.Request) (*request, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, failure(http.StatusUnsupportedMediaType, "a program is sent as application/json")
	}
	waiting, cancel := context.WithTimeout(r.Context(), s.sending)
	defer cancel()
	if wait(waiting, s.gate.reading) != nil {
		return nil, errBusy
	}
	defer func() { <-s.gate.reading }()
	_ = http.NewResponseController(w).SetReadDeadline(time.Now().Add(s.sending))
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	var req request
	err := d.Decode(&req)
	if err == nil && d.More() {
		err = errors.New("there is more behind the object")
	}
	var large *http.MaxBytesError
	switch {
	case errors.As(err, &large):
		return nil, failure(http.StatusRequestEntityTooLarge, "a request of more than %d bytes is not read", maxBody)
	case len(req.Source) > MaxSource:
		return nil, failure(http.StatusRequestEntityTooLarge, "a program of more than %d bytes cannot be explored", MaxSource)
	case err != nil:
		return nil, failure(http.StatusBadRequest, "this is no request for a run: %s", unreadable(err))
	case req.Of != OfGradient && req.Of != OfValue:
		return nil, failure(http.StatusBadRequest, `"of" must be %q or %q`, OfGradient, OfValue)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // see bodyTimed
	return &req, nil
}

// unreadable describes the error of a text that should be a request in JSON.
func unreadable(err error) string {
	var kind *json.UnmarshalTypeError
	switch {
	case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
		return "it ends too early"
	case errors.As(err, &kind) && kind.Field == "":
		return "it is no object but of the type " + kind.Value
	case errors.As(err, &kind):
		return fmt.Sprintf("%q is no string but of the type %s", kind.Field, kind.Value)
	}
	return strings.TrimPrefix(err.Error(), "json: ")
}

// id names the run of a program; all runs of a server have the same options.
func (req *request) id() string {
	sum := sha256.Sum256([]byte(req.Of + "\n" + req.Source))
	return hex.EncodeToString(sum[:16])
}

// postRun runs a program, unless that has been done.
func (s *Server) postRun(w http.ResponseWriter, r *http.Request) error {
	req, err := s.readRequest(w, r)
	if err != nil {
		return err
	}
	run := s.shelf.take(req.id(), true)
	var reply []byte
	err = s.work(r.Context(), run, func(ctx context.Context) error {
		if run.started == nil {
			st, err := s.start(ctx, req)
			if err == nil {
				err = r.Context().Err() // a run that the client has cut short is not kept
			}
			if err != nil {
				return err
			}
			run.started = st
		}
		s.shelf.keep(run, run.steps, len(req.Source))
		reply = run.reply
		return nil
	})
	if err != nil {
		s.shelf.drop(run, true)
		return err
	}
	write(w, http.StatusOK, "application/json", reply)
	return nil
}

// work does the work of a request with a run. It waits while another request works with that run,
// or too many work with others. The work is bounded by the time limit of the server.
func (s *Server) work(ctx context.Context, r *run, do func(context.Context) error) error {
	if !s.gate.enter() {
		return errBusy
	}
	defer s.gate.leave()
	waiting, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	for _, tokens := range []chan struct{}{r.turn, s.gate.working} {
		if wait(waiting, tokens) != nil {
			return errBusy
		}
		defer func() { <-tokens }()
	}
	ctx, cancel = context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	sound := false
	defer func() {
		if !sound { // after a panic the run may be inconsistent
			r.started, r.windows = nil, nil
			s.shelf.drop(r, false)
		}
	}()
	err := do(ctx)
	sound = true
	return err
}

// load reads a program.
func (s *Server) load(ctx context.Context, source string, open func(string) (fs.File, error)) (*gram.Program, error) {
	opt := s.cfg.Options
	opt.Open, opt.Seed = open, s.cfg.Run.Seed
	return gram.Load(ctx, s.cfg.Path, []byte(source), opt)
}

// explore loads a program and runs it.
func (s *Server) explore(ctx context.Context, req *request) (_ *started, err error) {
	p := s.first
	if p == nil || req.Source != string(s.cfg.Source) {
		if p, err = s.load(ctx, req.Source, s.files.later(ctx)); err != nil {
			return nil, err
		}
	}
	x, err := Explore(ctx, p, req.Of == OfGradient, s.cfg.Run)
	if err != nil {
		return nil, err
	}
	info := x.Info()
	return &started{explorer: x, steps: info.Steps, reply: encode(describe(p, req, &info))}, nil
}
