package gradbench_test

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/gram-machine/gram/gradbench"
)

// exchange returns the answers to some lines, without their timings.
func exchange(t *testing.T, lines ...string) []string {
	t.Helper()
	var out strings.Builder
	if err := gradbench.Serve(t.Context(), strings.NewReader(strings.Join(lines, "\n")), &out); err != nil {
		t.Fatal(err)
	}
	all := regexp.MustCompile(`,"timings":\[[^\]]*\]`).ReplaceAllString(out.String(), "")
	return strings.Split(strings.TrimSuffix(all, "\n"), "\n")
}

func TestTranscript(t *testing.T) {
	for _, tt := range []struct{ line, want string }{
		{`{"id":0,"kind":"start","eval":"hello"}`, `{"id":0,"tool":"gram"}`},
		{`{"id":1,"kind":"define","module":"hello"}`, `{"id":1,"success":true}`},
		{`{"id":2,"kind":"evaluate","module":"hello","function":"square","input":1.5,"description":"x"}`, `{"id":2,"success":true,"output":2.25}`},
		{`{"id":3,"kind":"analysis","of":2,"valid":true}`, `{"id":3}`},
		{`{"id":4,"kind":"evaluate","module":"hello","function":"double","input":-3}`, `{"id":4,"success":true,"output":-6}`},
		{`{"id":5,"kind":"something"}`, `{"id":5}`},
		{`  `, ``},
		{`{"id":6,"kind":"define","module":"nothing"}`, `{"id":6,"success":false,"error":"unknown module \"nothing\""}`},
		{`{"id":7,"kind":"evaluate","module":"hello","function":"cube","input":2}`, `{"id":7,"success":false,"error":"unknown function \"cube\" of module \"hello\""}`},
		{`{"id":8,"kind":"evaluate","module":"hello","function":"square"}`, `{"id":8,"success":false,"error":"wrong input: there is none"}`},
		{`{"id":9,`, `{"id":null,"success":false,"error":"wrong message: unexpected end of JSON input"}`},
		{`{"id":10,"kind":"evaluate","module":"lse","function":"primal","input":{"x":[0,0],"min_runs":"2"}}`,
			`{"id":10,"success":false,"error":"wrong input: json: cannot unmarshal string into Go struct field runs.min_runs of type int"}`},
		{`{"id":11,"kind":"evaluate","module":"lse","function":"primal","input":{"x":[]}}`, `{"id":11,"success":false,"error":"wrong input: x is empty"}`},
		{`{"id":12,"kind":"evaluate","module":"det","function":"primal","input":{"A":[1,2,3],"ell":2}}`, `{"id":12,"success":false,"error":"wrong input: A has 3 elements, not 4"}`},
		{`{"id":13,"kind":"evaluate","module":"kmeans","function":"cost","input":{"points":[[1,2],[3]],"centroids":[[1,2]]}}`,
			`{"id":13,"success":false,"error":"wrong input: points[1] has 1 elements, not 2"}`},
		{`{"id":17,"kind":"evaluate","module":"lse","function":"primal","input":{"x":[1,null]}}`,
			`{"id":17,"success":false,"error":"wrong input: x has a null where a number has to be"}`},
		{`{"id":14,"kind":"evaluate","module":"hello","function":"square","input":1e200}`,
			`{"id":14,"success":false,"error":"the output cannot be written: json: unsupported value: +Inf"}`},
		{`{"id":15,"kind":"evaluate","module":"det","function":"primal","input":{"A":[1,2,3,4],"ell":2}}`, `{"id":15,"success":true,"output":-2}`},
		{`{"id":16,"kind":"evaluate","module":"det","function":"gradient","input":{"A":[1,2,3,4],"ell":2}}`, `{"id":16,"success":true,"output":[4,-3,-2,1]}`},
	} {
		if got := exchange(t, tt.line); got[0] != tt.want {
			t.Errorf("%s\nanswer %s\nwant   %s", tt.line, got[0], tt.want)
		}
	}
}

// TestRuns: a function runs until both minima are met.
func TestRuns(t *testing.T) {
	var out strings.Builder
	lines := `{"id":1,"kind":"evaluate","module":"lse","function":"primal","input":{"x":[1,2],"min_runs":7}}
{"id":2,"kind":"evaluate","module":"lse","function":"primal","input":{"x":[1,2],"min_runs":1,"min_seconds":0.02}}
`
	if err := gradbench.Serve(t.Context(), strings.NewReader(lines), &out); err != nil {
		t.Fatal(err)
	}
	for i, line := range strings.Split(strings.TrimSpace(out.String()), "\n") {
		var answer struct {
			Timings []struct {
				Name        string
				Nanoseconds int64
			}
		}
		if err := json.Unmarshal([]byte(line), &answer); err != nil {
			t.Fatal(err)
		}
		runs, total := 0, int64(0)
		for _, timing := range answer.Timings {
			if timing.Name == "evaluate" {
				runs++
				total += timing.Nanoseconds
			}
		}
		if i == 0 && runs != 7 || i == 1 && (runs < 2 || total < 20e6) {
			t.Errorf("message %d: %d runs in %d ns", i+1, runs, total)
		}
	}
}

func TestServeEnds(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	err := gradbench.Serve(ctx, strings.NewReader(`{"id":1,"kind":"define","module":"hello"}`), &strings.Builder{})
	if !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}

// TestDefine: each module of evals.txt is defined.
func TestDefine(t *testing.T) {
	text, err := os.ReadFile("evals.txt")
	if err != nil {
		t.Fatal(err)
	}
	if names := strings.Fields(string(text)); !slices.Equal(names, gradbench.Modules()) {
		t.Errorf("evals.txt has %q, and the tool %q", names, gradbench.Modules())
	}
	for _, name := range gradbench.Modules() {
		if got := exchange(t, `{"id":1,"kind":"define","module":"`+name+`"}`); got[0] != `{"id":1,"success":true}` {
			t.Errorf("define %s: %s", name, got[0])
		}
	}
}
