package explore

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"math"
	"net/http"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
	"github.com/gram-machine/gram/rule"
)

func TestRun(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	status, a := s.run(figure1, OfGradient)
	require.Equal(t, http.StatusOK, status)
	require.Equal(t, "0.4121184852417566", a.Value)
	require.Equal(t, "R", a.Type)
	require.Equal(t, []namedText{{Name: "x1", Text: "-5.466781571308061"}, {Name: "x2", Text: "5.466781571308061"}}, a.Gradient)
	require.EqualValues(t, 76, a.Steps)
	require.Empty(t, a.Stopped)
	total := uint64(0)
	for _, r := range a.Rules {
		total += r.Steps
	}
	require.Equal(t, a.Steps, total)
	require.Equal(t, RuleSteps{Info: rule.Table[rule.Lambda], Steps: 5}, a.Rules[0])
	require.Positive(t, a.Backward)

	_, again := s.run(figure1, OfGradient)
	require.Equal(t, a, again)
	_, value := s.run(figure1, OfValue)
	require.NotEqual(t, a.Run, value.Run)
	require.Equal(t, a.Value, value.Value)
	require.Equal(t, []namedText{}, value.Gradient)
	require.Zero(t, value.Backward)
}

func TestRunValues(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	for _, c := range []struct{ source, of, value, typ, gradient string }{
		{"input x = 2\n[| x * x, x |]", OfGradient, "[| 4, 2 |]", "R^2", "x [| 4, 1 |]"},
		{"input v = [| 1, 2 |]\nv.(0) * v.(1)", OfGradient, "2", "R", "v [| 2, 1 |]"},
		{"input v = [| 1, 2 |]\n[| v.(0) * v.(1), v.(0) |]", OfGradient, "[| 2, 1 |]", "R^2", "v [| [| 2, 1 |], [| 1, 0 |] |]"},
		{"[1; 2; 3]", OfValue, "[1; 2; 3]", "List R", ""},
		{"(1, 2)", OfValue, "(1, 2)", "R * R", ""},
		{"0 / 0", OfValue, "NaN", "R", ""},
		{"fun (x : R) -> x", OfValue, "", "R -> R", ""},
	} {
		status, a := s.run(c.source, c.of)
		require.Equal(t, http.StatusOK, status, "%s: %s", c.source, a.Text)
		require.Equal(t, c.value, a.Value, c.source)
		require.Equal(t, c.typ, a.Type, c.source)
		var gradient []string
		for _, g := range a.Gradient {
			gradient = append(gradient, g.Name+" "+g.Text)
		}
		require.Equal(t, c.gradient, strings.Join(gradient, "; "), c.source)
	}
}

// TestWrongPrograms: what is wrong is told with its places, and not kept.
func TestWrongPrograms(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	for _, c := range []struct {
		name, source, of, want string
		diagnostics            []gram.Diagnostic
	}{
		{"a type", "input x = 1\nx + sin (x, x)", OfGradient, "type mismatch: this is R * R, but sin takes R",
			[]gram.Diagnostic{{Line: 2, Column: 9, Width: 6, Headline: "type mismatch", Label: "this is R * R, but sin takes R"}}},
		{"runes", "input é = 1\né + sin (é, é)", OfValue, "type mismatch: this is R * R, but sin takes R",
			[]gram.Diagnostic{{Line: 2, Column: 9, Width: 6, Headline: "type mismatch", Label: "this is R * R, but sin takes R"}}},
		{"no gradient", "input x = 1\n(x, x)", OfGradient, "no gradient: the body has type R * R; a gradient needs R, and a Jacobian R^k",
			[]gram.Diagnostic{{Line: 2, Column: 1, Width: 1, Headline: "no gradient", Label: "the body has type R * R; a gradient needs R, and a Jacobian R^k"}}},
		{"markup", "<script>", OfValue, "", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			status, a := s.run(c.source, c.of)
			require.Equal(t, http.StatusUnprocessableEntity, status)
			require.NotEmpty(t, a.Diagnostics)
			require.Contains(t, a.Text, "test.gram:")
			if c.diagnostics != nil {
				require.Equal(t, c.want, a.Error)
				require.Equal(t, c.diagnostics, a.Diagnostics)
				require.True(t, strings.HasPrefix(a.Text, fmt.Sprintf("test.gram:%d:%d: %s\n", c.diagnostics[0].Line, c.diagnostics[0].Column, c.diagnostics[0].Headline)), a.Text)
			}
		})
	}
	status, a := s.run("x\n+ y", OfValue)
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Equal(t, "the program has 2 errors", a.Error)
	require.Len(t, a.Diagnostics, 2)
	require.Empty(t, s.shelf.runs)

	// The answer has no markup of the program.
	_, body, _ := s.ask(s.request(http.MethodPost, "/api/run", `{"source":"<script>","of":"value"}`))
	require.NotContains(t, string(body), "<")
}

// TestSettings: a program that lacks what the command line sets is wrong, without a place.
func TestSettings(t *testing.T) {
	cfg := testConfig(figure1)
	cfg.Sets = []string{"x1=7"}
	s := serve(t, cfg, nil)
	_, a := s.run("input x1 = 1\nx1", OfValue)
	require.Equal(t, "7", a.Value)
	status, body, _ := s.ask(s.request(http.MethodPost, "/api/run", `{"source":"1","of":"value"}`))
	require.Equal(t, http.StatusUnprocessableEntity, status)
	require.Contains(t, string(body), `"diagnostics":[]`)
	require.Contains(t, string(body), "set x1=7")
}

func TestBadRequests(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	_, a := s.run(figure1, OfGradient)
	run := "/api/runs/" + a.Run
	for _, c := range []struct {
		method, path, body string
		status             int
		want               string
	}{
		{"POST", "/api/run", `{`, 400, "this is no request for a run: it ends too early"},
		{"POST", "/api/run", ``, 400, "this is no request for a run: it ends too early"},
		{"POST", "/api/run", `[]`, 400, "this is no request for a run: it is no object but of the type array"},
		{"POST", "/api/run", `{"source":1,"of":"value"}`, 400, `this is no request for a run: "source" is no string but of the type number`},
		{"POST", "/api/run", `{source}`, 400, "this is no request for a run: invalid character 's'"},
		{"POST", "/api/run", `{"source":"1","of":"value","more":1}`, 400, "unknown field"},
		{"POST", "/api/run", `{"source":"1","of":"value"} {}`, 400, "there is more behind the object"},
		{"POST", "/api/run", `{"source":"1","of":"all"}`, 400, `"of" must be "gradient" or "value"`},
		{"POST", "/api/run", `{"source":"` + strings.Repeat(" ", MaxSource+1) + `","of":"value"}`, 413, "more than 1048576 bytes"},
		{"POST", "/api/run", `{"source":"` + strings.Repeat(" ", 6*MaxSource+1024), 413, "a request of more than 6292480 bytes is not read"},
		{"GET", "/api/run", "", 404, "there is nothing at GET /api/run"},
		{"DELETE", run + "/window", "", 404, "there is nothing at DELETE"},
		{"GET", "/api/none", "", 404, "there is nothing at GET /api/none"},
		{"GET", run + "/window?at=-1", "", 400, `"at" is no natural number: "-1"`},
		{"GET", run + "/window?at=1e2", "", 400, `"at" is no natural number: "1e2"`},
		{"GET", run + "/window?at=77", "", 400, "the run has 76 steps, and no state 77"},
		{"GET", run + "/find?from=x", "", 400, `"from" is no natural number: "x"`},
		{"GET", run + "/find?line=x", "", 400, `"line" is no natural number: "x"`},
		{"GET", run + "/find?rule=none", "", 400, `there is no rule "none"`},
		{"GET", "/api/runs/none/window?at=0", "", 404, "this run is not kept any more"},
		{"GET", "/api/runs/none/find?from=0", "", 404, "this run is not kept any more"},
		{"GET", "/assets/rules/none.svg", "", 404, "the page has no such part"},
		{"GET", "/assets/rules/factor", "", 404, "the page has no such part"},
	} {
		var answer refusal
		require.Equal(t, c.status, s.read(s.request(c.method, c.path, c.body), &answer), "%s %s: %s", c.method, c.path, answer.Error)
		require.Contains(t, answer.Error, c.want)
		require.NotContains(t, answer.Error, "\n")
	}
	r := s.request(http.MethodPost, "/api/run", `{"source":"1","of":"value"}`)
	r.Header.Set("Content-Type", "text/plain")
	var answer refusal
	require.Equal(t, http.StatusUnsupportedMediaType, s.read(r, &answer))
}

// TestLargestProgram: a program as large as may be is sent, whatever JSON makes of it.
func TestLargestProgram(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	for _, text := range []string{"\n", "\u2028", "\x00"} { // in JSON, two bytes and twice six
		start := "1 -- "
		status, a := s.run(start+strings.Repeat(text, (MaxSource-len(start))/len(text)), OfValue)
		require.Equal(t, http.StatusOK, status, a.Text)
	}
}

// TestRules: each rule has a picture, XML with the sentence of the rule as its title, that can stand in a page beside
// others: nothing in it has an id or a style.
func TestRules(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	for _, info := range rule.Table {
		status, body, h := s.ask(s.request(http.MethodGet, "/assets/rules/"+info.Name+".svg", ""))
		require.Equal(t, http.StatusOK, status, info.Name)
		require.Equal(t, "image/svg+xml", h.Get("Content-Type"), info.Name)
		elements := map[string]int{}
		for d := xml.NewDecoder(bytes.NewReader(body)); ; {
			token, err := d.Token()
			if err == io.EOF {
				break
			}
			require.NoError(t, err, info.Name)
			if e, ok := token.(xml.StartElement); ok {
				elements[e.Name.Local]++
				for _, a := range e.Attr {
					require.NotContains(t, []string{"id", "style", "href"}, a.Name.Local, info.Name)
				}
			}
		}
		require.Equal(t, 1, elements["svg"], info.Name)
		require.Zero(t, elements["style"]+elements["script"], info.Name)
		require.NotZero(t, elements["text"], info.Name)
		title := html.EscapeString(fmt.Sprintf("(%s) %s: %s", info.Number, info.Name, info.Text))
		require.Contains(t, string(body), "<title>"+title, info.Name)
	}
	files, err := assets.ReadDir("assets/rules")
	require.NoError(t, err)
	require.Len(t, files, int(rule.Count))
}

// TestExploring goes through a run as the page does.
func TestExploring(t *testing.T) {
	s := serve(t, testConfig(figure1), nil)
	_, a := s.run(figure1, OfGradient)
	run := "/api/runs/" + a.Run
	var w Window
	require.Equal(t, http.StatusOK, s.get(run+"/window?at=40", &w))
	require.Equal(t, a.Backward-1, w.From)
	require.Equal(t, a.Steps, w.To)
	require.Len(t, w.Steps, int(a.Steps-w.From))
	require.NotEmpty(t, w.Nodes)
	for _, n := range w.Nodes {
		require.Positive(t, n.X)
		require.LessOrEqual(t, n.Y, w.Height)
	}

	find := func(query string) (step *uint64) {
		var found struct{ Step *uint64 }
		require.Equal(t, http.StatusOK, s.get(run+"/find?"+query, &found))
		return found.Step
	}
	factor := find("from=0&rule=11")
	require.NotNil(t, factor)
	require.Equal(t, a.Rules[w.Steps[*factor-w.From-1].Rule].Name, "factor")
	require.Nil(t, find("from="+strconv.FormatUint(*factor, 10)+"&rule=factor"))
	require.Equal(t, []uint64{a.Backward}, a.Turns)
	line := find("from=76&back=1&line=3")
	require.Equal(t, 3, w.Steps[*line-w.From-1].Line)
	require.Nil(t, find("from=0&line=100"))
	require.EqualValues(t, 1, *find("from=0&back=0"))
}

// TestFailures: errors that a run may come to, and how they are answered.
func TestFailures(t *testing.T) {
	f := &fake{steps: 1}
	s := serve(t, testConfig(figure1), func(s *Server) {
		s.start = func(_ context.Context, req *request) (*started, error) {
			return &started{f, &runReply{Run: req.id(), Info: Info{Steps: 1}}}, nil
		}
	})
	_, a := s.run("1", OfValue)
	for _, c := range []struct {
		err    error
		status int
		want   string
	}{
		{errors.New("it is broken"), 500, "it is broken"},
		{context.DeadlineExceeded, 422, "the time limit of 1m0s was reached"},
		{&gram.LimitError{Limit: "time", Phase: "reducing"}, 422, "time limit reached while reducing"},
		{&gram.Error{Text: "test.gram: it is wrong"}, 422, "test.gram: it is wrong"},
		{&gram.Error{Text: "t", Diagnostics: []gram.Diagnostic{{Headline: "it is wrong"}}}, 422, "it is wrong"},
	} {
		f.err = c.err
		for _, path := range []string{"/window?at=0", "/find?from=0"} {
			var answer refusal
			require.Equal(t, c.status, s.get("/api/runs/"+a.Run+path, &answer), path)
			require.Equal(t, c.want, answer.Error)
		}
	}
	require.Contains(t, s.log.String(), "gram: GET /api/runs/"+a.Run+"/window: it is broken\n")
	require.Equal(t, 2, strings.Count(s.log.String(), "\n"))
}

// TestID: a run is named by its program and by what of it is run.
func TestID(t *testing.T) {
	ids := map[string]bool{}
	for _, req := range []request{{"1", OfValue}, {"1", OfGradient}, {"2", OfValue}, {"", OfValue}} {
		require.Len(t, req.id(), 32)
		require.Equal(t, req.id(), (&request{req.Source, req.Of}).id())
		ids[req.id()] = true
	}
	require.Len(t, ids, 4)
}

func TestNoNumberInJSON(t *testing.T) {
	require.Panics(t, func() { encode(math.NaN()) })
}
