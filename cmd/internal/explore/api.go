package explore

import (
	"cmp"
	"context"
	"io/fs"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/gram-machine/gram/examples"
	"github.com/gram-machine/gram/rule"
)

// getFile answers with the program of the command line.
func (s *Server) getFile(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, s.file())
	return nil
}

// fileReply is the program of the command line.
type fileReply struct {
	Name    string `json:"name"`
	Source  string `json:"source"`
	Of      string `json:"of"`
	Version string `json:"version"`
}

func (s *Server) file() fileReply {
	return fileReply{s.cfg.Name, string(s.cfg.Source), s.cfg.Of, s.cfg.Version}
}

// withRun does the work of a request about a run that is kept.
func (s *Server) withRun(r *http.Request, do func(context.Context, *run) error) error {
	run := s.shelf.take(r.PathValue("id"), false)
	gone := failure(http.StatusNotFound, "this run is not kept any more")
	if run == nil {
		return gone
	}
	return s.work(r.Context(), run, func(ctx context.Context) error {
		if run.started == nil { // the request that should have started it has failed
			return gone
		}
		return do(ctx, run)
	})
}

// getWindow answers with the window that holds the state at.
func (s *Server) getWindow(w http.ResponseWriter, r *http.Request) error {
	at, err := natural(r, "at")
	if err != nil {
		return err
	}
	var body []byte
	err = s.withRun(r, func(ctx context.Context, run *run) error {
		if at > run.steps {
			return failure(http.StatusBadRequest, "the run has %d steps, and no state %d", run.steps, at)
		}
		q := r.URL.Query() // without groups=own the server chooses which groups are open
		body, err = run.window(ctx, at, Opened{Auto: q.Get("groups") != "own", Keys: q["open"]})
		return err
	})
	if err != nil {
		return err
	}
	write(w, http.StatusOK, "application/json", body)
	return nil
}

// getFind answers with the nearest step that matches.
func (s *Server) getFind(w http.ResponseWriter, r *http.Request) error {
	find, err := readFind(r)
	if err != nil {
		return err
	}
	var found struct {
		Step *uint64 `json:"step"`
	}
	err = s.withRun(r, func(ctx context.Context, run *run) error {
		step, ok, err := run.Find(ctx, find)
		if ok {
			found.Step = &step
		}
		return err
	})
	if err != nil {
		return err
	}
	writeJSON(w, http.StatusOK, found)
	return nil
}

// readFind reads the description of a step from the query.
func readFind(r *http.Request) (f Find, err error) {
	q := r.URL.Query()
	f.Rule = q.Get("rule")
	for name := range strings.SplitSeq(f.Rule, ",") {
		if _, known := rule.Find(name); f.Rule != "" && !known {
			return f, failure(http.StatusBadRequest, "there is no rule %q", name)
		}
	}
	if f.From, err = natural(r, "from"); err != nil {
		return f, err
	}
	line, err := natural(r, "line")
	if err != nil {
		return f, err
	}
	back, err := natural(r, "back")
	f.Line, f.Back = int(min(line, 1<<31-1)), back != 0
	return f, err
}

// natural reads a natural number from the query. It returns 0 if the parameter is missing.
func natural(r *http.Request, name string) (uint64, error) {
	text := r.URL.Query().Get(name)
	if text == "" {
		return 0, nil
	}
	n, err := strconv.ParseUint(text, 10, 64)
	if err != nil {
		return 0, failure(http.StatusBadRequest, "%q is no natural number: %q", name, text)
	}
	return n, nil
}

// example is a program of the gallery.
type example struct {
	Name   string `json:"name"`
	About  string `json:"about"` // the comment at its beginning
	Source string `json:"source"`
	Of     string `json:"of"`
}

// gallery returns the examples.
var gallery = sync.OnceValue(func() []example {
	paths, _ := fs.Glob(examples.Files, "*.gram")
	var out []example
	for _, path := range paths {
		name := strings.TrimSuffix(path, ".gram")
		source, _ := examples.Files.ReadFile(path)
		about := []string{}
		for line := range strings.Lines(string(source)) {
			text, comment := strings.CutPrefix(line, "--")
			if !comment {
				break
			}
			about = append(about, strings.TrimSpace(text))
		}
		e := example{Name: name, About: strings.Join(about, " "), Source: string(source), Of: OfGradient}
		if name == "backpropagators" { // it has duals of its own
			e.Of = OfValue
		}
		out = append(out, e)
	}
	first := func(e example) int { return slices.Index([]string{"figure1", "rnn", "mlp"}, e.Name) }
	slices.SortStableFunc(out, func(a, b example) int { return cmp.Compare(uint(first(a)), uint(first(b))) })
	return out
})

// getExamples answers with the gallery.
func (s *Server) getExamples(w http.ResponseWriter, _ *http.Request) error {
	writeJSON(w, http.StatusOK, gallery())
	return nil
}
