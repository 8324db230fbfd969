package explore

import (
	"cmp"
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
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/internal/bridge"
	"github.com/gram-machine/gram/lang"
	"github.com/gram-machine/gram/lang/load"
)

// explorer is a [Exploration], or a substitute in a test.
type explorer interface {
	Window(ctx context.Context, at uint64) (*Window, error)
	Find(ctx context.Context, f Find) (step uint64, ok bool, err error)
}

// started is a program that has been run.
type started struct {
	explorer
	*runReply
}

// request asks for a run.
type request struct {
	Source string `json:"source"`
	Of     string `json:"of"`
}

// maxBody bounds the body of a request. In JSON, a byte of a program may take six bytes: \u and four digits.
const maxBody = 6*MaxSource + 1024

// readRequest reads a request for a run. It waits while too many others are read. The wait and
// the reading are each bounded by the time of guarded.
func (s *Server) readRequest(w http.ResponseWriter, r *http.Request) (*request, error) {
	if kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type")); err != nil || kind != "application/json" {
		return nil, failure(http.StatusUnsupportedMediaType, "a program is sent as application/json")
	}
	waiting, cancel := context.WithTimeout(r.Context(), s.sending)
	defer cancel()
	if wait(waiting, s.reading) != nil {
		return nil, errBusy
	}
	defer func() { <-s.reading }()
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
		text := strings.TrimPrefix(err.Error(), "json: ")
		var kind *json.UnmarshalTypeError
		switch {
		case errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF):
			text = "it ends too early"
		case errors.As(err, &kind) && kind.Field == "":
			text = "it is no object but of the type " + kind.Value
		case errors.As(err, &kind):
			text = fmt.Sprintf("%q is no string but of the type %s", kind.Field, kind.Value)
		}
		return nil, failure(http.StatusBadRequest, "this is no request for a run: %s", text)
	case req.Of != OfGradient && req.Of != OfValue:
		return nil, failure(http.StatusBadRequest, `"of" must be %q or %q`, OfGradient, OfValue)
	}
	_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // see guarded
	return &req, nil
}

// id names the run of a program; all runs of a server have the same options.
func (req *request) id() string {
	sum := sha256.Sum256([]byte(req.Of + "\n" + req.Source))
	return hex.EncodeToString(sum[:16])
}

// postRun runs a program, unless that has been done.
func (s *Server) postRun(w http.ResponseWriter, r *http.Request) (any, error) {
	req, err := s.readRequest(w, r)
	if err != nil {
		return nil, err
	}
	run := s.shelf.take(req.id(), true)
	var reply *runReply
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
		s.shelf.keep(run, run.Steps, len(req.Source))
		reply = run.runReply
		return nil
	})
	if err != nil {
		s.shelf.drop(run, true)
	}
	return reply, err
}

// work does the work of a request with a run. It waits while another request works with that run,
// or too many work with others. The work is bounded by the time limit of the server.
func (s *Server) work(ctx context.Context, r *run, do func(context.Context) error) error {
	select {
	case s.inside <- struct{}{}:
		defer func() { <-s.inside }()
	default:
		return errBusy
	}
	waiting, cancel := context.WithTimeout(ctx, s.cfg.Timeout)
	defer cancel()
	for _, tokens := range []chan struct{}{r.turn, s.working} {
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
			r.started = nil
			s.shelf.drop(r, false)
		}
	}()
	err := do(ctx)
	sound = true
	return err
}

// load reads a program, with some params and data in place of its own.
func (s *Server) load(ctx context.Context, source string, open func(string) (fs.File, error), params []string,
	values map[string][]float64) (*gram.Program, error) {
	opt := s.cfg.Options
	opt.Params, opt.Values, opt.Open, opt.Seed = slices.Concat(opt.Params, params), values, open, s.cfg.Run.Seed
	return gram.Load(ctx, s.cfg.Path, []byte(source), opt)
}

// explore loads a program and runs it, or a smaller one in its place.
func (s *Server) explore(ctx context.Context, req *request) (_ *started, err error) {
	p, open := s.first, s.files.first(ctx)
	if p == nil || req.Source != string(s.cfg.Source) {
		open = s.files.later(ctx)
		if p, err = s.load(ctx, req.Source, open, nil, nil); err != nil {
			return nil, err
		}
	}
	var x *Exploration
	var limit *gram.LimitError
	large := size(p) > float64(cmp.Or(s.cfg.MaxMemory, 1<<30)/nodeBytes)
	if !large {
		x, err = Explore(ctx, p, req.Of == OfGradient, s.cfg.Run)
	}
	if large || errors.As(err, &limit) && limit.Limit == "memory" {
		p, x, err = s.smaller(ctx, req, bridge.Of(p).Source(), open)
	}
	if err != nil {
		return nil, err
	}
	return &started{x, describe(p, req, x.Info())}, nil
}

// size is how many nodes and variables the program has when its families are expanded.
func size(p *gram.Program) float64 { return bridge.Of(p).Source().Written().ExpandedSize() }

// A program that would take more memory than there may be, nodeBytes for each node of its expansion, is not run. The
// one in its place has at most fewNodes, and makes at most fewSteps steps.
const (
	nodeBytes = 2 << 10
	fewNodes  = 50000
	fewSteps  = 500000
)

// smaller explores a program with smaller params and with fewer elements of its lists of data. The largest of these
// numbers is halved until the run is short; one stays as it is where the program would be wrong with the half.
func (s *Server) smaller(ctx context.Context, req *request, src *lang.Program, open func(string) (fs.File, error)) (
	*gram.Program, *Exploration, error) {
	names, was := []string{"lists of at most"}, []uint64{0} // the first number is that of elements
	for _, p := range src.Params {
		names, was = append(names, p.Name+" ="), append(was, p.Value)
	}
	other := func(d load.Variable) bool { return d.Shape.Kind != load.List || d.Shape.Tagged() }
	lists := slices.DeleteFunc(slices.Clone(src.Data), other)
	for _, d := range lists {
		was[0] = max(was[0], uint64(d.Value.Rows))
	}
	now, fixed, run := slices.Clone(was), make([]bool, len(was)), s.cfg.Run
	run.MaxSteps = min(cmp.Or(run.MaxSteps, fewSteps), fewSteps)
	for {
		largest := -1
		for i, n := range now {
			if !fixed[i] && n > 1 && (largest < 0 || n > now[largest]) {
				largest = i
			}
		}
		if largest < 0 {
			return nil, nil, failure(http.StatusUnprocessableEntity, "the program is too large to be run step by step")
		}
		before := now[largest]
		now[largest] /= 2
		texts, smaller, values := []string{}, []string{}, map[string][]float64{}
		for i, n := range now {
			texts = append(texts, fmt.Sprint(names[i], " ", n))
			if n != was[i] {
				smaller = append(smaller, texts[i])
			}
		}
		for _, d := range lists {
			values[d.Name] = d.Value.Data[:min(d.Value.Rows, int(now[0]))*d.Shape.Width()]
		}
		p, err := s.load(ctx, req.Source, open, texts[1:], values)
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		if fixed[largest] = err != nil; err != nil {
			now[largest] = before
		} else if size(p) <= fewNodes {
			if x, err := Explore(ctx, p, req.Of == OfGradient, run); err == nil && x.info.Stopped == "" {
				x.info.Smaller = smaller
				return p, x, nil
			}
		}
	}
}

// How many runs are kept, and how large several runs may be together, in steps. The memory of a run is proportional to
// its steps and to the size of its program; a byte of the program takes as much as sourceSteps steps.
const (
	maxRuns      = 8
	maxKeptSteps = 20e6
	sourceSteps  = 20
)

// run is a run that is explored, or will be.
type run struct {
	id   string
	turn chan struct{} // holds a token while a request uses the fields below
	*started

	kept bool   // guarded by the shelf
	size uint64 // of a kept run and its program, in steps
}

// shelf holds the runs that were used last, the latest first. A run that is removed while it is
// in use stays valid for its users.
type shelf struct {
	mu   sync.Mutex
	runs []*run
}

// take returns the run with an id. If there is none it returns nil, or with create a new run, which is not kept yet.
func (s *shelf) take(id string, create bool) *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	i := slices.IndexFunc(s.runs, func(r *run) bool { return r.id == id })
	if i >= 0 {
		r := s.runs[i]
		s.runs = slices.Insert(slices.Delete(s.runs, i, i+1), 0, r)
		return r
	}
	if !create {
		return nil
	}
	r := &run{id: id, turn: make(chan struct{}, 1)}
	s.runs = slices.Insert(s.runs, 0, r)
	return r
}

// keep moves a run to the front, and removes the last runs if there are too many. The run has so
// many steps, and its program so many bytes.
func (s *shelf) keep(r *run, steps uint64, source int) {
	s.mu.Lock()
	defer s.mu.Unlock()
	r.kept, r.size = true, steps+sourceSteps*uint64(source)
	others := slices.DeleteFunc(s.runs, func(o *run) bool { return o.id == r.id })
	s.runs = slices.Insert(others, 0, r)
	runs, total := 0, uint64(0)
	s.runs = slices.DeleteFunc(s.runs, func(o *run) bool {
		if !o.kept {
			return false
		}
		runs++
		total += o.size
		return runs > maxRuns || runs > 1 && total > maxKeptSteps
	})
}

// drop removes a run, with unkept unless it has been kept.
func (s *shelf) drop(r *run, unkept bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.runs = slices.DeleteFunc(s.runs, func(o *run) bool { return o == r && !(unkept && o.kept) })
}
