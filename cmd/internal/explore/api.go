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
	"math"
	"net/http"
	"path"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/cmd/internal/command"
	"github.com/gram-machine/gram/cmd/internal/show"
	"github.com/gram-machine/gram/examples"
	"github.com/gram-machine/gram/lang/load"
	"github.com/gram-machine/gram/lang/syntax"
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
		if at > run.Steps {
			return nil, failure(http.StatusBadRequest, "the run has %d steps, and no state %d", run.Steps, at)
		}
		return run.Window(ctx, at)
	})
}

// getFind answers with the nearest step that matches.
func (s *Server) getFind(_ http.ResponseWriter, r *http.Request) (any, error) {
	find := Find{Rule: r.URL.Query().Get("rule")}
	for name := range strings.SplitSeq(find.Rule, ",") {
		if _, known := rule.Find(name); find.Rule != "" && !known {
			return nil, failure(http.StatusBadRequest, "there is no rule %q", name)
		}
	}
	var numbers [3]uint64
	for i, name := range []string{"from", "line", "back"} {
		var err error
		if numbers[i], err = natural(r, name); err != nil {
			return nil, err
		}
	}
	find.From, find.Line, find.Back = numbers[0], int(min(numbers[1], 1<<31-1)), numbers[2] != 0
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
		e := example{Name: name, About: command.About(source), Source: string(source), Of: OfGradient}
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
			wrongProgram{refusal{inOneLine(program)}, program.Diagnostics, program.Text})
	case errors.As(err, &limit), errors.As(err, &usage):
		writeJSON(w, http.StatusUnprocessableEntity, wrongProgram{refusal{err.Error()}, []gram.Diagnostic{}, err.Error()})
	case errors.Is(err, context.DeadlineExceeded):
		writeFailure(w, http.StatusUnprocessableEntity, fmt.Sprintf("the time limit of %v was reached", s.cfg.Timeout))
	default:
		s.log.Printf("%s %s: %v", r.Method, r.URL.EscapedPath(), err)
		writeFailure(w, http.StatusInternalServerError, err.Error())
	}
}

// inOneLine describes an error, those of a program without their places.
func inOneLine(err error) string {
	wrong, ok := errors.AsType[*gram.Error](err)
	switch {
	case !ok:
		return err.Error()
	case len(wrong.Diagnostics) > 1:
		return fmt.Sprintf("the program has %d errors", len(wrong.Diagnostics))
	case len(wrong.Diagnostics) == 1:
		return strings.TrimSuffix(wrong.Diagnostics[0].Headline+": "+wrong.Diagnostics[0].Label, ": ")
	}
	return wrong.Text
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

// writeJSON writes an answer in JSON.
func writeJSON(w http.ResponseWriter, status int, value any) {
	body := encode(value)
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

// place positions the nodes of a window: a node is left of all nodes that refer to it in some
// state. So the computation goes from left to right, and the backward phase from right to left.
func place(w *Window) {
	index := map[int]int{}
	boxes := make([]show.Node, len(w.Nodes))
	for i := range w.Nodes {
		index[w.Nodes[i].ID] = i
		boxes[i] = box(&w.Nodes[i])
	}
	// The edges of the first version of each node, each edge once, in the order of the nodes. They have the direction in
	// which values flow. Later edges mostly have the same direction, and are left out.
	var edges []show.Edge
	known := map[show.Edge]bool{}
	for i, n := range w.Nodes {
		for _, v := range n.Versions[:min(1, len(n.Versions))] {
			for _, e := range v.Edges {
				to, ok := index[e.To]
				edge := show.Edge{From: to, To: i}
				if slices.Contains([]string{"waits", "binds", "arrived"}, e.As) {
					edge = show.Edge{From: i, To: to}
				}
				if ok && !known[edge] {
					known[edge] = true
					edges = append(edges, edge)
				}
			}
		}
	}
	l := show.Place(boxes, edges, show.Options{NodeGap: nodeGap, LayerGap: layerGap})
	w.Bends, w.Width, w.Height = []bend{}, l.Width, l.Height
	for i := range w.Nodes {
		n := &w.Nodes[i]
		n.X, n.Y, n.W, n.H = l.X[i], l.Y[i], boxes[i].Width, boxes[i].Height
	}
	for i, via := range l.Via {
		if len(via) == 0 {
			continue
		}
		w.Bends = append(w.Bends, bend{From: w.Nodes[edges[i].To].ID, To: w.Nodes[edges[i].From].ID,
			Via: syntax.Each(len(via), func(k int) [2]float64 { return [2]float64{via[k].X, via[k].Y} })})
	}
}

// Distances between boxes, in pixels. They leave room for the text above a dual, and for an argument
// that moves from one layer to the next.
const (
	nodeGap  = 22
	layerGap = 48
)

// Sizes in pixels: of a letter on the page, of the margins around a text, and of lines.
const (
	letter     = 7.3
	margin     = 18
	narrowest  = 44
	widest     = 190
	arrow      = 2 // letters, before the value of a dual
	lineHeight = 16
	padding    = 12
)

// box is the size of a node: large enough for its label, and its value below, in all its states.
func box(n *Node) show.Node {
	letters, lines := 0, 1
	for _, v := range n.Versions {
		letters = max(letters, utf8.RuneCountInString(v.Label))
		if v.Value != "" && v.Value != v.Label {
			letters = max(letters, utf8.RuneCountInString(v.Value)+arrow)
			lines = 2
		}
	}
	return show.Node{
		Width:  min(max(narrowest, math.Ceil(margin+letter*float64(letters))), widest),
		Height: float64(padding + lines*lineHeight),
	}
}

// runReply is the result of a run.
type runReply struct {
	Run string `json:"run"`
	Info
	Value    string      `json:"value"`
	Type     string      `json:"type"`
	Gradient []namedText `json:"gradient"`
	Inputs   []namedText `json:"inputs"`
}

// namedText is a value with its name.
type namedText struct {
	Name string              `json:"name"`
	Text string              `json:"text"`
	Rows [][]load.JSONNumber `json:"rows,omitempty"` // of a vector or a matrix of numbers
}

// mostSide bounds the rows and the columns of a matrix that is drawn.
const mostSide = 64

// rowsOf returns the rows of a matrix, or the numbers of a vector as one row; nil for other shapes and large ones.
func rowsOf(s *gram.Shape, values []float64) [][]load.JSONNumber {
	if s.Kind != load.Vector || s.Size > mostSide {
		return nil
	}
	rows, columns := 1, s.Size
	if s.A.Kind == load.Vector {
		rows, columns, s = s.Size, s.A.Size, s.A
	}
	if s.A.Kind != load.Real || columns > mostSide || len(values) != rows*columns {
		return nil
	}
	return syntax.Each(rows, func(i int) []load.JSONNumber {
		return syntax.Each(columns, func(k int) load.JSONNumber { return load.JSONNumber(values[i*columns+k]) })
	})
}

// short is the notation of values. A vector or list of more than eight elements is written
// as its first six elements and its last.
var short = load.Language.Short(8)

// valueText writes a value of shape s in the notation of the language.
func valueText(s *gram.Shape, values []float64, lengths []int) string {
	return string(short.Append(nil, &load.Flat{Values: values, Lengths: lengths}, s))
}

// describe makes the reply about a run.
func describe(p *gram.Program, req *request, info Info) *runReply {
	out := &runReply{Run: req.id(), Info: info, Type: p.Type(), Gradient: []namedText{}, Inputs: named(p.Inputs())}
	if info.Stopped != "" || p.Shape() == nil {
		return out
	}
	out.Value = valueText(p.Shape(), info.Values, info.Lengths)
	if req.Of == OfGradient {
		out.Gradient = named(p.Derivatives(info.Values, info.Jacobian))
	}
	return out
}

// named writes values with their names.
func named(values []gram.Input) []namedText {
	return syntax.Each(len(values), func(i int) namedText {
		v := &values[i]
		return namedText{v.Name, valueText(v.Shape, v.Values, nil), rowsOf(v.Shape, v.Values)}
	})
}
