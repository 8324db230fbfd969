package explore

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"

	"github.com/gram-machine/gram"
)

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

// api makes a handler of a function that may fail.
func (s *Server) api(handle func(http.ResponseWriter, *http.Request) error) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		if err := handle(w, r); err != nil {
			s.fail(w, r, err)
		}
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

func writeJSON(w http.ResponseWriter, status int, value any) {
	write(w, status, "application/json", encode(value))
}

// write writes an answer. Its error means that the client is gone, and is ignored.
func write(w http.ResponseWriter, status int, kind string, body []byte) {
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	w.WriteHeader(status)
	_, _ = w.Write(body)
}
