package explore

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/examples"
	"github.com/gram-machine/gram/rule"
)

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
func (s *Server) withRun(r *http.Request, do func(context.Context, *run) (any, error)) (answer any, err error) {
	run := s.shelf.take(r.PathValue("id"), false)
	gone := failure(http.StatusNotFound, "this run is not kept any more")
	if run == nil {
		return nil, gone
	}
	err = s.work(r.Context(), run, func(ctx context.Context) (err error) {
		if run.started == nil { // the request that should have started it has failed
			return gone
		}
		answer, err = do(ctx, run)
		return err
	})
	return answer, err
}

// getWindow answers with the window that holds the state at.
func (s *Server) getWindow(_ http.ResponseWriter, r *http.Request) (any, error) {
	at, err := natural(r, "at")
	if err != nil {
		return nil, err
	}
	return s.withRun(r, func(ctx context.Context, run *run) (any, error) {
		if at > run.steps {
			return nil, failure(http.StatusBadRequest, "the run has %d steps, and no state %d", run.steps, at)
		}
		return run.Window(ctx, at)
	})
}

// getFind answers with the nearest step that matches.
func (s *Server) getFind(_ http.ResponseWriter, r *http.Request) (any, error) {
	find, err := readFind(r)
	if err != nil {
		return nil, err
	}
	return s.withRun(r, func(ctx context.Context, run *run) (any, error) {
		step, ok, err := run.Find(ctx, find)
		var found struct {
			Step *uint64 `json:"step"`
		}
		if ok {
			found.Step = &step
		}
		return found, err
	})
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

// errBusy says that there are too many requests.
var errBusy = errors.New("the server is busy with other requests")

// failed is an error with its HTTP status.
type failed struct {
	status int
	text   string
}

func (f *failed) Error() string { return f.text }

func failure(status int, format string, args ...any) error {
	return &failed{status, fmt.Sprintf(format, args...)}
}

// refusal is the answer to a request that fails.
type refusal struct {
	Error string `json:"error"`
}

// wrongProgram is the answer to a program that is wrong.
type wrongProgram struct {
	refusal
	Diagnostics []gram.Diagnostic `json:"diagnostics"`
	Text        string            `json:"text"` // the message of the command line
}

// api makes a handler of a function that answers with a value, which is sent in JSON, or fails.
func (s *Server) api(handle func(http.ResponseWriter, *http.Request) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		answer, err := handle(w, r)
		if err != nil {
			s.fail(w, r, err)
			return
		}
		writeJSON(w, http.StatusOK, answer)
	}
}

// fail answers with an error. Errors of programs and requests are not the server's fault. Unknown
// errors are, and are logged.
func (s *Server) fail(w http.ResponseWriter, r *http.Request, err error) {
	var own *failed
	var program *gram.Error
	var limit *gram.LimitError
	var usage *gram.UsageError
	switch {
	case errors.As(err, &own):
		writeFailure(w, own.status, own.text)
	case r.Context().Err() != nil: // the client is gone, or the server is stopping
		writeFailure(w, http.StatusServiceUnavailable, "the server is stopping")
	case errors.Is(err, errBusy):
		w.Header().Set("Retry-After", "1")
		writeFailure(w, http.StatusServiceUnavailable, errBusy.Error())
	case errors.As(err, &program):
		writeJSON(w, http.StatusUnprocessableEntity,
			wrongProgram{refusal{summary(program)}, program.Diagnostics, program.Text})
	case errors.As(err, &limit), errors.As(err, &usage):
		writeJSON(w, http.StatusUnprocessableEntity, wrongProgram{refusal{err.Error()}, []gram.Diagnostic{}, err.Error()})
	case errors.Is(err, context.DeadlineExceeded):
		writeFailure(w, http.StatusUnprocessableEntity, fmt.Sprintf("the time limit of %v was reached", s.cfg.Timeout))
	default:
		s.log.Printf("%s %s: %v", r.Method, r.URL.EscapedPath(), err)
		writeFailure(w, http.StatusInternalServerError, err.Error())
	}
}

// summary describes the errors of a program in one sentence.
func summary(e *gram.Error) string {
	switch ds := e.Diagnostics; {
	case len(ds) > 1:
		return fmt.Sprintf("the program has %d errors", len(ds))
	case len(ds) == 1 && ds[0].Label != "":
		return ds[0].Headline + ": " + ds[0].Label
	case len(ds) == 1:
		return ds[0].Headline
	}
	return e.Text
}

func writeFailure(w http.ResponseWriter, status int, text string) {
	writeJSON(w, status, refusal{text})
}

// encode encodes a value that always can be encoded: numbers that may not be finite are text in it.
func encode(value any) []byte {
	body, err := json.Marshal(value)
	if err != nil {
		panic(err)
	}
	return body
}

// writeJSON writes an answer in JSON; bytes are that already.
func writeJSON(w http.ResponseWriter, status int, value any) {
	body, encoded := value.([]byte)
	if !encoded {
		body = encode(value)
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body) // its error means that the client is gone
}

// assets are the files of the page, with a picture of each rule, 320 units wide: what it meets in the graph, and what
// it leaves there. A box is a term, with the occurrences of variables that matter inside it; a circle an operation; a
// box with corners a number. A solid arrow leads to an operand, a dashed one from an occurrence to what is substituted
// for it; the arrow from above comes from what holds the term. The redex has a halo, and so has what is new; what is
// pale is gone. The colours are the variables --primal, --dual and --redex of the page.
//
//go:embed assets
var assets embed.FS

// kinds are the media types of the files of the page. The system may have other ones.
var kinds = map[string]string{
	".html": "text/html; charset=utf-8",
	".css":  "text/css; charset=utf-8",
	".js":   "text/javascript; charset=utf-8",
	".svg":  "image/svg+xml",
}

// asset serves a file of the page. A browser that has the file asks whether it has changed.
func asset(w http.ResponseWriter, r *http.Request) {
	name := r.PathValue("name")
	if r.URL.Path == "/" {
		name = "index.html"
	}
	kind, known := kinds[path.Ext(name)]
	body, err := assets.ReadFile("assets/" + name)
	if err != nil || !known {
		writeFailure(w, http.StatusNotFound, "the page has no such part")
		return
	}
	sum := sha256.Sum256(body)
	w.Header().Set("Cache-Control", "no-cache")
	w.Header().Set("ETag", `"`+hex.EncodeToString(sum[:8])+`"`)
	w.Header().Set("Content-Type", kind)
	http.ServeContent(w, r, name, time.Time{}, bytes.NewReader(body))
}
