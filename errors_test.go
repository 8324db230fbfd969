package gram_test

import (
	"io/fs"
	"testing"
	"testing/fstest"

	"github.com/stretchr/testify/require"

	"github.com/gram-machine/gram"
)

// TestDiagnostics: an error tells its places as numbers too, whatever stage it is of.
func TestDiagnostics(t *testing.T) {
	data := fstest.MapFS{"w.csv": {Data: []byte("a\n1\ntwo\n")}}
	open := func(path string) (fs.File, error) { return data.Open(path) }
	for _, c := range []struct {
		name, src string
		text      string // how the message starts
		want      []gram.Diagnostic
	}{
		{"syntax", "input x = )\nx", "p.gram:1:11: ", []gram.Diagnostic{{Line: 1, Column: 11, Width: 1, Headline: "expected an expression, found `)`"}}},
		{"types", "input é = 2\né + sin (é, é)", "p.gram:2:9: type mismatch\n",
			[]gram.Diagnostic{{Line: 2, Column: 9, Width: 6, Headline: "type mismatch", Label: "this is R * R, but sin takes R"}}},
		{"two", "x +\ny", "p.gram:1:1: ", []gram.Diagnostic{
			{Line: 1, Column: 1, Width: 1, Headline: "unknown name"}, {Line: 2, Column: 1, Width: 1, Headline: "unknown name"}}},
		{"data", "data xs = csv \"w.csv\" \"a\"\n1", "w.csv:3:1: wrong CSV data\n",
			[]gram.Diagnostic{{Line: 1, Column: 23, Width: 3, Headline: "wrong CSV data", Label: `w.csv:3:1: column "a": "two" is not a number`}}},
		{"a later stage", "input x = 2\nlet y = x in (y, x)", "p.gram:2:1: no gradient\n",
			[]gram.Diagnostic{{Line: 2, Column: 1, Width: 3, Headline: "no gradient", Label: "the body has type R * R; a gradient needs R, and a Jacobian R^k"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, err := gram.Load(t.Context(), "p.gram", []byte(c.src), gram.Options{Open: open})
			if err == nil {
				_, err = p.Gradient(t.Context(), gram.EvalOptions{})
			}
			var e *gram.Error
			require.ErrorAs(t, err, &e)
			require.Contains(t, e.Text[:len(c.text)], c.text)
			require.Len(t, e.Diagnostics, len(c.want))
			for i, d := range e.Diagnostics {
				if c.want[i].Label == "" {
					d.Label = ""
				}
				if c.name != "data" { // that is in a file of its own
					require.Equal(t, []any{"p.gram", d.Line, d.Column}, []any{d.File, d.FileLine, d.FileColumn})
				}
				d.File, d.FileLine, d.FileColumn = "", 0, 0
				require.Equal(t, c.want[i], d)
			}
		})
	}
	p, err := gram.Load(t.Context(), "p.gram", []byte("input x = 2\niter #1000 (fun y -> x * y) 1"), gram.Options{})
	require.NoError(t, err)
	_, err = p.Value(t.Context(), gram.EvalOptions{MaxSteps: 100})
	var e *gram.Error
	require.ErrorAs(t, err, &e)
	require.Equal(t, "limit reached", e.Diagnostics[0].Headline)
	require.Equal(t, 2, e.Diagnostics[0].Line)
}
